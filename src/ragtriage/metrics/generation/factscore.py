"""Supported facts of a long answer, each counted once however often it is repeated."""

from __future__ import annotations

import math

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.verdicts import ClaimVerdict
from ragtriage.core.views import ClaimsView
from ragtriage.metrics.generation._claims import checked_claims
from ragtriage.text.amounts import read_amounts
from ragtriage.text.content import content_words
from ragtriage.text.negation import negations


@metric(
    title="FActScore",
    unit="fraction of distinct facts",
    bounds=(0, 1),
    better="higher",
    source="FActScore (Min et al. 2023), with repeated facts merged",
    proxy=True,
)
def factscore(view: ClaimsView, *, gamma: int = 0) -> Score:
    """Share of the answer's distinct facts that the context supports; `support` is the number of distinct facts.

    Claims that say the same (the same content words, numbers and dates) are one fact, supported only if each of them
    is, so that padding with repeats earns nothing. `gamma` above 0 is the length penalty of the paper: with fewer facts
    than gamma the share is multiplied by exp(1 - gamma / facts). Undefined when no judge ran and when the answer makes
    no checkable claim; abstentions are counted apart.

    >>> from ragtriage.core.verdicts import ClaimVerdict
    >>> claims = tuple(
    ...     ClaimVerdict(claim_id=str(i), of="answer", text=text, start=0, end=1, context=label)
    ...     for i, (text, label) in enumerate(
    ...         [("Mars is red.", "supported"), ("Red is Mars!", "supported"), ("Mars is wet.", "not_in_context")]))
    >>> factscore(ClaimsView(claims=claims, reference=None, context_ids=("c1",)))
    Value(value=0.5, support=2)
    """
    claims = checked_claims(view)
    if isinstance(claims, Undefined):
        return claims
    facts: dict[tuple[object, ...], bool] = {}
    for claim in claims:
        key = _meaning(claim)
        facts[key] = facts.get(key, True) and claim.context == "supported"
    penalty = math.exp(1 - gamma / len(facts)) if gamma > len(facts) else 1.0
    return Value(penalty * sum(facts.values()) / len(facts), support=len(facts))


def _meaning(claim: ClaimVerdict) -> tuple[object, ...]:
    amounts = read_amounts(claim.text)
    return (
        frozenset(word.text for word in content_words(claim.text)),
        frozenset((number.values, number.unit) for number in amounts.numbers),
        frozenset(date.readings for date in amounts.dates),
        bool(negations(claim.text)),
    )
