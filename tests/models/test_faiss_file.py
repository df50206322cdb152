"""FAISS indexes from files: searched as they were stored, with ids of their own, and what is refused."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import faiss
import numpy as np
import pytest

from ragtriage.core.errors import BadInput
from ragtriage.models.faiss_file import FaissFile
from ragtriage.stats.nearest import Distance, prepared

WIDTH = 12
IDS = [str(row) for row in range(500)]


def rows(count: int, *, seed: int = 0, distance: Distance = "cosine") -> Any:
    return prepared(np.random.default_rng(seed).normal(size=(count, WIDTH)), distance=distance)


def written(folder: Path, index: Any) -> Path:
    path = folder / "my.faiss"
    faiss.write_index(index, str(path))
    return path


@pytest.mark.parametrize("kind", ["Flat", "HNSW8,Flat", "IVF9,Flat", "PCA6,IVF9,Flat", "IDMap2,HNSW8,Flat", "SQ8"])
def test_a_file_answers_as_the_index_did_before_it_was_written(tmp_path: Path, kind: str) -> None:
    vectors, queries = rows(500), rows(20, seed=1)
    index = faiss.index_factory(WIDTH, kind, faiss.METRIC_INNER_PRODUCT)
    index.train(vectors)
    if kind.startswith("IDMap2"):
        index.add_with_ids(vectors, np.arange(500))
    else:
        index.add(vectors)
    scores, places = index.search(queries, 7)
    found = FaissFile(written(tmp_path, index), IDS, distance="cosine")
    del index
    gc.collect()
    assert (found.size, found.width) == (500, WIDTH)
    answer = found.search(queries, k=7)
    assert np.array_equal(answer.places, places)
    assert np.allclose(answer.scores, np.where(places < 0, 0, scores))
    assert found.identity.startswith(f"faiss-{faiss.__version__}/Index")
    assert found.identity.endswith("/my.faiss")


def test_distances_of_faiss_are_squares(tmp_path: Path) -> None:
    vectors = np.array([[0.0] * WIDTH, [3.0] + [0.0] * (WIDTH - 1)], dtype=np.float32)
    index = faiss.IndexFlatL2(WIDTH)
    index.add(vectors)
    found = FaissFile(written(tmp_path, index), ["a", "b"], distance="euclid").search(vectors[:1], k=2)
    assert (found.places.tolist(), found.scores.tolist()) == ([[0, 1]], [[0.0, -3.0]])


def test_how_it_is_searched_can_be_set_and_is_named(tmp_path: Path) -> None:
    vectors, queries = rows(500), rows(60, seed=1)
    flat = faiss.IndexFlatIP(WIDTH)
    flat.add(vectors)
    true = flat.search(queries, 5)[1]

    def recall(found: Any) -> float:
        places = found.search(queries, k=5).places
        return float(np.mean([len({*a} & {*b}) / 5 for a, b in zip(true.tolist(), places.tolist(), strict=True)]))

    graph = faiss.IndexHNSWFlat(WIDTH, 4, faiss.METRIC_INNER_PRODUCT)
    graph.hnsw.efConstruction, graph.hnsw.efSearch = 10, 5
    graph.add(vectors)
    path = written(tmp_path, graph)
    wide = FaissFile(path, IDS, distance="cosine", ef_search=400)
    assert recall(FaissFile(path, IDS, distance="cosine")) < recall(wide)
    assert wide.identity.endswith("my.faiss/efSearch=400")
    cells = faiss.index_factory(WIDTH, "IVF20,Flat", faiss.METRIC_INNER_PRODUCT)
    cells.train(vectors)
    cells.add(vectors)
    path = written(tmp_path, cells)
    assert recall(FaissFile(path, IDS, distance="cosine")) < 1.0  # one cell is searched
    assert recall(FaissFile(path, IDS, distance="cosine", nprobe=20)) == 1.0
    with pytest.raises(BadInput, match=r"my\.faiss: an index of the kind IndexIVFFlat has no efSearch"):
        FaissFile(path, IDS, distance="cosine", ef_search=9)


def test_ids_of_its_own_are_names_of_items(tmp_path: Path) -> None:
    vectors = rows(4)
    index = faiss.IndexIDMap2(faiss.IndexFlatIP(WIDTH))
    index.add_with_ids(vectors, np.array([70, 71, 72, 73]))
    path = written(tmp_path, index)
    found = FaissFile(path, ["73", "72", "71", "70"], distance="cosine").search(vectors[:1], k=1)
    assert found.places.tolist() == [[3]]
    with pytest.raises(BadInput, match=r"my\.faiss: 1 of its ids have no vector, such as 73"):
        FaissFile(path, ["70", "71", "72", "0"], distance="cosine")
    cells = faiss.index_factory(WIDTH, "IVF1,Flat", faiss.METRIC_INNER_PRODUCT)
    cells.train(rows(40))
    cells.add_with_ids(vectors, np.array([70, 71, 72, 73]))
    with pytest.raises(BadInput, match="an index with ids of its own must be an IndexIDMap"):
        FaissFile(written(tmp_path, cells), IDS[:4], distance="cosine").search(vectors[:1], k=1)


def test_what_is_no_index_or_another_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "my.faiss"
    for content in (b"", b"noise", b"IxHN" + bytes(200)):
        path.write_bytes(content)
        with pytest.raises(BadInput, match=r"my\.faiss: is no index as FAISS writes it"):
            FaissFile(path, IDS, distance="cosine")
    with pytest.raises(BadInput, match="No such file"):
        FaissFile(tmp_path / "none.faiss", IDS, distance="cosine")
    index = faiss.IndexFlatIP(WIDTH)
    index.add(rows(500))
    path = written(tmp_path, index)
    with pytest.raises(BadInput, match="holds 500 items, and there are 499 vectors"):
        FaissFile(path, IDS[:499], distance="cosine")
    with pytest.raises(BadInput, match="measures by the inner product, and 'euclid' was asked for"):
        FaissFile(path, IDS, distance="euclid")
    with pytest.raises(BadInput, match="takes no filter"):
        FaissFile(path, IDS, distance="dot").search(rows(1), k=1, allowed=np.ones(500, dtype=bool))
