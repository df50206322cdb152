"""How long the extracted text is against the reference."""

from __future__ import annotations

import math

from ragtriage.core.declare import metric
from ragtriage.core.extraction_views import ExtractionView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ingest._shared_text import NO_REFERENCE, NOT_EXTRACTED, spaced


@metric(
    title="Text length ratio",
    unit="extracted characters / characters of the reference",
    bounds=(0, math.inf),
    better="neither",
    source="Evaluating RAG, part 2",
    aggregate="micro",
)
def text_ratio(view: ExtractionView) -> Score:
    """Divide extracted by expected characters: below 1 text was lost, above 1 it was added.

    Runs of white space count as one space. Undefined where nothing was extracted and where the reference is empty.

    >>> text_ratio(ExtractionView("two moons", "two moons and a ring"))
    Value(value=2.2222222222222223, support=9)
    """
    if view.extracted is None:
        return Undefined(NOT_EXTRACTED)
    reference = spaced(view.reference)
    if not reference:
        return Undefined(NO_REFERENCE)
    return Value(len(spaced(view.extracted)) / len(reference), support=len(reference))
