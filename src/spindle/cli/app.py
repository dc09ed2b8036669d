"""The `spindle` command: a table of sub-commands, each loaded only when it is called.

`spindle --help` reads nothing but the table below, so it is there at once: neither what parses
command lines nor Spark is loaded. `spindle broker -c FILE` loads the node alone. To add a command,
write its module and add its row.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

import spindle
from spindle.cli.exits import TOLD, End
from spindle.cli.usage import COMPLETING, Front, front_page


class Command(NamedTuple):
    """A sub-command: its name, where it is written (module:attribute), and one line of help.

    The attribute is a function (one command) or a typer app (several).
    """

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
    Command("doctor", "spindle.cli.doctor.command:doctor", "What is wrong with a cluster"),
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
    Command("spark", "spindle.cli.spark_server:app", "The Spark session that commands share"),
    Command("audit", "spindle.cli.audit:audit", "Is every acknowledged record there once?"),
    Command(
        "forensics", "spindle.cli.forensics:forensics", "Read log directories without a broker"
    ),
    Command("profile", "spindle.cli.profile:app", "Names for clusters: address and security"),
    Command("sim", "spindle.cli.sim:sim", "Run seeded simulations of a whole cluster"),
    Command("explore", "spindle.cli.explore:explore", "Every interleaving of a move and faults"),
    Command(
        "explore-transactions",
        "spindle.cli.explore:explore_transactions",
        "Every interleaving of transactions and faults",
    ),
    Command(
        "explore-groups",
        "spindle.cli.explore:explore_groups",
        "Every interleaving of a consumer group and faults",
    ),
    Command("completion", "spindle.cli.completion:completion", "Completion for bash, zsh and fish"),
)

_EPILOG: Final = f"""\
Every command has --help, and --json if it prints data. There are also
kafka-features, kafka-log-dirs, kafka-metadata-quorum, kafka-reassign-partitions,
kafka-share-groups and kafka-storage with Apache Kafka's own options.

{TOLD}"""

FRONT: Final = Front(
    spindle.__doc__ or "",
    (("-V, --version", "Print the version."), ("-h, --help", "Show this message and exit.")),
    tuple((row.name, row.summary) for row in COMMANDS),
    _EPILOG,
)
_HELP: Final = ("-h", "--help", "help")
_VERSION: Final = ("-V", "--version", "version")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `spindle` with the given arguments (the process's own where there are none).

    It ends by SystemExit with its exit code; what went wrong in the world becomes an error text.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    with readers_may_leave():
        if COMPLETING not in os.environ:
            _answer_at_once(given)
            _run_node(given)
        from spindle.cli.lazy_group import run

        run(given, COMMANDS, FRONT)


def _answer_at_once(given: Sequence[str]) -> None:
    """What needs no command; SystemExit where it was that."""
    if len(given) > 1 or (given and given[0] not in (*_HELP, *_VERSION)):
        return
    told = given and given[0] in _VERSION
    print(f"spindle {spindle.__version__}" if told else front_page(FRONT, "spindle"))
    raise SystemExit(End.DONE)


def _run_node(given: Sequence[str]) -> None:
    """Run a node where that is all that is asked for; SystemExit with its exit code.

    Service managers start nodes by this line, and what parses command lines takes longer to load
    than a node takes to start. Any other line goes to the parser.
    """
    if len(given) != 3 or given[0] != "broker" or given[1] not in ("-c", "--config"):
        return
    gc.disable()  # What is loaded stays: `settle` has the collector on again once the node is made.
    from spindle.runtime.server import run

    try:
        code = run(Path(given[2]), "info")
    except KeyboardInterrupt:
        raise SystemExit(End.INTERRUPTED) from None
    raise SystemExit(code)


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
