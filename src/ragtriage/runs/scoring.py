"""From views to scores of cases and of other units, and from scores to the rows of a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from ragtriage.core.configuration import Configuration
from ragtriage.core.declare import Level, Metric
from ragtriage.core.rankings import RankingPair, Rankings
from ragtriage.core.results import CASES, CaseScore, MetricRow, UnitResult, UnitScore
from ragtriage.core.score import Failed, Outcome, Score, Scores, Undefined, Value
from ragtriage.runs.rows import Draft, Rows, batch_of, with_intervals
from ragtriage.runs.selection import Selected, Selection
from ragtriage.runs.units import Unit
from ragtriage.stats.aggregate import Columns

if TYPE_CHECKING:
    from ragtriage.runs.viewing import RunViews

__all__ = ["metric_rows", "score_cases", "score_units"]

_Key: TypeAlias = tuple[str, str, tuple[tuple[str, str], ...]]  # population, id, fields

_MEMBERS = 20  # documents of a group that its results name
_NO_SCORE = Failed("run", "missing", "no score of this case was recorded")


def score_cases(views: RunViews, selection: Selection) -> list[CaseScore]:
    """Score every case by every selected metric, ranking metrics at each level that says anything of the golden set.

    Set-level metrics have no score of a case; `metric_rows` computes them.
    """
    return [
        CaseScore(case_id, selected.name, level, outcome)
        for selected in selection.metrics
        if not selected.metric.takes_many and selected.metric.population == CASES
        for level, outcomes in _scored(views, selected)
        for case_id, outcome in zip(views.case_ids, outcomes, strict=True)
    ]


def score_units(views: RunViews, selection: Selection) -> tuple[UnitResult, ...]:
    """Score every unit of the other populations by every selected metric of theirs, by population and order of units.

    A set-level metric scores each unit as if it were alone: that says where to look, and sums up to no number. One that
    fits something to all of them (`redraws`) has no such scores. A population that the run was not given has none.
    Units of one id that are sliced differently, as texts of two files may be, stay apart.
    """
    units: dict[_Key, Unit] = {}
    scores: dict[_Key, dict[str, UnitScore]] = {}
    for selected in selection.metrics:
        metric = selected.metric
        if metric.population == CASES or metric.redraws is not None:
            continue
        population = views.population(metric.seen)
        if isinstance(population, Undefined):
            continue
        for unit, view in zip(population.units, population.views, strict=True):
            key = _key(population.name, unit)
            units.setdefault(key, unit)
            scores.setdefault(key, {})[selected.name] = UnitScore.of(_alone(metric, view, selected.parameters))
    return tuple(
        UnitResult(
            population=key[0],
            unit_id=unit.unit_id,
            document=unit.document,
            fields=dict(unit.fields),
            members=unit.members[:_MEMBERS],
            size=len(unit.members) or None,
            scores=scores[key],
        )
        for key, unit in sorted(units.items(), key=lambda item: item[0][0])
    )


def metric_rows(
    views: RunViews,
    selection: Selection,
    scores: Sequence[CaseScore],
    settings: Configuration,
    units: Sequence[UnitResult] = (),
) -> list[MetricRow]:
    """Aggregate over all cases and over each slice, with intervals and with what was not scored counted.

    A case without a score of a metric counts as failed. What is undefined for every case has its row over all cases,
    with the reason, and no rows of slices but those that a gate rule asks for. Set-level metrics are computed anew for
    each slice and each resample. Intervals are drawn over clusters of cases that share a document of evidence where the
    settings say so.
    """
    rows = Rows(views, settings)
    tables = _tables(scores, views.case_ids)
    of_units = {_key(unit.population, unit): unit.scores for unit in units}
    drafts: list[Draft] = []
    for selected in selection.metrics:
        if selected.metric.population != CASES:
            drafts.extend(rows.telling(_over_units(rows, views, selected, of_units)))
        elif selected.metric.takes_many:
            drafts.extend(rows.telling(rows.over_sets(selected)))
        else:
            for level in [level for name, level in tables if name == selected.name]:
                drafts.extend(rows.telling(rows.over_cases(selected, level, tables[selected.name, level])))
    return with_intervals(drafts, settings)


def _over_units(
    rows: Rows,
    views: RunViews,
    selected: Selected,
    scores: Mapping[_Key, Mapping[str, UnitScore]],
) -> Iterator[Draft]:
    """Make the rows of a metric of another population; one row with the reason where the run was given none."""
    metric = selected.metric
    population = views.population(metric.seen)
    if isinstance(population, Undefined):
        yield rows.without(selected, population.reason)
    elif metric.takes_many:
        yield from rows.over_sets(selected, population)
    else:
        found = [scores.get(_key(population.name, unit), {}).get(selected.name) for unit in population.units]
        column = Columns.of(_NO_SCORE if score is None else score.outcome for score in found)
        yield from rows.over_units(selected, population, column)


def _key(population: str, unit: Unit | UnitResult) -> _Key:
    return population, unit.unit_id, tuple(sorted(unit.fields.items()))


def _scored(views: RunViews, selected: Selected) -> Iterator[tuple[Level | None, list[Outcome]]]:
    metric, kind = selected.metric, selected.metric.view
    if isinstance(kind, type) and issubclass(kind, Rankings | RankingPair):
        for level in _levels(views, metric):
            scores = metric(batch_of(views, kind, level), **selected.parameters)
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


def _alone(metric: Metric[Any, Any], view: Any, parameters: Mapping[str, Any]) -> Outcome:
    many = metric.takes_many and not isinstance(view, Undefined | Failed)
    return _one(metric, [view] if many else view, parameters)


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
