"""The `spindle` command itself: fast, and friendly to typing errors."""

from __future__ import annotations

import subprocess
import sys
import time
from importlib import import_module

import pytest
from tests.support.commands import run

from spindle.cli.app import COMMANDS, main


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
    assert done.code == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: no broker answers at 127.0.0.1:{port}")
    assert "Connection refused" in line


def test_a_wrong_address_says_how_to_write_one() -> None:
    done = run("spindle", "log-dirs", "-b", "localhost")
    assert done.code == 1
    assert "write host:port, e.g. localhost:9092" in done.stderr
