"""The best chunks made the context that the generator reads: at most so many, within so many tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import regex

from ragtriage.core.records import Chunk, ContextItem
from reference_rag.tokens import count_tokens

__all__ = ["assemble", "in_order"]

_SENTENCE_END = regex.compile(r"[.!?…。！？][\"'»”)]?(?=\s)|\n")
_LEAST_TOKENS = 24  # less of a passage than this says nothing


def assemble(chunks: Sequence[Chunk], *, context_size: int, token_budget: int) -> tuple[ContextItem, ...]:
    """Take the first `context_size` chunks as far as `token_budget` reaches.

    The chunk at the border is cut at the last sentence that fits, or left out where little of it would remain;
    offsets stay true. The first chunk is never left out.
    """
    items: list[ContextItem] = []
    left = token_budget
    for chunk in chunks[:context_size]:
        text = chunk.text if count_tokens(chunk.text) <= left else _beginning(chunk.text, left)
        if text is None and not items:
            text = chunk.text[: _longest(chunk.text, left)].rstrip() or None
        if text is None:
            break
        end = chunk.start + len(text)
        items.append(ContextItem(id=chunk.chunk_id, doc_id=chunk.doc_id, start=chunk.start, end=end, text=text))
        left -= count_tokens(text)
        if text != chunk.text:
            break
    return tuple(items)


def _beginning(text: str, tokens: int) -> str | None:
    """Return the whole sentences that fit, None where too little would remain."""
    if tokens < _LEAST_TOKENS:
        return None
    kept: str | None = None
    for match in _SENTENCE_END.finditer(text):
        candidate = text[: match.end()].rstrip()
        if count_tokens(candidate) > tokens:
            break
        kept = candidate
    return kept if kept and count_tokens(kept) >= _LEAST_TOKENS else None


def _longest(text: str, tokens: int) -> int:
    """Return how many characters fit, cut between words."""
    end = 0
    for match in regex.finditer(r"\S+", text):
        if count_tokens(text[: match.end()]) > tokens:
            break
        end = match.end()
    return end


def in_order(
    items: tuple[ContextItem, ...], order: tuple[str, ...] | Literal["reversed"] | None
) -> tuple[ContextItem, ...]:
    """Put the items in another order; items that `order` does not name keep their order behind those it names."""
    if order is None:
        return items
    if order == "reversed":
        return items[::-1]
    places = {name: place for place, name in enumerate(order)}
    return tuple(sorted(items, key=lambda item: places.get(item.id, len(places))))
