"""`ragtriage gate`: may this run ship?"""

from __future__ import annotations

import click

from ragtriage.cli._options import Output, output_options, put

__all__ = ["command"]

_COLORS = {"pass": "green", "fail": "red", "undecidable": "yellow"}


@click.command()
@click.argument("run", type=click.Path())
@click.option("--baseline", type=click.Path(), metavar="RUN", help="The run that drops are measured against.")
@click.option("-c", "config", type=click.Path(), metavar="FILE", help="Rules of this configuration, not the run's own.")
@click.option("-o", "--output", "file", type=click.Path(), metavar="FILE", help="Write the decision to FILE as JSON.")
@output_options("text", "json", default="text", file=None, quiet="Print nothing; the exit code says it.")
def command(*, run: str, baseline: str | None, config: str | None, file: str | None, output: Output) -> int:
    """Hold a stored RUN against the gate rules and say pass, fail or undecidable; nothing is asked.

    Exit code: 0 passed, 1 failed, 2 bad input, 3 undecidable, 4 storage.
    """
    import json  # noqa: PLC0415 - a command loads what it needs when it runs

    from ragtriage.workflows.gate import gate  # noqa: PLC0415

    found = gate(run, baseline=baseline, config=config)
    document = json.dumps(found.to_json(), ensure_ascii=False, indent=2) + "\n"
    if file is not None:
        put(document, file)
    if not output.quiet:
        put(document if output.form == "json" else _painted(repr(found), found.verdict, on=output.colored), None)
    return found.exit_code


def _painted(text: str, verdict: str, *, on: bool) -> str:
    """Colour the line of the verdict; it says the same without."""
    first, end, rest = text.partition("\n")
    return f"{click.style(first, fg=_COLORS[verdict], bold=True)}{end}{rest}" if on else text
