"""The one report model: what a run said and the records it was said about. Every output is drawn from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ragtriage.core.configuration import Configuration
from ragtriage.core.records import Case, Document, Trace
from ragtriage.core.results import CaseResult, CaseScore, Leaf, Results, UnitResult
from ragtriage.core.score import Failed
from ragtriage.core.verdicts import Verdicts
from ragtriage.decisions.comparison import ComparedRuns

__all__ = ["Before", "Compared", "Report"]


@dataclass(frozen=True, slots=True)
class Before:
    """What the base run said of a case that came out otherwise; None: it said nothing of that."""

    ok: bool | None
    leaf: Leaf | None
    cause: str | None
    answer: str | None


@dataclass(frozen=True, slots=True)
class Compared:
    """What changed against a base run; `before`: by `case_id` those that are ok in one of the two runs alone."""

    runs: ComparedRuns
    before: Mapping[str, Before] = field(default_factory=dict)


@dataclass(frozen=True)
class Report:
    """A run as reports see it; the mappings are by `case_id` (documents by `doc_id`) and may lack entries.

    A run that was made elsewhere may bring its results alone; sections then leave out what they cannot know.
    `units`: documents, chunks ... with their scores. `compared`: what changed against the run that it was compared
    with. `settings`: those that the run was made with. `folder`: where the run lies, and `config` the file of its
    settings, for the commands that are printed.
    """

    results: Results
    scores: tuple[CaseScore, ...] = ()
    units: tuple[UnitResult, ...] = ()
    cases: Mapping[str, Case] = field(default_factory=dict)
    traces: Mapping[str, Trace] = field(default_factory=dict)
    verdicts: Mapping[str, Verdicts] = field(default_factory=dict)
    documents: Mapping[str, Document] = field(default_factory=dict)
    compared: Compared | None = None
    settings: Configuration | None = None
    folder: str = "runs/latest"
    config: str | None = None

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
