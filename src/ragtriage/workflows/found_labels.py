"""Hold what detectors found in texts against what people labelled: entities, personal data, relations, languages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragtriage.core.catalogue import METRICS
from ragtriage.core.label_views import LanguageView, PersonalDataView, RelationsView, SpansView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.data.labels import Kind, LabelledTexts, Mode
from ragtriage.stats.aggregate import aggregate
from ragtriage.workflows.found_labels_views import read_labels

__all__ = ["LabelReport", "LabelRow", "compare_labels", "detect"]


@dataclass(frozen=True, slots=True)
class LabelRow:
    """One number: of which metric and part, of one type or of all (None)."""

    metric: str
    part: str
    of: str | None
    score: Score


@dataclass(frozen=True, slots=True)
class LabelReport:
    """All numbers of two files; `mode`: how tags became spans, None where there were none; `texts`: how many."""

    kind: Kind
    mode: Mode | None
    texts: int
    rows: tuple[LabelRow, ...]


def compare_labels(gold: Path, found: Path, *, mode: Mode = "strict") -> LabelReport:
    """Score the labels of a detector against those of people; raises BadInput with every fault of both files."""
    return _report(read_labels(gold, found=found, mode=mode).texts, mode)


def detect(gold: Path, detector: str, *, mode: Mode = "strict") -> LabelReport:
    """Score a detector that ships on the texts of a file of labels; raises BadInput, MissingExtra."""
    return _report(read_labels(gold, detector=detector, mode=mode).texts, mode)


def _report(read: LabelledTexts, mode: Mode) -> LabelReport:
    views = read.views
    return LabelReport(read.kind, mode if read.kind == "tags" else None, len(views), tuple(_rows(read.kind, views)))


def _rows(kind: Kind, views: Sequence[Any]) -> Iterator[LabelRow]:
    if kind == "languages":
        yield from _of_languages(views)
        return
    name = "ingest.relation_f1" if kind == "triples" else "ingest.ner_f1"
    typed = "relation" if kind == "triples" else "entity"
    for average in ("micro", "macro"):
        for part in ("f1", "precision", "recall"):
            yield LabelRow(name, f"{average} {part}", None, METRICS[name](views, part=part, average=average))
    types = _types(views)
    for one in types:
        for part in ("f1", "precision", "recall"):
            yield LabelRow(name, part, one, METRICS[name](views, part=part, **{typed: one}))
    if kind == "spans":
        for metric in ("ingest.pii_precision", "ingest.pii_recall"):
            for of in (None, *types):
                for match in ("exact", "overlap"):
                    yield LabelRow(metric, match, of, _micro(metric, views, match=match, entity=of))


def _of_languages(views: Sequence[LanguageView]) -> Iterator[LabelRow]:
    yield LabelRow("ingest.language_f1", "macro f1", None, METRICS["ingest.language_f1"](views))
    for one in sorted({view.labelled for view in views}):
        yield LabelRow("ingest.language_f1", "f1", one, METRICS["ingest.language_f1"](views, language=one))


def _types(views: Sequence[SpansView | RelationsView]) -> list[str]:
    found: set[str] = set()
    for view in views:
        if isinstance(view, SpansView):
            found.update(span.label for span in view.gold | view.found)
        else:
            found.update(triple.relation for triple in view.gold | view.found)
    return sorted(found)


def _micro(metric: str, views: Sequence[SpansView], **parameters: Any) -> Score:
    scores = [METRICS[metric](PersonalDataView(view.gold, view.found), **parameters) for view in views]
    whole = aggregate(scores, how="micro")
    if whole.value is None:
        return Undefined(whole.reason or "no text has such a span")
    return Value(whole.value, sum(score.support for score in scores if isinstance(score, Value)))
