"""Where cases of a stored run broke, and one case told in full."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragtriage.report.model import Report
from ragtriage.report.sections.case_detail import CaseDetail
from ragtriage.report.sections.waterfall import LeafBar, waterfall
from ragtriage.workflows.case_view import detail_of
from ragtriage.workflows.diagnose_output import Cause, drawn_case, drawn_waterfall
from ragtriage.workflows.run import Run

__all__ = ["Diagnoses", "diagnose"]


@dataclass(frozen=True, slots=True, repr=False)
class Diagnoses:
    """The causes of a run, in the order of the pipeline."""

    report: Report
    causes: tuple[Cause, ...]

    def waterfall(self, *, every: bool = False) -> str:
        """Draw where cases broke as text; `every`: all cases and all causes of a leaf, not the first alone."""
        return drawn_waterfall(self.report, self.causes, every=every)

    def case(self, case_id: str) -> str:
        """Tell one case in full as text; raises UnknownName for a case that the run does not hold."""
        return drawn_case(self.detail(case_id))

    def detail(self, case_id: str) -> CaseDetail:
        """Return all that is known of one case; raises UnknownName."""
        return detail_of(self.report, case_id)

    def to_json(self, case_id: str | None = None) -> dict[str, Any]:
        """Return the waterfall as plain data, or one case with its records."""
        results = self.report.results
        if case_id is None:
            return {
                "counts": results.counts.model_dump(mode="json"),
                "diagnosis": [share.model_dump(mode="json") for share in results.diagnosis],
                "cases": [case.model_dump(mode="json") for case in results.cases if case.diagnosis is not None],
            }
        detail = self.detail(case_id)
        parts = {"case": detail.case, "trace": detail.trace, "verdicts": detail.judge}
        return {
            "result": detail.line.result.model_dump(mode="json"),
            **{name: None if part is None else part.model_dump(mode="json") for name, part in parts.items()},
        }

    def __repr__(self) -> str:
        """Draw the waterfall."""
        return self.waterfall()

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.waterfall())}</pre>"


def diagnose(run: str | Path | Run) -> Diagnoses:
    """Say where the cases of a run broke; raises BadInput, StorageFailed."""
    report = (run if isinstance(run, Run) else Run.load(run)).report()
    bars = waterfall(report).bars
    return Diagnoses(report, tuple(_cause(report, bar) for bar in bars))


def _cause(report: Report, bar: LeafBar) -> Cause:
    counts = report.results.counts
    held = {case.case_id: case.diagnosis for case in report.results.cases}
    found = [diagnosis for name in bar.case_ids if (diagnosis := held[name]) is not None]
    judged = counts.ok + counts.not_ok
    return Cause(
        bar=bar,
        causes=_commonest([diagnosis.cause for diagnosis in found]),
        advice=_commonest([diagnosis.advice for diagnosis in found])[0][0] if found else "",
        repaired=(counts.ok + bar.cases) / judged if judged else 0.0,
    )


def _commonest(texts: Sequence[str]) -> tuple[tuple[str, int], ...]:
    counted = {text: texts.count(text) for text in dict.fromkeys(texts)}
    return tuple(sorted(counted.items(), key=lambda found: -found[1]))
