"""The `ragtriage` command. A command `NAME` is the module `cli/NAME.py` with a click command called `command`.

This module and every `cli` module import click alone at the top; what a command does is imported when it runs.
"""

from __future__ import annotations

import atexit
import errno
import importlib
import pkgutil
import signal
import sys
import tempfile
import traceback

import click

import ragtriage.cli
from ragtriage.core.errors import RagtriageError, did_you_mean

__all__ = ["main"]

INTERRUPTED = 130
OUTPUT_LOST = 4
OWN_ERROR = 70
_DISK = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO})


class CommandsByFile(click.Group):
    """Finds commands by their files, so that adding one touches one file."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """List the modules beside this one."""
        modules = (info.name for info in pkgutil.iter_modules(ragtriage.cli.__path__))
        return sorted(name for name in modules if name != "main" and not name.startswith("_"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = importlib.import_module(f"ragtriage.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Say which command was meant where a name is unknown."""
        named = bool(args) and not args[0].startswith("-") and not ctx.resilient_parsing  # in a shell that completes
        if named and self.get_command(ctx, args[0]) is None:
            known = self.list_commands(ctx)
            raise click.UsageError(f"there is no command {args[0]!r}.{did_you_mean(args[0], known)}", ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=CommandsByFile, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="ragtriage")
def ragtriage_command() -> None:
    """Say which stage of a RAG pipeline is broken, how badly, for whom, and whether it may ship."""


def _visible(text: str) -> str:
    """Show what a message quotes from a file without letting it steer the terminal."""
    from ragtriage.report.escaping import visible  # noqa: PLC0415 - nothing but click is loaded for --help

    return visible(text)


def main() -> None:
    """Run the command line and turn every error into its exit code (`core/errors` lists them)."""
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)  # all is written: Ctrl-C no longer decides the code
    try:
        code = ragtriage_command.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except RagtriageError as error:
        click.echo(f"ragtriage: {_visible(str(error))}", err=True)
        code = error.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("ragtriage: interrupted", err=True)
        code = INTERRUPTED
    except SystemExit as ended:  # click ends 1 when nobody reads our output any more; 1 is the word of the gate here
        code = OUTPUT_LOST if ended.code else 0
    except OSError as error:
        if error.errno not in _DISK:
            code = _own_error(error)
        else:
            click.echo(f"ragtriage: what was to be written is lost: {error.strerror}", err=True)
            code = OUTPUT_LOST
    except Exception as error:  # noqa: BLE001 - the last border: our own fault gets a file and exit 70
        code = _own_error(error)
    sys.exit(code if isinstance(code, int) else 0)


def _own_error(error: Exception) -> int:
    with tempfile.NamedTemporaryFile("w", prefix="ragtriage-", suffix=".txt", delete=False) as report:
        traceback.print_exc(file=report)
    click.echo(f"ragtriage: internal error: {error!r}. The traceback lies in {report.name}", err=True)
    return OWN_ERROR
