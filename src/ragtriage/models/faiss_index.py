"""FAISS indexes behind the port: flat, HNSW and IVF, built on one thread so that they are built alike every time."""

from __future__ import annotations

import importlib
import importlib.util
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Self

from ragtriage.core.errors import MissingExtra
from ragtriage.stats.nearest import Distance, Neighbours, check_unit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["FaissIndex", "FaissSettings", "OneThread", "faiss_package", "usual_nlist"]

_PACKAGE = "faiss"
_KINDS = ("flat", "hnsw", "ivf")


@dataclass(frozen=True, slots=True)
class FaissSettings:
    """How an index is built and searched.

    HNSW: `m` neighbours in the graph, `ef_construction` and `ef_search` candidates kept while building and searching.
    IVF: `nlist` cells (None: the square root of the items), `nprobe` of them searched; `seed` draws what the cells are
    learnt from.
    """

    kind: Literal["flat", "hnsw", "ivf"]
    m: int = 16
    ef_construction: int = 128
    ef_search: int = 64
    nlist: int | None = None
    nprobe: int = 8
    seed: int = 0

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            raise ValueError(f"kind must be one of {', '.join(_KINDS)}. Got {self.kind!r} instead")
        for name in ("m", "ef_construction", "ef_search", "nlist", "nprobe"):
            value = getattr(self, name)
            if value is not None and value < (2 if name == "m" else 1):
                raise ValueError(f"{name} must be {2 if name == 'm' else 1} or more. Got {value} instead")


def usual_nlist(items: int) -> int:
    """Return the square root of the number of items, at least 1.

    >>> usual_nlist(20_000)
    141
    """
    return max(1, round(math.sqrt(items)))


class FaissIndex:
    """A FAISS index over the rows of a table; raises MissingExtra where faiss is not installed.

    For `cosine` the rows must have length 1, as `prepared` returns them; else ValueError.
    """

    def __init__(self, vectors: NDArray[np.float32], settings: FaissSettings, *, distance: Distance = "cosine") -> None:
        self._faiss = faiss_package()
        if distance == "cosine":
            check_unit(vectors)
        self._distance = distance
        self.settings = settings
        with OneThread(self._faiss):
            self._index = self._built(vectors)

    @property
    def identity(self) -> str:
        """Kind and all of its parameters."""
        s = self.settings
        told = {
            "flat": "",
            "hnsw": f"/m={s.m},ef_construction={s.ef_construction},ef_search={s.ef_search}",
            "ivf": f"/nlist={s.nlist or usual_nlist(self.size)},nprobe={s.nprobe}",
        }
        return f"faiss-{self._faiss.__version__}/{s.kind}/{self._distance}{told[s.kind]}"

    @property
    def size(self) -> int:
        """The rows that were added."""
        return int(self._index.ntotal)

    def tuned(self, *, ef_search: int | None = None, nprobe: int | None = None) -> Self:
        """Return the same index searched in another way; nothing is built again.

        Both share the built graph or cells.
        """
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        now = self.settings
        other.settings = replace(
            now,
            ef_search=now.ef_search if ef_search is None else ef_search,
            nprobe=now.nprobe if nprobe is None else nprobe,
        )
        return other

    def search(self, queries: NDArray[np.float32], *, k: int, allowed: NDArray[np.bool_] | None = None) -> Neighbours:
        """Return the first k for each query, on one thread; a filter is handed to FAISS as a bitmap."""
        import numpy as np  # noqa: PLC0415 - loaded where vectors are

        if k < 1:
            raise ValueError(f"k must be 1 or more. Got {k} instead")
        if queries.ndim != 2 or queries.shape[1] != self._index.d:  # noqa: PLR2004 - a table
            raise ValueError(f"the index has {self._index.d} dimensions. Got queries of shape {queries.shape} instead")
        if allowed is not None and (allowed.shape != (self.size,) or allowed.dtype != np.bool_):
            raise ValueError(f"a mask is one bool for each of {self.size} rows. Got {allowed.dtype} {allowed.shape}")
        with OneThread(self._faiss):
            scores, places = self._index.search(
                np.ascontiguousarray(queries, dtype=np.float32), k, params=self._parameters(allowed)
            )
        missing = places < 0
        near = -np.sqrt(np.maximum(np.where(missing, 0, scores), 0)) if self._distance == "euclid" else scores
        return Neighbours(np.asarray(places, dtype=np.int64), np.where(missing, 0.0, near))

    def _built(self, vectors: NDArray[np.float32]) -> Any:
        faiss, s = self._faiss, self.settings
        width = vectors.shape[1]
        metric = faiss.METRIC_L2 if self._distance == "euclid" else faiss.METRIC_INNER_PRODUCT
        if s.kind == "flat":
            index = faiss.IndexFlat(width, metric)
        elif s.kind == "hnsw":
            index = faiss.IndexHNSWFlat(width, s.m, metric)
            index.hnsw.efConstruction = s.ef_construction
        else:
            cells = s.nlist or usual_nlist(len(vectors))
            if cells > len(vectors):
                raise ValueError(f"nlist = {cells} cells are more than the {len(vectors)} vectors they are learnt from")
            index = faiss.index_factory(width, f"IVF{cells},Flat", metric)
            index.cp.seed = s.seed + 1  # 0 would let FAISS draw one
            index.cp.min_points_per_centroid = 1  # else it complains on standard error
            index.train(vectors)
        index.add(vectors)
        return index

    def _parameters(self, allowed: NDArray[np.bool_] | None) -> Any:
        import numpy as np  # noqa: PLC0415

        given: dict[str, Any] = {}
        if allowed is not None:
            bits = np.packbits(allowed, bitorder="little")
            given["sel"] = self._faiss.IDSelectorBitmap(bits)
        if self.settings.kind == "hnsw":
            return self._faiss.SearchParametersHNSW(efSearch=self.settings.ef_search, **given)
        if self.settings.kind == "ivf":
            return self._faiss.SearchParametersIVF(nprobe=self.settings.nprobe, **given)
        return self._faiss.SearchParameters(**given) if given else None


def faiss_package() -> Any:
    """Import FAISS; raises MissingExtra where it is not installed."""
    if importlib.util.find_spec(_PACKAGE) is None:
        raise MissingExtra("faiss-cpu", extra="index", needed_for="a FAISS index")
    return importlib.import_module(_PACKAGE)


class OneThread:
    """FAISS counts threads for the whole process; leave the number as it was found."""

    def __init__(self, faiss: Any) -> None:
        self._faiss = faiss
        self._before = 1

    def __enter__(self) -> None:
        """Take one thread."""
        self._before = int(self._faiss.omp_get_max_threads())
        self._faiss.omp_set_num_threads(1)

    def __exit__(self, *_: object) -> None:
        """Give the others back."""
        self._faiss.omp_set_num_threads(self._before)
