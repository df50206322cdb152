"""Token precision and recall of an extraction in one number."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.extraction_views import ExtractionView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ingest._tokens import shared_tokens


@metric(
    title="Token F1",
    unit="harmonic mean of token precision and recall",
    bounds=(0, 1),
    better="higher",
    source="Rajpurkar et al. 2016; scrapinghub/article-extraction-benchmark for n = 4",
    aggregate="micro",
)
def token_f1(view: ExtractionView, *, n: int = 1) -> Score:
    """Divide twice the words that both texts have by the words of both; a word counts as often as it stands in both.

    Case and digits are folded, the order is no matter; with `n` runs of so many words are counted, which looks at the
    order after all. Undefined where nothing was extracted and where neither text has a word.

    >>> token_f1(ExtractionView("Mars has two small moons", "Menu: two moons, Mars"))
    Value(value=0.6666666666666666, support=9)
    """
    found = shared_tokens(view, n=n)
    if isinstance(found, Undefined):
        return found
    shared, reference, extracted = found
    if not reference + extracted:
        return Undefined("neither text has a word")
    return Value(2 * shared / (reference + extracted), support=reference + extracted)
