"""One writer a run folder: an advisory lock that the system drops when its process dies, however it dies."""

from __future__ import annotations

import fcntl
import json
import os
import socket
from pathlib import Path
from types import TracebackType
from typing import Self

from ragtriage.core.errors import StorageFailed

__all__ = ["FolderLock"]

NAME = "run.lock"
_TRIES = 100
_MAX_BYTES = 4096


class FolderLock:
    """Holds `run.lock` of a folder; the file names the process and host for those who find it taken.

    The lock itself is `flock`, so a process that was killed leaves none behind: its file is taken over. Raises
    StorageFailed where another process holds it or the folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        self._descriptor: int | None = None

    def __enter__(self) -> Self:
        """Take the lock."""
        for _ in range(_TRIES):
            descriptor = self._take()
            if descriptor is not None:
                self._descriptor = descriptor
                return self
        raise StorageFailed(f"{self._path}: cannot be locked: it is being replaced all the time")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Drop the lock and remove its file."""
        if self._descriptor is not None:
            self._path.unlink(missing_ok=True)  # while it is still held, so that nobody's newer file goes
            os.close(self._descriptor)
            self._descriptor = None

    def _take(self) -> int | None:
        """Lock the file that stands under the name now; None where it was replaced in between."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise StorageFailed(f"{self._path}: cannot be written: {error.strerror or error}") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not self._path.exists() or os.fstat(descriptor).st_ino != self._path.stat().st_ino:
                os.close(descriptor)
                return None
            holder = json.dumps({"pid": os.getpid(), "host": socket.gethostname()})
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, holder.encode(), 0)
        except BlockingIOError as error:
            holder = os.pread(descriptor, _MAX_BYTES, 0).decode(errors="replace")
            os.close(descriptor)
            raise StorageFailed(f"{self._path.parent} is in use: {_who(holder)} writes there") from error
        except FileNotFoundError:
            os.close(descriptor)
            return None
        except OSError as error:
            os.close(descriptor)
            raise StorageFailed(f"{self._path}: cannot be locked: {error.strerror or error}") from error
        return descriptor


def _who(holder: str) -> str:
    try:
        named = json.loads(holder)
        return f"process {named['pid']} on {named['host']}"
    except (ValueError, KeyError, TypeError):
        return "another process"
