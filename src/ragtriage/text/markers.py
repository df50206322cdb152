"""Citation marks inside an answer (`[1]`, `[doc-7, doc-9]`, `【3】`), which are neither words nor numbers of it."""

from __future__ import annotations

from collections.abc import Collection

import regex

__all__ = ["blank_markers", "marker_spans"]

_BRACKETS = regex.compile(r"\[\^?([^\[\]\n]{1,200})\](?!\()|【([^【】\n]{1,200})】|⟦([^⟦⟧\n]{1,200})⟧")
_SEPARATOR = regex.compile(r"\s*[,;|]\s*")
_NUMBERED = regex.compile(
    r"(?:doc(?:ument)?|source|passage|ref|context|док(?:умент)?|источник|джерело|дереккөз)?[ .:#№_-]*\d{1,3}"
    r"(?:\s*[-–†:]\s*\d{1,4}\p{L}?)?",
    regex.IGNORECASE,
)


def marker_spans(text: str, ids: Collection[str] = ()) -> list[tuple[int, int]]:
    """Return the places of citation marks: brackets that hold nothing but numbers or ids of `ids`.

    >>> marker_spans("Fee 1% [2] or [d-7; d-9], [sic].", {"d-7", "d-9"})
    [(7, 10), (14, 24)]
    """
    known = {i.casefold() for i in ids}
    found = []
    for match in _BRACKETS.finditer(text):
        inside = next(g for g in match.groups() if g is not None)
        parts = [p.strip() for p in _SEPARATOR.split(inside)]
        whole = inside.strip().casefold() in known
        if whole or (parts and all(p.casefold() in known or _NUMBERED.fullmatch(p) for p in parts)):
            found.append(match.span())
    return found


def blank_markers(text: str, ids: Collection[str] = ()) -> str:
    """Return the text with each citation mark replaced by as many spaces, so that all offsets stay.

    >>> blank_markers("Fee 1% [2].")
    'Fee 1%    .'
    """
    for start, end in marker_spans(text, ids):
        text = text[:start] + " " * (end - start) + text[end:]
    return text
