"""How near a text is to its source as a whole: what a ranking of texts by their support needs beside the verdicts.

A verdict on claims says little between two texts of which every claim has a flaw. What a text says in words that its
source does not have, and how long the pieces are that it copies, tell them apart. A text in which somebody speaks of
themselves ("I heard that ...") mixes talk with facts: there only what its best sentence takes from one sentence of the
source counts. It moves the score of `verify` alone, and no label.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from ragtriage.judges.sources import Source
from ragtriage.text.content import content_words, same_word
from ragtriage.text.pieces import shared_pieces
from ragtriage.text.sentences import sentences
from ragtriage.text.tokens import words
from ragtriage.text.wording import WordKind, kind_of_word, of_the_speaker

__all__ = ["RULES", "Nearness", "nearness_of"]

_WEIGHTS: dict[WordKind, float] = {"number": 3.0, "degree": 3.0, "function": 0.5, "report": 0.5, "other": 1.0}
_STEEP = 3.0
_SHORT_PIECE = 5.0
_LONG_PIECE = 50.0
_DENSE = 6.0
_MOST_PAIRED = 100
_BEGINNING = 3
_ALIKE = 0.6

RULES = (tuple(sorted(_WEIGHTS.items())), _STEEP, _SHORT_PIECE, _LONG_PIECE, _DENSE, _MOST_PAIRED, _BEGINNING, _ALIKE)
"""All of the data, for the identity of what was judged by it."""


@dataclass(frozen=True, slots=True)
class Nearness:
    """How near a text is to a source; each figure is at least 0.

    `missing`: the weight of what a sentence says and the source does not, over the root of the sentence's weight; the
    mean over sentences, as log(1 + 3 x); `copied`: the mean length of the longest pieces that the text shares with the
    source, as log(x / 5), 0 below 5 words; `dense`: the sum of their squared lengths over the words, as log(1 + x), at
    most log(7), times 1 - 1 / sentences, for it tells texts of several sentences apart and no single ones; `linked`:
    of the pairs of content words of a sentence, the share that stands together in a sentence of the source; the most
    of a sentence; `personal`: the share of words that stand in sentences of a speaker.
    """

    missing: float
    copied: float
    dense: float
    linked: float
    personal: float


class _Held:
    """The words of a source: which stand there, in which forms, and after which words."""

    def __init__(self, source: Sequence[str], language: str | None) -> None:
        self.language = language
        self.words = frozenset(source)
        self.by_start: dict[str, list[str]] = {}
        for word in self.words:
            self.by_start.setdefault(word[:_BEGINNING], []).append(word)
        self.before: dict[str, set[str]] = {}
        for first, second in pairwise(source):
            self.before.setdefault(second, set()).add(first)

    def share(self, word: str) -> float:
        """Return how much of a word stands there: 1, or the longest beginning that it shares with a word there."""
        if word in self.words:
            return 1.0
        if any(c.isdigit() for c in word):
            return 0.0
        others = self.by_start.get(word[:_BEGINNING], ())
        if not word.isascii() and any(same_word(word, other) for other in others):
            return 1.0
        return max((_common(word, other) / max(len(word), len(other)) for other in others), default=0.0)

    def always_after_another(self, word: str) -> bool:
        """Say whether a word stands there after other words that name things alone: "Amy" of "Amy Foster"."""
        before = self.before.get(word)
        return bool(before) and all(kind_of_word(w, self.language) == "other" for w in before or ())


def _common(first: str, second: str) -> int:
    length = 0
    for a, b in zip(first, second, strict=False):
        if a != b:
            break
        length += 1
    return length


def _missing(told: Sequence[str], held: _Held) -> float:
    kinds = [kind_of_word(word, held.language) for word in told]
    shares = [held.share(word) for word in told]
    lost = 0.0
    for i, (kind, share) in enumerate(zip(kinds, shares, strict=True)):
        lost += _WEIGHTS[kind] * (1 - share)
        swapped = kind == "other" and share < _ALIKE and i + 1 < len(told) and kinds[i + 1] == "other"
        if swapped and shares[i + 1] == 1 and held.always_after_another(told[i + 1]):
            lost += _WEIGHTS[kind]
    return lost / math.sqrt(sum(_WEIGHTS[kind] for kind in kinds))


def _pieces(told: Sequence[str], source: Sequence[str]) -> list[int]:
    """Return the lengths of the longest pieces that both share, from left to right (Grusky et al. 2018)."""
    longest = shared_pieces(told, source)
    found, i = [], 0
    while i < len(told):
        if longest[i].size:
            found.append(longest[i].size)
        i += max(longest[i].size, 1)
    return found


def _linked(text: str, source: Source) -> float | None:
    told = [word.text for word in content_words(text, source.language)][:_MOST_PAIRED]
    if len(told) < 2:  # noqa: PLR2004 - one word has no pair
        return None
    together: set[tuple[int, int]] = set()
    for unit in source.units:
        together.update(combinations([i for i, w in enumerate(told) if w in unit.words or w in unit.above], 2))
    return len(together) / (len(told) * (len(told) - 1) / 2)


def nearness_of(text: str, context: str, source: Source, *, language: str | None) -> Nearness:
    """Say how near a text is to a context, which is given as it is and as it was read.

    >>> from ragtriage.judges.sources import read_source
    >>> source = "Mars has two moons."
    >>> nearness_of("Mars has two moons.", source, read_source(source, "en"), language="en")
    Nearness(missing=0.0, copied=0.0, dense=0.0, linked=1.0, personal=0.0)
    """
    theirs = words(context)
    held = _Held(theirs, language)
    told = [(s.text, words(s.text)) for s in sentences(text)]
    told = [(sentence, mine) for sentence, mine in told if mine]
    if not told:
        return Nearness(0.0, 0.0, 0.0, 0.0, 0.0)
    count = sum(len(mine) for _, mine in told)
    personal = sum(len(mine) for _, mine in told if any(map(of_the_speaker, mine))) / count
    pieces = _pieces(words(text), theirs)
    mean_piece = sum(pieces) / len(pieces) if pieces else 0.0
    density = sum(length**2 for length in pieces) / count
    lost = sum(_missing(mine, held) for _, mine in told) / len(told)
    linked = [share for sentence, _ in told if (share := _linked(sentence, source)) is not None]
    return Nearness(
        missing=math.log1p(_STEEP * lost),
        copied=math.log(min(max(mean_piece, _SHORT_PIECE), _LONG_PIECE) / _SHORT_PIECE),
        dense=math.log1p(min(density, _DENSE)) * (1 - 1 / len(told)),
        linked=max(linked, default=0.0),
        personal=personal,
    )
