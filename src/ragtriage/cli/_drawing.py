"""Tables as a command prints them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["drawn"]

_WIDEST = 100_000


def drawn(tables: Iterable[RenderableType], *, color: bool) -> str:
    """Draw tables as wide as they are: a narrow terminal wraps them, nothing is cut off."""
    import io  # noqa: PLC0415 - a command loads what it needs when it runs

    from rich.console import Console  # noqa: PLC0415

    stream = io.StringIO()
    console = Console(file=stream, force_terminal=color, no_color=None if color else True, highlight=False)
    for table in tables:
        needed = console.measure(table, options=console.options.update(max_width=_WIDEST)).maximum
        console.width = max(console.width, needed)
        console.print(table)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"
