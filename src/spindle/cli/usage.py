"""How commands explain themselves: help pages and usage errors, in one form for all of them.

Typer parses; what it shows of itself (types, ranges, a width of 80) is for programmers. Here is
what an operator reads instead. Called by `app`.
"""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from spindle.cli.examples import EXAMPLES

if TYPE_CHECKING:
    from typer import TyperException
    from typer._click.core import Command, Context, Parameter
    from typer.core import TyperArgument, TyperOption

C = TypeVar("C", bound="Command")

COMPLETING: Final = "_SPINDLE_COMPLETE"
"""Of the environment: `complete_bash` and so on ask for what may follow, not for a command."""
_WORDS: Final[dict[object, str]] = {int: "N", float: "X", Path: "PATH"}
_KINDS: Final[dict[object, str]] = {int: "a whole number", float: "a number"}
_NARROW: Final = 40
_NAME_MAX: Final = 34
"""Columns that the names of options get at most beside their meaning."""


class Front(NamedTuple):
    """The first page of help: what it is, its options and commands with their meanings, an end."""

    about: str
    options: Sequence[tuple[str, str]]
    commands: Sequence[tuple[str, str]]
    epilog: str


def front_page(front: Front, path: str) -> str:
    """The help of the command that has all others."""
    width = _width()
    return _joined(
        f"Usage: {path} [OPTIONS] [COMMAND]",
        *_paragraphs(front.about, width),
        _listed("Options", front.options, width),
        _listed("Commands", front.commands, width),
        *_paragraphs(front.epilog, width),
    )


def dress(command: C) -> C:
    """A parsed command (and its sub-commands) in Spindle's form: -h, and help pages of its own."""
    command.context_settings["help_option_names"] = ["-h", "--help"]
    vars(command)["get_help"] = partial(page, command)
    command.no_args_is_help = False
    for inner in _sub_commands(command):
        dress(inner)
    return command


def page(command: Command, context: Context) -> str:
    """The help of a command, as wide as the terminal (or COLUMNS) is."""
    width = _width()
    path = context.command_path
    from typer.core import TyperArgument, TyperOption

    given = command.get_params(context)
    options = [p for p in given if isinstance(p, TyperOption) and not p.hidden]
    arguments = [p for p in given if isinstance(p, TyperArgument) and not p.hidden]
    commands = [c for c in _sub_commands(command) if not c.hidden]
    usage = [f"Usage: {path}", "[OPTIONS]", *map(_in_usage, arguments)]
    return _joined(
        " ".join([*usage, *_sub_command(command)]),
        *_paragraphs(command.help or "", width),
        _listed("Arguments", ((_word(p), _meaning(p)) for p in arguments), width),
        _listed("Options", ((_names(p), _meaning(p)) for p in options), width),
        _listed("Commands", ((c.name or "", _summary(c)) for c in commands), width),
        _examples(path),
        *_paragraphs(command.epilog or "", width),
    )


def _width() -> int:
    return max(_NARROW, shutil.get_terminal_size((80, 24)).columns)


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def _sub_commands(command: Command) -> Collection[Command]:
    from typer.core import TyperGroup

    return command.commands.values() if isinstance(command, TyperGroup) else ()


def _sub_command(command: Command) -> list[str]:
    from typer.core import TyperGroup

    if not isinstance(command, TyperGroup) or not command.commands:
        return []
    return ["[COMMAND]" if command.invoke_without_command else "COMMAND"]


def wrong(error: TyperException) -> str:
    """What is wrong with a command line, in one line that says where help is."""
    text = _bad_value(error) or error.format_message()
    context = getattr(error, "ctx", None)
    if text.startswith("Missing command") and context is not None:
        text = f"say what to do: {', '.join(context.command.commands)}"
    hint = f" See: {context.command_path} --help" if context is not None else ""
    text = " ".join(text.split())
    return f"{text.rstrip('.')}{'' if text.endswith('?') else '.'}{hint}"


def _bad_value(error: TyperException) -> str | None:
    """A value that is not of its option's type or range, in words of people."""
    parameter = getattr(error, "param", None)
    details = getattr(error.__cause__, "errors", None)
    if parameter is None or details is None:
        return None
    value = details()[0].get("input")
    kind = _KINDS.get(_type(parameter), "what it takes")
    if choices := parameter.type_descriptor.choices:
        kind = f"one of {', '.join(choices)}"
    limits = _range(parameter)
    return f"{_plain_name(parameter)}: {value!r} is not {kind}{f' {limits}' if limits else ''}"


def _plain_name(parameter: Parameter) -> str:
    if parameter.param_type_name == "argument":
        return _word(parameter)
    return str(max(parameter.opts, key=len))


def _type(parameter: Parameter) -> object:
    return getattr(getattr(parameter, "type_descriptor", None), "annotation", None)


def _word(parameter: Parameter) -> str:
    if parameter.metavar:
        return str(parameter.metavar)
    if parameter.param_type_name == "argument":
        return str(parameter.name).upper()
    return _WORDS.get(_type(parameter), "TEXT")


def _in_usage(argument: TyperArgument) -> str:
    word = _word(argument) + ("..." if argument.nargs != 1 else "")
    return word if argument.required else f"[{word}]"


def _names(option: TyperOption) -> str:
    names = ", ".join(sorted(option.opts, key=len))
    if option.secondary_opts:
        names += " / " + ", ".join(option.secondary_opts)
    if option.is_flag or option.name == "help":
        return names
    return f"{names} {_word(option)}"


def _meaning(parameter: Parameter) -> str:
    """Its help, and what it is by default and within which limits."""
    default = None if getattr(parameter, "is_flag", False) else parameter.default
    extra = []
    if default not in (None, "", False, (), []) and not callable(default):
        words = default if isinstance(default, (list, tuple)) else [default]
        extra.append(f"default: {', '.join(map(_number, words))}")
    if limits := _range(parameter):
        extra.append(limits)
    if parameter.required:
        extra.append("required")
    help = getattr(parameter, "help", None) or ""
    return f"{help} [{'; '.join(extra)}]".strip() if extra else help


def _range(parameter: object) -> str:
    low, high = getattr(parameter, "min", None), getattr(parameter, "max", None)
    if low is not None and high is not None:
        return f"from {_number(low)} to {_number(high)}"
    if low is not None:
        return f"at least {_number(low)}"
    return f"at most {_number(high)}" if high is not None else ""


def _number(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _summary(command: Command) -> str:
    return " ".join((command.help or "").partition("\n\n")[0].split())


def _paragraphs(text: str, width: int) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        yield textwrap.fill(" ".join(paragraph.split()), width, break_on_hyphens=False)


def _listed(title: str, rows: Iterable[tuple[str, str]], width: int) -> str:
    """Names on the left, meanings beside them; a long name has a line of its own."""
    pairs = list(rows)
    if not pairs:
        return ""
    left = min(max(len(name) for name, _ in pairs), _NAME_MAX)
    lines = [f"{title}:"]
    for name, meaning in pairs:
        wrapped = textwrap.wrap(meaning, max(20, width - left - 4), break_on_hyphens=False) or [""]
        if len(name) > left:
            lines.append(f"  {name}")
        else:
            lines.append(f"  {name:<{left}}  {wrapped.pop(0)}".rstrip())
        lines += [f"{'':<{left + 4}}{line}" for line in wrapped]
    return "\n".join(lines)


def _examples(path: str) -> str:
    lines = EXAMPLES.get(path.removeprefix("spindle "), ())
    return "\n".join(["Examples:", *(f"  {line}" for line in lines)]) if lines else ""
