"""Whether what the system calls unknown to the ontology is."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.ontology_views import LinksView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ontology._sets import NO_GOLD, NO_LINKS


@metric(
    title="NIL precision",
    unit="fraction of mentions linked to nothing",
    bounds=(0, 1),
    better="higher",
    source="Metrics for every stage of RAG, part 7; sklearn precision_score",
    aggregate="micro",
)
def nil_precision(view: LinksView) -> Score:
    """Share of the mentions linked to "not in the ontology" that are not in it.

    Over correctly found mentions, aggregated over them (micro). Undefined when the case labels no entities, the trace
    records none, or there is no such mention.

    >>> from ragtriage.core.ontology_views import Link
    >>> gold = (Link((0, 4), None), Link((9, 12), "loan"))
    >>> nil_precision(LinksView(gold, (Link((0, 4), None), Link((9, 12), None))))
    Value(value=0.5, support=2)
    """
    if view.gold is None:
        return Undefined(NO_GOLD)
    if view.linked is None:
        return Undefined(NO_LINKS)
    said = [gold is None for gold, linked in view.pairs if linked is None]
    return Value(sum(said) / len(said), len(said)) if said else Undefined("no found mention was linked to nothing")
