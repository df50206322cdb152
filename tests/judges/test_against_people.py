"""The lexical judge against labels by people: a floor under what was measured, so that a change for the worse shows."""

from __future__ import annotations

import json

import pytest
from sklearn.metrics import f1_score, roc_auc_score

from ragtriage.judges.lexical import verify
from ragtriage.text.tokens import words


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
    labels = ["supported", "contradicted", "not_in_context"]
    assert f1_score(wanted, [f.label for f in found], average="macro", labels=labels) > 0.55
    told = [(f.score, label == "supported") for f, label in zip(found, wanted, strict=True) if label != "contradicted"]
    assert roc_auc_score([y for _, y in told], [s for s, _ in told]) > 0.8


def overlap(text, source):
    mine, theirs = words(text), set(words(source))
    return sum(word in theirs for word in mine) / len(mine)


@pytest.mark.parametrize(
    ("name", "label"),
    [("qags_cnndm", "consistency"), ("qags_xsum", "consistency"), ("topical_chat", "groundedness")],
)
def test_texts_that_people_call_consistent_score_higher_and_word_overlap_tells_them_apart_less(shared, name, label):
    rows = read(shared(f"data/consistency_human/{name}.jsonl"))
    texts = [(row["system_output"], row.get("context") or row["source"]) for row in rows]
    consistent = [row["scores"][label] > 0.5 for row in rows]
    area = roc_auc_score(consistent, [verify(*pair).score for pair in texts])
    assert area > roc_auc_score(consistent, [overlap(*pair) for pair in texts]) + 0.04
