"""`ragtriage schema`: print a JSON schema."""

from __future__ import annotations

import click

from ragtriage.cli._options import Output, output_options

__all__ = ["command"]


@click.command()
@click.argument("name")
@output_options("json", default="json", file="Write there.")
def command(name: str, *, output: Output) -> None:
    """Print the JSON schema of NAME.

    NAME is one of case, chunk, configuration, corpus-manifest, document, golden-manifest, results, trace, verdicts.
    """
    from ragtriage.workflows.schema import schema_text  # noqa: PLC0415 - a command loads what it needs when it runs

    output.put(schema_text(name))
