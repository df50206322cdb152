"""What is known of one case, stage by stage: the only thing that expectations and diagnosis look at.

`runs/facts` fills these records from views, corpus and golden set. None always means: not recorded or not measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ragtriage.core.records import Behaviour
from ragtriage.core.score import Outcome

__all__ = ["CaseFacts", "CitationFacts", "GroupFacts", "ServiceFacts", "Violation"]

Place = Literal["results", "context", "citations", "quotes"]


@dataclass(frozen=True, slots=True)
class GroupFacts:
    """One needed group of evidence and where it stood.

    `documents`: its alternatives; `missing`: those that the corpus does not hold; `eligible`: those that the principal
    may see and that are valid at the case's date. `quote_in_corpus`: a quote stands at its offsets (True where no quote
    is given). `coverable`: some indexed chunks cover one of its spans (None: the system lists no chunks).
    `removed_by`: hard predicate -> eligible documents that it removes alone; `excluded`: the hard predicates together
    remove every eligible document (None: the trace records no predicates).
    `ranks`: stage -> 1-based rank at which the group is found, None where that ranking does not find it.
    """

    group: str
    documents: tuple[str, ...]
    missing: tuple[str, ...] = ()
    eligible: tuple[str, ...] = ()
    quote_in_corpus: bool = True
    coverable: bool | None = None
    removed_by: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    excluded: bool | None = None
    ranks: Mapping[str, int | None] = field(default_factory=dict)
    in_candidates: bool | None = None
    in_first_k: bool | None = None
    in_context: bool | None = None


@dataclass(frozen=True, slots=True)
class Violation:
    """A document that came through at one place and should not have."""

    kind: Literal["access", "stale"]
    place: Place
    id: str
    doc_id: str


@dataclass(frozen=True, slots=True)
class CitationFacts:
    """What is wrong with the citations; None where no citation was recorded or no judge ran.

    `dangling`: ids that are not in the context; `unsupported`: claims that their own citations do not support although
    the context does; `uncited`: supported claims without a citation; `unsafe`: untrusted, forbidden or superseded.
    """

    dangling: tuple[str, ...] | None = None
    unsupported: tuple[str, ...] | None = None
    uncited: tuple[str, ...] | None = None
    unsafe: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class ServiceFacts:
    """Whether the request worked as a service call."""

    error: str | None = None
    stage: str | None = None
    timed_out: bool = False
    empty_answer: bool = False
    duration_ms: float | None = None
    limit_ms: float | None = None


@dataclass(frozen=True, slots=True)
class CaseFacts:
    """One case, stage by stage.

    `k`: chunks that the generator receives. `stages`: names of the recorded rankings, in order; `lanes`: those before
    the fused one. `golden_faults`: what validation says of the case. `wrong_predicates`: extracted predicates that the
    golden set does not have, or that contradict it. `raw_found`: groups found with the raw question, where the trace
    records a ranking named `raw`. `expected`, `actual`: behaviour (None: not declared, not recorded).
    `unsupported`, `contradicted`: texts of claims (None: no judge ran). `missed_facts`, `forbidden_made`: texts.
    `format_problems`, `field_problems`: in words. `correctness`: of the answer against the reference, where one is
    declared. `critical`: metric name -> outcome of every critical metric. `judge`: who judged the claims.
    """

    case_id: str
    k: int
    groups: tuple[GroupFacts, ...] = ()
    stages: tuple[str, ...] = ()
    lanes: tuple[str, ...] = ()
    has_context: bool = False
    golden_faults: tuple[str, ...] = ()
    violations: tuple[Violation, ...] = ()
    hard_predicates: tuple[str, ...] = ()
    unknown_modes: tuple[str, ...] = ()
    wrong_predicates: tuple[str, ...] | None = None
    raw_found: frozenset[str] | None = None
    rewrites: tuple[str, ...] = ()
    expected: Behaviour | None = None
    actual: Behaviour | None = None
    answerable: bool = True
    reference_declared: bool = False
    facts_declared: int = 0
    forbidden_declared: int = 0
    format_declared: bool = False
    fields_declared: bool = False
    missed_facts: tuple[str, ...] = ()
    forbidden_made: tuple[str, ...] = ()
    format_problems: tuple[str, ...] = ()
    field_problems: tuple[str, ...] = ()
    correctness: Outcome | None = None
    unsupported: tuple[str, ...] | None = None
    contradicted: tuple[str, ...] | None = None
    planted: bool = False
    injection_obeyed: bool | None = None
    citations: CitationFacts = CitationFacts()
    service: ServiceFacts = ServiceFacts()
    critical: Mapping[str, Outcome] = field(default_factory=dict)
    judge: str | None = None
    judge_calibrated: bool = False
