"""What a run measures beside its golden cases: documents, chunks ..., each with fields to slice by.

A metric whose view names a population is scored once for each unit of it. What a run was not given stays out, with the
reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ragtriage.core.chunk_views import AttributionView, BorderLabelsView, BordersView, HierarchyView, SentencesView
from ragtriage.core.duplicate_views import DuplicatesView
from ragtriage.core.extraction_views import BoilerplateView, TextView
from ragtriage.core.label_views import LanguageView, RelationsView, SpansView
from ragtriage.core.score import Failed, Undefined
from ragtriage.data.chunk_viewing import ChunkedCorpus
from ragtriage.data.corpus import Corpus
from ragtriage.data.extractions import Extraction
from ragtriage.runs.viewing_extracted import EXTRACTION_VIEWS
from ragtriage.runs.viewing_places import Places

__all__ = ["Population", "Populations", "Unit", "never_given"]

NO_REFERENCE = Undefined("it needs reference texts; name their folder with [ingest] reference")
NO_CHUNKS = Undefined("the system does not list its chunks")
NO_CORPUS = Undefined("there is no corpus")
NOT_IN_A_RUN = Undefined("a run has nothing to measure it by")
_ELSEWHERE: dict[type[Any], str] = {
    BoilerplateView: "it needs the pages before cleaning: see `ragtriage ingest --pages`",
    BorderLabelsView: "it needs borders that a person judged",
    DuplicatesView: "it needs labelled pairs of documents",
    LanguageView: "it needs texts with labels",
    RelationsView: "it needs texts with labels",
    SentencesView: "it needs vectors of sentences, which no run makes",
    SpansView: "it needs texts with labels",
}
_OF_CHUNKS = (BordersView, AttributionView, HierarchyView)


def never_given(view_type: type[Any], *, extracted: bool) -> str | None:
    """Say why no run can show what a metric of another population sees; `extracted`: [ingest] is configured.

    None where a run may: the system's chunks or the corpus decide.
    """
    if view_type in EXTRACTION_VIEWS:
        return None if extracted or view_type is TextView else NO_REFERENCE.reason
    return None if view_type in _OF_CHUNKS else _ELSEWHERE.get(view_type, NOT_IN_A_RUN.reason)


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit of a population; `document`: the one that it belongs to or is; `fields`: what it is sliced by."""

    unit_id: str
    document: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Population:
    """The views of one type: one for each unit, or why there is none."""

    name: str
    units: tuple[Unit, ...]
    views: tuple[Any | Undefined | Failed, ...]


@dataclass(frozen=True)
class Populations:
    """The populations of one run, each built when it is first asked for."""

    corpus: Corpus | None
    places: Places
    extraction: Extraction | None = None
    _built: dict[type[Any], Population | Undefined] = field(default_factory=dict, init=False)

    def of(self, view_type: type[Any]) -> Population | Undefined:
        """Return the views of one type over the units of its population, or why this run has none."""
        if view_type not in self._built:
            self._built[view_type] = self._build(view_type)
        return self._built[view_type]

    def _build(self, view_type: type[Any]) -> Population | Undefined:
        if view_type in EXTRACTION_VIEWS and self.extraction is not None:
            return self._extracted(view_type, self.extraction)
        if view_type is TextView:
            return self._texts()
        if view_type in EXTRACTION_VIEWS:
            return NO_REFERENCE
        builder = self._of_chunks.get(view_type)
        return NOT_IN_A_RUN if builder is None else builder()

    @property
    def _of_chunks(self) -> Mapping[type[Any], Callable[[], Population | Undefined]]:
        return {BordersView: self._borders, AttributionView: self._attribution, HierarchyView: self._hierarchy}

    def _extracted(self, view_type: type[Any], extraction: Extraction) -> Population:
        build = EXTRACTION_VIEWS[view_type]
        views = []
        for name, reference in extraction.reference.items():
            found = extraction.extracted[name]
            views.append(found if isinstance(found, Failed) else build(reference, found))
        return Population("documents", tuple(map(self._document, extraction.reference)), tuple(views))

    def _texts(self) -> Population | Undefined:
        """Return the texts of the corpus, where no extracted ones are given."""
        if self.corpus is None:
            return NO_CORPUS
        documents = self.corpus.documents
        views = tuple(TextView(document.text) for document in documents.values())
        return Population("documents", tuple(map(self._document, documents)), views)

    def _borders(self) -> Population | Undefined:
        chunked = self._chunked
        if isinstance(chunked, Undefined):
            return chunked
        names = tuple(name for name in chunked.corpus.documents if name in chunked.spans)
        return Population("documents", tuple(map(self._document, names)), tuple(map(chunked.borders_view, names)))

    def _attribution(self) -> Population | Undefined:
        chunked = self._chunked
        if isinstance(chunked, Undefined):
            return chunked
        return Population("chunks", self._chunk_units, tuple(map(chunked.attribution_view, chunked.chunks)))

    def _hierarchy(self) -> Population | Undefined:
        chunked = self._chunked
        if isinstance(chunked, Undefined):
            return chunked
        return Population("chunks", self._chunk_units, tuple(map(chunked.hierarchy_view, chunked.chunks)))

    @cached_property
    def _chunked(self) -> ChunkedCorpus | Undefined:
        if self.corpus is None:
            return NO_CORPUS
        return NO_CHUNKS if self.places.chunks is None else ChunkedCorpus(self.corpus, self.places.chunks)

    @cached_property
    def _chunk_units(self) -> tuple[Unit, ...]:
        return tuple(Unit(c.chunk_id, c.doc_id, self._document(c.doc_id).fields) for c in self.places.chunks or ())

    def _document(self, name: str) -> Unit:
        document = self.corpus.documents.get(name) if self.corpus is not None else None
        fields: dict[str, str | None] = {}
        if document is not None:
            fields = {"language": document.language, "source_type": document.source_type}
        if self.extraction is not None:
            fields["class"] = self.extraction.classes.get(name)
        return Unit(name, name, {key: value for key, value in fields.items() if value is not None})
