"""How far a text keeps to the words of its source: what a ranking of texts by their support needs beside the verdicts.

A verdict on claims says little between two texts of which every claim has a flaw; how much of a text is its source's
own wording tells them apart. It moves the score of `verify` alone, and no label.
"""

from __future__ import annotations

from itertools import pairwise

from ragtriage.text.content import WordSet, content_words
from ragtriage.text.tokens import words

__all__ = ["WEIGHTS", "nearness"]

WEIGHTS = {"claims": 4.0, "content": 2.0, "pairs": 2.0, "words": 1.0}
"""claims: the mean score of the claims; content: share of the content words that stand in the source; pairs: share of
the pairs of neighbouring words that do; words: share of all words."""


def _share(found: int, of: int) -> float:
    return found / of if of else 0.0


def nearness(text: str, source: str, *, language: str | None, claims: float) -> float:
    """Return a score in [0, 1] that blends the mean score of a text's claims with how near its words are to a source.

    >>> round(nearness("Mars has two moons.", "Mars has two moons.", language="en", claims=1.0), 6)
    1.0
    """
    mine, theirs = words(text), words(source)
    pairs, known_pairs = list(pairwise(mine)), set(pairwise(theirs))
    known = set(theirs)
    told = [word.text for word in content_words(text, language)]
    held = WordSet(word.text for word in content_words(source, language))
    parts = {
        "claims": claims,
        "content": _share(sum(word in held for word in told), len(told)) if told else claims,
        "pairs": _share(sum(pair in known_pairs for pair in pairs), len(pairs)) if pairs else claims,
        "words": _share(sum(word in known for word in mine), len(mine)) if mine else claims,
    }
    return sum(WEIGHTS[name] * value for name, value in parts.items()) / sum(WEIGHTS.values())
