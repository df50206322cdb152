"""How many of the document's words were extracted."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.extraction_views import ExtractionView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ingest._tokens import shared_tokens


@metric(
    title="Token recall",
    unit="words of the reference that were extracted / words of the reference",
    bounds=(0, 1),
    better="higher",
    source="Rajpurkar et al. 2016; scrapinghub/article-extraction-benchmark for n = 4",
    aggregate="micro",
)
def token_recall(view: ExtractionView, *, n: int = 1) -> Score:
    """Divide the words that both texts have by the words of the reference; a word counts as often as it stands in both.

    Case and digits are folded, the order is no matter; with `n` runs of so many words are counted, which looks at the
    order after all. Undefined where nothing was extracted and where the reference has no word.

    >>> token_recall(ExtractionView("Mars has two small moons", "Menu: two moons, Mars"))
    Value(value=0.6, support=5)
    """
    found = shared_tokens(view, n=n)
    if isinstance(found, Undefined):
        return found
    shared, reference, _ = found
    if not reference:
        return Undefined("the reference has no word")
    return Value(shared / reference, support=reference)
