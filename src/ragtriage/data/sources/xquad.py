"""XQuAD: the same paragraphs and questions in several languages, with answer spans."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict, Field

from ragtriage.core.declare import trace_source
from ragtriage.core.errors import BadInput, Fault, did_you_mean
from ragtriage.core.files import read_lines, read_records
from ragtriage.core.records import Case, Document, Evidence, Expected, Identifier, Record, Whole
from ragtriage.data.datasets import DataSet, refuse

__all__ = ["xquad"]


class _Foreign(Record):
    model_config = ConfigDict(extra="ignore")


class _Paragraph(_Foreign):
    id: Identifier = Field(alias="_id")
    title: str = ""
    text: str


class _Answer(_Foreign):
    answer_start: Whole
    text: Annotated[str, Field(min_length=1)]


class _Question(_Foreign):
    id: Identifier
    paragraph_id: Identifier
    question: str
    answers: Annotated[tuple[_Answer, ...], Field(min_length=1)]


@trace_source(title="XQuAD folder; xquad:ru, or xquad:ru>en for Russian questions on English paragraphs")
def xquad(path: Path, *, option: str | None = None) -> DataSet:
    """Read `<language>.paragraphs.jsonl` and `<language>.questions.jsonl`.

    `option`: the language of questions and paragraphs (`ru`), or one for each (`ru>en`). Gold spans and the reference
    answer are those of the paragraph's language; the answer in the question's language is an alternative. Raises
    BadInput with every fault; an answer that does not stand where it is said to stand is one.
    """
    asked, _, answered = (part.strip() for part in (option or "").partition(">"))
    answered = answered or asked
    known = sorted(file.name.partition(".")[0] for file in path.glob("*.paragraphs.jsonl"))
    for language in (asked, answered):
        if language not in known:
            rule = f"the source 'xquad' needs a language, as in 'xquad:{known[0] if known else 'ru'}'"
            got = f"Got {language!r}" if language else "Got none"
            there = ", ".join(known) or "none"
            raise BadInput(f"{path}: {rule}. {got}; here are: {there}.{did_you_mean(language, known)}")
    paragraphs = {row.id: row for row in read_records(path / f"{answered}.paragraphs.jsonl", _Paragraph, key="_id")}
    gold_file = path / f"{answered}.questions.jsonl"
    gold = read_records(gold_file, _Question, key="id")
    faults = [
        Fault(str(gold_file), line, problem)
        for (line, _), row in zip(read_lines(gold_file), gold, strict=True)
        for problem in _problems(row, paragraphs)
    ]
    asked_rows = gold if asked == answered else read_records(path / f"{asked}.questions.jsonl", _Question, key="id")
    wording = {row.id: row for row in asked_rows}
    faults += [
        Fault(str(gold_file), 0, f"question {row.id!r} is not in {asked}.questions.jsonl")
        for row in gold
        if row.id not in wording
    ]
    if faults:
        refuse(path, faults)
    documents = [
        Document(doc_id=row.id, title=row.title, text=row.text, language=answered) for row in paragraphs.values()
    ]
    return DataSet(documents, [_case(row, wording[row.id], asked) for row in gold])


def _problems(row: _Question, paragraphs: dict[str, _Paragraph]) -> list[str]:
    if row.paragraph_id not in paragraphs:
        return [f"question {row.id!r}: there is no paragraph {row.paragraph_id!r}"]
    text = paragraphs[row.paragraph_id].text
    return [
        f"question {row.id!r}: the answer {answer.text!r} does not stand at {answer.answer_start}"
        for answer in row.answers
        if text[answer.answer_start : answer.answer_start + len(answer.text)] != answer.text
    ]


def _case(gold: _Question, wording: _Question, language: str) -> Case:
    """Make a case; all answers of a question are alternatives of one group."""
    answers = list(dict.fromkeys(answer.text for answer in (*gold.answers, *wording.answers)))
    evidence = tuple(
        Evidence(
            doc_id=gold.paragraph_id,
            start=answer.answer_start,
            end=answer.answer_start + len(answer.text),
            quote=answer.text,
            group="answer",
        )
        for answer in gold.answers
    )
    return Case(
        case_id=gold.id,
        question=wording.question,
        language=language,
        evidence=evidence,
        expected=Expected(answer=answers[0], alternatives=tuple(answers[1:])),
    )
