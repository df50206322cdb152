"""Recall and times of indexes, with a clock that moves as it is told, and the study's table and curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtriage.core.clock import FixedClock
from ragtriage.models.faiss_index import FaissIndex, FaissSettings
from ragtriage.models.index_ports import CallableIndex, ExactIndex
from ragtriage.models.qdrant_index import QdrantIndex
from ragtriage.stats.nearest import Neighbours
from ragtriage.workflows.averages import Average
from ragtriage.workflows.index_recall import IndexScore, Truth, measure_index
from ragtriage.workflows.index_study import StudyGrid, StudyRow, curve, study, table


def made(items: int, queries: int, *, seed: int = 0) -> Any:
    random = np.random.default_rng(seed)
    return random.normal(size=(items, 12)), random.normal(size=(queries, 12))


def test_exact_indexes_reach_full_recall() -> None:
    truth = Truth.of(*made(400, 20), depth=10)
    for index in (
        ExactIndex(truth.vectors),
        FaissIndex(truth.vectors, FaissSettings("flat")),
        QdrantIndex.filled(truth.vectors),
    ):
        found = measure_index(index, truth, k=10)
        assert (found.recall.value, found.recall.scored, found.items) == (1.0, 20, 400)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 999), k=st.integers(1, 5))
def test_recall_is_the_mean_share_of_ids_found(seed: int, k: int) -> None:
    truth = Truth.of(*made(30, 6, seed=seed), depth=5)
    random = np.random.default_rng(seed)
    guesses = np.array([random.permutation(30)[:5] for _ in range(6)])
    rows = iter(guesses)
    index = CallableIndex(lambda *_: [next(rows)], size=30, identity="guess")
    shares = [len({*a[:k]} & {*b[:k]}) / k for a, b in zip(guesses, truth.neighbours.places.tolist(), strict=True)]
    assert measure_index(index, truth, k=k).recall.value == pytest.approx(np.mean(shares))


def test_behind_a_filter_only_what_passes_counts() -> None:
    vectors, queries = made(50, 8)
    allowed = np.arange(50) < 6
    truth = Truth.of(vectors, queries, depth=4, allowed=allowed)
    assert measure_index(ExactIndex(truth.vectors), truth, k=4).recall.value == 1.0

    def deaf(asked: Any, k: int, _: Any) -> Any:
        return ExactIndex(truth.vectors).search(asked, k=k).places.tolist()

    index = CallableIndex(deaf, size=50, identity="deaf", takes_filter=True)
    found = measure_index(index, truth, k=4)
    assert found.recall.value is not None
    assert found.recall.value < 0.5  # what the filter excludes is never a hit, however near
    deeper = measure_index(ExactIndex(truth.vectors), Truth.of(vectors, queries, depth=7, allowed=allowed), k=7)
    assert deeper.recall.reason == "k = 7 is more than the 6 items that could be found"


@dataclass
class Slow:
    """An index whose searches take the times of a list, by a fixed clock."""

    inner: ExactIndex
    clock: FixedClock
    times: list[float]
    identity: str = "slow"

    @property
    def size(self) -> int:
        return self.inner.size

    def search(self, queries: Any, *, k: int, allowed: Any = None) -> Neighbours:
        self.clock.elapsed_ms += self.times.pop(0)
        return self.inner.search(queries, k=k, allowed=allowed)


def test_times_are_the_fastest_of_the_rounds_for_each_query() -> None:
    truth = Truth.of(*made(9, 3), depth=2)
    clock = FixedClock()
    found = measure_index(
        Slow(ExactIndex(truth.vectors), clock, [9, 2, 4, 1, 8, 5]), truth, k=2, repeats=2, clock=clock
    )
    assert found.ms_per_query == 2  # of 1, 2 and 4
    assert found.queries_per_s == pytest.approx(3000 / 7)
    still = measure_index(ExactIndex(truth.vectors), truth, k=2, clock=clock)
    assert (still.ms_per_query, still.queries_per_s) == (None, None)


def test_an_index_over_other_items_is_refused() -> None:
    truth = Truth.of(*made(9, 3), depth=2)
    with pytest.raises(ValueError, match="holds 8 items"):
        measure_index(ExactIndex(truth.vectors[:8]), truth)


def test_the_study_builds_each_index_once_and_searches_it_in_each_way() -> None:
    truth = Truth.of(*made(600, 15), depth=5)
    seen: list[Any] = []
    grid = StudyGrid(m=(4, 16), ef_construction=(20,), ef_search=(5, 200), nlist=(4, 20), nprobe=(1, 4, 20))
    rows = study(truth, k=5, grid=grid, repeats=1, told=seen.append)
    assert list(rows) == seen
    told = [(row.settings.kind, row.build, row.search) for row in rows]
    assert told == [
        ("flat", "", ""),
        ("hnsw", "M=4, efConstruction=20", "efSearch=5"),
        ("hnsw", "M=4, efConstruction=20", "efSearch=200"),
        ("hnsw", "M=16, efConstruction=20", "efSearch=5"),
        ("hnsw", "M=16, efConstruction=20", "efSearch=200"),
        ("ivf", "nlist=4", "nprobe=1"),
        ("ivf", "nlist=4", "nprobe=4"),
        ("ivf", "nlist=20", "nprobe=1"),
        ("ivf", "nlist=20", "nprobe=4"),
        ("ivf", "nlist=20", "nprobe=20"),
    ]
    recall = {(build, search): row.score.recall.value or 0 for row, (_, build, search) in zip(rows, told, strict=True)}
    assert recall["", ""] == recall["nlist=4", "nprobe=4"] == recall["nlist=20", "nprobe=20"] == 1.0
    assert recall["nlist=20", "nprobe=1"] < recall["nlist=20", "nprobe=4"] < 1.0
    assert recall["M=4, efConstruction=20", "efSearch=5"] < recall["M=16, efConstruction=20", "efSearch=200"]
    lines = table(rows).splitlines()
    assert len(lines) == 2 + len(rows)
    assert lines[0] == "| index | build | search | recall@k | build s | queries/s | ms/query |"
    assert lines[3].startswith("| hnsw | M=4, efConstruction=20 | efSearch=5 | 0.")


def row(settings: FaissSettings, recall: float | None, took: float | None) -> StudyRow:
    found = Average(recall, recall, recall, 0 if recall is None else 9)
    return StudyRow(settings, 1.0, IndexScore("x", 10, 99, found, None, took))


def test_the_curve_runs_through_the_best_ways_of_each_kind_alone() -> None:
    rows = [
        row(FaissSettings("flat"), 1.0, 2.0),
        row(FaissSettings("hnsw", m=8, ef_construction=64, ef_search=16), 0.9, 0.2),
        row(FaissSettings("hnsw", m=16, ef_construction=64, ef_search=16), 0.8, 0.3),  # slower and worse
        row(FaissSettings("hnsw", m=16, ef_construction=64, ef_search=32), 0.95, 0.25),
        row(FaissSettings("ivf", nlist=10, nprobe=1), None, 0.1),
        row(FaissSettings("ivf", nlist=10, nprobe=2), 0.5, None),
    ]
    drawn = curve(rows, title="Study")
    assert (
        "hnsw: M/efConstruction/efSearch: 0.2: 0.9 (0.9 to 0.9) 8/64/16, 0.25: 0.95 (0.95 to 0.95) 16/64/32." in drawn
    )
    assert "16/64/16" not in drawn
    assert "ivf" not in drawn
    assert "recall@10" in drawn
    with pytest.raises(ValueError, match="at least one point"):
        curve([], title="Study")


def test_the_cells_follow_the_square_root_of_the_items() -> None:
    assert StudyGrid().cells(10_000) == (50, 100, 200)
    assert StudyGrid().cells(2) == (1, 2)
    assert StudyGrid(nlist=(7,)).cells(10_000) == (7,)
