"""When an extracted predicate says the same as a gold one."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import TypeAlias

from ragtriage.core.identity import canonical
from ragtriage.core.records import Predicate

__all__ = ["Said", "extracted_from_question", "said"]

Said: TypeAlias = tuple[str, str, str]
_BY_RULE = frozenset({"policy", "principal", "access", "date of asking"})


def said(predicate: Predicate) -> Said:
    """Return what a predicate says, without its mode and origin; `in` a list of one is `==`, order is no matter.

    >>> said(Predicate(field="product", op="in", value=["card"])) == said(Predicate(field="product", value="card"))
    True
    """
    op, value = predicate.op, predicate.value
    if op in {"in", "not_in"} and isinstance(value, list):
        if len(value) == 1:
            op, value = ("==" if op == "in" else "!="), value[0]
        else:
            value = sorted(value, key=canonical)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    field = predicate.field.removeprefix("metadata.")
    return field, op, unicodedata.normalize("NFC", canonical(value))


def extracted_from_question(extracted: Iterable[Predicate], gold: Iterable[Predicate]) -> list[Predicate]:
    """Leave out predicates that a rule adds (policy, principal, date of asking) on fields that gold does not name."""
    labelled = {said(predicate)[0] for predicate in gold}
    return [p for p in extracted if p.origin not in _BY_RULE or said(p)[0] in labelled]
