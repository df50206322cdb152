"""Compare two runs case by case; runs on different golden sets are refused."""

from __future__ import annotations

import html
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ragtriage.core.errors import NotComparable
from ragtriage.core.files import write_atomic
from ragtriage.decisions.baseline import Baseline, differences, not_comparable
from ragtriage.decisions.comparison import ComparedRuns, compare_rows, ok_change
from ragtriage.workflows.compare_output import drawn_json, drawn_markdown, drawn_text
from ragtriage.workflows.run import Run
from ragtriage.workflows.stored import configuration_of

__all__ = ["Comparison", "baseline_of", "compare", "write_comparison"]


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
        return f"<pre>{html.escape(drawn_text(self))}</pre>"


def compare(base: str | Path | Run, candidate: str | Path | Run) -> Comparison:
    """Compare two runs, each a folder or a run; raises NotComparable where they used different golden sets."""
    first, second = _run(base), _run(candidate)
    before, after = baseline_of(first), baseline_of(second)
    if (reason := not_comparable(before.results, after.results)) is not None:
        raise NotComparable(f"{reason}: their difference means nothing")
    settings = configuration_of(second)
    names = [tuple(dict.fromkeys(row.name for row in run.results.metrics)) for run in (before, after)]
    return Comparison(
        base_id=before.results.run_id,
        candidate_id=after.results.run_id,
        rows=compare_rows(
            before,
            after,
            list({**first.report().cases, **second.report().cases}.values()),
            settings=None if settings is None else settings.run,
        ),
        ok=ok_change(before.results, after.results),
        bundle=differences(before.results, after.results),
        only_base=tuple(name for name in names[0] if name not in names[1]),
        only_candidate=tuple(name for name in names[1] if name not in names[0]),
    )


def write_comparison(comparison: Comparison, file: Path) -> None:
    """Write a comparison as its suffix says: .json, .md, else text."""
    draw = {".json": drawn_json, ".md": drawn_markdown}.get(file.suffix.lower(), drawn_text)
    write_atomic(file, draw(comparison))


def baseline_of(run: Run) -> Baseline:
    """Return what of a run others are compared with."""
    report = run.report()
    return Baseline(report.results, report.scores)


def _run(given: str | Path | Run) -> Run:
    return given if isinstance(given, Run) else Run.load(given)
