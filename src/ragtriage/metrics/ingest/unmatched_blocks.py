"""Blocks of a document that its extraction holds nowhere."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.extraction_views import BlocksView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ingest._blocks import places
from ragtriage.metrics.ingest._shared_text import NOT_EXTRACTED


@metric(
    title="Unmatched blocks",
    unit="blocks of the reference that were not found / blocks of the reference",
    bounds=(0, 1),
    better="lower",
    source="ours: what ingest.reading_order leaves out",
    aggregate="micro",
)
def unmatched_blocks(view: BlocksView) -> Score:
    """Count the blocks that no extracted block equals, holds or is like, as a share of the reference's blocks.

    Undefined where nothing was extracted and where the reference has no block.

    >>> unmatched_blocks(BlocksView(("Fees", "Limits", "Terms"), ("Limits", "Fees")))
    Value(value=0.3333333333333333, support=3)
    """
    if view.extracted is None:
        return Undefined(NOT_EXTRACTED)
    if not view.reference:
        return Undefined("the reference has no block")
    missing = sum(place is None for place in places(view.reference, view.extracted))
    return Value(missing / len(view.reference), support=len(view.reference))
