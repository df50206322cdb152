"""What a vector index returned for each query, as `ragtriage index recall` or a system's own log tells."""

from __future__ import annotations

from collections.abc import Container, Iterator
from pathlib import Path
from typing import Annotated

from pydantic import Field

from ragtriage.core.errors import BadInput, Fault
from ragtriage.core.files import read_lines, read_records
from ragtriage.core.records import Amount, Record

__all__ = ["IndexFinding", "read_findings"]

_FAULTS_SHOWN = 1000
_IDS_SHOWN = 5
_Id = Annotated[str, Field(min_length=1)]


class IndexFinding(Record):
    """What came for one query: `ids` of items, nearest first; `took_ms`: how long it took, where it was timed."""

    query: _Id
    ids: tuple[_Id, ...]
    took_ms: Amount | None = None


def read_findings(
    path: Path, *, queries: Container[str] | None = None, items: Container[str] | None = None
) -> tuple[IndexFinding, ...]:
    """Read a JSON Lines file of findings, in its order.

    `queries`, `items`: the ids that there are; None where that is not known. Raises BadInput with every fault and its
    line: a query that stands twice or that there is not, items that there are not.
    """
    faults: list[Fault] = []
    findings = read_records(path, IndexFinding, faults=faults)
    broken = {fault.line for fault in faults}
    lines = [line for line, _ in read_lines(path) if line not in broken]
    first: dict[str, int] = {}
    for line, finding in zip(lines, findings, strict=True):
        earlier = first.setdefault(finding.query, line)
        if earlier != line:
            faults.append(Fault(str(path), line, f"the query {finding.query!r} stands in line {earlier} already"))
        faults += [Fault(str(path), line, problem) for problem in _strangers(finding, queries, items)]
    if faults:
        count = f"{len(faults)} fault{'s' if len(faults) > 1 else ''}"
        raise BadInput(f"{path} has {count}:", sorted(faults)[:_FAULTS_SHOWN])
    return tuple(findings)


def _strangers(finding: IndexFinding, queries: Container[str] | None, items: Container[str] | None) -> Iterator[str]:
    if queries is not None and finding.query not in queries:
        yield f"there is no vector of the query {finding.query!r:.80}"
    unknown = [] if items is None else [name for name in dict.fromkeys(finding.ids) if name not in items]
    if unknown:
        shown = ", ".join(f"{name!r:.80}" for name in unknown[:_IDS_SHOWN])
        more = f" and {len(unknown) - _IDS_SHOWN} more" if len(unknown) > _IDS_SHOWN else ""
        yield f"'ids' holds what there is no vector of: {shown}{more}"
