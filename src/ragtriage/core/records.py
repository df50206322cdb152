"""The records that come in: documents, chunks, cases, traces. Field names are the same in JSON Lines and Parquet.

Offsets are code points of the document's text. Unknown fields are errors except under `metadata` and `tags`.
What a source did not record is None, never a guess.
"""

from __future__ import annotations

import unicodedata
from datetime import date, datetime
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, model_validator

__all__ = [
    "MAX_GRADE",
    "Answer",
    "Behaviour",
    "Case",
    "Chunk",
    "Citation",
    "ContextItem",
    "Cost",
    "Document",
    "Entity",
    "Evidence",
    "Expected",
    "Format",
    "Hit",
    "Identifier",
    "Kind",
    "Nugget",
    "Predicate",
    "Principal",
    "Ranking",
    "Record",
    "RequiredFact",
    "Review",
    "Timing",
    "Tokens",
    "Trace",
    "TraceError",
    "Uncertainty",
]


class Record(BaseModel):
    """What every record shares: frozen, strict types, no unknown fields, finite numbers."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


def _identifier(value: str) -> str:
    if value != value.strip() or not value:
        raise ValueError("must not be empty nor start or end with white space")
    if value != unicodedata.normalize("NFC", value):
        raise ValueError("must be in Unicode form NFC, so that equal-looking ids are equal")
    if any(unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for c in value):
        raise ValueError("must not hold control or invisible characters")
    return value


Identifier = Annotated[str, Field(max_length=256), AfterValidator(_identifier)]
Whole = Annotated[int, Field(ge=0, le=2**53)]
Amount = Annotated[float, Field(ge=0, le=1e15)]  # of which a million can be summed
MAX_GRADE = 1000  # the exponential gain of a larger one leaves the range of a double
Behaviour = Literal["answer", "abstain", "clarify", "escalate"]
Kind = Literal[
    "lookup",
    "multi_hop",
    "ambiguous",
    "no_answer",
    "false_premise",
    "negation",
    "counterfactual",
    "adversarial",
    "post_update",
]


class Document(Record):
    """One document of the corpus.

    `tenant` None = public; `acl`: roles that may read, empty = everyone in the tenant. Valid from `valid_from` to
    `valid_to`, both days included, and until a document that `supersedes` it becomes valid.
    """

    doc_id: Identifier
    text: str
    title: str = ""
    language: str | None = None
    source_type: str | None = None
    uri: str | None = None
    tenant: str | None = None
    acl: tuple[str, ...] = ()
    version: str | None = None
    supersedes: Identifier | None = None
    valid_from: date | None = None
    valid_to: date | None = None
    trusted: bool = True
    metadata: dict[str, JsonValue] = Field(default_factory=dict)


class Chunk(Record):
    """A piece of a document as the system under test indexed it: `text` stands at [start, end) of the document."""

    chunk_id: Identifier
    doc_id: Identifier
    start: Whole
    end: Whole
    text: str
    section_path: tuple[str, ...] = ()
    page: int | None = None
    metadata: dict[str, JsonValue] = Field(default_factory=dict)


class Principal(Record):
    """Who asks: a tenant (None = a public visitor) and roles."""

    tenant: str | None = None
    roles: tuple[str, ...] = ()


class Predicate(Record):
    """A filter on a field of a document or its metadata.

    `valid_on` is a field of its own: with `==` and a date it keeps the documents valid on that day. `mode` unknown:
    the source does not say whether the predicate removed anything.
    """

    field: str
    op: Literal["==", "!=", "in", "not_in", "<", "<=", ">", ">=", "contains"] = "=="
    value: JsonValue
    mode: Literal["hard", "soft", "unknown"] = "unknown"
    origin: str | None = None


class Evidence(Record):
    """A gold span of a document, or a whole document where start and end are left out.

    Evidence of one `group` is alternative, different groups are all needed; without a group each stands alone.
    `grade` 0 = judged not relevant.
    """

    doc_id: Identifier
    start: Whole | None = None
    end: Whole | None = None
    quote: str | None = None
    grade: Annotated[int, Field(ge=0, le=MAX_GRADE)] = 1
    group: str | None = None

    @model_validator(mode="after")
    def _span_is_whole(self) -> Self:
        if (self.start is None) != (self.end is None):
            raise ValueError("'start' and 'end' belong together: give both or neither")
        if self.start is not None and self.end is not None and self.end <= self.start:
            raise ValueError(f"'end' must be greater than 'start'. Got [{self.start}, {self.end}) instead")
        return self


class _Placed(Record):
    """What stands at [start, end) of a text, where the source says so."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        start, end = getattr(self, "start", None), getattr(self, "end", None)
        if start is not None and end is not None and start > end:
            raise ValueError(f"a span must not end before it begins. Got [{start}, {end})")
        return self


class Entity(_Placed):
    """A mention in the question and what it means; `id` None = not in the ontology."""

    mention: str
    id: str | None = None
    start: Whole | None = None
    end: Whole | None = None


class Nugget(Record):
    """One atomic piece of information that a right answer holds."""

    text: str
    importance: Literal["vital", "okay"] = "vital"


class RequiredFact(Record):
    """A fact that the answer must state in any one of these wordings."""

    any_of: Annotated[tuple[str, ...], Field(min_length=1)]


class Format(Record):
    """The form an answer must have; all that is declared must hold. `json_schema`: it is JSON of this schema."""

    json_schema: dict[str, JsonValue] | None = None
    regex: str | None = None
    max_words: Annotated[int, Field(ge=1)] | None = None
    max_characters: Annotated[int, Field(ge=1)] | None = None
    language: str | None = None


class Uncertainty(Record):
    """What the sources leave uncertain and the answer must say: they disagree (`conflict`), or lack a part (`partial`).

    `about`: what it is that they disagree on or lack, in a few words of the case's language. `any_of`: wordings any of
    which says it.
    """

    kind: Literal["conflict", "partial"]
    about: str | None = None
    any_of: tuple[str, ...] = ()


class Expected(Record):
    """What the case demands of the answer; everything is optional."""

    behaviour: Behaviour | None = None
    answer: str | None = None
    alternatives: tuple[str, ...] = ()
    nuggets: tuple[Nugget, ...] = ()
    required_facts: tuple[RequiredFact, ...] = ()
    forbidden_claims: tuple[str, ...] = ()
    format: Format | None = None
    fields: dict[str, JsonValue] | None = None
    injection: str | None = None
    uncertainty: Uncertainty | None = None
    route: str | None = None


class Review(Record):
    """Who wrote and who read a case."""

    author: str | None = None
    reviewed_by: str | None = None
    reviewed_on: date | None = None
    source_trace: str | None = None


class Case(Record):
    """One golden question with its expectations."""

    case_id: Identifier
    question: str
    kind: Kind = "lookup"
    language: str | None = None
    intent: str | None = None
    difficulty: Literal["easy", "medium", "hard"] | None = None
    risk: Literal["low", "medium", "high", "critical"] | None = None
    origin: Literal["human", "production", "synthetic"] | None = None
    split: str | None = None
    tags: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    principal: Principal = Principal()
    as_of: date | None = None
    predicates: tuple[Predicate, ...] | None = None
    entities: tuple[Entity, ...] | None = None
    expected: Expected = Expected()
    review: Review = Review()
    metadata: dict[str, JsonValue] = Field(default_factory=dict)

    @property
    def answerable(self) -> bool:
        """Whether the corpus is meant to hold the answer: the case does not demand an abstention."""
        if self.expected.behaviour is not None:
            return self.expected.behaviour != "abstain"
        return self.kind != "no_answer"


class Hit(_Placed):
    """One result of a ranking; `doc_id`, `start`, `end` say where its text stands, where the source knows."""

    id: str
    doc_id: str | None = None
    start: Whole | None = None
    end: Whole | None = None
    score: float | None = None


class Ranking(Record):
    """One ranked list as one stage returned it: dense, sparse, fused, reranked or a name of the system's own."""

    stage: str
    hits: tuple[Hit, ...] = ()


class ContextItem(_Placed):
    """One passage that the generator was given."""

    id: str
    doc_id: str | None = None
    start: Whole | None = None
    end: Whole | None = None
    text: str


class Citation(_Placed):
    """Ids cited at [start, end) of the answer."""

    start: Whole
    end: Whole
    ids: tuple[str, ...]


class Answer(Record):
    """What came back. `behaviour` says more than `abstained` where the system knows more (clarify, escalate)."""

    text: str
    citations: tuple[Citation, ...] | None = None
    abstained: bool | None = None
    behaviour: Behaviour | None = None
    confidence: Annotated[float, Field(ge=0, le=1)] | None = None
    fields: dict[str, JsonValue] | None = None

    @model_validator(mode="after")
    def _behaviour_agrees(self) -> Self:
        if None not in (self.behaviour, self.abstained) and self.abstained != (self.behaviour == "abstain"):
            raise ValueError(f"'abstained' is {self.abstained} but 'behaviour' is {self.behaviour!r}")
        return self

    @model_validator(mode="after")
    def _citations_stand_in_it(self) -> Self:
        beyond = [citation.end for citation in self.citations or () if citation.end > len(self.text)]
        if beyond:
            raise ValueError(f"a citation ends at {beyond[0]}, and the text has {len(self.text)} characters")
        return self

    @property
    def acted(self) -> Behaviour | None:
        """The recorded behaviour, or None where the source does not say."""
        if self.behaviour is not None or self.abstained is None:
            return self.behaviour
        return "abstain" if self.abstained else "answer"


class Timing(Record):
    """When a stage ran, in milliseconds since the question was asked."""

    stage: str
    start_ms: Amount
    duration_ms: Amount


class Tokens(Record):
    """Token counts; `context_before` and `context_after` frame a compression of the context."""

    input: Whole | None = None
    output: Whole | None = None
    cached: Whole | None = None
    context_before: Whole | None = None
    context_after: Whole | None = None


class Cost(Record):
    """Money spent on the question in US dollars, in all and by stage."""

    total: Amount
    stages: dict[str, Amount] = Field(default_factory=dict)


class TraceError(Record):
    """What broke while the question was answered."""

    stage: str = "system"
    type: str
    message: str = ""
    timed_out: bool = False


class Trace(Record):
    """All that happened to one question."""

    trace_id: Identifier
    case_id: Identifier | None = None
    question: str
    asked_at: datetime | None = None
    principal: Principal | None = None
    rewrites: tuple[str, ...] | None = None
    intent: str | None = None
    route: str | None = None
    entities: tuple[Entity, ...] | None = None
    predicates: tuple[Predicate, ...] | None = None
    rankings: tuple[Ranking, ...] | None = None
    context: tuple[ContextItem, ...] | None = None
    answer: Answer | None = None
    timings: tuple[Timing, ...] | None = None
    first_token_ms: Amount | None = None
    tokens: Tokens | None = None
    cost: Cost | None = None
    cache: dict[str, bool] | None = None
    models: dict[str, str] | None = None
    error: TraceError | None = None
    feedback: dict[str, JsonValue] | None = None
    session: str | None = None
    user: str | None = None
    bundle: dict[str, str] | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)
