"""`ragtriage init`: write a project that runs."""

from __future__ import annotations

import click

from ragtriage.cli._options import Output, output_options

__all__ = ["command"]


@click.command()
@click.argument("folder", metavar="[DIR]", default=".", type=click.Path())
@click.option(
    "--template",
    type=click.Choice(["python", "http", "traces", "bank", "beir"]),
    help="python (default): a pipeline of your own. http: an endpoint. traces: recorded answers. bank: the shipped"
    " example. beir: a folder of a public data set.",
)
@click.option("--from", "source", type=click.Path(), metavar="FOLDER", help="The BEIR folder to make the project from.")
@click.option("--dense", is_flag=True, help="With beir: search by vectors too, not by BM25 alone.")
@output_options("text", "json", default="text", quiet="Print nothing where it went well.")
def command(*, folder: str, template: str | None, source: str | None, dense: bool, output: Output) -> None:
    """Write a project into DIR, the current folder unless another is named: corpus, golden set, ragtriage.toml.

    Nothing that exists is overwritten: where a file is in the way nothing is written, and the exit code is 2.
    """
    import json  # noqa: PLC0415 - a command loads what it needs when it runs
    from dataclasses import asdict  # noqa: PLC0415

    from ragtriage.report.escaping import one_line  # noqa: PLC0415
    from ragtriage.workflows.init import init  # noqa: PLC0415

    started = init(folder, template=template, source=source, dense=dense)
    if output.form == "json":
        output.put(json.dumps(asdict(started), ensure_ascii=False, indent=2, default=str) + "\n")
        return
    if output.quiet:
        return
    lines = [f"wrote to {started.folder}:", *(f"  {file}" for file in started.files)]
    lines += [f"note: {note}" for note in started.notes]
    lines += ["", "Next:", *(f"  {line}" for line in started.commands)]
    drawn = ("" if not line else line[: len(line) - len(line.lstrip())] + one_line(line) for line in lines)
    output.put("".join(f"{line}\n" for line in drawn))
