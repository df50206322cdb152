"""`ragtriage schema`: print a JSON schema."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["command"]


@click.command()
@click.argument("name")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write there.")
def command(name: str, *, output: Path | None) -> None:
    """Print the JSON schema of NAME.

    NAME is one of case, chunk, configuration, corpus-manifest, document, golden-manifest, results, trace, verdicts.
    """
    from ragtriage.core.files import write_atomic  # noqa: PLC0415 - a command loads what it needs when it runs
    from ragtriage.workflows.schema import schema_text  # noqa: PLC0415

    content = schema_text(name)
    if output is None:
        click.echo(content, nl=False)
    else:
        write_atomic(output, content)
