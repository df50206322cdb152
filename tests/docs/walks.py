"""The documentation as something to be tried: its pages as blocks, and a folder in which they are followed.

A page is followed from top to bottom in a folder of its own:
- a fence with a title (```toml title="ragtriage.toml") is written to that file;
- a `console` fence is run: lines that begin with `$ ` are commands, what follows them is what they print, where `...`
  stands for anything; without such lines the output is not looked at;
- in a `yaml` fence the lines of our own command are run;
- an untitled `python` fence is run as a script;
- `<!-- exit: 1 -->` before a fence: its last command ends with this code;
- `<!-- project: examples/quickstart -->`: the folder starts as a copy of this one, else empty;
- `<!-- continues: first-run.md -->`: the folder is the one that this page leaves behind;
- `<!-- needs: data/scifact -->`: public data that is linked into the folder; without it the page is skipped.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

from ragtriage.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
README = ROOT / "README.md"
PORT = "8000"  # in a page; a free one stands in its place when the page is followed
PROGRAMS = ("ragtriage", "make", "pip", "python")
_NOTE = re.compile(r"<!--\s*(exit|project|continues|needs):\s*(.*?)\s*-->")
_TITLE = re.compile(r'title="([^"]+)"')
_SETTING = re.compile(r"[A-Z_]+=\S*")

# What is shown and cannot be run here, with the reason.
NOT_RUN = {
    r"make (eval|test|docs|reference)\b": "a make target of the checkout: it installs, and CI runs it as a whole",
    r"pip install ": "needs a package index",
    r"ragtriage \w+ .*hit_depth": "run by tests/how_to/test_add_a_metric.py, with the page's metric as a plugin",
}


@dataclass(frozen=True)
class Block:
    """A fence of a page."""

    page: Path
    line: int
    language: str
    title: str | None
    content: str
    exit_code: int = 0

    @property
    def where(self) -> str:
        """Where it stands."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    def commands(self) -> Iterator[tuple[str, str]]:
        """Yield each command with what it is said to print."""
        lines = self.content.splitlines()
        if self.language == "" and lines and lines[0].split(" ")[0] in PROGRAMS:
            yield from ((line.partition("  #")[0].strip(), "") for line in lines if line.strip())
        if self.language == "yaml":
            yield from ((line, "") for line in _steps(yaml.safe_load(self.content)) if line.startswith("ragtriage "))
        if self.language != "console":
            return
        command, printed = "", list[str]()
        for line in lines:
            if line.startswith("$ "):
                if command:
                    yield command, "\n".join(printed)
                command, printed = line.removeprefix("$ "), []
            elif command.endswith("\\") and not printed:
                command = f"{command.removesuffix(chr(92)).rstrip()} {line.strip()}"
            else:
                printed.append(line)
        if command:
            yield command, "\n".join(printed)


@dataclass(frozen=True)
class Page:
    """A page: its fences, and the notes that say how it is followed."""

    path: Path

    @property
    def name(self) -> str:
        """Its path in the repository."""
        return self.path.relative_to(ROOT).as_posix()

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tokens(self) -> list[Token]:
        return MarkdownIt("commonmark").enable("table").parse(self.text)

    @cached_property
    def notes(self) -> dict[str, str]:
        """The notes that hold for the whole page."""
        return {key: value for key, value in _NOTE.findall(self.text) if key != "exit"}

    @cached_property
    def blocks(self) -> list[Block]:
        found, exit_code = [], 0
        for token in self.tokens:
            if token.type == "html_block":
                told = [value for key, value in _NOTE.findall(token.content) if key == "exit"]
                exit_code = int(told[-1]) if told else exit_code
            elif token.type == "fence" and token.map is not None:
                language, _, rest = token.info.partition(" ")
                title = _TITLE.search(rest)
                name = None if title is None else title[1]
                found.append(Block(self.path, token.map[0] + 1, language, name, token.content, exit_code))
                exit_code = 0
        return found

    @property
    def can_be_followed(self) -> bool:
        """Whether anything of it is done."""
        return any(list(block.commands()) for block in self.blocks)

    @property
    def before(self) -> Page | None:
        """The page that it continues."""
        name = self.notes.get("continues")
        return None if name is None else Page((self.path.parent / name).resolve())


def pages() -> list[Page]:
    """Return every page that a reader sees, and the README."""
    return [Page(README), *(Page(path) for path in sorted(DOCS.rglob("*.md")))]


def walks() -> list[tuple[Page, ...]]:
    """Return the pages that are followed, those that continue each other as one walk."""
    every = [page for page in pages() if page.can_be_followed]
    continued = {page.before for page in every}
    found = []
    for last in (page for page in every if page not in continued):
        walk = [last]
        while (earlier := walk[0].before) is not None:
            walk.insert(0, earlier)
        found.append(tuple(walk))
    return found


def not_run(command: str) -> str | None:
    """Return the pattern of a command that cannot be run here; None: it is to be run."""
    return next((pattern for pattern in NOT_RUN if re.match(pattern, command)), None)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Folder:
    """The folder in which a walk takes place."""

    path: Path
    port: int = field(default_factory=_free_port)
    _started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def write(self, name: str, content: str) -> None:
        """Write a file of a page."""
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content.replace(f":{PORT}", f":{self.port}").replace(f", {PORT})", f", {self.port})"))

    def run(self, line: str) -> tuple[int, str]:
        """Run a command line in the folder; return its exit code and all that it printed."""
        words = shlex.split(line)
        settings = {}
        while _SETTING.fullmatch(words[0]):
            name, _, settings[name] = words.pop(0).partition("=")
        environment = {**os.environ, **settings, "PYTHONPATH": str(ROOT / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
        if words[-1] == "&":
            self._start(words[:-1], environment)
            return 0, ""
        if words[0] == "ragtriage" and not settings:
            return self._here(words)
        done = subprocess.run(
            words, cwd=self.path, env=environment, check=False, timeout=120, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
        )  # fmt: skip
        return done.returncode, done.stdout

    def script(self, where: str, content: str) -> None:
        """Run a piece of Python in the folder."""
        self.write(".script.py", content)
        code, printed = self.run("python .script.py")
        assert code == 0, f"{where}: {printed}"

    def check_out(self, name: str) -> None:
        """Bring the other branch, as CI does before its first step: the folder as it is, without its runs."""
        other = Path(f"{self.path}-{name}")
        shutil.copytree(self.path, other, ignore=shutil.ignore_patterns("runs", "__pycache__"))
        other.rename(self.path / name)

    def close(self) -> None:
        """End what runs in the background."""
        for process in self._started:
            process.kill()
            process.wait()

    def _here(self, words: list[str]) -> tuple[int, str]:
        """Run our own command in this process: what it imports is imported once for all pages."""
        printed, path, arguments = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True), sys.path[:], sys.argv
        sys.argv = words
        try:
            with contextlib.chdir(self.path), contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
                main()
        except SystemExit as error:
            return int(error.code or 0), printed.buffer.getvalue().decode()
        finally:
            sys.argv, sys.path[:] = arguments, path
            for name, module in list(sys.modules.items()):  # a page may change what it imported
                if str(getattr(module, "__file__", None)).startswith(str(self.path)):
                    del sys.modules[name]
        raise AssertionError(f"{words} did not end")

    def _start(self, words: list[str], environment: dict[str, str]) -> None:
        self._started.append(subprocess.Popen(words, cwd=self.path, env=environment))
        end = time.monotonic() + 30
        while time.monotonic() < end:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return
            time.sleep(0.05)
        raise AssertionError(f"{words} does not listen")


def started(walk: tuple[Page, ...], path: Path) -> Folder:
    """Make the folder that a walk starts from."""
    project = walk[0].notes.get("project", "examples/quickstart" if walk[0].path == README else None)
    if project is not None:
        shutil.copytree(ROOT / project, path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    return Folder(path)


def _steps(value: object) -> Iterator[str]:
    """Yield the command lines of a CI configuration, wherever they stand."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in {"run", "script", "before_script", "after_script"}:
                lines = inner if isinstance(inner, list) else str(inner).splitlines()
                yield from (str(line).strip() for line in lines)
            else:
                yield from _steps(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _steps(inner)
