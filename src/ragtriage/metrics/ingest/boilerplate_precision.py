"""How much of what a cleaner removed was boilerplate."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.extraction_views import BoilerplateView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ingest._boilerplate import removed_boilerplate


@metric(
    title="Boilerplate precision",
    unit="removed words that are boilerplate / removed words",
    bounds=(0, 1),
    better="higher",
    source="Evaluating RAG, part 2",
    aggregate="micro",
)
def boilerplate_precision(view: BoilerplateView) -> Score:
    """Divide the removed words that are boilerplate by the removed words: below 1 text of the body was removed.

    Boilerplate are the words that the page has more often than its labelled body; case and digits
    are folded. Undefined where nothing was extracted and where no word was removed.

    >>> view = BoilerplateView("Home Login Mars has two moons Help Terms", "Mars has two moons", "two moons Terms has")
    >>> boilerplate_precision(view)
    Value(value=0.75, support=4)
    """
    found = removed_boilerplate(view)
    if isinstance(found, Undefined):
        return found
    right, removed, _ = found
    if not removed:
        return Undefined("no word of the page was removed")
    return Value(right / removed, support=removed)
