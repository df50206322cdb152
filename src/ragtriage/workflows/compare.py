"""Compare two runs case by case; runs on different golden sets are refused."""

from __future__ import annotations

from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from ragtriage.core.configuration import RunSettings
from ragtriage.core.errors import NotComparable
from ragtriage.core.files import write_atomic
from ragtriage.core.results import CaseResult
from ragtriage.decisions.baseline import Baseline, differences, not_comparable
from ragtriage.decisions.comparison import ComparedRuns, compare_rows, ok_change
from ragtriage.report.formats._notebook import comparison_html
from ragtriage.report.model import Before, Compared, Report
from ragtriage.workflows.compare_output import drawn_json, drawn_markdown, drawn_text
from ragtriage.workflows.run import Run
from ragtriage.workflows.stored import configuration_of

__all__ = ["Comparison", "baseline_of", "compare", "compared_with", "write_comparison"]


class Comparison(ComparedRuns):
    """What changed from one run to another, with ways to draw it."""

    __slots__ = ()

    def to_markdown(self) -> str:
        """Return it as GitHub Markdown, short enough for a comment."""
        return drawn_markdown(self)

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return asdict(self)

    def __repr__(self) -> str:
        """Draw it as text."""
        return drawn_text(self)

    def _repr_html_(self) -> str:
        return comparison_html(self)


def compare(base: str | Path | Run, candidate: str | Path | Run) -> Comparison:
    """Compare two runs, each a folder or a run; raises NotComparable where they used different golden sets."""
    first, second = _run(base), _run(candidate)
    if (reason := not_comparable(first.results, second.results)) is not None:
        raise NotComparable(f"{reason}: their difference means nothing")
    settings = configuration_of(second)
    found = _compared(first.report(), second.report(), None if settings is None else settings.run)
    return Comparison(**{field.name: getattr(found, field.name) for field in fields(found)})


def compared_with(base: Run, report: Report) -> Compared | None:
    """Set the report of a run beside a base run; None where the two cannot be compared."""
    before = base.report()
    if not_comparable(before.results, report.results) is not None:
        return None
    settings = report.settings
    runs = _compared(before, report, None if settings is None else settings.run)
    turned = {*runs.ok.broke, *runs.ok.mended}
    told = {case.case_id: _before(before, case) for case in before.results.cases if case.case_id in turned}
    return Compared(runs, told)


def _compared(base: Report, candidate: Report, settings: RunSettings | None) -> ComparedRuns:
    before, after = (Baseline(report.results, report.scores, report.units) for report in (base, candidate))
    names = [tuple(dict.fromkeys(row.name for row in run.results.metrics)) for run in (before, after)]
    return ComparedRuns(
        base_id=before.results.run_id,
        candidate_id=after.results.run_id,
        rows=compare_rows(before, after, list({**base.cases, **candidate.cases}.values()), settings=settings),
        ok=ok_change(before.results, after.results),
        bundle=differences(before.results, after.results),
        only_base=tuple(name for name in names[0] if name not in names[1]),
        only_candidate=tuple(name for name in names[1] if name not in names[0]),
    )


def _before(base: Report, case: CaseResult) -> Before:
    trace, found = base.traces.get(case.case_id), case.diagnosis
    answer = trace.answer.text if trace is not None and trace.answer is not None else None
    return Before(case.ok, found.leaf if found else None, found.cause if found else None, answer)


def write_comparison(comparison: Comparison, file: Path) -> None:
    """Write a comparison as its suffix says: .json, .md, else text."""
    draw = {".json": drawn_json, ".md": drawn_markdown}.get(file.suffix.lower(), drawn_text)
    write_atomic(file, draw(comparison))


def baseline_of(run: Run) -> Baseline:
    """Return what of a run others are compared with."""
    report = run.report()
    return Baseline(report.results, report.scores, report.units)


def _run(given: str | Path | Run) -> Run:
    return given if isinstance(given, Run) else Run.load(given)
