"""Documents that hide characters from whoever reads them."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.extraction_views import TextView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ingest._shared_text import NOT_EXTRACTED
from ragtriage.text.hidden import hidden_in


@metric(
    title="Invisible characters",
    unit="fraction of documents",
    bounds=(0, 1),
    better="lower",
    source="Unicode Technical Standard 39",
)
def invisible_characters(view: TextView) -> Score:
    r"""1 if the extracted text holds characters that a reader cannot see for what they are, else 0.

    Zero-width characters, bidi controls, soft hyphens, and letters of another script that look like those of the word
    they stand in. Joiners where Arabic, Indic and other scripts or emoji need them are none. Undefined where nothing
    was extracted.

    >>> invisible_characters(TextView("trans\u00adfer")), invisible_characters(TextView("می\u200cخواهم"))
    (Value(value=1.0, support=1), Value(value=0.0, support=1))
    """
    if view.text is None:
        return Undefined(NOT_EXTRACTED)
    return Value(float(any(True for _ in hidden_in(view.text))), support=1)
