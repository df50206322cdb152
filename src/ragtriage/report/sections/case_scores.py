"""Every metric as a column over the cases, so that a number can be followed to those it was counted on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragtriage.core.results import MetricRow
from ragtriage.core.score import Outcome
from ragtriage.report.model import Report
from ragtriage.report.sections.comparison import comparison

__all__ = ["ScoreColumn", "score_columns"]


@dataclass(frozen=True, slots=True)
class ScoreColumn:
    """A metric and its outcome in each case (None: it has none there).

    `worse`, `better`: the places of the cases that moved against the base run, for the metrics that are shown there.
    """

    row: MetricRow
    outcomes: tuple[Outcome | None, ...]
    worse: tuple[int, ...] = ()
    better: tuple[int, ...] = ()


def score_columns(
    report: Report, case_ids: Sequence[str], *, rows: Sequence[MetricRow] | None = None
) -> tuple[ScoreColumn, ...]:
    """Return a column for each of the rows (None: all over all cases) that has a score of any case, in their order."""
    wanted = rows if rows is not None else [row for row in report.results.metrics if not row.slice]
    found: dict[tuple[str, str | None], dict[str, Outcome]] = {}
    for score in report.scores:
        found.setdefault((score.metric, score.level), {})[score.case_id] = score.outcome
    places = {case_id: place for place, case_id in enumerate(case_ids)}
    compared = comparison(report)
    moved = {(one.row.metric, one.row.level): one.row for one in (compared.shown if compared is not None else ())}
    columns = []
    for row in wanted:
        scores = found.get((row.name, row.level))
        if scores is None:
            continue
        change = moved.get((row.name, row.level))
        columns.append(
            ScoreColumn(
                row=row,
                outcomes=tuple(scores.get(case_id) for case_id in case_ids),
                worse=tuple(places[i] for i in change.regressed if i in places) if change else (),
                better=tuple(places[i] for i in change.improved if i in places) if change else (),
            )
        )
    return tuple(columns)
