"""Cost, cache, failures, empty retrieval, stale index and throughput."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import ServiceView
from ragtriage.metrics.system.cache_hit_rate import cache_hit_rate
from ragtriage.metrics.system.cost_p50 import cost_p50
from ragtriage.metrics.system.cost_p99 import cost_p99
from ragtriage.metrics.system.cost_total import cost_total
from ragtriage.metrics.system.empty_retrieval import empty_retrieval
from ragtriage.metrics.system.errors import errors
from ragtriage.metrics.system.stale_index import stale_index
from ragtriage.metrics.system.throughput import throughput
from ragtriage.metrics.system.timeouts import timeouts

FINE, BROKEN, LATE = ServiceView("answered"), ServiceView("error"), ServiceView("timeout")


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(0, 10), min_size=1, max_size=20))
def test_costs_are_numpys_percentiles_and_an_exact_sum(costs: list[float]) -> None:
    views = [ServiceView("answered", cost=c) for c in costs]
    assert cost_p50(views) == Value(float(np.percentile(costs, 50)), len(costs))
    assert cost_p99(views) == Value(float(np.percentile(costs, 99)), len(costs))
    total = cost_total(views)
    assert isinstance(total, Value)
    assert total.value == pytest.approx(float(np.sum(costs)), abs=1e-12)


def test_a_sum_with_gaps_is_no_sum_but_a_failure_may_have_cost_nothing_known() -> None:
    paid = ServiceView("answered", cost=0.25)
    assert cost_total([paid] * 3) == Value(0.75, 3)
    assert cost_total([paid, BROKEN, LATE]) == Value(0.25, 1)
    assert cost_total([paid, FINE]) == Undefined("1 of 2 requests record no cost")
    assert cost_p50([paid, FINE]) == Value(0.25, 1)
    for metric in (cost_total, cost_p50, cost_p99):
        assert metric([FINE]) == Undefined("no trace records a cost")


def test_errors_and_time_outs_are_counted_apart_over_all_requests() -> None:
    views = [FINE, FINE, BROKEN, LATE, LATE]
    assert errors(views) == Value(0.2, 5)
    assert timeouts(views) == Value(0.4, 5)
    assert errors([FINE]) == Value(0.0, 1)
    assert isinstance(errors([]), Undefined)
    assert isinstance(timeouts([]), Undefined)


def test_cache_hits_are_counted_over_look_ups_of_all_caches_or_of_one() -> None:
    views = [
        ServiceView("answered", cache={"embedding": True, "prompt": False}),
        ServiceView("answered", cache={"embedding": False}),
        ServiceView("answered", cache={"embedding": True}),
        FINE,
    ]
    assert cache_hit_rate(views) == Value(0.5, 4)
    assert cache_hit_rate(views, cache="embedding") == Value(2 / 3, 3)
    assert cache_hit_rate(views, cache="retrieval") == Undefined("no trace records a look-up in the retrieval cache")
    assert isinstance(cache_hit_rate([FINE]), Undefined)


def test_empty_retrieval_and_stale_index_are_counted_where_recorded() -> None:
    views = [
        ServiceView("answered", empty_retrieval=True, stale_index=False),
        ServiceView("answered", empty_retrieval=False, stale_index=False),
        ServiceView("answered", empty_retrieval=False),
        FINE,
    ]
    assert empty_retrieval(views) == Value(1 / 3, 3)
    assert stale_index(views) == Value(0.0, 2)
    assert isinstance(empty_retrieval([FINE]), Undefined)
    assert isinstance(stale_index([FINE]), Undefined)


def test_throughput_is_what_was_answered_between_first_question_and_last_end() -> None:
    calls = [ServiceView("answered", duration_ms=1000.0, asked_at_s=float(s)) for s in (100, 100, 101, 101)]
    assert throughput(calls) == Value(2.0, 4)
    failed = ServiceView("error", duration_ms=2000.0, asked_at_s=102.0)
    assert throughput([*calls, failed]) == Value(1.0, 5)
    assert throughput([*calls, FINE]) == Value(2.0, 4)


def test_throughput_is_undefined_for_a_single_request_or_a_single_moment() -> None:
    assert isinstance(throughput([]), Undefined)
    assert isinstance(throughput([ServiceView("answered", duration_ms=5.0, asked_at_s=0.0)]), Undefined)
    assert isinstance(throughput([ServiceView("answered", duration_ms=0.0, asked_at_s=0.0)] * 2), Undefined)
