"""What kind of mistake a wrong link is: a sibling, too general, too special, or something else altogether."""

from __future__ import annotations

from typing import Literal

from ragtriage.core.declare import metric
from ragtriage.core.ontology import Ontology
from ragtriage.core.ontology_views import LinksView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ontology._sets import NO_GOLD, NO_LINKS

Kind = Literal["sibling", "ancestor", "descendant", "unrelated"]


@metric(
    title="Kind of confusion",
    unit="fraction of wrong links",
    bounds=(0, 1),
    better="neither",
    source="Metrics for every stage of RAG, part 7",
    aggregate="micro",
    parts=("kind", ("sibling", "ancestor", "descendant", "unrelated")),
)
def confusion_kind(view: LinksView, *, kind: Kind = "unrelated") -> Score:
    """Share of wrong links that are of a kind; the four kinds add up to 1.

    `sibling`: shares a parent with the right entity, so the mention is ambiguous; `ancestor`: more general than it, the
    system hedges; `descendant`: more special; `unrelated`: anything else, ids outside the ontology too. Over found
    mentions linked to another entity than the right one, aggregated over them (micro). Undefined when there is no
    ontology, or no such mention.

    >>> from ragtriage.core.ontology import Concept
    >>> from ragtriage.core.ontology_views import Link
    >>> cars = Ontology({c.concept_id: c for c in (
    ...     Concept("vehicle"), Concept("sedan", ("vehicle",)), Concept("boat", ("vehicle",)))})
    >>> confusion_kind(LinksView((Link("x", "sedan"),), (Link("x", "boat"),), cars), kind="sibling")
    Value(value=1.0, support=1)
    """
    if view.ontology is None:
        return Undefined("there is no ontology")
    if view.gold is None:
        return Undefined(NO_GOLD)
    if view.linked is None:
        return Undefined(NO_LINKS)
    wrong = [(a, b) for a, b in view.pairs if a is not None and b is not None and a != b]
    if not wrong:
        return Undefined("no found mention is linked to a wrong entity")
    return Value(sum(_kind(view.ontology, a, b) == kind for a, b in wrong) / len(wrong), len(wrong))


def _kind(ontology: Ontology, gold: str, linked: str) -> Kind:
    if gold not in ontology or linked not in ontology:
        return "unrelated"
    if linked in ontology.ancestors(gold):
        return "ancestor"
    if gold in ontology.ancestors(linked):
        return "descendant"
    shared = set(ontology.concepts[gold].parents) & set(ontology.concepts[linked].parents)
    return "sibling" if shared else "unrelated"
