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
from ragtriage.core.extraction_views import TextView
from ragtriage.core.score import Failed, Undefined
from ragtriage.data.border_labels import LabelledBorders, labelled_borders
from ragtriage.data.chunk_viewing import ChunkedCorpus
from ragtriage.data.corpus import Corpus
from ragtriage.data.extractions import Extraction
from ragtriage.runs.given import Given, missing
from ragtriage.runs.units import Population, Unit, document_unit
from ragtriage.runs.viewing_extracted import EXTRACTION_VIEWS
from ragtriage.runs.viewing_places import Places

__all__ = ["Populations"]

NO_CHUNKS = Undefined("the system does not list its chunks")
NO_CORPUS = Undefined("there is no corpus")
_NOT_EMBEDDED = Failed("embedding", "NotAsked", "the run stopped before the sentences of this document were embedded")


@dataclass(frozen=True)
class Populations:
    """The populations of one run, each built when it is first asked for."""

    corpus: Corpus | None
    places: Places
    given: Given = field(default_factory=Given)
    _built: dict[type[Any], Population | Undefined] = field(default_factory=dict, init=False)

    @property
    def notes(self) -> tuple[str, ...]:
        """Say what of the labelled borders counts nowhere."""
        laid = self._laid
        if isinstance(laid, Undefined) or not laid.gone:
            return ()
        label = "1 label of a border counts" if laid.gone == 1 else f"{laid.gone} labels of borders count"
        return (f"{label} nowhere: today's chunks do not have the border, or another text stands around it",)

    def of(self, view_type: type[Any]) -> Population | Undefined:
        """Return the views of one type over the units of its population, or why this run has none."""
        if view_type not in self._built:
            self._built[view_type] = self._build(view_type)
        return self._built[view_type]

    def _build(self, view_type: type[Any]) -> Population | Undefined:
        extraction = self.given.extraction
        if view_type in EXTRACTION_VIEWS and extraction is not None:
            return self._extracted(view_type, extraction)
        if view_type is TextView:
            return self._texts()
        if view_type in self.given.populations:
            return self.given.populations[view_type]
        if view_type in self._of_chunks:
            return self._of_chunks[view_type]()
        return missing(view_type)

    @property
    def _of_chunks(self) -> Mapping[type[Any], Callable[[], Population | Undefined]]:
        return {
            AttributionView: self._attribution,
            BorderLabelsView: self._labelled_borders,
            BordersView: self._borders,
            HierarchyView: self._hierarchy,
            SentencesView: self._sentences,
        }

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

    def _labelled_borders(self) -> Population | Undefined:
        """Return what people said of borders that today's chunks have; of documents without any there is nothing."""
        laid = self._laid
        if isinstance(laid, Undefined):
            return laid
        if not laid.views:
            return Undefined("no border of today's chunks is labelled")
        return Population("documents", tuple(map(self._document, laid.views)), tuple(laid.views.values()))

    @cached_property
    def _laid(self) -> LabelledBorders | Undefined:
        if self.given.borders is None:
            return missing(BorderLabelsView)
        chunked = self._chunked
        return chunked if isinstance(chunked, Undefined) else labelled_borders(self.given.borders, chunked)

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

    def _sentences(self) -> Population | Undefined:
        """Return how alike the sentences of each document with chunks are; one that nobody came to has failed."""
        chunked, found = self._chunked, self.given.sentences
        if isinstance(chunked, Undefined) or isinstance(found, Undefined):
            return chunked if isinstance(chunked, Undefined) else found  # type: ignore[return-value]
        if found is None:
            return missing(SentencesView)
        names = tuple(name for name in chunked.corpus.documents if name in chunked.spans)
        return Population(
            "documents", tuple(map(self._document, names)), tuple(found.get(name, _NOT_EMBEDDED) for name in names)
        )

    @cached_property
    def _chunked(self) -> ChunkedCorpus | Undefined:
        if self.corpus is None:
            return NO_CORPUS
        return NO_CHUNKS if self.places.chunks is None else ChunkedCorpus(self.corpus, self.places.chunks)

    @cached_property
    def _chunk_units(self) -> tuple[Unit, ...]:
        return tuple(Unit(c.chunk_id, c.doc_id, self._document(c.doc_id).fields) for c in self.places.chunks or ())

    def _document(self, name: str) -> Unit:
        return document_unit(self.corpus, name, {} if self.given.extraction is None else self.given.extraction.classes)
