"""Secrets by name: `env:NAME` in a configuration, the value only where it is used, and in nothing that we write."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Secrets", "names_in"]

_NAMED = re.compile(r"(?<![\w:])env:([A-Za-z_][A-Za-z0-9_]*)")
_SHORTEST = 8


def names_in(value: Any) -> Iterator[str]:
    """Yield the environment variables that a configuration names, wherever they stand.

    >>> list(names_in({"headers": {"Authorization": "Bearer env:TOKEN"}}))
    ['TOKEN']
    """
    if isinstance(value, str):
        yield from _NAMED.findall(value)
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from names_in(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from names_in(inner)


@dataclass(frozen=True, slots=True)
class Secrets:
    """The values of the environment variables that the configuration names."""

    values: Mapping[str, str] = field(default_factory=dict)

    def reveal(self, value: Any) -> Any:
        """Put the values in place of `env:NAME`, in texts at any depth; raises KeyError for a name without a value."""
        if isinstance(value, str):
            return _NAMED.sub(lambda found: self.values[found[1]], value)
        if isinstance(value, Mapping):
            return {key: self.reveal(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self.reveal(inner) for inner in value]
        return value

    def scrub(self, text: str) -> str:
        """Put `env:NAME` in place of every value, plain or as JSON writes it; values under 8 characters stay.

        >>> Secrets({"TOKEN": "hunter2hunter2"}).scrub("key hunter2hunter2 refused")
        'key env:TOKEN refused'
        """
        for name, value in self.values.items():
            if len(value) < _SHORTEST:
                continue
            for form in {value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}:
                text = text.replace(form, f"env:{name}")
        return text

    def __repr__(self) -> str:
        """Show names alone."""
        return f"Secrets({sorted(self.values)})"
