"""A small real RAG pipeline to be evaluated; the library never imports it."""

from __future__ import annotations

import importlib
from typing import Any

_PUBLIC = {
    "answer": "reference_rag.entry",
    "build": "reference_rag.entry",
}

__all__ = sorted(_PUBLIC)  # noqa: PLE0605 - one table of public names, from which the rest follows


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    if name not in _PUBLIC:
        raise AttributeError(f"module 'reference_rag' has no attribute {name!r}")
    return getattr(importlib.import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    """List the public names."""
    return list(__all__)
