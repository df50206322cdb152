"""Cranfield: questions about aerodynamics, abstracts, and judgements on an inverted scale."""

from __future__ import annotations

from pathlib import Path

from pydantic import ConfigDict, Field

from ragtriage.core.declare import trace_source
from ragtriage.core.errors import Fault
from ragtriage.core.files import read_records
from ragtriage.core.records import Case, Document, Evidence, Identifier, Record
from ragtriage.data.datasets import DataSet, refuse
from ragtriage.data.rankings import Vocabulary
from ragtriage.data.sources.beir import graded, title_and_text
from ragtriage.data.sources.trec import read_judgements

__all__ = ["cranfield"]

# In the file 1 is a complete answer, 4 of minimum interest, 5 and -1 of no interest.
GRADES = {"1": 4, "2": 3, "3": 2, "4": 1, "5": 0, "-1": 0}


class _Foreign(Record):
    model_config = ConfigDict(extra="ignore")

    id: Identifier = Field(alias="_id")
    text: str
    title: str = ""


@trace_source(title="Cranfield folder")
def cranfield(path: Path) -> DataSet:
    """Read `corpus.jsonl`, `queries.jsonl` and `qrels.trec`; grades are turned so that 4 is a complete answer.

    Raises BadInput with every fault of a file; a grade outside the scale and a question without text are faults.
    """
    documents = [
        Document(doc_id=row.id, title=row.title, text=title_and_text(row.title, row.text), language="en")
        for row in read_records(path / "corpus.jsonl", _Foreign, key="_id")
    ]
    questions = {row.id: row.text for row in read_records(path / "queries.jsonl", _Foreign, key="_id")}
    file = path / "qrels.trec"
    judged = graded(read_judgements(file, documents=Vocabulary()))
    faults = [
        Fault(
            str(file), 0, f"document {doc_id!r} of question {question!r} has grade {grade}, which is not on the scale"
        )
        for question, grades in judged.items()
        for doc_id, grade in grades.items()
        if str(grade) not in GRADES
    ]
    faults += [
        Fault(str(file), 0, f"question {question!r} has judgements and no text in queries.jsonl")
        for question in judged
        if question not in questions
    ]
    if faults:
        refuse(path, faults)
    cases = [
        Case(
            case_id=question,
            question=questions[question],
            language="en",
            evidence=tuple(Evidence(doc_id=doc_id, grade=GRADES[str(grade)]) for doc_id, grade in grades.items()),
        )
        for question, grades in judged.items()
    ]
    return DataSet(documents, cases)
