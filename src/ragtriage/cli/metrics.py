"""`ragtriage metrics`: list the metrics, or print one metric's card."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

__all__ = ["command"]

Form = Literal["plain", "table", "json"]


@click.command()
@click.argument("name", required=False)
@click.option("--format", "form", type=click.Choice(["plain", "table", "json"]), help="plain: one name a line.")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write there.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colour in the table.")
def command(name: str | None, *, form: Form | None, output: Path | None, color: str) -> None:
    """List all metrics, or print the card of NAME.

    A card holds the definition, range, unit, direction, when the metric is undefined, its source and an example.
    """
    from ragtriage.core.files import write_atomic  # noqa: PLC0415 - a command loads what it needs when it runs
    from ragtriage.workflows.metrics import card_of, card_text, cards, cards_json, metric_names  # noqa: PLC0415

    if name is not None:
        card = card_of(name)
        content = cards_json(card) if form == "json" else card_text(card)
    elif form == "plain":
        content = "".join(f"{known}\n" for known in metric_names())
    elif form == "json":
        content = cards_json(cards())
    else:
        content = _table(color if output is None else "never")
    if output is None:
        click.echo(content, nl=False, color=True)
    else:
        write_atomic(output, content)


def _table(color: str) -> str:
    """Draw the list of all metrics."""
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    from ragtriage.workflows.metrics import cards  # noqa: PLC0415

    table = Table(box=None, pad_edge=False)
    table.add_column("metric", no_wrap=True)
    for heading in ("what it is", "unit", "better"):
        table.add_column(heading)
    for card in cards():
        table.add_row(card.name, card.title, card.unit, card.better)
    forced = {"always": True, "never": False}.get(color)
    console = Console(force_terminal=forced, no_color=True if color == "never" else None, highlight=False, markup=False)
    with console.capture() as captured:
        console.print(table)
    return captured.get()
