"""A Python callable as the system under test: a function, a coroutine function or a generator of pieces of text.

A call that does not come back in time is left behind in its own thread; it cannot hold up the run or its end.
"""

from __future__ import annotations

import asyncio
import functools
import importlib
import importlib.machinery
import inspect
import sys
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from ragtriage.core.clock import Clock
from ragtriage.core.errors import RagtriageError, SystemUnavailable, did_you_mean
from ragtriage.core.records import Chunk, Trace
from ragtriage.core.system import Override, Question
from ragtriage.runs.asking import AskFailed, Reply, place_of
from ragtriage.runs.systems.listed import Documents, chunks_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Border", "Loaded", "PythonSystem", "find_python", "load_python", "wrap_callable"]

T = TypeVar("T")
_PATH_ENDINGS = ("_path", "_dir", "_folder", "_file")


class _Lane:
    """A thread with an event loop; a call that blocks it blocks nothing else."""

    def __init__(self, *, alone: bool) -> None:
        self._loop = asyncio.new_event_loop()
        if alone:  # what a call raises after its asker has gone is nobody's news
            self._loop.set_exception_handler(lambda *_: None)
        threading.Thread(target=self._run, name="ragtriage-system", daemon=True).start()

    def call(self, work: Coroutine[Any, Any, T]) -> asyncio.Future[T]:
        """Start work in the lane; the future belongs to the caller's loop."""
        return asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    def close(self) -> None:
        """End the thread as soon as what it runs comes back."""
        self._loop.call_soon_threadsafe(self._loop.stop)

    def _run(self) -> None:
        try:
            self._loop.run_forever()
        finally:
            self._loop.set_exception_handler(lambda *_: None)  # what is still under way is left behind
            for task in asyncio.all_tasks(self._loop):
                task.cancel()
            self._loop.run_until_complete(asyncio.sleep(0))
            self._loop.close()


@dataclass
class PythonSystem:
    """Asks a callable `answer(question)`; `override` is passed only where its signature takes it."""

    answer: Callable[..., Any]
    clock: Clock
    timeout_s: float
    listed: tuple[Chunk, ...] | None = None
    takes_override: bool = False
    embedder: Callable[[list[str]], Any] | None = None
    _free: list[_Lane] = field(default_factory=list)
    _shared: _Lane | None = None

    async def ask(self, question: Question, *, override: Override | None = None) -> Reply:
        """Call the system and wait for it at most `timeout_s`; raises AskFailed, or what the system raised."""
        arguments = {"override": override} if override is not None else {}
        called = self._call(question, arguments)
        return (await self._done(called, alone=not _is_async(self.answer), what="answer")).result()

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors that the system's own `embed` makes of texts; float32 [texts, dimensions].

        Raises AskFailed, whatever the system raised, and where it needs more than `timeout_s`.
        """
        if self.embedder is None:
            raise AskFailed("NoEmbedder", "the system offers no embed()")
        called = self._embedded(self.embedder, list(texts))
        work = await self._done(called, alone=not _is_async(self.embedder), what="vectors")
        error = work.exception()
        if error is None or isinstance(error, AskFailed):
            return work.result()
        raise AskFailed(type(error).__name__, f"embed(): {error}{place_of(error)}") from error

    async def _done(self, called: Coroutine[Any, Any, T], *, alone: bool, what: str) -> asyncio.Future[T]:
        """Run it in a lane and return it when it is done; raises AskFailed where it is not in time."""
        lane = self._take(alone=alone)
        started = self.clock.monotonic_ms()
        work = lane.call(called)
        work.add_done_callback(_seen)
        done, _ = await asyncio.wait({work}, timeout=self.timeout_s)
        if not done:
            work.cancel()
            if alone:
                lane.close()
            waited = self.clock.monotonic_ms() - started
            message = f"no {what} within {self.timeout_s:g} s"
            raise AskFailed("TimeoutError", message, timed_out=True, duration_ms=max(waited, self.timeout_s * 1000))
        if alone:
            self._free.append(lane)
        if work.cancelled():
            raise AskFailed("CancelledError", f"the system cancelled its own {what}")
        return work

    def chunks(self) -> tuple[Chunk, ...] | None:
        """Return what the system's `chunks()` listed."""
        return self.listed

    async def close(self) -> None:
        """End the idle threads."""
        for lane in (*self._free, *([self._shared] if self._shared else [])):
            lane.close()
        self._free.clear()
        self._shared = None

    def _take(self, *, alone: bool) -> _Lane:
        """Coroutines share one loop, as their clients expect; a plain function gets a thread to itself."""
        if alone:
            return self._free.pop() if self._free else _Lane(alone=True)
        if self._shared is None:
            self._shared = _Lane(alone=False)
        return self._shared

    async def _call(self, question: Question, arguments: Mapping[str, Any]) -> Reply:
        started = self.clock.monotonic_ms()
        try:
            value = self.answer(question, **arguments)
            if inspect.isawaitable(value):
                value = await value
            if inspect.isgenerator(value):
                return self._joined([piece async for piece in _timed(_each(value), self.clock)], started)
            if inspect.isasyncgen(value):
                return self._joined([piece async for piece in _timed(value, self.clock)], started)
        except (SystemExit, StopIteration, KeyboardInterrupt) as error:
            raise _storable(error) from error
        return Reply(value, self.clock.monotonic_ms() - started)

    async def _embedded(self, embed: Callable[[list[str]], Any], texts: list[str]) -> NDArray[np.float32]:
        try:
            value = embed(texts)
            if inspect.isawaitable(value):
                value = await value
            return _vectors(value, len(texts))
        except (SystemExit, StopIteration, KeyboardInterrupt) as error:
            raise _storable(error) from error

    def _joined(self, pieces: list[tuple[object, float]], started: float) -> Reply:
        """Join pieces of text; a dictionary or Trace among them brings the other fields."""
        duration = self.clock.monotonic_ms() - started
        text = "".join(piece for piece, _ in pieces if isinstance(piece, str))
        first = next((at - started for piece, at in pieces if isinstance(piece, str) and piece), None)
        rest = [piece for piece, _ in pieces if not isinstance(piece, str)]
        if len(rest) > 1 or not all(isinstance(piece, dict | Trace) for piece in rest):
            came = ", ".join(type(piece).__name__ for piece in rest)
            message = f"a generator may yield pieces of text and one dict or Trace. Got {came}"
            raise AskFailed("InvalidReply", message, duration_ms=duration)
        if not rest:
            return Reply(text, duration, first)
        piece = rest[0]
        fields = piece.model_dump(mode="json") if isinstance(piece, Trace) else dict(piece)  # type: ignore[call-overload]
        if text and fields.get("answer") is None:
            fields["answer"] = {"text": text}
        return Reply(fields, duration, first)


def _storable(error: BaseException) -> AskFailed:
    """Return what a future may hold in place of what it may not; an exit would leave the asker waiting."""
    if isinstance(error, SystemExit):
        return AskFailed("SystemExit", f"the system called exit({error.code}){place_of(error)}")
    return AskFailed(type(error).__name__, f"{error}{place_of(error)}")


def _vectors(value: Any, count: int) -> NDArray[np.float32]:
    """Read what `embed` returned for so many texts; raises AskFailed where it is no table of finite numbers."""
    import numpy as np  # noqa: PLC0415 - loaded with the first vector

    wanted = f"embed() must return a vector for each of {count} texts, all of one length and of finite numbers"
    try:
        with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite, and is refused below
            rows = np.asarray(value if hasattr(value, "__len__") else list(value), dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise AskFailed("InvalidReply", f"{wanted}. Got: {error}") from error
    if rows.ndim != 2 or len(rows) != count or not rows.shape[1]:  # noqa: PLR2004 - a table
        raise AskFailed("InvalidReply", f"{wanted}. Got shape {rows.shape}")
    if not np.isfinite(rows).all():
        raise AskFailed("InvalidVector", f"{wanted}. Got others")
    return rows


def _seen(work: asyncio.Future[Any]) -> None:
    """Take notice of what a call raised, also where its asker was stopped and will not."""
    if not work.cancelled():
        work.exception()


async def _timed(pieces: AsyncIterator[object], clock: Clock) -> AsyncIterator[tuple[object, float]]:
    async for piece in pieces:
        yield piece, clock.monotonic_ms()


async def _each(pieces: Iterator[object]) -> AsyncIterator[object]:
    for piece in pieces:
        yield piece


def _is_async(answer: Callable[..., Any]) -> bool:
    inner = answer.func if isinstance(answer, functools.partial) else answer
    if not inspect.isroutine(inner):
        inner = type(inner).__call__
    return inspect.iscoroutinefunction(inner) or inspect.isasyncgenfunction(inner)


@dataclass(frozen=True)
class Loaded:
    """A callable with all that it tells of itself: the chunks it indexed and the identity of its parts.

    `embed`: its own way from a list of texts to vectors, None where it offers none.
    """

    answer: Callable[..., Any]
    chunks: tuple[Chunk, ...] | None = None
    bundle: Mapping[str, str] = field(default_factory=dict)
    embed: Callable[[list[str]], Any] | None = None

    def system(self, *, clock: Clock, timeout_s: float, listed: tuple[Chunk, ...] | None = None) -> PythonSystem:
        """Return the system that asks it; `listed` are the chunks that were given beside it."""
        takes = _takes_override(self.answer)
        return PythonSystem(self.answer, clock, timeout_s, listed or self.chunks, takes, self.embed)


def find_python(target: str, *, base: Path, what: str = "the system under test") -> Any:
    """Import `module:attribute`, also from the folder `base`, and return it; calls nothing.

    `what`: how errors name it. Raises SystemUnavailable where module or attribute is missing, or the import fails.
    """
    with Border(f"{what} {target!r} cannot be loaded"):
        module_name, _, path = target.partition(":")
        found: Any = _import(module_name, base)
        for name in path.split("."):
            if not hasattr(found, name):
                hint = did_you_mean(name, dir(found))
                raise SystemUnavailable(f"{what} {target!r}: there is no {name!r} in it.{hint}")
            found = getattr(found, name)
        return found


def load_python(
    target: str, *, base: Path, factors: Mapping[str, Any] | None, documents: Documents | None = None
) -> Loaded:
    """Import `module:attribute`, also from the folder `base`; with factors (even none) it is called with them first.

    A relative path in a factor named `corpus` or `..._path`, `..._dir`, `..._folder`, `..._file` starts at `base`.
    `documents`: the corpus, for chunks of other libraries. Raises SystemUnavailable where the module, the attribute or
    the call fails, BadInput for faulty chunks.
    """
    found = find_python(target, base=base)
    with Border(f"the system under test {target!r} cannot be loaded"):
        if factors is not None:
            found = found(**{name: _placed(name, value, base) for name, value in factors.items()})
        return wrap_callable(found, offers=sys.modules[target.partition(":")[0]], what=target, documents=documents)


def wrap_callable(
    answer: object, *, offers: object = None, what: str = "", documents: Documents | None = None
) -> Loaded:
    """Take a callable as it is; `bundle` is its own attribute, `chunks` and `embed` that or the module's (`offers`)."""
    if not callable(answer):
        raise SystemUnavailable(f"the system under test {what!r} is no callable. Got {type(answer).__name__}")
    with Border(f"the system under test {what!r} cannot list its chunks"):
        bundle = getattr(answer, "bundle", None)
        told = bundle() if callable(bundle) else bundle
        parts = {str(key): str(value) for key, value in told.items()} if isinstance(told, Mapping) else {}
        lister = getattr(answer, "chunks", None) or getattr(offers, "chunks", None)
        chunks = chunks_of(lister, what, documents) if callable(lister) else None
        embed = getattr(answer, "embed", None) or getattr(offers, "embed", None)
        return Loaded(answer, chunks, parts, embed if callable(embed) else None)


def _import(name: str, base: Path) -> Any:
    """Import a module; one that lies in `base` wins over one of the same name that another project brought."""
    folder = str(base.resolve())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    importlib.invalidate_caches()
    top = name.partition(".")[0]
    here, known = importlib.machinery.PathFinder.find_spec(top, [folder]), sys.modules.get(top)
    if here is not None and known is not None and getattr(known, "__file__", None) != here.origin:
        for other in [n for n in sys.modules if n == top or n.startswith(f"{top}.")]:
            del sys.modules[other]
        sys.path.remove(folder)
        sys.path.insert(0, folder)
    return importlib.import_module(name)


def _placed(name: str, value: Any, base: Path) -> Any:
    if isinstance(value, str) and (name == "corpus" or name.endswith(_PATH_ENDINGS)):
        return str((base / value).resolve())
    return value


def _takes_override(answer: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(answer).parameters.values()
    except (TypeError, ValueError):  # a builtin tells no signature
        return False
    return any(p.name == "override" or p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters)


class Border:
    """Turns whatever foreign code raises into SystemUnavailable; `what` says what cannot be done then."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Say where and why it failed."""
        if isinstance(error, SystemExit) or (isinstance(error, Exception) and not isinstance(error, RagtriageError)):
            said = f"{type(error).__name__}: {error}{place_of(error)}"
            raise SystemUnavailable(f"{self._what}: {said}") from error
