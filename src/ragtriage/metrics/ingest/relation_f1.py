"""Whether the relations between entities are extracted: head, type and tail all right."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from ragtriage.core.declare import metric
from ragtriage.core.label_views import RelationsView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.stats.span_counts import Average, Part, averaged, count_by_type


@metric(
    title="Relation F1",
    unit="F1 over relations",
    bounds=(0, 1),
    better="higher",
    source="Metrics for every stage of RAG, part 3; TACRED, DocRED",
    aggregate="set",
    parts=("average", ("micro", "macro")),
)
def relation_f1(
    views: Sequence[RelationsView], *, part: Part = "f1", average: Average = "micro", relation: str | None = None
) -> Score:
    """F1 of (head, type, tail) triples that are the same on both sides, over all texts together.

    A relation the other way round is another relation. `average`: micro over relations, macro or weighted over types;
    `relation`: of one type; `part`: precision or recall instead. Support as in `ingest.ner_f1`. Undefined when no text
    holds a labelled or found relation of what is asked for.

    >>> from ragtriage.core.label_views import Triple
    >>> owns, swapped = Triple("bank", "owns", "card"), Triple("card", "owns", "bank")
    >>> relation_f1([RelationsView(gold=frozenset({owns}), found=frozenset({owns, swapped}))])
    Value(value=0.6666666666666666, support=3)
    """
    counts = count_by_type([v.gold for v in views], [v.found for v in views], type_of=attrgetter("relation"))
    found = averaged(counts, part=part, average=average, only=relation)
    return Undefined("there is no relation to count") if found is None else Value(*found)
