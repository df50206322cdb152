"""One case of a run told in full: as text in a terminal, as HTML without script in a notebook."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ragtriage.core.errors import UnknownName
from ragtriage.report.formats._notebook import case_html
from ragtriage.report.model import Report
from ragtriage.report.sections.case_detail import CaseDetail, case_detail, case_rows
from ragtriage.report.sections.case_list import case_list
from ragtriage.report.sections.sources import sources
from ragtriage.workflows.diagnose_output import drawn_case

__all__ = ["CaseView", "detail_of"]

_DEPTH = 10


@dataclass(frozen=True, slots=True, repr=False)
class CaseView:
    """All that a run knows of one case."""

    detail: CaseDetail

    @property
    def case_id(self) -> str:
        """The case's id."""
        return self.detail.line.case_id

    @property
    def ok(self) -> bool | None:
        """Whether the case is ok; None where nothing is expected of it."""
        return self.detail.line.result.ok

    def __repr__(self) -> str:
        """Tell it as text."""
        return drawn_case(self.detail)

    def _repr_html_(self) -> str:
        return case_html(self.detail)


def detail_of(report: Report, case_id: str) -> CaseDetail:
    """Return all that is known of one case; raises UnknownName for a case that the run does not hold."""
    line = next((line for line in case_list(report) if line.case_id == case_id), None)
    if line is None:
        raise UnknownName(case_id, known=[c.case_id for c in report.results.cases], what="case in this run")
    scores = {(s.case_id, s.metric, s.level): s for s in report.scores if s.case_id == case_id}
    mine = replace(report, traces={i: t for i, t in report.traces.items() if i == case_id})
    held, rows = sources(mine, hits=_DEPTH), case_rows(report)
    return case_detail(report, line, sources=held, scores=scores, rows=rows, depth=_DEPTH)
