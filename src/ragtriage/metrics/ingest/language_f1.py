"""Whether the language of a text is identified."""

from __future__ import annotations

from collections.abc import Sequence

from ragtriage.core.declare import metric
from ragtriage.core.label_views import LanguageView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.stats.classification import class_scores

_UNKNOWN = "und"


@metric(
    title="Language F1",
    unit="F1",
    bounds=(0, 1),
    better="higher",
    source="Metrics for every stage of RAG, part 3; sklearn f1_score",
    aggregate="set",
)
def language_f1(views: Sequence[LanguageView], *, language: str | None = None) -> Score:
    """F1 of one `language`, or the mean over the languages that texts are labelled with (macro).

    A text whose language could not be told counts as missed. Support: labelled texts, or those labelled with the
    language. Undefined when no text is labelled, or none with the language that is asked for.

    >>> views = [LanguageView("ru", "ru"), LanguageView("uk", "ru"), LanguageView("kk", "kk"), LanguageView("kk", None)]
    >>> language_f1(views), language_f1(views, language="kk")
    (Value(value=0.4444444444444444, support=4), Value(value=0.6666666666666666, support=2))
    """
    found = class_scores((view.labelled, view.identified or _UNKNOWN) for view in views)
    labelled = {name: score for name, score in found.items() if score.labelled}
    if language is not None:
        if language not in labelled:
            return Undefined(f"no text is labelled {language!r}")
        return Value(labelled[language].f1, labelled[language].labelled)
    if not labelled:
        return Undefined("no text is labelled with its language")
    return Value(sum(score.f1 for score in labelled.values()) / len(labelled), len(views))
