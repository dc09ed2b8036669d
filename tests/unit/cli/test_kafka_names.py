"""Kafka's flags: which belong together, and what is said when they do not."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from spindle.cli import kafka_names
from spindle.cli.reassign import reassigning as running
from spindle.cli.reassign.reassigning import ReassignOptions

AT = ["--bootstrap-server", "localhost:1"]


def wrong(
    tool: object, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> tuple[str, str]:
    """(stdout, stderr) of a command line that must end with 1."""
    assert callable(tool)
    with pytest.raises(SystemExit) as ended:
        tool(arguments)
    assert ended.value.code == 1
    captured = capsys.readouterr()
    return captured.out, captured.err


@pytest.mark.spec("K113-22")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--execute"], "Please specify either --bootstrap-server or --bootstrap-controller"),
        (
            [*AT, "--bootstrap-controller", "localhost:2", "--list"],
            "Please don't specify both --bootstrap-server and --bootstrap-controller",
        ),
        (
            AT,
            "Command must include exactly one action:"
            " --generate, --execute, --verify, --cancel, --list",
        ),
        ([*AT, "--execute", "--verify"], "Command must include exactly one action:"),
        ([*AT, "--execute"], 'Missing required argument "[reassignment-json-file]"'),
        ([*AT, "--generate"], 'Missing required argument "[topics-to-move-json-file]"'),
        (
            [*AT, "--generate", "--topics-to-move-json-file", "x"],
            'Missing required argument "[broker-list]"',
        ),
        (
            [*AT, "--verify", "--reassignment-json-file", "x", "--throttle", "3"],
            'Option "[throttle]" can\'t be used with action "[verify]"',
        ),
        (
            [*AT, "--list", "--preserve-throttles"],
            'Option "[preserve-throttles]" can\'t be used with action "[list]"',
        ),
        (
            ["--bootstrap-controller", "c:1", "--verify", "--reassignment-json-file", "x"],
            'Option "[bootstrap-controller]" can\'t be used with action "[verify]"',
        ),
        ([*AT, "--list", "--nix"], "nix is not a recognized option"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_combinations_are_refused_in_kafkas_words(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _, err = wrong(kafka_names.reassign_partitions, arguments, capsys)
    assert err.splitlines()[0].startswith(says)
    assert "usage: kafka-reassign-partitions" in err


def test_a_missing_file_is_reported_as_kafka_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "no-such.json")
    arguments = [*AT, "--verify", "--reassignment-json-file", path]
    out, _ = wrong(kafka_names.reassign_partitions, arguments, capsys)
    assert out.startswith(f"Error: Unable to read file {path}")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--describe"], 'Missing required argument "[bootstrap-server]"'),
        (AT, 'Missing required argument "[describe]"'),
        ([*AT, "--describe", "--nix"], "nix is not a recognized option"),
        (
            [*AT, "--describe", "--topic-list", "a", "--topic-list", "b"],
            "Found multiple arguments for option topic-list, but you asked for only one",
        ),
    ],
)
def test_log_dirs_needs_its_arguments(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert wrong(kafka_names.log_dirs, arguments, capsys)[1].splitlines()[0] == says


def test_an_absent_broker_ends_the_command_with_one_line(
    port: int, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--bootstrap-server", f"127.0.0.1:{port}", "--describe"]
    _, err = wrong(kafka_names.log_dirs, arguments, capsys)
    assert err.startswith(f"no broker answers at 127.0.0.1:{port}")
    listing = ["--bootstrap-server", f"127.0.0.1:{port}", "--list"]
    out, _ = wrong(kafka_names.reassign_partitions, listing, capsys)
    assert out.startswith(f"Error: no broker answers at 127.0.0.1:{port}")
    direct = ["--bootstrap-controller", f"127.0.0.1:{port}", "--list"]
    out, _ = wrong(kafka_names.reassign_partitions, direct, capsys)
    assert out.startswith(f"Error: no controller answers at 127.0.0.1:{port}")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("security.protocol=SASL_SSL\n", "sasl.jaas.config is missing"),
        ("security.protocol=TLS\n", "security.protocol=TLS is unknown"),
        ("default.api.timeout.ms=soon\n", "is not a number of milliseconds"),
        (None, "name a readable properties file"),
    ],
)
def test_a_command_config_that_cannot_be_followed_is_refused(
    text: str | None, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "client.properties"
    if text is not None:
        file.write_text(text)
    arguments = [*AT, "--list", "--command-config", str(file)]
    assert says in wrong(kafka_names.reassign_partitions, arguments, capsys)[0]


@pytest.mark.parametrize("arguments", [[], ["format"], ["nix"], ["format", "-c", "x"]])
def test_storage_needs_a_verb_and_its_arguments(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert "usage: kafka-storage" in wrong(kafka_names.storage, arguments, capsys)[1]


def test_random_uuid_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    kafka_names.storage(["random-uuid"])
    first = capsys.readouterr().out
    kafka_names.storage(["random-uuid"])
    assert len(first.strip()) == 22
    assert first != capsys.readouterr().out


@pytest.mark.parametrize(
    "tool", [kafka_names.log_dirs, kafka_names.reassign_partitions, kafka_names.storage]
)
def test_help_succeeds(tool: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert callable(tool)
    with pytest.raises(SystemExit) as ended:
        tool(["--help"])
    assert ended.value.code == 0
    assert "usage: kafka-" in capsys.readouterr().out


@pytest.mark.spec("K113-22")
@pytest.mark.parametrize(("given", "wanted"), [([], 10_000), (["--timeout", "700"], 700)])
def test_directories_are_accepted_within_ten_seconds_unless_set(
    given: list[str], wanted: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []

    async def executed(admin: object, plan: object, options: ReassignOptions, say: object) -> None:
        seen.append(options.timeout_ms)

    async def cancelled(*arguments: object, timeout_ms: int, **named: object) -> None:
        seen.append(timeout_ms)

    async def settled(*arguments: object) -> None:
        pass

    stand_ins = {"execute": executed, "cancel": cancelled}
    stand_ins |= dict.fromkeys(("settle", "check_named"), settled)
    for name, stand_in in stand_ins.items():
        monkeypatch.setattr(running, name, stand_in)
    monkeypatch.setattr(kafka_names, "connected", lambda given, work: asyncio.run(work(None)))
    plan = tmp_path / "plan.json"
    plan.write_text('{"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[1]}]}')
    for action in ("--execute", "--cancel"):
        kafka_names.reassign_partitions(
            [*AT, action, "--reassignment-json-file", str(plan), *given]
        )
    assert seen == [wanted, wanted]
