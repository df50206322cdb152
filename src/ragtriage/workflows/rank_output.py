"""How scores of runs are written: a table for a terminal, JSON, CSV, Parquet."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from ragtriage.core.score import Undefined, Value
from ragtriage.core.tables import ColumnType, parquet_bytes
from ragtriage.report.escaping import one_line
from ragtriage.report.formats.csv import guarded
from ragtriage.workflows.rank import MetricSummary, RankReport, RunScores

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

__all__ = ["as_csv", "as_json", "as_parquet", "as_tables"]

_COLUMNS = ("run", "question", "metric", "value", "low", "high", "scored", "undefined", "failed", "missing", "reason")


def as_json(report: RankReport, *, per_question: bool) -> str:
    """Return JSON: `metrics` (and `questions`) of the run, or of each under `runs.<file name>` where there are more."""
    runs = {run.name: _plain(run, per_question=per_question) for run in report.runs}
    content = {"runs": runs} if len(runs) != 1 else next(iter(runs.values()))
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _plain(run: RunScores, *, per_question: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"metrics": {metric.asked: _summary(metric) for metric in run.metrics}}
    if per_question:
        found["questions"] = {
            question: {asked: _outcome(run, asked, row) for asked in run.scores}
            for row, question in enumerate(run.questions)
        }
    return found


def _summary(metric: MetricSummary) -> dict[str, Any]:
    reason = {} if metric.reason is None else {"reason": metric.reason}
    return {
        "value": metric.value,
        "scored": metric.scored,
        "undefined": metric.undefined,
        "failed": metric.failed,
        "missing": metric.missing,
        "interval": None if metric.interval is None else list(metric.interval),
        **reason,
    }


def _outcome(run: RunScores, asked: str, row: int) -> float | dict[str, str]:
    match run.scores[asked][row]:
        case Value(value=value):
            return value
        case Undefined(reason=reason):
            return {"undefined": reason}


def as_csv(report: RankReport, *, per_question: bool) -> str:
    """Return CSV: a line a metric (its question empty), then a line a question and metric."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(_COLUMNS)
    for run in report.runs:
        name = guarded(run.name)
        for m in run.metrics:
            low, high = m.interval or (None, None)
            counts = (m.scored, m.undefined, m.failed, m.missing)
            writer.writerow([name, "", guarded(m.asked), m.value, low, high, *counts, m.reason])
        for row, question in enumerate(run.questions if per_question else ()):
            for asked in run.scores:
                outcome = _outcome(run, asked, row)
                value, reason = (None, outcome["undefined"]) if isinstance(outcome, dict) else (outcome, None)
                cells = [name, guarded(question), guarded(asked), value]
                writer.writerow([*cells, *[None] * (len(_COLUMNS) - len(cells) - 1), reason])
    return stream.getvalue()


def as_parquet(report: RankReport) -> bytes:
    """Return Parquet: a row a question, a column a metric, null where undefined; `run` names the run of several."""
    columns: dict[str, list[Any]] = {"question": [q for run in report.runs for q in run.questions]}
    types: dict[str, ColumnType] = {"question": "text"}
    if len(report.runs) > 1:
        columns = {"run": [run.name for run in report.runs for _ in run.questions], **columns}
        types["run"] = "text"
    for asked in report.runs[0].scores:
        columns[asked] = [
            value if support else None
            for run in report.runs
            for value, support in zip(run.scores[asked].values.tolist(), run.scores[asked].support, strict=True)
        ]
        types[asked] = "number"
    return parquet_bytes(columns, types)


def as_tables(report: RankReport, *, per_question: bool) -> list[RenderableType]:
    """Return tables for a terminal: the metrics of all runs, then the scores by question of each run."""
    from rich import box  # noqa: PLC0415 - loaded where a terminal is written to
    from rich.table import Table  # noqa: PLC0415

    several = len(report.runs) > 1
    table = Table(box=box.SIMPLE_HEAD)
    for name in (*(("run",) if several else ()), "metric"):
        table.add_column(name, no_wrap=True)
    for name in ("value", "95 % interval", "scored", "undefined", "failed", "missing"):
        table.add_column(name, justify="right", no_wrap=True)
    for run in report.runs:
        for m in run.metrics:
            interval = "" if m.interval is None else "{:.4f} .. {:.4f}".format(*m.interval)
            value = f"undefined: {m.reason}" if m.value is None else f"{m.value:.4f}"
            counts = map(str, (m.scored, m.undefined, m.failed, m.missing))
            table.add_row(*((_text(run.name),) if several else ()), _text(m.asked), value, interval, *counts)
    found: list[RenderableType] = [table]
    if per_question:
        found.extend(_question_table(run, titled=several) for run in report.runs)
    return found


def _question_table(run: RunScores, *, titled: bool) -> RenderableType:
    from rich import box  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=box.SIMPLE_HEAD, title=_text(run.name) if titled else None, title_justify="left")
    table.add_column("question", no_wrap=True)
    for asked in run.scores:
        table.add_column(_text(asked), justify="right", no_wrap=True)
    for row, question in enumerate(run.questions):
        outcomes = [_outcome(run, asked, row) for asked in run.scores]
        table.add_row(_text(question), *("undefined" if isinstance(o, dict) else f"{o:.4f}" for o in outcomes))
    return table


def _text(text: str) -> Text:
    from rich.text import Text  # noqa: PLC0415

    return Text(one_line(text))
