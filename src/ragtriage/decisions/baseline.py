"""A run to compare with: what must be shared, what differs, and which cases make pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ragtriage.core.results import CASES, CaseScore, Results, UnitResult
from ragtriage.core.score import Outcome, Undefined, Value

__all__ = ["GOLDEN", "Baseline", "Pair", "Pairs", "differences", "not_comparable", "pairs_of"]

GOLDEN = "golden"
_MADE = frozenset({"groups"})  # populations whose units what is measured makes itself: a new one is its doing


@dataclass(frozen=True)
class Baseline:
    """The results of an earlier run, and the scores of its cases and of its other units."""

    results: Results
    scores: tuple[CaseScore, ...]
    units: tuple[UnitResult, ...] = ()


@dataclass(frozen=True, slots=True)
class Pair:
    """The values of one case in both runs, with their denominators."""

    case_id: str
    base: float
    candidate: float
    base_support: int
    candidate_support: int


@dataclass(frozen=True, slots=True)
class Pairs:
    """The cases of one metric that both runs scored.

    `lost`: cases that the base run scored and the candidate did not, whatever the reason; `gained` the other way.
    `appeared`: those gained that the base run found nothing to measure of, so that what is wrong with them is new.
    """

    pairs: tuple[Pair, ...]
    lost: tuple[str, ...] = ()
    gained: tuple[str, ...] = ()
    appeared: tuple[str, ...] = ()

    @property
    def lost_share(self) -> float:
        """Lost cases / cases that the base run scored; 0 where it scored none."""
        scored = len(self.pairs) + len(self.lost)
        return len(self.lost) / scored if scored else 0.0

    @property
    def appeared_share(self) -> float:
        """Appeared cases / cases that the candidate has a number of, those that failed in the base run left out."""
        scored = len(self.pairs) + len(self.appeared)
        return len(self.appeared) / scored if scored else 0.0


@dataclass(frozen=True)
class Table:
    """Scores by metric and level, each once looked up by case or unit; a metric is of one population."""

    by_key: Mapping[tuple[str, str | None], Mapping[str, Outcome]] = field(default_factory=dict)

    @classmethod
    def of(cls, scores: Iterable[CaseScore], units: Iterable[UnitResult] = ()) -> Table:
        """Lay out scores."""
        found: dict[tuple[str, str | None], dict[str, Outcome]] = {}
        for unit in units:
            for metric, one in unit.scores.items():
                found.setdefault((metric, None), {})[unit.unit_id] = one.outcome
        for score in scores:
            found.setdefault((score.metric, score.level), {})[score.case_id] = score.outcome
        return cls(found)

    def of_metric(self, metric: str, level: str | None) -> Mapping[str, Outcome]:
        """Return the outcomes of a metric by case, empty where it was not computed."""
        return self.by_key.get((metric, level), {})


def not_comparable(base: Results, candidate: Results) -> str | None:
    """Say why two runs cannot be compared; None where they can: they must share the golden set.

    >>> not_comparable.__name__
    'not_comparable'
    """
    one, other = base.bundle.get(GOLDEN), candidate.bundle.get(GOLDEN)
    if one is None or other is None:
        return "a run does not say which golden set it used"
    if one != other:
        return f"the runs used different golden sets ({one[:12]} and {other[:12]})"
    return None


def differences(base: Results, candidate: Results) -> tuple[tuple[str, str | None, str | None], ...]:
    """Return every field of the bundles that differs, as (field, base, candidate)."""
    names = sorted({*base.bundle, *candidate.bundle})
    both = ((name, base.bundle.get(name), candidate.bundle.get(name)) for name in names)
    return tuple(found for found in both if found[1] != found[2])


def pairs_of(
    base: Mapping[str, Outcome], candidate: Mapping[str, Outcome], *, cases: Sequence[str], population: str = CASES
) -> Pairs:
    """Pair the outcomes of one metric over the given cases, in their order."""
    pairs, lost, gained, appeared = [], [], [], []
    for case_id in cases:
        before, after = base.get(case_id), candidate.get(case_id)
        if isinstance(before, Value) and isinstance(after, Value):
            pairs.append(Pair(case_id, before.value, after.value, before.support, after.support))
        elif isinstance(before, Value):
            lost.append(case_id)
        elif isinstance(after, Value):
            gained.append(case_id)
            if isinstance(before, Undefined) or (before is None and population in _MADE):
                appeared.append(case_id)
    return Pairs(tuple(pairs), tuple(lost), tuple(gained), tuple(appeared))
