"""Hold what detectors found in texts against what people labelled: entities, personal data, relations, languages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from ragtriage.core.catalogue import METRICS
from ragtriage.core.errors import BadInput, Fault, did_you_mean
from ragtriage.core.files import read_records, write_records
from ragtriage.core.label_views import LabelledSpan, LanguageView, PersonalDataView, RelationsView, SpansView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.data.labels import (
    LanguageLine,
    SpanLabel,
    SpansLine,
    compare_languages,
    compare_spans,
    compare_tags,
    compare_triples,
)  # fmt: skip
from ragtriage.stats.aggregate import aggregate

__all__ = ["DETECTORS", "LabelReport", "LabelRow", "compare_labels", "detect"]

Kind = Literal["tags", "spans", "triples", "languages"]
Mode = Literal["strict", "lenient"]
DETECTORS = ("code", "py3langid", "presidio:MODEL")
_TAGGED = (".iob2", ".bio", ".conll", ".tsv")
_LINES: dict[str, Kind] = {"spans": "spans", "triples": "triples", "languages": "languages"}


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
    """Score the labels of a detector against those of people; raises BadInput with every fault of both files.

    What a file holds is in its name: `.iob2`, `.bio`, `.conll`, `.tsv` one tag a token; `.spans.jsonl`,
    `.triples.jsonl`, `.languages.jsonl` one text a line. `mode`: tags become spans strictly by IOB2, or lenient with an
    I- that opens a span.
    """
    kind = _kind(gold)
    if kind == "tags":
        views: Sequence[Any] = compare_tags(gold, found, strict=mode == "strict")
    else:
        compare: dict[str, Callable[[Path, Path], Any]] = {
            "spans": compare_spans, "triples": compare_triples, "languages": compare_languages,
        }  # fmt: skip
        views = list(compare[kind](gold, found).values())
    return LabelReport(kind, mode if kind == "tags" else None, len(views), tuple(_rows(kind, views)))


def detect(gold: Path, detector: str, *, mode: Mode = "strict") -> LabelReport:
    """Score a detector that ships on the texts of a file of labels; raises BadInput, MissingExtra.

    `detector`: one of `DETECTORS`. Every line needs its `text`.
    """
    kind = _kind(gold)
    if kind not in {"spans", "languages"}:
        raise BadInput(f"{gold}: detectors find spans and languages; name a file of what was found instead")
    find = _detector(kind, detector)
    record: type[Any] = SpansLine if kind == "spans" else LanguageLine
    lines = read_records(gold, record, key="id")
    silent = [Fault(str(gold), 0, f"{line.id!r} has no text") for line in lines if line.text is None]
    if silent:
        raise BadInput(f"{gold}: a detector needs the texts:", silent[:100])
    with TemporaryDirectory() as folder:
        found = Path(folder) / f"{detector.partition(':')[0]}.{kind}.jsonl"
        write_records(found, [find(line) for line in lines])
        return compare_labels(gold, found, mode=mode)


def _kind(path: Path) -> Kind:
    if path.suffix in _TAGGED:
        return "tags"
    parts = path.name.split(".")
    named = parts[-2] if len(parts) > 2 and parts[-1] == "jsonl" else ""  # noqa: PLR2004 - name, kind, jsonl
    if named in _LINES:
        return _LINES[named]
    raise BadInput(
        f"{path}: its name must say what it holds: {', '.join(_TAGGED)}, or "
        f"{', '.join(f'.{name}.jsonl' for name in _LINES)}.{did_you_mean(named, _LINES)}"
    )


def _detector(kind: Kind, name: str) -> Callable[[Any], Any]:
    from ragtriage.models import detectors  # noqa: PLC0415 - for those who ask for one

    package, _, model = name.partition(":")
    if kind == "languages" and package in {"code", "py3langid"}:
        languages = detectors.CodeLanguages() if package == "code" else detectors.Py3Langid()
        return lambda line: LanguageLine(id=line.id, language=languages.identify(line.text))
    if kind == "spans" and (package == "code" or (package == "presidio" and model)):
        personal = detectors.CodePersonalData() if package == "code" else detectors.Presidio(model=model)
        return lambda line: SpansLine(
            id=line.id,
            spans=tuple(map(_labelled, personal.find(line.text))),
        )
    raise BadInput(f"there is no detector {name!r} of {kind}; there are {', '.join(DETECTORS)}")


def _labelled(span: LabelledSpan) -> SpanLabel:
    return SpanLabel(start=span.start, end=span.end, label=span.label)


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
