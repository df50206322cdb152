"""`ragtriage completion`: print the script that completes commands and options in a shell."""

from __future__ import annotations

import click

from ragtriage.cli._options import Output, output_options

__all__ = ["command"]


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@output_options("script", default="script", file="Write there.")
def command(shell: str, *, output: Output) -> None:
    """Print the completion script of SHELL.

    \b
    bash:  eval "$(ragtriage completion bash)"    in ~/.bashrc
    zsh:   eval "$(ragtriage completion zsh)"     in ~/.zshrc
    fish:  ragtriage completion fish -o ~/.config/fish/completions/ragtriage.fish
    """  # noqa: D301 - click reads the character \b, which keeps these lines apart
    from click.shell_completion import get_completion_class  # noqa: PLC0415 - a command loads what it needs

    root = click.get_current_context().find_root().command
    script = get_completion_class(shell)(root, {}, "ragtriage", "_RAGTRIAGE_COMPLETE").source()  # type: ignore[misc]
    output.put(f"{script}\n")
