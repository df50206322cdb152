"""Whether what is unknown to the ontology is called so."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.ontology_views import LinksView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ontology._sets import NO_GOLD, NO_LINKS


@metric(
    title="NIL recall",
    unit="fraction of mentions of what is not in the ontology",
    bounds=(0, 1),
    better="higher",
    source="Metrics for every stage of RAG, part 7; sklearn recall_score",
    aggregate="micro",
)
def nil_recall(view: LinksView) -> Score:
    """Share of the mentions of what is not in the ontology that are linked to nothing.

    The rest was linked to something similar and wrong, which breaks systems in silence.

    Over correctly found mentions, aggregated over them (micro). Undefined when the case labels no entities, the trace
    records none, or there is no such mention.

    >>> from ragtriage.core.ontology_views import Link
    >>> gold = (Link((0, 4), None), Link((9, 12), None))
    >>> nil_recall(LinksView(gold, (Link((0, 4), None), Link((9, 12), "loan"))))
    Value(value=0.5, support=2)
    """
    if view.gold is None:
        return Undefined(NO_GOLD)
    if view.linked is None:
        return Undefined(NO_LINKS)
    said = [linked is None for gold, linked in view.pairs if gold is None]
    return (
        Value(sum(said) / len(said), len(said))
        if said
        else Undefined("no found mention stands for what is not in the ontology")
    )
