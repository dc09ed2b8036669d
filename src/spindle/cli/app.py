"""The `spindle` command: a table of sub-commands, each loaded only when it is called.

`spindle --help` reads nothing but this table, so it is there at once and never loads Spark. To add
a command, write its module and add its row. A row's target is a function (one command) or a typer
app (several).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final, NamedTuple

import spindle


class Command(NamedTuple):
    """A sub-command: its name, where it is written (module:attribute), and one line of help."""

    name: str
    target: str
    summary: str


COMMANDS: Final = (
    Command("up", "spindle.cli.up:up", "A cluster on this machine, in the foreground"),
    Command("demo", "spindle.cli.demo.command:demo", "The whole story in a few minutes"),
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
    Command("audit", "spindle.cli.audit:audit", "Is every acknowledged record there, once?"),
    Command(
        "forensics", "spindle.cli.forensics:forensics", "What log directories hold, damaged or not"
    ),
    Command("sim", "spindle.cli.sim:sim", "Run seeded simulations of a whole cluster"),
    Command("explore", "spindle.cli.explore:explore", "Every interleaving of a move and faults"),
)

_EPILOG: Final = """\
Every command has --help, and --json where it answers with data. Beside these there are
kafka-log-dirs, kafka-reassign-partitions and kafka-storage with Apache Kafka's own options.
Exit codes: 0 done, 1 it failed or is not complete, 2 the command line is wrong."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `spindle` with the given arguments (the process's own where there are none)."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0] in ("-h", "--help", "help"):
        print(usage())
        return
    if given[0] == "--version":
        print(f"spindle {spindle.__version__}")
        return
    command = next((c for c in COMMANDS if c.name == given[0]), None)
    if command is None:
        print(f"error: {_unknown(given[0])}", file=sys.stderr)
        raise SystemExit(2)
    run(command, given[1:])


def usage() -> str:
    """What `spindle --help` prints."""
    width = max(len(c.name) for c in COMMANDS)
    lines = [f"  {c.name:<{width}}  {c.summary}" for c in COMMANDS]
    return "\n".join(
        (f"Usage: spindle COMMAND [OPTIONS]\n\n{spindle.__doc__}\n\nCommands:", *lines, "", _EPILOG)
    )


def run(command: Command, arguments: Sequence[str]) -> None:
    """Load a sub-command and run it; what went wrong in the world becomes an error text."""
    import typer
    from typer.main import get_command

    from spindle.cli import render
    from spindle.model.errors import Corrupt, Failure, Refusal, Unusable

    module, _, attribute = command.target.partition(":")
    target: Any = getattr(import_module(module), attribute)
    if not isinstance(target, typer.Typer):
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        app.command()(target)
        target = app
    try:
        get_command(target)(args=list(arguments), prog_name=f"spindle {command.name}")
    except (Failure, Refusal, Unusable, Corrupt) as error:
        render.fail(str(error))
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def _unknown(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, [c.name for c in COMMANDS], n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f"there is no command {name!r}{hint} See: spindle --help"
