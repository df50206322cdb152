"""Ask a vector index, write down what it found for `[ingest.neighbours]`, and say how much of the truth that is."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from ragtriage.core.clock import Clock
from ragtriage.core.errors import BadInput
from ragtriage.core.files import write_atomic
from ragtriage.data.index_findings import IndexFinding
from ragtriage.data.vector_files import VectorSet, read_vectors
from ragtriage.report.escaping import one_line
from ragtriage.report.wording import count, interval, number
from ragtriage.runs.execute import Progress
from ragtriage.runs.writable import check_file
from ragtriage.stats.nearest import Distance
from ragtriage.workflows.given_parts import Reading
from ragtriage.workflows.index_opening import IndexAddress, opened
from ragtriage.workflows.index_recall import Answers, IndexScore, Truth, ask_index, prepared_sets, score_answers

__all__ = ["RecordedRecall", "VectorPlaces", "as_json", "as_tables", "record_recall"]


@dataclass(frozen=True, slots=True)
class VectorPlaces:
    """Files of the vectors that an index holds and of those of queries, with the ids of rows of a `.npy`."""

    vectors: Path
    queries: Path
    vector_ids: Path | None = None
    query_ids: Path | None = None

    @property
    def files(self) -> tuple[Path | None, ...]:
        """All of them."""
        return self.vectors, self.queries, self.vector_ids, self.query_ids

    def read(self, *, distance: Distance, k: int) -> tuple[VectorSet, VectorSet]:
        """Return both, as the index compares them; raises BadInput with every fault, or where k is too large."""
        reading = Reading("the command")
        items = reading.tried(lambda: read_vectors(self.vectors, ids=self.vector_ids), named="--vectors")
        asking = reading.tried(lambda: read_vectors(self.queries, ids=self.query_ids), named="--queries")
        if items is None or asking is None:
            raise reading.error
        tables = prepared_sets(items, asking, distance=distance)
        if k > len(items.ids):
            raise BadInput(f"-k {k} is more than the {count(len(items.ids), 'vector')} of {self.vectors}")
        return replace(items, vectors=tables[0]), replace(asking, vectors=tables[1])


@dataclass(frozen=True, slots=True)
class RecordedRecall:
    """What an index reached; `notes`: what a reader of it must know."""

    score: IndexScore
    queries: int
    distance: Distance
    notes: tuple[str, ...] = ()


def record_recall(
    address: IndexAddress,
    places: VectorPlaces,
    output: Path,
    *,
    environment: Mapping[str, str],
    base: Path,
    k: int = 10,
    distance: Distance = "cosine",
    progress: Progress | None = None,
    clock: Clock | None = None,
) -> RecordedRecall:
    """Ask an index every query, one at a time, and write what came to `output`, whole or not at all.

    Raises BadInput, MissingExtra and SystemUnavailable as `opened` does, BadInput with every fault of the vectors, and
    StorageFailed where the output cannot be written, all before anything is asked.
    """
    check_file(output, inputs=(*places.files, address.faiss))
    items, asking = places.read(distance=distance, k=k)
    with opened(address, items, distance=distance, environment=environment, base=base) as found:
        truth = Truth.among(items.vectors, asking.vectors, depth=k, distance=distance)
        if progress is not None:
            progress.begin(len(asking.ids), 0)
        try:
            answers = ask_index(found.index, truth, k=k, clock=clock, heard=_heard(progress))
        finally:
            if progress is not None:
                progress.end()
        score = score_answers(answers, truth, index=found.index.identity, k=k)
    write_atomic(output, "".join(_lines(answers, items, asking)))
    return RecordedRecall(score, len(asking.ids), distance, found.notes)


def as_json(found: RecordedRecall) -> str:
    """Return JSON: `null` with the reason where there is no recall, times in milliseconds."""
    score, recall = found.score, found.score.recall
    content: dict[str, Any] = {
        "index": score.index,
        "distance": found.distance,
        "items": score.items,
        "queries": found.queries,
        "metrics": {
            f"ingest.ann_recall@{score.k}": {
                "value": recall.value,
                "interval": None if recall.low is None else [recall.low, recall.high],
                "scored": recall.scored,
                "undefined": recall.undefined,
                **({} if recall.reason is None else {"reason": recall.reason}),
            }
        },
        "queries_per_s": score.queries_per_s,
        "ms_per_query": score.ms_per_query,
        "notes": list(found.notes),
    }
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def as_tables(found: RecordedRecall) -> tuple[Text, Table]:
    """Return what was asked, and a table of the recall with its interval and of the times."""
    score, recall = found.score, found.score.recall
    title = Text(one_line(f"{score.index}: {count(score.items, 'item')}, by {found.distance}"))
    table = Table(box=SIMPLE_HEAD)
    table.add_column("")
    for name in ("value", "interval", "n"):
        table.add_column(name, justify="right")
    ends = None if recall.low is None or recall.high is None else (recall.low, recall.high)
    rows = [
        (f"ingest.ann_recall@{score.k}", number(recall.value), interval(ends), f"{recall.scored:,}"),
        ("queries a second", number(score.queries_per_s), "", f"{found.queries:,}"),
        ("ms a query (median)", number(score.ms_per_query), "", f"{found.queries:,}"),
    ]
    for row in rows:
        table.add_row(*map(Text, row))
    return title, table


def _heard(progress: Progress | None) -> Any:
    return (lambda: None) if progress is None else (lambda: progress.advance(failed=False))


def _lines(answers: Answers, items: VectorSet, asking: VectorSet) -> Iterator[str]:
    for name, row, took in zip(asking.ids, answers.places.tolist(), answers.took_ms.tolist(), strict=True):
        ids = tuple(items.ids[place] for place in row if place >= 0)
        yield IndexFinding(query=name, ids=ids, took_ms=float(f"{took:.4g}")).model_dump_json() + "\n"
