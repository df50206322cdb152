"""One frozen type per stage: exactly what the metrics of that stage may see.

Views of one case are small dataclasses; rankings come as a batch of columns, so that one line serves one question and
a hundred million rows. Building views from cases and traces is `runs.viewing`'s work.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Self

from ragtriage.core.records import Behaviour, Expected, Predicate, Timing
from ragtriage.core.verdicts import ClaimVerdict, NuggetVerdict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "AnswerView",
    "CitedItem",
    "ClaimsView",
    "ContextView",
    "ContextViewItem",
    "CoverageView",
    "ExclusionTable",
    "FilterView",
    "FusionPair",
    "GroupState",
    "Item",
    "ItemsView",
    "NuggetsView",
    "PositionView",
    "PredicatesView",
    "RankingPair",
    "Rankings",
    "RerankPair",
    "RunPair",
    "ServiceView",
]


@dataclass(frozen=True, eq=False)
class Rankings:
    """A batch of rankings at one level of relevance.

    `grades` int [questions, depth]: grade of each result, duplicates already removed; -1 past the end of a list,
    -2 unjudged, 0 judged not relevant. `ideal` int [questions, width]: all judged grades of the question, highest
    first, padded with 0. `relevant` int [questions]: how many items are relevant in all (grade >= `min_grade`).
    `judged_nonrelevant` int [questions]: judged items below `min_grade`. `listed` bool [questions]: whether a ranking
    came at all (False: the question was asked and nothing came, it scores 0 and is counted as missing).
    `units` int [questions, depth] or None: how many relevant units are newly found at each rank; at the evidence level
    a result can complete several groups, elsewhere it is derived from the grades. `scores` float [questions, depth],
    NaN where there is none; `ids` one tuple of item ids per question.
    """

    grades: NDArray[np.int64]
    ideal: NDArray[np.int64]
    relevant: NDArray[np.int64]
    judged_nonrelevant: NDArray[np.int64]
    listed: NDArray[np.bool_]
    min_grade: int = 1
    units: NDArray[np.int64] | None = None
    scores: NDArray[np.float64] | None = None
    ids: tuple[tuple[str, ...], ...] | None = None

    def __len__(self) -> int:
        """Count the questions."""
        return len(self.grades)

    @property
    def hits(self) -> NDArray[np.bool_]:
        """Bool [questions, depth]: where a relevant item (or a newly completed unit) stands."""
        return self.grades >= self.min_grade if self.units is None else self.units > 0

    @property
    def found(self) -> NDArray[np.int64]:
        """Int [questions, depth]: how many relevant units are newly found at each rank."""
        return self.hits.astype("int64") if self.units is None else self.units

    def take(self, rows: ArrayLike) -> Rankings:
        """Return the chosen questions, in the order of `rows`, repeats allowed."""
        import numpy as np  # noqa: PLC0415

        index = np.asarray(rows, dtype=np.int64)
        return Rankings(
            grades=self.grades[index],
            ideal=self.ideal[index],
            relevant=self.relevant[index],
            judged_nonrelevant=self.judged_nonrelevant[index],
            listed=self.listed[index],
            min_grade=self.min_grade,
            units=None if self.units is None else self.units[index],
            scores=None if self.scores is None else self.scores[index],
            ids=None if self.ids is None else tuple(self.ids[i] for i in index),
        )


@dataclass(frozen=True, eq=False)
class RankingPair:
    """Two rankings of the same questions: before and after a step, or of two runs."""

    before: Rankings
    after: Rankings

    def __post_init__(self) -> None:
        if len(self.before) != len(self.after):
            raise ValueError(f"{len(self.before)} questions before and {len(self.after)} after are no pair")

    def __len__(self) -> int:
        """Count the questions."""
        return len(self.before)

    def take(self, rows: ArrayLike) -> Self:
        """Return the chosen questions."""
        return type(self)(self.before.take(rows), self.after.take(rows))


class FusionPair(RankingPair):
    """The strongest single list and the fused one.

    The single list is followed by the rest of the pool, so that both hold the same candidates.
    """


class RerankPair(RankingPair):
    """The ranking that the reranker was given and the one that it returned, on the same candidates."""


class RunPair(RankingPair):
    """The final rankings of two runs over the same questions."""


@dataclass(frozen=True)
class CoverageView:
    """Golden documents of a case and those that any of its rankings returned."""

    golden: frozenset[str]
    retrieved: frozenset[str]


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
    """The assembled context against the evidence; `items` None where the trace records no context."""

    items: tuple[ContextViewItem, ...] | None
    groups: tuple[GroupState, ...]
    tokens_before: int | None = None
    tokens_after: int | None = None


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

    `text` None: no answer was recorded. `behaviour` None: neither the system nor a judge said what the answer does.
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
