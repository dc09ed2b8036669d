"""What parses the line of `spindle`: a group whose sub-commands load when they are called.

Typer parses, and completes lines for shells. Called by `app`, which has the table of commands.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

import spindle
from spindle.cli import render
from spindle.cli.completion import enable
from spindle.cli.exits import End
from spindle.cli.refusals import Declined
from spindle.cli.usage import COMPLETING, Front, dress, front_page, wrong
from spindle.model.errors import Corrupt, Failure, PeerFailed, Refusal, Unusable

if TYPE_CHECKING:
    from typer._click.core import Command, Context


class Later(TyperCommand):
    """A row of the table. No more is known of it until its line is parsed."""

    name: str

    def __init__(self, name: str, target: str, summary: str) -> None:
        super().__init__(name, help=summary, short_help=summary)
        self.target = target

    def load(self) -> Command:
        """What reads its line and runs it."""
        module, _, attribute = self.target.partition(":")
        target = getattr(import_module(module), attribute)
        if isinstance(target, typer.Typer):
            return dress(get_command(_connecting(target)))
        alone = typer.Typer(add_completion=False, rich_markup_mode=None)
        alone.command()(target)
        return dress(get_command(_connecting(alone)))

    def make_context(
        self, info_name: str | None, args: list[str], parent: Context | None = None, **extra: object
    ) -> Context:
        """Parse its line, or as much of it as is to be completed."""
        return self.load().make_context(info_name, args, parent, **extra)


def _connecting(app: typer.Typer) -> typer.Typer:
    """The same, whose commands take a cluster's name where they ask for one."""
    if "spindle.cli.connecting" not in sys.modules:
        return app  # None of its commands connects.
    from spindle.cli.connecting import widen

    return widen(app)


def group(rows: Sequence[tuple[str, str, str]], front: Front) -> TyperGroup:
    """The whole command: the rows are name, module:attribute and one line of help."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)

    @app.callback(invoke_without_command=True)
    def _spindle(
        context: typer.Context,
        version: Annotated[
            bool, typer.Option("-V", "--version", help="Print the version.")
        ] = False,
    ) -> None:
        if version:
            print(f"spindle {spindle.__version__}")
            raise typer.Exit
        if context.invoked_subcommand is None:
            print(context.get_help())

    found = get_group(app)
    found.commands = {name: Later(name, target, summary) for name, target, summary in rows}
    dress(found)
    vars(found)["get_help"] = lambda ctx: front_page(front, ctx.command_path)
    return found


def run(given: list[str], rows: Sequence[tuple[str, str, str]], front: Front) -> NoReturn:
    """Run a command of the table, or answer a shell; SystemExit with its exit code."""
    if COMPLETING in os.environ:
        enable()
    try:
        code = group(rows, front)(args=given, prog_name="spindle", standalone_mode=False)
    except typer.TyperException as error:
        render.fail(wrong(error), End.USAGE)
    except typer.Abort:
        render.fail("it was not confirmed: nothing was done", End.REFUSED)
    except Declined as error:
        render.fail(str(error), End.REFUSED)
    except PeerFailed as error:
        from spindle.client.cluster import NoSuchBroker

        # That there is no such broker is known.
        known = isinstance(error, NoSuchBroker)
        render.fail(str(error), End.FAILED if known else End.UNKNOWN)
    except (Failure, Refusal, Unusable, Corrupt) as error:
        render.fail(str(error))
    except KeyboardInterrupt:
        raise SystemExit(End.INTERRUPTED) from None
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # Typer would end with 1.
            raise BrokenPipeError from None
        raise
    raise SystemExit(code or End.DONE)
