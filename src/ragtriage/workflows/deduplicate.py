"""Find what stands twice in a golden set and its corpus, and measure a detector of duplicates against labels."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ragtriage.core.catalogue import METRICS
from ragtriage.core.duplicate_views import DuplicatesView
from ragtriage.core.errors import BadInput
from ragtriage.core.files import parse_json, read_lines, read_records
from ragtriage.core.records import Case, Document
from ragtriage.core.score import Score, Value
from ragtriage.data.corpus import Corpus, read_corpus
from ragtriage.data.duplicates import Repeat, read_judged, repeated_documents, repeated_questions, view_of_duplicates
from ragtriage.data.golden import CASES
from ragtriage.workflows.golden import corpus_beside

__all__ = ["Deduplication", "as_json", "as_lines", "find_duplicates", "summary"]

_METRICS = (
    "ingest.duplicate_precision",
    "ingest.duplicate_recall",
    "ingest.false_merge_rate",
    "ingest.missed_merge_rate",
)


@dataclass(frozen=True, slots=True)
class Deduplication:
    """What stands twice. `corpus_path` None: there is no corpus. `scores`: of the detector, where labels were given."""

    path: Path
    corpus_path: Path | None
    cases: tuple[Case, ...]
    corpus_size: int
    questions: tuple[Repeat, ...]
    documents: tuple[Repeat, ...]
    scores: Mapping[str, Score] = field(default_factory=dict)

    @property
    def leaks(self) -> tuple[Repeat, ...]:
        """Questions of one split that come again in another."""
        return tuple(repeat for repeat in self.questions if repeat.leak)


def find_duplicates(
    path: Path,
    *,
    corpus_path: Path | None = None,
    threshold: float,
    question_threshold: float,
    labels: Path | None = None,
    detected: Path | None = None,
) -> Deduplication:
    """Compare all questions of a golden set, and all documents of its corpus, whatever their seals say.

    The corpus is looked for in `corpus_path`, else in the folder `corpus` beside the golden set; without one, questions
    alone are compared. `labels`: pairs of documents that a person judged; `detected`: those that a detector of one's
    own found, else what is found here is measured. Raises BadInput with every fault of a file.
    """
    cases = read_records(path / CASES, Case, key="case_id")
    where = corpus_path if corpus_path is not None else corpus_beside(path)
    corpus = read_corpus(where, seals=False) if corpus_path is not None or where.is_dir() else None
    documents = corpus.documents if corpus is not None else {}
    return Deduplication(
        path=path,
        corpus_path=where if corpus is not None else None,
        cases=tuple(cases),
        corpus_size=len(documents),
        questions=tuple(repeated_questions(cases, threshold=question_threshold)),
        documents=tuple(repeated_documents(documents, threshold=threshold)),
        scores=_scores(corpus, labels, detected, threshold=threshold),
    )


def as_lines(found: Deduplication) -> list[str]:
    """Return each repeat that is not expected as one line that names its place."""
    file = found.path / CASES
    lines = _lines_of(file)
    splits = {case.case_id: case.split for case in found.cases}
    told: list[str] = []
    for repeat in found.questions:
        if not repeat.expected:
            where = f" of split {splits[repeat.first]!r}" if repeat.leak else ""
            what = f"leak: split {splits[repeat.second]!r} asks again what" if repeat.leak else "nearly asks what"
            said = f"case {repeat.second!r}: {what} {repeat.first!r}{where} asks ({repeat.similarity:.2f})"
            told.append(f"{file}:{lines.get(repeat.second, 0)}: {said}")
    told += [
        f"{found.corpus_path}: document {repeat.second!r} nearly repeats {repeat.first!r} ({repeat.similarity:.2f})"
        for repeat in found.documents
        if not repeat.expected
    ]
    return told + [f"{name}: {_told(score)}" for name, score in found.scores.items()]


def summary(found: Deduplication) -> str:
    """Say in one line what was compared and how much came of it."""
    questions = sum(not repeat.expected and not repeat.leak for repeat in found.questions)
    documents = sum(not repeat.expected for repeat in found.documents)
    meant = sum(bool(repeat.expected) for repeat in (*found.questions, *found.documents))
    corpus = f"{found.corpus_size} documents" if found.corpus_path is not None else "no corpus"
    return (
        f"{len(found.cases)} questions, {corpus}: {len(found.leaks)} leaks between splits, {questions} repeated"
        f" questions, {documents} repeated documents; {meant} pairs are meant to be alike"
    )


def as_json(found: Deduplication) -> str:
    """Return everything as one JSON object, pairs that are meant to be alike among it."""
    content: dict[str, Any] = {
        "golden": str(found.path),
        "corpus": str(found.corpus_path) if found.corpus_path is not None else None,
        "cases": len(found.cases),
        "corpus_documents": found.corpus_size,
        "leaks": len(found.leaks),
        "questions": [asdict(repeat) for repeat in found.questions],
        "documents": [asdict(repeat) for repeat in found.documents],
        "metrics": {name: _plain(score) for name, score in found.scores.items()},
    }
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def _scores(corpus: Corpus | None, labels: Path | None, detected: Path | None, *, threshold: float) -> dict[str, Score]:
    if labels is None:
        if detected is not None:
            raise BadInput("'--detected' needs '--labels': the pairs that a person judged")
        return {}
    if corpus is None:
        raise BadInput("'--labels' names documents, and there is no corpus: give it as '--corpus DIR'")
    view = _view(corpus.documents, labels, detected, threshold=threshold)
    return {name: METRICS[name](view) for name in _METRICS}


def _view(
    documents: Mapping[str, Document], labels: Path, detected: Path | None, *, threshold: float
) -> DuplicatesView:
    judged, found = read_judged(labels, detected, documents)
    return view_of_duplicates(documents, judged, detected=found, threshold=threshold)


def _lines_of(file: Path) -> dict[str, int]:
    values = ((line, parse_json(text)) for line, text in read_lines(file))
    return {str(value.get("case_id")): line for line, value in values}


def _told(score: Score) -> str:
    return f"{score.value:.4f} of {score.support}" if isinstance(score, Value) else f"undefined: {score.reason}"


def _plain(score: Score) -> dict[str, float | int | str]:
    return asdict(score)
