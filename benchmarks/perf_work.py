"""The work that `perf.py` gives to us and to others: made anew from fixed seeds, by the standard library alone."""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable

__all__ = ["corpus", "documents", "tables", "tell"]

_LEAST_SECONDS = 0.5

Pair = tuple[str, str]


def tell(run: Callable[[], list[float]]) -> None:
    """Do the work as often as half a second takes, and print the CPU seconds of once and the values as JSON."""
    begin = time.process_time()
    values = run()
    times = 1
    while (spent := time.process_time() - begin) < _LEAST_SECONDS:
        run()
        times += 1
    sys.stdout.write(json.dumps({"seconds": spent / times, "values": values}) + "\n")


def tables(rows: int, columns: int, count: int) -> list[Pair]:
    """Return tables and misread copies of them as HTML: 3 % of rows and 2 % of cells lost, 13 % of cells misread."""
    chosen = random.Random(5)  # noqa: S311 - the same work each time
    letters = "abcdefgh 0123456789"
    found: list[Pair] = []
    for _ in range(count):
        table = [
            ["".join(chosen.choices(letters, k=chosen.randint(3, 14))) for _ in range(columns)] for _ in range(rows)
        ]
        found.append((_html(table), _html(_misread(table, chosen))))
    return found


def _misread(table: list[list[str]], chosen: random.Random) -> list[list[str]]:
    found: list[list[str]] = []
    for row in table:
        if chosen.random() < 0.03:  # noqa: PLR2004 - the shares stand in the docstring above
            continue
        draws = [(cell, chosen.random()) for cell in row]
        found.append([f"{cell[:-1]}z" if draw < 0.15 else cell for cell, draw in draws if draw >= 0.02])  # noqa: PLR2004
    return found


def _html(table: list[list[str]]) -> str:
    rows = ("".join(f"<td>{cell}</td>" for cell in row) for row in table)
    return f"<html><body><table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table></body></html>"


def corpus(count: int, words: int) -> tuple[list[str], set[int]]:
    """Return documents and the places of those, a fifth, that copy an earlier one with one word in 50 changed."""
    chosen = random.Random(11)  # noqa: S311 - the same work each time
    vocabulary = [f"w{i}" for i in range(20_000)]
    texts: list[str] = []
    copies: set[int] = set()
    for i in range(count):
        if texts and chosen.random() < 0.2:  # noqa: PLR2004
            text = texts[chosen.randrange(len(texts))].split()
            for _ in range(max(1, len(text) // 50)):
                text[chosen.randrange(len(text))] = chosen.choice(vocabulary)
            copies.add(i)
        else:
            text = chosen.choices(vocabulary, k=words)
        texts.append(" ".join(text))
    return texts, copies


def documents(count: int, length: int) -> list[Pair]:
    """Return texts and noisy copies: in 3 % of the characters one was lost, put in, or read as another."""
    chosen = random.Random(3)  # noqa: S311 - the same work each time
    words = ["".join(chosen.choices("etaoinshrdlucmfwypvbgkjqxz", k=chosen.randint(2, 9))) for _ in range(5000)]
    found: list[Pair] = []
    for _ in range(count):
        parts: list[str] = []
        while len(" ".join(parts)) < length:
            parts += chosen.choices(words, k=50)
        text = " ".join(parts)
        found.append((text, "".join(_noise(c, chosen) for c in text)))
    return found


def _noise(character: str, chosen: random.Random) -> str:
    draw = chosen.random()
    if draw < 0.01:  # noqa: PLR2004
        return ""
    if draw < 0.02:  # noqa: PLR2004
        return chosen.choice("abcdefghij ")
    return f"{chosen.choice('abcdefghij')}{character}" if draw < 0.03 else character  # noqa: PLR2004
