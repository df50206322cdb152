"""From views to scores of cases, and from scores to rows: one metric over all cases or over a slice of them."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ragtriage.core.configuration import Configuration
from ragtriage.core.declare import Level, Metric
from ragtriage.core.rankings import Candidates, RankingPair, Rankings
from ragtriage.core.records import Behaviour
from ragtriage.core.results import CaseScore, MetricRow
from ragtriage.core.score import Failed, Outcome, Score, Scores, Undefined, Value
from ragtriage.runs.selection import Selected, Selection
from ragtriage.stats.aggregate import SCORED, Aggregated, Columns, aggregate, why_none
from ragtriage.stats.bootstrap import bootstrap_median, bootstrap_ratios, by_cluster, resampled_statistic
from ragtriage.stats.slices import Slice, clusters_of, slices_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ragtriage.runs.viewing import RunViews

__all__ = ["metric_rows", "score_cases"]

_SET_RESAMPLES, _SLICE_RESAMPLES = 200, 100  # a set-level metric is computed anew for each of them
_SET_CELLS = 2_000_000  # over at most so many views in all, else it has no interval
_DIGITS = 12  # what lies behind depends on the order in which a machine adds
_NO_SCORE = Failed("run", "missing", "no score of this case was recorded")


def score_cases(views: RunViews, selection: Selection) -> list[CaseScore]:
    """Score every case by every selected metric, ranking metrics at each level that says anything of the golden set.

    Set-level metrics have no score of a case; `metric_rows` computes them.
    """
    return [
        CaseScore(case_id, selected.name, level, outcome)
        for selected in selection.metrics
        if not selected.metric.takes_many
        for level, outcomes in _scored(views, selected)
        for case_id, outcome in zip(views.case_ids, outcomes, strict=True)
    ]


def metric_rows(
    views: RunViews, selection: Selection, scores: Sequence[CaseScore], settings: Configuration
) -> list[MetricRow]:
    """Aggregate over all cases and over each slice, with intervals and with what was not scored counted.

    A case without a score of a metric counts as failed. What is undefined for every case has its row over all cases,
    with the reason, and no rows of slices but those that a gate rule asks for. Set-level metrics are computed anew for
    each slice and each resample. Intervals are drawn over clusters of cases that share a document of evidence where the
    settings say so.
    """
    rows = _Rows(views, settings)
    tables = _tables(scores, views.case_ids)
    drafts: list[_Draft] = []
    for selected in selection.metrics:
        if selected.metric.takes_many:
            drafts.extend(rows.telling(rows.over_sets(selected)))
        else:
            for level in [level for name, level in tables if name == selected.name]:
                drafts.extend(rows.telling(rows.over_cases(selected, level, tables[selected.name, level])))
    return _with_intervals(drafts, settings)


def _scored(views: RunViews, selected: Selected) -> Iterator[tuple[Level | None, list[Outcome]]]:
    metric, kind = selected.metric, selected.metric.view
    if isinstance(kind, type) and issubclass(kind, Rankings | RankingPair):
        for level in _levels(views, metric):
            scores = metric(_batch(views, kind, level), **selected.parameters)
            yield level, _outcomes(views.unavailable(level, kind), scores)
        return
    yield None, [_one(metric, view, selected.parameters) for view in views.seen_by(metric)]


def _outcomes(reasons: Sequence[Undefined | Failed | None], scores: Scores) -> list[Outcome]:
    """Return the outcome of each row: why it means nothing, else its score; equal scores are one object."""
    made: dict[tuple[float, int], Value] = {}
    undefined = Undefined(scores.undefined)
    found: list[Outcome] = []
    for why, value, support in zip(reasons, scores.values.tolist(), scores.support.tolist(), strict=True):
        if why is not None:
            found.append(why)
        elif not support:
            found.append(undefined)
        else:
            key = value, support
            if key not in made:
                made[key] = Value(value, support)
            found.append(made[key])
    return found


def _one(metric: Metric[Any, Any], view: Any, parameters: Mapping[str, Any]) -> Outcome:
    if isinstance(view, Undefined | Failed):
        return view
    score: Score = metric(view, **parameters)
    return score


def _batch(views: RunViews, kind: type[Any], level: Level) -> Any:
    if issubclass(kind, RankingPair):
        return views.pair(kind, level)
    return views.candidates(level) if issubclass(kind, Candidates) else views.rankings(level)


def _levels(views: RunViews, metric: Metric[Any, Any]) -> list[Level]:
    """Return the levels at which any case with evidence can be scored; the metric's first where there is none.

    With evidence that names whole documents there are no rows of spans and chunks.
    """
    levels = metric.levels or ("document",)
    needed = [bool(gold.needed) for gold in views.golds]
    useful = [
        level
        for level in levels
        if any(why is None and need for why, need in zip(views.unavailable(level, metric.view), needed, strict=True))
    ]
    return useful or [levels[0]]


def _tables(scores: Iterable[CaseScore], case_ids: Sequence[str]) -> dict[tuple[str, Level | None], Columns]:
    """Lay scores out by metric and level, one column of all cases each."""
    place = {case_id: index for index, case_id in enumerate(case_ids)}
    found: dict[tuple[str, Any], list[Outcome]] = {}
    for score in scores:
        key = (score.metric, score.level)
        if key not in found:
            found[key] = [_NO_SCORE] * len(place)
        if score.case_id in place:
            found[key][place[score.case_id]] = score.outcome
    return {key: Columns.of(column) for key, column in found.items()}


@dataclass(frozen=True, slots=True)
class _Draft:
    """A row whose interval is still to be drawn from `units` (numerators and denominators), or is there already."""

    row: MetricRow
    units: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None


class _Rows:
    """Makes the rows of one run: all cases first, then each slice."""

    def __init__(self, views: RunViews, settings: Configuration) -> None:
        import numpy as np  # noqa: PLC0415

        self._views = views
        self._run = settings.run
        self._least = settings.slices.min_cases
        gated = ["+".join(rule.slice) for rule in settings.gate if rule.slice]
        self._gated = [rule.slice for rule in settings.gate]
        whole = Slice({}, tuple(range(len(views.cases))))
        self._slices = [whole, *slices_of(views.cases, [*settings.slices.by, *gated])]
        self._rows = [np.array(part.rows, dtype=np.int64) for part in self._slices]
        self._clusters: NDArray[np.int64] = np.arange(len(views.cases), dtype=np.int64)
        if settings.run.cluster == "document":
            self._clusters = np.unique(np.array(clusters_of(views.cases)), return_inverse=True)[1]

    def telling(self, drafts: Iterable[_Draft]) -> Iterator[_Draft]:
        """Leave out the slices of a metric that is undefined for every case: they would repeat its first row."""
        nothing = False
        for draft in drafts:
            if not draft.row.slice:
                nothing = draft.row.value is None and not draft.row.failed
            if not nothing or not draft.row.slice or draft.row.slice in self._gated:
                yield draft

    def over_cases(self, selected: Selected, level: Level | None, table: Columns) -> Iterator[_Draft]:
        """Aggregate the scores of cases."""
        missing = self._missing(selected.metric, level)
        ratios = selected.metric.bounds == (0, 1) and _counts_something(table)
        judged = self._behaviours_judged(selected.metric)
        for part, rows in zip(self._slices, self._rows, strict=True):
            column = table.take(rows)
            result = aggregate(column, how=selected.metric.aggregate)
            chosen = column.status == SCORED
            draft = self._draft(
                selected,
                part,
                result,
                level=level,
                missing=0 if missing is None else int(missing[rows].sum()),
                micro=result.micro if ratios and selected.metric.aggregate == "mean" else None,
                judged=bool(judged[rows[chosen]].any()),
            )
            yield self._drawn(draft, selected.metric, column.values[chosen], column.support[chosen], rows[chosen])

    def over_sets(self, selected: Selected) -> Iterator[_Draft]:
        """Compute a set-level metric over the views of each slice."""
        given = self._views.seen_by(selected.metric)
        for part, rows in zip(self._slices, self._rows, strict=True):
            places = [row for row in part.rows if not isinstance(given[row], Undefined | Failed)]
            outcomes = Columns.of([v for v in (given[row] for row in part.rows) if isinstance(v, Undefined | Failed)])
            score = self._set_score(selected, [given[row] for row in places])
            scored = min(score.support, len(places)) if isinstance(score, Value) else 0
            failed = sum(isinstance(given[row], Failed) for row in part.rows)
            reason = None
            if isinstance(score, Undefined):
                reason = score.reason if places or not len(outcomes) else why_none(outcomes)
            value = score.value if isinstance(score, Value) else None
            result = Aggregated(value, scored, len(rows) - failed - scored, failed, reason=reason)
            judged = self._judge_decides(selected, [given[row] for row in places])
            draft = self._draft(selected, part, result, level=None, missing=0, micro=None, judged=judged)
            resamples = self._set_resamples(part)
            if value is None or draft.row.small or not resamples:
                yield draft
            else:
                members = [given[row] for row in places]
                interval = self._set_interval(selected, members, self._clusters[places], resamples=resamples)
                if interval is not None and not interval[0] <= value <= interval[1]:
                    interval = None  # resamples hold fewer distinct cases: of such a metric they tell nothing
                yield _Draft(draft.row.model_copy(update={"interval": interval}))

    def _draft(
        self,
        selected: Selected,
        part: Slice,
        result: Aggregated,
        *,
        level: Level | None,
        missing: int,
        micro: float | None,
        judged: bool,
    ) -> _Draft:
        metric = selected.metric
        row = MetricRow(
            name=selected.name,
            level=level,
            slice=dict(part.where),
            value=result.value,
            scored=result.scored,
            undefined=result.undefined,
            failed=result.failed,
            missing=missing,
            unit=metric.unit,
            better=metric.better,
            aggregate=metric.aggregate,
            micro=micro,
            proxy=(metric.proxy or judged) and not self._views.calibrated_for(metric),
            small=bool(part.where) and result.scored < self._least,
            reason=result.reason,
        )
        return _Draft(row)

    def _drawn(
        self,
        draft: _Draft,
        metric: Metric[Any, Any],
        values: NDArray[np.float64],
        support: NDArray[np.int64],
        rows: NDArray[np.int64],
    ) -> _Draft:
        """Add the units that an interval is drawn over; one unit alone has no interval."""
        import numpy as np  # noqa: PLC0415

        clusters = self._clusters[rows]
        if not len(rows) or bool((clusters == clusters[0]).all()):
            return draft
        if metric.aggregate == "median":
            interval = bootstrap_median(values, clusters=clusters, resamples=self._run.resamples, seed=self._run.seed)
            return _Draft(draft.row.model_copy(update={"interval": interval}))
        weights = support.astype(np.float64) if metric.aggregate == "micro" else np.ones(len(values))
        return _Draft(draft.row, (by_cluster(values * weights, clusters), by_cluster(weights, clusters)))

    def _behaviours_judged(self, metric: Metric[Any, Any]) -> NDArray[np.bool_]:
        """Say of each case whether a judge and no record says what the answer does, or how relevant its context is."""
        import numpy as np  # noqa: PLC0415

        told = "behaviour_judged" if metric.reads_behaviour else "relevance_judged"
        if not metric.reads_behaviour and "relevance" not in metric.asks:
            return np.zeros(len(self._clusters), dtype=bool)
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

    def _set_interval(
        self, selected: Selected, views: Sequence[Any], clusters: NDArray[np.int64], *, resamples: int
    ) -> tuple[float, float] | None:
        members = _members(clusters)
        if len(members) < 2 or resamples * len(views) > _SET_CELLS:  # noqa: PLR2004
            return None

        def again(drawn: NDArray[np.integer]) -> float | None:
            score = self._set_score(selected, [views[place] for unit in drawn for place in members[unit]])
            return score.value if isinstance(score, Value) else None

        return resampled_statistic(again, len(members), resamples=resamples, seed=self._run.seed)

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
        batch = _batch(self._views, metric.view, level)
        listed = batch.after.listed if isinstance(batch, RankingPair) else batch.listed
        there = np.array([why is None for why in self._views.unavailable(level, metric.view)], dtype=bool)
        return np.asarray(there & ~listed)


def _members(clusters: NDArray[np.int64]) -> list[list[int]]:
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


def _with_intervals(drafts: Sequence[_Draft], settings: Configuration) -> list[MetricRow]:
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
