"""How near the linked entities lie to the right ones: what both are a kind of counts."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.ontology_views import Link, LinksView
from ragtriage.core.score import Score, Undefined
from ragtriage.metrics.ontology._sets import NO_GOLD, NO_LINKS, Part, overlap


@metric(
    title="Hierarchical F1",
    unit="F1 over ancestor-closed sets",
    bounds=(0, 1),
    better="higher",
    source="Kosmopoulos et al. 2015; Metrics for every stage of RAG, part 7",
    aggregate="micro",
    parts=("part", ("f1", "precision", "recall")),
)
def hierarchical_f1(view: LinksView, *, part: Part = "f1") -> Score:
    """F1 of the entities of a question, each set closed over its ancestors and without the root that all share.

    A sedan taken for a hatchback shares "car" with it, a submarine does not. `part`: hP or hR instead. Sums over
    questions make the micro value of the source. Ids that the ontology does not hold stand for themselves. Undefined
    when there is no ontology, the case labels no entities, the trace records none, or neither side has an entity.

    >>> from ragtriage.core.ontology import Concept, Ontology
    >>> cars = Ontology({c.concept_id: c for c in (Concept("vehicle"), Concept("car", ("vehicle",)),
    ...     Concept("sedan", ("car",)), Concept("hatchback", ("car",)), Concept("boat", ("vehicle",)))})
    >>> hierarchical_f1(LinksView((Link("x", "sedan"),), (Link("x", "hatchback"),), cars))
    Value(value=0.5, support=4)
    """
    if view.ontology is None:
        return Undefined("there is no ontology")
    if view.gold is None:
        return Undefined(NO_GOLD)
    if view.linked is None:
        return Undefined(NO_LINKS)
    gold, found = _closed(view, view.gold), _closed(view, view.linked)
    return overlap(part, both=len(gold & found), gold=len(gold), found=len(found), what="entity")


def _closed(view: LinksView, links: tuple[Link, ...]) -> set[str]:
    found: set[str] = set()
    for link in links:
        if link.concept is not None and view.ontology is not None:
            known = link.concept in view.ontology
            found |= view.ontology.below_root(link.concept) if known else {link.concept}
    return found
