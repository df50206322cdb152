"""How many characters were read wrongly."""

from __future__ import annotations

import math

from ragtriage.core.declare import metric
from ragtriage.core.extraction_views import ExtractionView
from ragtriage.core.score import Score
from ragtriage.metrics.ingest._edits import characters_of, error_rate


@metric(
    title="Character error rate",
    unit="wrong, missing and added characters / characters of the reference",
    bounds=(0, math.inf),
    better="lower",
    source="Levenshtein 1966; jiwer",
    aggregate="micro",
)
def cer(view: ExtractionView) -> Score:
    """Substituted, deleted and inserted characters / characters of the reference; above 1 where much was added.

    Both texts without white space at their ends and not changed otherwise, as jiwer does by default. Undefined where
    nothing was extracted, and where the reference is empty: whatever was read then is named as insertions only.

    The article prints 0.077 for this example; 4 edits of 38 characters are 0.105, which is what jiwer gives.

    >>> view = ExtractionView("Mars has two moons, Phobos and Deimos.", "Mars has two m00ns, Phobos and Deirnos.")
    >>> round(cer(view).value, 3), cer(view).support
    (0.105, 38)
    """
    extracted = None if view.extracted is None else characters_of(view.extracted)
    return error_rate(characters_of(view.reference), extracted, what="characters", one_in=16)
