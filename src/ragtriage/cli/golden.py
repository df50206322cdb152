"""`ragtriage golden`: check and seal golden sets, and find what stands twice in them."""

from __future__ import annotations

from pathlib import Path

import click

from ragtriage.cli._numbers import FiniteRange
from ragtriage.cli._options import Output, output_options

__all__ = ["command"]

_BAD_INPUT = 2
_FOLDER = click.Path(path_type=Path)
_ALIKE = FiniteRange(0.2, 1)


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


@command.command()
@click.argument("folder", metavar="DIR", type=_FOLDER)
@click.option(
    "--corpus", type=_FOLDER, metavar="DIR", help="The corpus; else the folder `corpus` beside the golden set."
)
@click.option(
    "--threshold",
    type=_ALIKE,
    default=0.8,
    show_default=True,
    metavar="SHARE",
    help="Least Jaccard similarity of the word triples of two documents, from 0.2 to 1.",
)
@click.option(
    "--question-threshold",
    type=_ALIKE,
    default=0.8,
    show_default=True,
    metavar="SHARE",
    help="Least Jaccard similarity of the words of two questions, from 0.2 to 1.",
)
@click.option(
    "--labels",
    type=_FOLDER,
    metavar="FILE",
    help="Pairs of documents that a person judged (JSON Lines of first, second, duplicate): measure the detector.",
)
@click.option(
    "--detected", type=_FOLDER, metavar="FILE", help="Measure this detector's pairs against the labels, not our own."
)
@output_options("plain", "json", default="plain", quiet="No summary.")
def dedupe(
    folder: Path,
    *,
    corpus: Path | None,
    threshold: float,
    question_threshold: float,
    labels: Path | None,
    detected: Path | None,
    output: Output,
) -> int:
    """Find near-duplicate questions of the golden set in DIR, and near-duplicate documents of its corpus.

    A question of one split that comes again in another leaks: the test split then measures what was tuned on. Ends with
    2 where there is any; other repeats do not change the exit code.
    """
    from ragtriage.report.escaping import one_line  # noqa: PLC0415
    from ragtriage.workflows.deduplicate import as_json, as_lines, find_duplicates, summary  # noqa: PLC0415

    found = find_duplicates(
        folder, corpus_path=corpus, threshold=threshold, question_threshold=question_threshold, labels=labels,
        detected=detected,
    )  # fmt: skip
    output.put(as_json(found) if output.form == "json" else "".join(f"{one_line(line)}\n" for line in as_lines(found)))
    if not output.quiet:
        click.echo(f"{one_line(str(folder))}: {summary(found)}", err=True)
    return _BAD_INPUT if found.leaks else 0


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
