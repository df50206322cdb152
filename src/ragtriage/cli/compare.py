"""`ragtriage compare`: two runs on the same golden set, case by case."""

from __future__ import annotations

import click

__all__ = ["command"]


@click.command()
@click.argument("base", type=click.Path())
@click.argument("candidate", type=click.Path())
@click.option("-o", "file", type=click.Path(), metavar="FILE", help="Write there as the suffix says: .md .json .txt.")
@click.option("--format", "name", type=click.Choice(["text", "md", "json"]), default="text", show_default=True)
@click.option("-q", "--quiet", is_flag=True, help="Do not name the file that was written.")
def command(*, base: str, candidate: str, file: str | None, name: str, quiet: bool) -> int:
    """Compare the run CANDIDATE with the run BASE, paired, per metric and slice.

    Differences are candidate - base over the cases that both scored, with 95 % bootstrap interval and the p of a
    randomisation test, adjusted by Holm. Exit code: 0, 2 bad input, 3 the runs used different golden sets, 4 storage.
    """
    from pathlib import Path  # noqa: PLC0415 - a command loads what it needs when it runs

    from ragtriage.workflows.compare import compare, write_comparison  # noqa: PLC0415
    from ragtriage.workflows.compare_output import drawn_json, drawn_markdown, drawn_text  # noqa: PLC0415

    found = compare(base, candidate)
    if file is not None:
        write_comparison(found, Path(file))
        if not quiet:
            click.echo(f"ragtriage: wrote {file}", err=True)
    else:
        draw = {"text": drawn_text, "md": drawn_markdown, "json": drawn_json}[name]
        click.echo(draw(found), nl=False)
    return 0
