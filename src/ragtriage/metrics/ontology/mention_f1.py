"""Whether the mentions of entities in a question are found."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.ontology_views import LinksView
from ragtriage.core.score import Score, Undefined
from ragtriage.metrics.ontology._sets import NO_GOLD, NO_LINKS, Part, overlap


@metric(
    title="Mention F1",
    unit="F1 over mentions",
    bounds=(0, 1),
    better="higher",
    source="Metrics for every stage of RAG, part 7; seqeval",
    aggregate="micro",
    parts=("part", ("f1", "precision", "recall")),
)
def mention_f1(view: LinksView, *, part: Part = "f1") -> Score:
    """F1 of the places of mentions, whatever they were linked to; a place counts where both ends are the same.

    `part`: precision or recall instead. Aggregated over mentions (micro). Undefined when the case labels no entities
    (an empty list is a label: there is none), the trace records none, or neither side holds a mention.

    >>> from ragtriage.core.ontology_views import Link
    >>> mention_f1(LinksView(gold=(Link((0, 4), "card"),), linked=(Link((0, 4), "loan"), Link((9, 12), None))))
    Value(value=0.6666666666666666, support=3)
    """
    if view.gold is None:
        return Undefined(NO_GOLD)
    if view.linked is None:
        return Undefined(NO_LINKS)
    gold, found = {link.place for link in view.gold}, {link.place for link in view.linked}
    return overlap(part, both=len(gold & found), gold=len(gold), found=len(found), what="mention")
