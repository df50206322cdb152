"""A slow obvious second implementation of every rank metric judges the fast one, over random lists and grades."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.core.catalogue import METRICS
from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import Rankings

Slow = Callable[[list[str], dict[str, int], int], float | None]
IDS = [f"d{i}" for i in range(9)]
QUESTIONS = st.lists(
    st.tuples(
        st.lists(st.sampled_from(IDS), max_size=9),
        st.dictionaries(st.sampled_from(IDS), st.integers(-1, 3), max_size=9),
    ),
    max_size=4,
)


def first_of_each(ranked: list[str]) -> list[str]:
    return [item for place, item in enumerate(ranked) if item not in ranked[:place]]


def needs_relevant(compute: Slow) -> Slow:
    def checked(ranked: list[str], grades: dict[str, int], least: int) -> float | None:
        return compute(ranked, grades, least) if any(g >= least for g in grades.values()) else None

    return checked


def relevant(grades: dict[str, int], least: int) -> set[str]:
    return {item for item, grade in grades.items() if grade >= least}


def recall(k: int) -> Slow:
    return needs_relevant(lambda r, g, m: len(relevant(g, m) & set(r[:k])) / len(relevant(g, m)))


def precision(k: int) -> Slow:
    return needs_relevant(lambda r, g, m: len(relevant(g, m) & set(r[:k])) / k)


def hit(k: int) -> Slow:
    return needs_relevant(lambda r, g, m: float(bool(relevant(g, m) & set(r[:k]))))


def reciprocal(k: int) -> Slow:
    return needs_relevant(lambda r, g, m: next((1 / n for n, item in enumerate(r[:k], 1) if g.get(item, 0) >= m), 0.0))


def first_rank(r: list[str], g: dict[str, int], m: int) -> float | None:
    return next((float(n) for n, item in enumerate(r, 1) if g.get(item, 0) >= m), None)


def precision_sum(r: list[str], g: dict[str, int], m: int, k: int) -> float:
    return sum(len(relevant(g, m) & set(r[:n])) / n for n, item in enumerate(r[:k], 1) if item in relevant(g, m))


def average_precision(k: int) -> Slow:
    return needs_relevant(lambda r, g, m: precision_sum(r, g, m, k) / len(relevant(g, m)))


def context_precision(k: int) -> Slow:
    def compute(r: list[str], g: dict[str, int], m: int) -> float | None:
        if not r or not g:
            return None
        found = relevant(g, m) & set(r[:k])
        return precision_sum(r, g, m, k) / len(found) if found else 0.0

    return compute


def ndcg(k: int, gain: str) -> Slow:
    def dcg(grades: list[int]) -> float:
        gains = [max(0, g) if gain == "linear" else 2 ** max(0, g) - 1 for g in grades[:k]]
        return sum(value / math.log2(place + 1) for place, value in enumerate(gains, 1))

    return needs_relevant(lambda r, g, _: dcg([g.get(item, 0) for item in r]) / dcg(sorted(g.values(), reverse=True)))


@needs_relevant
def r_precision(r: list[str], g: dict[str, int], m: int) -> float:
    many = len(relevant(g, m))
    return len(relevant(g, m) & set(r[:many])) / many


@needs_relevant
def bpref(r: list[str], g: dict[str, int], m: int) -> float:
    good, junk = relevant(g, m), {item for item, grade in g.items() if grade < m}
    total = 0.0
    for place, item in enumerate(r):
        if item in good:
            before = len(junk & set(r[:place]))
            total += 1 - min(before, len(good)) / min(len(junk), len(good)) if before else 1
    return total / len(good)


def rbp(p: float) -> Slow:
    return needs_relevant(
        lambda r, g, m: (1 - p) * sum(p**place for place, item in enumerate(r) if item in relevant(g, m))
    )


def judged(k: int) -> Slow:
    def compute(r: list[str], g: dict[str, int], _: int) -> float | None:
        if not g:
            return None
        return sum(item in g for item in r[:k]) / len(r[:k]) if r else 0.0

    return compute


CHECKS: list[tuple[str, dict[str, object], Slow]] = [
    *(("recall", {"k": k}, recall(k)) for k in (1, 3, 20)),
    *(("precision", {"k": k}, precision(k)) for k in (1, 3, 20)),
    *(("hit_rate", {"k": k}, hit(k)) for k in (1, 3)),
    *(("reciprocal_rank", {"k": k}, reciprocal(k or 99)) for k in (2, None)),
    ("first_relevant_rank", {}, first_rank),
    *(("average_precision", {"k": k}, average_precision(k or 99)) for k in (2, None)),
    *(("context_precision", {"k": k}, context_precision(k or 99)) for k in (2, None)),
    *(
        ("ndcg", {"k": k, "gain": gain}, ndcg(k or 99, gain))
        for k in (1, 3, None)
        for gain in ("exponential", "linear")
    ),
    ("context_recall", {}, recall(99)),
    ("r_precision", {}, r_precision),
    ("bpref", {}, bpref),
    ("rbp", {"p": 0.7}, rbp(0.7)),
    *(("judged", {"k": k}, judged(k)) for k in (1, 4)),
]


@pytest.mark.parametrize(("name", "options", "slow"), CHECKS, ids=[f"{n}{o}" for n, o, _ in CHECKS])
def test_the_fast_metric_equals_the_slow_one(name: str, options: dict[str, object], slow: Slow) -> None:
    @settings(max_examples=60, deadline=None, derandomize=True)
    @given(QUESTIONS, st.integers(1, 2))
    def law(questions: list[tuple[list[str], dict[str, int]]], least: int) -> None:
        rankings = Rankings.of([r or None for r, _ in questions], [g for _, g in questions], min_grade=least)
        found = list(METRICS[f"retrieval.{name}"](rankings, **options))
        assert len(found) == len(questions)
        for score, (ranked, grades) in zip(found, questions, strict=True):
            expected = slow(first_of_each(ranked), grades, least)
            if expected is None:
                assert isinstance(score, Undefined)
            else:
                assert isinstance(score, Value)
                assert score.value == pytest.approx(expected, abs=1e-12)

    law()
