"""`spindle balance` as an operator runs it: a process, its exit code, what it leaves."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from spindle.pipeline.execute import THROTTLE
from tests.pipeline.conftest import Desk
from tests.support.commands import run
from tests.support.ports import free_port
from tests.support.waiting import eventually

from spindle.client.results import ConfigSource, Resource, ResourceType

TOPIC = "lopsided"


def balance(desk: Desk, home: Path, *arguments: str) -> dict[str, Any]:
    done = run(
        "spindle", "balance", "--bootstrap-server", desk.bootstrap, "--json",
        "--history", str(home / "history"), *arguments, seconds=150,
    )  # fmt: skip
    assert done.code == 0, done
    assert done.stderr == "" or "incubator" in done.stderr, done.stderr
    summary: dict[str, Any] = json.loads(done.stdout)
    return summary


@pytest.mark.timeout(500)  # Three times Spark, on machines that have more to do.
@pytest.mark.spec("P-04", "P-06", "P-08")
def test_a_lopsided_cluster_becomes_even_and_then_has_nothing_to_move(
    desk: Desk, tmp_path: Path
) -> None:
    desk.skewed(TOPIC, partitions=6, records=50, size=20_000)
    before = {b: desk.directories(b) for b in (1, 2)}
    plan = balance(desk, tmp_path, "--dry-run", "--output", str(tmp_path / "plan.json"))
    assert {b: desk.directories(b) for b in (1, 2)} == before, "a dry run moves nothing"
    assert plan["executed"] is None
    assert plan["moves"] > 0
    assert plan["bytes"] >= plan["boundBytes"] > 0
    assert json.loads((tmp_path / "plan.json").read_text()) == plan["reassignment"]
    for wanted in plan["reassignment"]["partitions"]:
        assert sorted(wanted["replicas"]) == [1, 2]
        assert len(wanted["log_dirs"]) == 2

    page = tmp_path / "disks.html"
    done = balance(desk, tmp_path, "--throttle", str(50 << 20), "--report", str(page))
    assert f"{done['moves']} replicas moved and verified" in page.read_text()
    assert page.read_text().count('class="is"') >= 4, "a picture of every disk"
    assert done["executed"]["failed"] == []
    assert done["executed"]["done"] == done["moves"] == plan["moves"]
    for directory in done["directories"]:
        assert directory["online"]
        assert directory["after"] > 0
    for broker in desk.cluster.brokers:
        held = desk.directories(broker.node_id)
        counts = [len([n for n in held[str(d)] if n.startswith(TOPIC)]) for d in broker.log_dirs]
        assert counts == [3, 3]

    again = balance(desk, tmp_path)
    assert again["moves"] == 0
    assert again["reassignment"]["partitions"] == []
    assert len(list((tmp_path / "history").glob("day=*/sample-*.parquet"))) == 3
    desk.ask("delete_topics", [TOPIC])


def test_a_wrong_address_is_said_within_seconds(tmp_path: Path) -> None:
    began = time.monotonic()
    done = run(
        "spindle", "balance", "--bootstrap-server", f"127.0.0.1:{free_port()}",
        "--history", str(tmp_path), seconds=30,
    )  # fmt: skip
    assert done.code == 1
    assert done.stderr.startswith("error: no broker answers at 127.0.0.1:")
    assert len(done.stderr.splitlines()) == 1
    assert time.monotonic() - began < 15
    assert list(tmp_path.iterdir()) == []


def test_terminated_it_takes_back_what_is_under_way(desk: Desk, tmp_path: Path) -> None:
    desk.skewed("slow", partitions=4, records=50, size=20_000)
    before = {b: desk.directories(b) for b in (1, 2)}

    def copies() -> list[str]:
        told = desk.ask("describe_log_dirs", [1, 2])
        return [str(name) for dirs in told.values() for d in dirs for name in d.future]

    with subprocess.Popen(
        [Path(sys.executable).parent / "spindle", "balance", "--bootstrap-server", desk.bootstrap,
         "--throttle", "1000", "--history", tmp_path],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        try:
            eventually(copies, "it is moving", 120, 0.2)
            process.terminate()
            _, said = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130, said
    assert "Traceback" not in said
    eventually(lambda: not copies(), "no copy is left")
    assert {b: desk.directories(b) for b in (1, 2)} == before
    for broker in ("1", "2"):
        resource = Resource(ResourceType.BROKER, broker)

        def unlimited(resource: Resource = resource) -> bool:
            setting = desk.ask("describe_configs", [resource])[resource][THROTTLE]
            return bool(setting.source != ConfigSource.DYNAMIC_BROKER)

        eventually(unlimited, f"the throttle of broker {broker} is as before")
    desk.ask("delete_topics", ["slow"])
