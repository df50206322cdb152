"""SciFact: scientific claims as questions, abstracts as documents, evidence sentences as spans."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import ConfigDict, Field

from ragtriage.core.declare import trace_source
from ragtriage.core.errors import Fault
from ragtriage.core.files import read_lines, read_records
from ragtriage.core.records import Case, Document, Evidence, Identifier, Record, Whole
from ragtriage.data.datasets import DataSet, refuse

__all__ = ["scifact"]

Span = tuple[int, int]


class _Abstract(Record):
    model_config = ConfigDict(extra="ignore")

    id: Identifier = Field(alias="_id")
    title: str
    sentences: tuple[str, ...]


class _Rationale(Record):
    label: str
    sentences: tuple[Whole, ...]


class _Claim(Record):
    model_config = ConfigDict(extra="ignore")

    id: Identifier
    claim: str
    cited_doc_ids: tuple[Identifier, ...]
    evidence: Mapping[Identifier, tuple[_Rationale, ...]] = Field(default_factory=dict)


@trace_source(title="SciFact folder")
def scifact(path: Path) -> DataSet:
    """Read `corpus.jsonl` and `claims.jsonl`; the verdict of a claim stands in its case's `metadata.label`.

    A document's text is its title and its sentences. Every cited document is relevant, as in the published qrels: by
    its evidence sentences where it has any, else (not enough information) as a whole. A document may have several
    rationales, of which one suffices, each of sentences that are needed together. Raises BadInput with every fault.
    """
    rows = {row.id: row for row in read_records(path / "corpus.jsonl", _Abstract, key="_id")}
    laid_out = {doc_id: _lay_out(row) for doc_id, row in rows.items()}
    documents = [
        Document(doc_id=doc_id, title=row.title, text=laid_out[doc_id][0], language="en")
        for doc_id, row in rows.items()
    ]
    file = path / "claims.jsonl"
    claims = read_records(file, _Claim, key="id")
    faults: list[Fault] = []
    cases = []
    for (line, _), claim in zip(read_lines(file), claims, strict=True):
        problems = _problems(claim, rows)
        faults.extend(Fault(str(file), line, problem) for problem in problems)
        if not problems:
            cases.append(_case(claim, laid_out))
    if faults:
        refuse(path, faults)
    return DataSet(documents, cases)


def _lay_out(row: _Abstract) -> tuple[str, list[Span]]:
    """Join title and sentences; return the text and where each sentence stands in it."""
    text, spans = row.title, []
    for place, sentence in enumerate(row.sentences):
        text += " " if place else "\n"
        spans.append((len(text), len(text) + len(sentence)))
        text += sentence
    return text, spans


def _problems(claim: _Claim, rows: Mapping[str, _Abstract]) -> list[str]:
    found = []
    for doc_id in dict.fromkeys([*claim.cited_doc_ids, *claim.evidence]):
        if doc_id not in rows:
            found.append(f"claim {claim.id!r} cites {doc_id!r}, which is not in corpus.jsonl")
            continue
        sentences = rows[doc_id].sentences
        cited = sorted({n for rationale in claim.evidence.get(doc_id, ()) for n in rationale.sentences})
        missing = [number for number in cited if number >= len(sentences) or not sentences[number]]
        found.extend(f"claim {claim.id!r}: {doc_id!r} has no sentence {number}" for number in missing)
    return found


def _case(claim: _Claim, laid_out: Mapping[str, tuple[str, list[Span]]]) -> Case:
    evidence: list[Evidence] = []
    for doc_id in dict.fromkeys([*claim.cited_doc_ids, *claim.evidence]):
        text, spans = laid_out[doc_id]
        groups = _groups([rationale.sentences for rationale in claim.evidence.get(doc_id, ()) if rationale.sentences])
        if not groups:
            evidence.append(Evidence(doc_id=doc_id))
        for number, sentences in enumerate(groups, start=1):
            for sentence in sentences:
                start, end = spans[sentence]
                group = f"{doc_id}/{number}"
                evidence.append(Evidence(doc_id=doc_id, start=start, end=end, quote=text[start:end], group=group))
    labels = sorted({rationale.label for found in claim.evidence.values() for rationale in found})
    return Case(
        case_id=claim.id,
        question=claim.claim,
        language="en",
        evidence=tuple(evidence),
        metadata={"label": "+".join(labels) or "NOT_ENOUGH_INFO"},
    )


def _groups(rationales: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Return groups of sentences such that one of each group is found exactly when some rationale is found whole.

    >>> _groups([[4], [7, 8]])
    [(4, 7), (4, 8)]
    """
    if not rationales:
        return []
    chosen = {tuple(sorted(set(choice))) for choice in itertools.product(*rationales)}
    return sorted(group for group in chosen if not any(set(other) < set(group) for other in chosen))
