from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.core.views import Rankings
from ragtriage.data.rankings import Vocabulary, align, judgements_of, run_of

IDS = [f"d{i}" for i in range(7)]
QRELS = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3"]), st.dictionaries(st.sampled_from(IDS), st.integers(-1, 3)), min_size=1
)
RUN = st.dictionaries(
    st.sampled_from(["q1", "q2", "q4"]), st.dictionaries(st.sampled_from(IDS), st.sampled_from([0.0, 0.5, 1.0, -2.0]))
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(QRELS, RUN, st.integers(1, 2))
def test_aligned_columns_equal_lists_that_python_sorted(
    qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]], least: int
) -> None:
    documents = Vocabulary()
    aligned = align(judgements_of(qrels, documents=documents), run_of(run, documents=documents))
    found = aligned.rankings(min_grade=least)
    ordered = [sorted(run.get(q, {}), key=lambda d, q=q: (run[q][d], d.encode()), reverse=True) for q in qrels]
    expected = Rankings.of(ordered, list(qrels.values()), min_grade=least)
    assert found.ids == expected.ids
    assert found.grades.tolist() == expected.grades.tolist()
    assert found.ideal.tolist() == expected.ideal.tolist()
    assert found.relevant.tolist() == expected.relevant.tolist()
    assert found.judged_nonrelevant.tolist() == expected.judged_nonrelevant.tolist()
    assert found.listed.tolist() == expected.listed.tolist()
    assert found.min_grade == expected.min_grade
    assert aligned.unknown == tuple(q for q in run if q not in qrels)


def test_a_repeated_document_keeps_its_best_place() -> None:
    documents = Vocabulary()
    judgements = judgements_of({"q1": {"a": 1}, "q2": {"a": 1}}, documents=documents)
    run = run_of({"q1": ["b", "a", "b", "a"], "q2": ["a"]}, documents=documents)
    aligned = align(judgements, run, order="rank")
    assert aligned.rankings().ids == (("b", "a"), ("a",))
    assert aligned.duplicates == 2


def test_the_rank_cannot_decide_where_there_is_none() -> None:
    documents = Vocabulary()
    run = run_of({"q1": {"a": 1.0}}, documents=documents)
    with pytest.raises(ValueError, match="without a rank"):
        align(judgements_of({"q1": {"a": 1}}, documents=documents), run, order="rank")


def test_scores_that_differ_only_beyond_float32_are_no_tie() -> None:
    """16.00000002 stands above 16.00000001, although both are 16 as float32."""
    documents = Vocabulary()
    judgements = judgements_of({"q": {"a": 1}}, documents=documents)
    aligned = align(judgements, run_of({"q": {"b": 16.00000001, "a": 16.00000002}}, documents=documents))
    assert aligned.rankings().ids == (("a", "b"),)


def test_ties_go_by_the_bytes_of_the_id() -> None:
    documents = Vocabulary()
    names = ["a10", "a9", "B", "я", "é", "日"]
    judgements = judgements_of({"q": {"a9": 1}}, documents=documents)
    aligned = align(judgements, run_of({"q": dict.fromkeys(names, 1.0)}, documents=documents))
    assert aligned.rankings().ids == (tuple(sorted(names, key=str.encode, reverse=True)),)


def test_the_rows_of_a_question_need_not_stand_together() -> None:
    documents = Vocabulary()
    judgements = judgements_of({"q1": {"a": 1}, "q2": {"b": 2}}, documents=documents)
    run = run_of({"q2": {"b": 1.0, "x": 2.0}, "q1": {"a": 3.0}}, documents=documents)
    shuffled = [2, 0, 1]
    mixed = type(run)(
        run.name, run.questions, documents, run.question[shuffled], run.document[shuffled], run.score[shuffled]
    )
    assert align(judgements, mixed).rankings().ids == (("a",), ("x", "b"))


def test_one_long_list_does_not_widen_the_batches_of_all_others() -> None:
    documents = Vocabulary()
    lists = {f"q{i}": ["a"] for i in range(500)} | {"long": [f"d{i}" for i in range(5000)]}
    aligned = align(
        judgements_of({q: {"a": 1} for q in lists}, documents=documents), run_of(lists, documents=documents)
    )
    shapes = [batch.grades.shape for _, batch in aligned.batches(max_cells=5000)]
    assert sum(rows * depth for rows, depth in shapes) <= 2 * (500 + 5000)
