"""Measure what extractors made of documents against their references, file by file."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragtriage.core.catalogue import METRICS
from ragtriage.core.errors import BadInput, UnknownName
from ragtriage.core.extraction_views import BoilerplateView
from ragtriage.core.score import Failed, Outcome, Undefined, Value
from ragtriage.data.document_folders import DocumentFolder, find_documents
from ragtriage.data.extracted_document import ExtractedDocument
from ragtriage.data.extractions import read_classes, read_document
from ragtriage.runs.execute import Progress, Silent
from ragtriage.runs.selection import Selected, parse_name
from ragtriage.runs.viewing_extracted import EXTRACTION_VIEWS, boilerplate_view
from ragtriage.stats.aggregate import Aggregated, aggregate
from ragtriage.text.differences import Passage, differing_passages

__all__ = ["NO_CLASS", "ExtractorReport", "IngestReport", "Worst", "ingest"]

NO_CLASS = "(no class)"
_STAGE = "ingest."
_WORST = 5
_LEADS = "ingest.cer"  # orders the documents where several metrics could


@dataclass(frozen=True, slots=True)
class Worst:
    """One of the documents that came out worst by the metric that leads, and where its text differs."""

    document: str
    metric: str
    value: float
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class ExtractorReport:
    """One extractor: each metric over all documents and over each class, the outcomes by document, and the worst.

    `missing`: references without an extracted file, which count as failed; `extra`: extracted files without a
    reference; `unreadable`: why a document could not be read, by its stem.
    """

    name: str
    metrics: Mapping[str, Aggregated]
    documents: Mapping[str, Mapping[str, Outcome]]
    classes: Mapping[str, Mapping[str, Aggregated]]
    worst: tuple[Worst, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    unreadable: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class IngestReport:
    """All extractors; `left_out`: metrics that were not named and have nothing to measure here, with the reason."""

    extractors: tuple[ExtractorReport, ...]
    left_out: Mapping[str, str]
    notes: tuple[str, ...]


@dataclass(slots=True)
class _Extractor:
    name: str
    folder: DocumentFolder
    outcomes: dict[str, dict[str, Outcome]] = field(default_factory=dict)
    unreadable: dict[str, str] = field(default_factory=dict)


def ingest(
    reference: Path,
    extracted: Sequence[Path],
    *,
    metrics: Sequence[str] = (),
    classes: Path | None = None,
    pages: Path | None = None,
    progress: Progress | None = None,
) -> IngestReport:
    """Score each folder of extracted documents against the references.

    `metrics`: short or full names; without them all that have something to measure. `classes`: a CSV of the class of
    each document. `pages`: the pages that the documents were extracted from, which boilerplate is measured by.
    A reference without an extracted file and a file that cannot be read are failures of their document, counted and
    never dropped. Raises BadInput where folders cannot be paired at all, UnknownName for a metric.
    """
    chosen = _chosen(metrics, pages=pages is not None)
    references = find_documents(reference)
    found = [_Extractor(name, find_documents(path)) for name, path in zip(_names(extracted), extracted, strict=True)]
    kinds = {} if classes is None else read_classes(classes)
    originals = None if pages is None else find_documents(pages)
    for extractor in found:
        if not references.documents.keys() & extractor.folder.documents.keys():
            raise BadInput(f"{extractor.folder.path}: no file has the stem of a document in {reference}")
    told = progress or Silent()
    told.begin(len(references.documents), 0)
    try:
        for stem, path in references.documents.items():
            truth = _read(path)
            page = None if originals is None else _read(originals.documents.get(stem))
            for extractor in found:
                extractor.outcomes[stem] = _outcomes(extractor, stem, truth, page, chosen)
            failed = (isinstance(o, Failed) for extractor in found for o in extractor.outcomes[stem].values())
            told.advance(failed=any(failed))
    finally:
        told.end()
    left_out = {} if metrics else _without_a_number(chosen, found)
    kept = {name: selected for name, selected in chosen.items() if name not in left_out}
    return IngestReport(
        extractors=tuple(_reported(extractor, references, kept, kinds) for extractor in found),
        left_out=left_out,
        notes=tuple(_notes(references, found, originals, kinds)),
    )


def _chosen(metrics: Sequence[str], *, pages: bool) -> dict[str, Selected]:
    """Return the metrics by full name: those that are named, else all that see a document."""
    known = {name: metric for name, metric in METRICS if name.startswith(_STAGE) and metric.view in _SEEN}
    if not metrics:
        named = [name for name, metric in known.items() if pages or metric.view is not BoilerplateView]
        return {name: Selected(name, known[name]) for name in named}
    found: dict[str, Selected] = {}
    for asked in metrics:
        base = asked.strip().partition("@")[0].partition("(")[0].strip()
        name = base if base.startswith(_STAGE) else f"{_STAGE}{base}"
        if name not in known:
            if name in METRICS or base in METRICS:
                raise BadInput(
                    f"{asked!r} needs more than documents and their references, so `ingest` cannot compute it"
                )
            raise UnknownName(base, known=[n.removeprefix(_STAGE) for n in known], what="metric of extracted documents")
        selected = parse_name(name + asked.strip()[len(base) :])
        if selected.metric.view is BoilerplateView and not pages:
            raise BadInput(f"{asked!r} is measured by the pages before cleaning: name their folder with --pages")
        found[selected.name] = selected
    return found


_SEEN = frozenset({*EXTRACTION_VIEWS, BoilerplateView})


def _names(folders: Sequence[Path]) -> list[str]:
    """Name extractors by their folders, by their paths where two folders have the same name."""
    names = [path.resolve().name for path in folders]
    chosen = [str(path) if names.count(name) > 1 else name for name, path in zip(names, folders, strict=True)]
    twice = sorted({name for name in chosen if chosen.count(name) > 1})
    if twice:
        raise BadInput(f"the folder {twice[0]!r} is given twice")
    return chosen


def _read(path: Path | None) -> ExtractedDocument | Failed | None:
    """Read a document; None where there is no file."""
    return None if path is None else read_document(path)


def _outcomes(
    extractor: _Extractor,
    stem: str,
    truth: ExtractedDocument | Failed | None,
    page: ExtractedDocument | Failed | None,
    chosen: Mapping[str, Selected],
) -> dict[str, Outcome]:
    given = _read(extractor.folder.documents.get(stem))
    broken = [document for document in (truth, given) if isinstance(document, Failed)]
    if broken:
        extractor.unreadable[stem] = "; ".join(document.message for document in broken)
        return dict.fromkeys(chosen, broken[0])
    if given is None or not isinstance(truth, ExtractedDocument) or not isinstance(given, ExtractedDocument):
        return dict.fromkeys(chosen, Failed("ingest", "Missing", "there is no extracted file of this stem"))
    view_of = functools.cache(functools.partial(_view, truth, given, page))
    found: dict[str, Outcome] = {}
    for name, selected in chosen.items():
        view = view_of(selected.metric.view)
        try:
            found[name] = view if isinstance(view, Undefined | Failed) else selected.metric(view, **selected.parameters)
        except ValueError as error:
            raise BadInput(f"{name!r}: {error}") from error
    return found


def _view(
    truth: ExtractedDocument, given: ExtractedDocument, page: ExtractedDocument | Failed | None, kind: type[Any]
) -> Any:
    if kind is BoilerplateView:
        return boilerplate_view(truth, given, page)
    return EXTRACTION_VIEWS[kind](truth, given)


def _without_a_number(chosen: Mapping[str, Selected], found: Sequence[_Extractor]) -> dict[str, str]:
    """Return the metrics that are undefined for every document of every extractor that could be read, with why."""
    left_out = {}
    for name in chosen:
        outcomes = [by_name[name] for extractor in found for by_name in extractor.outcomes.values()]
        undefined = [outcome for outcome in outcomes if isinstance(outcome, Undefined)]
        if undefined and not any(isinstance(outcome, Value) for outcome in outcomes):
            left_out[name] = aggregate(undefined).reason or ""
    return left_out


def _reported(
    extractor: _Extractor, references: DocumentFolder, kept: Mapping[str, Selected], kinds: Mapping[str, str]
) -> ExtractorReport:
    documents = {stem: {name: by_name[name] for name in kept} for stem, by_name in extractor.outcomes.items()}
    stems_of: dict[str, list[str]] = {}
    for stem in documents if kinds else ():
        stems_of.setdefault(kinds.get(stem, NO_CLASS), []).append(stem)
    return ExtractorReport(
        name=extractor.name,
        metrics=_aggregated(documents, list(documents), kept),
        documents=documents,
        classes={kind: _aggregated(documents, stems, kept) for kind, stems in sorted(stems_of.items())},
        worst=tuple(_worst(extractor, references, kept)),
        missing=tuple(stem for stem in references.documents if stem not in extractor.folder.documents),
        extra=tuple(stem for stem in extractor.folder.documents if stem not in references.documents),
        unreadable=extractor.unreadable,
    )


def _aggregated(
    documents: Mapping[str, Mapping[str, Outcome]], stems: Sequence[str], kept: Mapping[str, Selected]
) -> dict[str, Aggregated]:
    return {name: aggregate([documents[stem][name] for stem in stems]) for name in kept}


def _worst(extractor: _Extractor, references: DocumentFolder, kept: Mapping[str, Selected]) -> Iterator[Worst]:
    directed = [name for name, selected in kept.items() if selected.metric.better != "neither"]
    if not directed:
        return
    leading = _LEADS if _LEADS in directed else directed[0]
    metric = kept[leading].metric
    sign, best = (-1, metric.bounds[0]) if metric.better == "lower" else (1, metric.bounds[1])
    values = [
        (sign * outcome.value, stem, outcome.value)
        for stem, by_name in extractor.outcomes.items()
        if isinstance(outcome := by_name[leading], Value) and not math.isclose(outcome.value, best)
    ]
    for _, stem, value in sorted(values)[:_WORST]:
        truth, given = _read(references.documents[stem]), _read(extractor.folder.documents[stem])
        if isinstance(truth, ExtractedDocument) and isinstance(given, ExtractedDocument):
            yield Worst(stem, leading, value, differing_passages(truth.text, given.text))


def _notes(
    references: DocumentFolder, found: Sequence[_Extractor], pages: DocumentFolder | None, kinds: Mapping[str, str]
) -> Iterator[str]:
    for folder in (references, *(extractor.folder for extractor in found)):
        if folder.others:
            yield f"{folder.path}: passed over {_counted(folder.others, 'file')} of other kinds"
    for extractor in found:
        own = extractor.folder.documents
        missing = [stem for stem in references.documents if stem not in own]
        extra = [stem for stem in own if stem not in references.documents]
        if missing:
            yield f"{extractor.name}: {_counted(len(missing), 'document')} not extracted, failed: {_listed(missing)}"
        if extra:
            yield f"{extractor.name}: left out {_counted(len(extra), 'file')} without a reference: {_listed(extra)}"
        for message in extractor.unreadable.values():
            yield f"{extractor.name}: failed: {message}"
    if pages is not None:
        without = [stem for stem in references.documents if stem not in pages.documents]
        if without:
            yield f"{pages.path}: no page of {_counted(len(without), 'document')}: {_listed(without)}"
    unclassed = [stem for stem in references.documents if stem not in kinds] if kinds else []
    if unclassed:
        yield f"{_counted(len(unclassed), 'document')} without a class: {_listed(unclassed)}"
    unknown = [stem for stem in kinds if stem not in references.documents]
    if unknown:
        yield f"{_counted(len(unknown), 'document')} with a class and without a reference: {_listed(unknown)}"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"


def _listed(names: Sequence[str], *, most: int = 5) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
