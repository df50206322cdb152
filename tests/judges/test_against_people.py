"""The lexical judge against labels by people: a floor under what was measured, so that a change for the worse shows."""

from __future__ import annotations

import json

import pytest
from sklearn.metrics import roc_auc_score

from ragtriage.judges.lexical import verify


def read(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def scifact(shared):
    """Claims with the abstract they were written about and the label that experts gave."""
    corpus = {row["_id"]: " ".join(row["sentences"]) for row in read(shared("data/scifact/corpus.jsonl"))}
    names = {"SUPPORT": "supported", "CONTRADICT": "contradicted"}
    for row in read(shared("data/scifact/claims.jsonl")):
        document = next(iter(row["evidence"] or row["cited_doc_ids"]))
        label = names[row["evidence"][document][0]["label"]] if row["evidence"] else "not_in_context"
        if document in corpus:
            yield row["claim"], corpus[document], label


def test_scientific_claims_get_the_experts_label_more_often_than_by_any_one_answer(shared):
    rows = list(scifact(shared))
    found = [verify(claim, context) for claim, context, _ in rows]
    wanted = [label for _, _, label in rows]
    right = sum(f.label == label for f, label in zip(found, wanted, strict=True)) / len(rows)
    commonest = max(wanted.count(label) for label in set(wanted)) / len(rows)
    assert right > commonest + 0.05
    told = [(f.score, label == "supported") for f, label in zip(found, wanted, strict=True) if label != "contradicted"]
    assert roc_auc_score([y for _, y in told], [s for s, _ in told]) > 0.8


@pytest.mark.parametrize(("name", "floor"), [("qags_cnndm", 0.8), ("qags_xsum", 0.6)])
def test_summaries_that_people_call_consistent_score_higher(shared, name, floor):
    rows = read(shared(f"data/consistency_human/{name}.jsonl"))
    scores = [verify(row["system_output"], row["source"]).score for row in rows]
    consistent = [row["scores"]["consistency"] > 0.5 for row in rows]
    assert roc_auc_score(consistent, scores) > floor
