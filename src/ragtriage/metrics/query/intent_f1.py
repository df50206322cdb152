"""How well the system recognises what a question is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ragtriage.core.declare import metric
from ragtriage.core.query_views import IntentView
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.stats.classification import class_scores


@metric(
    title="Intent F1",
    unit="F1",
    bounds=(0, 1),
    better="higher",
    source="Metrics for every stage of RAG: query understanding; sklearn f1_score",
    aggregate="set",
)
def intent_f1(
    views: Sequence[IntentView], *, average: Literal["macro", "micro", "weighted"] = "macro", intent: str | None = None
) -> Score:
    """F1 of the recognised intents: the mean over intents (macro), over questions (micro), or of one `intent`.

    Every intent counts that a case is labelled with or that was recognised in one. `weighted`: by how many cases are
    labelled with each. Support: labelled questions with a recognised intent. Undefined when there is none of them, or
    none of the one intent that was asked for.

    >>> views = [IntentView("fee", "fee"), IntentView("fee", "card"), IntentView("card", "card")]
    >>> intent_f1(views)
    Value(value=0.6666666666666666, support=3)
    """
    pairs = [(v.expected, v.recognised) for v in views if v.expected is not None and v.recognised is not None]
    if not pairs:
        return Undefined("no case has both an intent and a recognised one")
    found = class_scores(pairs)
    if intent is not None:
        if intent not in found:
            return Undefined(f"no case is labelled or recognised as {intent!r}")
        return Value(found[intent].f1, len(pairs))
    if average == "micro":
        return Value(sum(one.right for one in found.values()) / len(pairs), len(pairs))
    if average == "weighted":
        return Value(sum(one.f1 * one.labelled for one in found.values()) / len(pairs), len(pairs))
    return Value(sum(one.f1 for one in found.values()) / len(found), len(pairs))
