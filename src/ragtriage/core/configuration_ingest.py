"""`[ingest]` of `ragtriage.toml`: what was recorded of the way from documents to an index, for a run to measure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from ragtriage.core.configuration_table import ConfigurationTable

__all__ = [
    "DetectedSettings",
    "DuplicateSettings",
    "EntitySettings",
    "IngestSettings",
    "LabelSettings",
    "LanguageSettings",
    "NeighbourSettings",
    "PersonalDataSettings",
    "ProbeSettings",
]


class LabelSettings(ConfigurationTable):
    """Labels by people, and what was found in the same texts; `ragtriage labels` reads the same files."""

    gold: str
    """File of labels by people."""
    found: str
    """File of what was found."""


class EntitySettings(LabelSettings):
    """Entities: files of one tag a token, or of spans."""

    mode: Literal["strict", "lenient"] = "strict"
    """How tags become spans: strictly by IOB2, or with an I- that opens a span."""


class DetectedSettings(ConfigurationTable):
    """Labels by people, and either what was found in the same texts or a detector that ships, run on them."""

    gold: str
    """File of labels by people; a detector needs their texts."""
    found: str | None = None
    """File of what was found."""
    detector: str | None = None
    """A detector that ships."""

    @model_validator(mode="after")
    def _one_side(self) -> Self:
        if (self.found is None) == (self.detector is None):
            raise ValueError("give either 'found', a file, or 'detector'")
        return self


class LanguageSettings(DetectedSettings):
    """Languages of texts."""

    detector: Literal["code", "py3langid"] | None = None
    """A detector that ships: `code`, or the package `py3langid`."""


class PersonalDataSettings(DetectedSettings):
    """Personal data: files of spans, or of one tag a token."""

    detector: str | None = None
    """A detector that ships: `code`, or `presidio:MODEL` with a spaCy model that is installed."""
    mode: Literal["strict", "lenient"] = "strict"
    """How tags become spans: strictly by IOB2, or with an I- that opens a span."""

    @field_validator("detector")
    @classmethod
    def _ships(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(r"code|presidio:\S+", value):
            raise ValueError("must be 'code' or 'presidio:MODEL'")
        return value


class DuplicateSettings(ConfigurationTable):
    """Pairs of documents that people judged, and how duplicates are found."""

    pairs: str
    """JSON Lines of `first`, `second`, `duplicate`: what people said; `ragtriage golden dedupe` reads the same."""
    found: str | None = None
    """JSON Lines of the pairs that your detector found; None: near-duplicates as we find them."""
    threshold: Annotated[float, Field(ge=0.2, le=1)] | None = None
    """Least Jaccard similarity of the word triples of two near-duplicates, where we find them; None: 0.8."""

    @model_validator(mode="after")
    def _one_detector(self) -> Self:
        if self.found is not None and self.threshold is not None:
            raise ValueError("'threshold' is for near-duplicates as we find them: leave it out beside 'found'")
        return self


class ProbeSettings(ConfigurationTable):
    """Vectors of a pinned probe set by two embedders, or by two versions of one."""

    old: str
    """Vectors the index was built with: `.npy`, `.jsonl` or `.parquet`."""
    new: str
    """Vectors of the same texts as questions are embedded now."""
    old_ids: str | None = None
    """Text file with the id of each row of an `old` in `.npy`."""
    new_ids: str | None = None
    """Text file with the id of each row of a `new` in `.npy`."""


class NeighbourSettings(ConfigurationTable):
    """What a vector index found, and the vectors that say what it should have found; searched without a filter."""

    vectors: str
    """Vectors of all that the index holds: `.npy`, `.jsonl` or `.parquet`."""
    queries: str
    """Vectors of the queries."""
    found: str
    """JSON Lines of what the index returned: `query`, `ids`, nearest first, and `took_ms` if it was timed."""
    vector_ids: str | None = None
    """Text file with the id of each row of `vectors` in `.npy`."""
    query_ids: str | None = None
    """Text file with the id of each row of `queries` in `.npy`."""
    distance: Literal["cosine", "dot", "euclid"] = "cosine"
    """What the index searches by."""


class IngestSettings(ConfigurationTable):
    """What was recorded of the way from documents to the index: what `ingest` metrics measure.

    Every key is optional; a metric whose key is missing is left out, with the reason. Extracted documents are paired
    with references by the stem of their file, which is the `doc_id` of the document where the corpus holds it.
    """

    reference: str | None = None
    """Folder of texts as people wrote them down: `.txt`, `.md`, `.html`; goes with `extracted`."""
    extracted: str | None = None
    """Folder of what the extractor made of them."""
    classes: str | None = None
    """CSV with the columns `document` and `class`: kinds of documents to slice by (scan, web page ...)."""
    pages: str | None = None
    """Folder of the web pages before they were cleaned: what boilerplate is measured by."""
    borders: str | None = None
    """JSON Lines of borders between chunks that a person judged."""
    changes: str | None = None
    """JSON Lines of documents written and deleted, each with when it was committed and when a search showed it, as
    `ragtriage index freshness` or the log of your system tells."""
    coherence: bool = False
    """Embed every sentence of the corpus, by the system or by `[judge] embedding`: do chunks hold together?"""
    entities: EntitySettings | None = None
    """Named entities as people labelled them and as they were found: one tag a token, or spans."""
    relations: LabelSettings | None = None
    """Relations as people labelled them and as they were found: (head, type, tail)."""
    personal_data: PersonalDataSettings | None = None
    """Personal data as people labelled it, and as it was found or a detector finds it: spans."""
    languages: LanguageSettings | None = None
    """Languages of texts as people labelled them, and as they were found or a detector tells them."""
    duplicates: DuplicateSettings | None = None
    """Near-duplicates of the corpus, against pairs of documents that people judged."""
    probes: ProbeSettings | None = None
    """Vectors of a pinned probe set by two embedders, or by two versions of one: how far they drifted."""
    neighbours: NeighbourSettings | None = None
    """What a vector index found, against exact search over the same vectors."""

    @model_validator(mode="after")
    def _goes_together(self) -> Self:
        if (self.reference is None) != (self.extracted is None):
            raise ValueError("'reference' and 'extracted' belong together: give both")
        for name in ("classes", "pages"):
            if self.reference is None and getattr(self, name) is not None:
                raise ValueError(f"{name!r} needs 'reference' and 'extracted'")
        return self

    def files(self) -> Iterator[tuple[str, str]]:
        """Yield the key and the path of every file and folder."""
        for name, value in self:
            if isinstance(value, str):
                yield name, value
            elif isinstance(value, ConfigurationTable):
                yield from ((f"{name}.{key}", path) for key, path in value if key in _FILES and path is not None)


_FILES = frozenset({"gold", "found", "pairs", "old", "new", "old_ids", "new_ids", "vectors", "queries", "vector_ids",
                    "query_ids"})  # fmt: skip
