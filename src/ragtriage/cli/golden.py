"""`ragtriage golden`: check and seal golden sets."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

__all__ = ["command"]

_BAD_INPUT = 2
_FOLDER = click.Path(path_type=Path)


@click.group()
def command() -> None:
    """Look after golden sets."""


@command.command()
@click.argument("folder", metavar="DIR", type=_FOLDER)
@click.option(
    "--corpus", type=_FOLDER, metavar="DIR", help="The corpus; else the folder `corpus` beside the golden set."
)
@click.option(
    "--format", "form", type=click.Choice(["plain", "json"]), default="plain", help="plain (default) or json."
)
@click.option("-o", "--output", type=_FOLDER, metavar="FILE", help="Write there instead of standard output.")
@click.option("--quiet", is_flag=True, help="No warnings and no summary.")
@click.pass_context
def validate(
    context: click.Context,
    folder: Path,
    *,
    corpus: Path | None,
    form: Literal["plain", "json"],
    output: Path | None,
    quiet: bool,
) -> None:
    """Check the golden set in DIR against its corpus.

    Prints every fault as file:line and ends with 2 where there is any; warnings do not change the exit code.
    """
    from ragtriage.core.files import write_atomic  # noqa: PLC0415 - a command loads what it needs when it runs
    from ragtriage.report.escaping import one_line  # noqa: PLC0415
    from ragtriage.workflows.golden import as_json, as_lines, check_golden  # noqa: PLC0415

    check = check_golden(folder, corpus_path=corpus)
    faults, warnings = len(check.faults), len(check.warnings)
    if form == "json":
        content = as_json(check)
    else:
        lines = as_lines(check)[: faults if quiet else None]
        content = "".join(f"{one_line(line)}\n" for line in lines)
    if output is None:
        click.echo(content, nl=False)
    else:
        write_atomic(output, content)
    if not quiet:
        looked = f"{_count(check.cases, 'case')} against {_count(check.documents, 'document')}"
        found = f"{_count(faults, 'fault')}, {_count(warnings, 'warning')}"
        click.echo(f"{one_line(str(folder))}: {looked}: {found}", err=True)
    context.exit(_BAD_INPUT if faults else 0)


@command.command()
@click.argument("folder", metavar="DIR", type=_FOLDER)
@click.option(
    "--corpus", type=_FOLDER, metavar="DIR", help="The corpus; else the folder `corpus` beside the golden set."
)
@click.option("--quiet", is_flag=True, help="Print nothing where it went well.")
def sign(folder: Path, *, corpus: Path | None, quiet: bool) -> None:
    """Seal the golden set in DIR and its corpus.

    Checks the golden set first and refuses one with faults. Then writes the SHA-256 of every file into `golden.toml`
    and `corpus.toml`, and the identity of the corpus into `golden.toml`.
    """
    from ragtriage.report.escaping import one_line  # noqa: PLC0415
    from ragtriage.workflows.golden import sign_golden  # noqa: PLC0415

    check = sign_golden(folder, corpus_path=corpus)
    if not quiet:
        click.echo(f"{one_line(str(folder))}: sealed {check.cases} cases for the corpus {check.corpus_identity}")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
