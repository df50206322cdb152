"""How many cases a metric needs so that a change of it is seen, from the spread that a run shows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from statistics import stdev

from ragtriage.core.errors import BadInput, UnknownName
from ragtriage.core.results import CASES
from ragtriage.core.score import Value
from ragtriage.decisions.baseline import Table, pairs_of
from ragtriage.stats.power import detectable_effect, sample_size
from ragtriage.workflows.run import Run

__all__ = ["Power", "power"]

_LEAST_CASES = 2


@dataclass(frozen=True, slots=True)
class Power:
    """What a paired comparison of one metric can see at 5 % error and the given power.

    `deviation`: standard deviation of the differences of pairs, in the metric's unit: measured over the pairs of two
    runs, or bounded from one run's spread over cases as if two runs had nothing in common (sqrt 2 times it).
    `detectable`: the smallest difference that `cases` pairs show. `needed`: pairs for the difference `effect`.
    """

    metric: str
    level: str | None
    cases: int
    deviation: float
    measured: bool
    power: float
    detectable: float
    effect: float | None = None
    needed: int | None = None

    def __str__(self) -> str:
        """Say it in two lines."""
        source = "between the two runs" if self.measured else "bounded from one run"
        spread = f"power {self.power:.0%}, deviation of pairs {self.deviation:.3g}, {source}"
        lines = [f"{self.metric}: {self.cases} cases show a difference of {self.detectable:.3g} or more ({spread})"]
        if self.effect is not None and self.needed is not None:
            lines.append(f"for a difference of {self.effect:g} {self.needed} cases are needed")
        return "\n".join(lines)


def power(
    metric: str,
    *,
    run: str | Path | Run,
    other: str | Path | Run | None = None,
    level: str | None = None,
    effect: float | None = None,
    wanted: float = 0.8,
) -> Power:
    """Plan with the spread that a run shows; a second run of another version gives that of the pairs themselves.

    Raises UnknownName for a metric that the run does not hold, BadInput where too few cases are scored.
    """
    first = run if isinstance(run, Run) else Run.load(run)
    row = first.results.row(metric, level=level)
    if row is None:
        raise UnknownName(metric, known=first.metric_names, what="metric in this run")
    if row.population != CASES:
        raise BadInput(f"{metric} counts {row.population} and no cases: it says nothing of the size of a golden set")
    if effect is not None and effect == 0:
        raise BadInput("an effect of 0 cannot be seen with any number of cases")
    if not 0 < wanted < 1:
        raise BadInput(f"the power must lie between 0 and 1. Got {wanted}")
    outcomes = Table.of(first.report().scores).of_metric(row.name, row.level)
    if other is None:
        values = [outcome.value for outcome in outcomes.values() if isinstance(outcome, Value)]
        scale = math.sqrt(2)
    else:
        second = other if isinstance(other, Run) else Run.load(other)
        twin = Table.of(second.report().scores).of_metric(row.name, row.level)
        pairs = pairs_of(outcomes, twin, cases=list(outcomes)).pairs
        values = [pair.candidate - pair.base for pair in pairs]
        scale = 1.0
    if len(values) < _LEAST_CASES:
        raise BadInput(f"{metric} is scored on {len(values)} cases; a spread needs at least {_LEAST_CASES}")
    deviation = scale * stdev(values)
    return Power(
        metric=row.name,
        level=row.level,
        cases=len(values),
        deviation=deviation,
        measured=other is not None,
        power=wanted,
        detectable=detectable_effect(len(values), deviation=deviation, power=wanted),
        effect=effect,
        needed=None if effect is None else _needed(effect, deviation=deviation, wanted=wanted),
    )


def _needed(effect: float, *, deviation: float, wanted: float) -> int:
    size = sample_size(effect, deviation=deviation, power=wanted)
    if math.isinf(size):
        raise BadInput(f"an effect of {effect:g} is too small for any number of cases")
    return max(1, math.ceil(size))
