"""Every command that prints data has `--json`, or stands here with the reason."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.commands import call

from spindle.cli.app import COMMANDS
from spindle.cli.lazy_group import Later
from spindle.cli.storage.storage_format import format_node, random_id

WITHOUT = {
    "demo": "writes a page; its figures are those of a tour, and change with it",
    "broker": "runs a node; what it prints is a log",
    "storage format": "says what it does, in the lines of kafka-storage",
    "storage random-uuid": "prints one word",
    "profile add": "prints how the profile is used",
    "profile remove": "prints nothing",
    "completion": "prints a script for a shell",
}
"""Commands without `--json`, and why."""


def walk(path: tuple[str, ...], command: Any) -> Iterator[tuple[str, set[str]]]:
    """What can be run by itself, with its options."""
    inner = getattr(command, "commands", {})
    if not inner or command.invoke_without_command:
        yield " ".join(path), {name for param in command.params for name in param.opts}
    for name, found in inner.items():
        yield from walk((*path, name), found)


def every_command() -> dict[str, set[str]]:
    """All commands that can be run, by their words, with their options."""
    return dict(found for row in COMMANDS for found in walk((row.name,), Later(*row).load()))


@pytest.mark.spec("N-06")
def test_every_command_has_a_form_for_scripts_or_a_reason() -> None:
    without = {name for name, options in every_command().items() if "--json" not in options}
    assert without == set(WITHOUT)


def test_what_stands_in_log_directories_is_printed_as_json(tmp_path: Path) -> None:
    file, cluster_id = tmp_path / "server.properties", random_id()
    paths = [str(tmp_path / name) for name in ("a", "b", "none")]
    file.write_text(
        "process.roles=broker\nnode.id=1\nlisteners=PLAINTEXT://127.0.0.1:9092\n"
        f"controller.quorum.voters=100@127.0.0.1:9093\nlog.dirs={','.join(paths[:2])}\n"
    )
    format_node(file, cluster_id, lambda line: None)
    done = call("storage", "info", "-c", str(file), "--json")
    assert done.code == 0, done
    told = json.loads(done.stdout)
    assert [found["logDir"] for found in told["logDirs"]] == paths[:2]
    for found in told["logDirs"]:
        assert (found["metadata"]["cluster.id"], found["metadata"]["node.id"]) == (cluster_id, 1)
    assert (told["version"], told["problems"]) == (1, [])
    file.write_text(file.read_text().replace(paths[1], f"{paths[1]},{paths[2]}"))
    bad = call("storage", "info", "-c", str(file), "--json")
    assert bad.code == 1
    assert json.loads(bad.stdout)["problems"] == [f"{paths[2]} does not exist"]
