"""Two or more systems compared by a judge: win rates, what length earns, and strengths (Bradley-Terry)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["Strength", "bradley_terry", "length_controlled_win_rate", "outcome_of", "win_rate"]

Side = Literal["candidate", "base", "tie"]
_ROUNDS = 200
_STEP = 1e-12
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


@dataclass(frozen=True, slots=True)
class Strength:
    """A system's strength in log odds against the average system, and its share of wins expected against it."""

    name: str
    log_odds: float
    expected: float


def bradley_terry(wins: Mapping[tuple[str, str], float]) -> list[Strength]:
    """Return the strengths of several systems, strongest first.

    `wins[a, b]`: how often a beat b, a tie half a win to each. Every system also plays half a win and half a loss
    against an average one. Fitted by Hunter's MM iterations; log odds sum to 0. Raises ValueError for no comparisons.

    >>> [s.name for s in bradley_terry({("a", "b"): 8, ("b", "a"): 2})]
    ['a', 'b']
    """
    names = sorted({name for pair in wins for name in pair})
    if len(names) < 2 or not any(wins.values()):  # noqa: PLR2004 - a comparison needs two
        raise ValueError("strengths need at least two systems that were compared")
    strength = dict.fromkeys(names, 1.0)
    for _ in range(10_000):
        moved = {}
        for name in names:
            won = _PRIOR + math.fsum(wins.get((name, other), 0.0) for other in names if other != name)
            met = 2 * _PRIOR / (strength[name] + 1.0)
            for other in names:
                games = wins.get((name, other), 0.0) + wins.get((other, name), 0.0)
                if other != name and games:
                    met += games / (strength[name] + strength[other])
            moved[name] = won / met
        change = max(abs(math.log(moved[n] / strength[n])) for n in names)
        strength = moved
        if change < _STEP:
            break
    mean = math.fsum(math.log(s) for s in strength.values()) / len(names)
    found = [Strength(n, math.log(strength[n]) - mean, _sigmoid(math.log(strength[n]) - mean)) for n in names]
    return sorted(found, key=lambda s: (-s.log_odds, s.name))
