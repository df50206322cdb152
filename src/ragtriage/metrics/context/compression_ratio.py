"""How far the context was compressed before it went to the model."""

from __future__ import annotations

import math

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import ContextView


@metric(
    title="Compression ratio",
    unit="tokens before / tokens after",
    bounds=(0, math.inf),
    better="neither",
    source="Evaluating RAG, part 6",
)
def compression_ratio(view: ContextView) -> Score:
    """Tokens of the context before compression / after it; 1 = nothing was saved.

    What it cost in correctness is a comparison of two runs. Undefined when the trace records no token counts, or
    nothing was left.

    >>> compression_ratio(ContextView(items=(), groups=(), tokens_before=1200, tokens_after=400))
    Value(value=3.0, support=400)
    """
    if view.tokens_before is None or view.tokens_after is None:
        return Undefined("the trace records no token counts before and after compression")
    if view.tokens_after == 0:
        return Undefined("compression left no token")
    return Value(view.tokens_before / view.tokens_after, support=view.tokens_after)
