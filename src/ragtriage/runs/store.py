"""The run folder's one database, `run.sqlite`: what was asked and answered, durable case by case.

Every row carries a hash of its content, and opening a file checks the whole of it: a damaged one raises StorageFailed
and is neither guessed at nor changed. Finishing a case is one transaction. The file appears under its name only when
it holds the plan and the golden cases, so an empty `run.sqlite` is always a damaged one.
"""

from __future__ import annotations

import json
import os
import socket
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias, cast

from ragtriage.core.errors import StorageFailed
from ragtriage.core.identity import hash_json
from ragtriage.core.records import Case, Chunk, Document, Trace
from ragtriage.core.score import Failed
from ragtriage.core.verdicts import JudgeCall, Verdicts
from ragtriage.runs.plan import Plan

__all__ = ["FILE", "JUDGE", "Finished", "RunStore", "Status"]

FILE = "run.sqlite"
Status = Literal["running", "interrupted", "complete"]
Row: TypeAlias = tuple[Any, ...]
JUDGE = "judge"  # the stage of a failure after which the answer itself stands
_IN_COLUMNS = {"request", "judge", "reply"}
_APPLICATION = 0x52545247  # "RTRG" in the file's header
_VERSION = 1
_COLUMNS = {
    "meta": ("name", "body"),
    "attempts": ("attempt", "pid", "host", "started_at", "status"),
    "golden": ("position", "case_id", "body"),
    "cases": ("case_id", "repeat", "attempt", "trace"),
    "verdicts": ("case_id", "repeat", "body"),
    "failures": ("case_id", "repeat", "attempt", "stage", "error", "message"),
    "chunks": ("position", "body"),
    "documents": ("doc_id", "body"),
    "judge_calls": ("request", "judge", "reply", "usage"),
    "vectors": ("text", "model", "body"),
    "sentences": ("doc_id", "body"),
}
_LATER = frozenset({"sentences"})  # tables that a run of an earlier version does not have
_KEYS = {
    "meta": "name",
    "attempts": "attempt",
    "golden": "position",
    "cases": "case_id, repeat",
    "verdicts": "case_id, repeat",
    "failures": "case_id, repeat, attempt",
    "chunks": "position",
    "documents": "doc_id",
    "judge_calls": "request",
    "vectors": "text, model",
    "sentences": "doc_id",
}


@dataclass(frozen=True, slots=True)
class Finished:
    """One question that is done: its trace as JSON, what the judge said, and what broke, if anything did."""

    case_id: str
    repeat: int
    trace: str
    verdicts: str | None = None
    failed: Failed | None = None


class RunStore:
    """An open `run.sqlite`; make one by `create` or `open`."""

    def __init__(self, path: Path, connection: sqlite3.Connection, *, plan: Plan) -> None:
        self.path = path
        self.plan = plan
        self._connection = connection
        self._attempt = 0

    @classmethod
    def create(cls, folder: Path, plan: Plan, cases: Sequence[Case], chunks: Sequence[Chunk] | None) -> RunStore:
        """Begin a run: write plan, cases and chunks beside the name, then rename; replaces a file that is there."""
        path, temporary = folder / FILE, folder / f"{FILE}.new"
        with _storage(path):
            folder.mkdir(parents=True, exist_ok=True)
            _remove(temporary)
            with closing(_connect(temporary)) as connection:
                for table in _COLUMNS:
                    _make(connection, table)
                connection.execute("BEGIN")
                _put(connection, "meta", ("plan", _json(plan.to_json())))
                _put(connection, "meta", ("chunks", "none" if chunks is None else "listed"))
                for position, case in enumerate(cases):
                    _put(connection, "golden", (position, case.case_id, case.model_dump_json(exclude_defaults=True)))
                for position, chunk in enumerate(chunks or ()):
                    _put(connection, "chunks", (position, chunk.model_dump_json(exclude_defaults=True)))
                connection.execute("COMMIT")
                connection.execute(f"PRAGMA application_id = {_APPLICATION}")
                connection.execute(f"PRAGMA user_version = {_VERSION}")
            _remove(path)  # with the write-ahead log of an older run, which must never meet the new file
            temporary.replace(path)
            _sync(folder)
            return cls(path, _connect(path), plan=plan)

    @classmethod
    def open(cls, folder: Path, *, writable: bool = False) -> RunStore:
        """Open a run, checking every page and every row of it first; raises StorageFailed for a damaged file."""
        path = folder / FILE
        with _storage(path, damaged=True):
            with closing(_connect(path, read_only=True)) as connection:
                plan = _check(path, connection)
            return cls(path, _connect(path, read_only=not writable), plan=plan)

    @staticmethod
    def exists(folder: Path) -> bool:
        """Say whether a run lies in a folder."""
        return (folder / FILE).exists()

    def __enter__(self) -> Self:
        """Use the store as a context."""
        return self

    def __exit__(self, *_exception: object) -> None:
        """Close the store."""
        self.close()

    def close(self) -> None:
        """Close the file; the write-ahead log is folded into it."""
        with _storage(self.path):
            self._connection.close()

    @property
    def status(self) -> Status:
        """What became of the last attempt; `running` also where its process died."""
        last = [row[-1] for row in self._rows("attempts", order="attempt")][-1:]
        return cast("Status", last[0]) if last else "running"

    def begin(self, *, at: datetime) -> int:
        """Note a new attempt and return its number, from 1."""
        with self._transaction():
            known = self._connection.execute("SELECT coalesce(max(attempt), 0) FROM attempts").fetchone()
            self._attempt = int(known[0]) + 1
            host = socket.gethostname()
            row = (self._attempt, os.getpid(), host, at.isoformat(), "running")
            _put(self._connection, "attempts", row)
        return self._attempt

    def end(self, status: Status) -> None:
        """Note how this attempt ended."""
        with self._transaction():
            (row,) = [row for row in self._rows("attempts") if row[0] == self._attempt]
            _put(self._connection, "attempts", (*row[:-1], status))

    def add(self, finished: Iterable[Finished]) -> None:
        """Make finished questions durable in one transaction, each whole or not at all."""
        with self._transaction():
            for one in finished:
                key = (one.case_id, one.repeat)
                self._connection.execute("DELETE FROM verdicts WHERE case_id = ? AND repeat = ?", key)
                _put(self._connection, "cases", (*key, self._attempt, one.trace))
                if one.verdicts is not None:
                    _put(self._connection, "verdicts", (*key, one.verdicts))
                if one.failed is not None:
                    why = (one.failed.stage, one.failed.error, one.failed.message)
                    _put(self._connection, "failures", (*key, self._attempt, *why))

    def add_calls(self, calls: Iterable[JudgeCall]) -> None:
        """Make replies of a judge durable in one transaction; a request that was asked again keeps its last reply."""
        with self._transaction():
            for call in calls:
                rest = call.model_dump_json(exclude=_IN_COLUMNS, exclude_none=True)
                _put(self._connection, "judge_calls", (call.request, call.judge, call.reply, rest))

    def judge_calls(self) -> dict[str, JudgeCall]:
        """Return the replies of the judge by request."""
        rows = self._rows("judge_calls", order="request")
        parts = ({"request": r[0], "judge": r[1], "reply": r[2], **json.loads(r[3])} for r in rows)
        return {part["request"]: JudgeCall.model_validate_json(json.dumps(part)) for part in parts}

    def add_documents(self, documents: Iterable[Document]) -> None:
        """Keep the documents that the traces and the golden cases name, so that the run can be read by itself."""
        with self._transaction():
            for document in documents:
                body = document.model_dump_json(exclude_defaults=True)
                _put(self._connection, "documents", (document.doc_id, body))

    def add_sentences(
        self, measured: Mapping[str, str], *, model: str, needed: Mapping[str, str], spent: Iterable[str]
    ) -> None:
        """Keep in one transaction what came of the sentences of documents, by id, and vectors by the hash of a text.

        `needed`: vectors that documents wait for that are not measured yet. `spent`: texts that none waits for now,
        whose vectors are forgotten.
        """
        with self._transaction():
            if "sentences" not in _tables(self._connection):
                _make(self._connection, "sentences")
            self._connection.executemany(
                "DELETE FROM vectors WHERE text = ? AND model = ?", ((text, model) for text in spent)
            )
            for text, body in needed.items():
                _put(self._connection, "vectors", (text, model, body))
            for doc_id, body in measured.items():
                _put(self._connection, "sentences", (doc_id, body))

    def sentences(self) -> dict[str, str]:
        """Return what came of the sentences of documents, by id; nothing for a run of before they were measured."""
        with _storage(self.path):
            known = "sentences" in _tables(self._connection)
        return {row[0]: row[1] for row in self._rows("sentences", order="doc_id")} if known else {}

    def vectors(self, *, model: str) -> dict[str, str]:
        """Return the vectors of one model that are still needed, by the hash of their text."""
        return {row[0]: row[2] for row in self._rows("vectors") if row[1] == model}

    def finished(self) -> frozenset[tuple[str, int]]:
        """Return (case id, repeat) of all that need not be asked again: every answer, of whatever attempt."""
        failed = {(row[0], row[1], row[2]) for row in self._rows("failures") if row[3] != JUDGE}
        asked = self._connection.execute("SELECT case_id, repeat, attempt FROM cases")
        return frozenset((case, repeat) for case, repeat, attempt in asked if (case, repeat, attempt) not in failed)

    def asked(self) -> frozenset[tuple[str, int]]:
        """Return (case id, repeat) of all that have a trace, failed or not."""
        return frozenset(self._connection.execute("SELECT case_id, repeat FROM cases"))

    def cases(self) -> tuple[Case, ...]:
        """Return the golden cases of the plan in their order."""
        return tuple(Case.model_validate_json(row[2]) for row in self._rows("golden", order="position"))

    def chunks(self) -> tuple[Chunk, ...] | None:
        """Return the chunks that the system listed, None where it lists none."""
        (listed,) = [row[1] for row in self._rows("meta") if row[0] == "chunks"]
        if listed == "none":
            return None
        return tuple(Chunk.model_validate_json(row[1]) for row in self._rows("chunks", order="position"))

    def documents(self) -> dict[str, Document]:
        """Return the documents that were kept with the run."""
        return {row[0]: Document.model_validate_json(row[1]) for row in self._rows("documents", order="doc_id")}

    def traces(self, *, repeat: int = 0) -> Iterator[tuple[str, Trace]]:
        """Yield (case id, trace) in the order of the golden set, whatever order they were finished in."""
        for row in self._in_order("cases", repeat):
            yield row[0], Trace.model_validate_json(row[3])

    def verdicts(self, *, repeat: int = 0) -> Iterator[tuple[str, Verdicts]]:
        """Yield (case id, verdicts) in the order of the golden set."""
        for row in self._in_order("verdicts", repeat):
            yield row[0], Verdicts.model_validate_json(row[2])

    def failures(self, *, repeat: int = 0) -> dict[str, Failed]:
        """Return what broke in the attempt that stands, by case id."""
        standing = {(row[0], row[2]) for row in self._in_order("cases", repeat)}
        rows = (row for row in self._in_order("failures", repeat) if (row[0], row[2]) in standing)
        return {row[0]: Failed(*row[3:6]) for row in rows}

    def _in_order(self, table: str, repeat: int) -> Iterator[Row]:
        columns = ", ".join(f"{table}.{column}" for column in (*_COLUMNS[table], "sha256"))
        query = f"SELECT {columns} FROM {table} JOIN golden USING (case_id) WHERE {table}.repeat = ? ORDER BY position"  # noqa: S608 - our own names
        with _storage(self.path, damaged=True):
            for row in self._connection.execute(query, (repeat,)):
                yield _checked(self.path, table, row)

    def _rows(self, table: str, *, order: str = "rowid") -> Iterator[Row]:
        with _storage(self.path, damaged=True):
            yield from _rows(self.path, self._connection, table, order)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with _storage(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")


def _connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Open the file; every commit is on the disk before it returns.

    Without a write-ahead log nobody is writing, and reading leaves no file behind, not even on read-only media.
    """
    mode = "rw" if path.exists() else "rwc"
    if read_only:
        mode = "ro" if path.with_name(f"{path.name}-wal").exists() else "ro&immutable=1"
    address = f"{path.resolve().as_uri()}?mode={mode}"
    connection = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
    if not read_only:
        connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def _make(connection: sqlite3.Connection, table: str) -> None:
    shape = ", ".join(f"{column} NOT NULL" for column in _COLUMNS[table])
    connection.execute(f"CREATE TABLE {table} ({shape}, sha256 TEXT NOT NULL, PRIMARY KEY ({_KEYS[table]}))")


def _tables(connection: sqlite3.Connection) -> frozenset[str]:
    return frozenset(name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'"))


def _put(connection: sqlite3.Connection, table: str, row: Row) -> None:
    marks = ", ".join("?" * (len(row) + 1))
    connection.execute(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", (*row, hash_json([table, *row])))  # noqa: S608 - our own table names


def _rows(path: Path, connection: sqlite3.Connection, table: str, order: str = "rowid") -> Iterator[Row]:
    columns = ", ".join((*_COLUMNS[table], "sha256"))
    for row in connection.execute(f"SELECT {columns} FROM {table} ORDER BY {order}"):  # noqa: S608 - our own names
        yield _checked(path, table, row)


def _checked(path: Path, table: str, row: Row) -> Row:
    """Return a row without its hash; raises StorageFailed where the two do not belong together."""
    content, kept = row[:-1], row[-1]
    try:
        whole = hash_json([table, *content]) == kept
    except (TypeError, ValueError):  # a damaged page may bring back bytes or broken text
        whole = False
    if not whole:
        raise _damage(path, f"a row of {table!r} does not match its hash")
    return content


def _check(path: Path, connection: sqlite3.Connection) -> Plan:
    """Check header, pages, indexes and every row of a file; returns its plan."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if connection.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION:
        raise _damage(path, "its header is not that of a run")
    if version != _VERSION:
        raise StorageFailed(f"{path}: was written in version {version} of the format; this version reads {_VERSION}")
    found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if found != "ok":
        raise _damage(path, str(found).splitlines()[0])
    known: dict[str, Any] = {}
    lacking = _LATER - _tables(connection)
    for table in (name for name in _COLUMNS if name not in lacking):
        for row in _rows(path, connection, table):
            if table == "meta":
                known[row[0]] = row[1]
    if "plan" not in known or "chunks" not in known:
        raise _damage(path, "its plan is missing")
    return Plan.from_json(json.loads(known["plan"]))


def _damage(path: Path, what: str) -> StorageFailed:
    return StorageFailed(
        f"{path} is damaged: {what}. Nothing was changed; put a copy in its place, or evaluate into another folder."
    )


@contextmanager
def _storage(path: Path, *, damaged: bool = False) -> Iterator[None]:
    """Turn errors of the disk and of the database into StorageFailed."""
    try:
        yield
    except (sqlite3.Error, sqlite3.Warning, UnicodeDecodeError) as error:
        if damaged and not isinstance(error, sqlite3.OperationalError):
            raise _damage(path, str(error)) from error
        raise StorageFailed(f"{path}: {error}") from error
    except OSError as error:
        raise StorageFailed(f"{path}: {error.strerror or error}") from error


def _remove(path: Path) -> None:
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm", f"{path.name}-journal"):
        path.with_name(name).unlink(missing_ok=True)


def _sync(folder: Path) -> None:
    """Make a rename in the folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
