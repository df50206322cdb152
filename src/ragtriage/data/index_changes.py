"""What changed in an index and when a search showed it, as `ragtriage index freshness` or a system's own log tells."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, AwareDatetime, Field, model_validator

from ragtriage.core.errors import BadInput, Fault
from ragtriage.core.files import read_lines, read_records
from ragtriage.core.records import Amount, Identifier, Record

__all__ = ["MARKER", "IndexChange", "Refusal", "read_changes"]

MARKER = "ragtriage-marker-"  # what the ids of documents begin with that are written to be searched for

_SHOWN = 1000
_NUMBER = re.compile(r"[-+]?[\d.]+(e[-+]?\d+)?", re.IGNORECASE)


def _in_utc(value: datetime) -> datetime:
    try:
        return value.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("lies beyond the calendar in UTC") from error


Moment = Annotated[AwareDatetime, AfterValidator(_in_utc)]


class Refusal(Record):
    """Why a system did not take a change, as `HTTP503` and its message."""

    error: Annotated[str, Field(min_length=1)]
    message: str = ""


class IndexChange(Record):
    """One document that was written to an index or deleted from it; times are ISO 8601 with a zone.

    `committed_at`: when the system said that it had the change. `searchable_at`: when a search first showed it (a
    deletion: when one was first without the document), at most `deadline_ms` later; null: none did until then. A change
    that the system refused has a `failure` and neither time.
    """

    doc_id: Identifier
    kind: Literal["written", "deleted"]
    committed_at: Moment | None
    searchable_at: Moment | None
    deadline_ms: Annotated[Amount, Field(gt=0)]
    failure: Refusal | None = None

    @model_validator(mode="after")
    def _times_agree(self) -> Self:
        if self.failure is not None:
            if self.committed_at is not None or self.searchable_at is not None:
                raise ValueError("a refused change has no times: 'committed_at' and 'searchable_at' must be null")
        elif self.committed_at is None:
            raise ValueError("'committed_at' must be a time where there is no 'failure'")
        elif self.lag_ms is not None and self.lag_ms < 0:
            raise ValueError("'searchable_at' lies before 'committed_at'")
        elif self.lag_ms is not None and self.lag_ms > self.deadline_ms:
            raise ValueError(
                f"'searchable_at' lies {self.lag_ms:g} ms after 'committed_at', and 'deadline_ms' is "
                f"{self.deadline_ms:g}: write null, or the longer deadline"
            )
        return self

    @property
    def lag_ms(self) -> float | None:
        """From the commit to the first search that showed the change, in milliseconds; None where none did."""
        if self.committed_at is None or self.searchable_at is None:
            return None
        return (self.searchable_at - self.committed_at) / timedelta(milliseconds=1)


def read_changes(path: Path) -> tuple[IndexChange, ...]:
    """Read a JSON Lines file of changes, by the time of their commit, refused ones last.

    Raises BadInput with every fault and its line; that a document was changed twice in one way at one time is one.
    """
    faults: list[Fault] = []
    changes = read_records(path, IndexChange, faults=faults, prepare=_no_numbers)
    broken = {fault.line for fault in faults}
    lines = [line for line, _ in read_lines(path) if line not in broken]
    faults += _repeated(path, zip(lines, changes, strict=True))
    if faults:
        count = f"{len(faults)} fault{'s' if len(faults) > 1 else ''}"
        raise BadInput(f"{path} has {count}:", sorted(faults)[:_SHOWN])
    return tuple(sorted(changes, key=_when))


def _no_numbers(value: dict[str, Any]) -> dict[str, Any]:
    """Refuse a number in quotation marks for a time, which would be taken for seconds or milliseconds since 1970."""
    for key in ("committed_at", "searchable_at"):
        if isinstance(value.get(key), str) and _NUMBER.fullmatch(value[key].strip()):
            raise ValueError(f"{key!r} must be a time such as 2026-05-04T10:00:00Z. Got {value[key]!r:.80} instead")
    return value


def _repeated(path: Path, changes: Iterable[tuple[int, IndexChange]]) -> list[Fault]:
    seen: dict[tuple[str, str, datetime], int] = {}
    found = []
    for line, change in changes:
        if change.committed_at is None:
            continue
        first = seen.setdefault((change.doc_id, change.kind, change.committed_at), line)
        if first != line:
            found.append(Fault(str(path), line, f"the change stands in line {first} already"))
    return found


def _when(change: IndexChange) -> tuple[bool, datetime]:
    return change.committed_at is None, change.committed_at or datetime.min.replace(tzinfo=UTC)
