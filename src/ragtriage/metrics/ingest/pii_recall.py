"""Whether the personal data in a text is found."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.label_views import PersonalDataView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ingest._personal import Match, matched


@metric(
    title="PII recall",
    unit="fraction of labelled spans",
    bounds=(0, 1),
    better="higher",
    source="Metrics for every stage of RAG, part 3; seqeval-style span sets",
    aggregate="micro",
    parts=("match", ("exact", "overlap")),
)
def pii_recall(view: PersonalDataView, *, match: Match = "exact", entity: str | None = None) -> Score:
    """Share of the labelled spans of personal data that a detector found; what it misses leaks.

    `match`: "exact" wants the same span, "overlap" any that shares a character; the type is the same in both.
    `entity`: of one type. Aggregated over spans (micro). Undefined for a text without such a span.

    >>> from ragtriage.core.label_views import LabelledSpan
    >>> view = PersonalDataView(gold=frozenset({LabelledSpan(0, 9, "phone"), LabelledSpan(20, 30, "email")}),
    ...     found=frozenset({LabelledSpan(2, 9, "phone"), LabelledSpan(20, 30, "email")}))
    >>> pii_recall(view), pii_recall(view, match="overlap")
    (Value(value=0.5, support=2), Value(value=1.0, support=2))
    """
    spans = [span for span in view.gold if entity is None or span.label == entity]
    if not spans:
        return Undefined("no such span is labelled")
    return Value(sum(matched(span, view.found, match=match) for span in spans) / len(spans), len(spans))
