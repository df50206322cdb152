"""`ragtriage judge`: hold claims against contexts, and measure how far a judge may be believed."""

from __future__ import annotations

from pathlib import Path

import click

from ragtriage.cli._numbers import FiniteRange
from ragtriage.cli._options import Output, output_options, put

__all__ = ["command"]

_FILE = click.Path(path_type=Path)
_UNDECIDED = 3


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


@command.command()
@click.option("--labels", type=_FILE, metavar="FILE", help="Items and what people said of them.  [default: shipped]")
@click.option("--rubric", default="claim_support", show_default=True, help="The rubric that they were labelled by.")
@click.option("--judge", default="lexical", show_default=True, help="lexical, model (that of -c) or openai/NAME.")
@click.option("-c", "--config", type=_FILE, help="Configuration that names endpoint and key of a model.")
@click.option("--repeats", type=click.IntRange(min=1), default=1, show_default=True, help="Ask each item so often.")
@click.option("--min-labels", type=click.IntRange(min=1), default=50, show_default=True, help="Fewer prove nothing.")
@click.option(
    "--min-kappa", type=FiniteRange(-1, 1), default=0.4, show_default=True, help="Least lower end of kappa's interval."
)
@output_options("plain", "json", default="plain", file="Where the trust record goes.")
@click.pass_context
def calibrate(
    context: click.Context,
    *,
    labels: Path | None,
    rubric: str,
    judge: str,
    config: Path | None,
    repeats: int,
    min_labels: int,
    min_kappa: float,
    output: Output,
) -> None:
    """Hold a judge against labels by people and write its trust record.

    Without --labels those that ship with the rubric are taken: written for this project, in four languages. Labels of
    your own questions say more.

    The record goes to `calibration/RUBRIC.trust.json` unless -o names another file; `[judge] calibration` names it in a
    configuration. Exit code: 0 trusted, 3 measured and not to be trusted, 2 bad input, 5 no judge there.
    """
    from ragtriage.report.escaping import visible  # noqa: PLC0415
    from ragtriage.workflows.judge_calibrate import Limits  # noqa: PLC0415
    from ragtriage.workflows.judge_calibrate import calibrate as measure  # noqa: PLC0415
    from ragtriage.workflows.judge_show import trust_text  # noqa: PLC0415
    from ragtriage.workflows.judge_trust import write_trust  # noqa: PLC0415

    limits = Limits(labels=min_labels, kappa=min_kappa)
    record = measure(labels, rubric=rubric, judge=judge, repeats=repeats, limits=limits, config=config)
    path = Path(output.file) if output.file is not None else Path("calibration") / f"{rubric}.trust.json"
    write_trust(path, record)
    put(f"{record.model_dump_json(indent=1)}\n" if output.form == "json" else visible(trust_text(record)), None)
    output.say(f"wrote {path}")
    context.exit(0 if record.trusted else _UNDECIDED)


@command.command()
@click.option("-c", "--config", type=_FILE, default=Path("ragtriage.toml"), show_default=True, help="Names the cases.")
@click.option("--judge", default="model", show_default=True, help="model (that of -c) or openai/NAME.")
@click.option("-o", "--output", "folder", type=_FILE, required=True, metavar="DIR", help="New folder for the copy.")
@output_options("plain", "json", default="plain", file=None)
def nuggets(*, config: Path, judge: str, folder: Path, output: Output) -> None:
    """Write nuggets for cases that declare an answer and have none.

    A model writes them from the reference and the marked evidence, never from what a system retrieved, and says which
    are vital. The copy of the golden set in DIR is for people to read: nothing is measured by it until a configuration
    names it. DIR/nuggets.jsonl holds the quotes that show each nugget, the judge and the rubrics.
    """
    import json  # noqa: PLC0415
    from dataclasses import asdict  # noqa: PLC0415

    from ragtriage.report.escaping import one_line  # noqa: PLC0415
    from ragtriage.workflows.judge_nuggets import write_nuggets  # noqa: PLC0415

    found = write_nuggets(config, folder, judge=judge)
    told = f"{found.nuggets} nuggets for {found.cases} of {found.asked} cases, failed {found.failed}"
    if output.form == "json":
        output.put(json.dumps(asdict(found), default=str, ensure_ascii=False, indent=2) + "\n")
    output.say(one_line(f"wrote {told}: {found.folder}"))


@command.command()
@click.option("--judge", default="lexical", show_default=True, help="lexical, model (that of -c) or openai/NAME.")
@click.option("-c", "--config", type=_FILE, help="Configuration that names endpoint and key of a model.")
@click.option("--probe", "probes", multiple=True, help="This probe alone; several times for several.")
@click.option("--language", "languages", multiple=True, help="Questions of this language alone (en, ru, uk, kk).")
@output_options("plain", "json", default="plain")
def bias(
    *, judge: str, config: Path | None, probes: tuple[str, ...], languages: tuple[str, ...], output: Output
) -> None:
    """Probe a judge for what should not move it: place, length, authority, format, planted orders."""
    import json  # noqa: PLC0415

    from ragtriage.report.escaping import visible  # noqa: PLC0415
    from ragtriage.workflows.judge_bias import probe_judge, results_json, results_text  # noqa: PLC0415

    name, results = probe_judge(judge, config=config, probes=probes, languages=languages)
    if output.form == "json":
        output.put(json.dumps(results_json(name, results), ensure_ascii=False) + "\n")
    else:
        output.put(visible(results_text(name, results)))


@command.command()
@click.argument("runs", metavar="BASE_RUN CANDIDATE_RUN [MORE_RUN...]", nargs=-1, required=True, type=_FILE)
@click.option(
    "--judge",
    "judges",
    multiple=True,
    default=("model",),
    show_default=True,
    help="model (that of -c) or openai/NAME; several times for several judges.",
)
@click.option("-c", "--config", type=_FILE, help="Configuration that names endpoint and key of a model.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="The first N cases alone.")
@click.option("--where", metavar="EXPR", help="The cases for which this holds: \"language = 'kk'\".")
@output_options("plain", "json", default="plain")
@click.pass_context
def prefer(
    context: click.Context,
    *,
    runs: tuple[Path, ...],
    judges: tuple[str, ...],
    config: Path | None,
    limit: int | None,
    where: str | None,
    output: Output,
) -> None:
    """Ask a judge which of the stored runs answers better, case by case and in both orders.

    All runs must be on the same golden set; in each pair the one named first is the base. No system is asked again, and
    the judge sees no name of a model. The JSON form also holds every verdict. Exit code: 0 done, 2 bad input or
    different golden sets, 3 no pair brought a verdict, 4 storage, 5 the judge is unavailable or the budget reached.
    """
    from ragtriage.report.escaping import visible  # noqa: PLC0415
    from ragtriage.workflows.judge_prefer import prefer_runs  # noqa: PLC0415
    from ragtriage.workflows.judge_prefer_output import preferred_json, preferred_text  # noqa: PLC0415

    found = prefer_runs(runs, judges=judges, config=config, limit=limit, where=where)
    output.put(preferred_json(found) if output.form == "json" else visible(preferred_text(found)))
    context.exit(0 if found.decided else _UNDECIDED)


@command.command()
@click.argument("rubric", required=False)
@click.option("--calibration", type=_FILE, metavar="PATH", help="A trust record, or a folder of them.")
@output_options("plain", "json", default="plain")
def show(*, rubric: str | None, calibration: Path | None, output: Output) -> None:
    """List the rubrics, describe RUBRIC, or show what was measured of judges."""
    from ragtriage.report.escaping import visible  # noqa: PLC0415
    from ragtriage.workflows.judge_show import as_json, records_text, rubric_text, rubrics_text  # noqa: PLC0415

    if output.form == "json":
        output.put(as_json(rubric, calibration))
        return
    if calibration is not None:
        text = records_text(calibration)
    else:
        text = rubrics_text() if rubric is None else rubric_text(rubric)
    output.put(visible(text))
