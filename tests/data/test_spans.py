"""Tokens and cost of spans that lie within each other."""

from __future__ import annotations

import json

import pytest

from ragtriage.data.spans import Span, usage_of


def test_the_case_b57(shared):
    spans = json.loads(shared("cases/inputs/B57.json").read_text())["spans"]
    found = usage_of(Span(s["id"], s["parent"], s["kind"], s["tokens"], s["tokens"] / 1000) for s in spans)
    assert (found.tokens, found.orphan_tokens) == (120 + 340 + 90, 7)
    assert found.cost_usd == pytest.approx(0.55)
    assert found.orphan_cost_usd == pytest.approx(0.007)
    assert (found.calls, found.orphans) == (("a", "b", "c"), ("orphan",))


def test_a_call_within_a_call_counts_once_whatever_stands_between():
    spans = [Span("outer", None, "LLM", 30), Span("chain", "outer", "CHAIN", 30), Span("inner", "chain", "LLM", 30)]
    assert usage_of(spans).tokens == 30
    assert usage_of(reversed(spans)).calls == ("inner",)


def test_spans_in_a_ring_are_orphans_and_hold_nothing_up():
    found = usage_of([Span("a", "b", "LLM", 1), Span("b", "a", "CHAIN"), Span("c", "c", "LLM", 2)])
    assert (found.calls, found.tokens) == ((), None)
    assert set(found.orphans) == {"a", "c"}
    assert found.orphan_tokens == 3


def test_what_no_call_says_is_unknown_and_not_nothing():
    found = usage_of([Span("a", None, "LLM"), Span("b", None, "LLM", None, 0.0)])
    assert found.tokens is None
    assert found.cost_usd == 0.0
    assert usage_of([]).tokens is None
