"""Write a project that runs: corpus, golden set, annotated configuration, and what its template brings."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ragtriage.core.errors import BadInput, Fault, UnknownName
from ragtriage.core.files import write_atomic
from ragtriage.report.escaping import one_line
from ragtriage.workflows.annotated import annotated
from ragtriage.workflows.beir_project import beir
from ragtriage.workflows.installation import EXTRAS, Installation, installation, pip_line
from ragtriage.workflows.projects import Project, bank, http, python, traces
from ragtriage.workflows.schema import schema_text

__all__ = ["TEMPLATES", "Started", "init"]

_READY: Mapping[str, Callable[[], Project]] = {"bank": bank, "http": http, "python": python, "traces": traces}
TEMPLATES = ("python", "http", "traces", "bank", "beir")
CONFIGURATION = "ragtriage.toml"
_SCHEMA = ".ragtriage/ragtriage.schema.json"


@dataclass(frozen=True, slots=True)
class Started:
    """What was written, what is worth knowing of it, and the commands to go on with."""

    folder: Path
    files: tuple[str, ...]
    notes: tuple[str, ...]
    commands: tuple[str, ...]


def init(
    folder: str | Path,
    *,
    template: str | None = None,
    source: str | Path | None = None,
    dense: bool = False,
    here: Installation | None = None,
) -> Started:
    """Write a project into a folder, its configuration last.

    `template`: one of TEMPLATES; without one `beir` where a `source` is given, else `python`. `source` is the BEIR
    folder that the project is made from; `dense` adds embeddings to its BM25. `here`: the installation that is told
    of, this one unless another is given. Raises BadInput where files that would be written exist already, naming
    each; UnknownName for an unknown template.
    """
    name = template or ("python" if source is None else "beir")
    if name not in TEMPLATES:
        raise UnknownName(name, known=TEMPLATES, what="template")
    project = _project(name, source=source, dense=dense)
    here, place = here or installation(), Path(folder)
    configuration = annotated(
        project.settings, heading=[one_line(project.title), "", *_runs(here)], remarks=project.remarks
    )
    files = {**project.files, _SCHEMA: schema_text("configuration").encode(), CONFIGURATION: configuration.encode()}
    _refuse_existing(place, files)
    for file, content in files.items():
        write_atomic(place / file, content)
    return Started(place, tuple(files), (*project.notes, *_missing(project, here)), tuple(_next(project, place)))


def _project(name: str, *, source: str | Path | None, dense: bool) -> Project:
    if name == "beir":
        if source is None:
            raise BadInput("the template 'beir' is made from a BEIR folder: name it with --from FOLDER")
        return beir(Path(source), dense=dense)
    if source is not None or dense:
        option = "--from" if source is not None else "--dense"
        raise BadInput(f"{option} belongs to the template 'beir'. The template is {name!r}")
    return _READY[name]()


def _refuse_existing(place: Path, files: Iterable[str]) -> None:
    """Raise BadInput naming everything that stands where something would be written."""
    wanted = [place / file for file in files]
    folders = {folder for file in wanted for folder in file.parents}
    taken = [file for file in wanted if file.is_symlink() or file.exists()]
    taken += [folder for folder in folders if folder.is_symlink() and not folder.exists()]
    taken += [folder for folder in folders if folder.exists() and not folder.is_dir()]
    if taken:
        faults = [Fault(str(path), 0, "exists already") for path in sorted(set(taken))]
        raise BadInput(f"{place}: nothing was written, because what would be written exists:", faults)


def _runs(here: Installation) -> Iterator[str]:
    """Say what this installation can run and which extra brings the rest."""
    yield "What each key decides stands above it. A key behind a # is not set: it has the value that is shown, or none."
    yield "Paths start from this file's folder."
    yield ""
    yield f"Written by ragtriage {here.version} on Python {here.python}, {here.system} {here.machine}. It could run:"
    yield "- callables in Python and recorded traces"
    for extra in here.extras:
        told = f"- {EXTRAS[extra]}" if extra in EXTRAS else f"- what the extra {extra!r} brings"
        if not any(package.offered for package in here.of(extra)):
            yield f"{told}: not on this platform; {here.embedder or 'the extra reference'} takes its place"
        else:
            yield told if here.has(extra) else f"{told}: not yet, {pip_line(extra)}"


def _missing(project: Project, here: Installation) -> Iterator[str]:
    missing = [extra for extra in project.extras if not here.has(extra)]
    if missing:
        names = ", ".join(package.name for extra in missing for package in here.lacks(extra))
        yield f"this project needs what is not installed ({names}): {pip_line(','.join(missing))}"


def _next(project: Project, place: Path) -> Iterator[str]:
    """Yield the two commands that come next, as they are typed in the current folder."""
    run = place / "runs" / "latest"
    if place == Path():
        evaluation = "ragtriage eval"
    else:
        evaluation = f"ragtriage eval -c {_word(place / CONFIGURATION)} -o {_word(run)}"
    if project.first is not None:
        yield f"python {_word(place / project.first)}"
        yield evaluation
    else:
        yield evaluation
        yield f"ragtriage diagnose {_word(run)}"


def _word(path: Path) -> str:
    text = str(path)
    return shlex.quote(f"./{text}" if text.startswith("-") else text)
