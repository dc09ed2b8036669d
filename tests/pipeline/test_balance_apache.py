"""Our pipeline balances the disks of Apache Kafka, whose own tool reads our plan and agrees."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from spindle.pipeline.execute import execute
from tests.support.apache_kafka import REASSIGN, ApacheKafka
from tests.support.clients import produce, values
from tests.support.commands import run
from tests.support.waiting import eventually

from spindle.client.admin import AdminClient
from spindle.planning.load import Move

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(400)]
TOPIC, PARTITIONS = "orders", 6


@pytest.fixture(scope="module")
def kafka(kafka_jars: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApacheKafka]:
    """One combined node with three log directories and a topic of 6 x 1 MB."""
    with ApacheKafka(tmp_path_factory.mktemp("kafka"), kafka_jars, directories=3) as kafka:
        kafka.start()
        kafka.create_topic(TOPIC, ",".join(["1"] * PARTITIONS))
        for partition in range(PARTITIONS):
            produce(kafka.bootstrap, TOPIC, [bytes([n]) * 20_000 for n in range(50)], partition)
        yield kafka


def places(kafka: ApacheKafka) -> dict[int, str]:
    """The directory of each partition; all moves must have ended."""

    async def look() -> dict[int, str]:
        async with AdminClient(kafka.bootstrap) as admin:
            told = (await admin.describe_log_dirs([1]).all())[1]
        assert not any(d.future for d in told)
        return {name.partition: d.path for d in told for name in d.current if name.topic == TOPIC}

    return asyncio.run(look())


def gather(kafka: ApacheKafka) -> None:
    """Put everything onto the first disk."""
    first = kafka.log_dirs(1)[0]
    wave = [
        Move(1, TOPIC, number, path, first, 1)
        for number, path in places(kafka).items()
        if path != first
    ]

    async def work() -> None:
        async with AdminClient(kafka.bootstrap) as admin:
            assert (await execute(admin, [wave])).complete

    asyncio.run(work())
    assert set(places(kafka).values()) == {first}


def counts(kafka: ApacheKafka) -> list[int]:
    found = list(places(kafka).values())
    return [found.count(path) for path in kafka.log_dirs(1)]


def balance(kafka: ApacheKafka, home: Path, *arguments: str) -> dict[str, Any]:
    done = run(
        "spindle", "balance", "--bootstrap-server", kafka.bootstrap, "--json",
        "--history", str(home / "history"), *arguments, seconds=150,
    )  # fmt: skip
    assert done.code == 0, done
    summary: dict[str, Any] = json.loads(done.stdout)
    return summary


def tool(kafka: ApacheKafka, plan: Path, *arguments: str) -> list[str]:
    done = kafka.run_tool(
        REASSIGN, "--bootstrap-server", kafka.bootstrap, "--reassignment-json-file", str(plan),
        *arguments,
    )  # fmt: skip
    assert done.code == 0, done
    return done.lines()


def completed(lines: list[str]) -> set[int]:
    """The partitions of which Kafka's tool says that the replica is where it should be."""
    words = f"Reassignment of replica {TOPIC}-"
    assert all("completed successfully" in line for line in lines if line.startswith(words)), lines
    return {int(line.removeprefix(words).split("-")[0]) for line in lines if line.startswith(words)}


@pytest.mark.spec("P-04", "P-06", "P-08")
def test_our_pipeline_balances_apache_kafka_and_its_tool_agrees(
    kafka: ApacheKafka, tmp_path: Path
) -> None:
    gather(kafka)
    records = values(kafka.bootstrap, TOPIC)
    plan = tmp_path / "plan.json"
    done = balance(kafka, tmp_path, "--output", str(plan), "--throttle", str(20 << 20))
    assert done["executed"]["failed"] == []
    assert done["executed"]["done"] == done["moves"] == 4
    assert counts(kafka) == [2, 2, 2]
    moved = {p["partition"] for p in done["reassignment"]["partitions"] if p["topic"] == TOPIC}
    assert completed(tool(kafka, plan, "--verify")) == moved
    assert len(moved) == 4
    assert values(kafka.bootstrap, TOPIC) == records


@pytest.mark.spec("P-06")
def test_apache_kafkas_tool_carries_our_plan_out(kafka: ApacheKafka, tmp_path: Path) -> None:
    gather(kafka)
    plan = tmp_path / "plan.json"
    summary = balance(kafka, tmp_path, "--dry-run", "--output", str(plan))
    assert summary["executed"] is None
    assert counts(kafka) == [6, 0, 0]
    tool(kafka, plan, "--execute")
    eventually(
        lambda: not [line for line in tool(kafka, plan, "--verify") if "still in progress" in line],
        "the tool's moves are done",
    )
    assert len(completed(tool(kafka, plan, "--verify"))) == 4
    assert counts(kafka) == [2, 2, 2]
    assert balance(kafka, tmp_path)["moves"] == 0
