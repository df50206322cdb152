"""`ragtriage judge prefer`: stored runs before a judge over HTTP, in both orders, all of it counted."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.fakes.judge import FakeJudge, shown_to
from tests.fakes.judge_server import serving
from tests.workflows.projects import write_project

from ragtriage.cli.judge import command
from ragtriage.core.errors import BadInput, BudgetReached, JudgeUnavailable
from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import PreferenceView
from ragtriage.metrics.system.pairwise_preference import pairwise_preference
from ragtriage.models.ports import ChatRequest
from ragtriage.stats.preference import bradley_terry
from ragtriage.stats.proportions import wilson
from ragtriage.workflows.evaluate import evaluate
from ragtriage.workflows.judge_prefer import prefer_runs

RIGHT, WRONG = "The fee is {i} euro.", "The cost is not known to us."
CASES = 8


def stored(
    folder: Path, name: str, says: Callable[[int], str | None], *, model: str | None = None, cases: int = CASES
) -> Path:
    """Store a run of a system that says `says(i)` to the i-th question; None: it breaks."""
    golden, traces = [], []
    for i in range(cases):
        question = f"What is fee {i}?"
        golden.append({"case_id": f"c{i}", "question": question, "language": "en" if i % 2 else "ru",
                       "evidence": [{"doc_id": f"d{i}"}],
                       "expected": {"answer": RIGHT.format(i=i)}})  # fmt: skip
        text = says(i)
        trace = {"trace_id": f"t{i}", "case_id": f"c{i}", "question": question}
        trace |= {"error": {"type": "Boom", "message": "no"}} if text is None else {"answer": {"text": text}}
        traces.append(trace | ({"models": {"embedder": "e5", "generator": model}} if model else {}))
    documents = [{"doc_id": f"d{i}", "text": RIGHT.format(i=i)} for i in range(cases)]
    config = write_project(folder / name, documents=documents, cases=golden, traces=traces,
                           settings='[judge]\ncode = "none"\n[metrics]\ninclude = ["system.errors"]\n')  # fmt: skip
    evaluate(config, output=folder / "runs" / name, environment={})
    return folder / "runs" / name


def judge_at(folder: Path, address: str, *, model: str = "fake", rest: str = 'cache = ""') -> Path:
    config = folder / "judge.toml"
    project = min(folder.glob("*/golden")).parent.name
    config.write_text(
        f'[golden]\npath = "{project}/golden"\n[system]\ntraces = "{project}/traces.jsonl"\n'
        f'[judge]\nmodel = "openai/{model}"\nbase_url = "{address}"\n{rest}\n'
    )
    return config


def right(i: int) -> str:
    return RIGHT.format(i=i)


def wrong(_: int) -> str:
    return WRONG


def printed(*arguments: Any, code: int = 0) -> str:
    done = CliRunner().invoke(command, ["prefer", *map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == code, done.output
    return done.stdout


def as_json(*arguments: Any, code: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(printed(*arguments, "--format", "json", code=code))
    return found


def whole(found: Mapping[str, Any], place: int = 0) -> dict[str, Any]:
    return next(pair for pair in found["judges"][place]["pairs"] if not pair["slice"])


def test_each_pair_is_judged_in_both_orders_and_the_metric_counts_it(tmp_path):
    base = stored(tmp_path, "base", lambda i: WRONG if i < 5 else right(i))
    candidate = stored(tmp_path, "candidate", lambda i: right(i) if i < 6 else WRONG)
    with serving(FakeJudge()) as (address, bodies):
        found = as_json(base, candidate, "-c", judge_at(tmp_path, address))
    # By hand: right against wrong 5 times, the same words once (nobody is asked), wrong against right twice.
    assert len(bodies) == 2 * 7
    pair = whole(found)
    assert (pair["won"], pair["tied"], pair["lost"], pair["same"]) == (5, 1, 2, 1)
    assert (pair["win_rate"]["value"], pair["win_rate"]["n"]) == (5.5 / 8, 8)
    assert pair["win_rate"]["interval"][0] < 5.5 / 8 < pair["win_rate"]["interval"][1]
    assert pair["consistent"] == {"value": 1.0, "n": 7, "interval": list(wilson(7, 7))}
    views = [
        PreferenceView(one["candidate_first"], one["base_first"], one["candidate_words"], one["base_words"])
        for one in found["judges"][0]["verdicts"]
    ]
    assert [one["asked"] for one in found["judges"][0]["verdicts"]].count(False) == 1
    assert pairwise_preference(views) == Value(pair["win_rate"]["value"], 8)
    controlled = pairwise_preference(views, form="length_controlled")
    assert controlled == Value(pair["length_controlled"]["value"], 8)
    slices = {json.dumps(p["slice"]): p["win_rate"] for p in found["judges"][0]["pairs"]}
    assert slices['{"language": "ru"}']["value"] == (3 + 0 + 0) / 4  # c0, c2, c4 won, c6 lost
    assert slices['{"language": "en"}']["value"] == (2 + 0.5 + 0) / 4  # c1, c3 won, c5 the same, c7 lost
    assert '{"kind": "lookup"}' in slices


def test_a_judge_that_always_takes_the_first_decides_nothing_and_is_shown_as_such(tmp_path):
    base, candidate = stored(tmp_path, "base", wrong), stored(tmp_path, "candidate", right)

    def first(rubric: str, reply: dict[str, Any]) -> None:
        assert rubric == "pairwise_preference"
        reply["better"] = "first"

    with serving(FakeJudge(change=first)) as (address, _):
        pair = whole(as_json(base, candidate, "-c", judge_at(tmp_path, address)))
    assert (pair["win_rate"]["value"], pair["tied"]) == (0.5, CASES)
    assert (pair["consistent"]["value"], pair["first_place"]["value"]) == (0.0, 1.0)


def test_the_judge_sees_no_name_of_a_model_and_both_places_of_each_answer(tmp_path):
    base = stored(tmp_path, "base", lambda i: f"As acme/qwen2.5-7B: {i}", model="acme/qwen2.5-7b")
    candidate = stored(
        tmp_path, "candidate", lambda i: f"qwen2.5-7b is wrong, {i} says Llama-3-8b.", model="llama-3-8b"
    )
    judge = FakeJudge()
    with serving(judge) as (address, _):
        prefer_runs([base, candidate], config=judge_at(tmp_path, address))
    seen = [shown_to(request) for request in judge.requests]
    assert len(seen) == 2 * CASES
    told = json.dumps([request.messages[-1].content for request in judge.requests]).casefold()
    assert not any(word in told for word in ("qwen", "llama", "runs/", "candidate", "acme"))
    assert {(one["FIRST"], one["SECOND"]) for one in seen} == {(one["SECOND"], one["FIRST"]) for one in seen}
    assert {one["FIRST"] for one in seen[:CASES]} & {one["SECOND"] for one in seen[:CASES]}


def test_what_brought_no_verdict_is_counted_and_never_averaged(tmp_path):
    base = stored(tmp_path, "base", lambda i: None if i == 0 else "" if i == 1 else WRONG)
    candidate = stored(tmp_path, "candidate", lambda i: "" if i == 1 else right(i))

    def broken(_: int, request: ChatRequest) -> str | None:
        return "no verdict" if "fee 2?" in request.messages[-1].content else None

    with serving(FakeJudge(broken=broken)) as (address, bodies):
        config = judge_at(tmp_path, address)
        found = as_json(base, candidate, "-c", config)
        text = printed(base, candidate, "-c", config)
    pair = whole(found)
    assert (pair["win_rate"]["value"], pair["won"], pair["undefined"], pair["failed"]) == (1.0, 5, 1, 2)
    assert pair["win_rate"]["interval"] == pytest.approx(wilson(5, 5))
    assert found["judges"][0]["failures"] == {"judge: invalid": 1, "system: NoAnswer": 1}
    told = {one["case_id"]: one.get("failed") or one.get("undefined") for one in found["judges"][0]["verdicts"]}
    assert "Boom" in told["c0"]
    assert told["c1"] == "both answers are empty"
    assert "failed: judge: invalid 1, system: NoAnswer 1" in text
    assert len(bodies) == 2 * (2 * 5 + 2 * 2)  # c2 was asked for again in each order; two rounds without a cache
    with serving(FakeJudge(broken=lambda *_: "no verdict")) as (address, _):
        found = as_json(base, candidate, "-c", judge_at(tmp_path, address), code=3)
    assert whole(found)["win_rate"] == {"undefined": "no pair of answers was judged"}


def test_runs_that_cannot_be_compared_are_refused_with_all_faults_at_once(tmp_path):
    base, other = stored(tmp_path, "base", right), stored(tmp_path, "other", right, cases=CASES + 1)
    with pytest.raises(BadInput) as caught:
        prefer_runs([base, other, tmp_path / "none", base], judges=["lexical", "nobody"])
    assert caught.value.exit_code == 2
    told = [str(fault) for fault in caught.value.faults]
    assert len(told) == 5
    for words in ("no finished run", "same run", "different golden sets", "compares no answers", "no judge 'nobody'"):
        assert sum(words in one for one in told) == 1, words
    with pytest.raises(BadInput, match="at least two runs"):
        prefer_runs([base], config=judge_at(tmp_path, "http://127.0.0.1:9/v1"))
    with pytest.raises(BadInput, match="meets the condition"):
        prefer_runs([base, stored(tmp_path, "more", wrong)], where="language = 'kk'",
                    config=judge_at(tmp_path, "http://127.0.0.1:9/v1"))  # fmt: skip


def test_a_judge_that_refuses_and_a_budget_that_is_reached_end_with_5(tmp_path):
    base, candidate = stored(tmp_path, "base", wrong), stored(tmp_path, "candidate", right)
    with (
        serving(FakeJudge(), instead=lambda _: (401, {"error": {"message": "key"}})) as (address, _),
        pytest.raises(JudgeUnavailable) as refused,
    ):
        prefer_runs([base, candidate], config=judge_at(tmp_path, address))
    price = "input_usd_per_million = 1000.0\noutput_usd_per_million = 1000.0\nmax_cost_usd = 0.000001"
    with serving(FakeJudge()) as (address, bodies), pytest.raises(BudgetReached) as dear:
        prefer_runs([base, candidate], config=judge_at(tmp_path, address, rest=price))
    assert (refused.value.exit_code, dear.value.exit_code, len(bodies)) == (5, 5, 0)


def test_several_judges_share_the_budget(tmp_path):
    base, candidate = stored(tmp_path, "base", wrong, cases=24), stored(tmp_path, "candidate", right, cases=24)
    price = 'cache = ""\ninput_usd_per_million = 1.0\noutput_usd_per_million = 0.0'
    with serving(FakeJudge()) as (address, bodies):
        alone = prefer_runs([base, candidate], config=judge_at(tmp_path, address, rest=price))
        cost = alone.judges[0].judged.cost_usd
        assert cost == pytest.approx(len(bodies) * 100 / 1e6)  # the endpoint counts 100 tokens a call
        config = judge_at(tmp_path, address, rest=f"{price}\nmax_cost_usd = {1.8 * cost}")
        prefer_runs([base, candidate], config=config)
        with pytest.raises(BudgetReached):
            prefer_runs([base, candidate], judges=["openai/one", "openai/two"], config=config)
        recorded = judge_at(tmp_path, address, rest='record = "said.jsonl"')
        with pytest.raises(BadInput, match="name one at a time"):
            prefer_runs([base, candidate], judges=["openai/one", "openai/two"], config=recorded)


def test_what_is_found_is_stored_in_a_file(tmp_path):
    base, candidate = stored(tmp_path, "base", wrong), stored(tmp_path, "candidate", right)
    with serving(FakeJudge()) as (address, _):
        assert printed(base, candidate, "-c", judge_at(tmp_path, address), "-o", tmp_path / "found.json", "-q") == ""
    found = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    assert (found["schema"], len(found["judges"][0]["verdicts"])) == ("ragtriage.preference/1", CASES)


def test_each_judgement_is_paid_for_once_and_a_part_can_be_chosen(tmp_path):
    base, candidate = stored(tmp_path, "base", wrong), stored(tmp_path, "candidate", right)
    with serving(FakeJudge()) as (address, bodies):
        config = judge_at(tmp_path, address, rest="")
        part = as_json(base, candidate, "-c", config, "--limit", 2, "--where", "language = 'ru'")
        assert (part["cases"], len(bodies)) == (2, 4)
        full = as_json(base, candidate, "-c", config)
        assert len(bodies) == 2 * CASES
        again = as_json(base, candidate, "-c", config)
        assert len(bodies) == 2 * CASES
    assert [one.pop("cached") for one in (full["judges"][0], again["judges"][0])] == [4, 2 * CASES]
    for one in (full, again):
        one["judges"][0].pop("cost_usd")
    assert full == again


def test_three_runs_have_strengths_with_intervals(tmp_path):
    def now_and_then(every: int) -> Callable[[int], str]:
        return lambda i: right(i) if i % every == 0 else f"{WRONG} {'really ' * every}"

    runs = [stored(tmp_path, f"s{n}", now_and_then(n), cases=24) for n in (2, 3, 6)]
    with serving(FakeJudge()) as (address, _):
        config = judge_at(tmp_path, address)
        found, text = as_json(*runs, "-c", config), printed(*runs, "-c", config)
    pairs = [(Path(p["base"]).name, Path(p["candidate"]).name) for p in found["judges"][0]["pairs"] if not p["slice"]]
    assert pairs == [("s2", "s3"), ("s2", "s6"), ("s3", "s6")]
    # By hand over 24 questions: s2 is right on 12, s3 on 8, s6 on 4; both right where 6 divides: 4.
    wins = {("s2", "s3"): 8 + 6, ("s3", "s2"): 4 + 6, ("s2", "s6"): 8 + 8, ("s6", "s2"): 0 + 8,
            ("s3", "s6"): 4 + 10, ("s6", "s3"): 0 + 10}  # fmt: skip
    expected = {one.name: one.log_odds for one in bradley_terry(wins)}
    for one in found["judges"][0]["strengths"]:
        assert one["log_odds"] == pytest.approx(expected[Path(one["run"]).name], abs=1e-9)
        assert one["interval"][0] < one["log_odds"] < one["interval"][1]
    assert "Strengths of the runs (Bradley-Terry)" in text


def test_a_judge_that_likes_its_own_family_shows_in_the_table(tmp_path):
    base = stored(tmp_path, "base", lambda i: f"Fee {i}: one.", model="qwen2.5-7b")
    candidate = stored(tmp_path, "candidate", lambda i: f"Fee {i}: two.", model="gpt-4o")
    unknown = stored(tmp_path, "unknown", lambda i: f"Fee {i}: three.")

    class Partial(FakeJudge):
        """Likes the answer that ends as those of one family do; another judge sees no difference."""

        def _pairwise_preference(self, data: Mapping[str, Any]) -> dict[str, Any]:
            better = "first" if "one" in data["FIRST"] else "second" if "one" in data["SECOND"] else "tie"
            return {"faults_first": [], "faults_second": [], "better": better}

    with serving(Partial(served_model="qwen2.5-72b")) as (address, _):
        config = judge_at(tmp_path, address, model="our-judge")
        alone = prefer_runs([base, candidate], config=config)
        nobody = prefer_runs([base, unknown], config=config)
    assert alone.judges[0].judged.family == "qwen"
    cells = {(one.judge, one.answers): one for one in alone.self_preference.cells}
    assert cells["qwen", "qwen"].win_rate == Value(1.0, CASES)
    assert cells["qwen", "gpt"].win_rate == Value(0.0, CASES)
    assert cells["qwen", "qwen"].interval == pytest.approx(wilson(CASES, CASES))
    (own,) = alone.self_preference.own
    assert own.advantage == Undefined("no judge of another known family judged the same pairs")
    assert "known: qwen" in str(nobody.self_preference.reason)

    with serving(FakeJudge(served_model=None)) as (address, _):
        fair = prefer_runs([base, candidate], config=judge_at(tmp_path, address, model="our-judge"))
    assert "no family of models is known" in str(fair.self_preference.reason)

    class Both(Partial):
        """One endpoint with two models."""

        def _pairwise_preference(self, data: Mapping[str, Any]) -> dict[str, Any]:
            if self.fair:
                return {"faults_first": [], "faults_second": [], "better": "tie"}
            return super()._pairwise_preference(data)

    judge = Both(served_model=None)
    with serving(judge) as (address, bodies):
        judge.fair = False
        original = judge.complete

        async def by_model(request: ChatRequest) -> Any:
            judge.fair = bodies[-1]["model"] == "claude-x"
            return await original(request)

        judge.complete = by_model
        both = prefer_runs([base, candidate], judges=["openai/qwen3-8b", "openai/claude-x"],
                           config=judge_at(tmp_path, address, rest='cache = ""\nconcurrency = 1'))  # fmt: skip
    (own,) = both.self_preference.own
    assert (own.family, own.advantage) == ("qwen", Value(0.5, CASES))
    assert {(one.judge, one.answers): one.win_rate for one in both.self_preference.cells} == {
        ("claude", "gpt"): Value(0.5, CASES), ("claude", "qwen"): Value(0.5, CASES),
        ("qwen", "gpt"): Value(0.0, CASES), ("qwen", "qwen"): Value(1.0, CASES),
    }  # fmt: skip
