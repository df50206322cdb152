"""`ragtriage index`: record what a run measures of an index: how fresh it is, what it finds, how its vectors drift."""

from __future__ import annotations

import click

__all__ = ["command"]


@click.group()
def command() -> None:
    """Record what an index does, in the files that [ingest] of a run names."""
