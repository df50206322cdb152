"""What is known of one case, stage by stage: the only thing that expectations and diagnosis look at.

`runs/facts` fills these records from views, corpus and golden set. None always means: not recorded or not measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ragtriage.core.records import Behaviour
from ragtriage.core.score import Outcome, Value

__all__ = [
    "CaseFacts",
    "CitationFacts",
    "ClaimFacts",
    "CriticalScore",
    "GroupFacts",
    "IndexState",
    "IndexedText",
    "LateChange",
    "ServiceFacts",
    "Violation",
    "WrongLink",
]

Place = Literal["results", "context", "citations", "quotes"]
IndexState = Literal["whole", "moved", "split", "garbled", "lost", "missing"]


@dataclass(frozen=True, slots=True)
class IndexedText:
    """Evidence as the corpus has it, and the nearest that the index holds of it, each cut to what can be shown.

    `cer`: edits between the two / characters of the evidence. `decoding`: the mistake by which one became the other.
    """

    quote: str
    found: str | None = None
    cer: float | None = None
    decoding: str | None = None


@dataclass(frozen=True, slots=True)
class LateChange:
    """A document that was written or deleted, and had not become so to a search when the question was asked.

    Times are ISO 8601 in UTC. `searchable_at`, `lag_ms`: when a search first showed the change, and how long after the
    commit; None where none did within `deadline_ms`.
    """

    document: str
    kind: Literal["written", "deleted"]
    committed_at: str
    searchable_at: str | None
    lag_ms: float | None
    deadline_ms: float


@dataclass(frozen=True, slots=True)
class GroupFacts:
    """One needed group of evidence (one with an eligible alternative) and where it stood.

    `documents`: its eligible alternatives, those that the principal may see and that are valid at the case's date.
    `index`: as the system's chunks hold it: whole; moved (not at its place in the document, but elsewhere); split (no
    chunk holds enough of it by itself); garbled (what the chunks hold of it is damaged); lost (no chunk covers its
    place, or its text is in none); missing (no chunk of its documents at all); None where the system lists no chunks.
    `indexed`: what the chunks hold where the text is not the corpus's. `own`: the group with its alternatives in the
    question's language alone, where the index holds those worse than the others. `late`: why no search could find any
    of the documents when the question was asked.
    `removed_by`: hard predicate -> documents that it removes alone; `excluded`: the hard predicates together remove
    all of them (None: the trace records no predicates); `perhaps_removed_by`: the same for predicates whose mode the
    trace does not tell.
    `ranks`: stage -> 1-based rank at which that ranking finds the group, None where it does not.
    `in_context`: None where the trace records no context.
    """

    group: str
    documents: tuple[str, ...]
    index: IndexState | None = None
    indexed: IndexedText | None = None
    own: GroupFacts | None = None
    late: LateChange | None = None
    removed_by: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    excluded: bool | None = None
    perhaps_removed_by: tuple[str, ...] = ()
    ranks: Mapping[str, int | None] = field(default_factory=dict)
    in_context: bool | None = None

    @property
    def name(self) -> str:
        """What a reader knows it by: its documents, of several the first."""
        more = len(self.documents) - 1
        first = self.documents[0] if self.documents else self.group
        return f"{first} (or {more} other{'s' if more > 1 else ''})" if more > 0 else first


@dataclass(frozen=True, slots=True)
class Violation:
    """A document that came through at one place and should not have; stale: while a valid version exists."""

    kind: Literal["access", "stale"]
    place: Place
    id: str
    doc_id: str


@dataclass(frozen=True, slots=True)
class WrongLink:
    """A mention that was linked to another concept than its case says (`gold` None: to any), and what that decided.

    `decided`: the predicate that holds the wrong concept, or `answer` where the answer names it and not the right one;
    None: nothing that shows.
    """

    mention: str
    gold: str | None
    linked: str
    decided: str | None = None


@dataclass(frozen=True, slots=True)
class CriticalScore:
    """A critical metric of the case and its best value; anything worse than that fires."""

    metric: str
    outcome: Outcome
    best: float

    @property
    def fired(self) -> bool:
        """Whether it was measured and is not at its best."""
        return isinstance(self.outcome, Value) and self.outcome.value != self.best


@dataclass(frozen=True, slots=True)
class ClaimFacts:
    """What a judge says of the answer's claims, as texts.

    `unsupported`, `contradicted`: by the context. `against_reference`: contradicted by the reference answer.
    `rests_on_evidence`: a supported claim is shown by a context item that holds gold evidence.
    """

    unsupported: tuple[str, ...] = ()
    contradicted: tuple[str, ...] = ()
    against_reference: tuple[str, ...] = ()
    rests_on_evidence: bool = False
    judge: str = ""
    calibrated: bool = False


@dataclass(frozen=True, slots=True)
class CitationFacts:
    """What is wrong with the citations.

    `dangling`: cited ids that are not in the context; `unsupported`: claims that the context supports and their own
    citations do not; `uncited`: supported claims without a citation, where others have one; `unsafe`: cited documents
    that are untrusted, forbidden or superseded.
    """

    dangling: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()
    uncited: tuple[str, ...] = ()
    unsafe: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ServiceFacts:
    """Whether the request worked as a service call; `error` None: it did."""

    error: str | None = None
    stage: str | None = None
    timed_out: bool = False
    empty_answer: bool = False
    duration_ms: float | None = None
    limit_ms: float | None = None


@dataclass(frozen=True, slots=True)
class CaseFacts:
    """One case, stage by stage.

    `k`: chunks that the generator receives. `stages`: names of the recorded rankings in order, without one named
    `raw` (the raw question's); `lanes`: those whose results were fused or reranked by the later ones.
    `still_served`: deletions of documents that the answer cites and that are no evidence.
    `golden_faults`: what validation says of the case. `wrong_predicates`: hard predicates that contradict the gold
    ones or are not among them (None: no gold predicates, or none recorded). `wrong_links`: mentions linked to another
    concept than their case says. `raw_ranks`: group -> rank in the ranking
    of the raw question (None: not recorded).
    `expected`, `actual`: behaviour (None: not demanded; not known). `answered`: the trace holds an answer.
    `missed_facts`, `forbidden_made`, `format_problems`, `field_problems`: in words, each None where the case declares
    none of the kind or it could not be measured; the `declares_...` say which kinds are declared.
    `correctness`: of the answer against the reference, where one is declared; `agrees_literally`: code alone finds the
    answer equal to the reference. `planted`: an instruction stood in the context; `obeyed`: its effect shows.
    """

    case_id: str
    k: int
    groups: tuple[GroupFacts, ...] = ()
    stages: tuple[str, ...] = ()
    lanes: tuple[str, ...] = ()
    still_served: tuple[LateChange, ...] = ()
    golden_faults: tuple[str, ...] = ()
    violations: tuple[Violation, ...] = ()
    critical: tuple[CriticalScore, ...] = ()
    wrong_predicates: tuple[str, ...] | None = None
    wrong_links: tuple[WrongLink, ...] = ()
    raw_ranks: Mapping[str, int | None] | None = None
    rewrites: tuple[str, ...] = ()
    expected: Behaviour | None = None
    actual: Behaviour | None = None
    answered: bool = False
    declares_facts: bool = False
    declares_forbidden: bool = False
    declares_format: bool = False
    declares_fields: bool = False
    declares_reference: bool = False
    missed_facts: tuple[str, ...] | None = None
    forbidden_made: tuple[str, ...] | None = None
    format_problems: tuple[str, ...] | None = None
    field_problems: tuple[str, ...] | None = None
    correctness: Outcome | None = None
    agrees_literally: bool = False
    planted: bool = False
    obeyed: bool | None = None
    claims: ClaimFacts | None = None
    citations: CitationFacts | None = None
    service: ServiceFacts = ServiceFacts()

    def in_first_k(self, group: GroupFacts) -> bool | None:
        """Say whether the last ranking finds a group in its first k; None where no ranking is recorded."""
        if not self.stages:
            return None
        rank = group.ranks.get(self.stages[-1])
        return rank is not None and rank <= self.k

    def reached(self, group: GroupFacts) -> bool | None:
        """Say whether a group reached the generator: the context, else the first k; None where neither is recorded."""
        return group.in_context if group.in_context is not None else self.in_first_k(group)
