"""Whether the entities of the documents are extracted: span and type both exactly right."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from ragtriage.core.declare import metric
from ragtriage.core.label_views import SpansView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.stats.span_counts import Average, Part, averaged, count_by_type


@metric(
    title="Entity F1",
    unit="F1 over entities",
    bounds=(0, 1),
    better="higher",
    source="Metrics for every stage of RAG, part 3; seqeval; Nakayama 2018",
    aggregate="set",
    parts=("average", ("micro", "macro")),
)
def ner_f1(
    views: Sequence[SpansView], *, part: Part = "f1", average: Average = "micro", entity: str | None = None
) -> Score:
    """F1 of entities whose span and type are both exactly right, over all texts together.

    `average`: micro over entities, macro or weighted over types; `entity`: of one type; `part`: precision or recall
    instead. How tags become spans is decided where they are read: strictly by IOB2, or with an I- that opens a span
    (`text.tags`). Support: labelled and found entities (F1), found ones (precision), labelled ones (recall); of means
    over types, the labelled ones. A text without entities on either side changes nothing. Undefined when no text holds
    a labelled or found entity of what is asked for.

    >>> from ragtriage.core.label_views import LabelledSpan
    >>> person, place = LabelledSpan(0, 2, "PER"), LabelledSpan(5, 6, "LOC")
    >>> ner_f1([SpansView(gold=frozenset({person, place}), found=frozenset({person}))])
    Value(value=0.6666666666666666, support=3)
    """
    counts = count_by_type([v.gold for v in views], [v.found for v in views], type_of=attrgetter("label"))
    found = averaged(counts, part=part, average=average, only=entity)
    return Undefined("there is no entity to count") if found is None else Value(*found)
