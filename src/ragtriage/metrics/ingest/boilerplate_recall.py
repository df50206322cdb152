"""How much of the boilerplate a cleaner removed."""

from __future__ import annotations

from ragtriage.core.declare import metric
from ragtriage.core.extraction_views import BoilerplateView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.metrics.ingest._boilerplate import removed_boilerplate


@metric(
    title="Boilerplate recall",
    unit="boilerplate words that were removed / boilerplate words",
    bounds=(0, 1),
    better="higher",
    source="Evaluating RAG, part 2",
    aggregate="micro",
)
def boilerplate_recall(view: BoilerplateView) -> Score:
    """Divide the boilerplate words that were removed by the boilerplate words: below 1 boilerplate was left.

    Boilerplate are the words that the page has more often than its labelled body; case and digits
    are folded. Undefined where nothing was extracted and where the page has no boilerplate.

    >>> view = BoilerplateView("Home Login Mars has two moons Help Terms", "Mars has two moons", "two moons Terms has")
    >>> boilerplate_recall(view)
    Value(value=0.75, support=4)
    """
    found = removed_boilerplate(view)
    if isinstance(found, Undefined):
        return found
    right, _, boilerplate = found
    if not boilerplate:
        return Undefined("the page has no boilerplate")
    return Value(right / boilerplate, support=boilerplate)
