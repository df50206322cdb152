"""Vectors kept on disk by what they are vectors of: the hash of model, purpose and text names a vector."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ragtriage.core.errors import StorageFailed
from ragtriage.core.identity import hash_bytes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["VectorCache", "vector_key"]

_KEYS_AT_ONCE = 500


def vector_key(model: str, text: str) -> str:
    """Return the name of a text's vector: SHA-256 over model identity and text.

    >>> vector_key("m", "a") == vector_key("m", "b")
    False
    """
    return hash_bytes(f"{model}\0{text}".encode())


class VectorCache:
    """Float32 vectors in one SQLite file; several processes may read and write it at once.

    A vector is there whole or not at all, and what was written survives a kill. Raises StorageFailed where the file
    cannot be read or written, or is no such file.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "vectors.sqlite"

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path, timeout=60.0)) as connection:
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute("CREATE TABLE IF NOT EXISTS vectors (key TEXT PRIMARY KEY, vector BLOB NOT NULL)")
                yield connection
        except (sqlite3.Error, OSError) as error:
            raise StorageFailed(f"{self.path}: the vector cache cannot be used: {error}") from error

    def read(self, keys: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Return the vectors that are there, by key."""
        import numpy as np  # noqa: PLC0415 - loaded with the first vector, not with the package

        found: dict[str, NDArray[np.float32]] = {}
        with self._connection() as connection:
            for at in range(0, len(keys), _KEYS_AT_ONCE):
                part = list(keys[at : at + _KEYS_AT_ONCE])
                marks = ",".join("?" * len(part))
                rows = connection.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", part)  # noqa: S608 - only question marks are put in
                found.update((key, np.frombuffer(blob, dtype="<f4").astype(np.float32)) for key, blob in rows)
        return found

    def write(self, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Add vectors in one transaction; a key that is already there keeps its vector."""
        rows = [(key, vector.astype("<f4").tobytes()) for key, vector in vectors.items()]
        with self._connection() as connection, connection:
            connection.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)
