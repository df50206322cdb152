"""Indexes of FAISS, Qdrant and plain functions behind one port, with filters, and what they refuse."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from qdrant_client import QdrantClient, models

from ragtriage.core.errors import BadInput, MissingExtra, SystemUnavailable
from ragtriage.models.faiss_index import FaissIndex, FaissSettings
from ragtriage.models.index_ports import CallableIndex, ExactIndex, VectorIndex
from ragtriage.models.qdrant_index import QdrantIndex, open_qdrant, point_ids, read_qdrant, standing_of
from ragtriage.stats.nearest import Distance, prepared

DISTANCES: tuple[Distance, ...] = ("cosine", "dot", "euclid")
WIDTH = 16


def rows(count: int, *, distance: Distance, seed: int = 0) -> Any:
    return prepared(np.random.default_rng(seed).normal(size=(count, WIDTH)), distance=distance)


EXACT: dict[str, Callable[[Any, Distance], VectorIndex]] = {
    "numpy": ExactIndex,
    "flat": lambda vectors, distance: FaissIndex(vectors, FaissSettings("flat"), distance=distance),
    "ivf": lambda vectors, distance: FaissIndex(vectors, FaissSettings("ivf", nlist=6, nprobe=6), distance=distance),
    "qdrant": lambda vectors, distance: QdrantIndex.filled(vectors, distance=distance),
}


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("name", list(EXACT))
@pytest.mark.parametrize("share", [None, 0.3, 0.02])
def test_indexes_that_look_everywhere_agree(name: str, distance: Distance, share: float | None) -> None:
    vectors, queries = rows(300, distance=distance), rows(9, distance=distance, seed=1)
    allowed = None if share is None else np.random.default_rng(2).random(300) < share
    truth = ExactIndex(vectors, distance).search(queries, k=8, allowed=allowed)
    index = EXACT[name](vectors, distance)
    gc.collect()
    found = index.search(queries, k=8, allowed=allowed)
    assert index.size == 300
    assert np.array_equal(found.places, truth.places)
    np.testing.assert_allclose(found.scores, truth.scores, atol=1e-4)


@pytest.mark.parametrize("distance", DISTANCES)
def test_hnsw_finds_nearly_all_and_keeps_to_its_filter(distance: Distance) -> None:
    vectors, queries = rows(2000, distance=distance), rows(20, distance=distance, seed=1)
    index = FaissIndex(vectors, FaissSettings("hnsw", m=16, ef_search=200), distance=distance)
    allowed = np.random.default_rng(2).random(2000) < 0.5
    for mask in (None, allowed):
        truth = ExactIndex(vectors, distance).search(queries, k=5, allowed=mask)
        found = index.search(queries, k=5, allowed=mask)
        shared = [len({*a} & {*b}) / 5 for a, b in zip(truth.places.tolist(), found.places.tolist(), strict=True)]
        assert np.mean(shared) > 0.9
        assert mask is None or mask[found.places[found.places >= 0]].all()


def test_an_index_is_searched_in_another_way_without_building_it_again() -> None:
    vectors, queries = rows(3000, distance="cosine"), rows(40, distance="cosine", seed=1)
    truth = ExactIndex(vectors).search(queries, k=10).places

    def recall(index: FaissIndex) -> float:
        found = index.search(queries, k=10).places
        return float(np.mean([len({*a} & {*b}) / 10 for a, b in zip(truth.tolist(), found.tolist(), strict=True)]))

    ivf = FaissIndex(vectors, FaissSettings("ivf", nlist=50, nprobe=1))
    wide = ivf.tuned(nprobe=50)
    assert recall(ivf) < 0.8
    assert recall(wide) == 1.0
    assert recall(ivf) < 0.8  # the first is as it was
    assert ivf.identity.endswith("ivf/cosine/nlist=50,nprobe=1")
    assert wide.identity.endswith("ivf/cosine/nlist=50,nprobe=50")
    hnsw = FaissIndex(vectors, FaissSettings("hnsw", m=4, ef_construction=20, ef_search=10))
    assert recall(hnsw) < recall(hnsw.tuned(ef_search=400))


def test_the_same_settings_build_the_same_index() -> None:
    vectors, queries = rows(1500, distance="cosine"), rows(30, distance="cosine", seed=1)
    for settings in (FaissSettings("ivf", nprobe=2), FaissSettings("hnsw", m=4, ef_construction=16, ef_search=16)):
        first, second = (FaissIndex(vectors, settings).search(queries, k=5) for _ in range(2))
        assert np.array_equal(first.places, second.places)


def test_fewer_items_than_asked_for_are_padded() -> None:
    vectors = rows(3, distance="cosine")
    for name, build in EXACT.items():
        if name != "ivf":
            found = build(vectors, "cosine").search(vectors[:1], k=5)
            assert found.places[0, 3:].tolist() == [-1, -1]
            assert found.scores[0, 3:].tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    "settings", [{"kind": "tree"}, {"kind": "hnsw", "m": 1}, {"kind": "ivf", "nprobe": 0}, {"kind": "ivf", "nlist": 0}]
)
def test_impossible_settings_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be"):
        FaissSettings(**settings)


def test_more_cells_than_vectors_and_masks_that_do_not_fit_are_refused() -> None:
    vectors = rows(5, distance="cosine")
    with pytest.raises(ValueError, match="nlist = 9 cells"):
        FaissIndex(vectors, FaissSettings("ivf", nlist=9))
    with pytest.raises(ValueError, match="and not 1"):
        FaissIndex(3 * vectors, FaissSettings("flat"))
    flat = FaissIndex(vectors, FaissSettings("flat"))
    with pytest.raises(ValueError, match="one bool for each of 5"):
        flat.search(vectors, k=1, allowed=np.ones(4, dtype=bool))
    with pytest.raises(ValueError, match="the index has 16 dimensions"):
        flat.search(np.ones((1, 3), dtype=np.float32), k=1)
    with pytest.raises(ValueError, match="k must be 1"):
        flat.search(vectors, k=0)


def test_a_missing_package_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    for build in (EXACT["flat"], EXACT["qdrant"]):
        with pytest.raises(MissingExtra, match=r"pip install 'ragtriage\[(index|reference)\]'"):
            build(rows(5, distance="cosine"), "cosine")


def test_a_collection_is_read_with_its_own_ids_and_measured_by_their_places() -> None:
    client: Any = QdrantClient(":memory:")
    vectors = rows(600, distance="cosine")
    client.create_collection("kb", vectors_config=models.VectorParams(size=WIDTH, distance=models.Distance.COSINE))
    ids = [f"00000000-0000-0000-0000-{number:012d}" for number in range(600)]
    client.upsert("kb", points=models.Batch(ids=ids, vectors=(3 * vectors).tolist()))
    read = read_qdrant(client, "kb")
    assert sorted(map(str, read.ids)) == ids
    assert read.distance == "cosine"
    index = QdrantIndex(client, "kb", read.ids, distance=read.distance)
    truth = ExactIndex(prepared(read.vectors, distance="cosine")).search(vectors[:5], k=3)
    assert np.array_equal(index.search(vectors[:5], k=3).places, truth.places)
    some = QdrantIndex(client, "kb", read.ids[:5])
    with pytest.raises(BadInput, match="which is not in the table"):
        some.search(vectors[:5], k=600)


def test_named_vectors_are_asked_for_by_name() -> None:
    client: Any = QdrantClient(":memory:")
    form = models.VectorParams(size=WIDTH, distance=models.Distance.DOT)
    client.create_collection("kb", vectors_config={"text": form})
    vectors = rows(4, distance="dot")
    points = [models.PointStruct(id=n, vector={"text": row.tolist()}) for n, row in enumerate(vectors)]
    client.upsert("kb", points=points)
    read = read_qdrant(client, "kb", using="text")
    np.testing.assert_allclose(read.vectors, vectors, atol=1e-6)
    index = QdrantIndex(client, "kb", read.ids, distance=read.distance, using="text")
    assert np.array_equal(index.search(vectors, k=2).places, ExactIndex(vectors, "dot").search(vectors, k=2).places)
    with pytest.raises(BadInput, match="name it with `using`"):
        read_qdrant(client, "kb")
    with pytest.raises(BadInput, match="a dense vector 'other'"):
        read_qdrant(client, "kb", using="other")


def test_an_existing_collection_is_never_overwritten() -> None:
    client: Any = QdrantClient(":memory:")
    vectors = rows(3, distance="cosine")
    QdrantIndex.filled(vectors, client=client, collection="kb")
    with pytest.raises(BadInput, match="there is a collection 'kb' already"):
        QdrantIndex.filled(vectors, client=client, collection="kb")
    with pytest.raises(BadInput, match="refuses the collection 'none'"):
        QdrantIndex(client, "none", [0]).search(vectors, k=1)
    with pytest.raises(BadInput, match="must be unique"):
        QdrantIndex(client, "kb", [0, 0])


def test_a_server_that_is_not_there_is_unavailable() -> None:
    client: Any = QdrantClient(url="http://127.0.0.1:9", check_compatibility=False, timeout=2)
    with pytest.raises(SystemUnavailable, match="does not answer"):
        QdrantIndex(client, "kb", [0]).search(rows(1, distance="cosine"), k=1)
    client.close()


def test_a_function_is_an_index() -> None:
    vectors = rows(50, distance="cosine")

    def call(queries: Any, k: int, allowed: Any = None) -> Any:
        found = ExactIndex(vectors).search(queries, k=k, allowed=allowed)
        return found.places.tolist(), found.scores.tolist()

    index = CallableIndex(call, size=50, identity="mine", takes_filter=True)
    mask = np.arange(50) % 2 == 0
    for allowed in (None, mask):
        truth = ExactIndex(vectors).search(vectors[:4], k=3, allowed=allowed)
        assert np.array_equal(index.search(vectors[:4], k=3, allowed=allowed).places, truth.places)
    with pytest.raises(BadInput, match="takes no filter"):
        CallableIndex(call, size=50, identity="mine").search(vectors[:1], k=1, allowed=mask)


@pytest.mark.parametrize(
    "answer",
    [None, [[0]], [[0], [1], [2]], [["a"], ["b"]], [[0.5], [1.5]], [[0], [50]], [[0], [-2]], ([[0], [1]], [[0.5], []]),
     [[[0]], [[1]]]],
)  # fmt: skip
def test_a_function_that_returns_no_places_is_refused(answer: Any) -> None:
    index = CallableIndex(lambda *_: answer, size=50, identity="mine")
    with pytest.raises(BadInput, match="the index 'mine'"):
        index.search(rows(2, distance="cosine"), k=2)


def test_the_number_of_threads_of_faiss_is_left_as_it_was() -> None:
    faiss = sys.modules["faiss"]
    faiss.omp_set_num_threads(2)
    vectors = rows(20, distance="cosine")
    FaissIndex(vectors, FaissSettings("flat")).search(vectors, k=1)
    assert faiss.omp_get_max_threads() == 2


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a refused client leaves its lock open
def test_a_folder_of_the_embedded_mode_is_opened_and_tells_how_it_stands(tmp_path: Path) -> None:
    made: Any = QdrantClient(path=str(tmp_path / "kb"))
    vectors = rows(30, distance="euclid")
    QdrantIndex.filled(vectors, client=made, collection="kb", distance="euclid")
    with pytest.raises(SystemUnavailable, match="embedded mode cannot open it"):
        open_qdrant(str(tmp_path / "kb"))
    made.close()
    client = open_qdrant(str(tmp_path / "kb"))
    standing = standing_of(client, "kb")
    assert (standing.points, standing.distance, standing.indexed) == (30, "euclid", 0)
    index = QdrantIndex(client, "kb", point_ids([str(row) for row in range(30)]), distance="euclid")
    assert np.array_equal(index.search(vectors, k=2).places, ExactIndex(vectors, "euclid").search(vectors, k=2).places)
    with pytest.raises(BadInput, match="refuses the collection 'none'"):
        standing_of(client, "none")
    client.close()
    with pytest.raises(BadInput, match="no folder of Qdrant's embedded mode"):
        open_qdrant(str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["kb"]  # no folder was made by looking


@pytest.mark.parametrize("name", ["doc 1", "-1", "1.5", "", "12345678-1234"])
def test_ids_that_no_point_can_have_are_refused(name: str) -> None:
    with pytest.raises(BadInput, match="whole numbers and UUIDs"):
        point_ids(["1", name])


def test_the_server_of_an_address_is_asked() -> None:
    client = open_qdrant("http://127.0.0.1:9", timeout_s=2)
    with pytest.raises(SystemUnavailable, match="does not answer"):
        standing_of(client, "kb")
    client.close()
