"""Filtered search behind an exact mask against qdrant-client's embedded mode, on the same vectors, filter and queries.

    OMP_NUM_THREADS=1 nice -n 15 .venv/bin/python benchmarks/filter_stage.py --items 5000,20000

Random unit vectors of 384 numbers; one payload field, of which one value in ten passes; one query at a time on one
thread, and without a filter all queries at once, ten times over. Results are checked to be equal first. CPU time,
because wall time counts what else the machine does; the ways take turns, and the median of the rounds counts.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from qdrant_client import models

from ragtriage.models.qdrant_index import QdrantIndex
from ragtriage.stats.nearest import exact_neighbours, filtered_neighbours, prepared

DIMENSIONS, TENANTS, K, BATCHES = 384, 10, 10, 10


def cpu_ms(work: Callable[[], object]) -> float:
    """Return the CPU time of a call in milliseconds."""
    started = time.process_time()
    work()
    return 1000 * (time.process_time() - started)


def measure(items: int, queries: int, rounds: int) -> None:
    """Measure one size and write a line."""
    random = np.random.default_rng(0)
    vectors = prepared(random.normal(size=(items, DIMENSIONS)), distance="cosine")
    asked = prepared(random.normal(size=(queries, DIMENSIONS)), distance="cosine")
    tenants = np.arange(items) % TENANTS
    index = QdrantIndex.filled(vectors, payloads=[{"tenant": int(tenant)} for tenant in tenants])
    chosen = models.Filter(must=[models.FieldCondition(key="tenant", match=models.MatchValue(value=3))])

    def masked() -> list[Any]:
        return [exact_neighbours(vectors, row[None], k=K, allowed=tenants == 3).places[0] for row in asked]  # noqa: PLR2004 - one tenant

    def grouped() -> Any:
        mask = (tenants == 3)[None]  # noqa: PLR2004 - one tenant
        return filtered_neighbours(vectors, asked, k=K, masks=mask, mask_of=[0] * queries).places

    def unfiltered() -> Any:
        return exact_neighbours(vectors, np.tile(asked, (BATCHES, 1)), k=K).places

    def embedded_unfiltered() -> Any:
        return index.search(asked, k=K).places

    def embedded() -> Any:
        return index.search_where(asked, k=K, query_filter=chosen).places

    same = np.array_equal(np.stack(masked()), embedded()) and np.array_equal(grouped(), embedded())
    same = same and np.array_equal(unfiltered()[:queries], embedded_unfiltered())
    works = (masked, grouped, embedded, unfiltered, embedded_unfiltered)
    times: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for taken, work in zip(times, works, strict=True):
            taken.append(cpu_ms(work) / queries)
    ours, together, theirs, all_ours, all_theirs = map(statistics.median, times)
    all_ours /= BATCHES
    sys.stdout.write(
        f"{items:>7,} items: mask {ours:.3f} ms, in groups {together:.3f} ms, Qdrant embedded {theirs:.1f} ms a query: "
        f"{theirs / ours:,.0f} x and {theirs / together:,.0f} x; "
        f"without a filter {all_ours:.3f} and {all_theirs:.1f} ms: {all_theirs / all_ours:,.0f} x; same ids: {same}\n"
    )


def main() -> None:
    """Measure every size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", default="5000,20000")
    parser.add_argument("--queries", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    for items in map(int, asked.items.split(",")):
        measure(items, asked.queries, asked.rounds)


if __name__ == "__main__":
    main()
