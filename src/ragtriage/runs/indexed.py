"""How the index of the system under test holds a needed group of evidence: where it stands, and as what text."""

from __future__ import annotations

from collections.abc import Sequence

from ragtriage.core.records import Chunk
from ragtriage.data.relevance import GoldGroup, GoldSpan
from ragtriage.decisions.facts import IndexedText, IndexState
from ragtriage.runs.viewing_places import Places
from ragtriage.text.tokens import words
from ragtriage.text.windows import decoded_anew, nearest_window

__all__ = ["in_language", "index_state", "worse"]

_SAME_TEXT = 0.5  # share of a document's words that its chunks must hold
_SAME = 0.1  # CER up to which a text with all of its numbers says the same
_GARBLED = 0.6  # CER from which on a text is another one
_SHOWN = 300
_ORDER: tuple[IndexState, ...] = ("whole", "moved", "split", "garbled", "lost", "missing")
_Found = tuple[IndexState, IndexedText | None]


def index_state(
    group: GoldGroup, places: Places, *, coverable: frozenset[str] | None, split: frozenset[str] | None
) -> tuple[IndexState | None, IndexedText | None]:
    """Return how the chunks hold a group, by its best eligible alternative, and what they hold in its place.

    None where no chunks are listed. `coverable`, `split`: the groups that all chunks together cover, and those that no
    single chunk covers.
    """
    if places.chunks is None or coverable is None or split is None:
        return None, None
    states = [_state_of(span, places) for span in group.eligible]
    missing: _Found = ("missing", None)
    best, text = min(states, key=lambda found: _ORDER.index(found[0]), default=missing)
    if best == "whole" and group.name not in coverable:
        return "lost", text
    return ("split" if best == "whole" and group.name in split else best), text


def in_language(group: GoldGroup, language: str | None, places: Places) -> GoldGroup | None:
    """Return a group with its eligible alternatives in a language alone; None where all or none of them are."""
    if language is None or places.corpus is None:
        return None
    documents = places.corpus.documents
    own = tuple(s for s in group.eligible if s.doc_id in documents and documents[s.doc_id].language == language)
    return GoldGroup(group.name, own) if own and len(own) < len(group.eligible) else None


def worse(state: IndexState | None, than: IndexState | None) -> bool:
    """Say whether evidence is lost to the index where the other is held whole.

    >>> worse("missing", "whole"), worse("split", "whole"), worse("missing", "garbled")
    (True, False, False)
    """
    return state in {"garbled", "lost", "missing"} and than in {"whole", "moved", "split"}


def _state_of(span: GoldSpan, places: Places) -> _Found:
    chunks = places.chunks_of.get(span.doc_id, ())
    if not chunks:
        return "missing", None
    document = places.corpus.documents.get(span.doc_id) if places.corpus is not None else None
    if span.start is None or span.end is None:
        return ("whole" if document is None or _mostly(document.text, chunks) else "garbled"), None
    near = [chunk for chunk in chunks if chunk.start < (span.end or 0) and chunk.end > (span.start or 0)]
    if document is None or (near and not any(chunk.text for chunk in near)):  # nothing to compare with
        return ("whole" if near else "lost"), None
    if near and all(_holds(chunk, document.text, span) for chunk in near):
        return "whole", None
    state, text = _elsewhere(document.text[span.start : span.end], chunks, near)
    if state == "lost" and near and not _known(near, document.text):
        return "garbled", text
    return state, text


def _holds(chunk: Chunk, text: str, span: GoldSpan) -> bool:
    """Say whether a chunk holds the words of the evidence that stand between its offsets in the corpus."""
    start, end = max(chunk.start, span.start or 0), min(chunk.end, span.end or 0)
    part = text[start:end]
    return chunk.text[start - chunk.start : end - chunk.start] == part or _contains(chunk.text, part)


def _elsewhere(quote: str, chunks: Sequence[Chunk], near: Sequence[Chunk]) -> _Found:
    """Look for evidence that does not stand at its place: anywhere in the chunks of its document, as near as may be."""
    ordered = sorted(chunks, key=lambda chunk: chunk.start)
    whole = "\n".join(chunk.text for chunk in ordered)
    if _contains(whole, quote):
        return "moved", IndexedText(quote=quote[:_SHOWN])
    window = nearest_window(quote, whole)
    shown = IndexedText(quote=quote[:_SHOWN], found=window.text[:_SHOWN], cer=round(window.cer, 3))
    if window.cer <= _SAME and _numbers(quote) <= _numbers(window.text):
        at_place = _contains("\n".join(chunk.text for chunk in near), window.text)
        return ("whole", None) if at_place else ("moved", shown)
    for mistake, mended in decoded_anew(whole).items():
        if nearest_window(quote, mended).cer <= _SAME:
            place = "\n".join(chunk.text for chunk in near) or whole
            return "garbled", IndexedText(quote=quote[:_SHOWN], found=place[:_SHOWN], decoding=mistake)
    return ("garbled" if window.cer < _GARBLED else "lost"), shown


def _known(near: Sequence[Chunk], document: str) -> bool:
    """Say whether what stands in the place of lost evidence is other text of the document, and no gibberish."""
    found, known = {word for chunk in near for word in words(chunk.text)}, set(words(document))
    return len(found & known) >= _SAME_TEXT * len(found)


def _contains(text: str, part: str) -> bool:
    """Say whether a text holds the words of another in their order, whatever stands between words."""
    return f" {' '.join(words(part))} " in f" {' '.join(words(text))} "


def _numbers(text: str) -> set[str]:
    return {word for word in words(text) if any(char.isdigit() for char in word)}


def _mostly(text: str, chunks: Sequence[Chunk]) -> bool:
    """Say whether the chunks of a document hold most of its words."""
    if not any(chunk.text for chunk in chunks):
        return True
    wanted = set(words(text))
    held = {word for chunk in chunks for word in words(chunk.text)}
    return len(wanted & held) >= _SAME_TEXT * len(wanted)
