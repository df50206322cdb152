"""The words that an extraction shares with its reference, whatever their order."""

from __future__ import annotations

from ragtriage.core.extraction_views import ExtractionView
from ragtriage.core.score import Undefined
from ragtriage.metrics.ingest._bags import bag_of
from ragtriage.metrics.ingest._shared_text import NOT_EXTRACTED

__all__ = ["shared_tokens"]


def shared_tokens(view: ExtractionView, *, n: int) -> tuple[int, int, int] | Undefined:
    """Return how many runs of `n` words are shared, in the reference and extracted, each as often as it stands there.

    Undefined where nothing was extracted; raises ValueError for `n` below 1.
    """
    if n < 1:
        raise ValueError(f"n must be 1 or more. Got {n}")
    if view.extracted is None:
        return Undefined(NOT_EXTRACTED)
    reference, extracted = bag_of(view.reference, n=n), bag_of(view.extracted, n=n)
    return (reference & extracted).total(), reference.total(), extracted.total()
