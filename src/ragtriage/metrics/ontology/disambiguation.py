"""Whether a mention that was found is linked to the entity that it stands for."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.ontology_views import LinksView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ontology._sets import NO_GOLD, NO_LINKS


@metric(
    title="Disambiguation accuracy",
    unit="fraction of correctly found mentions",
    bounds=(0, 1),
    better="higher",
    source="Metrics for every stage of RAG, part 7",
    aggregate="micro",
)
def disambiguation(view: LinksView) -> Score:
    """Share of correctly found mentions that are linked to the right entity.

    Mentions that stand for nothing in the ontology are left out: `ontology.nil_precision` and `ontology.nil_recall` are
    about them. Aggregated over mentions (micro). Undefined when the case labels no entities, the trace records none, or
    no labelled mention was found.

    >>> from ragtriage.core.ontology_views import Link
    >>> gold = (Link((0, 4), "card"), Link((9, 12), "loan"), Link((20, 22), "fee"))
    >>> disambiguation(LinksView(gold, (Link((0, 4), "card"), Link((9, 12), "card"))))
    Value(value=0.5, support=2)
    """
    if view.gold is None:
        return Undefined(NO_GOLD)
    if view.linked is None:
        return Undefined(NO_LINKS)
    found = [(gold, linked) for gold, linked in view.pairs if gold is not None]
    if not found:
        return Undefined("no labelled mention of an entity was found")
    return Value(sum(gold == linked for gold, linked in found) / len(found), len(found))
