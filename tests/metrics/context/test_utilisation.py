"""Context utilisation: items that are cited or used, and gold claims that reach the answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ragtriage.core.score import Undefined, Value
from ragtriage.core.verdicts import ClaimVerdict, SourceSpan
from ragtriage.core.views import ClaimsView
from ragtriage.metrics.context.utilisation import utilisation

NOTHING = ClaimsView(claims=None, reference=None, context_ids=("c1", "c2", "c3", "c4"))


def claim(of: Any, **fields: Any) -> ClaimVerdict:
    return ClaimVerdict(claim_id="1", of=of, text="x", start=0, end=1, **fields)


def test_cited_items_and_those_behind_supported_claims_count_once() -> None:
    spans = (SourceSpan(id="c2", start=0, end=1), SourceSpan(id="c1", start=0, end=1))
    used = (
        claim("answer", context="supported", spans=spans),
        claim("answer", context="contradicted", spans=(SourceSpan(id="c3", start=0, end=1),)),
    )
    assert utilisation(replace(NOTHING, citations=("c1", "c1", "elsewhere"))) == Value(0.25, 4)
    assert utilisation(replace(NOTHING, citations=("c1",), claims=used)) == Value(0.5, 4)
    assert utilisation(replace(NOTHING, citations=())) == Value(0.0, 4)


def test_without_context_or_any_record_of_use_there_is_no_number() -> None:
    assert isinstance(utilisation(NOTHING), Undefined)
    assert isinstance(utilisation(replace(NOTHING, context_ids=None, citations=("c1",))), Undefined)
    assert isinstance(utilisation(replace(NOTHING, context_ids=(), citations=("c1",))), Undefined)


def test_the_claim_form_follows_ragchecker() -> None:
    reference = (
        claim("reference", context="supported", answer="supported"),
        claim("reference", context="supported", answer="not_in_context"),
        claim("reference", context="supported", answer="contradicted"),
        claim("reference", context="not_in_context", answer="supported"),
    )
    view = replace(NOTHING, reference=reference)
    assert utilisation(view, form="claim") == Value(1 / 3, 3)
    assert utilisation(replace(view, reference=reference[3:]), form="claim") == Undefined(
        "the context supports no claim of the reference"
    )
    assert utilisation(replace(view, reference=()), form="claim") == Undefined("there is no reference answer")
    assert utilisation(NOTHING, form="claim") == Undefined("no judge ran")
    asked = (claim("reference", context="supported"),)
    assert isinstance(utilisation(replace(view, reference=asked), form="claim"), Undefined)
