"""Draw borders between the chunks of a configured system, for a person to say whether each is a reasonable cut."""

from __future__ import annotations

import json
from pathlib import Path

from ragtriage.core.configuration import Configuration
from ragtriage.core.errors import BadInput
from ragtriage.core.records import Chunk
from ragtriage.data.border_labels import BorderSample, read_border_labels, sampled_borders
from ragtriage.data.chunk_viewing import ChunkedCorpus
from ragtriage.data.corpus import Corpus, read_corpus
from ragtriage.runs.systems.opening import listed_chunks
from ragtriage.workflows.settings import read_settings

__all__ = ["as_lines", "check_free", "draw_borders"]


def draw_borders(config: Path, *, count: int, seed: int | None = None) -> BorderSample:
    """Draw borders between the chunks that a run with this configuration would measure; asks no question.

    `seed` None: `[run] seed`. Raises BadInput where there is no corpus, no list of chunks, or no border,
    SystemUnavailable where the system cannot be loaded.
    """
    settings = read_settings(config)
    configuration = settings.configuration
    place = configuration.corpus
    if place is None:
        raise BadInput(f"{config}: there is no corpus to show the text of borders from: name it with [corpus] path")
    corpus = read_corpus(settings.base / place.path, source=place.source)
    chunks = _chunks(configuration, corpus, settings.base)
    if chunks is None:
        raise BadInput(
            f"{config}: the system does not list its chunks: offer chunks(), or name a file in [system] chunks"
        )
    sample = sampled_borders(
        ChunkedCorpus(corpus, chunks), count=count, seed=configuration.run.seed if seed is None else seed
    )
    if not sample.labels:
        raise BadInput(f"{config}: no document of the corpus has two chunks, so there is no border to look at")
    return sample


def check_free(path: Path) -> None:
    """Refuse a file that may hold what a person said of borders: drawing anew must not destroy it; raises BadInput."""
    if not path.exists():
        return
    try:
        labels = read_border_labels(path)
    except BadInput as error:
        raise BadInput(f"{path} is there already and is no fresh sample of borders: name another file") from error
    said = sum(label.reasonable is not None for label in labels)
    if said:
        raise BadInput(f"{path} holds {said} labels of borders, which would be lost: name another file")


def as_lines(sample: BorderSample) -> str:
    """Return the sample as JSON Lines, each with an empty `reasonable` to be filled with true or false."""
    return "".join(json.dumps(label.model_dump(), ensure_ascii=False) + "\n" for label in sample.labels)


def _chunks(configuration: Configuration, corpus: Corpus, base: Path) -> tuple[Chunk, ...] | None:
    listed = listed_chunks(configuration, base=base, documents=corpus.documents)
    return corpus.chunks if listed is None else listed
