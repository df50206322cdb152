"""What `ragtriage init` can write: for each template its files, its settings, and what it needs installed.

The corpus, golden set and pipeline of `python`, `http` and `traces` are those of examples/quickstart, and `bank` is
examples/bank: they lie in one place and are copied from there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ragtriage.core.errors import BadInput
from ragtriage.core.files import read_bytes, read_text, read_toml
from ragtriage.workflows.settings import read_settings

__all__ = ["CORPUS_AND_GOLDEN", "Project", "bank", "http", "python", "traces"]

CORPUS_AND_GOLDEN = ("corpus/corpus.toml", "corpus/documents.jsonl", "golden/golden.toml", "golden/cases.jsonl")
PORT = 8077
_HERE = Path(__file__).parent
_REMARK = re.compile(r"\s#\s+(?P<remark>.+)$")


@dataclass(frozen=True)
class Project:
    """A project to be written: `files` by their place in its folder, `settings` of its configuration.

    `remarks`: what to say of a setting that no record describes. `extras`: what has to be installed to run it.
    `first`: what to start before the first evaluation. `notes`: what was found while it was made.
    """

    title: str
    files: Mapping[str, bytes]
    settings: Mapping[str, Any]
    remarks: Mapping[str, str] = field(default_factory=dict)
    extras: tuple[str, ...] = ()
    first: str | None = None
    notes: tuple[str, ...] = ()


def python() -> Project:
    """Return the project of a pipeline of one's own in Python."""
    place = _example("quickstart")
    return Project(
        title="A pipeline of your own: put it into my_rag.py, your documents into corpus, your questions into golden.",
        files=_copied(place, [*CORPUS_AND_GOLDEN, "my_rag.py"]),
        settings=read_toml(place / "ragtriage.toml"),
        remarks={"gate.0": "The document that holds the answer is among the passages that the answer is written from."},
    )


def http() -> Project:
    """Return the project of the same pipeline behind an endpoint."""
    project = python()
    fields = {
        "answer.text": "$.reply",
        "answer.abstained": "$.gave_up",
        "context[].id": "$.sources[*].id",
        "context[].doc_id": "$.sources[*].document",
        "context[].text": "$.sources[*].text",
        "rankings.words[].id": "$.sources[*].id",
        "rankings.words[].doc_id": "$.sources[*].document",
        "rankings.words[].score": "$.sources[*].score",
    }
    endpoint = {"url": f"http://127.0.0.1:{PORT}/answer", "body": {"question": "{{question}}"}, "fields": fields}
    server = read_bytes(_HERE / "templates" / "http" / "server.py.txt")
    return replace(
        project,
        title="A pipeline behind HTTP: server.py stands for yours; [system.http] says how to ask and read it.",
        files={**project.files, "server.py": server},
        settings=_asked(project.settings, {"http": endpoint}),
        extras=("http",),
        first="server.py",
    )


def traces() -> Project:
    """Return the project of answers that were recorded before."""
    project = python()
    recorded = read_bytes(_HERE / "templates" / "traces" / "recorded.jsonl")
    files = {name: content for name, content in project.files.items() if name in CORPUS_AND_GOLDEN}
    return replace(
        project,
        title="Recorded answers: put yours into traces, one JSON object a line (`ragtriage schema trace`).",
        files={**files, "traces/recorded.jsonl": recorded},
        settings=_asked(project.settings, {"traces": "traces/*.jsonl"}),
    )


def bank() -> Project:
    """Return the shipped example: a bank's knowledge base in four languages, asked through reference_rag."""
    place = _example("bank")
    settings = read_toml(place / "ragtriage.toml")
    settings["system"]["factors"]["cache_dir"] = ".cache/reference_rag"
    return Project(
        title="A bank's knowledge base in Russian, Ukrainian, Kazakh and English, asked through reference_rag.",
        files=_copied(place, (*CORPUS_AND_GOLDEN, "ontology.json", *_below(place, "ingest"))),
        settings=settings,
        remarks=_remarks(place / "ragtriage.toml"),
        extras=("reference", "html"),
        notes=("the first run embeds every passage, which takes a minute or two; later runs read the vectors",),
    )


def _asked(settings: Mapping[str, Any], how: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings with another way to ask the system."""
    kept = {name: value for name, value in settings["system"].items() if name != "python"}
    return {**settings, "system": {**how, **kept}}


def _example(name: str) -> Path:
    """Return the folder of a shipped example: inside the package, or beside its sources in a checkout."""
    package = _HERE.parent
    places = [package / "examples" / name]
    if package.parent.name == "src":
        places.append(package.parent.parent / "examples" / name)
    for place in places:
        if (place / "ragtriage.toml").is_file():
            return place
    raise BadInput(f"this installation holds no example {name!r}: it lies in examples/{name} of the source")


def _below(place: Path, folder: str) -> list[str]:
    """Return the files of a folder of an example, but its scripts."""
    files = (path for path in sorted((place / folder).rglob("*")) if path.is_file())
    return [path.relative_to(place).as_posix() for path in files if path.suffix not in {".py", ".pyc"}]


def _copied(place: Path, names: Iterable[str]) -> dict[str, bytes]:
    return {name: read_bytes(place / name) for name in names}


def _remarks(file: Path) -> dict[str, str]:
    """Return by key what an example's configuration says of it at the end of its line."""
    lines = read_text(file).splitlines()
    found = {key: _REMARK.search(lines[number - 1]) for key, number in read_settings(file).lines.items()}
    return {key: f"{said['remark'][0].upper()}{said['remark'][1:]}." for key, said in found.items() if said is not None}
