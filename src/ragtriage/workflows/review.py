"""Verdicts that a person should look at, written where their labels flow back into calibration: `review.jsonl`.

Listed are verdicts near the border of their labels, those on which two judges disagree, those of a rubric whose first
reply was no verdict, and those of cases of high and critical risk. They are no sample of the verdicts: a judge does
worse on them than in all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragtriage.core.files import read_records, write_records
from ragtriage.core.identity import hash_json
from ragtriage.core.records import Case, Trace
from ragtriage.core.verdicts import ClaimVerdict, Verdicts
from ragtriage.judges.catalogue import RUBRICS
from ragtriage.judges.single import SUPPORT, SingleItem
from ragtriage.report.model import Report
from ragtriage.workflows.labels import LabelledItem

__all__ = ["REVIEW", "keep_labelled", "review_items", "write_review"]

REVIEW = "review.jsonl"
_RISKY = frozenset({"high", "critical"})
_NEAR = 0.1  # of the scale, to either side of its middle
_UNSURE = 0.5  # a grade and the mean of its probabilities lie at least so far apart
_CODE = "lexical"
_BY_CODE = frozenset({SUPPORT, "abstention"})  # the code-only judge can be measured by these rubrics alone
_DISPUTED, _RETRIED = "two judges disagree", "the judge's first reply was no verdict"


@dataclass(frozen=True, slots=True)
class _Said:
    """One verdict: its rubric and label, what the judge saw, and what about it is doubtful by itself.

    `risky`: whether it is to be read in every case of high risk.
    """

    key: str
    rubric: str
    label: str
    seen: SingleItem
    doubts: tuple[str, ...] = ()
    score: float | None = None
    quotes: tuple[str, ...] = ()
    risky: bool = True


def review_items(report: Report) -> list[LabelledItem]:
    """Return the items that a person should label: first what judges disagree on, else in golden order."""
    criteria = None if report.settings is None else report.settings.judge.criteria
    found: list[LabelledItem] = []
    for result in report.results.cases:
        case, trace = report.cases.get(result.case_id), report.traces.get(result.case_id)
        verdicts = report.verdicts.get(result.case_id)
        if case is None or trace is None or verdicts is None:
            continue
        for said in _said(case, trace, verdicts, criteria):
            if verdicts.judge == _CODE and said.rubric not in _BY_CODE:
                continue
            why = [*said.doubts]
            if said.rubric in verdicts.retried:
                why.append(_RETRIED)
            if said.risky and case.risk in _RISKY:
                why.append(f"the case is of {case.risk} risk")
            if why:
                found.append(_item(case, verdicts.judge, said, why))
    unique = {item.id: item for item in found}
    return sorted(unique.values(), key=lambda item: _DISPUTED not in item.why)


def _item(case: Case, judge: str, said: _Said, why: Sequence[str]) -> LabelledItem:
    seen, claims = said.seen, said.rubric == SUPPORT
    shown = [said.rubric, dict(seen.inputs), list(seen.sources), seen.item]
    return LabelledItem(
        id=f"{case.case_id}/{said.key}/{hash_json(shown)[:12]}",
        label="",
        claim=seen.item if claims else None,
        context="\n\n".join(seen.sources) if claims else None,
        inputs=dict(seen.inputs),
        sources=() if claims else seen.sources,
        item=None if claims else seen.item,
        language=case.language,
        slice={"kind": case.kind, **({} if case.risk is None else {"risk": case.risk})},
        rubric=said.rubric,
        options=RUBRICS[said.rubric].file.labels,
        case_id=case.case_id,
        question=case.question,
        judge=judge,
        judge_label=said.label,
        judge_score=said.score,
        why=tuple(why),
        quotes=said.quotes,
    )


def _said(case: Case, trace: Trace, verdicts: Verdicts, criteria: str | None) -> Iterator[_Said]:
    """Yield every verdict that people can label as the judge was asked for it."""
    answer = "" if trace.answer is None else trace.answer.text
    for claim in verdicts.claims or ():
        yield from _claim(case, trace, claim, disputed=claim.claim_id in verdicts.disputed)
    if verdicts.behaviour is not None:
        asked = SingleItem({"question": case.question, "text": answer})
        yield _Said("behaviour", "abstention", verdicts.behaviour.behaviour, asked)
    if answer.strip():
        for number, nugget in enumerate(verdicts.nuggets or (), 1):
            asked = SingleItem({"question": case.question}, (answer,), nugget.text)
            between = ("the label lies between the others",) if nugget.label == "partial_support" else ()
            yield _Said(f"n{number}", "nugget_assignment", nugget.label, asked, between)
    texts = {item.id: item.text for item in trace.context or ()}
    for one in verdicts.relevance or ():
        if one.id in texts:
            asked = SingleItem({"question": case.question}, (), texts[one.id])
            yield _Said(f"relevance {one.id}", "context_relevance", str(one.grade), asked)
    grade = verdicts.rubric_grade
    if grade is not None and criteria is not None:
        asked = SingleItem({"question": case.question, "criteria": criteria, "text": answer})
        value = grade.grade if grade.expected is None else grade.expected
        doubts = _near(value, grade.low, grade.high)
        if grade.expected is not None and abs(grade.expected - grade.grade) >= _UNSURE:
            doubts += (f"the probabilities speak for {grade.expected:.2f}",)
        yield _Said("grade", "rubric_score", str(grade.grade), asked, doubts, grade.expected)


def _claim(case: Case, trace: Trace, claim: ClaimVerdict, *, disputed: bool) -> Iterator[_Said]:
    """Yield what was said of one claim: against the context, and against the reference or the answer."""
    context = tuple(item.text for item in trace.context or () if item.text.strip())
    mine = claim.of == "answer"
    if claim.context is not None and context:
        doubts = () if claim.score is None else _near(claim.score, 0, 1)
        doubts = ((_DISPUTED,) if disputed else ()) + doubts
        quotes = tuple(_quotes(trace, claim))
        seen = SingleItem({}, context, claim.text)
        yield _Said(claim.claim_id, SUPPORT, claim.context, seen, doubts, claim.score, quotes, risky=mine)
    held = claim.reference if mine else claim.answer
    answer = "" if trace.answer is None else trace.answer.text
    expected = case.expected
    sources = (expected.answer, *expected.alternatives) if mine else (answer,)
    shown = tuple(text for text in sources if text and text.strip())
    if held is not None and shown:
        seen = SingleItem({"question": case.question}, shown, claim.text)
        yield _Said(claim.claim_id, "claim_correctness", held, seen)


def _near(value: float, low: float, high: float) -> tuple[str, ...]:
    middle = (low + high) / 2
    return (f"{value:.2f} lies near the middle",) if abs(value - middle) <= _NEAR * (high - low) else ()


def _quotes(trace: Trace, claim: ClaimVerdict) -> Iterator[str]:
    texts = {item.id: item.text for item in reversed(trace.context or ())}
    for span in claim.spans:
        if quote := texts.get(span.id, "")[span.start : span.end]:
            yield f"{span.id}: {quote}"


def write_review(report: Report, path: Path) -> None:
    """Write the list, no file where it is empty; labels that people already gave there are kept.

    A labelled item stays in the file though it is no longer listed: its label is true all the same. Raises BadInput for
    a file there that cannot be read, StorageFailed.
    """
    labelled = {item.id: item for item in _labelled(path)}
    items = []
    for item in review_items(report):
        known = labelled.pop(item.id, None)
        given = {} if known is None else {"label": known.label, "labels": known.labels}
        items.append(item.model_copy(update=given))
    _write(path, [*items, *labelled.values()])


def keep_labelled(path: Path) -> None:
    """Leave in the list of an older run only what people labelled; no file where that is nothing."""
    _write(path, _labelled(path))


def _labelled(path: Path) -> list[LabelledItem]:
    return [item for item in read_records(path, LabelledItem) if any(item.said())] if path.exists() else []


def _write(path: Path, items: list[LabelledItem]) -> None:
    if items:
        write_records(path, items)
    else:
        path.unlink(missing_ok=True)
