"""The edit distance of ordered trees (Zhang and Shasha 1989): inserting or deleting a node costs 1.

Renaming costs what the caller says, from 0 to 1. Two ways with equal values: arrays of numpy, and a loop that numba
compiles where the extra `compiled` is installed. Before either, what both trees have in common at their start and end
is taken off, which changes no distance.
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from ragtriage.core.errors import MissingExtra

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Costs: TypeAlias = NDArray[np.float64]
    Places: TypeAlias = NDArray[np.int64]

__all__ = ["MOST_PAIRS", "Tree", "TreesTooLarge", "tree_distance"]

L = TypeVar("L", bound=Hashable)

MOST_PAIRS = 25_000_000
"""Pairs of nodes that are compared at most: some 400 MB."""

_DIGITS = 9  # both ways round differently beyond


class TreesTooLarge(ValueError):
    """Two trees have more pairs of nodes than are compared."""


@dataclass(frozen=True, slots=True)
class Tree(Generic[L]):
    """An ordered tree as its nodes in post order: the children of a node stand before it, the root is the last.

    `labels` [nodes]; `starts` [nodes]: the place of the first node of the subtree of each.

    >>> Tree(("leaf", "leaf", "root"), (0, 1, 0)).size
    3
    """

    labels: tuple[L, ...]
    starts: tuple[int, ...]

    @property
    def size(self) -> int:
        """Count the nodes."""
        return len(self.labels)

    def children(self, node: int) -> list[int]:
        """Return the places of the children of a node in order."""
        found: list[int] = []
        child = node - 1
        while child >= self.starts[node]:
            found.append(child)
            child = self.starts[child] - 1
        return found[::-1]


def tree_distance(
    first: Tree[L],
    second: Tree[L],
    rename: Callable[[Sequence[L], Sequence[L]], Costs],
    *,
    compiled: bool | None = None,
) -> float:
    """Return the least cost of turning one tree into the other, to 9 decimals.

    `rename` returns the costs of renaming, from 0 to 1: labels [n], labels [m] -> costs [n, m]; equal labels must cost
    0. `compiled` None: by numba where it is installed. Raises MissingExtra where it is wanted and is not, and
    TreesTooLarge where there are more than `MOST_PAIRS` pairs of nodes to compare.

    >>> import numpy as np
    >>> tree = lambda *leaves: Tree((*leaves, "root"), (*range(len(leaves)), 0))
    >>> differ = lambda a, b: np.array([[float(x != y) for y in b] for x in a])
    >>> tree_distance(tree("a", "b", "c"), tree("a", "x", "c", "d"), differ)
    2.0
    """
    import numpy as np  # noqa: PLC0415 - numpy only where numbers are

    one, other = _without_common(first, second)
    if one.size == 1 or other.size == 1:
        cheapest = float(rename(one.labels, other.labels).min())
        return round(max(one.size, other.size) - 1 + cheapest, _DIGITS)
    if one.size * other.size > MOST_PAIRS:
        raise TreesTooLarge(f"two trees of {one.size} and {other.size} nodes are too large to compare")
    costs = np.ascontiguousarray(rename(one.labels, other.labels), dtype=np.float64)
    starts = (np.array(one.starts, dtype=np.int64), np.array(other.starts, dtype=np.int64))
    loop = _compiled() if compiled is None or compiled else None
    if compiled and loop is None:
        raise MissingExtra("numba", extra="compiled", needed_for="the compiled tree edit distance")
    roots = (_key_roots(starts[0]), _key_roots(starts[1]))
    if loop is not None:
        distances = costs
        loop(*starts, *roots, distances)
    else:
        distances = _leaf_distances(costs, *starts)
        _by_arrays(starts, roots, costs, distances)
    return round(float(distances[-1, -1]), _DIGITS)


@functools.cache
def _compiled() -> Callable[..., None] | None:
    if importlib.util.find_spec("numba") is None:
        return None
    from ragtriage.text.tree_distance_compiled import compiled_loop  # noqa: PLC0415 - numba takes half a second

    return compiled_loop()


def _without_common(first: Tree[L], second: Tree[L]) -> tuple[Tree[L], Tree[L]]:
    """Take off equal subtrees at the start and the end below equal roots: the distance stays what it was.

    Two equal roots may be matched in any best mapping, as no other node can be matched to an ancestor of both. Of two
    forests that begin with equal trees, a best mapping can be led around these: what it maps from the rest into them
    ends in a deletion there, which costs as much as deleting it at once.
    """
    one, other = first.size - 1, second.size - 1
    while True:
        if first.labels[one] != second.labels[other]:
            return _subtree(first, one), _subtree(second, other)
        ours, theirs = first.children(one), second.children(other)
        head = _common(first, second, zip(ours, theirs, strict=False))
        ours, theirs = ours[head:], theirs[head:]
        tail = _common(first, second, zip(reversed(ours), reversed(theirs), strict=False))
        ours, theirs = ours[: len(ours) - tail], theirs[: len(theirs) - tail]
        if len(ours) == 1 and len(theirs) == 1 and first.labels[ours[0]] == second.labels[theirs[0]]:
            one, other = ours[0], theirs[0]
            continue
        return _under(first, one, ours), _under(second, other, theirs)


def _common(first: Tree[L], second: Tree[L], pairs: Iterable[tuple[int, int]]) -> int:
    """Count the pairs of subtrees that are equal before the first that is not."""
    count = 0
    for one, other in pairs:
        a, b = first.starts[one], second.starts[other]
        shift = b - a
        if (
            one + shift != other
            or first.labels[a : one + 1] != second.labels[b : other + 1]
            or any(s + shift != t for s, t in zip(first.starts[a:one], second.starts[b:other], strict=True))
        ):
            break
        count += 1
    return count


def _subtree(tree: Tree[L], node: int) -> Tree[L]:
    return _under(tree, node, tree.children(node))


def _under(tree: Tree[L], root: int, children: Sequence[int]) -> Tree[L]:
    """Return a tree of that root with some of its neighbouring children."""
    if not children:
        return Tree((tree.labels[root],), (0,))
    begin, end = tree.starts[children[0]], children[-1] + 1
    starts = tuple(start - begin for start in tree.starts[begin:end])
    return Tree((*tree.labels[begin:end], tree.labels[root]), (*starts, 0))


def _key_roots(starts: Places) -> Places:
    """Return the nodes that are the last with their first node: the root, and each that has a sibling before it."""
    import numpy as np  # noqa: PLC0415

    last = np.full(len(starts), -1)
    last[starts] = np.arange(len(starts))  # of equal indices the last one stays
    return np.sort(last[last >= 0])


def _leaf_distances(costs: Costs, first: Places, second: Places) -> Costs:
    """Return distances [n, m] of subtrees with those filled in where one of both is a leaf.

    The best is to keep the node of the other tree that is cheapest to rename, and no node is dearer than none.
    """
    import numpy as np  # noqa: PLC0415

    distances = costs.copy()  # right already where both are leaves
    for ours, theirs, table, into in ((first, second, costs.T, distances.T), (second, first, costs, distances)):
        leaves = np.flatnonzero(ours == np.arange(len(ours)))
        inner = np.flatnonzero(theirs != np.arange(len(theirs)))
        bounds = np.stack((theirs[inner], inner + 1), axis=1).ravel()
        padded = np.concatenate((table[:, leaves], np.ones((1, len(leaves)))))
        cheapest = np.minimum.reduceat(padded, bounds, axis=0)[::2]
        into[np.ix_(inner, leaves)] = cheapest + (inner - theirs[inner])[:, None]
    return distances


def _levels(starts: Places, roots: Places) -> list[Places]:
    """Sort key roots with more than one node by how deep others are nested inside them, the innermost first."""
    import numpy as np  # noqa: PLC0415

    level: dict[int, int] = {}
    pending: list[int] = []  # key roots that no later one encloses yet
    for root in roots.tolist():
        inside = -1
        while pending and pending[-1] >= starts[root]:
            inside = max(inside, level[pending.pop()])
        level[root] = max(inside + 1, int(starts[root] != root))
        pending.append(root)
    return [
        np.array([root for root, own in level.items() if own == wanted], dtype=np.int64)
        for wanted in range(1, max(level.values()) + 1)
    ]


def _by_arrays(starts: tuple[Places, Places], roots: tuple[Places, Places], costs: Costs, distances: Costs) -> None:
    """Fill in the distances of all subtrees, many pairs of key roots at a time: those of the same two levels.

    A pair needs what lies inside of it only, which is on a lower level on one side at least.
    """
    columns = [_Columns.of(starts[1], level) for level in _levels(starts[1], roots[1])]
    for level in _levels(starts[0], roots[0]):
        for across in columns:
            _fill(starts[0], level, across, costs, distances)


@dataclass(frozen=True, slots=True)
class _Columns:
    """Key roots of the second tree side by side: for each one column for no node, then one for each of its nodes.

    `nodes` [w]: the node of each column that has one, and `at` [w] that column. `before` [w]: the column of what lies
    before the subtree of that node. `spine` [s]: those of the w whose subtree begins where that of the key root does.
    `offset` [columns]: the place within the own key root, and from one key root to the next a step that no cost is as
    large as. `borders`: the columns for no node.
    """

    nodes: Places
    at: Places
    before: Places
    spine: Places
    offset: Costs
    place: Costs
    borders: Places

    @classmethod
    def of(cls, starts: Places, roots: Places) -> _Columns:
        import numpy as np  # noqa: PLC0415

        sizes = roots - starts[roots] + 1
        borders = np.cumsum(sizes + 1) - (sizes + 1)
        nodes = np.concatenate([np.arange(starts[root], root + 1) for root in roots])
        owner = np.repeat(np.arange(len(roots)), sizes)
        shift = borders[owner] - starts[roots][owner]
        before = starts[nodes] + shift
        place = np.concatenate([np.arange(size + 1) for size in sizes]).astype(np.float64)
        far = np.repeat(np.arange(len(roots)), sizes + 1)
        return cls(
            nodes, nodes + shift + 1, before, np.flatnonzero(before == borders[owner]), far.astype(np.float64), place,
            borders,
        )  # fmt: skip


def _fill(starts: Places, roots: Places, columns: _Columns, costs: Costs, distances: Costs) -> None:
    """Fill in the distances between subtrees of some key roots of the first tree and some of the second.

    Row by row over forests of the first tree, one row of each key root at a time. `forests` [rows, columns]; the row
    before the first node of a key root stands for no node.
    """
    import numpy as np  # noqa: PLC0415

    roots = roots[np.argsort(starts[roots] - roots, kind="stable")]  # the largest first
    sizes = roots - starts[roots] + 1
    base = np.cumsum(sizes + 1) - (sizes + 1)
    forests = np.empty((int((sizes + 1).sum()), len(columns.place)))
    forests[base] = columns.place
    apart = float(sizes[0] + columns.place.max() + 1)
    slope = columns.place + columns.offset * apart
    spine_at = columns.at[columns.spine]
    spine_nodes = columns.nodes[columns.spine]
    for step in range(1, int(sizes[0]) + 1):
        active = int(np.searchsorted(-sizes, -step, side="right"))
        rows = base[:active] + step
        nodes = starts[roots[:active]] + step - 1
        skipped = starts[nodes] - starts[roots[:active]]
        best = forests[(base[:active] + skipped)[:, None], columns.before] + distances[nodes[:, None], columns.nodes]
        on_spine = np.flatnonzero(skipped == 0)
        spine_rows = rows[on_spine, None]
        best[on_spine[:, None], columns.spine] = (
            forests[spine_rows - 1, spine_at - 1] + costs[nodes[on_spine, None], spine_nodes]
        )
        row = forests[rows - 1] + 1.0
        row[:, columns.at] = np.minimum(row[:, columns.at], best)
        row -= slope
        np.minimum.accumulate(row, axis=1, out=row)
        row += slope
        forests[rows] = row
        distances[nodes[on_spine, None], spine_nodes] = row[on_spine[:, None], spine_at]
