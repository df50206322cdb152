"""How often a cache spared the work."""

from __future__ import annotations

from collections.abc import Sequence

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import ServiceView


@metric(
    title="Cache hit rate",
    unit="fraction of cache look-ups",
    bounds=(0, 1),
    better="higher",
    source="Evaluating RAG, part 8",
    aggregate="set",
)
def cache_hit_rate(views: Sequence[ServiceView], *, cache: str = "") -> Score:
    """Look-ups that hit / look-ups, of all caches together or of one (`cache`: embedding, retrieval, prompt).

    Undefined when no trace records a look-up.

    >>> cache_hit_rate([ServiceView("answered", cache={"embedding": True, "prompt": False})])
    Value(value=0.5, support=2)
    """
    looked_up = [hit for view in views for name, hit in (view.cache or {}).items() if cache in {"", name}]
    if not looked_up:
        return Undefined(f"no trace records a look-up in the {cache + ' ' if cache else ''}cache")
    return Value(sum(looked_up) / len(looked_up), support=len(looked_up))
