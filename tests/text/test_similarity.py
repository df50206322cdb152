"""How far texts repeat each other, against slow obvious counts."""

from __future__ import annotations

from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.text.similarity import jaccard, longest_common_subsequence, longest_run, near_duplicates, shingles

WORDS = st.lists(st.sampled_from("abc"), max_size=8)


def slow_subsequence(first: list[str], second: list[str]) -> int:
    @cache
    def best(i: int, j: int) -> int:
        if i == len(first) or j == len(second):
            return 0
        if first[i] == second[j]:
            return 1 + best(i + 1, j + 1)
        return max(best(i + 1, j), best(i, j + 1))

    return best(0, 0)


def slow_run(first: list[str], second: list[str]) -> int:
    pieces = {tuple(second[i:j]) for i in range(len(second)) for j in range(i + 1, len(second) + 1)}
    return max((j - i for i in range(len(first)) for j in range(i + 1, len(first) + 1) if tuple(first[i:j]) in pieces),
               default=0)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(WORDS, WORDS)
def test_common_subsequence_and_run_agree_with_slow_counts(first, second):
    assert longest_common_subsequence(first, second) == slow_subsequence(first, second)
    assert longest_run(first, second) == slow_run(first, second)


def test_a_near_duplicate_names_the_earlier_text():
    texts = ["Комиссия за перевод 1 % от суммы", "комиссия ЗА перевод 1 % от суммы!", "Другой текст про карту", "", " "]
    assert near_duplicates(texts) == [None, 0, None, None, None]


def test_shingles_of_a_short_text_are_one():
    assert shingles("два слова", size=5) == {("два", "слова")}
    assert shingles("", size=5) == frozenset()
    assert jaccard(frozenset(), frozenset()) == 1.0
