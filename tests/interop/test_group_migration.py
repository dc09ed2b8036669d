"""Groups that go over from the classic protocol to KIP-848 and back with their members: with
librdkafka's consumers, described by Kafka's tools, and record for record as Apache Kafka does it;
each takes over what the other one has begun."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient
from tests.interop.test_consumer_groups import (
    GROUPS_TOOL,
    SETTINGS,
    Changing,
    commit_at_last,
    consumer,
    produce,
    read,
    until_shared,
)
from tests.support.apache_kafka import DUMP_LOG, run_tool
from tests.support.clients import flushed
from tests.support.deadlines import Deadline
from tests.support.waiting import eventually

from spindle.runtime.local import LocalCluster

pytestmark = [pytest.mark.spec("C-02", "C-03")]

CLASSIC = {"group.protocol": "classic", "session.timeout.ms": 20_000, "heartbeat.interval.ms": 300}
"""No session ends because this machine, or a JVM that has just started, is slow."""
LONG = {**SETTINGS, "group.consumer.session.timeout.ms": "20000"}
ONE = {**LONG, "offsets.topic.num.partitions": "1", "group.initial.rebalance.delay.ms": "0"}


class Rolling:
    """Consumers of one group that come and go while records are written."""

    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap
        self.found: Counter[int] = Counter()
        self.members: list[Consumer] = []
        self.written = 0
        self.errors: list[str] = []
        self._producer = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True})
        self._admin = AdminClient({"bootstrap.servers": bootstrap})

    def add(self, **settings: Any) -> Consumer:
        """A member more, which commits what it has handed out when it gives it up."""
        member = consumer(self.bootstrap, "g", **({"enable.auto.commit": True} | settings))
        member.subscribe(["t"])
        self.members.append(member)
        return member

    def close(self, member: Consumer) -> None:
        """It leaves."""
        self.members.remove(member)
        member.close()

    def poll(self) -> None:
        """All members take what there is; some records more are written."""
        for n in range(4):
            self._producer.produce("t", b"%d" % self.written, partition=n)
            self.written += 1
        self._producer.poll(0)
        for member in self.members:
            came = member.consume(100, 0.05)
            self.found.update(int(m.value()) for m in came if not m.error())
            self.errors += [str(m.error()) for m in came if m.error()]

    def until(self, kind: str, *sizes: int, seconds: float = 40) -> None:
        """Poll until the group is of this kind and its members have so many partitions."""
        deadline = Deadline(seconds)
        while (now := self.state()) != (kind, *sizes):
            deadline.hold((now, self.errors))
            self.poll()

    def state(self) -> tuple[object, ...]:
        sizes = sorted(len(each.assignment()) for each in self.members)
        if sum(sizes) != 4:
            return ("?", *sizes)
        view = self._admin.describe_consumer_groups(["g"])["g"].result(20)
        return (view.type.name if view.state.name == "STABLE" else view.state.name, *sizes)

    def finish(self) -> None:
        """All that was written comes."""
        flushed(self._producer, 30)
        deadline = Deadline(40)
        while len(self.found) < self.written:
            deadline.hold(f"{len(self.found)} of {self.written} came")
            for member in self.members:
                came = member.consume(100, 0.05)
                self.found.update(int(m.value()) for m in came if not m.error())
        for member in list(self.members):
            self.close(member)


@pytest.mark.parametrize("classic", ["range", "roundrobin"])
def test_members_roll_from_one_protocol_to_the_other_and_back(tmp_path: Path, classic: str) -> None:
    """No record is lost; twice come at most those that one member had handed out and not committed
    when its partitions ceased to be its own."""

    def clients(cluster: LocalCluster) -> None:
        old = CLASSIC | {"partition.assignment.strategy": classic}
        produce(cluster.bootstrap, "t", 4)
        group = Rolling(cluster.bootstrap)
        group.written = 4
        first, second = group.add(**old), group.add(**old)
        group.until("CLASSIC", 2, 2)
        group.close(first)
        third = group.add()
        group.until("CONSUMER", 2, 2)
        group.close(second)
        fourth = group.add()
        group.until("CONSUMER", 2, 2)
        group.close(third)
        group.add(**old)
        group.until("CONSUMER", 2, 2)
        group.close(fourth)
        group.add(**old)
        group.until("CLASSIC", 2, 2)
        group.finish()
        assert sorted(group.found) == list(range(group.written))
        twice = {n: times for n, times in group.found.items() if times > 1}
        assert not twice, twice

    async def run() -> None:
        async with LocalCluster(tmp_path, brokers=2, dirs=1, settings=LONG) as cluster:
            await asyncio.to_thread(clients, cluster)

    asyncio.run(run())


@pytest.mark.kafka
def test_apache_kafka_writes_the_same_and_each_goes_on_with_the_others_groups(
    tmp_path: Path, kafka_jars: Path
) -> None:
    dumps: dict[bool, list[list[object]]] = {}
    for theirs in (False, True):
        home = tmp_path / str(theirs)
        home.mkdir()
        with Changing(home, kafka_jars, brokers=1, directories=1, settings=ONE) as cluster:
            cluster.is_theirs = theirs
            cluster.start()
            at = cluster.bootstrap
            produce(at, "t", 40)
            old = consumer(at, "g", **CLASSIC, **{"client.id": "old", "group.instance.id": "i"})
            old.subscribe(["t"])
            until_shared([old], 4)
            new = consumer(at, "g", **{"client.id": "new"})
            new.subscribe(["t"])
            until_shared([old, new], 2, 2)
            done = cluster.run_tool(
                GROUPS_TOOL, "--bootstrap-server", at, "--describe", "--group", "g", "--members",
                "--verbose",
            )  # fmt: skip
            assert done.code == 0, done
            rows = [line.split() for line in done.lines() if line.startswith("g ")]
            assert sorted(w for r in rows for w in r if w in ("old", "new")) == ["new", "old"], rows
            assert sorted(w for r in rows for w in r if w in ("true", "false")) == ["false", "true"]
            # The other kind of broker goes on with the mixed group, and makes it a classic one.
            cluster.stop_node(1)
            cluster.is_theirs = not theirs
            cluster.start_node(1)
            produce(at, "t", 40)
            read([old, new], 40)
            commit_at_last(old)
            commit_at_last(new)
            new.close()
            until_shared([old], 4)
            cluster.stop_node(1)
            cluster.is_theirs = theirs
            cluster.start_node(1)
            produce(at, "t", 40)
            read([old], 40)
            commit_at_last(old)
            old.close()
            log = cluster.nodes[1].log_dirs[0] / "__consumer_offsets-0" / f"{0:020}.log"
            cluster.stop_node(1)
            dumps[theirs] = conversions(kafka_jars, log)
    ours, kafkas = dumps[False], dumps[True]
    assert [len(batch) for batch in ours] == [len(batch) for batch in kafkas] != []
    assert ours[0] == kafkas[0], "a classic group became a consumer group"
    assert ours[1] == kafkas[1], "a consumer group became a classic one"


@pytest.mark.kafka
@pytest.mark.parametrize("theirs", [False, True], ids=["spindle", "kafka"])
def test_librdkafkas_cooperative_sticky_groups_change_only_without_members(
    tmp_path: Path, kafka_jars: Path, theirs: bool
) -> None:
    """librdkafka's assignor gives members back what they said of themselves once they have held
    something, as user data: no assignor of KIP-848 could read that."""
    sticky = CLASSIC | {"partition.assignment.strategy": "cooperative-sticky"}
    with Changing(tmp_path, kafka_jars, brokers=1, directories=1, settings=ONE) as cluster:
        cluster.is_theirs = theirs
        cluster.start()
        produce(cluster.bootstrap, "t", 4)
        group = Rolling(cluster.bootstrap)
        group.written = 4
        first = group.add(**sticky)
        group.until("CLASSIC", 4)
        second = group.add(**sticky)
        group.until("CLASSIC", 2, 2)
        newcomer = group.add()

        def refused() -> bool:
            group.poll()
            return any("group id does not exist" in error for error in group.errors)

        eventually(refused, "the newcomer is refused", 40)
        group.close(newcomer)
        group.until("CLASSIC", 2, 2)
        group.close(first)
        group.close(second)
        group.add()
        group.until("CONSUMER", 4)
        group.finish()
        assert sorted(group.found) == list(range(group.written)), "it goes on where they committed"


def conversions(kafka_jars: Path, log: Path) -> list[list[object]]:
    """The batches in which the group changed its kind, without what differs with each run, and
    without the tombstone of the topics of Apache Kafka 4.0 (4), here only where some are."""
    dump = run_tool(
        kafka_jars, DUMP_LOG, "--offsets-decoder", "--print-data-log", "--files", str(log)
    )
    assert dump.code == 0, dump
    batches: list[list[object]] = []
    for line in dump.stdout.splitlines():
        if line.startswith("baseOffset:"):
            batches.append([])
        found = re.search(r" key: (\{.*?\}) payload: (\{.*\}|<DELETE>)$", line)
        if found:
            batches[-1].append((plain(found[1]), plain(found[2] or "")))
    texts = [(batch, " ".join(map(str, batch))) for batch in batches]
    return [
        sorted((pair for pair in batch if "'type': '4'" not in str(pair)), key=str)
        for batch, text in texts
        if "'type': '2'" in text and "'type': '5'" in text
    ]


def plain(text: str) -> object:
    """JSON without ids and times."""
    text = re.sub(r'"(memberId|leader)":"(i-)?[^"]*"', r'"\1":"\2id"', text)
    text = re.sub(r'"topicId":"[^"]*"', '"topicId":"?"', text)
    text = re.sub(r'"(\w*[tT]imestamp\w*|metadataHash)":-?\d+', r'"\1":1', text)
    return json.loads(text) if text.startswith("{") else text
