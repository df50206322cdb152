"""How near the extracted title is to the document's."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.extraction_views import TitleView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ingest._shared_text import NO_TITLE, TITLE_NOT_EXTRACTED, spaced


@metric(
    title="Title similarity",
    unit="1 - edit distance / length of the longer title",
    bounds=(0, 1),
    better="higher",
    source="Levenshtein 1966; rapidfuzz",
)
def title_similarity(view: TitleView) -> Score:
    """1 - edit distance of the titles / length of the longer one; runs of white space count as one space.

    Undefined where the reference has no title and where no title could be extracted.

    >>> title_similarity(TitleView("Fees 2026", "Fee 2026 | Bank"))
    Value(value=0.4666666666666667, support=1)
    """
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - loaded where texts are compared, not at start-up

    reference = spaced(view.reference)
    if not reference:
        return Undefined(NO_TITLE)
    if view.extracted is None:
        return Undefined(TITLE_NOT_EXTRACTED)
    return Value(float(Levenshtein.normalized_similarity(reference, spaced(view.extracted))), support=1)
