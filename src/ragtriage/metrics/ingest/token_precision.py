"""How many of the extracted words belong to the document."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.extraction_views import ExtractionView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ingest._tokens import shared_tokens


@metric(
    title="Token precision",
    unit="extracted words that the reference has / extracted words",
    bounds=(0, 1),
    better="higher",
    source="Rajpurkar et al. 2016; scrapinghub/article-extraction-benchmark for n = 4",
    aggregate="micro",
)
def token_precision(view: ExtractionView, *, n: int = 1) -> Score:
    """Divide the words that both texts have by the extracted words; a word counts as often as it stands in both.

    Case and digits are folded, the order is no matter; with `n` runs of so many words are counted, which looks at the
    order after all. Undefined where no word was extracted.

    >>> token_precision(ExtractionView("Mars has two small moons", "Menu: two moons, Mars"))
    Value(value=0.75, support=4)
    """
    found = shared_tokens(view, n=n)
    if isinstance(found, Undefined):
        return found
    shared, _, extracted = found
    if not extracted:
        return Undefined("no word was extracted")
    return Value(shared / extracted, support=extracted)
