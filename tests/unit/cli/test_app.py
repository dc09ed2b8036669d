"""The `spindle` command itself: fast, and friendly to typing errors."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.support.commands import call, run

from spindle.cli.app import COMMANDS, Command, main, parser
from spindle.cli.examples import EXAMPLES
from spindle.cli.exits import End


def test_help_is_there_at_once_and_loads_neither_spark_nor_the_wire() -> None:
    code = (
        "import sys; from spindle.cli.app import main; main(['--help']);"
        "heavy = {'pyspark', 'kio', 'rich', 'typer', 'asyncio'} & set(sys.modules);"
        "assert not heavy, heavy"
    )
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    took = time.monotonic() - began
    assert done.returncode == 0, done.stderr
    for command in COMMANDS:
        assert command.name in done.stdout
        assert command.summary in done.stdout
    assert took < 1.0, "0.03 s on an idle machine"


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c.name)
def test_every_command_exists_and_explains_itself(command: object) -> None:
    assert isinstance(command, tuple)
    name, target, _ = command
    module, _, attribute = target.partition(":")
    assert hasattr(import_module(module), attribute)
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0


def test_an_unknown_command_is_told_with_the_nearest_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["log-dir"])
    assert ended.value.code == 2
    assert "did you mean log-dirs?" in capsys.readouterr().err


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--version"])
    assert capsys.readouterr().out.startswith("spindle ")


def test_an_unreachable_cluster_is_one_clear_line_within_seconds(port: int) -> None:
    began = time.monotonic()
    done = run("spindle", "log-dirs", "-b", f"127.0.0.1:{port}")
    assert time.monotonic() - began < 10
    assert done.code == End.UNKNOWN
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: no broker answers at 127.0.0.1:{port}")
    assert "Connection refused" in line


def test_a_wrong_address_says_how_to_write_one() -> None:
    done = run("spindle", "log-dirs", "-b", "localhost")
    assert done.code == 1
    assert "write host:port, e.g. localhost:9092" in done.stderr


# -- every command, in one form ---------------------------------------------------------------


def _walk(path: tuple[str, ...], command: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from _walk((*path, name), inner)


def every_command() -> list[tuple[tuple[str, ...], Any]]:
    """All commands with their sub-commands, by their words."""
    return [found for row in COMMANDS for found in _walk((row.name,), parser(row))]


def test_every_page_of_help_is_for_operators(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    widest = 0
    for path, command in every_command():
        short, long = call(*path, "-h"), call(*path, "--help")
        assert (short.code, short.stdout) == (0, long.stdout)
        lines = long.stdout.splitlines()
        assert lines[0].startswith(f"Usage: spindle {' '.join(path)}")
        assert not re.search(r"[<{]|<=|\[\[", lines[0]), lines[0]
        options = [line for line in lines if line.startswith("  -")]
        assert not [line for line in options if re.search(r"<\w+|<=| TEXT | X ", line)], options
        for inner in getattr(command, "commands", {}):
            assert any(line.split()[:1] == [inner] for line in lines)
        widest = max(widest, *(len(ln) for ln in lines if not ln.startswith("  spindle")))
    assert 80 < widest <= 100, "COLUMNS is honoured"


def test_every_command_has_examples_and_each_is_understood() -> None:
    commands = {" ".join(path): command for path, command in every_command()}
    runnable = {name for name, c in commands.items() if not getattr(c, "commands", {})}
    assert runnable <= set(EXAMPLES)
    rows = {row.name: row for row in COMMANDS}
    for name, lines in EXAMPLES.items():
        for line in lines:
            words = shlex.split(re.sub(r"\$\([^)]*\)", "ID", line), comments=True)
            words = words[: words.index(">>")] if ">>" in words else words
            assert words[:1] == ["spindle"]
            _understand(parser(rows[words[1]]), words[2:])
            assert name.split() == words[1 : 1 + len(name.split())] or name == words[1]


def _understand(command: Any, words: list[str]) -> None:
    with command.make_context("spindle", words, resilient_parsing=False) as context:
        rest = [*getattr(context, "_protected_args", ()), *context.args]
        if rest:
            _understand(command.commands[rest[0]], rest[1:])


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["up", "--brokers", "x"], "--brokers: 'x' is not a whole number from 1 to 50."),
        (["up", "--brokers", "99"], "--brokers: '99' is not a whole number from 1 to 50."),
        (["disks", "offline"], "Missing argument 'BROKER'."),
        (["balance"], "say what to do: history, forecast, what-if, plan, apply, watch, cancel."),
        (["up", "--frob"], "No such option: --frob."),
        (["frobnicate"], "there is no command 'frobnicate'."),
    ],
)
def test_a_wrong_command_line_is_one_error_line(arguments: list[str], told: str) -> None:
    done = call(*arguments)
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: {told} See: spindle")
    assert line.endswith(" --help")
    assert (done.code, done.stdout) == (End.USAGE, "")


def test_versions_by_any_name() -> None:
    assert len({call(word).stdout for word in ("--version", "-V", "version")}) == 1


@pytest.mark.parametrize("command", [c for c in COMMANDS if c.name == "disks"])
def test_a_node_that_does_not_answer_is_not_a_failure_but_unknown(
    command: Command, port: int
) -> None:
    assert call(command.name, "-b", f"127.0.0.1:{port}").code == End.UNKNOWN


@pytest.mark.parametrize(
    "words",
    [
        "spindle --help",
        "spindle up --help",
        "spindle storage random-uuid",
        "kafka-log-dirs --help",
        "kafka-storage format --help",
        "kafka-storage random-uuid",
    ],
)
@pytest.mark.parametrize("buffered", [True, False], ids=["buffered", "unbuffered"])
def test_a_reader_that_leaves_is_no_error(words: str, buffered: bool) -> None:
    command, *arguments = words.split()
    reading, writing = os.pipe()
    os.close(reading)
    with contextlib.closing(os.fdopen(writing, "wb")) as closed:
        done = subprocess.run(
            [str(Path(sys.executable).parent / command), *arguments],
            stdout=closed,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            env={**os.environ, "PYTHONUNBUFFERED": "" if buffered else "1"},
        )
    assert done.stderr == ""
    swallowed = "--help" in arguments  # libraries do, where they write
    assert done.returncode in ((0, 1, End.PIPE_CLOSED) if swallowed else (End.PIPE_CLOSED,))


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["dis"], {"disks"}),
        (["disks", "dr"], {"drain"}),
        (["disks", "drain", "--of"], {"--offline"}),
        (["disks", "drain", ""], set()),
    ],
)
def test_a_shell_completes(words: list[str], offered: set[str]) -> None:
    script = (
        f"export PATH={Path(sys.executable).parent}:$PATH; source <(spindle completion bash);"
        f"COMP_WORDS=(spindle {' '.join(word or repr('') for word in words)});"
        f"COMP_CWORD={len(words)}; _spindle; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60)
    assert set(done.stdout.split()) == offered, done.stderr


def test_exit_codes_stand_in_the_help_and_in_the_docs() -> None:
    told = call("--help").stdout
    page = (Path(__file__).parents[3] / "docs" / "start.md").read_text()
    for end in End:
        assert f"{end.value} " in told
        assert f"| {end.value} |" in page
