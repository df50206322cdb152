"""`ragtriage diagnose`: where cases broke, or one case in full."""

from __future__ import annotations

import click

__all__ = ["command"]


@click.command()
@click.argument("run", type=click.Path())
@click.option("--case", "case_id", metavar="ID", help="Tell this case in full.")
@click.option("-o", "file", type=click.Path(), metavar="FILE", help="Write to FILE: JSON for .json, else text.")
@click.option("--format", "name", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("-q", "--quiet", is_flag=True, help="Do not name the file that was written.")
def command(*, run: str, case_id: str | None, file: str | None, name: str, quiet: bool) -> int:
    """Say where the cases of a stored RUN broke, with evidence and advice; nothing is asked.

    Exit code: 0, 2 bad input, 4 storage.
    """
    import json  # noqa: PLC0415 - a command loads what it needs when it runs
    from pathlib import Path  # noqa: PLC0415

    from ragtriage.core.files import write_atomic  # noqa: PLC0415
    from ragtriage.workflows.diagnose import diagnose  # noqa: PLC0415

    found = diagnose(run)
    if name == "json" or (file is not None and file.lower().endswith(".json")):
        drawn = json.dumps(found.to_json(case_id), ensure_ascii=False, indent=2) + "\n"
    else:
        drawn = found.waterfall() if case_id is None else found.case(case_id)
    if file is None:
        click.echo(drawn, nl=False)
        return 0
    write_atomic(Path(file), drawn)
    if not quiet:
        click.echo(f"ragtriage: wrote {file}", err=True)
    return 0
