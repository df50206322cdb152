"""Whether a text is one JSON value of a schema, read strictly."""

from __future__ import annotations

import json
from collections.abc import Mapping

__all__ = ["fits_schema", "strict_json"]

_LONGEST = 200_000


def strict_json(text: str) -> object:
    """Parse JSON without NaN and repeated keys; raises ValueError for anything else, also for endless nesting."""
    try:
        return json.loads(text, object_pairs_hook=_no_repeats, parse_constant=_no_constant)
    except RecursionError as error:
        raise ValueError("too deeply nested") from error


def fits_schema(text: str, schema: Mapping[str, object] | bool) -> bool | str:  # noqa: FBT001 - a schema may be a bool
    """Say whether a text is one JSON value of a schema (2020-12 where it names no other), or why that cannot be told.

    References are followed within the schema only; nothing is fetched.

    >>> fits_schema('{"fee": 1}', {"required": ["fee"]}), fits_schema("fee: 1", {})
    (True, False)
    >>> fits_schema("1", {"$ref": "https://example.com/fee"})
    "the declared JSON schema refers to 'https://example.com/fee', which it does not hold"
    """
    import jsonschema  # noqa: PLC0415 - few cases declare a schema, and it is slow to load
    import referencing  # noqa: PLC0415

    if len(text) > _LONGEST:
        return False
    try:
        instance = strict_json(text)
    except ValueError:
        return False
    whole = schema if isinstance(schema, bool) else dict(schema)
    named = whole.get("$schema") if isinstance(whole, dict) else None
    kind = jsonschema.validators.validator_for(whole, default=None if named else jsonschema.Draft202012Validator)
    if kind is None:
        return f"the declared JSON schema is written in {named!r}, which is not known here"
    try:
        kind.check_schema(whole)
        return bool(kind(whole, registry=referencing.Registry()).is_valid(instance))
    except jsonschema.SchemaError as error:
        return f"the declared JSON schema is broken: {error.message}"
    except referencing.exceptions.Unresolvable as error:
        return f"the declared JSON schema refers to {error.ref!r}, which it does not hold"
    except RecursionError:
        return "the declared JSON schema refers to itself without end"


def _no_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON number")
