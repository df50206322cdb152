"""The reference pages of the documentation, written from the code, so that they cannot say anything else."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

import ragtriage
from ragtriage.core import errors, records
from ragtriage.core.catalogue import FORMATS, METRICS, SOURCES, Catalogue
from ragtriage.core.configuration import Configuration
from ragtriage.core.files import read_text, write_atomic
from ragtriage.core.records import Case, Chunk, Document, Trace
from ragtriage.core.results import TIME_DEPENDENT_METRICS, Results
from ragtriage.core.verdicts import Verdicts
from ragtriage.data.manifest import CorpusManifest, GoldenManifest
from ragtriage.runs import lock, store
from ragtriage.workflows import folder, review
from ragtriage.workflows.metrics import MetricCard, card_of
from ragtriage.workflows.reference_records import cell, prose, record_text, records_in, records_within, table
from ragtriage.workflows.schema import schema_names

__all__ = ["COMMAND", "pages", "stale", "write_pages"]

_MEASURED = {"judges.md"}  # written by benchmarks/judges.py from data that lie outside the repository

T = TypeVar("T")
COMMAND = "make reference"
_NOTE = f"<!-- Written from the code by `{COMMAND}`; change it there. -->"
_WIDTH = 80
_ERROR = re.compile(r"^ +(\w+) +(\S.*?) +exit (\d+)$", re.MULTILINE)  # a line of the tree in the docstring
_FILES = {  # of a run folder, that no report format describes
    "bundle.json": "What the run was made of: the hash of every part, and the whole configuration.",
    "comparison.json": "The comparison with the baseline, where there was one: reports are drawn again without it.",
}
_HELD = {"DataSet": "documents and cases", "RankedRun": "rankings"}
_TABLES = {  # how a record of the configuration is written in TOML
    "CorpusSettings": "[corpus]",
    "GoldenSettings": "[golden]",
    "SystemSettings": "[system]",
    "HttpSystem": "[system.http]",
    "JudgeSettings": "[judge]",
    "MetricSettings": "[metrics]",
    "Expect": "[expect]",
    "SliceSettings": "[slices]",
    "GateRule": "[[gate]]",
    "GatePolicy": "[gate_policy]",
    "RunSettings": "[run]",
}


def pages(commands: str) -> dict[str, str]:
    """Return every page by its path below the folder; `commands` is the page of the command line."""
    found = {
        "cli.md": commands,
        "configuration.md": _configuration(),
        **_metrics(),
        "records.md": _records(),
        "results.md": _results(),
        "run-folder.md": _run_folder(),
        "formats.md": _formats(),
        "python.md": _python(),
        "exit-codes.md": _exit_codes(),
    }
    return {name: f"{text.strip()}\n\n{_NOTE}\n" for name, text in found.items()}


def stale(place: Path, wanted: Mapping[str, str]) -> list[str]:
    """Name the pages below a folder that are missing, say something else, or should not be there."""
    there = {file.relative_to(place).as_posix() for file in place.rglob("*.md")} - _MEASURED
    changed = [name for name, text in wanted.items() if name not in there or read_text(place / name) != text]
    return sorted({*changed, *(there - set(wanted))})


def write_pages(place: Path, wanted: Mapping[str, str]) -> list[str]:
    """Write the pages that changed, remove those that should not be there, and name both."""
    changed = stale(place, wanted)
    for name in changed:
        if name in wanted:
            write_atomic(place / name, wanted[name])
        else:
            (place / name).unlink()
    return changed


def _own(catalogue: Catalogue[T]) -> Iterator[tuple[str, T]]:
    """Yield what stands in this package, not what other installed packages bring."""
    return ((name, one) for name, one in catalogue if (getattr(one, "__module__", "")).startswith("ragtriage."))


def _page(*parts: str) -> str:
    return "\n\n".join(parts)


def _anchor(heading: str) -> str:
    """Return the anchor that a heading gets.

    >>> _anchor("[system.http]"), _anchor("Case")
    ('#systemhttp', '#case')
    """
    return "#" + re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())


def _described(models: Iterable[type[BaseModel]], *, marks: Mapping[str, Mapping[str, str]] | None = None) -> str:
    """Draw the records and all they hold, one below the other."""
    found = records_within(models)
    linked = {model.__name__: _anchor(model.__name__) for model in found}
    drawn = (
        record_text(model, heading=f"### {model.__name__}", linked=linked, marks=(marks or {}).get(model.__name__))
        for model in found
    )
    return "\n\n".join(drawn)


def _configuration() -> str:
    found = records_within([Configuration])
    headings = {model.__name__: _TABLES.get(model.__name__, model.__name__) for model in found}
    linked = {name: _anchor(heading) for name, heading in headings.items()}
    tables = [
        record_text(model, heading=f"## `{headings[model.__name__]}`", linked=linked)
        for model in found
        if model is not Configuration
    ]
    keys = [
        [f"[`{name}`]({anchor})", cell(field.description or "")]
        for name, field in Configuration.model_fields.items()
        for anchor in [linked[records_in(field.annotation)[0].__name__]]
    ]
    return _page(
        "# Configuration",
        "One file, `ragtriage.toml`. Paths in it start from its own folder. An unknown key is an error.",
        "A default of none means that the key is left out. All faults are told at once.",
        "`ragtriage schema configuration` prints the JSON schema, which editors read.",
        table(["table", "what it decides"], keys),
        *tables,
    )


def _metrics() -> dict[str, str]:
    """Return a page for each stage and one that lists them all."""
    by_stage: dict[str, list[MetricCard]] = {}
    for name, _ in _own(METRICS):
        by_stage.setdefault(name.partition(".")[0], []).append(card_of(name))
    listed = []
    for stage, cards in by_stage.items():
        rows = [[f"[`{c.name}`]({stage}.md{_anchor(c.name)})", cell(c.title), cell(c.unit), c.better] for c in cards]
        listed.append(f"## {stage}\n\n{table(['metric', 'what it is', 'unit', 'better'], rows)}")
    index = (
        "# Metrics\n\nA name may carry parameters: `retrieval.recall@10`, `retrieval.ndcg@10(gain=linear)`. "
        "`ragtriage metrics NAME` prints one card.\n\n" + "\n\n".join(listed)
    )
    stages = {
        f"metrics/{stage}.md": f"# {stage}\n\n" + "\n\n".join(_card(card) for card in cards)
        for stage, cards in by_stage.items()
    }
    return {"metrics/index.md": index, **stages}


def _card(card: MetricCard) -> str:
    low, high = ("−∞" if card.low is None else f"{card.low:g}"), ("∞" if card.high is None else f"{card.high:g}")
    facts = {
        "range": f"{low} to {high}",
        "unit": cell(card.unit),
        "better": card.better,
        "over cases": {"set": "computed on all cases at once"}.get(card.aggregate, card.aggregate),
        "levels": ", ".join(card.levels),
        "parameters": ", ".join(f"`{name}` ({cell(default)})" for name, default in card.parameters.items()),
        "undefined": cell(card.undefined),
        "critical": "any value worse than its best fails the case and the run" if card.critical else "",
        "proxy": "rests on the judge that is code alone where no better one ran" if card.proxy else "",
        "source": cell(card.source),
    }
    rows = [[name, value] for name, value in facts.items() if value]
    return (
        f"## {card.name}\n\n**{prose(card.title)}.** {prose(card.definition)}\n\n"
        f"{table(['fact', 'value'], rows)}\n\n```pycon\n{card.example}\n```"
    )


def _records() -> str:
    return _page(
        "# Records",
        "What goes in, one record a line of JSON Lines, or a row of Parquet with the same names.",
        f"{prose(_doc(records).partition(chr(10))[2])}",
        f"`ragtriage schema NAME` prints the JSON schema of {', '.join(f'`{name}`' for name in schema_names())}.",
        f"## Corpus\n\n{_described([CorpusManifest, Document, Chunk])}",
        f"## Golden set\n\n{_described([GoldenManifest, Case])}",
        f"## Traces\n\n{_described([Trace])}",
        f"## Verdicts\n\n{prose(inspect.getmodule(Verdicts).__doc__ or '')}\n\n{_described([Verdicts])}",
    )


def _results() -> str:
    schema = Results.model_json_schema(by_alias=True, mode="serialization")
    marked = {name: "depends on time" for name, facts in schema["properties"].items() if facts.get("x-time-dependent")}
    names = ", ".join(f"`{name}`" for name in TIME_DEPENDENT_METRICS)
    marked["metrics"] = f"the rows of {names} depend on time"
    return _page(
        "# results.json",
        prose(inspect.getmodule(Results).__doc__ or ""),
        "`ragtriage schema results` prints the JSON schema.",
        _described([Results], marks={"Results": marked}).replace("### ", "## "),
    )


def _run_folder() -> str:
    drawn = {declared.suffix: declared for _, declared in FORMATS}
    rows = [
        [f"`{store.FILE}`", cell(_doc(store))],
        [f"`{lock.NAME}`", cell(_doc(lock))],
    ]
    for name in folder.DERIVED:
        declared = drawn[Path(name).suffix]
        drawn_from = name == folder.RESULTS or declared.suffix != ".json"
        told = f"{declared.title}. {_returned(declared.render)}" if drawn_from else _FILES[name]
        rows.append([f"`{name}`", cell(told)])
    rows.append([f"`{review.REVIEW}`", cell(f"{prose(_doc(review))} No file where nothing is listed.")])
    return _page(
        "# The run folder",
        f"`ragtriage eval -o DIR` leaves one folder. What was asked and answered stands in `{store.FILE}` alone.",
        "`ragtriage rescore DIR` makes every other file again from it. A file appears whole or not at all.",
        table(["file", "what it is"], rows),
    )


def _formats() -> str:
    formats = [
        [f"`{one.suffix}`", f"`{name}`", cell(one.title), cell(_returned(one.render))] for name, one in _own(FORMATS)
    ]
    sources = [
        [f"`{name}`", cell(one.title), _HELD[typing.get_type_hints(one.read)["return"].__name__], cell(_doc(one.read))]
        for name, one in _own(SOURCES)
    ]
    return _page(
        "# Formats and sources",
        "## What a report is written as",
        "`ragtriage report RUN -o FILE` chooses by the suffix, `--format NAME` by the name.",
        table(["suffix", "name", "what it is", "in short"], formats),
        "## What is read beside our own files",
        "Documents and cases: the name stands as `source` under `[corpus]` and `[golden]`, and what follows a colon is "
        "the reader's option. Rankings: `ragtriage rank` reads them.",
        table(["source", "what it is", "holds", "how it is read"], sources),
    )


def _python() -> str:
    parts = [
        "# Python",
        "```python\nimport ragtriage as rt\n```",
        "Importing it loads nothing; a name is loaded when it is first used.",
    ]
    for name in ragtriage.__all__:
        found = getattr(ragtriage, name)
        if isinstance(found, type) and issubclass(found, BaseModel):
            parts.append(f"## {name}\n\n{prose(found.__doc__ or '')} Its fields: [records](records.md{_anchor(name)}).")
            continue
        parts.append(f"## {name}\n\n```python\n{name}{_signature(found)}\n```\n\n{prose(_doc(found))}")
        parts += [f"### {name}.{member}\n\n{text}" for member, text in _members(found)]
    return "\n\n".join(parts)


def _members(found: Any) -> Iterator[tuple[str, str]]:
    """Yield the public methods and properties of a class that say what they do."""
    if not isinstance(found, type):
        return
    for name, member in vars(found).items():
        inner = member.__func__ if isinstance(member, classmethod) else member
        if name.startswith("_") or not inspect.getdoc(inner):
            continue
        if isinstance(inner, property):
            yield name, prose(_doc(inner))
        elif inspect.isfunction(inner):
            yield name, f"```python\n{name}{_signature(inner)}\n```\n\n{prose(_doc(inner))}"


def _signature(found: Any) -> str:
    """Write a signature, long ones over several lines, as the formatter would."""
    signature = inspect.signature(found)
    written: list[str] = []
    for parameter in signature.parameters.values():
        if parameter.name in {"self", "cls"}:
            continue
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and "*" not in written:
            written.append("*")
        written.append(f"{parameter.name}: {parameter.annotation}{_default(parameter)}")
    returned = "" if signature.return_annotation in {"None", None} else f" -> {signature.return_annotation}"
    short = f"({', '.join(written)}){returned}"
    if len(short) <= _WIDTH:
        return short
    return "(\n" + "".join(f"    {one},\n" for one in written) + f"){returned}"


def _default(parameter: inspect.Parameter) -> str:
    if parameter.default is inspect.Parameter.empty:
        return ""
    plain = isinstance(parameter.default, str | int | float | tuple | None)
    return f" = {parameter.default!r}" if plain else " = ..."


def _exit_codes() -> str:
    told: dict[int, list[str]] = {
        0: ["done; the gate passed, or none was asked"],
        1: ["the gate failed"],
        2: ["an option or argument that does not exist"],
        3: ["the gate is undecidable"],
        70: ["our own error; a file, which is named, holds the traceback"],
    }
    for name, text, code in _ERROR.findall(_doc(errors)):
        told.setdefault(int(code), []).append(f"{cell(text)} (`{name}`)")
    rows = [[str(code), "; ".join(texts)] for code, texts in sorted(told.items())]
    return _page(
        "# Exit codes",
        "They never depend on the output format.",
        table(["code", "when"], rows),
        "The name in brackets is the error that Python raises, in `ragtriage.core.errors`:",
        f"```text\n{_doc(errors)}\n```",
    )


def _returned(found: Any) -> str:
    """Return what a function says that it returns, as a sentence.

    >>> def render(): "Return the metric rows."
    >>> _returned(render)
    'The metric rows.'
    """
    text = _doc(found).partition("\n\n")[0].removeprefix("Return ")
    return f"{text[:1].upper()}{text[1:]}"


def _doc(found: Any) -> str:
    return inspect.getdoc(found) or ""
