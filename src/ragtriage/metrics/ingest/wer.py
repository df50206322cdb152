"""How many words were read wrongly."""

from __future__ import annotations

import math

from ragtriage.core.declare import metric
from ragtriage.core.extraction_views import ExtractionView
from ragtriage.core.score import Score
from ragtriage.metrics.ingest._edits import error_rate, words_of


@metric(
    title="Word error rate",
    unit="wrong, missing and added words / words of the reference",
    bounds=(0, math.inf),
    better="lower",
    source="Levenshtein 1966; jiwer",
    aggregate="micro",
)
def wer(view: ExtractionView) -> Score:
    """Substituted, deleted and inserted words / words of the reference; above 1 where much was added.

    Words stand between spaces, and two or more white spaces count as one, as jiwer does by default: a line end alone
    divides no words. Undefined where nothing was extracted, and where the reference is empty: whatever was read then
    is named as insertions only.

    >>> view = ExtractionView("Mars has two moons, Phobos and Deimos.", "Mars has two m00ns, Phobos and Deirnos.")
    >>> round(wer(view).value, 3), wer(view).support
    (0.286, 7)
    """
    extracted = None if view.extracted is None else words_of(view.extracted)
    return error_rate(words_of(view.reference), extracted, what="words", one_in=4)
