"""Qdrant behind the port: in the process, or a server with a collection that may be there already.

The embedded mode is a scan in Python and decides a filter point by point, so it is no measure of a server: 284 ms a
filtered query on 20,000 points, where exact search behind a mask takes 0.6 ms. Evaluate filters with `stats.nearest`.
"""

from __future__ import annotations

import importlib
import importlib.util
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from ragtriage.core.errors import BadInput, MissingExtra, SystemUnavailable
from ragtriage.stats.nearest import Distance, Neighbours

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "PointId",
    "QdrantCollection",
    "QdrantIndex",
    "QdrantStanding",
    "open_qdrant",
    "point_ids",
    "read_qdrant",
    "standing_of",
]

PointId: TypeAlias = int | str
_PACKAGE = "qdrant_client"
_POINTS_AT_ONCE = 256
_QUERIES_AT_ONCE = 64
_DISTANCES: dict[Distance, str] = {"cosine": "Cosine", "dot": "Dot", "euclid": "Euclid"}


@dataclass(frozen=True, slots=True, eq=False)
class QdrantCollection:
    """A collection as it was read: `ids` and `vectors` float [points, dimensions] in one order, and its distance."""

    ids: tuple[PointId, ...]
    vectors: NDArray[np.float32]
    distance: Distance


@dataclass(frozen=True, slots=True)
class QdrantStanding:
    """How a collection stands: `points`, the distance it measures by, and how many vectors its graph holds."""

    points: int
    distance: Distance
    indexed: int


class QdrantIndex:
    """A collection of a Qdrant client, each of its points known by its place in `ids`.

    `ef_search`: candidates of HNSW (None: as the server is set). A client reaches a server by its address
    (`QdrantClient(url=...)`) or runs in the process (`QdrantClient(":memory:")`).
    """

    def __init__(
        self,
        client: Any,
        collection: str,
        ids: Sequence[PointId],
        *,
        distance: Distance = "cosine",
        using: str | None = None,
        ef_search: int | None = None,
    ) -> None:
        self._models = _package().models
        self._client = client
        self._collection = collection
        self._ids = tuple(ids)
        self._place = {name: place for place, name in enumerate(self._ids)}
        if len(self._place) != len(self._ids):
            raise BadInput(f"the ids of the collection {collection!r} must be unique")
        self._distance = distance
        self._using = using
        self._ef_search = ef_search

    @classmethod
    def filled(
        cls,
        vectors: NDArray[np.float32],
        *,
        client: Any = None,
        collection: str = "ragtriage",
        distance: Distance = "cosine",
        payloads: Sequence[Mapping[str, Any]] | None = None,
        ef_search: int | None = None,
    ) -> Self:
        """Make a collection of the rows of a table, known by their places; without a client in the process.

        A server builds its graph after the points came; until its `indexed_vectors_count` reaches them it searches
        exactly, and recall is 1. Raises MissingExtra, BadInput where the collection exists, SystemUnavailable where
        the server does not answer.
        """
        package = _package()
        models = package.models
        client = package.QdrantClient(":memory:") if client is None else client
        form = models.VectorParams(size=vectors.shape[1], distance=models.Distance(_DISTANCES[distance]))
        with _border(collection):
            if client.collection_exists(collection):
                raise BadInput(f"there is a collection {collection!r} already; it is left as it is. Give another name")
            client.create_collection(collection, vectors_config=form)
            for start in range(0, len(vectors), _POINTS_AT_ONCE):
                rows = range(start, min(start + _POINTS_AT_ONCE, len(vectors)))
                part = None if payloads is None else [dict(payloads[row]) for row in rows]
                batch = models.Batch(ids=list(rows), vectors=vectors[rows.start : rows.stop].tolist(), payloads=part)
                client.upsert(collection, points=batch, wait=True)
        return cls(client, collection, range(len(vectors)), distance=distance, ef_search=ef_search)

    @property
    def identity(self) -> str:
        """Collection, distance and search parameter."""
        ef = "" if self._ef_search is None else f"/ef_search={self._ef_search}"
        return f"qdrant/{self._collection}/{self._distance}{ef}"

    @property
    def size(self) -> int:
        """The points that are known by their place."""
        return len(self._ids)

    def search(self, queries: NDArray[np.float32], *, k: int, allowed: NDArray[np.bool_] | None = None) -> Neighbours:
        """Return the first k points for each query; what is allowed is handed over as a list of ids."""
        chosen = None
        if allowed is not None:
            kept = [name for name, passes in zip(self._ids, allowed.tolist(), strict=True) if passes]
            chosen = self._models.Filter(must=[self._models.HasIdCondition(has_id=kept)])
        return self.search_where(queries, k=k, query_filter=chosen)

    def search_where(self, queries: NDArray[np.float32], *, k: int, query_filter: Any = None) -> Neighbours:
        """Return the first k points for each query under a filter of Qdrant's own (`models.Filter`), None for all.

        Raises SystemUnavailable where the server does not answer, BadInput for a point that is not among the ids.
        """
        import numpy as np  # noqa: PLC0415 - loaded where vectors are

        if k < 1:
            raise ValueError(f"k must be 1 or more. Got {k} instead")
        places, scores = np.full((len(queries), k), -1, dtype=np.int64), np.zeros((len(queries), k))
        params = None if self._ef_search is None else self._models.SearchParams(hnsw_ef=self._ef_search)
        for start in range(0, len(queries), _QUERIES_AT_ONCE):
            requests = [
                self._models.QueryRequest(
                    query=row, filter=query_filter, limit=k, params=params, using=self._using, with_payload=False
                )
                for row in queries[start : start + _QUERIES_AT_ONCE].tolist()
            ]
            with _border(self._collection):
                answers = self._client.query_batch_points(self._collection, requests=requests)
            for row, answer in enumerate(answers, start=start):
                for rank, point in enumerate(answer.points):
                    places[row, rank] = self._place_of(point.id)
                    scores[row, rank] = -point.score if self._distance == "euclid" else point.score
        return Neighbours(places, scores)

    def _place_of(self, name: PointId) -> int:
        if name not in self._place:
            raise BadInput(
                f"the collection {self._collection!r} returned the point {name!r}, which is not in the table"
            )
        return self._place[name]


def open_qdrant(place: str, *, api_key: str | None = None, timeout_s: int = 60) -> Any:
    """Return a client of the server at an address, or of the folder of an embedded collection; close it after use.

    Raises MissingExtra, BadInput where there is no such folder, SystemUnavailable where another process uses it.
    """
    package = _package()
    if place.startswith(("http://", "https://")):
        return package.QdrantClient(url=place, api_key=api_key, timeout=timeout_s, check_compatibility=False)
    if not (Path(place) / "meta.json").is_file():
        raise BadInput(f"{place}: is no http or https address, and no folder of Qdrant's embedded mode")
    try:
        return package.QdrantClient(path=place)
    except (RuntimeError, OSError) as error:
        raise SystemUnavailable(f"{place}: Qdrant's embedded mode cannot open it: {error}") from error


def point_ids(names: Sequence[str]) -> tuple[PointId, ...]:
    """Return ids as Qdrant holds them, whole numbers or UUIDs; raises BadInput for what is neither.

    >>> point_ids(["7", "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"])
    (7, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11')
    """
    found: list[PointId] = []
    for name in names:
        try:
            found.append(int(name) if name.isdecimal() else str(uuid.UUID(name)))
        except ValueError as error:
            raise BadInput(f"the id {name!r:.80} is none of Qdrant's, which are whole numbers and UUIDs") from error
    return tuple(found)


def standing_of(client: Any, collection: str, *, using: str | None = None) -> QdrantStanding:
    """Ask how a collection stands; raises BadInput where there is none, SystemUnavailable without an answer."""
    _package()
    with _border(collection):
        told = client.get_collection(collection)
        points = client.count(collection, exact=True).count
    distance = _distance(told.config.params.vectors, using, collection)
    return QdrantStanding(points, distance, told.indexed_vectors_count or 0)


def read_qdrant(client: Any, collection: str, *, using: str | None = None) -> QdrantCollection:
    """Read ids and vectors of a collection, so that exact search over them can judge it.

    `using`: the name of the vector where points have several. Raises BadInput where a point has no such vector or the
    distance is none of ours, SystemUnavailable where the server does not answer.
    """
    import numpy as np  # noqa: PLC0415 - loaded where vectors are

    _package()
    ids: list[PointId] = []
    blocks: list[NDArray[np.float32]] = []
    with _border(collection):
        settings = client.get_collection(collection).config.params.vectors
        offset = None
        while True:
            records, offset = client.scroll(
                collection, limit=_POINTS_AT_ONCE, offset=offset, with_payload=False,
                with_vectors=True if using is None else [using],
            )  # fmt: skip
            if records:
                ids += [record.id for record in records]
                blocks.append(np.array([_vector(record, using, collection) for record in records], dtype=np.float32))
            if offset is None:
                break
    vectors = np.concatenate(blocks) if blocks else np.zeros((0, 0), dtype=np.float32)
    return QdrantCollection(tuple(ids), vectors, _distance(settings, using, collection))


def _vector(record: Any, using: str | None, collection: str) -> list[float]:
    found = record.vector if using is None else (record.vector or {}).get(using)
    if not isinstance(found, list) or (found and isinstance(found[0], list)):
        named = "one dense vector; name it with `using`" if using is None else f"a dense vector {using!r}"
        raise BadInput(f"the point {record.id!r} of the collection {collection!r} does not have {named}")
    return found


def _distance(settings: Any, using: str | None, collection: str) -> Distance:
    if isinstance(settings, dict):
        if using not in settings:
            raise BadInput(f"the collection {collection!r} has the vectors {', '.join(sorted(settings))}; name one")
        settings = settings[using]
    known = {value: name for name, value in _DISTANCES.items()}
    if settings.distance.value not in known:
        raise BadInput(f"the collection {collection!r} measures by {settings.distance.value}, which is none of ours")
    return known[settings.distance.value]


def _package() -> Any:
    if importlib.util.find_spec(_PACKAGE) is None:
        raise MissingExtra("qdrant-client", extra="reference", needed_for="a Qdrant index")
    return importlib.import_module(_PACKAGE)


@contextmanager
def _border(collection: str) -> Iterator[None]:
    """Turn what the client raises into our own errors."""
    errors = importlib.import_module("qdrant_client.http.exceptions")
    try:
        yield
    except (errors.ResponseHandlingException, ConnectionError) as error:
        raise SystemUnavailable(f"Qdrant does not answer for the collection {collection!r}: {error}") from error
    except (errors.UnexpectedResponse, ValueError) as error:
        raise BadInput(f"Qdrant refuses the collection {collection!r}: {error}") from error
