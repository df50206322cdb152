"""Rules of non-regression: the paired drop against a baseline, with intervals adjusted for all of them together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from ragtriage.core.configuration import Configuration, GateRule
from ragtriage.core.results import CASES, MetricRow, Results, Verdict
from ragtriage.decisions.baseline import Baseline, Pairs, Table, not_comparable, pairs_of
from ragtriage.decisions.members import Members
from ragtriage.stats.bootstrap import bootstrap_means, by_cluster, interval_of, resample_blocks
from ragtriage.stats.multiplicity import holm_levels

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["PROXY", "ROUNDING", "Drop", "judge_drops", "worsening"]

ROUNDING = 1e-12  # a mean of the limit itself passes, whatever the last bit of the sum
PROXY = (
    "rests on an uncalibrated judge, which neither passes nor blocks a gate; "
    "calibrate it, or set allow_proxy = true in this rule"
)
_ALPHA = 0.05
_SHOWN = 5
_TAIL = 50  # resamples that should lie behind the end of an adjusted interval
_CELLS = 200_000_000  # drawn at most for one rule


@dataclass(frozen=True, slots=True)
class Drop:
    """How much worse the candidate is over the pairs of one rule, and what follows from it."""

    verdict: Verdict
    reason: str
    value: float | None = None
    interval: tuple[float, float] | None = None
    pairs: int = 0


@dataclass(frozen=True, eq=False)
class _Sample:
    """The drop over the pairs of one rule, and the same over resamples of them."""

    drop: float
    drawn: NDArray[np.float64]
    limit: float
    pairs: int

    @property
    def p(self) -> float:
        """The two-sided p that the true drop equals the limit: how far the resamples keep to one side of it."""
        above = int((self.drawn > self.limit).sum())
        size = len(self.drawn)
        return min(1.0, 2 * (min(above, size - above) + 1) / (size + 1))


def judge_drops(
    results: Results, table: Table, members: Members, settings: Configuration, *, baseline: Baseline | None
) -> dict[int, Drop]:
    """Judge every `max_drop` rule of a gate, by its place among the rules.

    d = how much worse the candidate is, in pairs. Pass if the upper end of its interval is at most the limit, fail if
    the lower end is above it, else undecidable. The intervals hold together at 95 %: Holm's procedure over the rules.
    """
    wanted = {place: rule for place, rule in enumerate(settings.gate) if rule.max_drop is not None}
    draw = _Draw(results, table, members, settings, baseline, len(wanted))
    found: dict[int, Drop] = {}
    samples: dict[int, _Sample] = {}
    for place, rule in wanted.items():
        judged = draw.sample(rule)
        if isinstance(judged, str):
            found[place] = Drop("undecidable", judged)
        else:
            samples[place] = judged
    levels = holm_levels([sample.p for sample in samples.values()], alpha=_ALPHA)
    for (place, sample), level in zip(samples.items(), levels, strict=True):
        found[place] = _verdict(sample, interval_of(sample.drawn, level=1 - level))
    return found


def worsening(difference: float, better: Literal["higher", "lower", "neither"]) -> float:
    """Turn candidate - base into a drop: above 0 where the candidate is worse.

    >>> worsening(0.25, "lower"), worsening(0.25, "higher")
    (0.25, -0.25)
    """
    return difference if better == "lower" else -difference


def _verdict(sample: _Sample, interval: tuple[float, float]) -> Drop:
    low, high = interval
    told = f"drop {sample.drop:.4g} [{low:.4g}, {high:.4g}] over {sample.pairs} pairs against {sample.limit:g}"
    if high <= sample.limit + ROUNDING:
        return Drop("pass", f"{told}: not worse", sample.drop, interval, sample.pairs)
    if low > sample.limit + ROUNDING:
        return Drop("fail", f"{told}: worse", sample.drop, interval, sample.pairs)
    return Drop("undecidable", f"{told}: the interval holds the limit", sample.drop, interval, sample.pairs)


@dataclass(frozen=True)
class _Draw:
    """Draws the resamples of rules, or says why there are none."""

    results: Results
    table: Table
    members: Members
    settings: Configuration
    baseline: Baseline | None
    rules: int

    @cached_property
    def _base_table(self) -> Table:
        return Table.of(self.baseline.scores, self.baseline.units) if self.baseline is not None else Table()

    def sample(self, rule: GateRule) -> _Sample | str:
        """Return the drop over the pairs of one rule and over resamples of them."""
        row = self.results.row(rule.metric, level=rule.level, where=rule.slice)
        reason = self._no_baseline() or self._no_row(rule, row)
        if reason is not None or row is None:
            return reason or ""
        pairs = pairs_of(
            self._base_table.of_metric(row.name, row.level),
            self.table.of_metric(row.name, row.level),
            cases=self.members.ids(row.population, rule.slice, metric=row.name),
            population=row.population,
        )
        return self._too_few(pairs, row) or self._drawn(pairs, row, limit=rule.max_drop or 0.0)

    def _no_baseline(self) -> str | None:
        if self.baseline is None:
            return "there is no baseline to compare with; give one with --baseline"
        if (reason := not_comparable(self.baseline.results, self.results)) is not None:
            return f"{reason}, so their difference means nothing"
        if self.baseline.results.status != "complete":
            return f"the baseline is {self.baseline.results.status}"
        return None

    def _no_row(self, rule: GateRule, row: MetricRow | None) -> str | None:
        if row is None:
            return f"the run has no row of {rule.metric} over the slice: no case is there, or it was not computed"
        if row.value is None:
            return f"there is no value: {row.reason or 'no case was scored'}"
        old = self.baseline.results.row(rule.metric, level=row.level) if self.baseline is not None else None
        if (row.proxy or (old is not None and old.proxy)) and not rule.allow_proxy:
            return PROXY
        if row.aggregate == "set":
            return "a metric over the whole set has no pairs of cases; hold it with min or max"
        return None

    def _too_few(self, pairs: Pairs, row: MetricRow) -> str | None:
        policy = self.settings.gate_policy
        least = max(2, policy.min_scored)
        if len(pairs.pairs) < least:
            return f"{len(pairs.pairs)} {row.population} are scored in both runs, at least {least} are needed"
        if pairs.lost_share > policy.max_failed_share:
            scored = len(pairs.pairs) + len(pairs.lost)
            names = ", ".join(pairs.lost[:_SHOWN])
            return f"{len(pairs.lost)} of {scored} {row.population} that the baseline scored have no value now: {names}"
        if row.population != CASES and pairs.appeared_share > policy.max_failed_share:
            scored, names = len(pairs.pairs) + len(pairs.appeared), ", ".join(pairs.appeared[:_SHOWN])
            new = f"{len(pairs.appeared)} of {scored} {row.population} have a value now and had none in the baseline"
            return f"{new}, so pairs do not show what they changed; hold it with min or max: {names}"
        return None

    def _drawn(self, pairs: Pairs, row: MetricRow, *, limit: float) -> _Sample | str:
        import numpy as np  # noqa: PLC0415

        columns = np.array([[p.base, p.candidate, p.base_support, p.candidate_support] for p in pairs.pairs])
        names = np.arange(len(columns))
        if self.settings.run.cluster == "document":
            clusters = self.members.clusters(row.population)
            names = np.unique(np.array([clusters[pair.case_id] for pair in pairs.pairs]), return_inverse=True)[1]
        drop = _drop(columns, row)
        if _constant(columns, row):
            return _Sample(drop, np.full(self.settings.run.resamples, drop), limit, len(columns))
        if bool((names == names[0]).all()):
            return "all pairs share one document, which tells nothing of the spread; set run.cluster = 'none'"
        size = min(math.ceil(2 * _TAIL * self.rules / _ALPHA), _CELLS // len(columns))
        drawn = _resampled(
            columns, names, row, resamples=max(self.settings.run.resamples, size), seed=self.settings.run.seed
        )
        return _Sample(drop, drawn, limit, len(columns))


def _resampled(
    columns: NDArray[np.float64], names: NDArray[np.int64], row: MetricRow, *, resamples: int, seed: int
) -> NDArray[np.float64]:
    """Return the drop over each resample of clusters."""
    import numpy as np  # noqa: PLC0415

    before, after, before_support, after_support = columns.T
    if row.aggregate == "median":
        units = [np.flatnonzero(names == name) for name in np.unique(names)]
        blocks = resample_blocks(len(units), resamples=resamples, seed=seed)
        return np.array(
            [_drop(columns[np.concatenate([units[u] for u in chosen])], row) for block in blocks for chosen in block]
        )
    if row.aggregate == "micro":
        parts = [after * after_support, after_support, before * before_support, before_support]
    else:
        parts = [after - before, np.ones(len(columns))]
    sums = bootstrap_means(np.column_stack([by_cluster(p, names) for p in parts]), resamples=resamples, seed=seed)
    difference = sums[:, 0] / sums[:, 1]
    if row.aggregate == "micro":
        difference = difference - sums[:, 2] / sums[:, 3]
    return np.asarray(difference if row.better == "lower" else -difference)


def _drop(columns: NDArray[np.float64], row: MetricRow) -> float:
    """Return how much worse the candidate's aggregate is than the base's, over the same pairs."""
    import numpy as np  # noqa: PLC0415

    before, after, before_support, after_support = columns.T
    match row.aggregate:
        case "median":
            difference = float(np.median(after) - np.median(before))
        case "micro":
            difference = float(np.average(after, weights=after_support) - np.average(before, weights=before_support))
        case _:
            difference = float((after - before).mean())
    return worsening(difference, row.better)


def _constant(columns: NDArray[np.float64], row: MetricRow) -> bool:
    """Say whether every case changed by the same amount, so that no resample can differ."""
    moved = columns[:, 1] - columns[:, 0]
    return row.aggregate == "mean" and bool((moved == moved[0]).all())
