"""A replica comes into the directory of an order by one copy, whichever broker gets it (B-08).

Counted are the bytes that the target broker's process writes, whatever it is to: files, mostly.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.apache_kafka import REASSIGN
from tests.support.clients import produce, values
from tests.support.commands import run
from tests.support.local import Local

from spindle.client.admin import AdminClient
from spindle.client.results import Replica
from spindle.model.ids import DirectoryId, TopicPartition

SIZE = 8_000_000
RECORDS = [b"%06d" % n + b"." * 994 for n in range(SIZE // 1000)]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Local]:
    """Two brokers with two directories each."""
    with Local(tmp_path_factory.mktemp("copies"), brokers=2, settings=_TWO) as cluster:
        cluster.start()
        yield cluster


_TWO = {"default.replication.factor": "2", "offsets.topic.replication.factor": "2"}


def written(cluster: Local, broker: int) -> int:
    """Bytes that a broker has written to files so far, copies inside the kernel included."""
    process = cluster.nodes[broker].process
    assert process is not None
    lines = Path(f"/proc/{process.pid}/io").read_text().splitlines()
    return int(dict(line.split(": ") for line in lines)["wchar"])


def directory_ids(cluster: Local, broker: int) -> list[DirectoryId]:
    found = [directory.directory_id for directory in cluster.disks(broker)]
    return [id for id in found if id is not None]


def arrives(cluster: Local, topic: str, disk: int, before: int) -> None:
    """The reassignment to broker 2 ends, in this directory; the data was written once."""
    cluster.until(lambda: cluster.state(topic) == {0: (2, {2})}, f"{topic} is on broker 2", 60)
    place = cluster.place_of(topic, 0, 2)
    assert (place.current, place.future) == (cluster.log_dirs(2)[disk], None)
    other = Path(cluster.log_dirs(2)[1 - disk])
    assert not list(other.glob(f"{topic}-0*"))
    assert SIZE < written(cluster, 2) - before < 1.3 * SIZE
    assert values(cluster.bootstrap, topic) == RECORDS


@pytest.mark.spec("B-08", "B-25", "K113-25")
@pytest.mark.parametrize("disk", [0, 1])
def test_the_controller_alone_hears(cluster: Local, disk: int) -> None:
    topic = f"by-id-{disk}"
    cluster.create_on(topic, 0, [1])
    produce(cluster.bootstrap, topic, RECORDS)
    ids = directory_ids(cluster, 2)
    assert len(set(ids)) == 2
    before = written(cluster, 2)

    async def reassign() -> tuple[int, ...]:
        name = TopicPartition(topic, 0)
        async with AdminClient(cluster.bootstrap) as admin:
            return await admin.alter_partition_reassignments(
                {name: [2]}, directories={Replica(topic, 0, 2): ids[disk]}
            )[name]

    assert asyncio.run(reassign()) == (2,)
    arrives(cluster, topic, disk, before)


@pytest.mark.spec("B-08", "K113-23", "K113-25")
@pytest.mark.parametrize("disk", [0, 1])
def test_our_tool(cluster: Local, disk: int, tmp_path: Path) -> None:
    topic = f"by-tool-{disk}"
    cluster.create_on(topic, 0, [1])
    produce(cluster.bootstrap, topic, RECORDS)
    target = cluster.log_dirs(2)[disk]
    plan = tmp_path / "plan.json"
    entry = {"topic": topic, "partition": 0, "replicas": [2], "log_dirs": [target]}
    plan.write_text(json.dumps({"version": 1, "partitions": [entry]}))
    before = written(cluster, 2)
    done = run("spindle", "reassign", "execute", "-b", cluster.bootstrap, str(plan))
    assert done.code == 0, done
    assert "the controller and the broker know the directory" in done.stdout
    arrives(cluster, topic, disk, before)


@pytest.mark.kafka
@pytest.mark.spec("B-25", "K113-25")
def test_kafkas_tool_reads_and_says_what_it_knows(kafka_jars: Path, cluster: Local) -> None:
    cluster.jars = kafka_jars
    assert all(directory_ids(cluster, broker) for broker in (1, 2))
    told = cluster.tool(REASSIGN, "--list").lines()
    assert told == ["No partition reassignments found."]
    lines = cluster.tool("org.apache.kafka.tools.LogDirsCommand", "--describe").lines()
    brokers = json.loads(lines[-1])["brokers"]
    paths = {d["logDir"] for broker in brokers for d in broker["logDirs"]}
    assert paths == {path for broker in (1, 2) for path in cluster.log_dirs(broker)}
