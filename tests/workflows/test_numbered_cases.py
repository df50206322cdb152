"""Small inputs on which tools of this field have gone wrong, through a whole evaluation."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.workflows.projects import write_project

from ragtriage.core.errors import BadInput
from ragtriage.core.score import Value
from ragtriage.workflows.evaluate import evaluate
from ragtriage.workflows.run import Run

Shared = Callable[[str], Path]


def given(shared: Shared, name: str) -> Any:
    return json.loads(shared(f"cases/inputs/{name}.json").read_text(encoding="utf-8"))


def ranked(documents: list[str]) -> list[dict[str, Any]]:
    return [{"stage": "dense", "hits": [{"id": name, "doc_id": name} for name in documents]}]


def numbers(run: Run, name: str) -> tuple[float | None, int, int, int, int]:
    row = run.results.row(name)
    assert row is not None
    return row.value, row.scored, row.undefined, row.failed, row.missing


def test_questions_that_brought_nothing_stay_in_the_mean_b13(shared: Shared, tmp_path: Path) -> None:
    case = given(shared, "B13")
    config = write_project(
        tmp_path,
        documents=[{"doc_id": f"d{n}", "text": f"Text {n}."} for n in (1, 2, 3)],
        cases=[
            {"case_id": q, "question": "?", "evidence": [{"doc_id": d} for d in gold]}
            for q, gold in case["qrels"].items()
        ],
        traces=[
            {"trace_id": q, "case_id": q, "question": "?", "rankings": ranked(case["run"].get(q, []))}
            for q in case["qrels"]
        ],
    )
    run = evaluate(config, output=tmp_path / "run")
    assert numbers(run, "retrieval.reciprocal_rank@10") == (pytest.approx(1 / 3), 3, 0, 0, 2)


def test_a_question_without_an_answer_is_measured_by_its_abstention_alone_b15(shared: Shared, tmp_path: Path) -> None:
    case = given(shared, "B15")
    config = write_project(
        tmp_path,
        documents=[{"doc_id": d, "text": f"Text of {d}."} for d in ("d2", "d9")],
        cases=[
            {
                "case_id": q,
                "question": "?",
                "kind": "lookup" if case["answerable"][q] else "no_answer",
                "evidence": [{"doc_id": d, "grade": grade} for d, grade in gold.items()],
            }
            for q, gold in case["qrels"].items()
        ],
        traces=[
            {
                "trace_id": q,
                "case_id": q,
                "question": "?",
                "rankings": ranked(found),
                "answer": {"text": "I do not know." if q == "q1" else "Text of d2.", "abstained": q == "q1"},
            }
            for q, found in case["run"].items()
        ],
    )
    run = evaluate(config, output=tmp_path / "run")
    for name in ("recall@10", "hit_rate@10", "ndcg@10", "reciprocal_rank@10", "average_precision@10"):
        assert numbers(run, f"retrieval.{name}") == (1.0, 1, 1, 0, 0), name
    assert numbers(run, "generation.abstention_recall")[:2] == (1.0, 1)
    assert numbers(run, "generation.abstention_precision")[:2] == (1.0, 1)


def test_an_answer_that_rests_on_no_context_fails_the_gate_b17(shared: Shared, tmp_path: Path) -> None:
    case = given(shared, "B17")
    forms = [case["contexts"], *(value for _, value in case["also"])]
    assert forms == [[], None, [""], ["   "]]
    found = []
    for number, form in enumerate(forms):
        context = None if form is None else [{"id": f"c{place}", "text": text} for place, text in enumerate(form)]
        config = write_project(
            tmp_path / str(number),
            documents=[{"doc_id": "d", "text": "Something else."}],
            cases=[{"case_id": "q", "question": case["question"]}],
            traces=[
                {
                    "trace_id": "t",
                    "case_id": "q",
                    "question": case["question"],
                    "rankings": ranked([]),
                    "context": context,
                    "answer": {"text": case["answer"]},
                }
            ],
            settings='[[gate]]\nmetric = "generation.faithfulness"\nmin = 0.5\nallow_proxy = true\n'
            "[gate_policy]\nmin_scored = 1\n",
        )
        run = evaluate(config, output=tmp_path / f"run{number}")
        assert run.results.gate is not None
        found.append(
            (
                numbers(run, "generation.faithfulness"),
                numbers(run, "retrieval.context_precision@10")[:3],
                run.results.gate.verdict,
            )
        )
    assert found == [((0.0, 1, 0, 0, 0), (None, 0, 1), "fail")] * 4


def test_scores_stay_with_their_cases_whatever_order_answers_come_in_b41(shared: Shared, tmp_path: Path) -> None:
    case = given(shared, "B41")
    write_project(
        tmp_path,
        documents=[{"doc_id": "d", "text": "One two three four five six seven eight nine ten."}],
        cases=[
            {"case_id": one["id"], "question": one["id"], "expected": {"answer": " ".join("bcdefghijk")}}
            for one in case["cases"]
        ],
        traces=[],
    )
    made = {one["id"]: one for one in case["cases"]}

    def answer(question: Any) -> str:
        one = made[question.case_id]
        time.sleep(one["delay_ms"] / 1000)
        right = round(one["score"] * 10)
        return " ".join(["bcdefghijk"[place] if place < right else "z" * (place + 2) for place in range(10)])

    written = []
    for jobs in (1, case["workers"]):
        run = evaluate(
            system=answer,
            golden=tmp_path / "golden",
            corpus=tmp_path / "corpus",
            metrics=["generation.token_f1"],
            output=tmp_path / f"run{jobs}",
            jobs=jobs,
        )
        scores = {score.case_id: score.outcome for score in run.report().scores}
        assert list(scores) == ["c0", "c1", "c2", "c3"]
        values = [score.value for score in scores.values() if isinstance(score, Value)]
        assert values == pytest.approx([0.0, 0.1, 0.2, 0.3])
        files = [(run.folder / name).read_bytes() for name in ("results.json", "scores.parquet", "junit.xml")]
        written.append([content.replace(run.results.run_id.encode(), b"RUN") for content in files])
    assert written[0] == written[1]


def test_ids_that_look_the_same_are_refused_before_anything_is_asked_b45(shared: Shared, tmp_path: Path) -> None:
    rows = given(shared, "B45")["rows"]
    write_project(
        tmp_path,
        documents=[{"doc_id": "d", "text": "x"}],
        cases=[{"case_id": row["id"], "question": row["q"]} for row in rows],
        traces=[],
    )
    asked = []

    def answer(question: Any) -> str:
        asked.append(question)
        return ""

    with pytest.raises(BadInput) as refused:
        evaluate(system=answer, golden=tmp_path / "golden", corpus=tmp_path / "corpus", output=tmp_path / "run")
    told = str(refused.value)
    assert "'case-1' stands in lines 1, 2, 3" in told
    assert "'café' stands in lines 4, 5" in told
    assert "cases.jsonl:6" in told
    assert not asked
    assert not (tmp_path / "run").exists()
