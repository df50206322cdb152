"""Parts that are installed only where they are wanted."""

from __future__ import annotations

import importlib
from typing import Any

from ragtriage.core.errors import MissingExtra

__all__ = ["is_installed", "need"]


def need(module: str, *, package: str, extra: str, needed_for: str) -> Any:
    """Import a module of an extra; raises MissingExtra, which names the command that brings it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtra(package, extra=extra, needed_for=needed_for) from error


def is_installed(module: str) -> bool:
    """Say whether a module can be imported here."""
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True
