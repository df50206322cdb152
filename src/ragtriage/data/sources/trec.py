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
) -> Iterator[tuple[Sequence[int], tuple[tuple[bytes, ...], ...]]]:
    """Yield (line numbers, columns) of the rows that have as many fields as there are names; note the others.

    `open_end`: the last field may hold white space.
    """
    for first, lines in read_blocks(path):
        fields = [line.split() for line in lines]
        numbers: Sequence[int] = range(first, first + len(lines))
        if set(map(len, fields)) != {len(names)} or b"#" in {line[:1] for line in lines}:
            good = []
            for number, row in zip(numbers, fields, strict=True):
                if not row:
                    continue
                if row[0].startswith(b"#"):
                    rows.comments += 1
                elif len(row) == len(names) or (open_end and len(row) > len(names)):
                    good.append((number, row[: len(names)]))
                else:
                    rows.fault(number, f"a line must have {len(names)} fields: {' '.join(names)}. Got {len(row)}")
            numbers, fields = [number for number, _ in good], [row for _, row in good]
        if fields:
            yield numbers, tuple(zip(*fields, strict=True))
