"""`ragtriage gate`: may this run ship?"""

from __future__ import annotations

import click

__all__ = ["command"]


@click.command()
@click.argument("run", type=click.Path())
@click.option("--baseline", type=click.Path(), metavar="RUN", help="The run that drops are measured against.")
@click.option("-c", "config", type=click.Path(), metavar="FILE", help="Rules of this configuration, not the run's own.")
@click.option("-o", "file", type=click.Path(), metavar="FILE", help="Write the decision to FILE as JSON.")
@click.option("--format", "name", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("-q", "--quiet", is_flag=True, help="Print nothing; the exit code says it.")
def command(*, run: str, baseline: str | None, config: str | None, file: str | None, name: str, quiet: bool) -> int:
    """Hold a stored RUN against the gate rules and say pass, fail or undecidable; nothing is asked.

    Exit code: 0 passed, 1 failed, 2 bad input, 3 undecidable, 4 storage.
    """
    import json  # noqa: PLC0415 - a command loads what it needs when it runs
    from pathlib import Path  # noqa: PLC0415

    from ragtriage.core.files import write_atomic  # noqa: PLC0415
    from ragtriage.workflows.gate import gate  # noqa: PLC0415

    found = gate(run, baseline=baseline, config=config)
    document = json.dumps(found.to_json(), ensure_ascii=False, indent=2) + "\n"
    if file is not None:
        write_atomic(Path(file), document)
    if not quiet:
        click.echo(document if name == "json" else repr(found), nl=False)
    return found.exit_code
