"""BEIR folders: `corpus.jsonl`, `queries.jsonl` and `qrels/*.tsv`, one file a split."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import ConfigDict, Field

from ragtriage.core.declare import trace_source
from ragtriage.core.errors import BadInput, Fault
from ragtriage.core.files import read_blocks, read_records
from ragtriage.core.records import Case, Document, Evidence, Identifier, Record
from ragtriage.data.datasets import DataSet, refuse
from ragtriage.data.rank_rows import JudgementRows
from ragtriage.data.rankings import Judgements, Vocabulary

__all__ = ["beir", "graded", "read_judgements", "title_and_text"]

_FIELDS = 3


class _Foreign(Record):
    model_config = ConfigDict(extra="ignore")

    id: Identifier = Field(alias="_id")
    text: str


class _Document(_Foreign):
    title: str | None = None


@trace_source(title="BEIR folder")
def beir(path: Path) -> DataSet:
    """Read a BEIR folder; each judged query is a case, its split the name of the file that judges it.

    A document's text is its title and its text. Raises BadInput with every fault of a file; a query that two splits
    judge, or that has judgements and no text, is a fault.
    """
    rows = read_records(path / "corpus.jsonl", _Document, key="_id")
    documents = [
        Document(doc_id=row.id, title=row.title or "", text=title_and_text(row.title, row.text)) for row in rows
    ]
    queries = {row.id: row.text for row in read_records(path / "queries.jsonl", _Foreign, key="_id")}
    files = sorted((path / "qrels").glob("*.tsv"))
    if not files:
        raise BadInput(f"{path / 'qrels'}: holds no .tsv file of judgements")
    cases: dict[str, Case] = {}
    faults: list[Fault] = []
    for file in files:
        for question, grades in graded(read_judgements(file, documents=Vocabulary())).items():
            if question not in queries:
                faults.append(Fault(str(file), 0, f"query {question!r} has judgements and no text in queries.jsonl"))
            elif question in cases:
                faults.append(Fault(str(file), 0, f"query {question!r} is judged in {cases[question].split!r} as well"))
            else:
                evidence = tuple(Evidence(doc_id=doc_id, grade=max(0, grade)) for doc_id, grade in grades.items())
                cases[question] = Case(case_id=question, question=queries[question], split=file.stem, evidence=evidence)
    if faults:
        refuse(path, faults)
    return DataSet(documents, list(cases.values()))


def read_judgements(path: Path, *, documents: Vocabulary, grade_map: Mapping[str, int] | None = None) -> Judgements:
    """Read BEIR judgements: a heading, then query, document and grade separated by tabs; raises BadInput."""
    rows = JudgementRows(path, documents, grade_map=grade_map)
    for first, block in read_blocks(path):
        whole = []
        for number, line in enumerate(block.split(b"\n"), start=first):
            fields = [field.strip() for field in line.split(b"\t")]
            if fields == [b""]:
                continue
            if len(fields) != _FIELDS or not all(fields):
                rows.fault(number, "a line must have 3 fields, separated by tabs: query-id corpus-id score")
            elif number == 1:
                if fields[2].lstrip(b"-").isdigit():
                    rows.fault(number, "the first line must be the heading 'query-id corpus-id score'")
            else:
                whole.append((number, *fields))
        if whole:
            numbers, questions, found, grades = zip(*whole, strict=True)
            rows.add(questions, found, grades, numbers)
    return rows.finish()


def graded(judgements: Judgements) -> dict[str, dict[str, int]]:
    """Return judgements as plain grades by question and document id, which needs a vocabulary of its own."""
    questions = [name.decode() for name in judgements.questions]
    names = [name.decode() for name in judgements.documents]
    found: dict[str, dict[str, int]] = {question: {} for question in questions}
    columns = (judgements.question, judgements.document, judgements.grade)
    for question, document, grade in zip(*(column.tolist() for column in columns), strict=True):
        found[questions[question]][names[document]] = grade
    return found


def title_and_text(title: str | None, text: str) -> str:
    r"""Put the title before the text, unless the text begins with it.

    >>> title_and_text("On wings", "A wing lifts."), title_and_text("On wings", "On wings. A wing lifts.")
    ('On wings\nA wing lifts.', 'On wings. A wing lifts.')
    """
    return text if not title or text.startswith(title) else f"{title}\n{text}" if text else title
