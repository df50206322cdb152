"""What a run pays for judging: one budget for all that judges, and nothing paid twice when the run is continued."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.judge import FakeJudge
from tests.fakes.judge_server import Bill, serving
from tests.workflows.projects import write_project

from ragtriage.core.errors import BudgetReached
from ragtriage.runs.store import RunStore
from ragtriage.workflows.evaluate import evaluate

CASES = 40
PRICES = "input_usd_per_million = 1.0\noutput_usd_per_million = 10.0\nembedding_usd_per_million = 0.5\n"
ALL = '["generation.faithfulness", "generation.response_relevancy", "generation.semantic_similarity"]'


def project(folder: Path, address: str, *, judge: str = "", metrics: str = ALL) -> Path:
    cases, traces = [], []
    for i in range(CASES):
        question = f"What is fee {i}?"
        expected = {"answer": f"The fee is {i} euro."}
        cases.append({"case_id": f"c{i}", "question": question, "risk": "high", "expected": expected})
        text = f"The fee is {i} euro. It is paid at once."
        context = [{"id": f"d{i}", "text": f"The fee is {i} euro."}, {"id": f"e{i}", "text": "Rules of the bank."}]
        traces.append({"trace_id": f"t{i}", "case_id": f"c{i}", "question": question, "context": context,
                       "answer": {"text": text, "abstained": False}})  # fmt: skip
    settings = (
        f'[judge]\nmodel = "openai/fake"\nbase_url = "{address}"\nsecond_model = "openai/other"\n'
        f'embedding = "openai/vectors"\nconcurrency = 32\ncache = ""\n{PRICES}{judge}\n[metrics]\ninclude = {metrics}\n'
    )
    return write_project(
        folder, documents=[{"doc_id": "d", "text": "A page."}], cases=cases, traces=traces, settings=settings
    )


def run_of(config: Path, **options: Any) -> Any:
    return evaluate(config, output=config.parent / "run", environment={}, **options)


def spent_usd(folder: Path) -> float:
    with RunStore.open(folder) as store:
        return sum(call.cost_usd or 0.0 for call in store.judge_calls().values())


def test_two_judges_and_the_embedder_at_32_at_once_stay_within_one_budget(tmp_path: Path) -> None:
    bill = Bill()
    with serving(FakeJudge(), bill=bill) as (address, bodies):
        run_of(project(tmp_path / "whole", address))
        whole_usd = bill.usd
        for share in (0.3, 0.5, 0.7, 0.9):
            bodies.clear()
            config = project(tmp_path / str(share), address, judge=f"max_cost_usd = {share * whole_usd}")
            before = bill.usd
            with pytest.raises(BudgetReached):
                run_of(config)
            assert bill.usd - before <= share * whole_usd
            assert bill.usd - before > share * whole_usd / 2, "the wall stands at the end of the money, not before"
        assert {body["model"] for body in bodies} == {"fake", "other", "vectors"}


def test_a_run_that_reached_its_budget_goes_on_from_what_it_spent_and_pays_nothing_twice(tmp_path: Path) -> None:
    whole, parts = Bill(), Bill()
    with serving(FakeJudge(), bill=whole) as (address, _):
        all_at_once = run_of(project(tmp_path / "whole", address))
    with serving(FakeJudge(), bill=parts) as (address, bodies):
        config = project(tmp_path / "parts", address, judge="max_cost_usd = 0.05")
        with pytest.raises(BudgetReached):
            run_of(config)
        assert spent_usd(tmp_path / "parts" / "run") == pytest.approx(parts.usd, abs=1e-12)
        with pytest.raises(BudgetReached):  # what was spent is spent: the same budget buys nothing more
            run_of(config, resume=tmp_path / "parts" / "run")
        assert parts.usd <= 0.05
        told = run_of(config, resume=tmp_path / "parts" / "run", max_cost_usd=1.0)
        assert spent_usd(tmp_path / "parts" / "run") == pytest.approx(parts.usd, abs=1e-12)
        chats = Counter(str(body["messages"]) + body["model"] for body in bodies if "messages" in body)
        assert set(chats.values()) == {1}, "no reply was paid for twice"
    names = ("generation.faithfulness", "generation.response_relevancy", "generation.semantic_similarity")
    assert [told.results.row(n).value for n in names] == [all_at_once.results.row(n).value for n in names]


def test_a_reply_that_was_billed_and_cut_off_counts_towards_what_a_resumed_run_has_spent(tmp_path: Path) -> None:
    def instead(number: int) -> tuple[int, dict[str, Any]] | None:
        choice = {"index": 0, "finish_reason": "length", "message": {"role": "assistant", "content": '{"it'}}
        usage = {"prompt_tokens": 1000, "completion_tokens": 700, "total_tokens": 1700}
        return (200, {"model": "fake", "choices": [choice], "usage": usage}) if number == 5 else None

    with serving(FakeJudge(), instead=instead) as (address, _):
        run_of(project(tmp_path, address, metrics='["generation.faithfulness"]'))
    with RunStore.open(tmp_path / "run") as store:
        (cut,) = (call for call in store.judge_calls().values() if call.failed)
    assert (cut.failed, cut.cost_usd) == ("truncated", pytest.approx((1000 + 7000) / 1e6))
