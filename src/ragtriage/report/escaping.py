"""Text under test drawn as text: what a terminal, a parser or a reader's eye would obey is made visible instead.

Control characters become their Unicode pictures (ESC is drawn `␛`), invisible direction controls their code points
(`⟨U+202E⟩`). Escaping for one format's own syntax lies with that format.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["cells", "one_line", "visible"]

_PICTURES = 0x2400
_DELETE, _DELETE_PICTURE = 0x7F, "\u2421"
_SPACE = 0x20
# Bidi controls, line and paragraph separators, byte order mark, tags, surrogates, non-characters.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_BREAKS = re.compile(r"[ \t\n\r\v\f\x1c-\x1f\x85\u2028\u2029]+")
_INVISIBLE = re.compile("[\u00ad\u180e\u200b\u2060-\u2064]")


def _picture(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < _SPACE:
        return chr(_PICTURES + code)
    return _DELETE_PICTURE if code == _DELETE else f"\u27e8U+{code:04X}\u27e9"


def visible(text: str) -> str:
    r"""Replace control characters, direction controls and what no file may hold by visible signs; keep TAB and LF.

    >>> visible("\x1b[31mred\u202e")
    '␛[31mred⟨U+202E⟩'
    """
    return _UNSAFE.sub(_picture, text)


def one_line(text: str, *, width: int | None = None) -> str:
    r"""Draw text on one line of at most `width` terminal cells: white space folded, cut with an ellipsis.

    >>> one_line("a\nb   c", width=4)
    'a b…'
    """
    flat = _INVISIBLE.sub("", visible(_BREAKS.sub(" ", text))).strip()
    return flat if width is None else _cut(flat, width)


def _cut(text: str, width: int) -> str:
    if cells(text) <= width:
        return text
    kept, used = [], 0
    for char in text:
        used += _cells_of(char)
        if used > width - 1:
            break
        kept.append(char)
    return "".join(kept).rstrip() + "\u2026"


def cells(text: str) -> int:
    """Count the terminal cells that a text takes: wide letters two, combining marks none.

    >>> cells("日本"), cells("né")
    (4, 2)
    """
    return sum(map(_cells_of, text))


def _cells_of(char: str) -> int:
    if unicodedata.category(char) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1
