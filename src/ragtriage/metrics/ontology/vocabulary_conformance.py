"""Whether the entities that the system names exist in the closed vocabulary."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.ontology_views import LinksView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ontology._sets import NO_LINKS


@metric(
    title="Vocabulary conformance",
    unit="fraction of linked entities",
    bounds=(0, 1),
    better="higher",
    source="Metrics for every stage of RAG, part 7",
    aggregate="micro",
)
def vocabulary_conformance(view: LinksView) -> Score:
    """Share of the linked entities whose id the ontology holds; a mention linked to nothing names no entity.

    Being valid is not being right: see `ontology.semantic_conformance`. Aggregated over entities (micro). Undefined
    when there is no ontology, the trace records no entities, or it linked none.

    >>> from ragtriage.core.ontology import Concept, Ontology
    >>> from ragtriage.core.ontology_views import Link
    >>> known = Ontology({"card": Concept("card")})
    >>> vocabulary_conformance(LinksView(None, (Link("a", "card"), Link("b", "cart"), Link("c", None)), known))
    Value(value=0.5, support=2)
    """
    if view.ontology is None:
        return Undefined("there is no ontology")
    if view.linked is None:
        return Undefined(NO_LINKS)
    named = [link.concept for link in view.linked if link.concept is not None]
    if not named:
        return Undefined("the system linked no entity")
    return Value(sum(name in view.ontology for name in named) / len(named), len(named))
