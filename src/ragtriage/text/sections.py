"""Which headings and which page of a text a piece of it stands under."""

from __future__ import annotations

import bisect
import itertools
from dataclasses import dataclass

import regex

from ragtriage.text.wholes import Whole, wholes

__all__ = ["Sections", "page_starts", "sections_of"]

_LONGEST = 2000  # of what stands between two tags: one that is never closed must not cost the rest of the text
_HEADING = regex.compile(
    r"^[ ]{0,3}(?P<marks>\#{1,6})[ \t]+(?P<title>[^\n]*)$"
    r"|^[ ]{0,3}(?P<under>(?![-*+>|#\s])[^\n]+)\n(?P<line>={3,}|-{3,})[ \t]*$"
    rf"|<h(?P<level>[1-6])\b[^>]{{0,{_LONGEST}}}>(?P<html>.{{0,{_LONGEST}}}?)</h(?P=level)\s*>",
    regex.MULTILINE | regex.IGNORECASE | regex.DOTALL,
)
_CLOSING = regex.compile(r"(?<![^ \t])#+$")
_TAG = regex.compile(r"<[^>]*>")


@dataclass(frozen=True)
class Sections:
    """The sections of a text: the body of each begins where its heading ends and lasts to the next heading.

    `headings`: where each heading stands. `paths`: the headings over the text before the first heading, behind the
    first, behind the second, ...
    """

    text: str
    headings: tuple[tuple[int, int], ...]
    paths: tuple[tuple[str, ...], ...]

    def path(self, start: int, end: int) -> tuple[str, ...]:
        """Return the headings that everything at [start, end) stands under, outermost first.

        The text of headings does not count, but of a piece that is nothing else.
        """
        starts = [place[0] for place in self.headings]
        first = bisect.bisect_right(starts, start)
        last = bisect.bisect_left(starts, end)
        under = [self.paths[at] for at in range(first, last + 1) if self._says(at, start, end)]
        shared = itertools.takewhile(
            lambda level: len(set(level)) == 1, zip(*(under or [self.paths[last]]), strict=False)
        )
        return tuple(level[0] for level in shared)

    def _says(self, section: int, start: int, end: int) -> bool:
        """Say whether the body of a section has text at [start, end)."""
        begin = self.headings[section - 1][1] if section else 0
        stop = self.headings[section][0] if section < len(self.headings) else len(self.text)
        return bool(self.text[max(begin, start) : min(stop, end)].strip())


def sections_of(text: str) -> Sections:
    r"""Read the headings of a Markdown or HTML text; those inside code are none.

    >>> found = sections_of("# Loans\n\n## Fees\n\nOne.\n\n## Limits\n\nTwo.")
    >>> found.path(18, 22), found.path(18, 39), found.path(0, 22)
    (('Loans', 'Fees'), ('Loans',), ('Loans', 'Fees'))
    """
    closed = [piece for piece in wholes(text) if piece.kind in {"code", "table"}] if _HEADING.search(text) else []
    places: list[tuple[int, int]] = []
    paths: list[tuple[str, ...]] = [()]
    above: list[tuple[int, str]] = []
    for match in _HEADING.finditer(text):
        if _touches(match, closed):
            continue
        level, title = _read(match)
        above = [*(one for one in above if one[0] < level), (level, title)]
        places.append(match.span())
        paths.append(tuple(name for _, name in above))
    return Sections(text, tuple(places), tuple(paths))


def _touches(match: regex.Match[str], closed: list[Whole]) -> bool:
    return any(piece.start < match.end() and match.start() < piece.end for piece in closed)


def _read(match: regex.Match[str]) -> tuple[int, str]:
    if match["marks"] is not None:
        return len(match["marks"]), _CLOSING.sub("", match["title"].strip()).rstrip()
    if match["under"] is not None:
        return (1 if match["line"].startswith("=") else 2), match["under"].strip()
    return int(match["level"]), " ".join(_TAG.sub(" ", match["html"]).split())


def page_starts(text: str) -> list[int]:
    r"""Return where the pages of a text begin: behind each form feed, as extractors of PDF files write them.

    Blank pages count, but for what stands behind the last form feed. A text without form feeds has no known pages,
    which is not the same as one page.

    >>> page_starts("one\f\ftwo\f"), page_starts("one")
    ([0, 4, 5], [])
    """
    starts = [0, *(at + 1 for at, c in enumerate(text) if c == "\f")]
    if len(starts) == 1:
        return []
    return starts if text[starts[-1] :].strip() else starts[:-1]
