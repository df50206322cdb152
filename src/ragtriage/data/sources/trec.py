"""TREC files: runs (`question Q0 document rank score tag`) and judgements (`question 0 document grade`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ragtriage.core.declare import trace_source
from ragtriage.core.files import read_blocks
from ragtriage.data.rank_rows import JudgementRows, RunRows
from ragtriage.data.rankings import Judgements, RankedRun, Vocabulary

__all__ = ["read_judgements", "read_run", "trec"]

_RUN = ("question", "Q0", "document", "rank", "score", "tag")
_JUDGEMENT = ("question", "0", "document", "grade")


@trace_source(title="TREC run file")
def trec(path: Path) -> RankedRun:
    """Read a TREC run file."""
    return read_run(path, documents=Vocabulary())


def read_run(path: Path, *, documents: Vocabulary, need_rank: bool = False) -> RankedRun:
    """Read a TREC run file; fields are separated by white space, and lines that begin with `#` are comments.

    What follows the tag belongs to the tag. A rank that is no whole number is none, a fault only where `need_rank` asks
    for ranks. Raises BadInput with every fault.
    """
    rows = RunRows(path, documents, need_rank=need_rank)
    for lines, (question, _, document, rank, score, _) in _columns(path, rows, _RUN, open_end=True):
        rows.add(question, document, score, rank, lines)
    return rows.finish()


def read_judgements(path: Path, *, documents: Vocabulary, grade_map: Mapping[str, int] | None = None) -> Judgements:
    """Read a TREC judgement file (qrels); raises BadInput with every fault.

    `grade_map` maps grades as the file writes them, all at once.
    """
    rows = JudgementRows(path, documents, grade_map=grade_map)
    for lines, (question, _, document, grade) in _columns(path, rows, _JUDGEMENT, open_end=False):
        rows.add(question, document, grade, lines)
    return rows.finish()


def _columns(
    path: Path, rows: RunRows | JudgementRows, names: Sequence[str], *, open_end: bool
) -> Iterator[tuple[Sequence[int], Sequence[Sequence[bytes]]]]:
    """Yield (line numbers, columns) of the rows that have as many fields as there are names; note the others.

    `open_end`: the last field may hold white space.
    """
    for first, block in read_blocks(path):
        columns = _even_columns(block, len(names))
        if columns is not None:
            yield range(first, first + len(columns[0])), columns
            continue
        good = []
        for number, line in enumerate(block.split(b"\n"), start=first):
            row = line.split()
            if not row:
                continue
            if line.startswith(b"#"):
                rows.comments += 1
            elif len(row) == len(names) or (open_end and len(row) > len(names)):
                good.append((number, row[: len(names)]))
            else:
                rows.fault(number, f"a line must have {len(names)} fields: {' '.join(names)}. Got {len(row)}")
        if good:
            yield [number for number, _ in good], list(zip(*(row for _, row in good), strict=True))


def _even_columns(block: bytes, width: int) -> list[list[bytes]] | None:
    """Split a block of lines into columns at once; None where any line has not exactly `width` fields or is a comment.

    The end of each line becomes a field of its own, which must stand in every place where a line ends.
    """
    if b"\0" in block or block.startswith(b"#") or b"\n#" in block:
        return None
    fields = block.replace(b"\n", b" \0\n").split()
    fields.append(b"\0")
    count = block.count(b"\n") + 1
    if len(fields) != count * (width + 1) or fields[width :: width + 1].count(b"\0") != count:
        return None
    return [fields[place :: width + 1] for place in range(width)]
