"""What the commands with Kafka's names have in common: parsers that speak as Kafka's, a client.

Kafka's tools have one of two parsers; each has its own words for a wrong line, and 1 as its end.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NoReturn, TypeVar

import spindle
from spindle.cli.connecting import named_cluster, with_admin
from spindle.client.admin import AdminClient
from spindle.model.errors import Corrupt, Failure, Refusal, Unusable

T = TypeVar("T")

TROUBLE: Final = (Failure, Refusal, Unusable, Corrupt, OSError)
"""What goes wrong in the world: its text, and exit code 1."""


class _Once(argparse.Action):
    """A value that a line gives once: Kafka's tools do not choose between two."""

    given = False

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        """Keep the value."""
        if self.given:
            name = self.option_strings[0].lstrip("-")
            parser.error(f"Found multiple arguments for option {name}, but you asked for only one")
        self.given = True
        setattr(namespace, self.dest, values)


class OptionLine(argparse.ArgumentParser):
    """Wrong command lines end with 1, as Kafka's tools do."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and how it is used."""
        print(message, file=sys.stderr)
        self.print_usage(sys.stderr)
        raise SystemExit(1)


class VerbLine(OptionLine):
    """In the words of Kafka's tools with sub-commands, whose parser is another."""

    def error(self, message: str) -> NoReturn:
        """How it is used, and what is wrong."""
        self.print_usage(sys.stderr)
        words = self.in_kafkas_words(message)
        print(f"{self.prog.partition(' ')[0]}: error: {words}", file=sys.stderr)
        raise SystemExit(1)

    @staticmethod
    def in_kafkas_words(message: str) -> str:
        """What Kafka's parser says where Python's says this."""
        missing = message.removeprefix("the following arguments are required: ")
        if missing == "verb":
            message = "too few arguments"
        elif missing != message:
            message = f"argument {missing.partition(', ')[0]} is required"
        return message.removeprefix("argument verb: ")


def option_line(name: str, about: str, examples: str | None = None) -> OptionLine:
    """The parser of a tool that connects. `examples`: lines for the end of its help."""
    parser = OptionLine(
        prog=name,
        description=f"This tool helps to {about}.",
        epilog=examples,
        formatter_class=argparse.HelpFormatter
        if examples is None
        else argparse.RawDescriptionHelpFormatter,
    )
    parser.register("action", None, _Once)
    parser.add_argument("--command-config", type=Path, metavar="FILE")
    parser.add_argument("--version", action="store_true", help="print the version")
    return parser


def parse(parser: OptionLine, arguments: Sequence[str] | None) -> argparse.Namespace:
    """A line, read. Ends the command where it is wrong, empty, or asks for the version."""
    if not (sys.argv[1:] if arguments is None else arguments):
        parser.error(str(parser.description))
    given, rest = parser.parse_known_args(arguments)
    if given.version:
        print(f"spindle {spindle.__version__}")
        raise SystemExit(0)
    if unknown := [word for word in rest if word.startswith("-")]:
        parser.error(f"{unknown[0].lstrip('-')} is not a recognized option")
    return given


def connected(
    given: argparse.Namespace,
    work: Callable[[AdminClient], Awaitable[T]],
    *,
    of_a_node: bool = False,
) -> T:
    """Run `work` with a client of the brokers, or of the controllers, that a line names.

    `of_a_node`: its properties are those of a node, most of which are not a client's.
    """
    controllers = getattr(given, "bootstrap_controller", None)
    servers = controllers or given.bootstrap_server
    cluster = named_cluster(servers, given.command_config, of_a_node=of_a_node)
    assert cluster is not None
    return with_admin(replace(cluster, controllers=bool(controllers)), work)
