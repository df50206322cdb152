"""Whether the entities that the system names exist in the closed vocabulary and are the right ones."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.ontology_views import LinksView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ontology._sets import NO_GOLD, NO_LINKS


@metric(
    title="Semantic conformance",
    unit="fraction of linked entities",
    bounds=(0, 1),
    better="higher",
    source="Metrics for every stage of RAG, part 7",
    aggregate="micro",
)
def semantic_conformance(view: LinksView) -> Score:
    """Share of the linked entities whose id the ontology holds and that their mention stands for.

    Never above `ontology.vocabulary_conformance`; what lies between is valid and wrong. An entity linked where no
    mention is labelled counts as wrong. Aggregated over entities (micro). Undefined when there is no ontology, the case
    labels no entities, the trace records none, or it linked none.

    >>> from ragtriage.core.ontology import Concept, Ontology
    >>> from ragtriage.core.ontology_views import Link
    >>> known = Ontology({"card": Concept("card"), "loan": Concept("loan")})
    >>> gold, linked = (Link("a", "card"), Link("b", "card")), (Link("a", "card"), Link("b", "loan"))
    >>> semantic_conformance(LinksView(gold, linked, known))
    Value(value=0.5, support=2)
    """
    if view.ontology is None:
        return Undefined("there is no ontology")
    if view.gold is None:
        return Undefined(NO_GOLD)
    if view.linked is None:
        return Undefined(NO_LINKS)
    named = [link for link in view.linked if link.concept is not None]
    if not named:
        return Undefined("the system linked no entity")
    right = {link.place: link.concept for link in view.gold}
    held = [link.concept in view.ontology and right.get(link.place) == link.concept for link in named]
    return Value(sum(held) / len(held), len(held))
