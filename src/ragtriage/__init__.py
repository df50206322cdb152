"""ragtriage says which stage of a RAG pipeline is broken, how badly, for whom, and whether it may ship.

Importing this package loads nothing but this table; a name is imported when it is first used.
"""

from __future__ import annotations

import importlib
from typing import Any

_PUBLIC = {
    "Override": "ragtriage.core.system",
    "Question": "ragtriage.core.system",
    "Run": "ragtriage.workflows.run",
    "Trace": "ragtriage.core.records",
    "compare": "ragtriage.workflows.compare",
    "diagnose": "ragtriage.workflows.diagnose",
    "evaluate": "ragtriage.workflows.evaluate",
    "gate": "ragtriage.workflows.gate",
}

__all__ = sorted(_PUBLIC)  # noqa: PLE0605 - one table of public names, from which the rest follows


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    if name not in _PUBLIC:
        raise AttributeError(f"module 'ragtriage' has no attribute {name!r}")
    return getattr(importlib.import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    """List the public names."""
    return list(__all__)
