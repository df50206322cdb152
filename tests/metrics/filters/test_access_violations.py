"""Access violations, stale sources and constraint correctness over the same items."""

from __future__ import annotations

from dataclasses import replace

from ragtriage.core.score import Undefined, Value
from ragtriage.core.views import Item, ItemsView
from ragtriage.metrics.filters.access_violations import access_violations
from ragtriage.metrics.filters.constraint_correctness import constraint_correctness
from ragtriage.metrics.filters.stale_source_rate import stale_source_rate

FINE = Item(id="c", doc_id="d", permitted=True, valid=True, superseded_by_valid=False, meets_predicates=True)
HIDDEN = replace(FINE, permitted=False)
STALE = replace(FINE, valid=False, superseded_by_valid=True)
EXPIRED = replace(FINE, valid=False)
OTHER = replace(FINE, meets_predicates=False)
NOTHING = ItemsView(results=None, context=None, citations=None, quotes=None)


def test_a_leak_is_counted_at_every_place_it_reached() -> None:
    view = ItemsView(results=(HIDDEN, FINE), context=(HIDDEN,), citations=(HIDDEN,), quotes=(HIDDEN,))
    assert access_violations(view) == Value(4.0, 5)
    assert access_violations(replace(view, results=None, context=None, citations=None)) == Value(1.0, 1)
    assert access_violations.critical


def test_no_leak_is_0_only_where_something_was_recorded_and_known() -> None:
    assert access_violations(NOTHING) == Undefined("the trace records nothing that came through")
    assert access_violations(replace(NOTHING, results=())) == Value(0.0, 1)
    assert access_violations(replace(NOTHING, results=(FINE,))) == Value(0.0, 1)
    assert isinstance(access_violations(replace(NOTHING, results=(FINE,), unresolved=1)), Undefined)
    assert access_violations(replace(NOTHING, results=(HIDDEN,), unresolved=1)) == Value(1.0, 1)


def test_stale_is_what_another_version_replaces_in_results_and_citations() -> None:
    view = ItemsView(results=(FINE, STALE, EXPIRED), context=(STALE,), citations=(STALE,), quotes=None)
    assert stale_source_rate(view) == Value(0.5, 4)
    assert isinstance(stale_source_rate(NOTHING), Undefined)
    assert isinstance(stale_source_rate(replace(NOTHING, results=(), citations=())), Undefined)


def test_a_result_must_satisfy_every_constraint_at_once() -> None:
    view = replace(NOTHING, results=(FINE, HIDDEN, STALE, EXPIRED, OTHER))
    assert constraint_correctness(view) == Value(0.2, 5)
    assert isinstance(constraint_correctness(replace(NOTHING, results=())), Undefined)
    assert isinstance(constraint_correctness(NOTHING), Undefined)
