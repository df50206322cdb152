"""Documents that kept their title."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.extraction_views import TitleView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ingest._shared_text import NO_TITLE, TITLE_NOT_EXTRACTED, spaced


@metric(
    title="Exact title",
    unit="fraction of documents",
    bounds=(0, 1),
    better="higher",
    source="Evaluating RAG, part 2",
)
def title_exact(view: TitleView) -> Score:
    """1 if the extracted title is that of the reference, else 0; runs of white space count as one space.

    Undefined where the reference has no title and where no title could be extracted.

    >>> title_exact(TitleView("Fees of 2026", "Fees  of 2026")), title_exact(TitleView("Fees of 2026", ""))
    (Value(value=1.0, support=1), Value(value=0.0, support=1))
    """
    if not spaced(view.reference):
        return Undefined(NO_TITLE)
    if view.extracted is None:
        return Undefined(TITLE_NOT_EXTRACTED)
    return Value(float(spaced(view.reference) == spaced(view.extracted)), support=1)
