"""Two runs on the same cases, paired: how far each metric moved, how sure that is, and which cases moved it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from ragtriage.core.configuration import RunSettings
from ragtriage.core.records import Case
from ragtriage.core.results import CASES, MetricRow, Results
from ragtriage.decisions.baseline import Baseline, Pairs, Table, pairs_of
from ragtriage.decisions.drops import ROUNDING, worsening
from ragtriage.decisions.members import Members
from ragtriage.stats.bootstrap import bootstrap_ratios, by_cluster
from ragtriage.stats.multiplicity import holm
from ragtriage.stats.paired import mcnemar, randomisation_tests

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ComparedRow", "ComparedRuns", "OkChange", "compare_rows", "ok_change"]

_MOST_SWAPS, _LEAST_SWAPS = 10_000, 1_000
_CELLS = 200_000_000  # signs drawn at most for columns of one length


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """One metric over one slice in both runs, over the cases that both scored.

    `difference` is candidate - base, with its 95 % bootstrap interval; `p` that of the randomisation test and
    `p_adjusted` the same by Holm, over all metrics for rows of all cases, and over all metrics and slices for the
    others. A set-level metric has no pairs: its values are those of the two runs, without interval and p.
    `lost`, `gained`: cases that only the base run, only the candidate scored. `population`: what is counted.
    """

    metric: str
    level: str | None
    slice: Mapping[str, str]
    unit: str
    better: Literal["higher", "lower", "neither"]
    base: float | None
    candidate: float | None
    difference: float | None
    interval: tuple[float, float] | None = None
    p: float | None = None
    p_adjusted: float | None = None
    pairs: int = 0
    lost: tuple[str, ...] = ()
    gained: tuple[str, ...] = ()
    regressed: tuple[str, ...] = ()
    improved: tuple[str, ...] = ()
    proxy: bool = False
    small: bool = False
    population: str = CASES

    @property
    def worse(self) -> bool:
        """Whether the candidate is worse at all; never for a metric that has no better side."""
        if self.difference is None or self.better == "neither":
            return False
        return worsening(self.difference, self.better) > ROUNDING


@dataclass(frozen=True, slots=True)
class OkChange:
    """Cases that were ok in one run alone, with the exact p of McNemar's test; only cases judged in both count."""

    pairs: int
    broke: tuple[str, ...]
    mended: tuple[str, ...]
    p: float


@dataclass(frozen=True, slots=True)
class ComparedRuns:
    """What changed from one run to another, over the cases that both scored.

    `bundle`: every part of the identity that differs, as (field, base, candidate). `only_base`, `only_candidate`:
    metrics that one run alone reports.
    """

    base_id: str
    candidate_id: str
    rows: tuple[ComparedRow, ...]
    ok: OkChange
    bundle: tuple[tuple[str, str | None, str | None], ...]
    only_base: tuple[str, ...] = ()
    only_candidate: tuple[str, ...] = ()


def ok_change(base: Results, candidate: Results) -> OkChange:
    """Compare which cases are ok."""
    before = {case.case_id: case.ok for case in base.cases}
    both = [(c.case_id, before.get(c.case_id), c.ok) for c in candidate.cases]
    judged = [(name, was, now) for name, was, now in both if was is not None and now is not None]
    return OkChange(
        pairs=len(judged),
        broke=tuple(name for name, was, now in judged if was and not now),
        mended=tuple(name for name, was, now in judged if now and not was),
        p=mcnemar([was for _, was, _ in judged], [now for _, _, now in judged]),
    )


def compare_rows(
    base: Baseline, candidate: Baseline, cases: Sequence[Case], *, settings: RunSettings | None = None
) -> tuple[ComparedRow, ...]:
    """Compare every metric and slice that both runs report, in the candidate's order."""
    settings = settings or RunSettings()
    before, after = (Table.of(run.scores, run.units) for run in (base, candidate))
    old = {_key(row): row for row in base.results.metrics}
    members = Members(cases, candidate.units)
    rows: list[ComparedRow] = []
    samples: list[_Sample | None] = []
    for row in candidate.results.metrics:
        earlier = old.get(_key(row))
        if earlier is None:
            continue
        ids = members.ids(row.population, row.slice, metric=row.name)
        pairs = pairs_of(before.of_metric(row.name, row.level), after.of_metric(row.name, row.level), cases=ids)
        if row.aggregate == "set" or not pairs.pairs:
            rows.append(_unpaired(earlier, row, pairs))
            samples.append(None)
        else:
            sample = _Sample.of(pairs, row, members.clusters(row.population) if settings.cluster == "document" else {})
            rows.append(_paired(earlier, row, pairs, sample))
            samples.append(sample)
    return tuple(_adjusted(_tested(rows, samples, settings)))


@dataclass(frozen=True, eq=False)
class _Sample:
    """The pairs of one row as columns: values, weights (1, or the denominators of a micro average), clusters."""

    before: NDArray[np.float64]
    after: NDArray[np.float64]
    before_weight: NDArray[np.float64]
    after_weight: NDArray[np.float64]
    clusters: NDArray[np.int64]
    median: bool

    @classmethod
    def of(cls, pairs: Pairs, row: MetricRow, clusters: Mapping[str, str]) -> _Sample:
        import numpy as np  # noqa: PLC0415

        one = np.ones(len(pairs.pairs))
        micro = row.aggregate == "micro"
        names = np.array([clusters.get(pair.case_id, pair.case_id) for pair in pairs.pairs])
        return cls(
            before=np.array([pair.base for pair in pairs.pairs]),
            after=np.array([pair.candidate for pair in pairs.pairs]),
            before_weight=np.array([pair.base_support for pair in pairs.pairs], dtype=float) if micro else one,
            after_weight=np.array([pair.candidate_support for pair in pairs.pairs], dtype=float) if micro else one,
            clusters=np.unique(names, return_inverse=True)[1],
            median=row.aggregate == "median",
        )

    @property
    def values(self) -> tuple[float, float]:
        """The aggregate of each side."""
        import numpy as np  # noqa: PLC0415

        if self.median:
            return float(np.median(self.before)), float(np.median(self.after))
        return (
            float(np.average(self.before, weights=self.before_weight)),
            float(np.average(self.after, weights=self.after_weight)),
        )

    @property
    def units(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Numerators and denominators by cluster, whose ratio is the difference; None where it is no such ratio."""
        same = bool((self.before_weight == self.after_weight).all())
        if self.median or not same or bool((self.clusters == self.clusters[0]).all()):
            return None
        moved = (self.after - self.before) * self.after_weight
        return by_cluster(moved, self.clusters), by_cluster(self.after_weight, self.clusters)


def _key(row: MetricRow) -> tuple[str, str | None, tuple[tuple[str, str], ...]]:
    return row.name, row.level, tuple(row.slice.items())


def _unpaired(base: MetricRow, row: MetricRow, pairs: Pairs) -> ComparedRow:
    if row.aggregate != "set":
        return _compared(row, pairs, None, None, proxy=base.proxy)
    return _compared(row, Pairs(()), base.value, row.value, proxy=base.proxy)


def _paired(base: MetricRow, row: MetricRow, pairs: Pairs, sample: _Sample) -> ComparedRow:
    compared = _compared(row, pairs, *sample.values, proxy=base.proxy)
    if row.better == "neither":
        return compared
    drops = [(pair.case_id, worsening(pair.candidate - pair.base, row.better)) for pair in pairs.pairs]
    return replace(
        compared,
        regressed=tuple(name for name, drop in drops if drop > ROUNDING),
        improved=tuple(name for name, drop in drops if drop < -ROUNDING),
    )


def _compared(row: MetricRow, pairs: Pairs, base: float | None, candidate: float | None, *, proxy: bool) -> ComparedRow:
    return ComparedRow(
        metric=row.name,
        level=row.level,
        slice=dict(row.slice),
        unit=row.unit,
        better=row.better,
        base=base,
        candidate=candidate,
        difference=None if base is None or candidate is None else candidate - base,
        pairs=len(pairs.pairs),
        lost=pairs.lost,
        gained=pairs.gained,
        proxy=row.proxy or proxy,
        small=row.small,
        population=row.population,
    )


def _tested(rows: Sequence[ComparedRow], samples: Sequence[_Sample | None], settings: RunSettings) -> list[ComparedRow]:
    """Add intervals and p values, drawn together for all rows."""
    found = list(rows)
    with_units = [(place, sample.units) for place, sample in enumerate(samples) if sample is not None]
    drawn = [(place, units) for place, units in with_units if units is not None]
    intervals = bootstrap_ratios([units for _, units in drawn], resamples=settings.resamples, seed=settings.seed)
    for (place, _), interval in zip(drawn, intervals, strict=True):
        found[place] = replace(found[place], interval=interval)
    tested = [(place, sample.after - sample.before) for place, sample in enumerate(samples) if sample is not None]
    longest = max((len(column) for _, column in tested), default=1)
    swaps = max(_LEAST_SWAPS, min(_MOST_SWAPS, _CELLS // longest))
    p_values = randomisation_tests([column for _, column in tested], resamples=swaps, seed=settings.seed)
    for (place, _), p in zip(tested, p_values, strict=True):
        found[place] = replace(found[place], p=p)
    return found


def _adjusted(rows: Sequence[ComparedRow]) -> list[ComparedRow]:
    """Adjust p by Holm: rows of all cases among themselves, sliced rows among themselves."""
    found = list(rows)
    for sliced in (False, True):
        family = [(i, row.p) for i, row in enumerate(rows) if bool(row.slice) is sliced and row.p is not None]
        for (place, _), p in zip(family, holm([p for _, p in family]), strict=True):
            found[place] = replace(found[place], p_adjusted=p)
    return found
