"""What the calls of a recorded request used, from spans that lie within each other.

A span around other calls repeats their tokens: agents, chains, and wrappers of a model's client record the sum of what
is below them. Only calls of a model without another one below count, and cost is taken from the same spans as tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

__all__ = ["Span", "SpanUsage", "usage_of"]

LLM = "LLM"
N = TypeVar("N", int, float)


@dataclass(frozen=True, slots=True)
class Span:
    """One span: its kind (`LLM` is a call of a model), and what it says was used; None: it says nothing."""

    span_id: str
    parent_id: str | None
    kind: str
    tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class SpanUsage:
    """Tokens and cost of the calls below the root, and of those whose parent was not recorded, apart.

    `tokens`, `cost_usd` None: no counted call says. `calls`: the spans that count. `orphans`: calls that cannot be
    placed; their `orphan_tokens` may be part of another request.
    """

    tokens: int | None
    cost_usd: float | None
    calls: tuple[str, ...]
    orphan_tokens: int | None
    orphan_cost_usd: float | None
    orphans: tuple[str, ...]


def usage_of(spans: Iterable[Span]) -> SpanUsage:
    """Add up what the innermost calls of a model used, each once; spans that are their own ancestors are orphans.

    >>> usage_of([Span("wrapper", None, "LLM", 460), Span("a", "wrapper", "LLM", 120), Span("b", "wrapper", "LLM", 340),
    ...     Span("lost", "missing", "LLM", 7)])
    SpanUsage(tokens=460, cost_usd=None, calls=('a', 'b'), orphan_tokens=7, orphan_cost_usd=None, orphans=('lost',))
    """
    known = {span.span_id: span for span in spans}
    above: set[str] = set()  # whatever has a call of a model below it
    placed: set[str] = set()
    for span in known.values():
        way: dict[str, None] = {}
        parent = span.parent_id
        while parent is not None and parent in known and parent not in way and parent != span.span_id:
            way[parent] = None
            parent = known[parent].parent_id
        if parent is None:
            placed.add(span.span_id)
        if span.kind == LLM:
            above.update(way)
    calls = [span for span in known.values() if span.kind == LLM and span.span_id not in above]
    counted = [span for span in calls if span.span_id in placed]
    lost = [span for span in calls if span.span_id not in placed]
    return SpanUsage(
        tokens=_total([span.tokens for span in counted]),
        cost_usd=_total([span.cost_usd for span in counted]),
        calls=tuple(span.span_id for span in counted),
        orphan_tokens=_total([span.tokens for span in lost]),
        orphan_cost_usd=_total([span.cost_usd for span in lost]),
        orphans=tuple(span.span_id for span in lost),
    )


def _total(values: Sequence[N | None]) -> N | None:
    said = [value for value in values if value is not None]
    return sum(said[1:], said[0]) if said else None
