"""Open the vector index that a command names: a file of FAISS, a collection of Qdrant, or a function of your own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ragtriage.core.errors import BadInput
from ragtriage.data.vector_files import VectorSet
from ragtriage.models.faiss_file import FaissFile
from ragtriage.models.index_ports import CallableIndex, VectorIndex
from ragtriage.models.qdrant_index import QdrantIndex, open_qdrant, point_ids, standing_of
from ragtriage.runs.secrets import Secrets, names_in
from ragtriage.runs.systems.python import Border, find_python
from ragtriage.stats.nearest import Distance

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["IndexAddress", "OpenIndex", "opened"]


@dataclass(frozen=True, slots=True)
class IndexAddress:
    """Where an index is: exactly one of `faiss`, `qdrant` and `python`.

    `faiss`: a file. `qdrant`: an address, or a folder of the embedded mode, with the name of a `collection`, the vector
    that is searched where points have several (`using`) and the key as `env:NAME`. `python`: `module:callable`, called
    with queries [1, dimensions] and k. `ef_search`, `nprobe`: how HNSW and IVF are searched, None: as they are set.
    """

    faiss: Path | None = None
    qdrant: str | None = None
    python: str | None = None
    collection: str | None = None
    using: str | None = None
    api_key: str | None = None
    ef_search: int | None = None
    nprobe: int | None = None

    def __post_init__(self) -> None:
        if sum(one is not None for one in (self.faiss, self.qdrant, self.python)) != 1:
            raise BadInput(
                "name one index: --faiss FILE, --qdrant PLACE --collection NAME, or --python module:callable"
            )
        if (self.qdrant is None) != (self.collection is None):
            raise BadInput("--qdrant and --collection belong together: give both")
        idle: dict[str, object] = {}
        if self.qdrant is None:
            idle |= {"--using": self.using, "--api-key": self.api_key}
        if self.faiss is None:
            idle["--nprobe"] = self.nprobe
        if self.python is not None:
            idle["--ef-search"] = self.ef_search
        for option, value in idle.items():
            if value is not None:
                raise BadInput(f"{option} says nothing of such an index: leave it out")
        if self.api_key is not None and [f"env:{name}" for name in names_in(self.api_key)] != [self.api_key]:
            raise BadInput("--api-key must be given as 'env:NAME', never as a literal")
        if self.qdrant is not None and "@" in urlsplit(self.qdrant).netloc:
            raise BadInput("the address of Qdrant holds a password; give it as --api-key env:NAME")


@dataclass(frozen=True, slots=True)
class OpenIndex:
    """An index that can be asked; `notes`: what a reader of its recall must know."""

    index: VectorIndex
    notes: tuple[str, ...] = ()


@contextmanager
def opened(
    address: IndexAddress, items: VectorSet, *, distance: Distance, environment: Mapping[str, str], base: Path
) -> Iterator[OpenIndex]:
    """Open an index over items and close it again; `base` is the folder that a module may lie in.

    Raises BadInput where it holds other items or measures otherwise, MissingExtra, and SystemUnavailable where it does
    not answer or cannot be imported.
    """
    if address.faiss is not None:
        found = FaissFile(
            address.faiss, items.ids, distance=distance, ef_search=address.ef_search, nprobe=address.nprobe
        )
        if found.width != items.vectors.shape[1]:
            told = f"holds vectors of {found.width} numbers, and {items.identity} of {items.vectors.shape[1]}"
            raise BadInput(f"{address.faiss}: {told}")
        yield OpenIndex(found)
    elif address.qdrant is not None and address.collection is not None:
        client = open_qdrant(address.qdrant, api_key=_secret(address.api_key, environment))
        try:
            yield _collection(client, address, address.collection, items, distance)
        finally:
            client.close()
    else:
        yield OpenIndex(_function(address.python or "", items, base))


def _secret(api_key: str | None, environment: Mapping[str, str]) -> str | None:
    if api_key is None:
        return None
    (name,) = names_in(api_key)
    if not environment.get(name):
        raise BadInput(f"--api-key names an environment variable that is not set: {name}")
    return str(Secrets({name: environment[name]}).reveal(api_key))


def _collection(client: Any, address: IndexAddress, collection: str, items: VectorSet, distance: Distance) -> OpenIndex:
    standing = standing_of(client, collection, using=address.using)
    if standing.distance != distance:
        raise BadInput(f"the collection {collection!r} measures by {standing.distance}: give --distance with it")
    if standing.points != len(items.ids):
        raise BadInput(
            f"the collection {collection!r} holds {standing.points:,} points, and {items.identity} {len(items.ids):,}"
        )
    index = QdrantIndex(
        client, collection, point_ids(items.ids), distance=distance, using=address.using, ef_search=address.ef_search
    )
    exact = standing.points - standing.indexed
    told = f"Qdrant holds {exact:,} of {standing.points:,} vectors outside its graph, and searches them exactly"
    return OpenIndex(index, (told,) if exact > 0 else ())


def _function(target: str, items: VectorSet, base: Path) -> CallableIndex:
    if ":" not in target:
        raise BadInput(f"--python must be 'module:callable'. Got {target!r} instead")
    found = find_python(target, base=base, what="the index")
    if not callable(found):
        raise BadInput(f"the index {target!r} is no callable. Got {type(found).__name__}")
    return CallableIndex(
        _Places(target, found, {name: row for row, name in enumerate(items.ids)}), len(items.ids), target
    )


@dataclass(frozen=True, slots=True)
class _Places:
    """A foreign function that returns rows of the vectors, or their ids; what it raises becomes our own error."""

    target: str
    function: Callable[..., Any]
    place: Mapping[str, int]

    def __call__(self, queries: NDArray[np.float32], k: int) -> Any:
        with Border(f"the index {self.target!r} fails"):
            answer = self.function(queries, k)
            if isinstance(answer, tuple) and len(answer) == 2:  # noqa: PLR2004 - what was found, and its scores
                answer = answer[0]
            if not hasattr(answer, "__iter__"):
                return answer
            return [[self._place_of(one) for one in row] if _is_list(row) else row for row in answer]

    def _place_of(self, one: Any) -> Any:
        if not isinstance(one, str):
            return one
        if one not in self.place:
            raise BadInput(f"the index {self.target!r} returned {one!r:.80}, of which there is no vector")
        return self.place[one]


def _is_list(row: Any) -> bool:
    return isinstance(row, list | tuple) or getattr(row, "ndim", 0) == 1
