"""What the generator did wrong with what it was given: the answer, its citations, its form."""

from __future__ import annotations

from pydantic import JsonValue

from ragtriage.core.results import Diagnosis, Leaf
from ragtriage.core.score import Value
from ragtriage.decisions.advice import ADVICE
from ragtriage.decisions.expectations import Judgement
from ragtriage.decisions.facts import CaseFacts

__all__ = ["blame_answer", "blame_citations", "blame_format", "blame_obedience"]

_SHOWN = 5


def blame_answer(facts: CaseFacts, judgement: Judgement) -> Diagnosis | None:
    """Name what is wrong with the answer itself; an answer that did not come or is empty is none."""
    if not facts.answered or facts.service.empty_answer:
        return None
    steps = (blame_obedience, _behaviour, _said_wrong, _claims, _missed, _reference)
    found = (step(facts, judgement) for step in steps)
    return next((diagnosis for diagnosis in found if diagnosis is not None), None)


def blame_obedience(facts: CaseFacts, judgement: Judgement) -> Diagnosis | None:
    """Name an answer that does what an instruction in a document asked for."""
    del judgement
    if not facts.obeyed:
        return None
    evidence: dict[str, JsonValue] = {"planted": facts.planted}
    return _leaf("generation", "the answer obeys an instruction that is planted in a document", evidence, "injection")


def blame_citations(facts: CaseFacts, judgement: Judgement) -> Diagnosis | None:
    """Name citations that do not prove what they stand at."""
    del judgement
    given = facts.citations
    if given is None:
        return None
    for name, told in (
        ("unsafe", "untrusted, forbidden or superseded documents are cited"),
        ("dangling", "ids are cited that are not in the context"),
        ("unsupported", "claims that the context supports are not supported by what is cited at them"),
        ("uncited", "supported claims stand without a citation"),
    ):
        items: tuple[str, ...] = getattr(given, name)
        if items:
            return _leaf("citation", f"{told}: {_list(items)}", {name: list(items[:_SHOWN])}, "citation")
    return None


def blame_format(facts: CaseFacts, judgement: Judgement) -> Diagnosis | None:
    """Name the form that was missed."""
    del judgement
    if not facts.format_problems:
        return None
    cause = f"the required form was missed: {_list(facts.format_problems)}"
    return _leaf("format", cause, {"problems": [*facts.format_problems]}, "format")


def _behaviour(facts: CaseFacts, judgement: Judgement) -> Diagnosis | None:
    if "behaviour" not in judgement.kinds:
        if facts.actual == "abstain" and facts.expected is None and _evidence_there(facts):
            return _false_abstention(facts)
        return None
    if facts.expected == "answer" and facts.actual == "abstain":
        return _false_abstention(facts)
    evidence: dict[str, JsonValue] = {"expected": facts.expected, "actual": facts.actual}
    if facts.expected == "abstain":
        cause = f"the corpus does not hold the answer, and the system did not abstain: it did {facts.actual}"
        return _leaf("generation", cause, evidence, "no_abstention")
    cause = f"the system had to {facts.expected}; it did {facts.actual}"
    return _leaf("generation", cause, evidence, "behaviour")


def _false_abstention(facts: CaseFacts) -> Diagnosis:
    there = _evidence_there(facts)
    cause = "the system abstained although the evidence was in its context" if there else "the system abstained"
    evidence: dict[str, JsonValue] = {"expected": facts.expected, "actual": facts.actual, "evidence_there": there}
    return _leaf("generation", cause, evidence, "abstention")


def _said_wrong(facts: CaseFacts, judgement: Judgement) -> Diagnosis | None:
    del judgement
    if not facts.forbidden_made:
        return None
    cause = f"the answer makes a forbidden claim: {_list(facts.forbidden_made)}"
    return _leaf("generation", cause, {"forbidden": [*facts.forbidden_made[:_SHOWN]]}, "generation")


def _claims(facts: CaseFacts, judgement: Judgement) -> Diagnosis | None:
    """Name claims that the context does not carry."""
    del judgement
    claims = facts.claims
    if claims is None:
        return None
    for kind, told in (
        ("contradicted", "the context contradicts what the answer says"),
        ("unsupported", "nothing in the context supports what the answer says"),
        ("against_reference", "the answer contradicts the reference"),
    ):
        texts: tuple[str, ...] = getattr(claims, kind)
        if texts:
            evidence: dict[str, JsonValue] = {
                kind: list(texts[:_SHOWN]),
                "judge": claims.judge,
                "calibrated": claims.calibrated,
            }
            return _leaf("generation", f"{told}: {_list(texts)}", evidence, "generation")
    return None


def _missed(facts: CaseFacts, judgement: Judgement) -> Diagnosis | None:
    del judgement
    for name, told, texts in (
        ("missed", "the answer leaves out a required fact", facts.missed_facts),
        ("fields", "extracted fields are wrong", facts.field_problems),
    ):
        if texts:
            return _leaf("generation", f"{told}: {_list(texts)}", {name: list(texts[:_SHOWN])}, "generation")
    return None


def _reference(facts: CaseFacts, judgement: Judgement) -> Diagnosis | None:
    """Name an answer that misses the reference, unless it says what the evidence says: then the verdict is in doubt."""
    if "reference" not in judgement.kinds or not isinstance(facts.correctness, Value):
        return None
    if facts.agrees_literally or (facts.claims is not None and facts.claims.rests_on_evidence):
        return None
    cause = f"the answer rests on no gold evidence and misses the reference (correctness {facts.correctness.value:.2f})"
    return _leaf("generation", cause, {"correctness": facts.correctness.value}, "generation")


def _evidence_there(facts: CaseFacts) -> bool:
    return bool(facts.groups) and all(facts.reached(group) for group in facts.groups)


def _list(texts: tuple[str, ...]) -> str:
    more = len(texts) - _SHOWN
    return "; ".join(texts[:_SHOWN]) + (f"; and {more} more" if more > 0 else "")


def _leaf(leaf: Leaf, cause: str, evidence: dict[str, JsonValue], advice: str) -> Diagnosis:
    return Diagnosis(leaf=leaf, cause=cause, evidence=evidence, advice=ADVICE[advice])
