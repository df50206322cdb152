"""Which cases belong together: in a slice (by a field, a pair of fields, a tag) or in a cluster (by a document)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ragtriage.core.errors import UnknownName
from ragtriage.core.records import Case

__all__ = ["FIELDS", "Slice", "belongs", "check_fields", "clusters_of", "fields_of", "slices_by", "slices_of"]

FIELDS = ("kind", "language", "intent", "difficulty", "risk", "origin", "split", "tags")


@dataclass(frozen=True, slots=True)
class Slice:
    """Cases that share the values in `where`; `rows`: their positions."""

    where: Mapping[str, str]
    rows: tuple[int, ...]


def slices_of(cases: Sequence[Case], by: Iterable[str]) -> list[Slice]:
    """Return the slices by each entry of `by`, each entry's sorted by value.

    An entry is a field of a case, `tags` (a case belongs to each of its tags), or several joined with `+`. A case that
    records nothing in a field is in none of its slices. Raises UnknownName for a field that cannot be sliced by.
    """
    entries = tuple(by)
    names = dict.fromkeys(part.strip() for entry in entries for part in entry.split("+"))
    check_fields(tuple(names))
    return slices_by([{name: _values(case, name) for name in names} for case in cases], entries)


def slices_by(members: Sequence[Mapping[str, tuple[str, ...]]], by: Iterable[str]) -> list[Slice]:
    """Return the slices of anything that has fields of texts, by fields or several joined with `+`.

    >>> [dict(part.where) for part in slices_by([{"class": ("scan",)}, {"class": ("web",)}, {}], ["class"])]
    [{'class': 'scan'}, {'class': 'web'}]
    """
    found: list[Slice] = []
    done: set[tuple[str, ...]] = set()
    for entry in by:
        fields = tuple(part.strip() for part in entry.split("+"))
        if fields in done:
            continue
        done.add(fields)
        rows: dict[tuple[str, ...], list[int]] = {}
        for row, member in enumerate(members):
            for values in itertools.product(*(member.get(name, ()) for name in fields)):
                rows.setdefault(values, []).append(row)
        found.extend(Slice(dict(zip(fields, values, strict=True)), tuple(rows[values])) for values in sorted(rows))
    return found


def belongs(case: Case, where: Mapping[str, str]) -> bool:
    """Say whether a case lies in a slice; raises UnknownName for a field that cannot be sliced by.

    >>> belongs(Case(case_id="c", question="?", language="kk", tags=("table",)), {"language": "kk", "tags": "table"})
    True
    """
    check_fields(tuple(where))
    return all(value in _values(case, name) for name, value in where.items())


def fields_of(members: Iterable[Mapping[str, str]]) -> tuple[str, ...]:
    """Return the fields that any of them has, sorted.

    >>> fields_of([{"language": "kk"}, {"class": "scan"}])
    ('class', 'language')
    """
    return tuple(sorted({name for member in members for name in member}))


def clusters_of(cases: Iterable[Case]) -> list[str]:
    """Return for each case its cluster: the document of its first evidence; a case without any is one of its own."""
    found = []
    for case in cases:
        document = next((e.doc_id for e in case.evidence if e.grade > 0), None)
        found.append(f"case {case.case_id}" if document is None else f"document {document}")
    return found


def check_fields(fields: Iterable[str]) -> None:
    """Raise UnknownName for the first of these names that is no field of a case to slice by.

    >>> check_fields(["kind", "tags"])
    """
    for name in fields:
        if name not in FIELDS:
            raise UnknownName(name, known=FIELDS, what="field of a case to slice by")


def _values(case: Case, field: str) -> tuple[str, ...]:
    if field == "tags":
        return tuple(dict.fromkeys(case.tags))
    value = getattr(case, field)
    return () if value is None else (str(value),)
