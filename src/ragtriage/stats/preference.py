"""Two or more systems compared by a judge: win rates, what length earns, and strengths (Bradley-Terry)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ragtriage.stats.bootstrap import bootstrap_mean, bootstrap_means, by_cluster, interval_of, resample_blocks
from ragtriage.stats.proportions import wilson

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "Contested",
    "Strength",
    "bradley_terry",
    "length_controlled_interval",
    "length_controlled_win_rate",
    "outcome_of",
    "strengths",
    "win_rate",
    "win_rate_interval",
]

Side = Literal["candidate", "base", "tie"]
_ROUNDS = 200
_STEP = 1e-12
_FINE = 1e-10  # of fits that are done many at once: rounding of their sums lies below
_LEAST_CLUSTERS = 2
_DIGITS = 12  # what lies behind is rounding, and a strength of -1e-16 is one of 0
_PRIOR = 0.5  # half a win and half a loss against an average system, so that a system that always wins has a strength


def outcome_of(straight: Side, swapped: Side) -> float:
    """Return 1 for a win of the candidate, 0 for a loss, 0.5 for a tie; orders that disagree are a tie.

    >>> outcome_of("candidate", "candidate"), outcome_of("candidate", "base"), outcome_of("base", "tie")
    (1.0, 0.5, 0.5)
    """
    if straight != swapped or straight == "tie":
        return 0.5
    return 1.0 if straight == "candidate" else 0.0


def win_rate(outcomes: Sequence[float]) -> float:
    """Return the mean outcome, a tie half a win; raises ValueError for none."""
    if not outcomes:
        raise ValueError("a win rate needs at least one comparison")
    return math.fsum(outcomes) / len(outcomes)


def _sigmoid(value: float) -> float:
    return 1 / (1 + math.exp(-value)) if value >= 0 else math.exp(value) / (1 + math.exp(value))


def length_controlled_win_rate(outcomes: Sequence[float], length_differences: Sequence[float]) -> float:
    """Return the win rate that a logistic fit expects between answers of equal length.

    outcome ~ sigmoid(a + b * tanh(difference / standard deviation of the differences)), with a weak normal prior (sd
    10 for a, 2 for b) so that separable data have a fit; the rate is sigmoid(a). Length differences: candidate minus
    base. Raises ValueError for no comparisons.
    """
    n = len(outcomes)
    if not n or n != len(length_differences):
        raise ValueError("outcomes and length differences must be as many, and at least one")
    spread = math.sqrt(math.fsum(d * d for d in length_differences) / n)
    x = [math.tanh(d / spread) if spread else 0.0 for d in length_differences]
    a = b = 0.0
    for _ in range(_ROUNDS):
        p = [_sigmoid(a + b * xi) for xi in x]
        grad_a = math.fsum(y - q for y, q in zip(outcomes, p, strict=True)) - a / 100
        grad_b = math.fsum((y - q) * xi for y, q, xi in zip(outcomes, p, x, strict=True)) - b / 4
        w = [q * (1 - q) for q in p]
        h_aa = math.fsum(w) + 1 / 100
        h_ab = math.fsum(wi * xi for wi, xi in zip(w, x, strict=True))
        h_bb = math.fsum(wi * xi * xi for wi, xi in zip(w, x, strict=True)) + 1 / 4
        det = h_aa * h_bb - h_ab * h_ab
        step_a = (h_bb * grad_a - h_ab * grad_b) / det
        step_b = (h_aa * grad_b - h_ab * grad_a) / det
        scale = min(1.0, 2.0 / max(abs(step_a), abs(step_b), 1e-300))
        a, b = a + scale * step_a, b + scale * step_b
        if max(abs(step_a), abs(step_b)) < _STEP:
            break
    return _sigmoid(a)


def win_rate_interval(
    outcomes: Sequence[float], clusters: Sequence[str], *, resamples: int, seed: int
) -> tuple[float, float] | None:
    """Return the bootstrap interval of a win rate over clusters of questions.

    Where all outcomes are equal no resample can differ; the interval then allows for as many others, unseen among so
    many clusters, as Wilson's does. None where outcomes that differ are all of one cluster.
    """
    count = len(set(clusters))
    if len(set(outcomes)) == 1:
        unseen = wilson(0, count)[1]
        low = outcomes[0] * (1 - unseen)
        return low, low + unseen
    if count < _LEAST_CLUSTERS:
        return None
    return bootstrap_mean(outcomes, clusters=clusters, resamples=resamples, seed=seed)


def length_controlled_interval(
    outcomes: Sequence[float],
    length_differences: Sequence[float],
    clusters: Sequence[str],
    *,
    resamples: int,
    seed: int,
) -> tuple[float, float] | None:
    """Return the bootstrap interval of the length-controlled win rate, fitted anew for each resample of clusters.

    None where no two clusters were seen, or where all outcomes are equal.
    """
    import numpy as np  # noqa: PLC0415

    if len(set(clusters)) < _LEAST_CLUSTERS or len(set(outcomes)) == 1:
        return None
    units = np.unique(np.asarray(clusters), return_inverse=True)[1]
    y, d = np.asarray(outcomes, dtype=np.float64), np.asarray(length_differences, dtype=np.float64)
    count = int(units.max()) + 1
    drawn = []
    for block in resample_blocks(count, resamples=resamples, seed=seed):
        flat = block + (np.arange(len(block), dtype=np.int64) * count)[:, None]
        often = np.bincount(flat.ravel(), minlength=len(block) * count).reshape(len(block), count)[:, units]
        drawn.append(_length_fits(y, d, often.astype(np.float64)))
    return interval_of(np.concatenate(drawn))


def _length_fits(y: NDArray[np.float64], d: NDArray[np.float64], often: NDArray[np.float64]) -> NDArray[np.float64]:
    """Fit `length_controlled_win_rate` for each row of `often` [resamples, pairs]: how often each pair was drawn."""
    import numpy as np  # noqa: PLC0415

    spread = np.sqrt((often @ (d * d)) / often.sum(axis=1))
    x = np.tanh(d / np.where(spread > 0, spread, 1.0)[:, None])
    a, b = np.zeros(len(often)), np.zeros(len(often))
    for _ in range(_ROUNDS):
        p = _logistic(a[:, None] + b[:, None] * x)
        off, w = often * (y - p), often * p * (1 - p)
        grad_a, grad_b = off.sum(axis=1) - a / 100, (off * x).sum(axis=1) - b / 4
        h_aa, h_ab, h_bb = w.sum(axis=1) + 1 / 100, (w * x).sum(axis=1), (w * x * x).sum(axis=1) + 1 / 4
        det = h_aa * h_bb - h_ab * h_ab
        step_a, step_b = (h_bb * grad_a - h_ab * grad_b) / det, (h_aa * grad_b - h_ab * grad_a) / det
        most = np.maximum(np.abs(step_a), np.abs(step_b))
        scale = np.minimum(1.0, 2.0 / np.maximum(most, 1e-300))
        a, b = a + scale * step_a, b + scale * step_b
        if most.max() < _FINE:
            break
    return _logistic(a)


def _logistic(values: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np  # noqa: PLC0415

    return np.asarray(0.5 * (1 + np.tanh(values / 2)))


@dataclass(frozen=True, slots=True)
class Contested:
    """What came of one question for one pair of systems: 1 where `first` is preferred, 0 `second`, 0.5 a tie.

    Contests of one `cluster` are not independent: those of one question, or of questions on one document.
    """

    first: str
    second: str
    outcome: float
    cluster: str


@dataclass(frozen=True, slots=True)
class Strength:
    """A system's strength in log odds against the average system, and its share of wins expected against it.

    `interval`: of the log odds; None where it was not asked for, and where the system won or lost all of its contests:
    they bound it on one side alone.
    """

    name: str
    log_odds: float
    expected: float
    interval: tuple[float, float] | None = None


def bradley_terry(wins: Mapping[tuple[str, str], float]) -> list[Strength]:
    """Return the strengths of several systems, strongest first.

    `wins[a, b]`: how often a beat b, a tie half a win to each. Every system also plays half a win and half a loss
    against an average one. The likelihood's maximum by Newton's steps; log odds sum to 0. Raises ValueError for no
    comparisons.

    >>> [s.name for s in bradley_terry({("a", "b"): 8, ("b", "a"): 2})]
    ['a', 'b']
    """
    import numpy as np  # noqa: PLC0415

    names = sorted({name for pair in wins for name in pair})
    if len(names) < 2 or not any(wins.values()):  # noqa: PLR2004 - a comparison needs two
        raise ValueError("strengths need at least two systems that were compared")
    table = np.array([[[wins.get((a, b), 0.0) if a != b else 0.0 for b in names] for a in names]])
    return _ordered(names, _log_odds(table)[0], None)


def strengths(contests: Sequence[Contested], *, resamples: int, seed: int) -> list[Strength]:
    """Return the strengths that `bradley_terry` gives, each with its bootstrap interval over clusters of questions.

    There are no intervals where all contests are of one cluster. Raises ValueError for no contests.
    """
    import numpy as np  # noqa: PLC0415

    names = sorted({name for one in contests for name in (one.first, one.second)})
    if not contests or len(names) < 2:  # noqa: PLR2004 - a comparison needs two
        raise ValueError("strengths need at least two systems that were compared")
    size, place = len(names), {name: i for i, name in enumerate(names)}
    won = np.zeros((len(contests), size, size))
    for row, one in enumerate(contests):
        first, second = place[one.first], place[one.second]
        won[row, first, second], won[row, second, first] = one.outcome, 1 - one.outcome
    clusters = [one.cluster for one in contests]
    columns = np.column_stack([by_cluster(column, clusters) for column in won.reshape(len(contests), -1).T])
    found = _log_odds(won.sum(axis=0)[None])[0]
    if len(set(clusters)) < _LEAST_CLUSTERS:
        return _ordered(names, found, None)
    sums = bootstrap_means(columns, resamples=resamples, seed=seed).reshape(-1, size, size)
    drawn = _log_odds(sums)
    taken, given = won.sum(axis=(0, 2)), won.sum(axis=(0, 1))
    bounded = (taken > 0) & (given > 0)
    return _ordered(names, found, [interval_of(drawn[:, i]) if bounded[i] else None for i in range(size)])


def _ordered(
    names: Sequence[str], found: NDArray[np.float64], intervals: Sequence[tuple[float, float] | None] | None
) -> list[Strength]:
    listed = [
        Strength(name, float(found[i]), _sigmoid(float(found[i])), None if intervals is None else intervals[i])
        for i, name in enumerate(names)
    ]
    return sorted(listed, key=lambda s: (-s.log_odds, s.name))


def _log_odds(won: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the strengths [tables, systems], centred, of tables of wins [tables, systems, systems].

    The likelihood with its prior is strictly concave, so Newton's steps, held to a length of 1, reach its maximum.
    """
    import numpy as np  # noqa: PLC0415

    games = won + won.transpose(0, 2, 1)
    theta = np.zeros(won.shape[:2])
    diagonal = np.arange(won.shape[1])
    for _ in range(_ROUNDS):
        p = _logistic(theta[:, :, None] - theta[:, None, :])
        alone = _logistic(theta)
        gradient = (won - games * p).sum(axis=2) + _PRIOR - 2 * _PRIOR * alone
        curved = games * p * (1 - p)
        hessian = -curved
        hessian[:, diagonal, diagonal] = curved.sum(axis=2) + 2 * _PRIOR * alone * (1 - alone)
        step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        most = np.abs(step).max(axis=1)
        theta += step * np.minimum(1.0, 1.0 / np.maximum(most, 1e-300))[:, None]
        if most.max() < _FINE:
            break
    return np.asarray(np.round(theta - theta.mean(axis=1, keepdims=True), _DIGITS) + 0.0)
