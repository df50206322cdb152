"""Whether what a detector calls personal data is."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.label_views import PersonalDataView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ingest._personal import Match, matched


@metric(
    title="PII precision",
    unit="fraction of found spans",
    bounds=(0, 1),
    better="higher",
    source="Metrics for every stage of RAG, part 3; seqeval-style span sets",
    aggregate="micro",
    parts=("match", ("exact", "overlap")),
)
def pii_precision(view: PersonalDataView, *, match: Match = "exact", entity: str | None = None) -> Score:
    """Share of the spans that a detector found that are labelled as personal data.

    `match`: "exact" wants the same span, "overlap" any that shares a character; the type is the same in both.
    `entity`: of one type. Aggregated over spans (micro). Undefined for a text without such a span.

    >>> from ragtriage.core.label_views import LabelledSpan
    >>> view = PersonalDataView(gold=frozenset({LabelledSpan(0, 9, "phone"), LabelledSpan(20, 30, "email")}),
    ...     found=frozenset({LabelledSpan(2, 9, "phone"), LabelledSpan(20, 30, "email")}))
    >>> pii_precision(view), pii_precision(view, match="overlap")
    (Value(value=0.5, support=2), Value(value=1.0, support=2))
    """
    spans = [span for span in view.found if entity is None or span.label == entity]
    if not spans:
        return Undefined("the detector found no such span")
    return Value(sum(matched(span, view.gold, match=match) for span in spans) / len(spans), len(spans))
