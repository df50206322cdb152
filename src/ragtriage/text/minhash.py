"""Near-duplicates among many texts: MinHash (Broder 1997) finds candidates by bands (LSH), exact Jaccard decides.

Every pair that is returned has been checked, so none is under the threshold; one that reaches it is overlooked less
than twice in a million. The hashes come from the words alone: the same pairs in every process, whatever the order of
the texts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, product
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ragtriage.text.groups import linked
from ragtriage.text.similarity import THRESHOLD, jaccard
from ragtriage.text.tokens import words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Places: TypeAlias = NDArray[np.int64]
    Hashes: TypeAlias = NDArray[np.uint64]
    Signatures: TypeAlias = NDArray[np.uint32]

__all__ = ["NearDuplicate", "NearDuplicates", "find_near_duplicates"]

_PERMUTATIONS = 128
_MISSED = 1e-6  # the share of pairs at the threshold that the bands, and the signatures, may each overlook
_LEAST = 0.2  # below it, bands cannot tell candidates from others
_BLOCK = 1 << 16  # shingles whose hashes stay in the cache of a processor
_BYTES = 1 << 22  # of text that is cut into words at a time
_SEED = 128  # of the permutations: any number will do, as long as it stays
_FOLDED = bytes(ord(chr(code).lower()) if chr(code).isascii() and chr(code).isalnum() else 0 for code in range(256))
_CHUNK = 8  # bytes of a word that are hashed at once
_MASKS = np.array([(1 << 8 * count) - 1 for count in range(_CHUNK + 1)], dtype=np.uint64)


@dataclass(frozen=True, slots=True, order=True)
class NearDuplicate:
    """Two texts, by their places and the smaller first, and the Jaccard similarity of their shingles."""

    first: int
    second: int
    similarity: float


@dataclass(frozen=True, slots=True)
class NearDuplicates:
    """What was found among texts, which are named by their places.

    `equal`: texts with the same words, the first of them first. `near`: pairs of others; one of equal texts stands for
    all of them.
    """

    equal: tuple[tuple[int, ...], ...]
    near: tuple[NearDuplicate, ...]

    def pairs(self) -> Iterator[NearDuplicate]:
        """Yield every pair; n equal texts are n * (n - 1) / 2 of them."""
        same = {group[0]: group for group in self.equal}
        for group in self.equal:
            yield from (NearDuplicate(i, j, 1.0) for i, j in combinations(group, 2))
        for pair in self.near:
            for i, j in product(same.get(pair.first, (pair.first,)), same.get(pair.second, (pair.second,))):
                yield NearDuplicate(min(i, j), max(i, j), pair.similarity)

    def links(self) -> list[NearDuplicate]:
        """Return as many pairs as name every text that is like another: of equal texts the first and each other.

        >>> NearDuplicates(((0, 3, 5),), (NearDuplicate(0, 4, 0.9),)).links()[1:]
        [NearDuplicate(first=0, second=4, similarity=0.9), NearDuplicate(first=0, second=5, similarity=1.0)]
        """
        same = (NearDuplicate(group[0], other, 1.0) for group in self.equal for other in group[1:])
        return sorted([*same, *self.near])

    def groups(self) -> list[tuple[int, ...]]:
        """Return the texts that are near-duplicates of one another, directly or by way of others, in order.

        >>> NearDuplicates(((0, 3),), (NearDuplicate(0, 4, 0.9),)).groups()
        [(0, 3, 4)]
        """
        return sorted(tuple(sorted(group)) for group in linked((link.first, link.second) for link in self.links()))


def find_near_duplicates(texts: Sequence[str], *, threshold: float = THRESHOLD, size: int = 3) -> NearDuplicates:
    """Find the pairs of texts whose shingles (runs of `size` words, as `similarity.shingles` has them) are alike.

    `threshold`: the least Jaccard similarity of a pair, from 0.2 to 1. In scripts without spaces each character is a
    word. Texts without a word are like none. Raises ValueError for a threshold out of range and for a size below 1.

    >>> found = find_near_duplicates(["The fee is one percent.", "the FEE is one percent", "Open on Sundays.", ""])
    >>> found.equal, found.near
    (((0, 1),), ())
    >>> sides = ["a b c d e f g h i j k l", "a b c d e f g h i j k l m", "x y z"]
    >>> list(find_near_duplicates(sides).pairs())
    [NearDuplicate(first=0, second=1, similarity=0.9090909090909091)]
    """
    if not _LEAST <= threshold <= 1:
        raise ValueError(f"threshold={threshold} must lie between {_LEAST} and 1")
    if size < 1:
        raise ValueError(f"size={size} must be 1 or more")
    cuts = _Cuts.of(texts, size=size)
    equal = tuple(tuple(group) for group in cuts.places if len(group) > 1)
    candidates = _candidates(_signatures(cuts), threshold)
    shingles: dict[int, frozenset[int]] = {}
    near: list[NearDuplicate] = []
    for i, j in candidates.tolist():
        for text in (i, j):
            if text not in shingles:
                shingles[text] = cuts.shingles(text)
        if (similarity := jaccard(shingles[i], shingles[j])) >= threshold:
            first, second = sorted((cuts.places[i][0], cuts.places[j][0]))
            near.append(NearDuplicate(first, second, similarity))
    return NearDuplicates(equal, tuple(sorted(near, key=lambda pair: (pair.first, pair.second))))


@dataclass(frozen=True, slots=True, eq=False)
class _Cuts:
    """Texts as hashes of their shingles; those with the same words are one, and `places` says which they are.

    `hashes` [shingles]; `bounds` [texts + 1]: where those of each text begin.
    """

    places: list[list[int]]
    hashes: Hashes
    bounds: Places

    @classmethod
    def of(cls, texts: Sequence[str], *, size: int) -> _Cuts:
        places: dict[bytes, list[int]] = {}
        for begin, hashes, bounds in _hashed_words(texts):
            for place, (start, end) in enumerate(pairwise(bounds.tolist()), begin):
                if end > start:
                    places.setdefault(hashes[start:end].tobytes(), []).append(place)
        lengths = np.array([len(one) // 8 for one in places], dtype=np.int64)
        hashes = np.frombuffer(b"".join(places), dtype=np.uint64)
        lacking = np.maximum(size - lengths, 0)  # a text that is shorter than a shingle is filled up by no word
        if lacking.any():
            hashes = np.insert(hashes, np.repeat(np.cumsum(lengths), lacking), np.uint64(0))
            lengths += lacking
        begins = np.ones(len(hashes), dtype=np.bool_)  # where a whole shingle begins
        for back in range(1, size):
            begins[np.cumsum(lengths) - back] = False
        shingles = _mixed(hashes[: len(hashes) - size + 1])
        for ahead in range(1, size):
            shingles = _mixed(shingles + hashes[ahead : ahead + len(shingles)])
        bounds = np.concatenate(([0], np.cumsum(lengths - size + 1)))
        return cls(list(places.values()), shingles[begins[: len(shingles)]], bounds)

    def shingles(self, text: int) -> frozenset[int]:
        """Return the different shingles of a text."""
        return frozenset(self.hashes[self.bounds[text] : self.bounds[text + 1]].tolist())


def _hashed_words(texts: Sequence[str]) -> Iterator[tuple[int, Hashes, Places]]:
    """Yield hashes of the words of some texts at a time: the place of the first, [words], [texts + 1] bounds in it."""
    begin = 0
    while begin < len(texts):
        written: list[bytes] = []
        length = 0
        for text in texts[begin:]:
            one = (
                text.encode().translate(_FOLDED)
                if text.isascii()
                else "\0".join(words(text)).encode(errors="surrogatepass")
            )
            written.append(one)
            length += len(one) + 1
            if length > _BYTES:
                break
        buffer = b"\0" + b"\0".join(written) + b"\0" * 9
        starts, hashes = _hash_words(buffer)
        ends = np.cumsum([len(one) + 1 for one in written])
        yield begin, hashes, np.concatenate(([0], np.searchsorted(starts, ends, side="right")))
        begin += len(written)


def _hash_words(buffer: bytes) -> tuple[Places, Hashes]:
    """Return where the words begin that zeros divide, and a hash of each; the buffer begins with 1 and ends with 9.

    Words of up to eight bytes all have different hashes, as all steps can be undone.
    """
    inside = np.frombuffer(buffer, dtype=np.uint8) != 0
    starts = np.flatnonzero(inside[1:] > inside[:-1]) + 1
    lengths = np.flatnonzero(inside[1:] < inside[:-1]) + 1 - starts
    eights = np.ndarray((len(buffer) - 7,), dtype="<u8", buffer=buffer, strides=(1,))  # what begins at each byte
    hashes = _mixed(eights[starts] & _MASKS[np.minimum(lengths, _CHUNK)])
    longer, at = np.flatnonzero(lengths > _CHUNK), _CHUNK
    while len(longer):
        more = eights[starts[longer] + at] & _MASKS[np.minimum(lengths[longer] - at, _CHUNK)]
        hashes[longer] = _mixed(hashes[longer] + more)
        at += _CHUNK
        longer = longer[lengths[longer] > at]
    return starts, hashes


def _mixed(hashes: Hashes) -> Hashes:
    """Return hashes with each bit spread over all of them: the steps of splitmix64."""
    hashes = hashes + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        hashes ^= hashes >> np.uint64(shift)
        hashes *= np.uint64(factor)
    hashes ^= hashes >> np.uint64(31)
    return hashes


def _signatures(cuts: _Cuts) -> Signatures:
    """Return [texts, permutations]: the least hash of a text in each of many orders of all hashes."""
    texts = len(cuts.bounds) - 1
    found = np.empty((_PERMUTATIONS, texts), dtype=np.uint32)
    random = np.random.Generator(np.random.PCG64(_SEED))
    factors = random.integers(0, 1 << 32, _PERMUTATIONS, dtype=np.uint32) | np.uint32(1)
    summands = random.integers(0, 1 << 32, _PERMUTATIONS, dtype=np.uint32)
    begin = 0
    while begin < texts:
        end = max(begin + 1, int(np.searchsorted(cuts.bounds, cuts.bounds[begin] + _BLOCK, side="right")) - 1)
        hashes = (cuts.hashes[cuts.bounds[begin] : cuts.bounds[end]] >> np.uint64(32)).astype(np.uint32)
        starts = cuts.bounds[begin:end] - cuts.bounds[begin]
        permuted = np.empty_like(hashes)
        for row, (factor, summand) in enumerate(zip(factors, summands, strict=True)):
            np.multiply(hashes, factor, out=permuted)
            np.add(permuted, summand, out=permuted)
            found[row, begin:end] = np.minimum.reduceat(permuted, starts)
        begin = end
    return np.ascontiguousarray(found.T)


def _candidates(signatures: Signatures, threshold: float) -> Places:
    """Return [pairs, 2]: texts that agree in all rows of a band, and in as many rows as alike texts do."""
    texts = len(signatures)
    rows = _rows_of_band(threshold)
    least = _least_agreement(threshold)
    bands = np.zeros((texts, _PERMUTATIONS // rows), dtype=np.uint64)
    for row in range(rows):
        bands = _mixed(bands + signatures[:, row::rows][:, : bands.shape[1]])
    found: list[Places] = [np.empty((2, 0), dtype=np.int64)]
    for band in range(bands.shape[1]):
        for pairs in _together(bands[:, band]):
            known = (bands[pairs[0], :band] == bands[pairs[1], :band]).any(axis=1)  # by an earlier band
            first, second = pairs[:, ~known]
            agreeing = np.count_nonzero(signatures[first] == signatures[second], axis=1) >= least
            found.append(np.stack((first[agreeing], second[agreeing])))
    return np.concatenate(found, axis=1).T


def _together(band: Hashes) -> Iterator[Places]:
    """Yield the pairs of texts with equal values, some at a time: [2, pairs], the smaller first."""
    order = np.argsort(band, kind="stable")
    ordered = band[order]
    ahead = 1
    same = np.flatnonzero(ordered[1:] == ordered[:-1])  # equal values stand side by side
    while len(same):
        for at in range(0, len(same), _BLOCK):
            part = same[at : at + _BLOCK]
            yield np.stack((order[part], order[part + ahead]))
        ahead += 1
        same = same[same + ahead < len(band)]
        same = same[ordered[same] == ordered[same + ahead]]


def _rows_of_band(threshold: float) -> int:
    """Return the most rows of a band with which almost no pair at the threshold is overlooked."""
    fit = [rows for rows in range(1, _PERMUTATIONS + 1) if (1 - threshold**rows) ** (_PERMUTATIONS // rows) <= _MISSED]
    return max(fit, default=1)


def _least_agreement(threshold: float) -> int:
    """Return the most rows in which almost every pair at the threshold agrees at least."""
    below = 0.0
    for rows in range(_PERMUTATIONS + 1):
        below += math.comb(_PERMUTATIONS, rows) * threshold**rows * (1 - threshold) ** (_PERMUTATIONS - rows)
        if below > _MISSED:
            return rows
    return _PERMUTATIONS
