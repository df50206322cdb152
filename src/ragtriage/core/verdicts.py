"""The records that judges write and metrics count: claims with verdicts, nuggets, behaviour.

A verdict names who gave it (`judge`) and by which rules (`rubric`, a hash). `calibrated` False marks a proxy whose
agreement with people was not measured.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ragtriage.core.records import Behaviour, Record, Whole

__all__ = [
    "PASSING",
    "AnswerSimilarity",
    "BehaviourVerdict",
    "ClaimVerdict",
    "CorrectnessVerdict",
    "EscalationVerdict",
    "JudgeCall",
    "JudgeFailure",
    "Label",
    "NuggetVerdict",
    "PartVerdict",
    "QuestionsVerdict",
    "RelevanceVerdict",
    "ResolutionVerdict",
    "RubricGrade",
    "SourceSpan",
    "UncertaintyVerdict",
    "Verdicts",
]

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


class RelevanceVerdict(Record):
    """How well one context item answers the question: 0 nothing to do with it to 3 devoted to it (UMBRELA)."""

    id: str
    grade: Annotated[int, Field(ge=0, le=3)]


class QuestionsVerdict(Record):
    """Questions that the answer answers, and the cosine of each with the real one (None: no embedding model ran)."""

    noncommittal: bool
    questions: tuple[str, ...] = ()
    similarities: tuple[Annotated[float, Field(ge=-1, le=1)], ...] | None = None
    embedder: str | None = None


class PartVerdict(Record):
    """One thing that the question asks for and how far the answer answers it."""

    text: str
    label: Literal["answered", "partly", "not_answered"]


class AnswerSimilarity(Record):
    """The cosine of the answer with the nearest accepted reference, and the embedding model that it was taken with."""

    cosine: Annotated[float, Field(ge=-1, le=1)]
    embedder: str


class CorrectnessVerdict(Record):
    """How an answer as a whole agrees with its reference."""

    label: Literal["correct", "partly_correct", "incorrect", "not_attempted"]


class ResolutionVerdict(Record):
    """Whether the customer, with the answer alone, has what resolves the request."""

    label: Literal["resolved", "partly_resolved", "not_resolved", "handed_over"]


class EscalationVerdict(Record):
    """Whether the answer hands over to a person when the policy demands it, and only then."""

    label: Literal["right", "missed", "needless"]
    handed_over: bool


class RubricGrade(Record):
    """A grade by criteria of the team's own; `expected`: weighted by token probabilities where the endpoint gave them.

    Both are on the scale from `low` to `high`.
    """

    grade: int
    low: int
    high: int
    expected: float | None = None


PASSING = frozenset({"rate_limited", "timeout", "server", "network", "refused", "bad_reply"})
"""Kinds of failures after which there is no reply to read, so that asking again may fare better."""


class UncertaintyVerdict(Record):
    """Whether the answer says what its sources leave uncertain, as the case declares it."""

    label: Literal["stated", "not_stated"]


class JudgeFailure(Record):
    """What a judge was asked of a case and could not be read from it: never a score, always counted.

    `kind`: one of PASSING where the endpoint brought no reply; else the reply came and was no verdict.
    """

    ask: str
    kind: str
    message: str

    @property
    def passing(self) -> bool:
        """Whether the endpoint is to blame, so that the question is asked again when the run is continued."""
        return self.kind in PASSING


class JudgeCall(Record):
    """One reply as it came, kept before anything read from it is used. `request`: hash of request, model and parser.

    `logprobs`: for each token its likeliest alternatives, where they were asked for. `failed`: why there is no reply,
    where money was spent all the same.
    """

    request: str
    judge: str
    purpose: str
    reply: str
    served_model: str | None = None
    input_tokens: Whole | None = None
    output_tokens: Whole | None = None
    cost_usd: Annotated[float, Field(ge=0)] | None = None
    failed: str | None = None
    logprobs: tuple[tuple[str, tuple[tuple[str, float], ...]], ...] | None = None


class Verdicts(Record):
    """All that one judge said of one case. A list is None where the judge was not asked for it.

    `failed`: what it was asked and could not be read; metrics of it count the case as failed. `disputed`: claims on
    which a second judge disagreed. `served`: the models that the endpoint says it used. `trusted`: asks for which a
    current trust record says that this judge may be believed. `retried`: rubrics of which a reply was no verdict, so
    that it was asked for again.
    """

    case_id: str
    judge: str
    rubric: str
    calibrated: bool = False
    claims: tuple[ClaimVerdict, ...] | None = None
    nuggets: tuple[NuggetVerdict, ...] | None = None
    behaviour: BehaviourVerdict | None = None
    relevance: tuple[RelevanceVerdict, ...] | None = None
    questions: QuestionsVerdict | None = None
    parts: tuple[PartVerdict, ...] | None = None
    similarity: AnswerSimilarity | None = None
    rubric_grade: RubricGrade | None = None
    correctness: CorrectnessVerdict | None = None
    resolution: ResolutionVerdict | None = None
    escalation: EscalationVerdict | None = None
    uncertainty: UncertaintyVerdict | None = None
    failed: tuple[JudgeFailure, ...] = ()
    disputed: tuple[str, ...] = ()
    served: tuple[str, ...] = ()
    trusted: tuple[str, ...] = ()
    retried: tuple[str, ...] = ()
