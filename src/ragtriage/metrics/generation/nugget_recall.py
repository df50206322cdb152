"""How much of what a right answer must hold the answer holds."""

from __future__ import annotations

from typing import Literal

from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value
from ragtriage.core.views import NuggetsView

_OKAY_WEIGHT = 0.5
_PARTIAL = 0.5


@metric(
    title="Nugget recall",
    unit="fraction of nuggets, by weight",
    bounds=(0, 1),
    better="higher",
    source="TREC 2024 RAG track: nugget evaluation",
    proxy=True,
)
def nugget_recall(
    view: NuggetsView,
    *,
    kind: Literal["weighted", "vital", "all"] = "weighted",
    credit: Literal["strict", "partial"] = "strict",
) -> Score:
    """Share of the case's nuggets that the answer supports.

    `weighted`: (vital + 0.5 okay) / (number vital + 0.5 number okay); `vital`: vital nuggets alone; `all`: each counts
    1. `credit`: strict counts partial support as 0, partial as 0.5. Undefined when no judge ran and when the case has
    no nugget of that kind.

    >>> from ragtriage.core.verdicts import NuggetVerdict
    >>> vital = NuggetVerdict(text="1%", importance="vital", label="support")
    >>> okay = NuggetVerdict(text="in the app", importance="okay", label="not_support")
    >>> round(nugget_recall(NuggetsView((vital, okay))).value, 3), nugget_recall(NuggetsView((vital, okay)), kind="all")
    (0.667, Value(value=0.5, support=2))
    """
    if view.nuggets is None:
        return Undefined("no judge ran")
    nuggets = [n for n in view.nuggets if kind != "vital" or n.importance == "vital"]
    if not nuggets:
        return Undefined("the case has no vital nugget" if kind == "vital" else "the case has no nugget")
    worth = {"support": 1.0, "partial_support": _PARTIAL if credit == "partial" else 0.0, "not_support": 0.0}
    weights = [_OKAY_WEIGHT if kind == "weighted" and n.importance == "okay" else 1.0 for n in nuggets]
    found = sum(weight * worth[n.label] for weight, n in zip(weights, nuggets, strict=True))
    return Value(found / sum(weights), support=len(nuggets))
