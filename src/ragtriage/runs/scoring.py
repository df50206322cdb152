"""From views to scores of cases and rows of metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragtriage.core.configuration import Configuration
from ragtriage.core.results import CaseScore, MetricRow
from ragtriage.runs.selection import Selection

if TYPE_CHECKING:
    from ragtriage.runs.viewing import RunViews

__all__ = ["metric_rows", "score_cases"]


def score_cases(views: RunViews, selection: Selection) -> list[CaseScore]:
    """Score every case by every selected metric, each ranking metric at each of its levels."""
    raise NotImplementedError


def metric_rows(
    views: RunViews, selection: Selection, scores: Sequence[CaseScore], settings: Configuration
) -> list[MetricRow]:
    """Aggregate scores over all cases and over each slice, with intervals and counts."""
    raise NotImplementedError
