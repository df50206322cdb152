"""The estimate of a dry run is held against the bill of a server that counts."""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.judge import FakeJudge
from tests.fakes.judge_server import Bill, serving
from tests.workflows.projects import write_project

from ragtriage.cli.main import main
from ragtriage.models.estimate import guess_tokens
from ragtriage.workflows.evaluate import evaluate
from ragtriage.workflows.preview import preview

Called = Callable[..., tuple[int, str, str]]
CASES = 60
PRICES = "input_usd_per_million = 1.0\noutput_usd_per_million = 10.0\nembedding_usd_per_million = 0.5\n"
ALL = ("generation.faithfulness", "generation.completeness", "generation.correctness", "generation.nugget_recall",
       "generation.response_relevancy", "generation.abstention_recall")  # fmt: skip
WORDS = (
    *("комиссия", "тариф", "перевод", "карта", "счёт", "договор", "өтінім", "шот", "төлем", "переказ", "рахунок"),
    *("the", "fee", "is", "due", "within", "days", "of", "transfer"),
)


def prose(rng: random.Random, sentences: int) -> str:
    return " ".join(f"{' '.join(rng.choices(WORDS, k=rng.randrange(5, 14))).capitalize()} {rng.randrange(99)}."
                    for _ in range(sentences))  # fmt: skip


def project(folder: Path, address: str, *, recorded: bool = True, judge: str = PRICES) -> Path:
    rng = random.Random(7)
    cases, traces, documents = [], [], []
    for i in range(CASES):
        question = f"What is fee {i}?"
        reference = prose(rng, 2)
        nuggets = [{"text": prose(rng, 1), "importance": "vital"}]
        cases.append({"case_id": f"c{i}", "question": question, "risk": rng.choice(["low", "high"]),
                      "expected": {"answer": reference, "behaviour": "answer", "nuggets": nuggets},
                      "evidence": [{"doc_id": f"d{i}"}]})  # fmt: skip
        documents.append({"doc_id": f"d{i}", "text": prose(rng, rng.randrange(10, 40))})
        context = [{"id": f"x{i}{j}", "text": prose(rng, rng.randrange(3, 12))} for j in range(3)]
        answer = f"{context[0]['text'].split('.')[0]}. {prose(rng, rng.randrange(1, 5))}"
        traces.append({"trace_id": f"t{i}", "case_id": f"c{i}", "question": question, "context": context,
                       "answer": {"text": answer}})  # fmt: skip
    settings = (
        f'[judge]\nmodel = "openai/fake"\nsecond_model = "openai/other"\nembedding = "openai/vectors"\n'
        f'base_url = "{address}"\nconcurrency = 16\n{judge}\n[metrics]\ninclude = {json.dumps(ALL)}\n'
    )
    made = write_project(folder, documents=documents, cases=cases, traces=traces, settings=settings)
    if not recorded:
        made.write_text(made.read_text().replace('traces = "traces.jsonl"', 'python = "no_such_module:answer"'))
    return made


def words(text: str) -> int:
    """Count as a vocabulary of another kind does: pieces of up to four letters, each other sign by itself."""
    return len(re.findall(r"\w{1,4}|[^\w\s]", text))


class WordyJudge(FakeJudge):
    """Says more than it must: a difference for every claim."""

    def _claim_support(self, data: Any) -> dict[str, Any]:
        reply = super()._claim_support(data)
        for one in reply["verdicts"]:
            one["difference"] = f"The sources say: {data['SOURCES'][0]['text'][:200]}"
        return reply


@pytest.mark.parametrize("judge", [FakeJudge, WordyJudge])
@pytest.mark.parametrize("count", [words, lambda text: len(text.encode()) // 4 + 1], ids=["pieces", "bytes"])
def test_after_a_few_cases_the_estimate_is_within_five_percent_of_the_bill(
    tmp_path: Path, judge: type[FakeJudge], count: Any
) -> None:
    bill = Bill(count=count)
    with serving(judge(), bill=bill) as (address, bodies):
        config = project(tmp_path, address)
        evaluate(config, output=tmp_path / "pilot", limit=12, environment={})
        paid, sent = bill.usd, len(bodies)
        told = preview(config, output=tmp_path / "run").judging
        assert told is not None
        assert len(bodies) == sent, "a dry run asks nobody"
        evaluate(config, output=tmp_path / "run", environment={})
        assert told.calls == len(bodies) - sent
    assert told.cost_usd == pytest.approx(bill.usd - paid, rel=0.05)
    assert told.most_usd is not None
    assert told.most_usd >= bill.usd - paid
    assert told.replies > 50


def test_a_run_that_goes_on_learns_from_its_own_replies_and_counts_what_is_left_alone(tmp_path: Path) -> None:
    bill = Bill(count=words)
    with serving(FakeJudge(), bill=bill) as (address, bodies):
        config = project(tmp_path, address, judge=f'{PRICES}cache = ""\nmax_cost_usd = 5.0\n')
        run = tmp_path / "run"
        with pytest.raises(Exception, match="budget"):
            evaluate(config, output=run, environment={}, max_cost_usd=1.4)
        paid, sent = bill.usd, len(bodies)
        told = preview(config, resume=run).judging
        evaluate(config, resume=run, environment={})
        assert told is not None
        assert abs(told.calls - (len(bodies) - sent)) <= 0.05 * told.calls, "vectors of half a case are made again"
    assert told.cost_usd == pytest.approx(bill.usd - paid, rel=0.1)  # of some kinds few replies are known
    assert preview(config, resume=run).judging.calls == 0


def test_before_any_reply_the_prompts_are_exact_and_the_rest_is_said_to_be_supposed(tmp_path: Path) -> None:
    bill = Bill(count=lambda text: round(guess_tokens(text)))
    with serving(FakeJudge(), bill=bill) as (address, bodies):
        config = project(tmp_path, address)
        told = preview(config, output=tmp_path / "run").judging
        evaluate(config, output=tmp_path / "run", environment={})
        assert told is not None
        assert told.calls == len(bodies)
    assert told.models["openai/fake"].input_tokens + told.models["openai/other"].input_tokens == pytest.approx(
        bill.input_tokens, rel=0.05
    )
    assert any("no reply of this judge is known" in note for note in told.assumed)


def test_answers_that_nobody_gave_yet_are_supposed_and_counted_in_the_open(tmp_path: Path) -> None:
    config = project(tmp_path, "http://127.0.0.1:9/v1", recorded=False)
    told = preview(config).judging
    assert told is not None
    assert told.calls > 5 * CASES
    assert any(f"{CASES} answers are not known yet: {CASES} are supposed" in note for note in told.assumed)
    assert not (tmp_path / ".ragtriage").exists(), "a dry run writes nothing"


@pytest.fixture
def ragtriage(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Called:
    """Call the command line and return exit code, stdout, stderr."""

    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["ragtriage", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        out, err = capsys.readouterr()
        return int(left.value.code or 0), out, err

    return call


def test_the_command_shows_cost_prices_and_assumptions_and_writes_nothing(tmp_path: Path, ragtriage: Called) -> None:
    config = project(tmp_path, "https://api.openai.com/v1", judge="max_cost_usd = 0.001")
    config.write_text(config.read_text().replace("openai/fake", "openai/gpt-5-mini").replace(
        "openai/other", "openai/gpt-5-nano").replace("openai/vectors", "openai/text-embedding-3-small"))  # fmt: skip
    before = sorted(tmp_path.rglob("*"))
    run = str(tmp_path / "run")
    code, out, _ = ragtriage("eval", "-c", config, "-o", run, "--dry-run")
    assert code == 0
    assert "judging by openai/gpt-5-mini:" in out
    assert "list price of 2026-" in out
    assert re.search(r"judging would cost about 0\.\d+ USD, at most", out)
    assert "more than the budget of 0.001 USD" in out
    _, out, _ = ragtriage("eval", "-c", config, "-o", run, "--dry-run", "--max-cost", 50, "--format", "json")
    found = json.loads(out)
    assert found["max_cost_usd"] == 50.0
    assert found["judging"]["cost_usd"] == pytest.approx(
        sum(one["cost_usd"] for one in found["judging"]["models"].values()), abs=1e-9
    )
    assert sorted(tmp_path.rglob("*")) == before


def test_without_a_model_nothing_is_to_be_paid_and_a_budget_is_a_mistake(tmp_path: Path, ragtriage: Called) -> None:
    documents = [{"doc_id": "d", "text": "A page."}]
    config = write_project(tmp_path, documents=documents, cases=[{"case_id": "c", "question": "?"}],
                           traces=[{"trace_id": "t", "question": "?", "answer": {"text": "-"}}])  # fmt: skip
    assert preview(config).judging is None
    code, _, err = ragtriage("eval", "-c", config, "--dry-run", "--max-cost", 1)
    assert code == 2
    assert "a budget needs a judge" in err
