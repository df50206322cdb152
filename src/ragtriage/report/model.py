"""The one report model: what a run said and the records it was said about. Every output is drawn from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ragtriage.core.records import Case, Document, Trace
from ragtriage.core.results import CaseResult, CaseScore, Results
from ragtriage.core.score import Failed
from ragtriage.core.verdicts import Verdicts

__all__ = ["Report"]


@dataclass(frozen=True)
class Report:
    """A run as reports see it; the mappings are by `case_id` (documents by `doc_id`) and may lack entries.

    A run that was made elsewhere may bring its results alone; sections then leave out what they cannot know.
    `base`: the run that this one is compared with. `folder`: where the run lies, for the commands that are printed.
    """

    results: Results
    scores: tuple[CaseScore, ...] = ()
    cases: Mapping[str, Case] = field(default_factory=dict)
    traces: Mapping[str, Trace] = field(default_factory=dict)
    verdicts: Mapping[str, Verdicts] = field(default_factory=dict)
    documents: Mapping[str, Document] = field(default_factory=dict)
    base: Report | None = None
    folder: str = "runs/latest"

    @cached_property
    def scores_by_case(self) -> Mapping[str, tuple[CaseScore, ...]]:
        """The scores of each case, in their order."""
        found: dict[str, list[CaseScore]] = {}
        for score in self.scores:
            found.setdefault(score.case_id, []).append(score)
        return {case_id: tuple(scores) for case_id, scores in found.items()}

    def failure(self, case: CaseResult) -> Failed | None:
        """Return what broke while the case was asked, or None where an answer came back.

        A case failed as a whole when its trace holds an error, or when it has no trace and any of its scores failed.
        A judge that broke on an answered case leaves failed metrics, not a failed case.
        """
        trace = self.traces.get(case.case_id)
        if trace is not None:
            error = trace.error
            return None if error is None else Failed(error.stage, error.type, error.message)
        outcomes = (score.outcome for score in self.scores_by_case.get(case.case_id, ()))
        return next((outcome for outcome in outcomes if isinstance(outcome, Failed)), None)
