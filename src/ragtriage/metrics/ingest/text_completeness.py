"""How much of the text came through."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.extraction_views import ExtractionView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ingest._shared_text import NO_REFERENCE, NOT_EXTRACTED, common_characters, spaced


@metric(
    title="Text completeness",
    unit="characters of the reference found / characters of the reference",
    bounds=(0, 1),
    better="higher",
    source="Evaluating RAG, part 2",
    aggregate="micro",
)
def text_completeness(view: ExtractionView) -> Score:
    r"""Longest common subsequence of characters / characters of the reference.

    Runs of white space count as one space. Text in another order is found in part only: `ingest.token_recall` does not
    look at the order. Undefined where nothing was extracted and where the reference is empty.

    >>> text_completeness(ExtractionView("Mars has two moons.", "Mars has\ntwo"))
    Value(value=0.631578947368421, support=19)
    """
    if view.extracted is None:
        return Undefined(NOT_EXTRACTED)
    reference, extracted = spaced(view.reference), spaced(view.extracted)
    if not reference:
        return Undefined(NO_REFERENCE)
    return Value(common_characters(reference, extracted) / len(reference), support=len(reference))
