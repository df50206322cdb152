"""How much text was added that the document does not hold."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.extraction_views import ExtractionView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ingest._shared_text import NOT_EXTRACTED, common_characters, spaced


@metric(
    title="Excess text",
    unit="extracted characters that the reference lacks / extracted characters",
    bounds=(0, 1),
    better="lower",
    source="Evaluating RAG, part 2",
    aggregate="micro",
)
def text_excess(view: ExtractionView) -> Score:
    """Count the extracted characters outside the longest common subsequence with the reference / extracted characters.

    Runs of white space count as one space. Undefined where nothing was extracted, an empty text included.

    >>> text_excess(ExtractionView("Mars has two moons.", "Menu Mars has two moons."))
    Value(value=0.20833333333333334, support=24)
    """
    extracted = spaced(view.extracted or "")
    if not extracted:
        return Undefined(NOT_EXTRACTED if view.extracted is None else "the extracted text is empty")
    found = common_characters(spaced(view.reference), extracted)
    return Value((len(extracted) - found) / len(extracted), support=len(extracted))
