"""What a judge must be asked, so that a metric has what it counts."""

from __future__ import annotations

import typing
from collections.abc import Iterable
from typing import Any

from ragtriage.core.declare import Metric
from ragtriage.core.views import ClaimsView, NuggetsView

__all__ = ["BY_MODELS_ALONE", "asks_of", "asks_of_all"]

_BY_VIEW: dict[Any, str] = {ClaimsView: "claims", NuggetsView: "nuggets"}
BY_MODELS_ALONE = frozenset(
    {"questions", "parts", "similarity", "rubric_grade", "correctness", "resolution", "escalation"}
)
"""What the judge that is code alone does not write."""


def asks_of(metric: Metric[Any, Any]) -> frozenset[str]:
    """Return what a judge is asked for a metric; empty for one that needs no judge."""
    kind = typing.get_args(metric.view)[0] if metric.takes_many else metric.view
    found = set(metric.asks)
    if metric.proxy and kind in _BY_VIEW:
        found.add(_BY_VIEW[kind])
    if metric.reads_behaviour:
        found.add("behaviour")
    return frozenset(found)


def asks_of_all(metrics: Iterable[Metric[Any, Any]]) -> frozenset[str]:
    """Return what a judge is asked for all of them."""
    return frozenset(ask for metric in metrics for ask in asks_of(metric))
