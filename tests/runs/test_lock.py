"""One writer a folder."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from ragtriage.core.errors import StorageFailed
from ragtriage.runs.lock import NAME, FolderLock

HOLD = """
import sys, time
from pathlib import Path
from ragtriage.runs.lock import FolderLock
with FolderLock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_writer_is_refused_and_told_who_writes(tmp_path: Path) -> None:
    with FolderLock(tmp_path), pytest.raises(StorageFailed, match=rf"process {os.getpid()} on {socket.gethostname()}"):
        FolderLock(tmp_path).__enter__()


def test_the_file_goes_with_the_lock(tmp_path: Path) -> None:
    with FolderLock(tmp_path):
        assert json.loads((tmp_path / NAME).read_text()) == {"pid": os.getpid(), "host": socket.gethostname()}
    assert list(tmp_path.iterdir()) == []
    with FolderLock(tmp_path):
        pass


def test_the_lock_of_a_killed_process_is_taken_over(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        with pytest.raises(StorageFailed, match=f"process {child.pid} "):
            FolderLock(tmp_path).__enter__()
        child.send_signal(signal.SIGKILL)
        child.wait()
    assert (tmp_path / NAME).exists()
    with FolderLock(tmp_path):
        assert json.loads((tmp_path / NAME).read_text())["pid"] == os.getpid()


def test_a_folder_that_cannot_be_made_is_a_storage_failure(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageFailed):
        FolderLock(tmp_path / "file" / "run").__enter__()
