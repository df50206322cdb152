"""Recall, build time and speed of HNSW and IVF over their parameters, against exact search.

    nice -n 15 .venv/bin/python benchmarks/ann_study.py clustered --items 20000 --out study
    nice -n 15 .venv/bin/python benchmarks/ann_study.py lsa --scifact ../shared/data/scifact --out study

`clustered`: random unit vectors of 384 numbers around 500 centres, easy for every index. `uniform`: without centres,
the hardest case. `lsa`: latent semantic analysis (128 numbers) of titles and sentences of SciFact's abstracts, asked
with its claims: real text, but not the vectors of a neural model. A file such as `mine.npy`: your own vectors; the last
`--queries` of them are asked and not indexed. Writes PREFIX.md and PREFIX.svg.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from pathlib import Path
from typing import Any

import numpy as np

from ragtriage.core.files import write_atomic
from ragtriage.workflows.index_recall import Truth
from ragtriage.workflows.index_study import StudyGrid, StudyRow, curve, study, table
from reference_rag.dense import LatentSemantics

CENTRES, DIMENSIONS = 500, 384


def made(kind: str, items: int, queries: int) -> tuple[Any, Any]:
    """Return random vectors and queries, the same every time."""
    random = np.random.default_rng(0)
    rows = random.normal(size=(items + queries, DIMENSIONS)).astype(np.float32)
    if kind == "clustered":
        centres = random.normal(size=(CENTRES, DIMENSIONS)).astype(np.float32)
        rows += centres[random.integers(0, CENTRES, items + queries)]
    return rows[:items], rows[items:]


def sentences(folder: Path, queries: int) -> tuple[Any, Any]:
    """Return the vectors of SciFact's titles and sentences, and of the first of its claims."""
    abstracts = [json.loads(line) for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    texts = dict.fromkeys(text for row in abstracts for text in (row["title"], *row["sentences"]))
    claims = [json.loads(line)["claim"] for line in (folder / "claims.jsonl").read_text(encoding="utf-8").splitlines()]
    model = LatentSemantics(seed=0)
    vectors = model.passages(list(texts))
    return vectors, np.stack([model.query(claim) for claim in claims[:queries]])


def given(asked: argparse.Namespace) -> tuple[Any, Any]:
    """Return the vectors and the queries that were asked for."""
    if asked.data in {"clustered", "uniform"}:
        return made(asked.data, asked.items, asked.queries)
    if asked.data == "lsa":
        return sentences(asked.scifact, asked.queries)
    rows = np.load(asked.data, allow_pickle=False)
    return rows[: -asked.queries], rows[-asked.queries :]


def told(row: StudyRow) -> None:
    """Show a row as soon as it is there."""
    sys.stdout.write(table([row]).splitlines()[-1] + "\n")
    sys.stdout.flush()


def numbers(text: str) -> tuple[int, ...]:
    """Read `8,16,32`."""
    return tuple(int(part) for part in text.split(","))


def main() -> None:
    """Run the study and write its table and its curve."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--items", type=int, default=20_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--scifact", type=Path, default=Path("../shared/data/scifact"))
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--out", type=Path, default=Path("ann_study"))
    parser.add_argument("--m", type=numbers, default=StudyGrid().m)
    parser.add_argument("--ef-construction", type=numbers, default=StudyGrid().ef_construction)
    asked = parser.parse_args()
    vectors, queries = given(asked)
    truth = Truth.of(vectors, queries, depth=asked.k)
    where = f"{asked.data}: {len(vectors):,} vectors of {vectors.shape[1]} numbers, {len(queries)} queries"
    sys.stdout.write(f"{where}, {platform.machine()}, one thread\n")
    grid = StudyGrid(m=asked.m, ef_construction=asked.ef_construction)
    rows = study(truth, k=asked.k, grid=grid, told=told)
    write_atomic(asked.out.with_suffix(".md"), f"{where}, one thread.\n\n{table(rows)}")
    write_atomic(asked.out.with_suffix(".svg"), curve(rows, title=f"Recall against latency ({where})"))


if __name__ == "__main__":
    main()
