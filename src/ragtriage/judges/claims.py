"""Cut a text into statements that can be checked, each with the ids cited at it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import regex

from ragtriage.core.records import Citation
from ragtriage.judges.behaviour import is_courtesy, is_refusal
from ragtriage.text.amounts import read_amounts
from ragtriage.text.clauses import clauses
from ragtriage.text.content import content_words
from ragtriage.text.markers import blank_markers
from ragtriage.text.sentences import Sentence, sentences

__all__ = ["Claim", "split_claims"]

_QUESTION = regex.compile(r"[?？؟][\"'”’»)\]*_\s]*$")
_LEAD_IN = regex.compile(r"[:：][*_\s]*$")
_EDGES = " \t\n\r*_|,;"


@dataclass(frozen=True, slots=True)
class Claim:
    """A checkable statement at [start, end) of its text; `cited`: ids cited at it, each once, in order."""

    text: str
    start: int
    end: int
    cited: tuple[str, ...] = ()


def _checkable(text: str, language: str | None) -> bool:
    amounts = read_amounts(text, language)
    return bool(content_words(text, language) or amounts.numbers or amounts.dates)


def _is_claim(sentence: Sentence, language: str | None) -> bool:
    if sentence.kind in {"heading", "header"} or _QUESTION.search(sentence.text):
        return False
    if is_refusal(sentence.text) or is_courtesy(sentence.text):
        return False
    if _LEAD_IN.search(sentence.text) and not read_amounts(sentence.text, language).numbers:
        return False
    return _checkable(sentence.text, language)


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and (text[start] in _EDGES or text[start].isspace()):
        start += 1
    while start < end and (text[end - 1] in _EDGES or text[end - 1].isspace()):
        end -= 1
    return start, end


def _pieces(masked: str, sentence: Sentence, language: str | None) -> list[tuple[int, int]]:
    """Return the spans of the claims of one sentence; what says nothing by itself joins its neighbour."""
    if sentence.kind == "row":
        spans = [(sentence.start, sentence.end)]
    else:
        spans = [(sentence.start + c.start, sentence.start + c.end) for c in clauses(sentence.text, language=language)]
    trimmed = (_trim(masked, *span) for span in spans)
    return [span for span in trimmed if span[0] < span[1] and _checkable(masked[slice(*span)], language)]


def _cited_at(
    masked: str, groups: Sequence[Sequence[tuple[int, int]]], citations: Sequence[Citation]
) -> dict[int, list[str]]:
    """Return the cited ids by the start of the claim they stand at.

    `groups`: spans of claims by sentence. A citation whose span holds words stands at the claims it overlaps; a bare
    mark stands at the claims of its sentence that end before it and come after the mark before, and a mark that opens
    a sentence at the claims of the sentence before.
    """
    found: dict[int, list[str]] = {}
    flat = [span for group in groups for span in group]
    ends = {span: group for group in groups for span in group}
    last_mark_end = 0
    last_targets: list[tuple[int, int]] = []
    for citation in sorted(citations, key=lambda c: (c.start, c.end)):
        inside = masked[citation.start : citation.end]
        if any(c.isalnum() for c in inside):
            targets = [s for s in flat if s[0] < citation.end and citation.start < s[1]]
        elif last_targets and not any(c.isalnum() for c in masked[last_mark_end : citation.start]):
            targets = last_targets
        else:
            before = [s for s in flat if s[0] < citation.start]
            group = ends[before[-1]] if before else []
            targets = [s for s in group if last_mark_end <= s[0] < citation.start] or before[-1:] or flat[:1]
        if not any(c.isalnum() for c in inside):
            last_mark_end, last_targets = citation.end, targets
        for span in targets:
            known = found.setdefault(span[0], [])
            known.extend(i for i in citation.ids if i not in known)
    return found


def split_claims(
    text: str, *, language: str | None = None, citations: Sequence[Citation] = (), ids: Collection[str] = ()
) -> list[Claim]:
    r"""Return the checkable statements of a text in order.

    Headings, questions, lead-ins ("You need:"), refusals and courtesies are none. `ids`: what may stand in citation
    marks, which are no part of a claim.

    >>> [c.text for c in split_claims("# Fees\nHello! The fee is 1% [a], the review takes 2 days. Why?", ids={"a"})]
    ['The fee is 1%', 'the review takes 2 days.']
    """
    masked = blank_markers(text, ids)
    groups = [_pieces(masked, s, language) for s in sentences(masked) if _is_claim(s, language)]
    cited = _cited_at(masked, [g for g in groups if g], citations)
    return [Claim(text[start:end], start, end, tuple(cited.get(start, ()))) for group in groups for start, end in group]
