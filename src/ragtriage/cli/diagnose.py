"""`ragtriage diagnose`: where cases broke, or one case in full."""

from __future__ import annotations

import click

from ragtriage.cli._options import Output, output_options

__all__ = ["command"]


@click.command()
@click.argument("run", type=click.Path())
@click.option("--case", "case_id", metavar="ID", help="Tell this case in full.")
@output_options(
    "text", "json", default="text", verbose="Name every case and every cause of a leaf, not the first alone"
)
def command(*, run: str, case_id: str | None, output: Output) -> int:
    """Say where the cases of a stored RUN broke, with evidence and advice; nothing is asked.

    Exit code: 0, 2 bad input, 4 storage.
    """
    import json  # noqa: PLC0415 - a command loads what it needs when it runs

    from ragtriage.workflows.diagnose import diagnose  # noqa: PLC0415

    found = diagnose(run)
    if output.form == "json":
        drawn = json.dumps(found.to_json(case_id), ensure_ascii=False, indent=2) + "\n"
    elif case_id is None:
        drawn = found.waterfall(every=output.verbose)
    else:
        drawn = found.case(case_id)
    output.put(drawn)
    return 0
