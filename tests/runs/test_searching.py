"""Searching again with other forms of a question, through a whole run with a system that rewrites."""

from __future__ import annotations

import json

import pytest

import ragtriage as rt
from ragtriage.core.score import Failed, Undefined, Value

DOCUMENTS = {
    "d1": "Wire transfers abroad cost 20 dollars.",
    "d2": "The daily limit is 500 dollars.",
    "d3": "Opening hours are nine to five.",
}


class Rewriting:
    """Finds documents by shared words, and rewrites the question by a table."""

    def __init__(self, table: dict[str, tuple[str, ...]], *, breaks_on: str = "") -> None:
        self.table, self.breaks_on, self.asked = table, breaks_on, []

    def __call__(self, question, *, override=None):
        queries = self.table.get(question.text, (question.text,))
        if override is not None and override.query is not None:
            self.asked.append(override.query)
            queries = (override.query,)
            if override.query == self.breaks_on:
                raise RuntimeError("index is down")
        words = {w.strip("?.").lower() for query in queries for w in query.split()}
        scored = [(len(words & set(t.lower().strip(".").split())), d) for d, t in DOCUMENTS.items()]
        hits = [{"id": d, "doc_id": d, "score": float(s)} for s, d in sorted(scored, reverse=True) if s]
        return {"answer": "?", "rewrites": list(queries), "rankings": [{"stage": "bm25", "hits": hits}]}


CASES = [
    {
        "case_id": "q1",
        "question": "cash machine cap?",
        "evidence": [{"doc_id": "d2"}],
        "expected": {"route": "one_shot"},
    },
    {"case_id": "q2", "question": "wire transfers?", "evidence": [{"doc_id": "d1"}], "intent": "fee"},
]


@pytest.fixture
def project(tmp_path):
    documents = [{"doc_id": d, "text": text} for d, text in DOCUMENTS.items()]
    for name, records in (("corpus/documents", documents), ("golden/cases", CASES)):
        file = tmp_path / f"{name}.jsonl"
        file.parent.mkdir()
        file.write_text("".join(json.dumps(record) + "\n" for record in records))
    (tmp_path / "corpus" / "corpus.toml").write_text('name = "small"\n')
    (tmp_path / "golden" / "golden.toml").write_text('name = "small"\n')
    return tmp_path


def run(project, system, compare):
    (project / "ragtriage.toml").write_text(
        f'[corpus]\npath = "corpus"\n[golden]\npath = "golden"\n[system]\npython = "unused:unused"\n'
        f'[query]\ncompare = {compare}\n[metrics]\ninclude = ["query.*", "retrieval.recall@5"]\n'
    )
    return rt.evaluate(project / "ragtriage.toml", system=system, output=project / "run", gate=False)


def scores(found, name):
    return {s.case_id: s.outcome for s in found.report().scores if s.metric == name}


def test_what_a_rewrite_wins_is_told_beside_what_rm3_wins(project):
    system = Rewriting({"cash machine cap?": ("daily limit", "opening hours")})
    found = run(project, system, ["raw", "rm3", "rewrites"])
    assert scores(found, "query.expansion_uplift@5") == {
        "q1": Value(1.0, 1),  # the raw question finds nothing, the rewrites find d2
        "q2": Undefined("the question was not rewritten"),
    }
    assert scores(found, "query.rm3_uplift@5") == {"q1": Value(0.0, 1), "q2": Value(0.0, 1)}
    assert scores(found, "query.expansion_over_rm3@5")["q1"] == Value(1.0, 1)
    assert scores(found, "query.multi_query_recall@1")["q1"] == Value(1.0, 1)
    assert found.results.left_out["query.routing_accuracy"].startswith("the case declares no route")
    assert "daily limit" in system.asked


def test_the_other_forms_change_no_ranking_metric_and_no_diagnosis(project):
    table = {"cash machine cap?": ("daily limit",)}
    with_forms = run(project, Rewriting(table), ["raw", "rm3", "rewrites"])
    plain_rows = [r for r in with_forms.results.metrics if r.name.startswith("retrieval.")]
    without = run(project, Rewriting(table), [])
    assert plain_rows == [r for r in without.results.metrics if r.name.startswith("retrieval.")]


def test_a_rewrite_that_loses_what_the_raw_question_finds_is_the_leaf_query(project):
    found = run(project, Rewriting({"wire transfers?": ("opening hours",)}), ["raw"])
    case = next(c for c in found.results.cases if c.case_id == "q2")
    assert case.diagnosis is not None
    assert case.diagnosis.leaf == "query"
    assert scores(found, "query.expansion_uplift@5")["q2"] == Value(-1.0, 1)


def test_a_search_that_broke_is_a_counted_failure_of_its_metrics_alone(project):
    system = Rewriting({"wire transfers?": ("wire",)}, breaks_on="wire transfers?")
    found = run(project, system, ["raw"])
    failed = scores(found, "query.expansion_uplift@5")["q2"]
    assert isinstance(failed, Failed)
    assert "index is down" in failed.message
    assert scores(found, "retrieval.recall@5")["q2"] == Value(1.0, 1)
    row = next(r for r in found.results.metrics if r.name == "query.expansion_uplift@5" and not r.slice)
    assert (row.scored, row.undefined, row.failed) == (0, 1, 1)


def test_a_system_that_takes_no_override_leaves_the_difference_undefined(project):
    def answer(question):
        return Rewriting({"wire transfers?": ("wire",)})(question)

    found = run(project, answer, ["raw", "rm3"])
    assert found.results.left_out["query.expansion_uplift"].startswith(
        "the trace records no ranking of the raw question"
    )
