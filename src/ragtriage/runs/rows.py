"""From scores to rows: one metric over all cases or units of a population, and over each slice of them."""

from __future__ import annotations

import math
import typing
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ragtriage.core.catalogue import METRICS
from ragtriage.core.configuration import Configuration, GateRule
from ragtriage.core.declare import Level, Metric
from ragtriage.core.rankings import Candidates, RankingPair
from ragtriage.core.records import Behaviour
from ragtriage.core.results import CASES, MetricRow
from ragtriage.core.score import Failed, Score, Undefined, Value
from ragtriage.runs.selection import Selected
from ragtriage.runs.units import Population, Unit
from ragtriage.stats.aggregate import SCORED, Aggregated, Columns, aggregate, why_none
from ragtriage.stats.bootstrap import bootstrap_median, bootstrap_ratios, by_cluster, resampled_statistic
from ragtriage.stats.slices import Slice, clusters_of, fields_of, slices_by, slices_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ragtriage.runs.viewing import RunViews

__all__ = ["Draft", "Rows", "batch_of", "with_intervals"]

_SET_RESAMPLES, _SLICE_RESAMPLES = 200, 100  # a set-level metric is computed anew for each of them
_SET_CELLS = 2_000_000  # over at most so many views in all, else it has no interval
_DIGITS = 12  # what lies behind depends on the order in which a machine adds


def batch_of(views: RunViews, kind: type[Any], level: Level) -> Any:
    """Return the batch of rankings that a metric of this view sees at a level."""
    if issubclass(kind, RankingPair):
        return views.pair(kind, level)
    return views.candidates(level) if issubclass(kind, Candidates) else views.rankings(level)


@dataclass(frozen=True, slots=True)
class Draft:
    """A row whose interval is still to be drawn from `units` (numerators and denominators), or is there already."""

    row: MetricRow
    units: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None


@dataclass(frozen=True, eq=False)
class _Members:
    """Who is counted: all of a population first, then each slice; `clusters`: who is resampled together."""

    population: str
    slices: list[Slice]
    rows: list[NDArray[np.int64]]
    clusters: NDArray[np.int64]

    @classmethod
    def of(cls, population: str, size: int, slices: Iterable[Slice], clusters: Sequence[str] | None) -> _Members:
        import numpy as np  # noqa: PLC0415

        found = [Slice({}, tuple(range(size))), *slices]
        drawn = np.arange(size, dtype=np.int64)
        if clusters is not None:
            drawn = np.unique(np.array(clusters, dtype=np.str_), return_inverse=True)[1]
        return cls(population, found, [np.array(part.rows, dtype=np.int64) for part in found], drawn)


class Rows:
    """Makes the rows of one run: all cases first, then each slice."""

    def __init__(self, views: RunViews, settings: Configuration) -> None:
        self._views = views
        self._run = settings.run
        self._gate = settings.gate
        self._least = settings.slices.min_cases
        self._gated = [rule.slice for rule in settings.gate]
        by = [*settings.slices.by, *_gated_by(settings.gate, CASES)]
        self._together = settings.run.cluster == "document"
        clusters = clusters_of(views.cases) if self._together else None
        self._cases = _Members.of(CASES, len(views.cases), slices_of(views.cases, by), clusters)

    def telling(self, drafts: Iterable[Draft]) -> Iterator[Draft]:
        """Leave out the slices of a metric that is undefined for every case: they would repeat its first row."""
        nothing = False
        for draft in drafts:
            if not draft.row.slice:
                nothing = draft.row.value is None and not draft.row.failed
            if not nothing or not draft.row.slice or draft.row.slice in self._gated:
                yield draft

    def over_cases(self, selected: Selected, level: Level | None, table: Columns) -> Iterator[Draft]:
        """Aggregate the scores of cases."""
        missing, judged = self._missing(selected.metric, level), self._behaviours_judged(selected.metric)
        yield from self._over(selected, self._cases, table, level=level, missing=missing, judged=judged)

    def over_units(self, selected: Selected, population: Population, table: Columns) -> Iterator[Draft]:
        """Aggregate the scores of the units of another population; a view may say that nothing came for its unit."""
        import numpy as np  # noqa: PLC0415

        missing = np.array([getattr(view, "missing", False) for view in population.views], dtype=bool)
        yield from self._over(selected, self._units(population), table, level=None, missing=missing, judged=None)

    def over_sets(self, selected: Selected, population: Population | None = None) -> Iterator[Draft]:
        """Compute a set-level metric over the views of each slice; a view that `tells` nothing is not counted."""
        import numpy as np  # noqa: PLC0415

        members = self._cases if population is None else self._units(population)
        given = self._views.seen_by(selected.metric) if population is None else population.views
        for part, rows in zip(members.slices, members.rows, strict=True):
            places = [row for row in part.rows if not isinstance(given[row], Undefined | Failed)]
            outcomes = Columns.of([v for v in (given[row] for row in part.rows) if isinstance(v, Undefined | Failed)])
            score = self._set_score(selected, [given[row] for row in places])
            telling = [row for row in places if _tells(given[row], selected)]
            scored = min(score.support, len(telling)) if isinstance(score, Value) else 0
            failed = sum(isinstance(given[row], Failed) for row in part.rows)
            reason = None
            if isinstance(score, Undefined):
                reason = (
                    score.reason if places or not len(outcomes) else why_none(outcomes, population=members.population)
                )
            value = score.value if isinstance(score, Value) else None
            result = Aggregated(value, scored, len(rows) - failed - scored, failed, reason=reason)
            judged = self._judge_decides(selected, [given[row] for row in places])
            draft = self._draft(selected, members.population, part, result, judged=judged)
            resamples = self._set_resamples(part)
            alone = min(scored, len(np.unique(members.clusters[telling]))) < 2  # noqa: PLR2004 - nothing can differ
            if value is None or draft.row.small or alone or not resamples:
                yield draft
            else:
                seen = [given[row] for row in places]
                interval = self._set_interval(selected, seen, members.clusters[places], resamples=resamples)
                if interval is not None and not interval[0] <= value <= interval[1]:
                    interval = None  # resamples hold fewer distinct cases: of such a metric they tell nothing
                yield Draft(draft.row.model_copy(update={"interval": interval}))

    def without(self, selected: Selected, reason: str) -> Draft:
        """Make the one row of a metric whose population the run was not given."""
        nothing = Aggregated(None, 0, 0, 0, reason=reason)
        return self._draft(selected, selected.metric.population, Slice({}, ()), nothing, judged=False)

    def _units(self, population: Population) -> _Members:
        units: Sequence[Unit] = population.units
        fields = [unit.fields for unit in units]
        by = [*fields_of(fields), *_gated_by(self._gate, population.name)]
        slices = slices_by([{name: (value,) for name, value in one.items()} for one in fields], by)
        clusters = [unit.document or unit.unit_id for unit in units] if self._together else None
        return _Members.of(population.name, len(units), slices, clusters)

    def _over(
        self,
        selected: Selected,
        members: _Members,
        table: Columns,
        *,
        level: Level | None,
        missing: NDArray[np.bool_] | None,
        judged: NDArray[np.bool_] | None,
    ) -> Iterator[Draft]:
        ratios = selected.metric.bounds == (0, 1) and _counts_something(table)
        for part, rows in zip(members.slices, members.rows, strict=True):
            column = table.take(rows)
            result = aggregate(column, how=selected.metric.aggregate, population=members.population)
            chosen = column.status == SCORED
            draft = self._draft(
                selected,
                members.population,
                part,
                result,
                level=level,
                missing=0 if missing is None else int(missing[rows].sum()),
                ratio=ratios,
                judged=judged is not None and bool(judged[rows[chosen]].any()),
            )
            clusters = members.clusters[rows[chosen]]
            yield self._drawn(draft, selected.metric, column.values[chosen], column.support[chosen], clusters)

    def _draft(
        self,
        selected: Selected,
        population: str,
        part: Slice,
        result: Aggregated,
        *,
        level: Level | None = None,
        missing: int = 0,
        ratio: bool = False,
        judged: bool,
    ) -> Draft:
        metric = selected.metric
        row = MetricRow(
            name=selected.name,
            level=level,
            population=population,
            slice=dict(part.where),
            value=result.value,
            scored=result.scored,
            undefined=result.undefined,
            failed=result.failed,
            missing=missing,
            unit=metric.unit,
            better=metric.better,
            aggregate=metric.aggregate,
            micro=result.micro if ratio and metric.aggregate == "mean" else None,
            macro=result.macro if metric.aggregate == "micro" else None,
            proxy=(metric.proxy or judged) and not self._views.calibrated_for(metric),
            small=bool(part.where) and result.scored < self._least,
            reason=result.reason,
        )
        return Draft(row)

    def _drawn(
        self,
        draft: Draft,
        metric: Metric[Any, Any],
        values: NDArray[np.float64],
        support: NDArray[np.int64],
        clusters: NDArray[np.int64],
    ) -> Draft:
        """Add the units that an interval is drawn over; one unit alone has no interval."""
        import numpy as np  # noqa: PLC0415

        if not len(values) or bool((clusters == clusters[0]).all()):
            return draft
        if metric.aggregate == "median":
            interval = bootstrap_median(values, clusters=clusters, resamples=self._run.resamples, seed=self._run.seed)
            return Draft(draft.row.model_copy(update={"interval": interval}))
        weights = support.astype(np.float64) if metric.aggregate == "micro" else np.ones(len(values))
        return Draft(draft.row, (by_cluster(values * weights, clusters), by_cluster(weights, clusters)))

    def _behaviours_judged(self, metric: Metric[Any, Any]) -> NDArray[np.bool_] | None:
        """Say of each case whether a judge and no record says what the answer does, or how relevant its context is."""
        import numpy as np  # noqa: PLC0415

        told = "behaviour_judged" if metric.reads_behaviour else "relevance_judged"
        if not metric.reads_behaviour and "relevance" not in metric.asks:
            return None
        return np.array([getattr(view, told, False) for view in self._views.of(metric.view)], dtype=bool)

    def _judge_decides(self, selected: Selected, views: Sequence[Any]) -> bool:
        """Say whether a set-level score could be another, had a judge said otherwise of what its answers do."""
        if not selected.metric.reads_behaviour or not any(view.behaviour_judged for view in views):
            return False
        said = [
            [replace(view, behaviour=name) if view.behaviour_judged else view for view in views]
            for name in typing.get_args(Behaviour)
        ]
        first, *others = [self._set_score(selected, members) for members in said]
        return any(other != first for other in others)

    def _set_score(self, selected: Selected, views: Sequence[Any]) -> Score:
        score: Score = selected.metric(views, **selected.parameters)
        return score

    def _score_at(self, selected: Selected, views: Sequence[Any], places: Sequence[int]) -> Score:
        return self._set_score(selected, [views[place] for place in places])

    def _set_interval(
        self, selected: Selected, views: Sequence[Any], clusters: NDArray[np.int64], *, resamples: int
    ) -> tuple[float, float] | None:
        import numpy as np  # noqa: PLC0415

        members = _by_cluster(clusters)
        if len(members) < 2 or resamples * len(views) > _SET_CELLS:  # noqa: PLR2004
            return None

        def again(drawn: NDArray[np.integer]) -> float | None:
            score = score_of([place for unit in drawn for place in members[unit]])
            return score.value if isinstance(score, Value) else undefined

        undefined = math.inf if selected.metric.beyond else None
        redraws = selected.metric.redraws
        score_of = redraws(views, **selected.parameters) if redraws else partial(self._score_at, selected, views)
        with np.errstate(invalid="ignore"):  # between two resamples without an end there is no quantile
            interval = resampled_statistic(again, len(members), resamples=resamples, seed=self._run.seed)
        return interval if interval is not None and all(map(math.isfinite, interval)) else None

    def _set_resamples(self, part: Slice) -> int:
        """Return how often a set-level metric is computed anew; never over a pair of fields that no rule asks for."""
        if not part.where:
            return _SET_RESAMPLES
        asked = len(part.where) == 1 or dict(part.where) in self._gated
        return _SLICE_RESAMPLES if asked else 0

    def _missing(self, metric: Metric[Any, Any], level: Level | None) -> NDArray[np.bool_] | None:
        """Say of each case whether it was asked and nothing came, where the metric reads rankings."""
        import numpy as np  # noqa: PLC0415

        if level is None:
            return None
        batch = batch_of(self._views, metric.view, level)
        listed = batch.after.listed if isinstance(batch, RankingPair) else batch.listed
        there = np.array([why is None for why in self._views.unavailable(level, metric.view)], dtype=bool)
        return np.asarray(there & ~listed)


def _gated_by(gate: Iterable[GateRule], population: str) -> list[str]:
    """Return the slices that the rules on metrics of a population ask for; a metric that is none says so elsewhere."""
    found = []
    for rule in gate:
        base = rule.metric.partition("@")[0].partition("(")[0].strip()
        counts = METRICS[base].population if base in METRICS else CASES
        if rule.slice and counts == population:
            found.append("+".join(rule.slice))
    return found


def _tells(view: Any, selected: Selected) -> bool:
    """Say whether a view counts for a set-level metric; one that does not know counts."""
    asked = getattr(view, "tells", None)
    return asked is None or bool(asked(**selected.parameters))


def _by_cluster(clusters: NDArray[np.int64]) -> list[list[int]]:
    """Return the places of each cluster, clusters in sorted order."""
    found: dict[int, list[int]] = {}
    for place, cluster in enumerate(clusters.tolist()):
        found.setdefault(cluster, []).append(place)
    return [found[cluster] for cluster in sorted(found)]


def _counts_something(table: Columns) -> bool:
    """Say whether every score is a share of counted items (whole numerators), over more than one item somewhere."""
    import numpy as np  # noqa: PLC0415

    scored = table.status == SCORED
    support = table.support[scored]
    top = table.values[scored] * support
    return bool((support > 1).any() and (np.abs(top - np.rint(top)) < 1e-6).all())  # noqa: PLR2004 - rounding


def with_intervals(drafts: Sequence[Draft], settings: Configuration) -> list[MetricRow]:
    """Draw the intervals of all rows together."""
    waiting = [draft for draft in drafts if draft.units is not None]
    drawn = iter(
        bootstrap_ratios(
            [draft.units for draft in waiting if draft.units is not None],
            resamples=settings.run.resamples,
            seed=settings.run.seed,
        )
    )
    rows = []
    for draft in drafts:
        interval = draft.row.interval if draft.units is None else next(drawn)
        if interval is None:
            rows.append(draft.row)
        else:
            low, high = (float(f"{end:.{_DIGITS}g}") for end in interval)
            rows.append(draft.row.model_copy(update={"interval": (low, high)}))
    return rows
