"""Where two texts differ: the longest passages that one has and the other has not, with what stands around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = ["Passage", "differing_passages"]

_JOINED = 1  # equal words between two changes that belong to one passage
_AROUND = 6
_FEW = 16  # a hint changes no result: it makes texts that differ little quick
_SHOWN = 18


@dataclass(frozen=True, slots=True)
class Passage:
    """One passage that differs: what the reference says, what was extracted instead, and the words around both."""

    before: str
    reference: str
    extracted: str
    after: str


def differing_passages(reference: str, extracted: str, *, most: int = 3) -> tuple[Passage, ...]:
    """Return the passages that differ most, by characters, in the order of the text; white space does not count.

    Words are compared as they stand. Long passages are shown by their ends.

    >>> differing_passages("Mars has two moons, Phobos and Deimos.", "Mars has two m00ns, Phobos and Deimos.")
    (Passage(before='Mars has two', reference='moons,', extracted='m00ns,', after='Phobos and Deimos.'),)
    """
    wanted, given = reference.split(), extracted.split()
    changes = sorted(_changes(wanted, given), key=lambda change: -_weight(change, wanted, given))[:most]
    return tuple(
        Passage(
            before=" ".join(wanted[max(0, start - _AROUND) : start]),
            reference=_shortened(wanted[start:end]),
            extracted=_shortened(given[other_start:other_end]),
            after=" ".join(wanted[end : end + _AROUND]),
        )
        for start, end, other_start, other_end in sorted(changes)
    )


_Change = tuple[int, int, int, int]


def _changes(wanted: Sequence[str], given: Sequence[str]) -> Iterator[_Change]:
    """Yield (start, end) in the reference and in the extracted words of each run of changes."""
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - loaded where texts are compared, not at start-up

    open_: _Change | None = None
    for code in Levenshtein.opcodes(wanted, given, score_hint=max(_FEW, len(wanted) // _FEW)):
        if code.tag == "equal":
            continue
        change = (code.src_start, code.src_end, code.dest_start, code.dest_end)
        if open_ is not None and change[0] - open_[1] <= _JOINED and change[2] - open_[3] <= _JOINED:
            open_ = (open_[0], change[1], open_[2], change[3])
            continue
        if open_ is not None:
            yield open_
        open_ = change
    if open_ is not None:
        yield open_


def _weight(change: _Change, wanted: Sequence[str], given: Sequence[str]) -> int:
    start, end, other_start, other_end = change
    return max(sum(map(len, wanted[start:end])), sum(map(len, given[other_start:other_end])))


def _shortened(words: Sequence[str]) -> str:
    if len(words) <= _SHOWN:
        return " ".join(words)
    half = _SHOWN // 2
    return f"{' '.join(words[:half])} … {len(words) - 2 * half} words … {' '.join(words[-half:])}"
