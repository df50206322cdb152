"""Reciprocal rank fusion gives the article's numbers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reference_rag.fusion import reciprocal_rank_fusion

DENSE = ["d3", "d7", "d1", "d4", "d2", "d9", "d10"]
SPARSE = ["d2", "d3", "d8", "d1", "d11", "d4", "d6"]


def test_the_articles_two_lists_fuse_to_its_three_numbers() -> None:
    fused = reciprocal_rank_fusion([DENSE, SPARSE], k=60)
    assert [(name, f"{score:.5f}") for name, score in fused[:3]] == [
        ("d3", "0.03252"),
        ("d2", "0.03178"),
        ("d1", "0.03150"),
    ]


def test_a_repeat_inside_one_list_counts_once_and_takes_no_rank() -> None:
    assert reciprocal_rank_fusion([["a", "a", "b"]]) == reciprocal_rank_fusion([["a", "b"]])


def test_equal_sums_keep_the_order_of_the_first_list() -> None:
    assert [name for name, _ in reciprocal_rank_fusion([["a"], ["b"]])] == ["a", "b"]


IDS = st.lists(st.sampled_from("abcdefgh"), unique=True)


@given(lists=st.lists(IDS, max_size=3))
def test_what_comes_out_is_the_union_and_only_ranks_count(lists: list[list[str]]) -> None:
    fused = dict(reciprocal_rank_fusion(lists))
    assert set(fused) == {name for one in lists for name in one}
    for name, score in fused.items():
        assert score == sum(1 / (60 + one.index(name) + 1) for one in lists if name in one)
