"""How much evidence no chunk holds in one piece."""

from __future__ import annotations

from ragtriage.core.chunk_views import EvidenceSplitView
from ragtriage.core.declare import metric
from ragtriage.core.score import Score, Undefined, Value


@metric(
    title="Split evidence",
    unit="gold spans that no chunk holds whole / gold spans",
    bounds=(0, 1),
    better="lower",
    source="METRICS.md, ingest; Evaluating RAG, part 2",
    aggregate="micro",
)
def evidence_split(view: EvidenceSplitView) -> Score:
    """Gold spans that no single chunk contains from end to end / gold spans.

    What is split cannot come back whole with any one result, however good the search. Undefined where the system lists
    no chunks, and for a case without gold spans (whole documents as evidence are none).

    >>> chunks = {"d": ((0, 10), (10, 30))}
    >>> evidence_split(EvidenceSplitView(spans=(("d", 2, 9), ("d", 8, 12)), chunks=chunks))
    Value(value=0.5, support=2)
    """
    if view.chunks is None:
        return Undefined("the system does not list its chunks")
    if not view.spans:
        return Undefined("no gold spans")
    split = sum(
        not any(first <= start and end <= last for first, last in view.chunks.get(doc_id, ()))
        for doc_id, start, end in view.spans
    )
    return Value(split / len(view.spans), support=len(view.spans))
