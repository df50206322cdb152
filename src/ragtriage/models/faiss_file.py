"""A FAISS index from a file, whatever its kind, searched with the parameters that were stored with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragtriage.core.errors import BadInput
from ragtriage.core.files import read_bytes
from ragtriage.models.faiss_index import OneThread, faiss_package
from ragtriage.stats.nearest import Distance, Neighbours

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["FaissFile"]


class FaissFile:
    """An index as `faiss.write_index` wrote it; `ids` names the items in the order in which they were added.

    Where the index has ids of its own (`IndexIDMap`) these are the names, written as numbers. `ef_search` and `nprobe`
    set how HNSW and IVF are searched, None: as it was stored. Raises MissingExtra, and BadInput where the file is no
    index, holds other items, measures by another distance or has no such parameter.
    """

    def __init__(
        self,
        path: Path,
        ids: Sequence[str],
        *,
        distance: Distance,
        ef_search: int | None = None,
        nprobe: int | None = None,
    ) -> None:
        self._faiss = faiss_package()
        self._name = path.name
        self._index = _read(self._faiss, path)
        self._told = f"{type(self._index).__name__}/{path.name}"
        self._check(path, len(ids), distance)
        for name, value in (("efSearch", ef_search), ("nprobe", nprobe)):
            if value is not None:
                self._set(path, name, value)
        self._places = self._own_ids(path, ids)
        self._distance = distance

    @property
    def identity(self) -> str:
        """Version of FAISS, kind, file and what was set."""
        return f"faiss-{self._faiss.__version__}/{self._told}"

    @property
    def size(self) -> int:
        """The items that it holds."""
        return int(self._index.ntotal)

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        return int(self._index.d)

    def search(self, queries: NDArray[np.float32], *, k: int, allowed: NDArray[np.bool_] | None = None) -> Neighbours:
        """Return the first k for each query, on one thread; raises BadInput for a filter."""
        import numpy as np  # noqa: PLC0415 - loaded where vectors are

        if allowed is not None:
            raise BadInput(f"{self._name}: an index from a file takes no filter")
        with OneThread(self._faiss):
            scores, found = self._index.search(np.ascontiguousarray(queries, dtype=np.float32), k)
        places = np.asarray(found, dtype=np.int64)
        if self._places is not None:
            known = self._places
            places = np.vectorize(lambda label: known.get(int(label), -1), otypes=[np.int64])(places)
        elif places.max(initial=-1) >= self.size:
            raise BadInput(
                f"{self._name}: returned the number {int(places.max())}, and holds {self.size} items: an index with "
                "ids of its own must be an IndexIDMap"
            )
        missing = places < 0
        near = -np.sqrt(np.maximum(np.where(missing, 0, scores), 0)) if self._distance == "euclid" else scores
        return Neighbours(places, np.where(missing, 0.0, near))

    def _check(self, path: Path, items: int, distance: Distance) -> None:
        if self.size != items:
            raise BadInput(f"{path}: holds {self.size:,} items, and there are {items:,} vectors")
        inner = self._index.metric_type == self._faiss.METRIC_INNER_PRODUCT
        if (distance == "dot" and not inner) or (distance == "euclid" and inner):
            measured = "the inner product" if inner else "another distance"
            raise BadInput(f"{path}: measures by {measured}, and {distance!r} was asked for")

    def _set(self, path: Path, name: str, value: int) -> None:
        try:
            self._faiss.ParameterSpace().set_index_parameter(self._index, name, value)
        except RuntimeError as error:
            raise BadInput(f"{path}: an index of the kind {type(self._index).__name__} has no {name}") from error
        self._told += f"/{name}={value}"

    def _own_ids(self, path: Path, ids: Sequence[str]) -> Mapping[int, int] | None:
        """Return the place of each id that the index has itself; None where its numbers are places."""
        if not isinstance(self._index, self._faiss.IndexIDMap):
            return None
        place = {name: row for row, name in enumerate(ids)}
        own = self._faiss.vector_to_array(self._index.id_map).tolist()
        strangers = [label for label in own if str(label) not in place]
        if strangers:
            raise BadInput(f"{path}: {len(strangers):,} of its ids have no vector, such as {strangers[0]}")
        return {label: place[str(label)] for label in own}


def _read(faiss: Any, path: Path) -> Any:
    import numpy as np  # noqa: PLC0415

    content = np.frombuffer(read_bytes(path), dtype=np.uint8)
    try:
        return faiss.deserialize_index(content)
    except RuntimeError as error:
        why = str(error).rpartition(": ")[2]
        raise BadInput(f"{path}: is no index as FAISS writes it: {why}") from error
