"""What a predicate means: which documents of the corpus meet it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from ragtriage.core.errors import BadInput
from ragtriage.core.records import Document, Predicate

__all__ = ["Conditions", "day_of", "field_value"]

_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True, slots=True)
class Conditions:
    """Decides predicates; `replaced_from`: by document the first day on which another one that supersedes it holds."""

    replaced_from: dict[str, date]

    @classmethod
    def of(cls, documents: Iterable[Document]) -> Conditions:
        """Read from the corpus which document replaces which, and from when on."""
        found: dict[str, date] = {}
        for document in documents:
            if document.supersedes is not None:
                begins = document.valid_from or date.min
                found[document.supersedes] = min(begins, found.get(document.supersedes, date.max))
        return cls(found)

    def meets(self, document: Document, predicate: Predicate) -> bool:
        """Say whether the document meets the predicate.

        A field that a document does not have meets `!=` and `not_in` alone. Raises BadInput for a `valid_on` that is
        no day, and for `in` without a list.
        """
        if predicate.field == "valid_on":
            return self._in_force(document, day_of(predicate))
        value = field_value(document, predicate.field)
        match predicate.op:
            case "==" | "!=":
                return _equals(value, predicate.value) is (predicate.op == "==")
            case "in" | "not_in":
                if not isinstance(predicate.value, list):
                    raise BadInput(f"the predicate on {predicate.field!r} needs a list for {predicate.op!r}")
                return any(_equals(value, one) for one in predicate.value) is (predicate.op == "in")
            case "contains":
                if isinstance(value, list | tuple):
                    return predicate.value in value
                return isinstance(value, str) and isinstance(predicate.value, str) and predicate.value in value
            case _:
                return _ordered(value, predicate.value, _ORDER[predicate.op])

    def _in_force(self, document: Document, day: date) -> bool:
        begun = document.valid_from is None or document.valid_from <= day
        ended = document.valid_to is not None and document.valid_to < day
        replaced = self.replaced_from.get(document.doc_id, date.max) <= day
        return begun and not ended and not replaced


def day_of(predicate: Predicate) -> date:
    """Return the day that a `valid_on` asks for; raises BadInput where it names none."""
    if predicate.op == "==" and isinstance(predicate.value, str):
        try:
            return date.fromisoformat(predicate.value)
        except ValueError:
            pass
    raise BadInput(f"'valid_on' needs '==' and a date. Got {predicate.op!r} and {predicate.value!r} instead")


def field_value(document: Document, name: str) -> Any:
    """Return a field of the document's metadata, else of the document, else None; dates as ISO text."""
    if name in document.metadata:
        return document.metadata[name]
    if name not in Document.model_fields or name in {"metadata", "text"}:
        return None
    value = getattr(document, name)
    return value.isoformat() if isinstance(value, date) else value


def _equals(value: Any, wanted: Any) -> bool:
    if isinstance(value, list | tuple) and not isinstance(wanted, list):
        return wanted in value
    return bool(value == wanted) and isinstance(value, bool) is isinstance(wanted, bool)


def _ordered(value: Any, wanted: Any, relation: Callable[[Any, Any], bool]) -> bool:
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in (value, wanted))
    texts = isinstance(value, str) and isinstance(wanted, str)
    return (numbers or texts) and relation(value, wanted)
