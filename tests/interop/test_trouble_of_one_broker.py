"""One broker's trouble is a row in the answer, and bounded in time: frozen, or without an address.

The third broker is well. All have blanks in their paths, two log directories on one device, and a
topic with the longest name that there may be.
"""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.clients import produce
from tests.support.commands import begin
from tests.support.local import Local

from spindle.cli.exits import End

LONG = "l" * 249
FROZEN, LOST = 2, 3
SECONDS = 90
"""More than any command takes here, on a busy machine too; a hang takes longer."""


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Local]:
    settings = {"broker.session.timeout.ms": "600000", "offsets.topic.num.partitions": "1"}
    with Local(tmp_path / "disks with blanks", settings=settings) as cluster:
        cluster.start()
        for broker in (1, FROZEN, LOST):
            for number in range(3):
                cluster.create(f"t-{broker}-{number}", [[broker]])
        cluster.create(LONG, [[1]])
        for name in ("t-1-0", "t-1-1", "t-1-2", LONG):
            produce(cluster.bootstrap, name, [bytes(20_000)] * 20)
        lost = cluster.nodes[LOST]
        lost.settings["advertised.listeners"] = f"PLAINTEXT://broker-3.invalid:{lost.port}"
        cluster.write_config(lost)
        cluster.stop_node(LOST)
        cluster.start_node(LOST)
        frozen = cluster.nodes[FROZEN].process
        assert frozen is not None
        frozen.send_signal(signal.SIGSTOP)
        try:
            yield cluster
        finally:
            frozen.send_signal(signal.SIGCONT)


@pytest.mark.timeout(240)
@pytest.mark.spec("V-06")
def test_a_frozen_broker_and_one_without_an_address_are_rows_and_hold_nothing_up(
    cluster: Local, tmp_path: Path
) -> None:
    at = ("-b", cluster.bootstrap, "--json")
    history = str(tmp_path / "history")
    commands = {
        "log-dirs": ("log-dirs", *at),
        "plan": ("balance", "plan", *at, "--no-spark", "--history", history),
        "doctor": ("doctor", *at),
    }
    running = {name: begin("spindle", *words) for name, words in commands.items()}
    ended: dict[str, tuple[int, Any, str]] = {}
    try:
        for name, process in running.items():
            out, said = process.communicate(timeout=SECONDS)
            assert out, (name, said)
            ended[name] = process.returncode, json.loads(out), said
    finally:
        for process in running.values():
            process.kill()

    code, found, said = ended["log-dirs"]
    assert code == End.UNKNOWN, said
    (well,) = found["brokers"]
    names = {p["partition"] for d in well["logDirs"] for p in d["partitions"]}
    assert {f"{LONG}-0", *(f"t-1-{n}-0" for n in range(3))} <= names
    assert [d["logDir"] for d in well["logDirs"]] == cluster.log_dirs(1)
    assert "disks with blanks" in cluster.log_dirs(1)[0]
    assert found["silentBrokers"].keys() == {str(FROZEN), str(LOST)}
    assert "did not answer" in found["silentBrokers"][str(FROZEN)]
    assert "'broker-3.invalid' has no address here" in found["silentBrokers"][str(LOST)]

    code, plan, said = ended["plan"]
    assert code == End.UNKNOWN, said
    told = plan["spindle"]
    assert told["silentBrokers"].keys() == {str(FROZEN), str(LOST)}
    one, other = (d["capacity"] for d in told["directories"] if d["broker"] == 1)
    assert one == other, "they share a device"
    assert one + other <= shutil.disk_usage(cluster.log_dirs(1)[0]).total
    assert any("a name that is too long for Kafka" in note for note in told["notes"])
    assert LONG not in {m["topic"] for wave in told["waves"] for m in wave}

    code, examined, said = ended["doctor"]
    assert code in (End.FAILED, End.UNKNOWN), said
    silent = [f["text"] for f in examined["findings"] if f["level"] == "unknown"]
    for broker in (FROZEN, LOST):
        assert any(text.startswith(f"broker {broker} did not describe") for text in silent), silent
    assert any("the user has the rights" in f["text"] for f in examined["findings"])
