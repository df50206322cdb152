"""`ragtriage metrics`: list the metrics, or print one metric's card."""

from __future__ import annotations

import click

from ragtriage.cli._options import Color, Output, output_options

__all__ = ["command"]


@click.command()
@click.argument("name", required=False)
@output_options("table", "plain", "json", default="table")
def command(name: str | None, *, output: Output) -> None:
    """List all metrics, or print the card of NAME.

    A card holds the definition, range, unit, direction, when the metric is undefined, its source and an example. The
    list is one name a line with --format plain.
    """
    from ragtriage.workflows.metrics import card_of, card_text, cards, cards_json, metric_names  # noqa: PLC0415 - used here

    if name is not None:
        card = card_of(name)
        content = cards_json(card) if output.form == "json" else card_text(card)
    elif output.form == "plain":
        content = "".join(f"{known}\n" for known in metric_names())
    elif output.form == "json":
        content = cards_json(cards())
    else:
        content = _table("never" if output.file is not None else output.color)
    output.put(content)


def _table(color: Color) -> str:
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
