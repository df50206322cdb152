"""`ragtriage golden`: check and seal golden sets."""

from __future__ import annotations

from pathlib import Path

import click

from ragtriage.cli._options import Output, output_options

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
@output_options("plain", "json", default="plain", quiet="No warnings and no summary.")
def validate(folder: Path, *, corpus: Path | None, output: Output) -> int:
    """Check the golden set in DIR against its corpus.

    Prints every fault as file:line and ends with 2 where there is any; warnings do not change the exit code.
    """
    from ragtriage.report.escaping import one_line  # noqa: PLC0415 - a command loads what it needs when it runs
    from ragtriage.workflows.golden import as_json, as_lines, check_golden  # noqa: PLC0415

    check = check_golden(folder, corpus_path=corpus)
    faults, warnings = len(check.faults), len(check.warnings)
    if output.form == "json":
        content = as_json(check)
    else:
        lines = as_lines(check)[: faults if output.quiet else None]
        content = "".join(f"{one_line(line)}\n" for line in lines)
    output.put(content)
    if not output.quiet:
        looked = f"{_count(check.cases, 'case')} against {_count(check.documents, 'document')}"
        found = f"{_count(faults, 'fault')}, {_count(warnings, 'warning')}"
        click.echo(f"{one_line(str(folder))}: {looked}: {found}", err=True)
    return _BAD_INPUT if faults else 0


@command.command()
@click.argument("folder", metavar="DIR", type=_FOLDER)
@click.option(
    "--corpus", type=_FOLDER, metavar="DIR", help="The corpus; else the folder `corpus` beside the golden set."
)
@output_options("plain", "json", default="plain", quiet="Print nothing where it went well.")
def sign(folder: Path, *, corpus: Path | None, output: Output) -> None:
    """Seal the golden set in DIR and its corpus.

    Checks the golden set first and refuses one with faults. Then writes the SHA-256 of every file into `golden.toml`
    and `corpus.toml`, and the identity of the corpus into `golden.toml`.
    """
    import json  # noqa: PLC0415

    from ragtriage.report.escaping import one_line  # noqa: PLC0415
    from ragtriage.workflows.golden import sign_golden  # noqa: PLC0415

    check = sign_golden(folder, corpus_path=corpus)
    sealed = {"folder": str(folder), "cases": check.cases, "corpus": check.corpus_identity}
    if output.form == "json":
        output.put(json.dumps(sealed, ensure_ascii=False) + "\n")
    elif not output.quiet:
        output.put(f"{one_line(str(folder))}: sealed {check.cases} cases for the corpus {check.corpus_identity}\n")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
