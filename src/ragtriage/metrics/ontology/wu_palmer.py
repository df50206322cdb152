"""How similar the linked entity is to the right one, by the depth of what both are a kind of."""

from __future__ import annotations

from typing import Literal

from ragtriage.core.declare import metric
from ragtriage.core.ontology import Ontology
from ragtriage.core.ontology_views import LinksView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ontology._sets import NO_GOLD, NO_LINKS


@metric(
    title="Wu-Palmer similarity",
    unit="similarity",
    bounds=(0, 1),
    better="higher",
    source="Wu and Palmer 1994; NLTK wup_similarity; Metrics for every stage of RAG, part 7",
    aggregate="micro",
)
def wu_palmer(view: LinksView, *, depth: Literal["via_lca", "own"] = "via_lca") -> Score:
    """Mean over found mentions of 2 depth(LCA) / (depth a + depth b), roots counting 1.

    `via_lca`: both depths are measured through the common ancestor, as NLTK does; `own`: by the longest way up of each.
    In a graph with several parents the deepest common ancestor counts. Over found mentions whose gold and linked entity
    the ontology holds. Undefined when there is no ontology or no such mention.

    >>> from ragtriage.core.ontology import Concept
    >>> from ragtriage.core.ontology_views import Link
    >>> cars = Ontology({c.concept_id: c for c in (
    ...     Concept("vehicle"), Concept("sedan", ("vehicle",)), Concept("boat", ("vehicle",)))})
    >>> wu_palmer(LinksView((Link("x", "sedan"),), (Link("x", "boat"),), cars))
    Value(value=0.5, support=1)
    """
    if view.ontology is None:
        return Undefined("there is no ontology")
    if view.gold is None:
        return Undefined(NO_GOLD)
    if view.linked is None:
        return Undefined(NO_LINKS)
    known = [(a, b) for a, b in view.pairs if a in view.ontology and b in view.ontology]
    shares = [_similarity(view.ontology, a, b, depth) for a, b in known if a is not None and b is not None]
    if not shares:
        return Undefined("no found mention has two entities of the ontology")
    return Value(sum(shares) / len(shares), len(shares))


def _similarity(ontology: Ontology, first: str, second: str, depth: str) -> float:
    common = ontology.common(first, second)
    top = 1 if common is None else ontology.depth(common)  # None: the unnamed root above several roots
    if depth == "own":
        return 2 * top / (ontology.depth(first) + ontology.depth(second))
    return 2 * top / (2 * top + sum(_steps(ontology, one, common) for one in (first, second)))


def _steps(ontology: Ontology, concept_id: str, common: str | None) -> int:
    """Return the steps between a concept and an ancestor; a way over a higher ancestor may be shorter, as in NLTK."""
    if common is not None:
        return ontology.distance(concept_id, common) or 0
    up = ontology.steps_up(concept_id)
    return 1 + min(up[name] for name in up.keys() & ontology.roots)
