"""Who may see which document, which documents are in force, and what a predicate keeps; read from the corpus alone."""

from __future__ import annotations

import operator
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

from ragtriage.core.records import Document, Predicate, Principal
from ragtriage.data.corpus import Corpus

__all__ = ["describe", "permitted", "satisfies", "superseded_on", "valid_on"]

_ORDERED: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def permitted(document: Document, principal: Principal) -> bool:
    """Say whether the principal may see the document: same tenant (or public), and one of its roles (or no roles).

    >>> permitted(Document(doc_id="d", text="", tenant="acme", acl=("staff",)), Principal(tenant="acme"))
    False
    """
    if document.tenant is not None and document.tenant != principal.tenant:
        return False
    return not document.acl or not set(document.acl).isdisjoint(principal.roles)


def superseded_on(corpus: Corpus, doc_id: str, day: date) -> bool:
    """Say whether another document that supersedes this one is valid from that day or an earlier one."""
    return any(s.valid_from is None or s.valid_from <= day for s in corpus.successors.get(doc_id, ()))


def valid_on(corpus: Corpus, doc_id: str, day: date | None) -> bool:
    """Say whether a document is in force on a day; without a day validity is not checked.

    In force from `valid_from` to `valid_to`, both included, until a document that supersedes it becomes valid.
    Raises KeyError for a document that the corpus does not hold.
    """
    document = corpus.documents[doc_id]
    if day is None:
        return True
    begun = document.valid_from is None or document.valid_from <= day
    ended = document.valid_to is not None and document.valid_to < day
    return begun and not ended and not superseded_on(corpus, doc_id, day)


def satisfies(corpus: Corpus, document: Document, predicate: Predicate) -> bool:
    """Say whether a predicate keeps a document: a field of the document or of its metadata against a value.

    A missing field equals null alone, so it passes `!=` and `not_in` and nothing else. A field that holds a list
    equals a value that stands in it. Dates compare as dates; values of different kinds are neither less nor more.
    Raises ValueError for a predicate that cannot be evaluated: `valid_on` without a date, `in` without a list.

    >>> corpus = Corpus("", "", "", {})
    >>> british = Document(doc_id="d2", text="", metadata={"locale": "en-GB"})
    >>> satisfies(corpus, british, Predicate(field="locale", value="en-US"))
    False
    """
    if predicate.field == "valid_on":
        return _in_force(corpus, document, predicate)
    actual, wanted = _field(document, predicate.field), predicate.value
    match predicate.op:
        case "==":
            return _equal(actual, wanted)
        case "!=":
            return not _equal(actual, wanted)
        case "in" | "not_in":
            if not isinstance(wanted, list):
                raise ValueError(f"{describe(predicate)}: {predicate.op!r} needs a list")
            inside = any(_equal(actual, one) for one in wanted)
            return inside if predicate.op == "in" else not inside
        case "contains":
            if isinstance(actual, list | tuple):
                return any(_same(one, wanted) for one in actual)
            return isinstance(actual, str) and isinstance(wanted, str) and wanted in actual
        case _:
            return _compares(actual, wanted, _ORDERED[predicate.op])


def describe(predicate: Predicate) -> str:
    """Write a predicate as people read it.

    >>> describe(Predicate(field="locale", value="en-US"))
    "locale == 'en-US'"
    """
    return f"{predicate.field} {predicate.op} {predicate.value!r}"


def _in_force(corpus: Corpus, document: Document, predicate: Predicate) -> bool:
    day = _as_date(predicate.value)
    if day is None or predicate.op != "==":
        raise ValueError(f"{describe(predicate)}: 'valid_on' needs '==' and a date")
    return valid_on(corpus, document.doc_id, day)


def _field(document: Document, name: str) -> Any:
    """Return the value under a name: a key of the metadata (`metadata.` may stand before it), else a field."""
    path = name.removeprefix("metadata.")
    if path in document.metadata:
        return document.metadata[path]
    if name == path and name in Document.model_fields and name != "metadata":
        return getattr(document, name)
    value: Any = document.metadata
    for part in path.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _equal(actual: Any, wanted: Any) -> bool:
    if isinstance(actual, list | tuple) and not isinstance(wanted, list | tuple):
        return any(_same(one, wanted) for one in actual)
    return _same(actual, wanted)


def _same(actual: Any, wanted: Any) -> bool:
    if isinstance(actual, date):
        return actual == _as_date(wanted)
    if isinstance(actual, bool) is not isinstance(wanted, bool):
        return False
    return bool((list(actual) if isinstance(actual, tuple) else actual) == wanted)


def _compares(actual: Any, wanted: Any, relation: Callable[[Any, Any], bool]) -> bool:
    if isinstance(actual, date):
        day = _as_date(wanted)
        return day is not None and relation(actual, day)
    if isinstance(actual, bool) or isinstance(wanted, bool):
        return False
    numbers = isinstance(actual, int | float) and isinstance(wanted, int | float)
    texts = isinstance(actual, str) and isinstance(wanted, str)
    return (numbers or texts) and relation(actual, wanted)


def _as_date(value: Any) -> date | None:
    if not isinstance(value, str):
        return None
    try:
        return datetime.fromisoformat(value).date()
    except ValueError:
        return None
