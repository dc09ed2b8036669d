"""Share groups (KIP-932) with Java's share consumer and Kafka's own tools, and a broker that is
killed while records are out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka import Producer
from tests.support.acl_cases import Side
from tests.support.apache_kafka import ToolResult, run_tool
from tests.support.clients import flushed
from tests.support.commands import call_tool
from tests.support.waiting import TimeIsUp, eventually

from spindle.cli.kafka_share_groups import share_groups
from spindle.runtime.local import LocalCluster
from spindle.wire.messages.share_group_heartbeat_request import ShareGroupHeartbeatRequest

pytestmark = [pytest.mark.spec("C-04")]

CONSOLE_SHARE_CONSUMER = "org.apache.kafka.tools.consumer.ConsoleShareConsumer"
SHARE_GROUPS = "org.apache.kafka.tools.consumer.group.ShareGroupCommand"
CONFIGS = "kafka.admin.ConfigCommand"
SETTINGS = {
    "offsets.topic.num.partitions": "4",
    "share.coordinator.state.topic.num.partitions": "4",
    "share.coordinator.state.topic.min.isr": "1",
    "share.coordinator.snapshot.update.records.per.snapshot": "5",
    "num.partitions": "2",
    "broker.session.timeout.ms": "3000",
    "group.share.min.heartbeat.interval.ms": "200",
    "group.share.heartbeat.interval.ms": "500",
    "group.share.min.session.timeout.ms": "3000",
    "group.share.session.timeout.ms": "6000",
    "group.share.min.record.lock.duration.ms": "1000",
}

Run = Callable[..., ToolResult]


def with_cluster(
    home: Path, jars: Path, clients: Callable[[LocalCluster, Run], None], **more: str
) -> None:
    """Run clients against two brokers."""

    async def run() -> None:
        settings = SETTINGS | more
        async with LocalCluster(home, brokers=2, dirs=1, settings=settings) as cluster:

            def tool(name: str, *arguments: str, seconds: int = 60) -> ToolResult:
                return run_tool(
                    jars, name, "--bootstrap-server", cluster.bootstrap, *arguments, seconds=seconds
                )

            await asyncio.to_thread(clients, cluster, tool)

    asyncio.run(run())


def produce(bootstrap: str, topic: str, records: range) -> None:
    """Write records, the same number to each of two partitions."""
    producer = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True})
    eventually(
        lambda: len(producer.list_topics(topic, 10).topics[topic].partitions) == 2, "the topic"
    )
    for n in records:
        producer.produce(topic, b"%d" % n, partition=n % 2)
    flushed(producer, 30)


def from_the_beginning(tool: Run, group: str) -> None:
    """A group begins at the earliest records."""
    told = tool(
        CONFIGS, "--alter", "--entity-type", "groups", "--entity-name", group,
        "--add-config", "share.auto.offset.reset=earliest",
    )  # fmt: skip
    assert told.code == 0, told


def consume(tool: Run, topic: str, group: str, records: int) -> list[int]:
    """What Java's console consumer gets, which accepts all of it."""
    told = tool(
        CONSOLE_SHARE_CONSUMER, "--topic", topic, "--group", group,
        "--max-messages", str(records), "--timeout-ms", "30000",
    )  # fmt: skip
    found = sorted(int(line) for line in told.stdout.split())
    if len(found) < records:
        raise TimeIsUp(f"{len(found)} of {records} records came in time: {told}")
    return found


def test_javas_consumer_gets_each_record_once_and_the_tool_tells_how_far_it_is(
    tmp_path: Path, kafka_jars: Path
) -> None:
    def clients(cluster: LocalCluster, tool: Run) -> None:
        produce(cluster.bootstrap, "t", range(20))
        from_the_beginning(tool, "g")
        assert consume(tool, "t", "g", 20) == list(range(20))
        produce(cluster.bootstrap, "t", range(20, 30))
        assert consume(tool, "t", "g", 10) == list(range(20, 30))
        told = tool(SHARE_GROUPS, "--describe", "--group", "g")
        rows = [line.split() for line in told.stdout.splitlines() if line.startswith("g ")]
        assert sorted((row[1], row[2]) for row in rows) == [("t", "0"), ("t", "1")], told
        assert {row[-1] for row in rows} == {"0"}, told

        told = tool(SHARE_GROUPS, "--list")
        assert told.stdout.split() == ["g"], told
        told = tool(
            SHARE_GROUPS, "--reset-offsets", "--to-earliest", "--group", "g", "--topic", "t",
            "--execute",
        )  # fmt: skip
        assert told.code == 0, told
        assert consume(tool, "t", "g", 30) == list(range(30))
        told = tool(SHARE_GROUPS, "--delete-offsets", "--group", "g", "--topic", "t")
        assert "Successful" in told.stdout, told
        told = tool(SHARE_GROUPS, "--delete", "--group", "g")
        assert "successful" in told.stdout, told
        assert tool(SHARE_GROUPS, "--list").stdout.split() == []

    with_cluster(tmp_path, kafka_jars, clients)


RESET = ("--reset-offsets", "--group", "g", "--topic", "t:0,1")
SEEN = (
    ("--list",),
    ("--list", "--state"),
    ("--list", "--state", "Empty"),
    ("--list", "--state", "Nonsense"),
    ("--describe", "--group", "g"),
    ("--describe", "--all-groups", "--offsets", "--verbose"),
    ("--describe", "--group", "g", "--state"),
    ("--describe", "--group", "g", "--state", "--verbose"),
    ("--describe", "--group", "g", "--members"),
    ("--describe", "--group", "g", "--members", "--verbose"),
    ("--describe", "--group", "none"),
    (*RESET, "--to-earliest", "--dry-run"),
    ("--delete-offsets", "--group", "g", "--topic", "nothing"),
    ("--delete-offsets", "--group", "none", "--topic", "t"),
    ("--delete", "--group", "none"),
)
"""What may be asked without a change."""


def beat(cluster: LocalCluster, epoch: int) -> None:
    """A member of "g" joins (0) or leaves (-1), at whichever broker coordinates it."""

    def answered() -> bool:
        request = ShareGroupHeartbeatRequest(
            group_id="g",
            member_id="member",
            member_epoch=epoch,
            subscribed_topic_names=("t",) if epoch == 0 else None,
        )
        ports = [int(at.rpartition(":")[2]) for at in cluster.bootstrap.split(",")]
        answers = [Side("", port, 0).ask(request, 1, "127.0.0.1") for port in ports]
        return any(not answer.error_code for answer in answers)

    eventually(answered, "the group is coordinated", 30)


def plain(told: ToolResult) -> list[str]:
    """What a tool prints, without stack traces, usage and the order of rows."""
    lines = [line.rstrip() for line in told.stdout.splitlines() if not line.startswith("\tat ")]
    return sorted(line for line in lines if line)


def test_our_tool_prints_what_kafkas_prints(tmp_path: Path, kafka_jars: Path) -> None:
    def clients(cluster: LocalCluster, tool: Run) -> None:
        def ours(*words: str) -> ToolResult:
            return call_tool(share_groups, "--bootstrap-server", cluster.bootstrap, *words)

        def compare(moment: str) -> None:
            for words in SEEN:
                mine, theirs = ours(*words), tool(SHARE_GROUPS, *words)
                assert plain(mine) == plain(theirs), (moment, words, mine, theirs)

        produce(cluster.bootstrap, "t", range(10))
        done = ours(*RESET, "--to-latest", "--execute")
        assert done.code == 0, done
        assert "NEW-OFFSET" in done.stdout
        compare("empty")
        beat(cluster, 0)
        compare("with a member")
        for words in ((*RESET, "--to-latest", "--execute"), ("--delete", "--group", "g")):
            assert ours(*words).code == 1, words
        beat(cluster, -1)
        done = ours("--delete-offsets", "--group", "g", "--topic", "t")
        assert (done.code, "Successful" in done.stdout) == (0, True), done
        assert ours("--describe", "--group", "g", "--json").stdout == (
            '[{"group": "g", "offsets": []}]\n'
        )
        compare("without offsets")
        done = ours("--delete", "--group", "g")
        assert (done.code, "was successful" in done.stdout) == (0, True), done
        assert tool(SHARE_GROUPS, "--list").stdout.split() == []

    more = {
        "group.share.session.timeout.ms": "60000",
        "group.share.max.session.timeout.ms": "60000",
    }
    with_cluster(tmp_path, kafka_jars, clients, **more)
