"""Plans of clusters that are not well: a dead broker or disk, another party's reassignment."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.clients import produce, values
from tests.support.commands import run
from tests.support.local import Local

from spindle.client.admin import AdminClient
from spindle.model.ids import TopicPartition
from spindle.planning.assigned_replicas import UNSEEN

pytestmark = pytest.mark.timeout(200)
SIZE = 40_000


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Local]:
    with Local(tmp_path / "nodes", brokers=3, directories=2) as cluster:
        cluster.start()
        yield cluster


def make(cluster: Local, topic: str, *assignment: tuple[int, ...]) -> None:
    cluster.create(topic, assignment)
    for partition in range(len(assignment)):
        produce(cluster.bootstrap, topic, [bytes([partition]) * SIZE] * 20, partition)


def die(cluster: Local, broker: int) -> None:
    """Kill a broker; return when each of the others knows that it is gone."""
    cluster.stop_node(broker, kill=True)
    cluster.wait_until_serving()


async def order(bootstrap: str) -> None:
    async with AdminClient(bootstrap) as admin:
        await admin.alter_partition_reassignments({TopicPartition("t", 0): (3,)}).all()


def plan(cluster: Local, tmp_path: Path, *options: str) -> tuple[int, dict[str, Any]]:
    done = run(
        "spindle", "balance", "plan", "-b", cluster.bootstrap, "--json", "--no-spark",
        "--between-brokers", "--history", str(tmp_path / "history"), *options,
    )  # fmt: skip
    assert done.stdout, done
    told: dict[str, Any] = json.loads(done.stdout)["spindle"]
    return done.code, told


def moves(told: dict[str, Any]) -> list[tuple[int, str, int]]:
    """Those between brokers."""
    every = [m for wave in told["waves"] for m in wave]
    return [(m["broker"], m["source"], m["destination"]) for m in every if "destination" in m]


@pytest.mark.spec("V-04")
def test_a_dead_broker_counts_and_can_be_emptied(cluster: Local, tmp_path: Path) -> None:
    make(cluster, "t", (1, 3), (1, 3), (1, 3))
    die(cluster, 3)
    code, told = plan(cluster, tmp_path, "--topics", "t")
    assert (code, told["moves"]) == (6, 0), told
    assert any("broker 3: 3 replicas are on a disk that is offline" in n for n in told["notes"])
    file = tmp_path / "plan.json"
    code, told = plan(cluster, tmp_path, "--topics", "t", "--drain", "3", "-o", str(file))
    assert code == 6, told
    assert moves(told) == [(3, UNSEEN, 2)] * 3
    done = run("spindle", "balance", "apply", "-b", cluster.bootstrap, str(file), "--json",
               "--despite", "under-replicated", seconds=120)  # fmt: skip
    assert done.code == 0, done
    assert json.loads(done.stdout)["complete"]
    # The broker that is asked may hear of the last change a moment later.
    cluster.until(
        lambda: [isr for _, isr in cluster.state("t").values()] == [{1, 2}] * 3, "1 and 2 have all"
    )
    assert values(cluster.bootstrap, "t") == [
        bytes([n]) * SIZE for n in range(3) for _ in range(20)
    ]


@pytest.mark.spec("V-04")
def test_no_second_copy_for_a_replica_in_an_offline_directory(
    cluster: Local, tmp_path: Path
) -> None:
    make(cluster, "t", (1, 2), (1, 2), (1, 2), (1, 2))
    broken = cluster.disk_of("t", 0, 2)
    cluster.break_disk(2, broken)
    cluster.until(lambda: not cluster.disks(2)[broken].online, "the directory is offline")
    _, told = plan(cluster, tmp_path, "--topics", "t")
    gone = {m["partition"] for wave in told["waves"] for m in wave if "destination" in m}
    assert {to for _, _, to in moves(told)} <= {3}, told
    assert not any(cluster.place_of("t", n, 2).current is None for n in gone), told
    assert any(note.startswith("broker 2: ") for note in told["notes"])


@pytest.mark.spec("V-04")
def test_another_partys_reassignment_is_left_alone(cluster: Local, tmp_path: Path) -> None:
    make(cluster, "t", (1,), (1,), (1,), (1,))
    die(cluster, 3)

    asyncio.run(order(cluster.bootstrap))
    _, told = plan(cluster, tmp_path, "--topics", "t")
    assert moves(told)
    assert 0 not in {m["partition"] for wave in told["waves"] for m in wave}
    assert any("1 partition is being reassigned by another party" in n for n in told["notes"])
