"""Replies paid for once: a SQLite file that answers a request which was asked before, word for word.

A reply enters when whoever asked has read it and found it valid, and is on the disk before `confirm` returns; commits
are shared by those who wait at the same time. The key is a hash of the request, of endpoint and model, and of the
version of the parser, so that nothing read by other rules is ever taken up.
"""

from __future__ import annotations

import asyncio
import functools
import json
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ragtriage.core.errors import RagtriageError, StorageFailed
from ragtriage.core.identity import canonical, hash_bytes
from ragtriage.models.ports import ChatModel, ChatReply, ChatRequest
from ragtriage.models.replies import reply_as_data, reply_from_data
from ragtriage.models.wire import request_key

__all__ = ["CachedChat", "KnownReplies", "ReplyCache", "reply_key"]

_APPLICATION = 0x52544A43  # "RTJC" in the file's header
_VERSION = 1
_BUSY_MS = 30_000
_GROUPED_S = 0.01  # what comes within it after a commit shares the next one: each costs a wait for the disk
_MAKE = "CREATE TABLE IF NOT EXISTS replies (key TEXT NOT NULL PRIMARY KEY, body TEXT NOT NULL, sha256 TEXT NOT NULL)"


def reply_key(request: ChatRequest, *, model: str, parser: str) -> str:
    """Return the hash under which a reply is kept: request, identity of the model, version of what reads it."""
    return hash_bytes(f'{_key_start(model, parser)},"request":"{request_key(request)}"}}'.encode())


@functools.lru_cache(maxsize=64)
def _key_start(model: str, parser: str) -> str:
    """Return what stands before the request in the canonical JSON that is hashed."""
    return canonical({"model": model, "parser": parser})[:-1]


class KnownReplies:
    """Looks replies up in a cache without changing it; finds none where there is no file.

    Raises StorageFailed for a file that is no cache.
    """

    def __init__(self, path: Path | None, *, model: str, parser: str) -> None:
        self._model = model
        self._parser = parser
        self._path = path
        self._file: sqlite3.Connection | None = None
        if path is not None and path.exists():
            mode = "ro" if path.with_name(f"{path.name}-wal").exists() else "ro&immutable=1"
            self._file = sqlite3.connect(f"{path.resolve().as_uri()}?mode={mode}", uri=True, check_same_thread=False)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def find(self, request: ChatRequest) -> ChatReply | None:
        """Return the reply that would be taken up in place of a call."""
        if self._file is None:
            return None
        key = reply_key(request, model=self._model, parser=self._parser)
        try:
            row = self._file.execute("SELECT body FROM replies WHERE key = ?", (key,)).fetchone()
            return None if row is None else reply_from_data(json.loads(row[0]))
        except (sqlite3.Error, ValueError, KeyError, TypeError) as error:
            raise StorageFailed(f"{self._path}: is no cache of replies that can be read: {error}") from error


class ReplyCache:
    """The file; one for all runs that may share replies. Several processes may use it at once.

    Raises StorageFailed for a file that cannot be used, is of another kind, or is damaged; it is never changed then.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._pending: list[tuple[str, str, str]] = []
        self._waiting: list[asyncio.Future[None]] = []
        self._writing: asyncio.Task[None] | None = None
        self._broken: StorageFailed | None = None
        self._written_s = -_GROUPED_S
        with self._storage():
            path.parent.mkdir(parents=True, exist_ok=True)
            with ExitStack() as unless_good:
                self._writer = self._open()
                unless_good.callback(self._writer.close)
                self._reader = self._open()
                unless_good.pop_all()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="ragtriage-cache")

    def close(self) -> None:
        """Close the file; what was confirmed is in it already."""
        self._thread.shutdown()
        with self._storage():
            self._reader.close()
            self._writer.close()

    def find(self, key: str) -> str | None:
        """Return what is kept under a key; raises StorageFailed for a damaged row, and where writing failed before."""
        if self._broken is not None:
            raise self._broken
        with self._storage():
            row = self._reader.execute("SELECT body, sha256 FROM replies WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        body, checksum = row
        if not isinstance(body, str) or hash_bytes(f"{key}\n{body}".encode()) != checksum:
            raise StorageFailed(f"{self._path} is damaged: a reply is not what was written. Delete the file to go on")
        return body

    async def keep(self, key: str, body: str) -> None:
        """Write under a key, and return when it is durable; what is there already stays. Raises StorageFailed."""
        if self._broken is not None:
            raise self._broken
        self._pending.append((key, body, hash_bytes(f"{key}\n{body}".encode())))
        durable: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(durable)
        if self._writing is None:
            self._writing = asyncio.get_running_loop().create_task(self._write_batches())
        await durable

    async def _write_batches(self) -> None:
        """Commit what is pending, batch after batch; each batch is what came while the one before was written."""
        loop = asyncio.get_running_loop()
        try:
            while self._pending:
                if (wait_s := self._written_s + _GROUPED_S - loop.time()) > 0:
                    await asyncio.sleep(wait_s)
                rows, waiting = self._pending, self._waiting
                self._pending, self._waiting = [], []
                try:
                    await loop.run_in_executor(self._thread, self._write, rows)
                except StorageFailed as error:
                    self._broken = error
                    for durable in waiting:
                        if not durable.done():  # else nobody is waiting any more
                            durable.set_exception(error)
                else:
                    self._written_s = loop.time()
                    for durable in waiting:
                        if not durable.done():
                            durable.set_result(None)
        finally:
            self._writing = None

    def _write(self, rows: list[tuple[str, str, str]]) -> None:
        with self._storage():
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                self._writer.executemany("INSERT OR IGNORE INTO replies VALUES (?, ?, ?)", rows)
                self._writer.execute("COMMIT")
            finally:
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")

    def _open(self) -> sqlite3.Connection:
        with ExitStack() as unless_good:
            connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
            unless_good.callback(connection.close)
            connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            new = application == 0 and tables == 0
            if not new and (application, version) != (_APPLICATION, _VERSION):
                raise StorageFailed(f"{self._path} is no cache of replies of this version; name another file")
            if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            if new:
                connection.execute("BEGIN IMMEDIATE")
                connection.execute(_MAKE)
                connection.execute(f"PRAGMA application_id = {_APPLICATION}")
                connection.execute(f"PRAGMA user_version = {_VERSION}")
                connection.execute("COMMIT")
            unless_good.pop_all()
        return connection

    @contextmanager
    def _storage(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, sqlite3.Warning, UnicodeDecodeError) as error:
            raise StorageFailed(f"{self._path}: {error}. Nothing was sent; free the disk or delete the file") from error
        except OSError as error:
            raise StorageFailed(f"{self._path}: {error.strerror or error}") from error


@dataclass(slots=True)
class _UnderWay:
    """A request that is being answered, for others that ask the same meanwhile."""

    done: asyncio.Event
    outcome: ChatReply | RagtriageError | None = None


class CachedChat:
    """A chat model that asks another only what it does not know.

    `parser`: version of the rules that replies are read by. Where the same is asked twice at once, one request is sent.
    Without a file it keeps nothing.
    """

    def __init__(self, model: ChatModel, *, cache: ReplyCache | None, parser: str) -> None:
        self._model = model
        self._cache = cache
        self._parser = parser
        self._under_way: dict[str, _UnderWay] = {}

    @property
    def identity(self) -> str:
        """What answers, without any secret."""
        return self._model.identity

    def key(self, request: ChatRequest) -> str:
        """Return the hash under which the reply to a request is kept."""
        return reply_key(request, model=self.identity, parser=self._parser)

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer from the file, else ask; raises what the other model raises, and StorageFailed."""
        key = self.key(request)
        while True:
            body = None if self._cache is None else self._cache.find(key)
            if body is not None:
                return replace(reply_from_data(json.loads(body)), cached=True, attempts=0, cost_usd=0.0)
            other = self._under_way.get(key)
            if other is None:
                return await self._ask(key, request)
            await other.done.wait()
            if isinstance(other.outcome, ChatReply):
                return replace(other.outcome, cached=True, attempts=0, cost_usd=0.0)
            if other.outcome is not None:
                raise other.outcome

    async def confirm(self, request: ChatRequest, reply: ChatReply) -> None:
        """Keep a reply that was read and found valid; returns when it is durable. Raises StorageFailed."""
        if self._cache is not None and not reply.cached:
            await self._cache.keep(self.key(request), _json(reply_as_data(reply)))

    async def _ask(self, key: str, request: ChatRequest) -> ChatReply:
        mine = self._under_way[key] = _UnderWay(asyncio.Event())
        try:
            mine.outcome = await self._model.complete(request)
        except RagtriageError as error:
            mine.outcome = error
            raise
        else:
            return mine.outcome
        finally:  # where this was cancelled there is no outcome, and another asks
            del self._under_way[key]
            mine.done.set()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
