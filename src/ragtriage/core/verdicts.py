"""The records that judges write and metrics count: claims with verdicts, nuggets, behaviour.

A verdict names who gave it (`judge`) and by which rules (`rubric`, a hash). `calibrated` False marks a proxy whose
agreement with people was not measured.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ragtriage.core.records import Behaviour, Record, Whole

__all__ = ["BehaviourVerdict", "ClaimVerdict", "Label", "NuggetVerdict", "SourceSpan", "Verdicts"]

Label = Literal["supported", "contradicted", "not_in_context"]


class SourceSpan(Record):
    """Where a verdict is shown: [start, end) of the text of context item `id` (or of `reference`, `answer`)."""

    id: str
    start: Whole
    end: Whole


class ClaimVerdict(Record):
    """One checkable statement and what its sources say of it.

    `of` says whose claim it is; [start, end) is its place in that text. `context`: the verdict against all context
    items together; `items`: against each alone (the claim x chunk matrix, by context item id); `reference`: an answer's
    claim against the reference answer, `answer`: a reference's claim against the answer; `cited`: the ids cited at the
    claim, and `cited_together` the verdict against those taken together. None = was not asked.
    """

    claim_id: str
    of: Literal["answer", "reference"]
    text: str
    start: Whole
    end: Whole
    context: Label | None = None
    score: Annotated[float, Field(ge=0, le=1)] | None = None
    spans: tuple[SourceSpan, ...] = ()
    items: dict[str, Label] = Field(default_factory=dict)
    reference: Label | None = None
    answer: Label | None = None
    cited: tuple[str, ...] = ()
    cited_together: Label | None = None


class NuggetVerdict(Record):
    """How far the answer holds one nugget."""

    text: str
    importance: Literal["vital", "okay"]
    label: Literal["support", "partial_support", "not_support"]


class BehaviourVerdict(Record):
    """What the answer does, where the system did not record it."""

    behaviour: Behaviour


class Verdicts(Record):
    """All that one judge said of one case. A list is None where the judge was not asked for it."""

    case_id: str
    judge: str
    rubric: str
    calibrated: bool = False
    claims: tuple[ClaimVerdict, ...] | None = None
    nuggets: tuple[NuggetVerdict, ...] | None = None
    behaviour: BehaviourVerdict | None = None
