"""Documents whose text means the same in the two common Unicode forms."""

from __future__ import annotations

import unicodedata

from ragtriage.core.declare import metric
from ragtriage.core.extraction_views import TextView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ingest._shared_text import NOT_EXTRACTED


@metric(
    title="Unicode stability",
    unit="fraction of documents",
    bounds=(0, 1),
    better="higher",
    source="Unicode Standard Annex 15",
)
def unicode_stability(view: TextView) -> Score:
    """1 if the extracted text has the same NFC and NFKC form, else 0.

    They differ where the text holds ligatures, full-width letters, superscripts, no-break spaces and the like, by which
    a search for the plain word passes. Undefined where nothing was extracted.

    >>> unicode_stability(TextView("a ﬁne of 5 ₸"))
    Value(value=0.0, support=1)
    """
    if view.text is None:
        return Undefined(NOT_EXTRACTED)
    composed = unicodedata.normalize("NFC", view.text)
    return Value(float(unicodedata.is_normalized("NFKC", composed)), support=1)
