"""Content hashes: the same content has the same identity, whatever the file's order, name or date."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["canonical", "hash_bytes", "hash_json", "hash_records", "quoted"]

_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
quoted = json.encoder.encode_basestring
"""Writes a text as a JSON string, as `canonical` does."""


def canonical(value: Any) -> str:
    """Write JSON in one form only: keys sorted, no white space, no NaN; raises ValueError for NaN.

    >>> canonical({"b": 1, "a": "é"})
    '{"a":"é","b":1}'
    """
    return _CANONICAL.encode(value)


def hash_bytes(content: bytes) -> str:
    """Return the SHA-256 of bytes in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def hash_json(value: Any) -> str:
    """Return the SHA-256 of a value's canonical JSON."""
    return hash_bytes(canonical(value).encode())


def hash_records(records: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
    """Return one hash for a collection of records, each given with its id; their order does not matter.

    >>> hash_records([("a", {"x": 1}), ("b", {})]) == hash_records([("b", {}), ("a", {"x": 1})])
    True
    """
    return hash_json(sorted((key, hash_json(record)) for key, record in records))
