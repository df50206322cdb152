"""Whether the sources turn an English claim round: the same things, with the opposite sign between them.

"A lowers B" and "A raised B" hold the same words and differ in sign. The sign is read between the first and the last
word of the claim that a unit holds, and as many words around them as the claim has around its own, so that the rest of
a long sentence does not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragtriage.judges.sources import Unit
from ragtriage.judges.statements import Statement
from ragtriage.text.content import WordSet
from ragtriage.text.pieces import shared_pieces
from ragtriage.text.polarity import Cue, SignedWord, cue_of, sign, signed_words

__all__ = ["RULES", "Direction", "direction_of"]

_OPPOSITE: dict[Cue, Cue] = {"up": "down", "down": "up"}
_LEAST_WORDS = 2
_AROUND = 4
_OF_BEST = 0.3
_LEAST_SHARE = 0.4
_COPIED = 0.5
_BESIDE = 2

RULES = (_LEAST_WORDS, _AROUND, _OF_BEST, _LEAST_SHARE, _COPIED, _BESIDE)
"""All of the data, for the identity of what was judged by it."""


@dataclass(frozen=True, slots=True)
class Direction:
    """How far sources turn a claim round.

    `turned` in [-1, 1]: the mean over units of -1 (same sign) and 1 (opposite sign), weighted by the squared share of
    the claim's words that a unit holds; `opposed` in [0, 1]: the greatest share held by a unit that has only the
    opposite direction; `unit`: the unit of the opposite sign that holds most, where one holds enough. Units that hold
    much less than the best are left out.
    """

    turned: float
    opposed: float
    unit: Unit | None


def _stretch(signed: Sequence[SignedWord], body: WordSet) -> tuple[int, int] | None:
    places = [i for i, word in enumerate(signed) if word.text in body]
    return (places[0], places[-1] + 1) if places else None


def _copied(claim: Sequence[SignedWord], unit: Sequence[SignedWord]) -> bool:
    """Say whether a large part of a claim, with all of its cues, stands there word for word and with no cue beside it.

    What a long sentence says besides may deny something else.
    """
    pieces = shared_pieces([w.text for w in claim], [w.text for w in unit])
    first = max(range(len(claim)), key=lambda i: pieces[i].size)
    size, where = pieces[first]
    if size < _COPIED * len(claim):
        return False
    beside = [*unit[max(0, where - _BESIDE) : where], *unit[where + size : where + size + _BESIDE]]
    return not _cues([*beside, *claim[:first], *claim[first + size :]])


def _margins(signed: Sequence[SignedWord], body: WordSet) -> tuple[int, int]:
    stretch = _stretch(signed, body)
    return (min(stretch[0], _AROUND), min(len(signed) - stretch[1], _AROUND)) if stretch else (0, 0)


def _cues(signed: Sequence[SignedWord]) -> list[Cue]:
    return [word.cue for word in signed if word.cue is not None]


def direction_of(statement: Statement, units: Sequence[Unit]) -> Direction | None:
    """Compare the sign of a claim with that of the units; None where the claim has too few other words.

    >>> from ragtriage.judges.sources import read_source
    >>> from ragtriage.judges.statements import read_statement
    >>> claim = read_statement("Aspirin increases the risk of stroke.", "en")
    >>> found = direction_of(claim, read_source("Aspirin reduced the risk of stroke.", "en").units)
    >>> found.turned, found.opposed
    (1.0, 1.0)
    """
    body = [word for word in statement.words if cue_of(word) is None]
    if len(body) < _LEAST_WORDS:
        return None
    held = WordSet(body)
    claim = signed_words(statement.text)
    mine = _cues(claim)
    ways = set(mine) - {"deny"}
    way = next(iter(ways)) if len(ways) == 1 else None
    before, after = _margins(claim, held)
    shares = [(unit, sum(word in unit.words for word in body) / len(body)) for unit in units]
    least = _OF_BEST * max((share for _, share in shares), default=0.0)
    total = turned = opposed = against = 0.0
    unit_against: Unit | None = None
    for unit, share in shares:
        signed = signed_words(unit.text)
        stretch = _stretch(signed, held)
        if not share or share < least or stretch is None:
            continue
        theirs = _cues(signed[max(0, stretch[0] - before) : stretch[1] + after])
        near = _cues(signed[max(0, stretch[0] - _AROUND) : stretch[1] + _AROUND])
        same = sign(theirs) == sign(mine) or ("deny" in mine and "deny" in near and sign(near) == sign(mine))
        same = same or _copied(claim, signed)
        total += share**2
        turned += share**2 * (-1 if same else 1)
        if not same and share >= _LEAST_SHARE and share > against:
            against, unit_against = share, unit
        if way is not None and way not in near and _OPPOSITE[way] in near:
            opposed = max(opposed, share)
    return Direction(turned / total, opposed, unit_against) if total else None
