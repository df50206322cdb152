"""What a long wait looks like on stderr: a bar on a terminal, a line every 10 % in a pipe."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

__all__ = ["progress_over"]

T = TypeVar("T")

_TENTHS = 10


def progress_over(items: Iterable[T], *, sizes: Sequence[int], what: str) -> Iterator[T]:
    """Yield the items and show how much of the sum of `sizes` is done; nothing is shown for no items."""
    if not sizes:
        return
    if sys.stderr.isatty() and "CI" not in os.environ:
        yield from _bar(items, sizes=sizes, what=what)
    else:
        yield from _lines(items, sizes=sizes, what=what)


def _bar(items: Iterable[T], *, sizes: Sequence[int], what: str) -> Iterator[T]:
    from rich.console import Console  # noqa: PLC0415 - only where a terminal is there to see it
    from rich.progress import Progress  # noqa: PLC0415

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=sum(sizes))
        for item, size in zip(items, sizes, strict=True):
            yield item
            progress.advance(task, size)


def _lines(items: Iterable[T], *, sizes: Sequence[int], what: str) -> Iterator[T]:
    total = sum(sizes)
    done = shown = 0
    for item, size in zip(items, sizes, strict=True):
        yield item
        done += size
        tenth = done * _TENTHS // total
        if tenth > shown:
            shown = tenth
            sys.stderr.write(f"{what}: {done}/{total} ({tenth * 10} %)\n")
            sys.stderr.flush()
