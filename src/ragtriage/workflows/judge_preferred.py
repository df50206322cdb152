"""What preferences come to: win rates by pair and slice, strengths of several runs, judges' liking for their own."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ragtriage.core.configuration import RunSettings
from ragtriage.core.records import Case
from ragtriage.core.score import Failed, Score, Undefined, Value
from ragtriage.core.views import PreferenceView
from ragtriage.metrics.system.judge_bias import judge_bias
from ragtriage.metrics.system.pairwise_preference import pairwise_preference
from ragtriage.stats.bootstrap import bootstrap_mean
from ragtriage.stats.preference import (
    Contested,
    Strength,
    length_controlled_interval,
    outcome_of,
    strengths,
    win_rate_interval,
)
from ragtriage.stats.proportions import wilson
from ragtriage.stats.slices import clusters_of, slices_of

__all__ = [
    "Duel",
    "FamilyCell",
    "JudgeFigures",
    "Judged",
    "OwnFamily",
    "PairFigures",
    "PreferredRuns",
    "SelfPreference",
    "preferred",
]

Interval = tuple[float, float]
_BY = ("language", "kind")
_THREE = 3


@dataclass(frozen=True, slots=True)
class Duel:
    """What a judge said of one case and pair of runs. `asked` False: the same words twice, or nothing to compare.

    `families`: those of the models that wrote the base's and the candidate's answer; None where it is not known.
    """

    case_id: str
    base: str
    candidate: str
    outcome: PreferenceView | Undefined | Failed
    asked: bool
    families: tuple[str | None, str | None]

    @property
    def share(self) -> float | None:
        """1 where the candidate is preferred, 0 the base, 0.5 neither; None without a verdict."""
        if not isinstance(self.outcome, PreferenceView):
            return None
        return outcome_of(self.outcome.straight, self.outcome.swapped)


@dataclass(frozen=True, slots=True)
class Judged:
    """One judge and all that it said. `family` None: its name speaks of none that is known."""

    judge: str
    model: str
    served: tuple[str, ...]
    family: str | None
    calls: int
    cached: int
    cost_usd: float | None
    duels: tuple[Duel, ...]


@dataclass(frozen=True, slots=True)
class PairFigures:
    """Two runs on one slice (`{}`: all cases).

    `win_rate` of the candidate, a tie half, and `length_controlled`, the same expected at equal length: the metric
    `system.pairwise_preference` in its two forms. `same`: pairs with the same words, a tie that nobody was asked.
    `consistent`: share of the judged pairs with one verdict in both orders; `first_place`: `system.judge_bias`.
    """

    base: str
    candidate: str
    slice: Mapping[str, str]
    win_rate: Score
    win_rate_interval: Interval | None
    length_controlled: Score
    length_controlled_interval: Interval | None
    won: int
    tied: int
    lost: int
    same: int
    undefined: int
    failed: int
    consistent: Score
    consistent_interval: Interval | None
    first_place: Score


@dataclass(frozen=True, slots=True)
class JudgeFigures:
    """All that one judge's preferences come to; `strengths` from three runs on."""

    judged: Judged
    pairs: tuple[PairFigures, ...]
    strengths: tuple[Strength, ...]
    failures: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class FamilyCell:
    """How often a judge of one family prefers the answers of another to those of all others."""

    judge: str
    answers: str
    win_rate: Score
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class OwnFamily:
    """How much more often a family wins before a judge of its own than before judges of others, on the same pairs."""

    family: str
    advantage: Score
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class SelfPreference:
    """The table judge family x answer family; `reason`: why it is empty."""

    cells: tuple[FamilyCell, ...]
    own: tuple[OwnFamily, ...]
    reason: str | None


@dataclass(frozen=True, slots=True)
class PreferredRuns:
    """Everything about all judges. `runs`: id of each run by the name it was given by."""

    runs: Mapping[str, str]
    cases: int
    judges: tuple[JudgeFigures, ...]
    self_preference: SelfPreference
    notes: tuple[str, ...]

    @property
    def decided(self) -> bool:
        """Whether there is any pair with a verdict."""
        return any(isinstance(pair.win_rate, Value) for one in self.judges for pair in one.pairs)


def preferred(
    runs: Mapping[str, str],
    cases: Sequence[Case],
    judged: Sequence[Judged],
    *,
    settings: RunSettings,
    left_out: int,
) -> PreferredRuns:
    """Work out all figures; intervals are drawn over clusters of cases as the first run's settings say."""
    clusters = dict(zip([case.case_id for case in cases], _clusters(cases, settings), strict=True))
    figures = _Figures(cases, clusters, settings)
    return PreferredRuns(
        runs=runs,
        cases=len(cases),
        judges=tuple(figures.of_judge(one, list(runs)) for one in judged),
        self_preference=_self_preference(judged, figures),
        notes=tuple(_notes(judged, left_out)),
    )


def _clusters(cases: Sequence[Case], settings: RunSettings) -> list[str]:
    return clusters_of(cases) if settings.cluster == "document" else [case.case_id for case in cases]


class _Figures:
    """Figures over the chosen cases, with one way to draw intervals."""

    def __init__(self, cases: Sequence[Case], clusters: Mapping[str, str], settings: RunSettings) -> None:
        self._parts = [({}, None), *((s.where, {cases[row].case_id for row in s.rows}) for s in slices_of(cases, _BY))]
        self._clusters = clusters
        self._resamples = settings.resamples
        self._seed = settings.seed

    def of_judge(self, judged: Judged, runs: Sequence[str]) -> JudgeFigures:
        pairs: list[PairFigures] = []
        for base, candidate in itertools.combinations(runs, 2):
            mine = [one for one in judged.duels if (one.base, one.candidate) == (base, candidate)]
            for where, names in self._parts:
                part = mine if names is None else [one for one in mine if one.case_id in names]
                pairs.append(self._pair((base, candidate), where, part))
        failures = Counter(
            f"{one.outcome.stage}: {one.outcome.error}" for one in judged.duels if isinstance(one.outcome, Failed)
        )
        listed = self._strengths(judged) if len(runs) >= _THREE else []
        return JudgeFigures(judged, tuple(pairs), tuple(listed), dict(sorted(failures.items())))

    def _strengths(self, judged: Judged) -> list[Strength]:
        contests = [
            Contested(one.candidate, one.base, share, self._clusters[one.case_id])
            for one in judged.duels
            if (share := one.share) is not None
        ]
        return strengths(contests, resamples=self._resamples, seed=self._seed) if contests else []

    def _pair(self, names: tuple[str, str], where: Mapping[str, str], duels: Sequence[Duel]) -> PairFigures:
        scored = [(one, one.outcome) for one in duels if isinstance(one.outcome, PreferenceView)]
        views = [view for _, view in scored]
        asked = [view for one, view in scored if one.asked]
        outcomes = [outcome_of(view.straight, view.swapped) for view in views]
        longer = [float(view.candidate_words - view.base_words) for view in views]
        clusters = [self._clusters[one.case_id] for one, _ in scored]
        same_verdict = sum(view.straight == view.swapped for view in asked)
        length = None
        if views:
            length = length_controlled_interval(outcomes, longer, clusters, resamples=self._resamples, seed=self._seed)
        return PairFigures(
            base=names[0],
            candidate=names[1],
            slice=where,
            win_rate=pairwise_preference(views),
            win_rate_interval=self.rate_interval(outcomes, clusters),
            length_controlled=pairwise_preference(views, form="length_controlled"),
            length_controlled_interval=length,
            won=outcomes.count(1.0),
            tied=outcomes.count(0.5),
            lost=outcomes.count(0.0),
            same=len(views) - len(asked),
            undefined=sum(isinstance(one.outcome, Undefined) for one in duels),
            failed=sum(isinstance(one.outcome, Failed) for one in duels),
            consistent=_share(same_verdict, len(asked)),
            consistent_interval=wilson(same_verdict, len(asked)) if asked else None,
            first_place=judge_bias(asked),
        )

    def rate_interval(self, outcomes: Sequence[float], clusters: Sequence[str]) -> Interval | None:
        if not outcomes:
            return None
        return win_rate_interval(outcomes, clusters, resamples=self._resamples, seed=self._seed)

    def mean_interval(self, values: Sequence[float], clusters: Sequence[str]) -> Interval | None:
        """Return the interval of a mean difference; None where no two clusters or values tell of its spread."""
        if len(set(clusters)) < 2 or len(set(values)) < 2:  # noqa: PLR2004 - one has no spread
            return None
        return bootstrap_mean(values, clusters=clusters, resamples=self._resamples, seed=self._seed)

    def cluster_of(self, case_id: str) -> str:
        return self._clusters[case_id]


def _share(part: int, whole: int) -> Score:
    return Value(part / whole, support=whole) if whole else Undefined("no pair of answers was judged")


def _seen_by_family(judged: Judged) -> Iterable[tuple[Duel, str, float]]:
    """Yield each judged pair of two families, once for each: the pair, the family and how it came out."""
    for one in judged.duels:
        base, candidate = one.families
        share = one.share
        if one.asked and share is not None and base is not None and candidate is not None and base != candidate:
            yield one, base, 1 - share
            yield one, candidate, share


def _self_preference(judged: Sequence[Judged], figures: _Figures) -> SelfPreference:
    """Lay the preferences out by the families of judge and answers."""
    reason = _why_no_table(judged)
    if reason is not None:
        return SelfPreference((), (), reason)
    cells: dict[tuple[str, str], list[tuple[float, str]]] = defaultdict(list)
    for judge in judged:
        for one, family, share in _seen_by_family(judge):
            if judge.family is not None:
                cells[judge.family, family].append((share, figures.cluster_of(one.case_id)))
    answers = sorted({family for _, family in cells})
    table = []
    for family in sorted({one.family for one in judged if one.family is not None}):
        for written in answers:
            found = cells.get((family, written), [])
            shares, clusters = [share for share, _ in found], [cluster for _, cluster in found]
            value = Value(sum(shares) / len(shares), len(shares)) if found else None
            score = value or Undefined("this judge gave no verdict on answers of this family")
            table.append(FamilyCell(family, written, score, figures.rate_interval(shares, clusters)))
    own = [_own(family, judged, figures) for family in answers if any(one.family == family for one in judged)]
    return SelfPreference(tuple(table), tuple(own), None)


def _why_no_table(judged: Sequence[Judged]) -> str | None:
    if all(one.family is None for one in judged):
        return f"no family of models is known that {', '.join(one.model for one in judged)} belongs to"
    if any(True for one in judged if one.family is not None for _ in _seen_by_family(one)):
        return None
    known = sorted({family for one in judged for duel in one.duels for family in duel.families if family is not None})
    if not known:
        return "the traces name no model of a known family that wrote the answers (`models.generator`)"
    return f"no pair with a verdict holds answers of two known families; known: {', '.join(known)}"


def _own(family: str, judged: Sequence[Judged], figures: _Figures) -> OwnFamily:
    """Set the judges of a family beside those of others on the pairs that both judged."""
    mine: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    others: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for judge in judged:
        for one, written, share in _seen_by_family(judge):
            if written == family and judge.family is not None:
                (mine if judge.family == family else others)[one.case_id, one.base, one.candidate].append(share)
    both = [key for key in mine if key in others]
    if not both:
        return OwnFamily(family, Undefined("no judge of another known family judged the same pairs"), None)
    gaps = [sum(mine[key]) / len(mine[key]) - sum(others[key]) / len(others[key]) for key in both]
    clusters = [figures.cluster_of(case_id) for case_id, _, _ in both]
    return OwnFamily(family, Value(sum(gaps) / len(gaps), len(gaps)), figures.mean_interval(gaps, clusters))


def _notes(judged: Sequence[Judged], left_out: int) -> Iterable[str]:
    if left_out:
        yield f"{left_out} cases are not in every run and were left out"
    for one in judged:
        if len(one.served) > 1:
            yield f"several models answered as {one.model}: {', '.join(one.served)}"
