"""The judge that is code alone: claims by sentence and clause, verdicts by words, numbers, dates and negation.

It is a proxy: every verdict says `calibrated` False, and names its rules by their hash.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from ragtriage.core.identity import hash_json
from ragtriage.core.records import Case, Nugget, Trace
from ragtriage.core.verdicts import BehaviourVerdict, ClaimVerdict, Label, NuggetVerdict, Verdicts
from ragtriage.judges import behaviour, oppositions
from ragtriage.judges.claims import Claim, split_claims
from ragtriage.judges.evidence import THRESHOLDS, Finding, Match, decide, match_units
from ragtriage.judges.sources import Source, read_source
from ragtriage.judges.statements import Statement, read_statement
from ragtriage.text import negation, stop_words, suffixes
from ragtriage.text.language import guess_language
from ragtriage.text.markers import blank_markers

__all__ = ["judge", "rubric", "verify"]

_VERSION = 1
_NAME = "lexical"
_PARTIAL = 0.5
_ORDER: dict[Label, int] = {"contradicted": 0, "not_in_context": 1, "supported": 2}


@functools.cache
def rubric() -> str:
    """Return the hash of the rules and their data."""
    return hash_json(
        {
            "version": _VERSION,
            "thresholds": THRESHOLDS,
            "partial": _PARTIAL,
            "behaviour": behaviour.RULES,
            "oppositions": oppositions.RULES,
            "negation": negation.PATTERN,
            "stop_words": {code: sorted(words) for code, words in stop_words.STOP_WORDS.items()},
            "suffixes": [sorted(s) for s in (suffixes.ENGLISH, suffixes.SLAVIC, suffixes.KAZAKH)],
        }
    )


def _alone(statement: Statement, matches: dict[str, list[Match]]) -> dict[str, Label]:
    return {source_id: decide(statement, found).label for source_id, found in matches.items()}


def _best(findings: Sequence[Finding]) -> Finding:
    return max(findings, key=lambda f: (_ORDER[f.label], f.score))


class _Judged:
    """One case while it is judged: its sources, read once."""

    def __init__(self, case: Case, trace: Trace) -> None:
        self.question = case.question
        self.language = case.language or guess_language(case.question)
        self.items: dict[str, list[Source]] = {}
        for item in trace.context or ():
            self.items.setdefault(item.id, []).append(read_source(item.text, self._of(item.text)))
        self.aliases = {item.doc_id: item.id for item in reversed(trace.context or ()) if item.doc_id}
        answer = trace.answer.text if trace.answer is not None else ""
        self.ids = {*self.items, *self.aliases}
        citations = (trace.answer.citations if trace.answer is not None else None) or ()
        self.ids.update(i for citation in citations for i in citation.ids)
        self.citations = citations
        self.answer = answer
        self.answer_language = guess_language(answer) or self.language
        expected = case.expected
        self.references = [t for t in (expected.answer, *expected.alternatives) if t and t.strip()]
        self.reference = expected.answer if expected.answer and expected.answer.strip() else None

    def _of(self, text: str) -> str | None:
        return guess_language(text) or self.language

    def against_context(self, statement: Statement) -> dict[str, list[Match]]:
        return {
            item_id: [m for source in sources for m in match_units(statement, item_id, source)]
            for item_id, sources in self.items.items()
        }

    def against(self, statement: Statement, texts: Sequence[str], source_id: str) -> Finding:
        return _best(
            [
                decide(statement, match_units(statement, source_id, read_source(t, self._of(t), self.question)))
                for t in texts
            ]
        )

    def answer_claims(self) -> list[ClaimVerdict]:
        claims = split_claims(self.answer, language=self.answer_language, citations=self.citations, ids=self.ids)
        return [self._answer_claim(i, claim) for i, claim in enumerate(claims, 1)]

    def _answer_claim(self, number: int, claim: Claim) -> ClaimVerdict:
        text = blank_markers(claim.text, self.ids)
        statement = read_statement(text, self.answer_language, question=self.question)
        matches = self.against_context(statement)
        together = decide(statement, [m for found in matches.values() for m in found])
        reference = self.against(statement, self.references, "reference").label if self.references else None
        return ClaimVerdict(
            claim_id=f"a{number}",
            of="answer",
            text=claim.text,
            start=claim.start,
            end=claim.end,
            context=together.label,
            score=together.score,
            spans=together.spans,
            items=_alone(statement, matches),
            reference=reference,
            cited=claim.cited,
            cited_together=self._cited_together(statement, matches, claim.cited) if claim.cited else None,
        )

    def _cited_together(self, statement: Statement, matches: dict[str, list[Match]], cited: tuple[str, ...]) -> Label:
        ids = dict.fromkeys(i if i in matches else self.aliases.get(i, i) for i in cited)
        return decide(statement, [m for i in ids for m in matches.get(i, ())]).label

    def reference_claims(self) -> list[ClaimVerdict]:
        if self.reference is None:
            return []
        language = self._of(self.reference)
        claims = split_claims(self.reference, language=language)
        return [self._reference_claim(i, claim, language) for i, claim in enumerate(claims, 1)]

    def _reference_claim(self, number: int, claim: Claim, language: str | None) -> ClaimVerdict:
        statement = read_statement(claim.text, language, question=self.question)
        matches = self.against_context(statement)
        together = decide(statement, [m for found in matches.values() for m in found])
        answered = self.against(statement, [blank_markers(self.answer, self.ids)], "answer")
        return ClaimVerdict(
            claim_id=f"r{number}",
            of="reference",
            text=claim.text,
            start=claim.start,
            end=claim.end,
            context=together.label,
            score=together.score,
            spans=together.spans,
            items=_alone(statement, matches),
            answer=answered.label,
        )

    def nugget(self, nugget: Nugget) -> NuggetVerdict:
        statement = read_statement(nugget.text, self._of(nugget.text), question=self.question)
        finding = self.against(statement, [blank_markers(self.answer, self.ids)], "answer")
        if finding.label == "supported":
            return NuggetVerdict(text=nugget.text, importance=nugget.importance, label="support")
        partial = finding.label == "not_in_context" and finding.score >= _PARTIAL
        return NuggetVerdict(
            text=nugget.text, importance=nugget.importance, label="partial_support" if partial else "not_support"
        )


def judge(case: Case, trace: Trace) -> Verdicts:
    """Judge one case: its claims, its nuggets and, where the trace does not record it, what the answer does."""
    judged = _Judged(case, trace)
    answer = trace.answer
    acted = None if answer is None else answer.acted
    read = (
        behaviour.read_behaviour(answer.text) if answer is not None and answer.text.strip() and acted is None else None
    )
    silent = "abstain" in (acted, read)
    claims = ([] if silent else judged.answer_claims()) + judged.reference_claims()
    return Verdicts(
        case_id=case.case_id,
        judge=_NAME,
        rubric=rubric(),
        claims=tuple(claims),
        nuggets=tuple(judged.nugget(n) for n in case.expected.nuggets),
        behaviour=BehaviourVerdict(behaviour=read) if read is not None else None,
    )


def verify(claim: str, context: str) -> Finding:
    """Hold a text against a context: the worst label of its claims, their mean score, and spans of the context.

    A text without a checkable claim is not in the context, with a score of 0.

    >>> verify("Mars has two moons.", "Mars has two moons, Phobos and Deimos.").label
    'supported'
    >>> verify("Mars has three moons.", "Mars has two moons, Phobos and Deimos.").label
    'contradicted'
    """
    language = guess_language(claim) or guess_language(context)
    source = read_source(context, guess_language(context) or language)
    findings = [
        decide(statement, match_units(statement, "context", source))
        for piece in split_claims(claim, language=language)
        for statement in [read_statement(blank_markers(piece.text), language)]
    ]
    if not findings:
        return Finding("not_in_context", 0.0)
    worst = min((f.label for f in findings), key=_ORDER.__getitem__)
    spans = tuple(dict.fromkeys(span for f in findings for span in f.spans))
    return Finding(worst, sum(f.score for f in findings) / len(findings), spans)
