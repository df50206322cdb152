"""How the index of the system under test holds a needed group of evidence."""

from __future__ import annotations

from ragtriage.core.records import Chunk
from ragtriage.data.relevance import GoldGroup, GoldSpan
from ragtriage.decisions.facts import IndexState
from ragtriage.runs.viewing_places import Places
from ragtriage.text.tokens import words

__all__ = ["index_state"]

_SAME_TEXT = 0.5  # share of the evidence's words that the chunks at its place must hold
_ORDER: tuple[IndexState, ...] = ("whole", "split", "garbled", "lost", "missing")


def index_state(
    group: GoldGroup, places: Places, *, coverable: frozenset[str] | None, split: frozenset[str] | None
) -> IndexState | None:
    """Return how the chunks hold a group, by its best eligible alternative; None where no chunks are listed.

    `coverable`, `split`: the groups that all chunks together cover, and those that no single chunk covers.
    """
    if places.chunks is None or coverable is None or split is None:
        return None
    states = [_state_of(span, places) for span in group.eligible]
    best: IndexState = min(states, key=_ORDER.index) if states else "missing"
    if best == "whole" and group.name not in coverable:
        return "lost"
    return "split" if best == "whole" and group.name in split else best


def _state_of(span: GoldSpan, places: Places) -> IndexState:
    chunks = places.chunks_of.get(span.doc_id, ())
    if not chunks:
        return "missing"
    if span.start is None or span.end is None:
        return "whole"
    near = [chunk for chunk in chunks if chunk.start < (span.end or 0) and chunk.end > (span.start or 0)]
    if not near:
        return "lost"
    return "whole" if _hold_text(span, near, places) else "garbled"


def _hold_text(span: GoldSpan, near: list[Chunk], places: Places) -> bool:
    """Say whether the chunks at a span's place hold the words that stand there in the corpus."""
    document = places.corpus.documents.get(span.doc_id) if places.corpus is not None else None
    if document is None:
        return True
    wanted: list[str] = []
    held: set[str] = set()
    for chunk in near:
        wanted += words(document.text[max(chunk.start, span.start or 0) : min(chunk.end, span.end or 0)])
        held.update(words(chunk.text))
    return not wanted or sum(word in held for word in wanted) >= _SAME_TEXT * len(wanted)
