"""One frozen type per stage: exactly what the metrics of that stage may see.

Views of one case are small dataclasses; rankings come as a batch of columns, so that one line serves one question and
a hundred million rows. Building views from cases and traces is `runs.viewing`'s work.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ragtriage.core.rankings import Candidates, FusionPair, RankingPair, Rankings, RerankPair, RunPair
from ragtriage.core.records import Behaviour, Expected, Predicate, Timing
from ragtriage.core.verdicts import (
    AnswerSimilarity,
    ClaimVerdict,
    CorrectnessVerdict,
    EscalationVerdict,
    NuggetVerdict,
    PartVerdict,
    QuestionsVerdict,
    ResolutionVerdict,
    RubricGrade,
    UncertaintyVerdict,
)

__all__ = [
    "AnswerView",
    "Candidates",
    "CitedItem",
    "ClaimsView",
    "ConfidenceView",
    "ContextView",
    "ContextViewItem",
    "CoverageView",
    "ExclusionTable",
    "FilterView",
    "FusionPair",
    "GroupState",
    "Item",
    "ItemsView",
    "JudgedAnswerView",
    "LengthView",
    "NuggetsView",
    "PositionView",
    "PredicatesView",
    "PreferenceView",
    "RankingPair",
    "Rankings",
    "RedundancyView",
    "RepeatsView",
    "RerankPair",
    "RunPair",
    "ScoredView",
    "ServiceView",
]


@dataclass(frozen=True)
class CoverageView:
    """Golden documents of a case and those that any of its rankings returned."""

    golden: frozenset[str]
    retrieved: frozenset[str]


@dataclass(frozen=True)
class RedundancyView:
    """Texts of the results of the final ranking in order; None where the text of any result is not known."""

    texts: tuple[str, ...] | None


@dataclass(frozen=True)
class ScoredView:
    """The final ranking of a case as scores; duplicates removed, both in the order of the list.

    `relevant`: which results are relevant, unjudged ones are not. `scores` None: a result of the list has no score.
    """

    relevant: tuple[bool, ...]
    scores: tuple[float, ...] | None


@dataclass(frozen=True)
class FilterView:
    """What the applied hard predicates did to the documents that could answer.

    `eligible`: gold documents that the principal may see and that are valid at the case's date. `survivors`: documents
    of the corpus that pass all hard predicates; None where the trace records no predicates. `removed_by`: for each
    hard predicate (written `field op value`) the eligible documents it removes alone. `unknown_modes`: predicates whose
    mode the trace does not tell and that would remove eligible documents.
    """

    eligible: frozenset[str]
    survivors: frozenset[str] | None
    removed_by: Mapping[str, frozenset[str]] = field(default_factory=dict)
    unknown_modes: tuple[str, ...] = ()


@dataclass(frozen=True)
class PredicatesView:
    """Predicates that the system extracted (None: not recorded) against the gold ones (None: not labelled)."""

    extracted: tuple[Predicate, ...] | None
    gold: tuple[Predicate, ...] | None


@dataclass(frozen=True)
class ExclusionTable:
    """One case under one predicate applied hard and as a boost: relevant found and returned in the first k."""

    predicate: str
    hard_found: int
    soft_found: int
    relevant: int
    k: int
    excluded: bool


@dataclass(frozen=True)
class Item:
    """A document as it came through at one place.

    `permitted`: the case's principal may see it. `valid`: in force at the case's date; `superseded_by_valid`: not in
    force while another version is. `meets_predicates`: satisfies the case's gold predicates (True where none).
    """

    id: str
    doc_id: str
    permitted: bool
    valid: bool
    superseded_by_valid: bool
    meets_predicates: bool
    trusted: bool = True


@dataclass(frozen=True)
class ItemsView:
    """What came through at each place; None where the trace does not record the place.

    `unresolved` counts ids whose document the corpus does not know.
    """

    results: tuple[Item, ...] | None
    context: tuple[Item, ...] | None
    citations: tuple[Item, ...] | None
    quotes: tuple[Item, ...] | None
    unresolved: int = 0


@dataclass(frozen=True)
class GroupState:
    """Where one needed group of evidence stood; None where the trace does not record that place."""

    group: str
    in_candidates: bool | None
    in_first_k: bool | None
    in_context: bool | None


@dataclass(frozen=True)
class ContextViewItem:
    """One context item; `grade` None: not judged. `used`: a supported claim's span lies in it; None: no judge ran."""

    id: str
    text: str
    grade: int | None
    cited: bool | None
    used: bool | None


@dataclass(frozen=True)
class ContextView:
    """The assembled context against the evidence; `items` None where the trace records no context.

    `relevance_judged`: the case has no evidence, and a judge gave the grades.
    """

    items: tuple[ContextViewItem, ...] | None
    groups: tuple[GroupState, ...]
    tokens_before: int | None = None
    tokens_after: int | None = None
    relevance_judged: bool = False


@dataclass(frozen=True)
class PositionView:
    """Correctness in [0, 1] with the evidence placed first, middle and last among the same distractors."""

    first: float | None
    middle: float | None
    last: float | None


@dataclass(frozen=True)
class ClaimsView:
    """Claims of the answer and of the reference with their verdicts; None where no judge ran.

    `context_ids`: ids of the context items in order (None: not recorded). `relevant_ids`: those that hold gold
    evidence.
    `citations`: every cited id of the answer in order, repeats included (None: not recorded). `abstained`: the answer
    refuses, so nothing in it is to be checked.
    """

    claims: tuple[ClaimVerdict, ...] | None
    reference: tuple[ClaimVerdict, ...] | None
    context_ids: tuple[str, ...] | None
    relevant_ids: frozenset[str] = frozenset()
    citations: tuple[str, ...] | None = None
    abstained: bool = False


@dataclass(frozen=True)
class NuggetsView:
    """Nuggets of the case with their verdicts; None where no judge ran."""

    nuggets: tuple[NuggetVerdict, ...] | None


@dataclass(frozen=True)
class JudgedAnswerView:
    """What a model said of the answer as a whole; None where it was not asked, or there was nothing to ask about."""

    questions: QuestionsVerdict | None = None
    parts: tuple[PartVerdict, ...] | None = None
    similarity: AnswerSimilarity | None = None
    rubric_grade: RubricGrade | None = None
    correctness: CorrectnessVerdict | None = None
    resolution: ResolutionVerdict | None = None
    escalation: EscalationVerdict | None = None
    uncertainty: UncertaintyVerdict | None = None
    uncertain: bool = False
    has_reference: bool = False


@dataclass(frozen=True)
class RepeatsView:
    """The answers of one question asked several times, in the order of the repeats; those that failed are left out."""

    answers: tuple[str, ...]


@dataclass(frozen=True)
class ConfidenceView:
    """How sure the system said it was, in [0, 1], and whether the case was ok; None where that is not known."""

    confidence: float | None
    correct: bool | None


@dataclass(frozen=True)
class LengthView:
    """The correctness of an answer in [0, 1], its length and that of its reference in words; None: not known."""

    correctness: float | None
    words: int | None
    reference_words: int | None


@dataclass(frozen=True)
class PreferenceView:
    """One question answered by two systems: which answer a judge preferred in either order.

    `straight`, `swapped`: with the candidate shown first and shown second; each names the better one. `candidate_words`
    and `base_words`: lengths of the answers.
    """

    straight: Literal["candidate", "base", "tie"]
    swapped: Literal["candidate", "base", "tie"]
    candidate_words: int
    base_words: int


@dataclass(frozen=True)
class CitedItem:
    """One cited id: whether it stands in the context, and what the corpus says of its document (None: unknown)."""

    id: str
    in_context: bool
    trusted: bool | None = None
    permitted: bool | None = None
    superseded: bool | None = None


@dataclass(frozen=True)
class AnswerView:
    """The answer and what was demanded of it.

    `text` None: no answer was recorded. `behaviour` None: neither the system nor a judge said what the answer does;
    `behaviour_judged`: a judge said it, because the trace does not. Metrics that read it declare `reads_behaviour`.
    `context`: texts of the context items (None: not recorded). `planted`: the planted instruction stood in the context.
    """

    question: str
    text: str | None
    behaviour: Behaviour | None
    answerable: bool
    expected: Expected
    language: str | None = None
    context: tuple[str, ...] | None = None
    citations: tuple[CitedItem, ...] | None = None
    fields: Mapping[str, object] | None = None
    confidence: float | None = None
    planted: bool = False
    behaviour_judged: bool = False


@dataclass(frozen=True)
class ServiceView:
    """One request as a service call, in milliseconds and US dollars; None where the trace does not record it.

    `outcome`: answered, error or timeout. `limit_ms`: the time-out in force; a failure counts as at least that.
    `asked_at_s`: when it was asked, in seconds on any one clock; `concurrency`: requests allowed at once.
    """

    outcome: Literal["answered", "error", "timeout"]
    duration_ms: float | None = None
    limit_ms: float | None = None
    first_token_ms: float | None = None
    timings: tuple[Timing, ...] | None = None
    cost: float | None = None
    cache: Mapping[str, bool] | None = None
    empty_retrieval: bool | None = None
    stale_index: bool | None = None
    asked_at_s: float | None = None
