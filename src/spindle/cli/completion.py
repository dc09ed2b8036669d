"""`spindle completion`: what a shell offers when the tab key is pressed.

Typer has the scripts, and answers them when they call `spindle` with `COMPLETING` set.
"""

from __future__ import annotations

import os
from typing import Annotated, Literal

import typer
from typer.completion import get_completion_inspect_parameters, shell_complete

from spindle.cli.usage import COMPLETING


def completion(
    context: typer.Context,
    shell: Annotated[
        Literal["bash", "zsh", "fish"],
        typer.Argument(metavar="SHELL", help="bash, zsh or fish."),
    ],
) -> None:
    """Print the script that enables completion in a shell.

    Put `source <(spindle completion bash)` into ~/.bashrc, `source <(spindle completion zsh)` into
    ~/.zshrc, or `spindle completion fish | source` into ~/.config/fish/config.fish.
    """
    _learn_shells()
    shell_complete(context.find_root().command, {}, "spindle", COMPLETING, f"source_{shell}")


def enable() -> None:
    """Let this process answer a shell, as its environment asks for, when it parses its line."""
    _learn_shells()
    # Each line of the answer is an offer; rich, by which Typer prints meanings, would break them.
    os.environ["COLUMNS"] = "10000"


def _learn_shells() -> None:
    """Typer knows the shells once it was asked for the options that it would add."""
    get_completion_inspect_parameters()
