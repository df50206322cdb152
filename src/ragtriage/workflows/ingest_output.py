"""How measured extractions are written: JSON, or tables for a terminal with the passages that differ."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragtriage.core.score import Failed, Outcome, Undefined, Value
from ragtriage.report.escaping import one_line
from ragtriage.stats.aggregate import Aggregated
from ragtriage.workflows.ingest import ExtractorReport, IngestReport, Worst

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

__all__ = ["as_json", "as_tables"]

_COLUMNS = ("all text", "mean", "scored", "undefined", "failed")
_LOST, _ADDED = "bold red", "bold green"
_UNSEEN = re.compile("[\u00ad\u034f\u200b-\u200f\u2060-\u2064\ufeff]")


def as_json(report: IngestReport) -> str:
    """Return JSON: `metrics` and `documents` of the extractor, or of each under `extractors.<folder name>`.

    `value` is the corpus ratio (micro), `macro` the mean over documents. An outcome without a number is
    `{"undefined": reason}` or `{"failed": reason}`.
    """
    extractors = {extractor.name: _plain(extractor) for extractor in report.extractors}
    content: dict[str, Any] = {"extractors": extractors} if len(extractors) != 1 else next(iter(extractors.values()))
    content["left_out"] = dict(report.left_out)
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(extractor: ExtractorReport) -> dict[str, Any]:
    found: dict[str, Any] = {
        "metrics": _summaries(extractor.metrics),
        "documents": {
            stem: {name: _outcome(outcome) for name, outcome in by_name.items()}
            for stem, by_name in extractor.documents.items()
        },
    }
    if extractor.classes:
        found["classes"] = {kind: _summaries(metrics) for kind, metrics in extractor.classes.items()}
    found["worst"] = [_worst(worst) for worst in extractor.worst]
    found["missing"], found["extra"] = list(extractor.missing), list(extractor.extra)
    found["unreadable"] = dict(extractor.unreadable)
    return found


def _summaries(metrics: Mapping[str, Aggregated]) -> dict[str, Any]:
    return {
        name: {
            "value": metric.micro,
            "macro": metric.value,
            "scored": metric.scored,
            "undefined": metric.undefined,
            "failed": metric.failed,
            **({} if metric.reason is None else {"reason": metric.reason}),
        }
        for name, metric in metrics.items()
    }


def _worst(worst: Worst) -> dict[str, Any]:
    passages = [
        {"before": p.before, "reference": p.reference, "extracted": p.extracted, "after": p.after}
        for p in worst.passages
    ]
    return {"document": worst.document, "metric": worst.metric, "value": worst.value, "passages": passages}


def _outcome(outcome: Outcome) -> float | dict[str, str]:
    match outcome:
        case Value(value=value):
            return value
        case Undefined(reason=reason):
            return {"undefined": reason}
        case Failed(error=error, message=message):
            return {"failed": f"{error}: {message}"}


def as_tables(report: IngestReport, *, reference: Path, extracted: Sequence[Path]) -> list[RenderableType]:
    """Return what a terminal shows: the metrics, those of each class, the worst documents, and how to see all."""
    found: list[RenderableType] = [_metrics(report)]
    several = len(report.extractors) > 1
    found += [_classes(extractor, titled=several) for extractor in report.extractors if extractor.classes]
    for extractor in report.extractors:
        found += _passages(extractor, titled=several)
    command = shlex.join(["ragtriage", "ingest", str(reference), *map(str, extracted), "--format", "json"])
    found.append(_text(f"Every document: {command}"))
    return found


def _table(*columns: str, numbers: Sequence[str], title: str = "") -> Table:
    from rich import box  # noqa: PLC0415 - loaded where a terminal is written to
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=box.SIMPLE_HEAD, title=_text(title) if title else None, title_justify="left")
    for name in columns:
        table.add_column(name, no_wrap=True)
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _metrics(report: IngestReport) -> RenderableType:
    several = len(report.extractors) > 1
    names = ("metric", "extractor") if several else ("metric",)
    table = _table(*names, numbers=_COLUMNS)
    for name in report.extractors[0].metrics:
        for extractor in report.extractors:
            metric = extractor.metrics[name]
            of = (_text(extractor.name),) if several else ()
            table.add_row(_text(name), *of, *_numbers(metric))
    return table


def _classes(extractor: ExtractorReport, *, titled: bool) -> RenderableType:
    table = _table("class", "metric", numbers=_COLUMNS, title=extractor.name if titled else "")
    for kind, metrics in extractor.classes.items():
        for name, metric in metrics.items():
            table.add_row(_text(kind), _text(name), *_numbers(metric))
    return table


def _numbers(metric: Aggregated) -> tuple[Text, ...]:
    value = f"undefined: {metric.reason}" if metric.value is None else _number(metric.micro)
    counts = (metric.scored, metric.undefined, metric.failed)
    return tuple(map(_text, (value, _number(metric.value), *map(str, counts))))


def _passages(extractor: ExtractorReport, *, titled: bool) -> list[RenderableType]:
    """Return the worst documents: what is lost stands in [- -], what was read instead in {+ +}."""
    from rich.text import Text  # noqa: PLC0415

    if not extractor.worst:
        return []
    of = f" of {extractor.name}" if titled else ""
    lines = [_text(f"Worst documents{of} by {extractor.worst[0].metric}, [-reference-] {{+extracted+}}:")]
    for worst in extractor.worst:
        lines.append(_text(f"  {worst.document}  {_number(worst.value)}"))
        for passage in worst.passages:
            parts = [(f"    … {one_line(passage.before)} " if passage.before else "    ", "")]
            if passage.reference:
                parts.append((f"[-{_shown(passage.reference)}-]", _LOST))
            if passage.extracted:
                parts.append((f"{{+{_shown(passage.extracted)}+}}", _ADDED))
            parts.append((f" {one_line(passage.after)} …" if passage.after else "", ""))
            lines.append(Text.assemble(*parts))
    lines.append(_text(""))
    return [*lines]


def _shown(text: str) -> str:
    """Draw a passage on one line; characters that nobody sees are named, as they may be all that differs."""
    return one_line(_UNSEEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text))


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def _text(text: str) -> Text:
    from rich.text import Text  # noqa: PLC0415

    return Text(one_line(text))
