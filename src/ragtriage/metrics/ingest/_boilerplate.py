"""What a cleaner removed from a page, and what it should have removed."""

from __future__ import annotations

from ragtriage.core.extraction_views import BoilerplateView
from ragtriage.core.score import Undefined
from ragtriage.metrics.ingest._bags import bag_of
from ragtriage.metrics.ingest._shared_text import NOT_EXTRACTED

__all__ = ["removed_boilerplate"]


def removed_boilerplate(view: BoilerplateView) -> tuple[int, int, int] | Undefined:
    """Return how many words were rightly removed, removed and labelled as boilerplate.

    A word is removed as often as the page has it more often than what is left of it. Undefined where nothing was
    extracted.
    """
    if view.extracted is None:
        return Undefined(NOT_EXTRACTED)
    page = bag_of(view.page)
    removed, boilerplate = page - bag_of(view.extracted), page - bag_of(view.body)
    return (removed & boilerplate).total(), removed.total(), boilerplate.total()
