"""Whether a run can be stored in a folder, and a file written, found out by doing there what is done later."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from ragtriage.core.errors import BadInput, StorageFailed
from ragtriage.core.files import write_atomic
from ragtriage.runs.lock import FolderLock

__all__ = ["check_file", "nearest_folder", "storage_problem"]


def nearest_folder(folder: Path) -> Path:
    """Return the folder, or the nearest one above it that exists."""
    place = folder.absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    return place


def check_file(output: Path, *, inputs: Iterable[Path | None] = ()) -> None:
    """Refuse a file that cannot be written, or that is one of the inputs, before work is done for it.

    Raises BadInput for an input, StorageFailed for what cannot be written.
    """
    if output.resolve() in {one.resolve() for one in inputs if one is not None}:
        raise BadInput(f"{output} is read: name another file to write")
    if output.is_dir():
        raise StorageFailed(f"{output}: is a folder; name a file")
    try:
        with tempfile.TemporaryFile(dir=nearest_folder(output.parent)):
            pass
    except OSError as error:
        raise StorageFailed(f"{output}: cannot be written: {error.strerror or error}") from error


def storage_problem(folder: Path) -> str | None:
    """Say what keeps a run from being stored in a folder (or where it would be made); None where nothing does.

    Writes and renames a file, takes a lock and opens a database with a write-ahead log, all in a folder of its own
    that is removed again.
    """
    place = nearest_folder(folder)
    try:
        with tempfile.TemporaryDirectory(prefix=".ragtriage-doctor-", dir=place) as name:
            trial = Path(name)
            write_atomic(trial / "file", "whole or not at all\n")
            with FolderLock(trial), closing(sqlite3.connect(trial / "run.sqlite")) as connection:
                mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
                if mode != "wal":
                    return f"{place}: its file system holds no write-ahead log (SQLite answers {mode!r})"
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("CREATE TABLE trial (one INTEGER)")
                connection.commit()
    except StorageFailed as error:
        return str(error)
    except (OSError, sqlite3.Error) as error:
        return f"{place}: {getattr(error, 'strerror', None) or error}"
    return None
