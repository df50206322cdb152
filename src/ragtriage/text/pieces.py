"""The longest pieces that two lists of words share, in time that grows with their lengths alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

__all__ = ["Piece", "shared_pieces"]


class Piece(NamedTuple):
    """The longest run of words from one place on that also stands at `where` of the source; size 0: not there."""

    size: int
    where: int


@dataclass(slots=True)
class _State:
    size: int
    end: int
    link: int = -1
    after: dict[str, int] = field(default_factory=dict)


def _automaton(source: Sequence[str]) -> list[_State]:
    """Return the suffix automaton of a list of words (Blumer et al. 1985); `end`: where a run first ends."""
    states, last = [_State(0, -1)], 0
    for i, word in enumerate(source):
        states.append(_State(states[last].size + 1, i))
        new, at = len(states) - 1, last
        while at != -1 and word not in states[at].after:
            states[at].after[word] = new
            at = states[at].link
        if at == -1:
            states[new].link = 0
        elif states[(known := states[at].after[word])].size == states[at].size + 1:
            states[new].link = known
        else:
            old = states[known]
            states.append(_State(states[at].size + 1, old.end, old.link, dict(old.after)))
            copy = len(states) - 1
            while at != -1 and states[at].after.get(word) == known:
                states[at].after[word] = copy
                at = states[at].link
            old.link = states[new].link = copy
        last = new
    return states


def shared_pieces(told: Sequence[str], source: Sequence[str]) -> list[Piece]:
    """Return, for each place of `told`, the longest piece from there on that stands in `source`, too.

    >>> shared_pieces(["a", "b", "x"], ["c", "a", "b"])
    [Piece(size=2, where=1), Piece(size=1, where=2), Piece(size=0, where=0)]
    """
    states = _automaton(source[::-1])
    found, at, size = [], 0, 0
    for word in reversed(told):
        while at and word not in states[at].after:
            at = states[at].link
            size = states[at].size
        if word in states[at].after:
            at, size = states[at].after[word], size + 1
        found.append(Piece(size, len(source) - 1 - states[at].end if size else 0))
    return found[::-1]
