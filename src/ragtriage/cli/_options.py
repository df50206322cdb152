"""The options that every command has: where its result goes, in which form, and what is said beside it."""

from __future__ import annotations

import functools
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import click

from ragtriage.core.errors import RagtriageError

__all__ = ["Output", "output_options", "put", "wants_color"]

Color = Literal["auto", "always", "never"]
Command = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Output:
    """What was asked of a command's output.

    `file`: where the result goes, None for stdout. `form`: one of the command's forms; None where the command knows no
    form of its own and none was asked for. `quiet`: nothing beside the result. `verbose`: more than the least.
    """

    file: str | None
    form: str | None
    quiet: bool
    verbose: bool
    color: Color

    @property
    def colored(self) -> bool:
        """Whether the result may be coloured; a file never is."""
        return self.file is None and wants_color(self.color)

    def put(self, content: str | bytes) -> None:
        """Write the result to its file, named on stderr, or to stdout; raises StorageFailed."""
        put(content, self.file)
        if self.file is not None:
            self.say(f"wrote {self.file}")

    def say(self, text: str) -> None:
        """Say something beside the result, unless asked not to."""
        if not self.quiet:
            click.echo(f"ragtriage: {text}", err=True)


def output_options(
    *forms: str,
    default: str | None = None,
    file: str | None = "Write there; the suffix chooses the format.",
    quiet: str = "Nothing beside the result.",
    verbose: str = "Say more where there is more to say",
    short_quiet: bool = True,
) -> Callable[[Command], Command]:
    """Give a command `-o`, `--format`, `--quiet`, `-v`, `--color`, `--version` and `-h`; `output` tells what came.

    `forms`: what `--format` takes, any name where none is given; `default`: the form without `--format` and without a
    suffix that names one. `file` None: the command declares an `-o` of its own. `short_quiet` False: `-q` is taken.
    """
    kind = click.Choice(forms) if forms else None
    wanted = (
        f"{default or 'the summary'} unless another is named" if forms else "Print this format (md, json, csv, ...)"
    )
    options = [
        click.option("--format", "form", type=kind, metavar=None if forms else "NAME", help=f"{wanted}."),
        click.option(*(["-q"] if short_quiet else []), "--quiet", is_flag=True, help=quiet),
        click.option("-v", "--verbose", is_flag=True, help=f"{verbose}; of an error also where in the code it arose."),
        click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True,
                     help="Colour where there is any; auto: on a terminal without NO_COLOR."),
        click.version_option(package_name="ragtriage"),
        click.help_option("-h", "--help"),
    ]  # fmt: skip
    own_file = file is not None
    if own_file:
        options.insert(0, click.option("-o", "--output", "given_file", type=click.Path(), metavar="FILE", help=file))

    def wrap(function: Command) -> Command:
        @functools.wraps(function)
        def run(
            *given: Any,
            form: str | None,
            quiet: bool,
            verbose: bool,
            color: Color,
            given_file: str | None = None,
            **rest: Any,
        ) -> Any:
            chosen = form or _by_suffix(given_file, forms if own_file else ()) or default
            output = Output(given_file, chosen, quiet, verbose, color)
            try:
                return function(*given, output=output, **rest)
            except RagtriageError:
                if verbose:
                    from ragtriage.report.escaping import visible  # noqa: PLC0415 - nothing but click for --help

                    click.echo(visible(traceback.format_exc()), err=True)
                raise

        for option in reversed(options):
            run = option(run)
        return run

    return wrap


def put(content: str | bytes, file: str | None) -> None:
    """Write a result to a file, whole or not at all, or to stdout; raises StorageFailed."""
    if file is None:
        click.echo(content, nl=False, color=True)  # whether it is coloured was decided where it was drawn
        return
    from pathlib import Path  # noqa: PLC0415 - nothing but click is loaded for --help

    from ragtriage.core.files import write_atomic  # noqa: PLC0415

    write_atomic(Path(file), content)


def wants_color(color: Color) -> bool:
    """Say whether stdout is to be coloured: auto means on a terminal without NO_COLOR."""
    return color == "always" or (color == "auto" and sys.stdout.isatty() and not os.environ.get("NO_COLOR"))


def _by_suffix(file: str | None, forms: Sequence[str]) -> str | None:
    suffix = "" if file is None else os.path.splitext(file)[1].removeprefix(".").lower()  # noqa: PTH122 - click alone
    return suffix if suffix in forms else None
