"""Entities, declared forms and citations of a stored run, through the ontology that its configuration names."""

from __future__ import annotations

import json

import pytest
from tests.workflows.projects import write_project

import ragtriage as rt
from ragtriage.core.errors import NotComparable
from ragtriage.core.score import Undefined, Value
from ragtriage.workflows.rescore import rescore

DOCUMENTS = [{"doc_id": "d1", "text": "The Classic card costs 5 euro. The Zapas deposit pays 9 %."}]
CASES = [
    {"case_id": "q1", "question": "What does Classic cost?", "entities": [{"mention": "Classic", "id": "card:classic"}],
     "evidence": [{"doc_id": "d1"}]},
    {"case_id": "q2", "question": "What does Tulpar cost?", "entities": [{"mention": "Tulpar", "id": None}],
     "expected": {"format": {"json_schema": {"required": ["fee"]}}}},
    {"case_id": "q3", "question": "What is new?"},
]  # fmt: skip
TRACES = [
    {"trace_id": "t1", "case_id": "q1", "question": CASES[0]["question"],
     "entities": [{"mention": "Classic", "id": "card:platinum", "start": 10, "end": 17}],
     "context": [{"id": "d1#0", "doc_id": "d1", "text": DOCUMENTS[0]["text"]}, {"id": "9f8e", "text": "a loose text"}],
     "answer": {"text": "The Classic card costs 5 euro.",
                "citations": [{"start": 0, "end": 30, "ids": ["d1#0", "9f8e", "gone"]}]}},
    {"trace_id": "t2", "case_id": "q2", "question": CASES[1]["question"],
     "entities": [{"mention": "tulpar", "id": "card:classic"}], "answer": {"text": '{"fee": 1}'}},
    {"trace_id": "t3", "case_id": "q3", "question": CASES[2]["question"], "answer": {"text": "Nothing."}},
]  # fmt: skip
CONCEPTS = [
    {"id": "product"}, {"id": "card", "parents": ["product"]}, {"id": "card:classic", "parents": ["card"]},
    {"id": "card:platinum", "parents": ["card"]},
]  # fmt: skip


@pytest.fixture
def run(tmp_path):
    (tmp_path / "products.json").write_text(json.dumps({"concepts": CONCEPTS}))
    settings = '[ontology]\npath = "products.json"\n[metrics]\ninclude = ["ontology.*"]\n'
    config = write_project(tmp_path, documents=DOCUMENTS, cases=CASES, traces=TRACES, settings=settings)
    return rt.evaluate(config, output=tmp_path / "run", gate=False)


def scores(run, name):
    return {score.case_id: score.outcome for score in run.report().scores if score.metric == name}


def test_links_are_paired_where_they_stand_in_the_question(run):
    assert scores(run, "ontology.mention_f1")["q1"] == Value(1.0, 2)
    assert scores(run, "ontology.disambiguation")["q1"] == Value(0.0, 1)
    assert scores(run, "ontology.wu_palmer")["q1"] == Value(2 * 2 / (3 + 3), 1)
    assert scores(run, "ontology.confusion_kind")["q1"] == Value(0.0, 1)  # by default the share that is unrelated
    assert scores(run, "ontology.hierarchical_f1")["q1"] == Value(2 * 1 / 4, 4)
    assert scores(run, "ontology.vocabulary_conformance")["q1"] == Value(1.0, 1)
    assert scores(run, "ontology.semantic_conformance")["q1"] == Value(0.0, 1)


def test_a_mention_without_offsets_that_is_written_otherwise_still_has_a_place(run):
    # "tulpar" does not stand in the question as it is written, so its folded text is its place; "Tulpar" has offsets.
    assert scores(run, "ontology.mention_f1")["q2"] == Value(0.0, 2)


def test_a_case_without_labels_and_a_trace_without_entities_are_undefined(run):
    assert scores(run, "ontology.mention_f1")["q3"] == Undefined("the case labels no entities")
    assert scores(run, "ontology.schema_validity") == {
        "q1": Undefined("no JSON schema is declared"),
        "q2": Value(1.0, 1),
        "q3": Undefined("no JSON schema is declared"),
    }


def test_citations_lead_to_documents_to_texts_or_nowhere(run):
    assert scores(run, "ontology.provenance_depth")["q1"] == Value(1 / 3, 3)
    assert scores(run, "ontology.citation_completeness")["q1"] == Value(1.0, 1)


def test_a_run_whose_ontology_changed_is_not_scored_again(run, tmp_path):
    assert run.results.bundle["ontology"]
    rescore(tmp_path / "run")
    (tmp_path / "products.json").write_text(json.dumps({"concepts": CONCEPTS[:3]}))
    with pytest.raises(NotComparable, match="the ontology has changed"):
        rescore(tmp_path / "run")
