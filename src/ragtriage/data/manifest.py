"""The manifests of a corpus and of a golden set, and the hashes that seal their files."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path, PurePosixPath
from typing import Annotated, TypeVar

from pydantic import Field

from ragtriage.core.errors import BadInput, Fault
from ragtriage.core.files import read_bytes, read_text, read_toml, validate_record, write_atomic
from ragtriage.core.identity import hash_bytes
from ragtriage.core.records import Record

__all__ = [
    "CorpusManifest",
    "GoldenManifest",
    "check_files",
    "line_of",
    "read_manifest",
    "seal_files",
]

Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class CorpusManifest(Record):
    """`corpus.toml`: what the corpus is and the SHA-256 of each of its files; no hashes = not sealed yet."""

    name: str
    version: str = ""
    licence: str = ""
    description: str = ""
    files: dict[str, Sha256] = Field(default_factory=dict)


class GoldenManifest(Record):
    """`golden.toml`: what the golden set is, which corpus it was written for, and the SHA-256 of each of its files.

    `corpus`: identity of the corpus, empty = not sealed yet. `changelog`: what changed, the newest version first.
    """

    name: str
    version: str = ""
    licence: str = ""
    description: str = ""
    corpus: Annotated[str, Field(pattern="^([0-9a-f]{64})?$")] = ""
    changelog: tuple[str, ...] = ()
    split_policy: str = ""
    files: dict[str, Sha256] = Field(default_factory=dict)


M = TypeVar("M", CorpusManifest, GoldenManifest)


def read_manifest(path: Path, model: type[M]) -> M:
    """Read a manifest; raises BadInput with every fault of it."""
    found, problems = validate_record(model, read_toml(path))
    if found is None:
        faults = [Fault(str(path), line_of(path, problem.split("'")[1]), problem) for problem in problems]
        raise BadInput(f"{path} cannot be used:", faults)
    return found


def line_of(manifest: Path, key: str) -> int:
    """Return the line in which a manifest gives a value to a key (or to a key of its table), 0 where it does not."""
    lines = read_text(manifest).splitlines()
    for name in filter(None, (key, key.partition(".")[2], key.partition(".")[0])):
        wanted = re.compile(rf"""\s*(\[\s*{re.escape(name)}\s*\]|["']?{re.escape(name)}["']?\s*=)""")
        found = next((number for number, line in enumerate(lines, start=1) if wanted.match(line)), 0)
        if found:
            return found
    return 0


def check_files(folder: Path, manifest: Path, sealed: dict[str, str], used: list[str]) -> list[Fault]:
    """Return a fault for each sealed file that changed, is missing or lies outside, and each used one not sealed."""
    faults = []
    for name, expected in sealed.items():
        problem = _problem(folder, name, expected)
        if problem is not None:
            faults.append(Fault(str(manifest), line_of(manifest, f"files.{name}"), f"'files' {problem}"))
    open_files = [name for name in used if name not in sealed] if sealed else []
    line = line_of(manifest, "files")
    return faults + [
        Fault(str(manifest), line, f"'files' does not name {name!r}, which is used") for name in open_files
    ]


def _problem(folder: Path, name: str, expected: str) -> str | None:
    """Say what is wrong with one sealed file; None where nothing is."""
    pure = PurePosixPath(name)
    if pure.is_absolute() or ".." in pure.parts or "\\" in name:
        return f"names {name!r}, which lies outside the folder"
    if not (folder / name).is_file():
        return f"names {name!r}, which does not exist"
    actual = hash_bytes(read_bytes(folder / name))
    if actual == expected:
        return None
    return (
        f"says that {name!r} has the SHA-256 {expected}, but it has {actual}: the file changed after it was sealed."
        " Restore it, or seal the new content with `ragtriage golden sign`"
    )


def seal_files(manifest: Path, names: list[str], *, corpus: str | None = None) -> None:
    """Write the SHA-256 of the named files into a manifest, and the corpus identity where one is given.

    Everything else in the file stays as it is, comments included. Raises BadInput where the result would say anything
    else.
    """
    before = read_toml(manifest)
    text = read_text(manifest).replace("\r\n", "\n")
    text = re.sub(r"(?ms)^[ \t]*\[files\][ \t]*(?:#[^\n]*)?\n.*?(?=^[ \t]*\[|\Z)", "", text)
    if corpus is not None:
        line = f'corpus = "{corpus}"'
        text, count = re.subn(r"(?m)^[ \t]*corpus[ \t]*=.*$", line, text, count=1)
        text = text if count else f"{line}\n{text}"
    hashes = {name: hash_bytes(read_bytes(manifest.parent / name)) for name in sorted(names)}
    table = "".join(f"{json.dumps(name, ensure_ascii=False)} = {json.dumps(value)}\n" for name, value in hashes.items())
    text = f"{text.rstrip()}\n\n[files]\n{table}"
    expected = {**before, "files": hashes, **({} if corpus is None else {"corpus": corpus})}
    try:
        written = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        written = {}
    if written != expected:
        raise BadInput(
            f"{manifest}: its form cannot be sealed: write 'files' as a table [files] of its own, at the end"
        )
    write_atomic(manifest, text)
