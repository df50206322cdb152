"""`ragtriage judge`: hold claims against contexts, and measure how far a judge may be believed."""

from __future__ import annotations

from pathlib import Path

import click

from ragtriage.cli._options import Output, output_options, put

__all__ = ["command"]

_FILE = click.Path(path_type=Path)


@click.group()
def command() -> None:
    """Look after judges: what they say, and how far they can be trusted."""


@command.command()
@click.argument("pairs", metavar="PAIRS.jsonl", type=_FILE)
@click.option("--judge", default="lexical", show_default=True, help="lexical, model (that of -c) or openai/NAME.")
@click.option("-c", "--config", type=_FILE, help="Configuration that names endpoint and key of a model.")
@output_options("jsonl", default="jsonl", file="Write there instead of standard output.")
def verify(pairs: Path, *, judge: str, config: Path | None, output: Output) -> None:
    """Hold each claim of PAIRS.jsonl against its context.

    Lines `{id, claim, context}` in; JSON Lines `{id, label, score, evidence: [{start, end}]}` out, in the same order.
    Exit code 0 whatever the labels. A pair on which a model gave no verdict has `failed` in place of a label.
    """
    from ragtriage.workflows.judge_verify import as_line, read_pairs, verify_pairs  # noqa: PLC0415 - when it runs

    found = []
    failed = 0
    for one in verify_pairs(read_pairs(pairs), judge=judge, config=config):
        failed += one.failed is not None
        line = f"{as_line(one)}\n"
        if output.file is None:
            put(line, None)  # at once, so that a reader need not wait for the last pair
        else:
            found.append(line)
    if output.file is not None:
        output.put("".join(found))
    if failed:
        output.say(f"the judge gave no verdict on {failed} pairs")
