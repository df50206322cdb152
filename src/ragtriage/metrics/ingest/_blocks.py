"""Which block of an extraction is which block of the reference, and where it stands."""

from __future__ import annotations

import functools
import heapq
import itertools
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence

from ragtriage.metrics.ingest._shared_text import spaced
from ragtriage.text.tokens import words

__all__ = ["Place", "places"]

Place = tuple[int, int]
"""Number of the extracted block, offset in it."""

_LEAST = 0.7  # of a block's similarity: below it two blocks are not the same one
_SHORT = 64  # characters: such blocks are compared each with each, longer ones with those that share words
_CANDIDATES = 8
_COMMON = 64  # blocks that hold a word
_ROWS = 256  # of a table of similarities that is held at once
_SHORTEST_PART = 12  # characters: a shorter block stands inside others by chance


@functools.lru_cache(maxsize=2)  # two metrics ask about the same blocks
def places(reference: tuple[str, ...], extracted: tuple[str, ...]) -> tuple[Place | None, ...]:
    """Return for each block of the reference where it was extracted, or None; no two stand at one place.

    First equal blocks, the first with the first; then blocks of at least 12 characters that stand inside an extracted
    block, which joined them; then those that are most alike (1 - edit distance by insertion and deletion / both
    lengths), if at least 0.7. White space is folded; blocks without a visible character are nowhere.

    >>> places(("Two moons", "Phobos", "Deimos"), ("Deim0s", "Two moons", "Phobos"))
    ((1, 0), (2, 0), (0, 0))
    """
    wanted, given = [spaced(block) for block in reference], [spaced(block) for block in extracted]
    found: list[Place | None] = [None] * len(wanted)
    taken = _equal(wanted, given, found) | _inside(wanted, given, found)
    _alike(wanted, given, found, taken)
    return tuple(found)


def _equal(wanted: Sequence[str], given: Sequence[str], found: list[Place | None]) -> set[int]:
    at: dict[str, list[int]] = defaultdict(list)
    for number in range(len(given) - 1, -1, -1):
        at[given[number]].append(number)
    taken: set[int] = set()
    for row, block in enumerate(wanted):
        if block and at.get(block):
            number = at[block].pop()
            found[row] = (number, 0)
            taken.add(number)
    return taken


def _inside(wanted: Sequence[str], given: Sequence[str], found: list[Place | None]) -> set[int]:
    """Find blocks inside larger ones, the longest first, and strike out what was found."""
    equal = {place[0] for place in found if place is not None}
    free = [number for number in range(len(given)) if number not in equal]
    starts = [0, *itertools.accumulate(len(given[number]) + 1 for number in free)]
    whole = "\n".join(given[number] for number in free)  # no folded block holds a line end: a find stays inside one
    taken: set[int] = set()
    rows = [row for row, block in enumerate(wanted) if found[row] is None and len(block) >= _SHORTEST_PART]
    for row in sorted(rows, key=lambda row: -len(wanted[row])):
        block = wanted[row]
        at = whole.find(block)
        if at < 0:
            continue
        whole = whole[:at] + "\n" * len(block) + whole[at + len(block) :]
        nth = bisect_right(starts, at) - 1
        found[row] = (free[nth], at - starts[nth])
        taken.add(free[nth])
    return taken


def _alike(wanted: Sequence[str], given: Sequence[str], found: list[Place | None], taken: set[int]) -> None:
    rows = [row for row, block in enumerate(wanted) if block and found[row] is None]
    free = [number for number, block in enumerate(given) if block and number not in taken]
    short = [row for row in rows if len(wanted[row]) <= _SHORT]
    brief = [number for number in free if len(given[number]) <= 2 * _SHORT]  # a longer one cannot be alike
    near = [pair for at in range(0, len(short), _ROWS) for pair in _near(wanted, given, short[at : at + _ROWS], brief)]
    sharing = _sharing(wanted, given, [row for row in rows if len(wanted[row]) > _SHORT], free)
    near += [pair for row, numbers in sharing for pair in _near(wanted, given, [row], numbers)]
    for _, row, number in sorted(near):
        if found[row] is None and number not in taken:
            found[row] = (number, 0)
            taken.add(number)


def _sharing(
    wanted: Sequence[str], given: Sequence[str], rows: Sequence[int], free: Sequence[int]
) -> Iterator[tuple[int, list[int]]]:
    """Yield for each long block the free ones that share most words with it, each word weighing less the more have it.

    Two long texts that are alike enough share words, so that the rest need not be compared letter by letter.
    """
    holding: dict[str, list[int]] = defaultdict(list)
    for number in free if rows else ():
        for word in set(words(given[number])):
            holding[word].append(number)
    for row in rows:
        weights: dict[int, float] = defaultdict(float)
        for word in sorted(set(words(wanted[row])) & holding.keys(), key=lambda word: (len(holding[word]), word)):
            if len(holding[word]) > _COMMON and len(weights) >= _CANDIDATES:
                break  # the words that follow are commoner still and tell nothing apart
            for number in holding[word]:
                weights[number] += 1 / len(holding[word])
        yield row, heapq.nlargest(_CANDIDATES, weights, key=lambda number: (weights[number], -number))


def _near(
    wanted: Sequence[str], given: Sequence[str], rows: Sequence[int], free: Sequence[int]
) -> Iterator[tuple[float, int, int]]:
    """Yield (-similarity, row, number) of blocks that are alike enough."""
    from rapidfuzz import process  # noqa: PLC0415 - loaded where texts are compared, not at start-up
    from rapidfuzz.distance import Indel  # noqa: PLC0415

    if not rows or not free:
        return
    choices = [given[number] for number in free]
    scores = process.cdist(
        [wanted[row] for row in rows], choices, scorer=Indel.normalized_similarity, score_cutoff=_LEAST
    )
    for row, column in zip(*(side.tolist() for side in scores.nonzero()), strict=True):
        yield -float(scores[row, column]), rows[row], free[column]
