"""From settings to the system that is asked, with what it tells of itself before the first question."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragtriage.core.clock import Clock
from ragtriage.core.configuration import Configuration
from ragtriage.core.records import Case, Chunk
from ragtriage.runs.asking import System
from ragtriage.runs.bundle import system_bundle
from ragtriage.runs.secrets import Secrets
from ragtriage.runs.systems.http import HttpEndpoint
from ragtriage.runs.systems.listed import Documents, read_chunks
from ragtriage.runs.systems.python import Loaded, load_python, wrap_callable
from ragtriage.runs.systems.traces import RecordedSystem, RecordedTraces, read_traces

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Opened", "listed_chunks", "open_system"]


@dataclass(frozen=True, slots=True)
class Opened:
    """A system that is ready to be asked; `recorded` where traces were read instead.

    `embed`: texts as float32 [texts, dimensions] in the space that the system searches in; None: it offers none. Raises
    AskFailed.
    """

    system: System
    bundle: dict[str, str]
    recorded: RecordedTraces | None = None
    embed: Callable[[Sequence[str]], Awaitable[NDArray[np.float32]]] | None = None


def open_system(
    settings: Configuration,
    *,
    base: Path,
    cases: Sequence[Case],
    clock: Clock,
    secrets: Secrets,
    concurrency: int,
    documents: Documents | None = None,
    answer: Callable[..., Any] | None = None,
) -> Opened:
    """Load, connect or read the system under test; `answer` is a callable that was handed over in Python.

    `documents`: those of the corpus, which chunks without a place are found in. Raises SystemUnavailable where it
    cannot be loaded, BadInput for faulty chunks or trace files.
    """
    system = settings.system
    listed = read_chunks(base / system.chunks, documents) if system.chunks is not None else None
    if system.http is not None:
        endpoint = HttpEndpoint(
            system.http,
            clock=clock,
            timeout_s=system.timeout_s,
            concurrency=concurrency,
            secrets=secrets,
            listed=listed,
        )
        return Opened(endpoint, system_bundle(settings, base=base, told={}))
    if system.traces is not None:
        recorded = read_traces(system.traces, base=base, cases=cases, repeat=settings.run.repeat)
        bundle = system_bundle(settings, base=base, told={"records": recorded.identity})
        return Opened(RecordedSystem(system.traces, listed), bundle, recorded)
    if answer is not None:
        loaded = wrap_callable(answer, what=system.python or "", documents=documents)
    else:
        loaded = _load(settings, base, documents)
    python = loaded.system(clock=clock, timeout_s=system.timeout_s, listed=listed)
    bundle = system_bundle(settings, base=base, told=loaded.bundle)
    return Opened(python, bundle, embed=None if loaded.embed is None else python.embed)


def listed_chunks(settings: Configuration, *, base: Path, documents: Documents | None) -> tuple[Chunk, ...] | None:
    """Return the chunks that the system under test lists, or None; it is loaded where it is Python, and never asked.

    `documents`: those of the corpus, None: there is none. Raises SystemUnavailable where the system cannot be loaded,
    BadInput for faulty chunks.
    """
    system = settings.system
    listed = read_chunks(base / system.chunks, documents) if system.chunks is not None else None
    if listed or system.python is None:
        return listed
    return _load(settings, base, documents).chunks


def _load(settings: Configuration, base: Path, documents: Documents | None) -> Loaded:
    system = settings.system
    factors = system.factors if "factors" in system.model_fields_set else None
    return load_python(system.python or "", base=base, factors=factors, documents=documents)
