"""Whether a golden set holds against its corpus: a case at fault must not be blamed on the system under test."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ragtriage.core.errors import Fault, did_you_mean
from ragtriage.core.files import parse_json, read_lines
from ragtriage.core.records import Case, Evidence
from ragtriage.data.corpus import Corpus
from ragtriage.data.eligibility import describe, permitted, satisfies
from ragtriage.data.golden import CASES, MANIFEST, Golden
from ragtriage.data.manifest import line_of
from ragtriage.data.relevance import MIN_GRADE, gold_of, span_of
from ragtriage.text.normalise import fold_text

__all__ = ["CaseFault", "case_faults", "faults_by_case", "validate_golden", "warn_golden"]

_ANSWERABLE_KINDS = frozenset({"lookup", "multi_hop", "negation", "post_update"})


@dataclass(frozen=True, slots=True)
class CaseFault:
    """One thing that is wrong with one case; a warning is worth a look and stops nothing."""

    case_id: str
    message: str
    warning: bool = False


def validate_golden(golden: Golden, corpus: Corpus, path: Path) -> list[Fault]:
    """Return every fault of a golden set against its corpus as file:line; `path` is where the golden set was read.

    Warnings are not among them: see `warn_golden`.
    """
    faults = _located(case_faults(golden, corpus), path, warnings=False)
    if golden.corpus_identity and golden.corpus_identity != corpus.identity:
        text = (
            f"'corpus' says that the cases were checked against the corpus {golden.corpus_identity[:12]}…, but this"
            f" corpus is {corpus.identity[:12]}…: check them again and seal with `ragtriage golden sign`"
        )
        manifest = path / MANIFEST
        faults.insert(0, Fault(str(manifest), line_of(manifest, "corpus") if manifest.is_file() else 0, text))
    return faults


def warn_golden(golden: Golden, corpus: Corpus, path: Path) -> list[Fault]:
    """Return what is worth a look in a golden set and stops nothing, as file:line."""
    return _located(case_faults(golden, corpus), path, warnings=True)


def faults_by_case(golden: Golden, corpus: Corpus) -> Mapping[str, tuple[str, ...]]:
    """Return the faults of each case that has any, for the diagnosis leaf `golden`.

    Warnings are not among them, nor that a question repeats another: that makes no answer wrong.
    """
    check = _Check(corpus)
    messages = ((c.case_id, tuple(text for text, warning in check.all(c) if not warning)) for c in golden.cases)
    return {case_id: found for case_id, found in messages if found}


def case_faults(golden: Golden, corpus: Corpus) -> list[CaseFault]:
    """Return every fault and warning of every case, in the order of the cases."""
    check = _Check(corpus)
    repeats = _repeats(golden.cases)
    return [
        CaseFault(case.case_id, message, warning)
        for case in golden.cases
        for message, warning in (*check.all(case), *repeats.get(case.case_id, ()))
    ]


def _located(faults: Iterable[CaseFault], path: Path, *, warnings: bool) -> list[Fault]:
    chosen = [fault for fault in faults if fault.warning is warnings]
    file = path / CASES
    if not chosen or not file.is_file():
        return [Fault(str(path), 0, f"case {fault.case_id!r}: {fault.message}") for fault in chosen]
    lines: dict[str, int] = {}
    for line, text in read_lines(file):
        try:
            value = parse_json(text)
        except ValueError:
            continue
        if isinstance(value, dict):
            lines.setdefault(str(value.get("case_id")), line)
    return [
        Fault(str(file), lines.get(fault.case_id, 0), f"case {fault.case_id!r}: {fault.message}") for fault in chosen
    ]


def _repeats(cases: Iterable[Case]) -> Mapping[str, tuple[tuple[str, bool], ...]]:
    """Find cases that ask the same question for the same principal at the same date."""
    first: dict[tuple[str, str, str], str] = {}
    found: dict[str, tuple[tuple[str, bool], ...]] = {}
    for case in cases:
        key = (_folded(case.question), case.principal.model_dump_json(), str(case.as_of))
        if first.get(key, case.case_id) != case.case_id:
            text = f"'question' is that of case {first[key]!r}, for the same principal at the same date"
            found[case.case_id] = ((text, False),)
        first.setdefault(key, case.case_id)
    return found


def _folded(text: str) -> str:
    return " ".join(fold_text(text).split())


class _Check:
    """The rules that one case is held against; each yields messages, and whether they only warn."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def all(self, case: Case) -> Iterator[tuple[str, bool]]:
        for number, evidence in enumerate(case.evidence):
            for message in self._span(f"evidence.{number}", evidence):
                yield message, False
        yield from self._groups(case)
        yield from self._behaviour(case)
        yield from self._expected(case)
        yield from self._predicates(case)
        for number, entity in enumerate(case.entities or ()):
            placed = entity.start is not None and entity.end is not None
            if placed and case.question[entity.start : entity.end] != entity.mention:
                yield f"'entities.{number}.mention' is not what stands at its offsets of the question", False

    def _span(self, where: str, evidence: Evidence) -> Iterator[str]:
        document = self._corpus.documents.get(evidence.doc_id)
        if document is None:
            hint = did_you_mean(evidence.doc_id, self._corpus.documents)
            yield f"'{where}.doc_id' names {evidence.doc_id!r}, which the corpus does not hold.{hint}"
            return
        text = document.text
        places = _places(text, evidence.quote) if evidence.quote else []
        if evidence.start is None or evidence.end is None:
            if evidence.quote and len(places) != 1:
                count = f"stands {len(places)} times in" if places else "does not stand in"
                yield f"'{where}.quote' {count} {evidence.doc_id!r}; without offsets it must stand there exactly once"
            return
        if evidence.end > len(text):
            yield f"'{where}.end' is {evidence.end}, but {evidence.doc_id!r} has {len(text)} code points"
            return
        stands = text[evidence.start : evidence.end]
        if evidence.quote is not None and stands != evidence.quote:
            hint = f". The quote stands at [{places[0]}, {places[0] + len(evidence.quote)})" if places else ""
            yield (
                f"'{where}.quote' is not what stands at [{evidence.start}, {evidence.end}) of {evidence.doc_id!r}:"
                f" {_short(stands)} instead of {_short(evidence.quote)}{hint}"
            )

    def _groups(self, case: Case) -> Iterator[tuple[str, bool]]:
        graded = {e.group for e in case.evidence if e.grade >= MIN_GRADE}
        for name in dict.fromkeys(e.group for e in case.evidence if e.group is not None):
            if name not in graded:
                yield f"the evidence group {name!r} holds nothing of grade {MIN_GRADE} or more", False
        if not case.answerable or case.expected.behaviour not in {None, "answer"}:
            return
        for group in gold_of(case, self._corpus).groups:
            reasons = [self._against(case, span.doc_id) for span in group.alternatives if not span.eligible]
            for reason in dict.fromkeys(reasons):
                yield f"the evidence group {group.name!r}: {reason}", bool(group.eligible)

    def _against(self, case: Case, doc_id: str) -> str:
        document = self._corpus.documents[doc_id]
        if not permitted(document, case.principal):
            return f"the principal may not see {doc_id!r}, yet the case expects an answer"
        day = case.as_of
        if document.valid_from is not None and day is not None and day < document.valid_from:
            return f"{doc_id!r} is valid from {document.valid_from}, after 'as_of' {day}"
        if document.valid_to is not None and day is not None and document.valid_to < day:
            return f"{doc_id!r} is valid to {document.valid_to}, before 'as_of' {day}"
        newer = [s.doc_id for s in self._corpus.successors.get(doc_id, ())]
        return f"{doc_id!r} is superseded by {newer[0]!r} at 'as_of' {day}" if newer else f"{doc_id!r} is not valid"

    def _behaviour(self, case: Case) -> Iterator[tuple[str, bool]]:
        behaviour, gold = case.expected.behaviour, gold_of(case, self._corpus)
        if case.kind == "no_answer" and behaviour == "answer":
            yield "'kind' is no_answer, but 'expected.behaviour' is answer", False
        if case.kind == "no_answer" and behaviour != "answer" and gold.needed:
            held = min(gold.documents)
            yield f"'kind' is no_answer, but {held!r} is evidence that the principal may see", False
        if case.kind in _ANSWERABLE_KINDS and behaviour == "abstain" and gold.needed:
            yield f"'kind' is {case.kind} and there is evidence, but 'expected.behaviour' is abstain", True
        if case.kind == "multi_hop" and len(gold.groups) == 1:
            yield "'kind' is multi_hop, but all evidence is one group: one document answers it", True
        if behaviour == "answer" and not gold.groups:
            yield "'expected.behaviour' is answer, but the case names no evidence", True

    def _expected(self, case: Case) -> Iterator[tuple[str, bool]]:
        expected = case.expected
        for where, text in _demanded(case):
            if not text.strip():
                yield f"'expected.{where}' is empty: it would hold of every answer", False
        if expected.uncertainty is not None and not case.answerable:
            told = "'expected.uncertainty' is declared, but the case demands an abstention, which says it already"
            yield told, True
        if expected.injection is not None and _folded(expected.injection) not in self._all_text:
            yield f"'expected.injection' {_short(expected.injection)} stands in no document of the corpus", False
        if expected.format is not None and expected.format.regex is not None:
            try:
                re.compile(expected.format.regex)
            except re.error as error:
                yield f"'expected.format.regex' is no regular expression: {error}", False
        answers = [_folded(text) for text in (expected.answer or "", *expected.alternatives)]
        for number, claim in enumerate(expected.forbidden_claims):
            if claim.strip() and any(_folded(claim) in answer for answer in answers):
                yield f"'expected.forbidden_claims.{number}' stands in the reference answer", False
        stated = [text for text in (self._text(evidence) for evidence in case.evidence) if text]
        if not case.answerable or not stated:
            return
        for number, fact in enumerate(expected.required_facts):
            wordings = [_folded(wording) for wording in fact.any_of]
            if not any(wording in text for wording in wordings for text in stated):
                yield f"'expected.required_facts.{number}' {_short(fact.any_of[0])} stands in no evidence", True

    def _predicates(self, case: Case) -> Iterator[tuple[str, bool]]:
        eligible = [d for d in sorted(gold_of(case, self._corpus).documents) if d in self._corpus.documents]
        for number, predicate in enumerate(case.predicates or ()):
            asked = eligible or list(self._corpus.documents)[:1]
            try:
                kept = [d for d in asked if satisfies(self._corpus, self._corpus.documents[d], predicate)]
            except ValueError as error:
                yield f"'predicates.{number}' {error}", False
                continue
            if eligible and not kept and predicate.mode != "soft":
                yield f"'predicates.{number}' {describe(predicate)} removes all of the case's own evidence", True

    def _text(self, evidence: Evidence) -> str:
        """Return the folded text of a span, or of the whole document where it names no span."""
        document, place = self._corpus.documents.get(evidence.doc_id), span_of(evidence, self._corpus)
        if document is None or evidence.grade < MIN_GRADE:
            return ""
        return _folded(document.text if place is None else document.text[place[0] : place[1]])

    @cached_property
    def _all_text(self) -> str:
        return "\n".join(_folded(document.text) for document in self._corpus.documents.values())


def _demanded(case: Case) -> Iterator[tuple[str, str]]:
    """Yield every text that an answer is searched for, with its place."""
    expected = case.expected
    if expected.injection is not None:
        yield "injection", expected.injection
    for number, claim in enumerate(expected.forbidden_claims):
        yield f"forbidden_claims.{number}", claim
    if expected.uncertainty is not None:
        given = enumerate(expected.uncertainty.any_of)
        yield from ((f"uncertainty.any_of.{place}", text) for place, text in given)
    for number, fact in enumerate(expected.required_facts):
        yield from ((f"required_facts.{number}.any_of.{place}", text) for place, text in enumerate(fact.any_of))


def _places(text: str, quote: str) -> list[int]:
    """Return where a quote stands, overlapping places too."""
    found, place = [], text.find(quote)
    while place >= 0:
        found.append(place)
        place = text.find(quote, place + 1)
    return found


def _short(text: str) -> str:
    shown = repr(text)
    return shown if len(shown) <= 80 else f"{shown[:77]}..."  # noqa: PLR2004 - what fits beside the rest of a line
