"""Latency percentiles against numpy, united stages against sets of milliseconds, failures at their limit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.core.records import Timing
from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import ServiceView
from ragtriage.metrics.system._latency import united
from ragtriage.metrics.system.first_token_p95 import first_token_p95
from ragtriage.metrics.system.latency_p50 import latency_p50
from ragtriage.metrics.system.latency_p95 import latency_p95
from ragtriage.metrics.system.latency_p99 import latency_p99

MS = st.floats(0, 1e6, allow_nan=False)


@settings(max_examples=100, deadline=None)
@given(st.lists(MS, min_size=1, max_size=30))
def test_percentiles_are_those_of_numpy(durations: list[float]) -> None:
    views = [ServiceView("answered", duration_ms=d, first_token_ms=d) for d in durations]
    for metric, share in ((latency_p50, 50), (latency_p95, 95), (latency_p99, 99), (first_token_p95, 95)):
        score: Any = metric(views)
        assert score == Value(float(np.percentile(durations, share)), len(durations))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 20)), max_size=6))
def test_overlapping_stages_are_united(stages: list[tuple[int, int]]) -> None:
    timings = [Timing(stage="s", start_ms=float(a), duration_ms=float(d)) for a, d in stages]
    assert united(timings) == len({ms for start, length in stages for ms in range(start, start + length)})


TIMINGS = (
    Timing(stage="dense", start_ms=0, duration_ms=30),
    Timing(stage="sparse", start_ms=10, duration_ms=30),
    Timing(stage="generation", start_ms=60, duration_ms=40),
    Timing(stage="dense", start_ms=20, duration_ms=20),
)


def test_the_whole_is_measured_or_united_and_a_stage_is_its_own_union() -> None:
    view = ServiceView("answered", timings=TIMINGS)
    assert latency_p50([view]) == Value(80.0, 1)
    assert latency_p50([ServiceView("answered", timings=TIMINGS, duration_ms=120.0)]) == Value(120.0, 1)
    assert latency_p50([view], stage="dense") == Value(40.0, 1)
    assert latency_p50([view], stage="rerank") == Undefined("no trace records how long rerank took")


@pytest.mark.parametrize(("took", "counted"), [(None, 1000.0), (20.0, 1000.0), (1500.0, 1500.0)])
def test_a_failure_counts_as_at_least_its_limit(took: float | None, counted: float) -> None:
    for outcome in ("error", "timeout"):
        failed = ServiceView(outcome, duration_ms=took, limit_ms=1000.0)  # type: ignore[arg-type]
        fast = [ServiceView("answered", duration_ms=10.0, first_token_ms=5.0)] * 2
        assert latency_p99([failed]) == Value(counted, 1)
        assert latency_p50([failed, *fast]) == Value(10.0, 3)
        assert first_token_p95([*fast, failed, failed, failed]) == Value(1000.0, 5)


def test_a_stage_that_a_failed_request_had_finished_counts_as_it_was() -> None:
    failed = ServiceView("error", timings=TIMINGS, limit_ms=1000.0)
    assert latency_p50([failed], stage="sparse") == Value(30.0, 1)
    fine = ServiceView("answered", timings=(Timing(stage="rerank", start_ms=0, duration_ms=5),))
    assert latency_p99([failed, failed, fine], stage="rerank") == Value(1000.0, 3)


def test_without_a_record_or_a_limit_there_is_no_number() -> None:
    assert latency_p50([]) == Undefined("no trace records how long the request took")
    assert latency_p50([ServiceView("answered")]) == Undefined("no trace records how long the request took")
    assert isinstance(latency_p50([ServiceView("error"), ServiceView("answered", duration_ms=1.0)]), Undefined)
    assert isinstance(first_token_p95([ServiceView("answered")]), Undefined)
    unlimited = [ServiceView("answered", first_token_ms=1.0), ServiceView("timeout")]
    assert isinstance(first_token_p95(unlimited), Undefined)
