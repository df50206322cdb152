"""The judge that is code alone: claims by sentence and clause, verdicts by words, numbers, dates and negation.

It is a proxy: every verdict says `calibrated` False, and names its rules by their hash.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

from ragtriage.core.identity import hash_json
from ragtriage.core.records import Answer, Case, Nugget, Trace
from ragtriage.core.verdicts import BehaviourVerdict, ClaimVerdict, Label, NuggetVerdict, UncertaintyVerdict, Verdicts
from ragtriage.judges import behaviour, direction, nearness, oppositions, uncertainty
from ragtriage.judges.claims import Claim, split_claims
from ragtriage.judges.evidence import THRESHOLDS, Finding, Match, decide, match_units
from ragtriage.judges.nearness import nearness_of
from ragtriage.judges.sources import Source, read_source
from ragtriage.judges.statements import Statement, read_statement
from ragtriage.judges.weighing import Measured, read_weights, score_of
from ragtriage.text import negation, polarity, stop_words, suffixes, wording
from ragtriage.text.language import guess_language, language_of
from ragtriage.text.markers import blank_markers
from ragtriage.text.tokens import count_words

__all__ = ["judge", "rubric", "verify"]

_VERSION = 3
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
            "nearness": nearness.RULES,
            "weights": read_weights().model_dump(),
            "wording": wording.RULES,
            "partial": _PARTIAL,
            "behaviour": behaviour.RULES,
            "uncertainty": uncertainty.RULES,
            "oppositions": oppositions.RULES,
            "negation": negation.PATTERN,
            "polarity": (polarity.RULES, direction.RULES),
            "stop_words": {code: sorted(words) for code, words in stop_words.STOP_WORDS.items()},
            "suffixes": [sorted(s) for s in (suffixes.ENGLISH, suffixes.SLAVIC, suffixes.KAZAKH)],
        }
    )


def _best(findings: Sequence[Finding]) -> Finding:
    return max(findings, key=lambda f: (_ORDER[f.label], f.score))


def _together(statement: Statement, matches: Mapping[str, Sequence[Match]]) -> tuple[Finding, dict[str, Label]]:
    """Hold a claim against all items together and each alone; what one item alone supports is supported."""
    alone = {item_id: decide(statement, found) for item_id, found in matches.items()}
    together = decide(statement, [m for found in matches.values() for m in found])
    best = _best([together, *alone.values()])
    return (best if best.label == "supported" else together), {item_id: f.label for item_id, f in alone.items()}


class _Judged:
    """One case while it is judged: its sources, read once."""

    def __init__(self, case: Case, trace: Trace, *, silent: bool) -> None:
        self.question = case.question
        self.language = case.language or guess_language(case.question)
        self.items: dict[str, list[Source]] = {}
        self.items_of: dict[str, list[str]] = {}
        for item in trace.context or ():
            self.items.setdefault(item.id, []).append(read_source(item.text, self._of(item.text)))
            if item.doc_id is not None:
                self.items_of.setdefault(item.doc_id, []).append(item.id)
        answer = trace.answer
        self.answer = answer.text if answer is not None else ""
        self.citations = (answer.citations if answer is not None else None) or ()
        self.ids = {*self.items, *self.items_of, *(i for citation in self.citations for i in citation.ids)}
        self.answer_language = self._of(self.answer)
        expected = case.expected
        # a refusal states nothing, though its words and the question's can look like a fact ("there is no ...")
        refused = silent and case.answerable
        self.stated = "" if refused else blank_markers(self.answer, self.ids)
        self.references = [t for t in (expected.answer, *expected.alternatives) if t and t.strip()]
        self.reference = expected.answer if expected.answer and expected.answer.strip() else None

    def _of(self, text: str) -> str | None:
        return language_of(text, self.language)

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

    def _against_references(self, statement: Statement) -> Label | None:
        """Return what the reference says of a claim; an alternative that supports it outweighs the rest."""
        labels = [self.against(statement, [text], "reference").label for text in self.references]
        return "supported" if "supported" in labels else next(iter(labels), None)

    def answer_claims(self) -> list[ClaimVerdict]:
        claims = split_claims(self.answer, language=self.answer_language, citations=self.citations, ids=self.ids)
        return [self._answer_claim(i, claim) for i, claim in enumerate(claims, 1)]

    def _answer_claim(self, number: int, claim: Claim) -> ClaimVerdict:
        statement = read_statement(blank_markers(claim.text, self.ids), self.answer_language, question=self.question)
        matches = self.against_context(statement)
        together, alone = _together(statement, matches)
        cited = {i: self._cited(matches, i) for i in claim.cited}
        documents = {i: decide(statement, found).label for i, found in cited.items() if i not in alone and found}
        joint = _together(statement, cited)[0].label if cited else None
        return ClaimVerdict(
            claim_id=f"a{number}",
            of="answer",
            text=claim.text,
            start=claim.start,
            end=claim.end,
            context=together.label,
            score=together.score,
            spans=together.spans,
            items=alone | documents,
            reference=self._against_references(statement),
            cited=claim.cited,
            cited_together=joint,
        )

    def _cited(self, matches: Mapping[str, list[Match]], cited: str) -> list[Match]:
        """Return the matches in a cited item, or in all items of a cited document."""
        ids = [cited] if cited in matches else dict.fromkeys(self.items_of.get(cited, ()))
        return [m for i in ids for m in matches.get(i, ())]

    def reference_claims(self) -> list[ClaimVerdict]:
        if self.reference is None:
            return []
        language = self._of(self.reference)
        claims = split_claims(self.reference, language=language)
        return [self._reference_claim(i, claim, language) for i, claim in enumerate(claims, 1)]

    def _reference_claim(self, number: int, claim: Claim, language: str | None) -> ClaimVerdict:
        statement = read_statement(claim.text, language, question=self.question)
        matches = self.against_context(statement)
        together, alone = _together(statement, matches)
        answered = self.against(statement, [self.stated], "answer")
        return ClaimVerdict(
            claim_id=f"r{number}",
            of="reference",
            text=claim.text,
            start=claim.start,
            end=claim.end,
            context=together.label,
            score=together.score,
            spans=together.spans,
            items=alone,
            answer=answered.label,
        )

    def nugget(self, nugget: Nugget) -> NuggetVerdict:
        statement = read_statement(nugget.text, self._of(nugget.text), question=self.question)
        finding = self.against(statement, [self.stated], "answer")
        if finding.label == "supported":
            return NuggetVerdict(text=nugget.text, importance=nugget.importance, label="support")
        partial = finding.label == "not_in_context" and finding.score >= _PARTIAL
        return NuggetVerdict(
            text=nugget.text, importance=nugget.importance, label="partial_support" if partial else "not_support"
        )


def judge(case: Case, trace: Trace) -> Verdicts:
    """Judge one case: its claims, its nuggets and, where the trace does not record it, what the answer does."""
    answer = trace.answer
    acted = None if answer is None else answer.acted
    read = (
        behaviour.read_behaviour(answer.text) if answer is not None and answer.text.strip() and acted is None else None
    )
    silent = "abstain" in (acted, read)
    judged = _Judged(case, trace, silent=silent)
    claims = ([] if silent else judged.answer_claims()) + judged.reference_claims()
    return Verdicts(
        case_id=case.case_id,
        judge=_NAME,
        rubric=rubric(),
        claims=tuple(claims),
        nuggets=tuple(judged.nugget(n) for n in case.expected.nuggets),
        behaviour=BehaviourVerdict(behaviour=read) if read is not None else None,
        uncertainty=_uncertainty(case, answer),
    )


def _uncertainty(case: Case, answer: Answer | None) -> UncertaintyVerdict | None:
    declared = case.expected.uncertainty
    if declared is None or answer is None or not answer.text.strip():
        return None
    return uncertainty.read_uncertainty(declared, answer.text, language=case.language)


def verify(claim: str, context: str) -> Finding:
    """Hold a text against a context: the worst label of its claims, a score to rank by, and spans of the context.

    The score is no mean of the claims' scores: trained weights make it of how near the text's words are to the context
    (see `nearness`) and of that label. A text without a checkable claim is not in the context; without a word it has 0.

    >>> verify("Mars has two moons.", "Mars has two moons, Phobos and Deimos.").label
    'supported'
    >>> verify("Mars has three moons.", "Mars has two moons, Phobos and Deimos.").label
    'contradicted'
    """
    if not count_words(claim) or not count_words(context):
        return Finding("not_in_context", 0.0)
    language = guess_language(claim) or guess_language(context)
    source = read_source(context, guess_language(context) or language)
    findings = [
        decide(statement, match_units(statement, "context", source))
        for piece in split_claims(claim, language=language)
        for statement in [read_statement(blank_markers(piece.text), language)]
    ]
    worst: Label = min((f.label for f in findings), key=_ORDER.__getitem__, default="not_in_context")
    near = nearness_of(claim, context, source, language=language)
    score = score_of(Measured.of(near, worst))
    return Finding(worst, score, tuple(dict.fromkeys(span for f in findings for span in f.spans)))
