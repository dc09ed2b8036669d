"""The `spindle` command: a group of sub-commands, each loaded only when it is called.

`spindle --help` and the completion of commands read nothing but the table below, so they are there
at once and never load Spark. To add a command, write its module and add its row. A row's target is
a function (one command) or a typer app (several).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

import spindle
from spindle.cli import render
from spindle.cli.completion import VARIABLE, enable
from spindle.cli.exits import TOLD, End
from spindle.cli.refusals import Declined
from spindle.cli.usage import dress, wrong
from spindle.model.errors import Corrupt, Failure, PeerFailed, Refusal, Unusable


class Later(TyperCommand):
    """A sub-command: its name, where it is written (module:attribute), and one line of help.

    No more is known of it until its line is parsed.
    """

    name: str

    def __init__(self, name: str, target: str, summary: str) -> None:
        super().__init__(name, help=summary, short_help=summary)
        self.target = target

    def load(self) -> Any:
        """What reads its line and runs it."""
        module, _, attribute = self.target.partition(":")
        target: Any = getattr(import_module(module), attribute)
        if isinstance(target, typer.Typer):
            return dress(get_command(target))
        alone = typer.Typer(add_completion=False, rich_markup_mode=None)
        alone.command()(target)
        return dress(get_command(alone))

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        """Parse its line, or as much of it as is to be completed."""
        return self.load().make_context(info_name, args, parent, **extra)


COMMANDS: Final = (
    Later("up", "spindle.cli.up:up", "A cluster on this machine, in the foreground"),
    Later("demo", "spindle.cli.demo.command:demo", "A tour with real processes, in a few minutes"),
    Later("broker", "spindle.cli.broker:broker", "Run one node: broker, controller or both"),
    Later("storage", "spindle.cli.storage.command:app", "Format and inspect log directories"),
    Later("log-dirs", "spindle.cli.log_dirs:log_dirs", "Disks, space, replicas and moves"),
    Later(
        "disks", "spindle.cli.disks.command:app", "Health of disks; probe, replace, cordon, drain"
    ),
    Later("replicas", "spindle.cli.replicas:app", "Bad replicas on good disks, and scrubbers"),
    Later(
        "reassign", "spindle.cli.reassign.command:app", "Move replicas between disks and brokers"
    ),
    Later(
        "balance",
        "spindle.cli.balance.command:app",
        "Even out disks and brokers; forecasts, what-if",
    ),
    Later("audit", "spindle.cli.audit:audit", "Is every acknowledged record there once?"),
    Later("forensics", "spindle.cli.forensics:forensics", "Read log directories without a broker"),
    Later("sim", "spindle.cli.sim:sim", "Run seeded simulations of a whole cluster"),
    Later("explore", "spindle.cli.explore:explore", "Every interleaving of a move and faults"),
    Later(
        "explore-transactions",
        "spindle.cli.explore:explore_transactions",
        "Every interleaving of transactions and faults",
    ),
    Later("completion", "spindle.cli.completion:completion", "Completion for bash, zsh and fish"),
)

_EPILOG: Final = f"""\
Every command has --help, and --json if it prints data. There are also
kafka-log-dirs, kafka-reassign-partitions and kafka-storage with Apache Kafka's own options.

{TOLD}"""

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.callback(invoke_without_command=True, help=spindle.__doc__, epilog=_EPILOG)
def _spindle(
    context: typer.Context,
    version: Annotated[bool, typer.Option("-V", "--version", help="Print the version.")] = False,
) -> None:
    if version:
        _version()
        raise typer.Exit
    if context.invoked_subcommand is None:
        _help(context)


@app.command("version", hidden=True)
def _version() -> None:
    print(f"spindle {spindle.__version__}")


@app.command("help", hidden=True)
def _help(context: typer.Context) -> None:
    print(context.find_root().get_help())


@cache
def group() -> TyperGroup:
    """The whole command."""
    found = get_group(app)
    found.commands = {**{row.name: row for row in COMMANDS}, **found.commands}
    dress(found)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `spindle` with the given arguments (the process's own where there are none).

    It ends by SystemExit with its exit code; what went wrong in the world becomes an error text.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if VARIABLE in os.environ:
        enable()
    with readers_may_leave():
        _run(given)


def _run(given: list[str]) -> None:
    try:
        code = group()(args=given, prog_name="spindle", standalone_mode=False)
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


@contextmanager
def readers_may_leave() -> Iterator[None]:
    """End quietly where the reader of the output has gone (`| head`), as other programs do."""
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        with suppress(OSError, ValueError):  # What is left in the buffer has no reader.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(End.PIPE_CLOSED) from None
