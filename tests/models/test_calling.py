"""One owner of retries: deadlines hold, attempts are counted where they arrive, the budget is a wall."""

from __future__ import annotations

import asyncio
import random
import time
from itertools import pairwise

import pytest
from tests.fakes.endpoint import Endpoint
from tests.fakes.script import faulty
from tests.models.asking import ask, opened, request

from ragtriage.core.clock import FixedClock
from ragtriage.core.errors import BadInput, BudgetReached, JudgeUnavailable
from ragtriage.models.breaker import Breaker
from ragtriage.models.budget import Budget
from ragtriage.models.calling import CallPolicy
from ragtriage.models.load import Load
from ragtriage.models.ports import CallFailed, ChatReply
from ragtriage.models.prices import Price

PRICE = Price(input_usd=1.0, output_usd=10.0)  # what the fake endpoint bills


@pytest.mark.parametrize("fault", ["stall", "stall_body", "drip", "never_close", "cut", "rst", "500", "badjson"])
def test_no_fault_holds_a_call_longer_than_its_deadline(fault):
    endpoint = Endpoint(fault, repeat_last=True)
    started = time.monotonic()
    policy = {"deadline_s": 0.6, "attempt_timeout_s": 0.25, "max_attempts": 50, "breaker_failures": 1000}
    failure, _ = ask("", policy, endpoint=endpoint)
    assert isinstance(failure, CallFailed)
    assert time.monotonic() - started < 0.6 + 0.5
    lost = failure.attempts - endpoint.requests
    quick = fault in {"cut", "rst", "500", "badjson"}  # so that the last attempt may begin with no time to arrive
    assert lost == 0 or (lost == 1 and quick and failure.kind == "timeout")


PASSING = ["stall", "drip", "never_close", "cut", "rst", "500", "503", "408", "badjson", "html", "latin1", "error200"]
LASTING = [
    "length",
    "refusal",
    "content_filter",
    "empty",
    "no_choice",
    "two_choices",
    "tool_calls",
    "400",
    "413",
    "gzip",
]


@pytest.mark.parametrize("fault", PASSING)
def test_a_fault_that_passes_is_mended_by_another_attempt(fault):
    reply, endpoint = ask(fault, {"attempt_timeout_s": 0.2})
    assert isinstance(reply, ChatReply)
    assert (reply.text, reply.attempts, endpoint.requests) == ('{"verdict": "supported"}', 2, 2)


@pytest.mark.parametrize("fault", ["500", "429", "cut", "rst", "badjson", "stall"])
@pytest.mark.parametrize("most", [1, 3])
def test_the_server_never_sees_more_attempts_than_allowed(fault, most):
    endpoint = Endpoint(fault, repeat_last=True)
    failure, _ = ask("", {"max_attempts": most, "attempt_timeout_s": 0.05}, endpoint=endpoint)
    assert endpoint.requests == failure.attempts == most


@pytest.mark.parametrize("fault", LASTING)
def test_what_would_come_again_is_not_asked_again(fault):
    _, endpoint = ask(fault)
    assert endpoint.requests == 1


def test_waits_between_attempts_are_drawn_from_the_seed_and_grow():
    def waits(seed):
        endpoint = Endpoint("500*5")

        async def run():
            policy = {"first_wait_s": 0.04, "longest_wait_s": 0.08, "max_attempts": 6}
            async with opened(endpoint, policy, seed=seed) as chat:
                await chat.model.complete(request())

        asyncio.run(run())
        times = [seen.at_s for seen in endpoint.seen]
        return [after - before for before, after in pairwise(times)]

    rng = random.Random(7)
    drawn = [rng.uniform(0, min(0.08, 0.04 * 2**n)) for n in range(5)]
    for measured, least in zip(waits(7), drawn, strict=True):
        assert measured >= least
    assert max(drawn[1:]) > 0.04


def test_no_more_requests_are_under_way_than_allowed():
    endpoint = Endpoint(latency_s=0.01)

    async def run():
        async with opened(endpoint, {"concurrency": 5}) as chat:
            await asyncio.gather(*(chat.model.complete(request(str(n))) for n in range(40)))

    asyncio.run(run())
    assert endpoint.requests == 40
    assert endpoint.most_busy == 5


def test_an_overload_halves_the_places_once_for_all_that_were_under_way_and_answers_give_them_back():
    clock = FixedClock()
    load = Load(limit=16, clock=clock)
    clock.elapsed_ms = 100.0
    for _ in range(3):
        load.overloaded(sent_ms=50.0, wait_ms=None)
    assert load.allowed == 8
    clock.elapsed_ms = 150.0
    load.overloaded(sent_ms=120.0, wait_ms=None)
    assert load.allowed == 4
    for _ in range(4):
        load.answered()
    assert load.allowed == 4  # 4 + 1/4 + 1/4.25 + ... is just under 5
    load.answered()
    assert load.allowed == 5
    for _ in range(1000):
        load.answered()
    assert load.allowed == 16
    for second in range(20):
        clock.elapsed_ms = 1000.0 * (second + 1)
        load.overloaded(sent_ms=clock.elapsed_ms, wait_ms=None)
    assert load.allowed == 1


def test_a_place_that_was_given_to_a_cancelled_call_is_given_on():
    async def run():
        load = Load(limit=1, clock=FixedClock())
        await load.enter(first=True)
        waiting = [asyncio.create_task(load.enter(first=True)) for _ in range(3)]
        await asyncio.sleep(0)
        load.leave()  # wakes the first
        waiting[0].cancel()
        waiting[1].cancel()
        await asyncio.wait_for(waiting[2], 1)
        assert load.most_busy == 1

    asyncio.run(run())


def test_a_second_attempt_goes_before_first_ones():
    async def run():
        load, order = Load(limit=1, clock=FixedClock()), []

        async def enter(name, *, first):
            await load.enter(first=first)
            order.append(name)
            load.leave()

        await load.enter(first=True)
        tasks = [asyncio.create_task(enter(name, first=name != "again")) for name in ("one", "two", "again")]
        await asyncio.sleep(0)
        load.leave()
        await asyncio.gather(*tasks)
        return order

    assert asyncio.run(run()) == ["again", "one", "two"]


def test_the_breaker_rests_tries_once_and_gives_up():
    clock = FixedClock()
    breaker = Breaker(clock=clock, failures=3, rest_s=1.0, tries=2)
    for _ in range(3):
        assert breaker.ask() == (0.0, False)
        breaker.failed("500", trying=False)
    assert breaker.ask() == (1000.0, False)
    clock.elapsed_ms = 1000.0
    assert breaker.ask() == (0.0, True)
    wait_ms, trying = breaker.ask()  # while one tries, the others wait
    assert wait_ms > 0
    assert not trying
    breaker.failed("500", trying=True)
    assert breaker.ask() == (2000.0, False)
    clock.elapsed_ms = 3000.0
    assert breaker.ask() == (0.0, True)
    breaker.failed("500 again", trying=True)
    with pytest.raises(JudgeUnavailable, match="500 again"):
        breaker.ask()


def test_an_answer_closes_the_breaker():
    clock = FixedClock()
    breaker = Breaker(clock=clock, failures=1, rest_s=1.0, tries=1)
    breaker.failed("500", trying=False)
    clock.elapsed_ms = 1000.0
    assert breaker.ask() == (0.0, True)
    breaker.answered()
    assert breaker.ask() == (0.0, False)


def test_an_endpoint_that_dies_ends_the_run_after_few_requests():
    endpoint = Endpoint("ok 500", repeat_last=True)
    policy = {"concurrency": 4, "breaker_failures": 5, "breaker_tries": 2, "breaker_rest_s": 0.02, "deadline_s": 5}

    async def run():
        async with opened(endpoint, policy) as chat:
            await chat.model.complete(request("first"))
            calls = (chat.model.complete(request(str(n))) for n in range(200))
            return await asyncio.gather(*calls, return_exceptions=True)

    ended = asyncio.run(run())
    assert all(isinstance(one, CallFailed | JudgeUnavailable) for one in ended)
    assert sum(isinstance(one, JudgeUnavailable) for one in ended) > 190
    assert endpoint.requests < 20


@pytest.mark.parametrize("script", ["401", "403", "404", "redirect"])
def test_an_endpoint_that_never_answers_us_is_unavailable_at_once(script):
    endpoint = Endpoint(script, repeat_last=True)
    with pytest.raises(JudgeUnavailable):
        ask("", endpoint=endpoint)
    assert endpoint.requests == 1


def test_an_address_where_nothing_listens_is_unavailable():
    with pytest.raises(JudgeUnavailable, match="Cannot connect"):
        ask("", base_url="http://127.0.0.1:1/v1")


# The budget.


@pytest.mark.parametrize("script", ["", "500 ok*3 cut ok*5 stall ok*2 429 length ok*4 rst refusal no_usage ok*500"])
@pytest.mark.parametrize("budget_usd", [0.0, 0.0005, 0.0037, 0.01])
def test_thirty_two_workers_never_pass_the_budget(script, budget_usd):
    endpoint = Endpoint(script, latency_s=0.002)

    async def run():
        policy = {"concurrency": 32, "attempt_timeout_s": 0.2}
        async with opened(endpoint, policy, price=PRICE, max_cost_usd=budget_usd) as chat:
            calls = (chat.model.complete(request(f"{n} " + "word " * (n % 40))) for n in range(200))
            ended = await asyncio.gather(*calls, return_exceptions=True)
            return ended, chat.budget.spent_usd

    ended, spent_usd = asyncio.run(run())
    assert endpoint.bill_usd <= spent_usd + 1e-12
    assert spent_usd <= budget_usd
    assert any(isinstance(one, BudgetReached) for one in ended)
    assert all(isinstance(one, BudgetReached | CallFailed | ChatReply) for one in ended)


def test_what_is_settled_is_what_the_endpoint_bills():
    endpoint = Endpoint("ok length refusal ok*50", latency_s=0.001)

    async def run():
        async with opened(endpoint, {"concurrency": 8}, price=PRICE, max_cost_usd=1.0) as chat:
            calls = (chat.model.complete(request(f"{n} " * n)) for n in range(40))
            replies = await asyncio.gather(*calls, return_exceptions=True)
            return chat.budget.spent_usd, sum(r.cost_usd for r in replies if isinstance(r, ChatReply))

    spent_usd, of_replies = asyncio.run(run())
    assert spent_usd == pytest.approx(endpoint.bill_usd, abs=1e-12)
    assert of_replies < spent_usd


@pytest.mark.parametrize("fault", ["stall", "cut", "rst", "drip", "badjson", "gzip", "no_usage"])
def test_what_may_have_been_billed_counts_as_the_most_it_can_have_cost(fault):
    endpoint = Endpoint(fault)

    async def run():
        policy = {"max_attempts": 1, "attempt_timeout_s": 0.2}
        async with opened(endpoint, policy, price=PRICE) as chat:
            await asyncio.gather(chat.model.complete(request()), return_exceptions=True)
            return chat.budget.spent_usd

    spent_usd = asyncio.run(run())
    assert spent_usd >= max(endpoint.bill_usd, 50 * 10e-6)  # 50 tokens of reply at 10 dollars a million


def test_a_call_that_is_cancelled_counts_as_the_most_and_gives_its_place_back():
    endpoint = Endpoint("stall")

    async def run():
        async with opened(endpoint, {"concurrency": 1}, price=PRICE) as chat:
            stalled = asyncio.create_task(chat.model.complete(request("first")))
            await asyncio.wait_for(endpoint.came.wait(), 5)
            stalled.cancel()
            await asyncio.gather(stalled, return_exceptions=True)
            spent_usd = chat.budget.spent_usd
            await asyncio.wait_for(chat.model.complete(request("second")), 5)
            return spent_usd

    assert asyncio.run(run()) >= 50 * 10e-6


@pytest.mark.parametrize("fault", ["429", "500", "400", "redirect"])
def test_a_refused_request_costs_nothing(fault):
    endpoint = Endpoint(f"ok {fault}")

    async def run():
        async with opened(endpoint, {"max_attempts": 1}, price=PRICE) as chat:
            await chat.model.complete(request("first"))
            before = chat.budget.spent_usd
            await asyncio.gather(chat.model.complete(request("second")), return_exceptions=True)
            return chat.budget.spent_usd - before

    assert asyncio.run(run()) == 0.0
    assert endpoint.requests == 2


def test_a_reservation_waits_for_what_others_give_back():
    async def run():
        budget = Budget(max_usd=10e-12)
        await budget.reserve(8)
        second = asyncio.create_task(budget.reserve(8))
        await asyncio.sleep(0)
        assert not second.done()
        budget.settle(8, 2)
        await asyncio.wait_for(second, 1)
        budget.settle(8, 3)
        with pytest.raises(BudgetReached):
            await budget.reserve(6)
        with pytest.raises(BudgetReached):  # the run is over, also for calls that would fit
            await budget.reserve(1)
        return budget.spent_usd

    assert asyncio.run(run()) == pytest.approx(5e-12)


def test_a_resumed_run_goes_on_from_what_was_spent():
    async def run():
        budget = Budget(max_usd=1.0, spent_usd=0.9)
        with pytest.raises(BudgetReached, match=r"0\.9 USD are spent"):
            await budget.reserve(200_000_000_000)

    asyncio.run(run())


def test_a_budget_without_a_price_is_refused():
    with pytest.raises(BadInput, match="a budget needs a price"):
        ask("", max_cost_usd=1.0)
    with pytest.raises(BadInput, match="amount of dollars"):
        ask("", max_cost_usd=-1.0, price=PRICE)


def test_the_cost_of_an_unlisted_model_is_unknown():
    reply, _ = ask("")
    assert reply.cost_usd is None


@pytest.mark.parametrize("field", ["deadline_s", "attempt_timeout_s", "max_attempts", "concurrency"])
def test_a_policy_that_could_never_send_is_refused(field):
    with pytest.raises(BadInput, match=field):
        CallPolicy(**{field: 0})


# All faults together.


def test_with_a_tenth_of_requests_faulty_every_call_ends_and_every_answer_is_the_undisturbed_one():
    def judge(body):
        return f'{{"verdict": "{len(body["messages"][-1]["content"]) % 3}"}}'

    def run(steps):
        endpoint = Endpoint(steps, answer=judge, latency_s=0.002)

        async def all_calls():
            policy = {"concurrency": 16, "attempt_timeout_s": 1.5, "deadline_s": 10, "breaker_failures": 50}
            async with opened(endpoint, policy) as chat:
                calls = (chat.model.complete(request("x" * n)) for n in range(300))
                return await asyncio.gather(*calls, return_exceptions=True), chat.ledger

        return *asyncio.run(all_calls()), endpoint

    plain, _, _ = run("")
    kinds = ["429", "500", "stall", "badjson", "cut", "length"]
    disturbed, ledger, endpoint = run(faulty(0.1, kinds, seed=3, count=2000))
    failed = [one for one in disturbed if isinstance(one, CallFailed)]
    assert all(isinstance(one, ChatReply | CallFailed) for one in disturbed)
    assert {failure.kind for failure in failed} == {"truncated"}
    assert sum(ledger.failed.values()) == len(failed)
    assert ledger.attempts == endpoint.requests
    assert ledger.retries == endpoint.requests - 300
    for one, other in zip(disturbed, plain, strict=True):
        assert isinstance(one, CallFailed) or one.text == other.text
