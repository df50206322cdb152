"""A finished run in Python: rows, slices, cases, and how they look."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from tests.assurance.harness import write_project

from ragtriage.core.errors import BadInput, UnknownName
from ragtriage.workflows.evaluate import evaluate
from ragtriage.workflows.run import Run, RunMetric, Table


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    folder = tmp_path_factory.mktemp("project") / "project"
    write_project(folder, cases=8)
    before = list(sys.path)
    yield evaluate(folder / "ragtriage.toml", output=folder / "run", environment={"DELAY_S": "0"})
    sys.path[:] = before


def test_a_metric_has_its_value_and_its_slices(run: Run) -> None:
    # c0 and c5 need d3 and got d0 and d1; c3 failed.
    metric = run.metric("retrieval.recall@2")
    assert metric.value == pytest.approx(5 / 7)
    by = metric.by("language")
    assert {row.slice["language"]: (row.value, row.scored, row.failed) for row in by.rows} == {
        "en": (0.75, 4, 0),
        "kk": (pytest.approx(2 / 3), 3, 1),
    }
    assert repr(by).splitlines()[0] == "retrieval.recall@2"
    assert "language=kk" in repr(by)


def test_a_metric_that_is_undefined_everywhere_says_why_instead_of_slices(run: Run) -> None:
    whole = run.metric("retrieval.recall@2")
    undefined = whole.row.model_copy(update={"value": None, "failed": 0, "reason": "nothing is relevant"})
    (row,) = RunMetric(undefined, (undefined,)).by("language").rows
    assert (row.slice, row.reason) == ({}, "nothing is relevant")


def test_a_slice_becomes_a_data_frame(run: Run) -> None:
    frame = run.metric("retrieval.recall@2").by("language").to_pandas()
    assert sorted(frame["language"]) == ["en", "kk"]
    assert frame.set_index("language").loc["en", "value"] == 0.75


@pytest.mark.parametrize(
    ("name", "words"), [("retrieval.recal@2", "Did you mean 'retrieval.recall@2'"), ("retrieval.recall@9", "no metric")]
)
def test_an_unknown_metric_names_its_neighbours(run: Run, name: str, words: str) -> None:
    with pytest.raises(UnknownName, match=words):
        run.metric(name)


def test_a_slice_that_was_not_made_is_unknown(run: Run) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'language'"):
        run.metric("retrieval.recall@2").by("langage")


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("retrieval.recall@2 < 1", ["c0", "c5"]),
        ("retrieval.recall@2 = 0 and language = 'kk'", ["c5"]),
        ("context.evidence_recall = 1", ["c1", "c2", "c4", "c6", "c7"]),
        ("retrieval.recall@2 is null", ["c3"]),
        ("not ok and leaf = 'service'", ["c3"]),
        ("question <> 'retrieval.recall@2' and retrieval.recall@2 < 1", ["c0", "c5"]),
    ],
)
def test_cases_are_found_by_their_scores_fields_and_cause(run: Run, condition: str, expected: list[str]) -> None:
    found = run.cases.where(condition)
    assert [result.case_id for result in found.results] == expected
    assert len(found) == len(expected)


def test_a_condition_that_cannot_be_read_says_so(run: Run) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        run.cases.where("no_such_field = 1")
    with pytest.raises(BadInput, match=r"system\.errors"):
        run.cases.where("system.errors > 0")  # a metric of the whole set: no case has a score of its own


def test_nothing_is_found_in_nothing(run: Run) -> None:
    none = run.cases.where("case_id = 'nobody'")
    assert len(none) == 0
    assert len(none.where("ok")) == 0
    assert repr(none).startswith("0 cases")


def test_cases_are_shown_with_question_answer_and_cause(run: Run) -> None:
    shown = repr(run.cases.show(4))
    assert shown.startswith("8 cases, the first 4\n")
    assert "service: " in shown
    assert "It says 1 things." in shown


def test_a_run_is_a_table(run: Run) -> None:
    assert "5 of 8 cases ok, 1 failed" in repr(run)
    assert "retrieval.ndcg@2" in repr(run)
    assert run._repr_html_().startswith("<div>")


def test_text_under_test_cannot_leave_its_cell() -> None:
    hostile = "<script>alert(1)</script>\n\x1b[31m\u202e"
    table = Table(hostile, ("a", "b"), ((hostile, "x"), ("y", "z")))
    assert "<script" not in table._repr_html_()
    drawn = repr(table)
    assert "\x1b" not in drawn
    assert "\u202e" not in drawn
    assert len(drawn.splitlines()) == 4
