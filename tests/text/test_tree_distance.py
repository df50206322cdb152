"""The tree edit distance against its definition, and against the package apted on trees shaped like tables."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
import pytest
from apted import APTED, Config
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.core.errors import MissingExtra
from ragtriage.text import tree_distance as module
from ragtriage.text.tree_distance import Tree, TreesTooLarge, tree_distance
from ragtriage.text.tree_distance_compiled import fill

LABELS = "abcd"
TAGS = ("tr", "thead", "tbody", "table")
CHEAP = {("a", "b"): 0.25, ("a", "c"): 0.5, ("b", "c"): 0.875, ("a", "d"): 0.125, ("b", "d"): 0.75, ("c", "d"): 0.375}

Node = tuple[str, tuple["Node", ...]]


def cost(first: str, second: str) -> float:
    return 0.0 if first == second else CHEAP.get((min(first, second), max(first, second)), 1.0)


def rename(first: Sequence[str], second: Sequence[str]) -> np.ndarray:
    return np.array([[cost(a, b) for b in second] for a in first])


NODES: st.SearchStrategy[Node] = st.recursive(
    st.tuples(st.sampled_from(LABELS), st.just(())),
    lambda children: st.tuples(st.sampled_from(LABELS), st.lists(children, max_size=4).map(tuple)),
    max_leaves=8,
)
CELLS = st.tuples(st.sampled_from(LABELS), st.just(()))
ROWS = st.tuples(st.just("tr"), st.lists(CELLS, max_size=4).map(tuple))
SECTIONS = st.tuples(st.sampled_from(["thead", "tbody"]), st.lists(ROWS, max_size=4).map(tuple))
TABLES = st.tuples(st.just("table"), st.lists(ROWS | SECTIONS, max_size=4).map(tuple))


def tree(node: Node) -> Tree[str]:
    labels: list[str] = []
    starts: list[int] = []

    def add(one: Node) -> None:
        begin = len(labels)
        for child in one[1]:
            add(child)
        labels.append(one[0])
        starts.append(begin)

    add(node)
    return Tree(tuple(labels), tuple(starts))


def by_definition(first: Node, second: Node) -> float:
    """The recursion of Zhang and Shasha on forests, whose last trees are deleted, inserted or matched."""

    def size(forest: tuple[Node, ...]) -> int:
        return sum(1 + size(children) for _, children in forest)

    @functools.cache
    def distance(ours: tuple[Node, ...], theirs: tuple[Node, ...]) -> float:
        if not ours or not theirs:
            return size(ours) + size(theirs)
        (mine, inside), (other, within) = ours[-1], theirs[-1]
        return min(
            distance(ours[:-1] + inside, theirs) + 1,
            distance(ours, theirs[:-1] + within) + 1,
            distance(inside, within) + distance(ours[:-1], theirs[:-1]) + cost(mine, other),
        )

    return distance((first,), (second,))


class AptedNode:
    def __init__(self, node: Node) -> None:
        self.label = node[0]
        self.children = [AptedNode(child) for child in node[1]]


class AptedCosts(Config):
    def rename(self, node1: AptedNode, node2: AptedNode) -> float:
        return cost(node1.label, node2.label)


def by_apted(first: Node, second: Node) -> float:
    return float(APTED(AptedNode(first), AptedNode(second), AptedCosts()).compute_edit_distance())


@settings(max_examples=300, deadline=None)
@given(NODES, NODES)
def test_both_ways_give_what_the_definition_says(first: Node, second: Node) -> None:
    expected = by_definition(first, second)
    for compiled in (False, True):
        assert tree_distance(tree(first), tree(second), rename, compiled=compiled) == pytest.approx(expected, abs=1e-9)


@settings(max_examples=300, deadline=None)
@given(TABLES, TABLES)
def test_trees_like_tables_have_the_distance_of_apted(first: Node, second: Node) -> None:
    expected = by_apted(first, second)
    for compiled in (False, True):
        assert tree_distance(tree(first), tree(second), rename, compiled=compiled) == pytest.approx(expected, abs=1e-6)


@settings(max_examples=200, deadline=None)
@given(NODES, NODES)
def test_no_distance_is_above_that_of_apted(first: Node, second: Node) -> None:
    """Of deep trees the package rarely gives more than the least (1 or 2 of 600 random pairs of 20 nodes)."""
    assert tree_distance(tree(first), tree(second), rename) <= by_apted(first, second) + 1e-6


@settings(max_examples=200, deadline=None)
@given(TABLES, TABLES)
def test_the_compiled_loop_is_the_plain_one(first: Node, second: Node) -> None:
    one, other = tree(first), tree(second)
    if one.size == 1 or other.size == 1:
        return
    costs = rename(one.labels, other.labels)
    starts = (np.array(one.starts), np.array(other.starts))
    roots = tuple(module._key_roots(side) for side in starts)
    fill(*starts, *roots, costs)
    assert float(costs[-1, -1]) == pytest.approx(by_definition(first, second), abs=1e-9)


@settings(max_examples=200, deadline=None)
@given(st.lists(ROWS, max_size=3), st.lists(ROWS, max_size=3), st.lists(ROWS, max_size=3), st.lists(ROWS, max_size=3))
def test_equal_rows_at_the_start_and_the_end_change_no_distance(
    head: list[Node], first: list[Node], second: list[Node], tail: list[Node]
) -> None:
    ours, theirs = (("table", (*head, *middle, *tail)) for middle in (first, second))
    apart = by_definition(("table", tuple(first)), ("table", tuple(second)))
    assert tree_distance(tree(ours), tree(theirs), rename) == pytest.approx(apart, abs=1e-9)


def test_equal_trees_need_no_renaming_costs() -> None:
    """What both have in common is taken off before anything is compared."""
    seen: list[int] = []

    def counted(first: Sequence[str], second: Sequence[str]) -> np.ndarray:
        seen.append(len(first) * len(second))
        return rename(first, second)

    rows = tuple(("tr", tuple((label, ()) for label in "abcd")) for _ in range(50))
    changed = (*rows[:20], ("tr", (("b", ()), ("b", ()))), *rows[21:])
    assert tree_distance(tree(("table", rows)), tree(("table", rows)), counted) == 0
    assert tree_distance(tree(("table", rows)), tree(("table", changed)), counted) == by_definition(
        rows[20], changed[20]
    )
    assert max(seen) <= 20


def test_a_chain_and_a_star_are_compared() -> None:
    chain: Node = ("a", (("b", (("c", (("d", ()),)),)),))
    star: Node = ("a", (("b", ()), ("c", ()), ("d", ())))
    for compiled in (False, True):
        assert tree_distance(tree(chain), tree(star), rename, compiled=compiled) == by_definition(chain, star)


def test_trees_too_large_to_compare_say_so_before_anything_is_made() -> None:
    leaves = 6_000
    first = Tree((*["a"] * leaves, "root"), (*range(leaves), 0))
    second = Tree((*["b"] * leaves, "root"), (*range(leaves), 0))
    with pytest.raises(TreesTooLarge, match="6001 and 6001 nodes"):
        tree_distance(first, second, rename)


def test_without_numba_arrays_give_the_same_and_wanting_it_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_compiled", lambda: None)
    first, second = tree(("a", (("b", ()), ("c", ())))), tree(("a", (("d", ()), ("d", ()), ("c", ()))))
    assert tree_distance(first, second, rename) == 1.75
    with pytest.raises(MissingExtra, match=r"pip install 'ragtriage\[compiled\]'"):
        tree_distance(first, second, rename, compiled=True)
