"""Whether blocks come in the order in which they are read."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.extraction_views import BlocksView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ingest._blocks import places
from ragtriage.metrics.ingest._shared_text import NOT_EXTRACTED

_LEAST = 2


@metric(
    title="Reading order",
    unit="1 - Kendall distance / pairs of blocks",
    bounds=(0, 1),
    better="higher",
    source="Kendall 1938",
    aggregate="micro",
)
def reading_order(view: BlocksView) -> Score:
    """Pairs of blocks that stand in the order of the reference / pairs of blocks found in both: (tau + 1) / 2.

    Equal blocks are paired, then those inside a joined block, then those most alike; the blocks that were not found
    are counted apart, as `ingest.unmatched_blocks`. Undefined where nothing was extracted and where fewer than 2 blocks
    were found.

    >>> reading_order(BlocksView(("Fees", "Limits", "Terms"), ("Limits", "Fees", "Terms")))
    Value(value=0.6666666666666666, support=3)
    """
    if view.extracted is None:
        return Undefined(NOT_EXTRACTED)
    found = [place for place in places(view.reference, view.extracted) if place is not None]
    if len(found) < _LEAST:
        return Undefined(f"{len(found)} block{'s' * (len(found) != 1)} of the reference found: an order needs 2")
    pairs = len(found) * (len(found) - 1) // 2
    return Value((pairs - _inversions(found)) / pairs, support=pairs)


def _inversions(found: list[tuple[int, int]]) -> int:
    """Count the pairs that stand the wrong way round, by merging sorted halves."""
    if len(found) < _LEAST:
        return 0
    middle = len(found) // 2
    left, right = found[:middle], found[middle:]
    wrong = _inversions(left) + _inversions(right)
    left, right = sorted(left), sorted(right)
    behind = 0
    for place in right:
        while behind < len(left) and left[behind] < place:
            behind += 1
        wrong += len(left) - behind
    return wrong
