"""Which spans of personal data match: the same span, or any that overlaps, always of the same type."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from ragtriage.core.label_views import LabelledSpan

__all__ = ["Match", "matched"]

Match = Literal["exact", "overlap"]


def matched(span: LabelledSpan, others: Collection[LabelledSpan], *, match: Match) -> bool:
    """Say whether a span has its like among others."""
    if match == "exact":
        return span in others
    return any(o.label == span.label and o.start < span.end and span.start < o.end for o in others)
