"""Where in a text a quotation stands most nearly, and how far it is from it there."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

__all__ = ["Window", "decoded_anew", "nearest_window", "squeezed"]

# Read as the first, meant as the second: what becomes of Cyrillic and accents between old and new machines.
_MISREADINGS = (
    ("cp1251", "utf-8"),
    ("cp1252", "utf-8"),
    ("latin-1", "utf-8"),
    ("cp866", "utf-8"),
    ("cp1252", "cp1251"),
    ("latin-1", "cp1251"),
    ("koi8-r", "cp1251"),
    ("cp1251", "koi8-r"),
    ("cp866", "cp1251"),
    ("cp1251", "cp866"),
)


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a text that is nearest to a quotation; `cer`: edits between the two / characters of the quotation."""

    text: str
    cer: float


def squeezed(text: str) -> str:
    r"""Fold white space and forms of characters (NFKC).

    >>> squeezed("1\u00a0%\n of")
    '1 % of'
    """
    return " ".join(unicodedata.normalize("NFKC", text).split())


def nearest_window(quotation: str, text: str) -> Window:
    """Return the part of a text that is nearest to a quotation; an empty window where either is empty.

    >>> nearest_window("two moons", "Mars has two m00ns, it is said.").cer < 0.3
    True
    """
    from rapidfuzz import fuzz  # noqa: PLC0415 - loaded where texts are compared
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415

    wanted, given = squeezed(quotation), squeezed(text)
    if not wanted or not given:
        return Window("", 1.0)
    found = fuzz.partial_ratio_alignment(wanted, given)
    longer = len(given) > len(wanted)
    window = given[found.dest_start : found.dest_end] if found is not None and longer else given
    return Window(window, Levenshtein.distance(wanted, window) / len(wanted))


def decoded_anew(text: str) -> dict[str, str]:
    """Return what a text may have been before it was decoded wrongly, by the name of the mistake.

    >>> decoded_anew("РўР°СЂРёС„")["UTF-8 read as cp1251"]
    'Тариф'
    """
    found: dict[str, str] = {}
    for read, meant in _MISREADINGS:
        mended = text.encode(read, errors="ignore").decode(meant, errors="ignore")
        if mended and mended != text:
            found[f"{meant.upper() if meant == 'utf-8' else meant} read as {read}"] = mended
    return found
