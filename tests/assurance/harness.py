"""A small project whose system counts what it is asked, and child processes that evaluate it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragtriage.core.results import TIME_DEPENDENT_METRICS

SRC = Path(__file__).resolve().parents[2] / "src"
FULL = os.environ.get("RAGTRIAGE_ASSURANCE") == "full"
PROGRAM = "from ragtriage.cli.main import main; main()"
SYSTEM = """
import os
import time
from pathlib import Path

HERE = Path(__file__).parent
DELAY_S = float(os.environ.get("DELAY_S", "0.01"))


def answer(question):
    log = os.open(HERE / "asked.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    os.write(log, f"{os.getpid()} {question.case_id}\\n".encode())
    os.close(log)
    time.sleep(DELAY_S)
    number = int(question.case_id[1:])
    if number % 7 == 3 and "STEADY" not in os.environ:
        raise ValueError("no answer to this one, ever")
    return {
        "rankings": [{"stage": "words", "hits": [{"id": f"d{number % 4}", "score": 1.0}, {"id": "d0", "score": 0.5}]}],
        "context": [{"id": f"d{number % 4}", "text": f"Document {number % 4} says {number % 4} things."}],
        "answer": {"text": f"It says {number % 4} things."},
    }
"""
CONFIGURATION = """
[corpus]
path = "corpus"

[golden]
path = "golden"

[system]
python = "counting_rag:answer"
context_size = 2
concurrency = 3

[metrics]
include = ["retrieval.recall@2", "retrieval.ndcg@2", "context.evidence_recall", "system.errors", "system.latency_p50"]

[slices]
by = ["language"]

[run]
resamples = 100

[[gate]]
metric = "retrieval.recall@2"
min = 0.1
"""


@dataclass(frozen=True)
class Project:
    """A project in a folder of its own, and how to evaluate it in a child process."""

    folder: Path
    library: Path

    @property
    def configuration(self) -> Path:
        return self.folder / "ragtriage.toml"

    def asked(self) -> list[str]:
        """Every question that the system was asked, in order, as `pid case_id`."""
        log = self.folder / "asked.log"
        return log.read_text().splitlines() if log.exists() else []

    def command(self, *options: str) -> list[str]:
        return [sys.executable, "-c", PROGRAM, "eval", "-c", str(self.configuration), *options]

    def environment(self, **more: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name not in {"PYTHONHASHSEED", "TZ"}}
        return {**kept, "PYTHONPATH": str(self.library), "CI": "1", **more}

    def start(self, *options: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command(*options),
            env=self.environment(**environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*options), env=self.environment(**environment), capture_output=True, text=True, check=False
        )


def write_project(folder: Path, *, cases: int) -> None:
    """Write corpus, golden set, system and configuration."""
    (folder / "corpus").mkdir(parents=True)
    (folder / "golden").mkdir()
    documents = [{"doc_id": f"d{n}", "text": f"Document {n} says {n} things."} for n in range(4)]
    golden = [
        {
            "case_id": f"c{n}",
            "question": f"What does document {n % 4} say, for the {n}th time?",
            "language": ("en", "kk")[n % 2],
            "evidence": [{"doc_id": f"d{n % 4 if n % 5 else 3}", "start": 0, "end": 10}],
        }
        for n in range(cases)
    ]
    (folder / "corpus" / "corpus.toml").write_text('name = "small"\nversion = "1"\nlicence = "CC0-1.0"\n')
    (folder / "corpus" / "documents.jsonl").write_text("".join(json.dumps(d) + "\n" for d in documents))
    (folder / "golden" / "golden.toml").write_text('name = "small"\nversion = "1"\ncorpus = ""\n')
    (folder / "golden" / "cases.jsonl").write_text("".join(json.dumps(c) + "\n" for c in golden))
    (folder / "counting_rag.py").write_text(SYSTEM)
    (folder / "ragtriage.toml").write_text(CONFIGURATION)


def timeless(path: Path) -> dict[str, Any]:
    """Read a results.json without what depends on time, as its schema marks it."""
    results: dict[str, Any] = json.loads(path.read_text())
    del results["run_id"]
    results["metrics"] = [row for row in results["metrics"] if row["name"] not in TIME_DEPENDENT_METRICS]
    return results


def wait_for(path: Path, *, holding: str = "", seconds: float = 30) -> None:
    """Wait until a file is there and holds a text."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with suppress(FileNotFoundError):
            if holding in path.read_bytes().decode(errors="replace"):
                return
        time.sleep(0.002)
