"""The `spindle` command: a table of sub-commands, each loaded only when it is called.

`spindle --help` reads nothing but this table, so it is there at once and never loads Spark. To add
a command, write its module and add its row. A row's target is a function (one command) or a typer
app (several).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any, Final, NamedTuple

import spindle
from spindle.cli.exits import TOLD, End


class Command(NamedTuple):
    """A sub-command: its name, where it is written (module:attribute), and one line of help."""

    name: str
    target: str
    summary: str


COMMANDS: Final = (
    Command("up", "spindle.cli.up:up", "A cluster on this machine, in the foreground"),
    Command(
        "demo", "spindle.cli.demo.command:demo", "A tour with real processes, in a few minutes"
    ),
    Command("broker", "spindle.cli.broker:broker", "Run one node: broker, controller or both"),
    Command("storage", "spindle.cli.storage.command:app", "Format and inspect log directories"),
    Command("log-dirs", "spindle.cli.log_dirs:log_dirs", "Disks, space, replicas and moves"),
    Command(
        "disks", "spindle.cli.disks.command:app", "Health of disks; probe, replace, cordon, drain"
    ),
    Command("replicas", "spindle.cli.replicas:app", "Bad replicas on good disks, and scrubbers"),
    Command(
        "reassign", "spindle.cli.reassign.command:app", "Move replicas between disks and brokers"
    ),
    Command(
        "balance",
        "spindle.cli.balance.command:app",
        "Even out disks and brokers; forecasts, what-if",
    ),
    Command("audit", "spindle.cli.audit:audit", "Is every acknowledged record there once?"),
    Command(
        "forensics", "spindle.cli.forensics:forensics", "Read log directories without a broker"
    ),
    Command("sim", "spindle.cli.sim:sim", "Run seeded simulations of a whole cluster"),
    Command("explore", "spindle.cli.explore:explore", "Every interleaving of a move and faults"),
    Command(
        "explore-transactions",
        "spindle.cli.explore:explore_transactions",
        "Every interleaving of transactions and faults",
    ),
    Command("completion", "spindle.cli.completion:completion", "Completion for bash, zsh and fish"),
)

_EPILOG: Final = f"""\
Every command has --help, and --json if it prints data. There are also
kafka-log-dirs, kafka-reassign-partitions and kafka-storage with Apache Kafka's own options.
{TOLD}"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `spindle` with the given arguments (the process's own where there are none)."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    with readers_may_leave():
        _main(given)


def _main(given: list[str]) -> None:
    if not given or given[0] in ("-h", "--help", "help"):
        print(usage())
        return
    if given[0] in ("-V", "--version", "version"):
        print(f"spindle {spindle.__version__}")
        return
    command = next((c for c in COMMANDS if c.name == given[0]), None)
    if command is None:
        print(f"error: {_unknown(given[0])}", file=sys.stderr)
        raise SystemExit(End.USAGE)
    run(command, given[1:])


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


def usage() -> str:
    """What `spindle --help` prints."""
    width = max(len(c.name) for c in COMMANDS)
    lines = [f"  {c.name:<{width}}  {c.summary}" for c in COMMANDS]
    return "\n".join(
        (f"Usage: spindle COMMAND [OPTIONS]\n\n{spindle.__doc__}\n\nCommands:", *lines, "", _EPILOG)
    )


def parser(command: Command) -> Any:
    """What reads a command's line: loads its module."""
    import typer
    from typer.main import get_command

    from spindle.cli.usage import dress

    module, _, attribute = command.target.partition(":")
    target: Any = getattr(import_module(module), attribute)
    if not isinstance(target, typer.Typer):
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        app.command()(target)
        target = app
    return dress(get_command(target))


def run(command: Command, arguments: Sequence[str]) -> None:
    """Load a sub-command and run it; what went wrong in the world becomes an error text."""
    from typer import Abort, TyperException

    from spindle.cli import render
    from spindle.cli.refusals import Declined
    from spindle.cli.usage import wrong
    from spindle.client.cluster import NoSuchBroker
    from spindle.model.errors import Corrupt, Failure, PeerFailed, Refusal, Unusable

    name = f"spindle {command.name}"
    try:
        code = parser(command)(args=list(arguments), prog_name=name, standalone_mode=False)
    except TyperException as error:
        render.fail(wrong(error), End.USAGE)
    except Abort:
        render.fail("it was not confirmed: nothing was done", End.REFUSED)
    except Declined as error:
        render.fail(str(error), End.REFUSED)
    except PeerFailed as error:
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


def _unknown(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, [c.name for c in COMMANDS], n=1)
    hint = f"; did you mean {near[0]}?" if near else "."
    return f"there is no command {name!r}{hint} See: spindle --help"
