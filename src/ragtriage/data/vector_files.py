"""Vectors with ids from a file: NumPy, JSON Lines or Parquet; every fault of a file at once."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from ragtriage.core.errors import BadInput, Fault
from ragtriage.core.files import parse_json, read_bytes, read_lines
from ragtriage.core.tables import read_parquet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["VectorSet", "read_vectors"]

_ENDINGS = ".npy, .jsonl, .parquet"
_MAX_FAULTS_SHOWN = 1000
_BROKEN_NUMPY = (  # what NumPy raises where a header or an archive is none
    ValueError, EOFError, OSError, MemoryError, OverflowError, TypeError, SyntaxError, RecursionError, TokenError,
    BadZipFile,
)  # fmt: skip
_NOT_FINITE = "numbers that are not finite in single precision"


@dataclass(frozen=True, slots=True, eq=False)
class VectorSet:
    """Vectors float32 [ids, dimensions] with the id of each row; `identity` says what made them or where they lay."""

    ids: tuple[str, ...]
    vectors: NDArray[np.float32]
    identity: str

    def __post_init__(self) -> None:
        if self.vectors.ndim != 2 or len(self.vectors) != len(self.ids):  # noqa: PLR2004 - a table
            raise ValueError(
                f"{len(self.ids)} ids need as many rows of vectors. Got shape {self.vectors.shape} instead"
            )


def read_vectors(path: Path, *, ids: Path | None = None) -> VectorSet:
    """Read vectors from `.jsonl` or `.parquet` (`id`, `vector`), or from `.npy`, a table of numbers.

    `ids`: a text file with the id of each row of a `.npy`, one a line; without it ids are the numbers of rows from 0,
    so that rows have to mean the same on both sides of a comparison. Raises BadInput with every fault.
    """
    if path.suffix == ".npy":
        return _numpy(path, ids)
    if ids is not None:
        raise BadInput(f"{path}: holds ids itself; a file of ids belongs to a .npy")
    if path.suffix == ".jsonl":
        return _collected(path, _json_rows(path))
    if path.suffix == ".parquet":
        rows = enumerate(read_parquet(path, columns=("id", "vector")), start=1)
        return _collected(path, ((row, value["id"], value["vector"]) for row, value in rows))
    raise BadInput(f"{path}: vectors are read from {_ENDINGS}. Got {path.suffix or 'no ending'!r} instead")


def _numpy(path: Path, ids: Path | None) -> VectorSet:
    import numpy as np  # noqa: PLC0415 - loaded where vectors are

    try:
        table = np.load(io.BytesIO(read_bytes(path)), allow_pickle=False)
    except _BROKEN_NUMPY as error:
        raise BadInput(f"{path}: is no table of numbers as NumPy writes it: {error!s:.200}") from error
    if not isinstance(table, np.ndarray) or table.ndim != 2 or table.dtype.kind not in "fiu":  # noqa: PLR2004 - a table
        found = f"{table.dtype} {table.shape}" if isinstance(table, np.ndarray) else type(table).__name__
        raise BadInput(f"{path}: must hold one table of real numbers. Got {found} instead")
    with np.errstate(over="ignore"):  # told below
        single = table.astype(np.float32, copy=False)
    bad = np.flatnonzero(~np.isfinite(single).all(axis=1))
    if len(bad):
        shown = [Fault(str(path), int(row) + 1, f"holds {_NOT_FINITE}") for row in bad[:_MAX_FAULTS_SHOWN]]
        raise BadInput(f"{path} has {len(bad)} fault{'s' if len(bad) > 1 else ''} (rows from 1):", shown)
    if ids is None:
        names = tuple(str(row) for row in range(len(table)))
    else:
        lines = list(read_lines(ids))
        names = tuple(text.strip() for _, text in lines)
        repeated = [Fault(str(ids), line, f"the id {text.strip()!r} stands there again")
                    for (line, text), seen in zip(lines, _repeats(names), strict=True) if seen]  # fmt: skip
        if repeated:
            raise BadInput(f"{ids} has {len(repeated)} faults:", repeated)
        if len(names) != len(table):
            raise BadInput(f"{ids}: holds {len(names)} ids for the {len(table)} rows of {path}")
    return VectorSet(names, single, path.name)


def _repeats(names: Sequence[str]) -> list[bool]:
    first = {name: place for place, name in reversed(list(enumerate(names)))}
    return [first[name] != place for place, name in enumerate(names)]


def _json_rows(path: Path) -> Iterator[tuple[int, Any, Any]]:
    for line, text in read_lines(path):
        try:
            value = parse_json(text)
        except ValueError as error:
            yield line, error, None
            continue
        if isinstance(value, dict):
            yield line, value.get("id"), value.get("vector")
        else:
            yield line, ValueError("must be an object with 'id' and 'vector'"), None


def _collected(path: Path, rows: Iterator[tuple[int, Any, Any]]) -> VectorSet:
    """Check rows one by one; a row whose id is an error is that fault."""
    import numpy as np  # noqa: PLC0415 - loaded where vectors are

    faults: list[Fault] = []
    places: dict[str, int] = {}
    kept: list[NDArray[np.float32]] = []
    width: int | None = None
    for line, name, vector in rows:
        problem = str(name) if isinstance(name, Exception) else _problem(name, vector, width, places)
        numbers = None if problem is not None else _single(vector)
        if numbers is None:
            faults.append(Fault(str(path), line, problem or f"'vector' holds {_NOT_FINITE}"))
            continue
        width = len(vector)
        places[name] = line
        kept.append(numbers)
    if faults:
        count = f"{len(faults)} fault{'s' if len(faults) > 1 else ''}"
        raise BadInput(f"{path} has {count}:", faults[:_MAX_FAULTS_SHOWN])
    table = np.stack(kept) if kept else np.zeros((0, 0), dtype=np.float32)
    return VectorSet(tuple(places), table, path.name)


def _problem(name: Any, vector: Any, width: int | None, places: dict[str, int]) -> str | None:
    if not isinstance(name, str) or not name:
        return f"'id' must be a text that is not empty. Got {name!r:.80} instead"
    if name in places:
        return f"the id {name!r} stands in line {places[name]} already"
    if not isinstance(vector, list | tuple) or not vector:
        return f"'vector' must be a list of numbers. Got {type(vector).__name__} instead"
    if not {*map(type, vector)} <= {int, float}:
        return "'vector' must hold numbers alone"
    if width is not None and len(vector) != width:
        return f"'vector' has {len(vector)} numbers and those before it {width}"
    return None


def _single(vector: Sequence[float]) -> NDArray[np.float32] | None:
    """Return numbers in single precision, None where one is not finite there."""
    import numpy as np  # noqa: PLC0415

    try:
        with np.errstate(over="ignore"):
            found = np.asarray(vector, dtype=np.float64).astype(np.float32)
    except OverflowError:  # a whole number of some hundred digits
        return None
    return found if np.isfinite(found).all() else None
