"""`ragtriage eval`: ask, measure, diagnose, decide, report."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any

import click

from ragtriage.cli._numbers import FiniteRange
from ragtriage.cli._options import Output, output_options

if TYPE_CHECKING:
    from ragtriage.workflows.estimating import JudgingEstimate
    from ragtriage.workflows.preview import Preview

__all__ = ["command"]


@click.command()
@click.option("-c", "config", type=click.Path(), help="The configuration, ragtriage.toml unless another is named.")
@click.option(
    "-o", "--output", "folder", type=click.Path(), help="The run folder, runs/latest unless another is named."
)
@click.option(
    "--resume", type=click.Path(), metavar="DIR", help="Continue the run in this folder; ask what failed again."
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Ask the first N cases alone.")
@click.option(
    "--where", metavar="EXPR", help="Ask the cases for which this holds: \"language = 'kk' and 'table' in tags\"."
)
@click.option("--repeat", type=click.IntRange(min=1), metavar="R", help="Ask each question R times.")
@click.option("-j", "--jobs", type=click.IntRange(min=1), metavar="JOBS", help="Ask at most so many questions at once.")
@click.option("--baseline", type=click.Path(), metavar="RUN", help="The run that drops are measured against.")
@click.option("--no-gate", is_flag=True, help="Measure alone; decide nothing.")
@click.option(
    "--max-cost",
    "max_cost_usd",
    type=FiniteRange(min=0),
    metavar="USD",
    help="Pay at most this for judging, whatever the configuration says.",
)
@click.option("--dry-run", is_flag=True, help="Print what would be asked and what judging would cost, and ask nothing.")
@output_options(file=None, quiet="No progress.", verbose="Print every metric, not the worst alone")
def command(*, dry_run: bool, no_gate: bool, folder: str | None, output: Output, **options: Any) -> int:
    """Evaluate a system on a golden set and leave a run folder.

    A finished run in the folder is replaced; an unfinished one is continued when nothing changed, and refused when
    something did. Exit code: 0 passed or no gate, 1 gate failed, 2 bad input, 3 undecidable, 4 storage, 5 system
    unavailable, 130 interrupted.
    """
    from ragtriage.cli._summary import check_form, tell  # noqa: PLC0415 - loaded where it is done
    from ragtriage.workflows.evaluate import evaluate  # noqa: PLC0415
    from ragtriage.workflows.preview import preview  # noqa: PLC0415

    if dry_run:
        names = ("config", "resume", "limit", "where", "repeat", "max_cost_usd")
        with contextlib.redirect_stdout(sys.stderr):
            found = preview(output=folder, **{name: options[name] for name in names})
        output.put(_as_json(found) if output.form == "json" else _previewed(found))
        return 0
    check_form(output.form)
    with contextlib.redirect_stdout(sys.stderr):  # what the system prints is no part of the result
        run = evaluate(**options, output=folder, gate=not no_gate, **_progress(quiet=output.quiet))
    return tell(run, output)


def _progress(*, quiet: bool) -> dict[str, Any]:
    from ragtriage.cli._progress import shown_progress  # noqa: PLC0415

    sentences = shown_progress(quiet=quiet, doing="embedding sentences", what="sentences to embed", least=64)
    return {"progress": shown_progress(quiet=quiet), "embedding_progress": sentences}


def _as_json(found: Preview) -> str:
    import json  # noqa: PLC0415
    from dataclasses import asdict  # noqa: PLC0415

    judging = found.judging
    value = {**asdict(found), "to_ask": found.to_ask}
    if judging is not None:
        names = ("calls", "input_tokens", "output_tokens", "cost_usd", "most_usd")
        value["judging"] |= {name: getattr(judging, name) for name in names}
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _previewed(found: Preview) -> str:
    lines = [f"{name}: {value}" for name, value in found.bundle.items()]
    lines.append(f"{found.cases} cases, {found.questions} questions, {found.finished} of them answered already")
    lines.append(f"would ask {found.to_ask}")
    if found.to_judge:
        lines.append(f"would judge {found.to_judge} answers again, whose verdicts the endpoint failed to bring")
    lines += [] if found.judging is None else _priced(found.judging, found.max_cost_usd)
    return "\n".join(lines) + "\n"


def _priced(judging: JudgingEstimate, max_cost_usd: float | None) -> list[str]:
    lines = []
    for name, one in judging.models.items():
        tokens = f"about {one.input_tokens:,} tokens read and {one.output_tokens:,} written"
        lines.append(f"judging by {name}: {one.calls:,} calls, {tokens}; {judging.prices[name]}")
    if judging.cost_usd is None or judging.most_usd is None:
        lines.append("judging would cost: unknown, a price is missing")
    else:
        lines.append(
            f"judging would cost about {judging.cost_usd:.4f} USD, at most {judging.most_usd:.4f} USD where every "
            "reply takes all the tokens that it may"
        )
        if max_cost_usd is not None and judging.cost_usd > max_cost_usd:
            lines.append(f"that is more than the budget of {max_cost_usd:g} USD: the run would stop before its end")
    return lines + [f"  {note}" for note in judging.assumed]
