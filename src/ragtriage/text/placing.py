"""Where the chunks of a document stand, found from their texts and their order alone."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

__all__ = ["place_texts"]

_Cost = tuple[int, int]  # characters that no chunk holds, characters that two chunks hold
_NO_START = -1
_MOST_PLACES = 1_000_000  # beyond it a list out of order is placed from the left, which may place fewer


@dataclass(slots=True)
class _Column:
    """One chunk: where its text stands, what the best way costs that ends there, and from where it came."""

    number: int
    length: int
    starts: list[int]
    costs: list[_Cost]
    before: list[int]


def place_texts(text: str, pieces: Sequence[str], *, known: Sequence[int | None] | None = None) -> list[int | None]:
    """Return where each piece begins: starts strictly rise, and as little as possible is left out, then repeated.

    A piece that stands nowhere in the text, is empty, or stands only where its order forbids has None; as many others
    as can be are placed without it. Never the first occurrence as such: repeated text gets the place that makes the
    whole list fit. `known`: where a piece is said to begin, None where nobody says; if it does not, it has None.

    >>> place_texts("parrot parrot", ["parrot", "parrot"])
    [0, 7]
    >>> place_texts("aaaa", ["aa", "aa"]), place_texts("one two", ["two", "one", "two"])
    ([0, 2], [None, 0, 4])
    """
    said_to_be = known if known is not None else [None] * len(pieces)
    occurrences = [
        _occurrences(text, piece) if at is None else [at] * (piece != "" and at >= 0 and text.startswith(piece, at))
        for piece, at in zip(pieces, said_to_be, strict=True)
    ]
    kept = _in_order(occurrences)
    if not kept:
        return [None] * len(pieces)
    said = [0, *accumulate(not c.isspace() for c in text)]
    columns: list[_Column] = []
    for number, starts in kept:
        columns.append(_column(columns[-1] if columns else None, number, len(pieces[number]), starts, said))
    last = columns[-1]
    whole = [
        (cost[0] + said[-1] - said[start + last.length], cost[1])
        for cost, start in zip(last.costs, last.starts, strict=True)
    ]
    at = whole.index(min(whole))
    placed: list[int | None] = [None] * len(pieces)
    for column in reversed(columns):
        placed[column.number] = column.starts[at]
        at = column.before[at]
    return placed


def _occurrences(text: str, piece: str) -> list[int]:
    found: list[int] = []
    at = text.find(piece) if piece else -1
    while at >= 0:
        found.append(at)
        at = text.find(piece, at + 1)
    return found


def _in_order(occurrences: Sequence[list[int]]) -> list[tuple[int, list[int]]]:
    """Return the pieces that can stand in this order, with those of their places that leave room for the others."""
    somewhere = [number for number, starts in enumerate(occurrences) if starts]
    kept = _from_the_left(occurrences, somewhere)
    if len(kept) < len(somewhere) and sum(map(len, occurrences)) <= _MOST_PLACES:
        kept = _from_the_left(occurrences, _most(occurrences))
    latest: int | None = None
    for at in range(len(kept) - 1, -1, -1):
        number, starts = kept[at]
        kept[at] = number, starts if latest is None else starts[: bisect_left(starts, latest)]
        latest = kept[at][1][-1]
    return kept


def _from_the_left(occurrences: Sequence[list[int]], numbers: Sequence[int]) -> list[tuple[int, list[int]]]:
    """Return the pieces that stand behind the ones before them when each takes its first place that is left."""
    kept: list[tuple[int, list[int]]] = []
    earliest = _NO_START
    for number in numbers:
        starts = occurrences[number]
        open_places = starts[bisect_right(starts, earliest) :]
        if open_places:
            kept.append((number, open_places))
            earliest = open_places[0]
    return kept


def _most(occurrences: Sequence[list[int]]) -> list[int]:
    """Return the longest list of pieces that can stand in this order: an increasing subsequence of their places.

    The places of one piece are taken from the last to the first, so that no two of them stand in one subsequence.
    """
    tails: list[tuple[int, int]] = []  # by length: the earliest place where a subsequence of it ends, and whose it is
    before: dict[tuple[int, int], tuple[int, int] | None] = {}
    for number, starts in enumerate(occurrences):
        for start in reversed(starts):
            at = bisect_left(tails, start, key=lambda tail: tail[0])
            before[start, number] = tails[at - 1] if at else None
            tails[at : at + 1] = [(start, number)]
    found: list[int] = []
    step = tails[-1] if tails else None
    while step is not None:
        found.append(step[1])
        step = before[step]
    return found[::-1]


def _column(before: _Column | None, number: int, length: int, starts: list[int], said: list[int]) -> _Column:
    """Find the cheapest way to each place of a piece, over all places of the piece before it."""
    if before is None:
        return _Column(number, length, starts, [(said[start], 0) for start in starts], [0] * len(starts))
    column = _Column(number, length, starts, [], [])
    ended: tuple[_Cost, int] | None = None  # the best of those that end before this place: its cost less what is said
    reaching: deque[tuple[_Cost, int]] = deque()  # those that reach into it, the best first
    taken, passed = 0, 0
    for start in starts:
        while taken < len(before.starts) and before.starts[taken] < start:
            cost = before.costs[taken]
            entry = (cost[0], cost[1] + before.starts[taken] + before.length), taken
            while reaching and reaching[-1][0] >= entry[0]:
                reaching.pop()
            reaching.append(entry)
            taken += 1
        while passed < taken and before.starts[passed] + before.length <= start:
            cost, end = before.costs[passed], before.starts[passed] + before.length
            ended = min(ended or ((said[-1] + len(said), 0), passed), ((cost[0] - said[end], cost[1]), passed))
            passed += 1
        while reaching and reaching[0][1] < passed:
            reaching.popleft()
        ways: list[tuple[_Cost, int]] = []
        if ended is not None:
            ways.append(((ended[0][0] + said[start], ended[0][1]), ended[1]))
        if reaching:
            ways.append(((reaching[0][0][0], reaching[0][0][1] - start), reaching[0][1]))
        best = min(ways)
        column.costs.append(best[0])
        column.before.append(best[1])
    return column
