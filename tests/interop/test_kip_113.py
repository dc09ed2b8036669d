"""The two system tests of KIP-113, step by step, with a producer and a consumer running all along.

Three brokers with two log directories each. Three forms: our tool and Apache Kafka's on our
brokers, our tool on Apache Kafka's brokers. Bad directories: ours by the fault drill (every access
says EACCES, what mode 000 does to any user but root), Apache Kafka's by a file in the place.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from tests.support.apache_kafka import CONTROLLER_ID, REASSIGN, ToolResult
from tests.support.clients import audit
from tests.support.commands import run
from tests.support.mixed import Mixed
from tests.support.waiting import eventually

from spindle.cli.demo.demo_load import DemoLoad, Drain
from spindle.client.admin import AdminClient
from spindle.client.results import TopicDescription
from spindle.model.ids import NodeId
from spindle.runtime.drill import break_directory

pytestmark = pytest.mark.kafka

BROKERS = (1, 2, 3)
OFFSETS = "__consumer_offsets"
SETTINGS = {
    "broker.session.timeout.ms": "6000",
    "offsets.topic.num.partitions": "1",
    "replica.high.watermark.checkpoint.interval.ms": "500",
    "replica.lag.time.max.ms": "5000",
}
PATIENT = {"request.timeout.ms": 4000, "socket.timeout.ms": 5000, "message.timeout.ms": 120_000}
"""Apache Kafka's leaders leave writes unanswered after a follower's disk has died: ask again."""

Places = Mapping[tuple[str, int], Mapping[NodeId, str]]
"""For each partition its brokers, and the directory on each."""


class Lab:
    """A cluster of one kind, the tool of one kind, and a plan file."""

    def __init__(self, cluster: Mixed, tool: str, plan: Path) -> None:
        self.cluster = cluster
        self._tool = tool
        self._plan = plan

    @property
    def is_apache(self) -> bool:
        """Whether the brokers are Apache Kafka's."""
        return bool(self.cluster.theirs)

    def reassign(self, *arguments: str) -> ToolResult:
        """Run kafka-reassign-partitions on the plan."""
        at = ("--bootstrap-server", self.cluster.bootstrap)
        options = (*at, "--reassignment-json-file", str(self._plan), *arguments)
        if self._tool == "ours":
            return run("kafka-reassign-partitions", *options)
        return self.cluster.run_tool(REASSIGN, *options)

    def move(self, places: Places) -> None:
        """Execute a plan, and verify it until the tool says that all of it is done."""
        partitions = [
            {
                "topic": topic,
                "partition": number,
                "replicas": list(where),
                "log_dirs": list(where.values()),
            }
            for (topic, number), where in places.items()
        ]
        self._plan.write_text(json.dumps({"version": 1, "partitions": partitions}))
        started = self.reassign("--execute", "--timeout", "60000")
        assert started.code == 0, started
        wanted = [f"Reassignment of partition {t}-{n} is completed." for t, n in places]
        wanted += [
            f"Reassignment of replica {topic}-{number}-{broker} completed successfully."
            for (topic, number), where in places.items()
            for broker in where
        ]
        said = ToolResult(0, "", "")

        def done() -> bool:
            nonlocal said
            said = self.reassign("--verify")
            return set(wanted) <= set(said.lines())

        self.cluster.until(done, "the tool says that all is in its place", 90)

    def break_directory(self, broker: NodeId) -> None:
        """Have the broker's second directory fail from now on."""
        path = Path(self.cluster.log_dirs(broker)[1])
        if self.is_apache:
            path.rename(path.with_suffix(".away"))
            path.write_text("")
        else:
            break_directory(str(path), "EACCES")

    def says(self, broker: NodeId) -> list[str]:
        """The lines of a broker's log that say that its second directory has failed."""
        text = "Stopping serving replicas in dir" if self.is_apache else "directory has failed"
        path = self.cluster.log_dirs(broker)[1]
        lines = self.cluster.nodes[broker].log.read_text(errors="replace").splitlines()
        return [line for line in lines if text in line and path in line]

    def check_brokers(self, bad: tuple[NodeId, ...], earlier: Mapping[NodeId, int]) -> None:
        """All brokers run, and these alone have reported a bad directory since `earlier`."""
        for broker in BROKERS:
            process = self.cluster.nodes[broker].process
            assert process is not None
            assert process.poll() is None, self.cluster.tail(broker)
            if broker in bad:
                eventually(lambda b=broker: len(self.says(b)) > earlier[b], f"broker {broker} said")
            else:
                assert len(self.says(broker)) == earlier[broker]

    def described(self, topic: str) -> list[tuple[NodeId, set[NodeId], set[NodeId]]]:
        """(leader, ISR, offline replicas) of each partition as the AdminClient describes it."""

        async def look(admin: AdminClient) -> TopicDescription:
            return await admin.describe_topics([topic])[topic]

        found = self.cluster.done(look)
        return [(p.leader, set(p.isr), set(p.offline)) for p in found.partitions]

    def becomes(self, topic: str, *wanted: tuple[NodeId, set[NodeId], set[NodeId]]) -> None:
        """Wait until the topic's description is this."""
        self.cluster.until(
            lambda: self.described(topic) == list(wanted), f"{topic} is {wanted}", 90
        )


class Pair:
    """A producer (idempotent, acks=all) and a consumer of one topic."""

    def __init__(self, lab: Lab, topic: str, partitions: int) -> None:
        self.lab = lab
        self.topic = topic
        at = lab.cluster.bootstrap
        self.load = DemoLoad(at, topic, [1.0] * partitions, 100, settings=PATIENT)
        self.drain = Drain(at, topic, f"readers-of-{topic}")
        self.load.start()
        self.drain.start()
        self.check()

    def check(self, more: int = 100) -> None:
        """So many more records are acknowledged and consumed; nothing is lost, nothing twice."""
        wanted = len(self.load.acknowledged) + more
        eventually(
            lambda: len(self.load.acknowledged) >= wanted, f"{self.topic}: {wanted} written", 100
        )
        assert not self.load.failed, self.load.failed[:3]
        self._check_read()

    def end(self) -> None:
        """The last check: what was promised is there once, and was read once."""
        self.load.finish()
        assert audit(self.load, self.lab.cluster.bootstrap, self.topic) == self.load.sent
        self._check_read()
        self.drain.finish()
        assert len(self.drain.consumed) == self.load.sent

    def _check_read(self) -> None:
        """All that is acknowledged by now comes to the consumer, in order, each record once."""
        told = self.load.acknowledged
        ends: dict[int, int] = {}
        places: list[int | None] = [*told.offset]
        for number, offset in zip(list(told.partition), places, strict=False):
            # Without one: sent again to a leader that knows the batch, but not any more where.
            ends[number] = max(ends.get(number, 0), 0 if offset is None else offset + 1)
        what = f"{self.topic}: what is acknowledged is read, up to {ends}"
        eventually(lambda: self._has_read(ends), what, 60)
        assert not self.drain.errors, self.drain.errors[:3]

    def _has_read(self, ends: Mapping[int, int]) -> bool:
        read: defaultdict[int, list[int]] = defaultdict(list)
        consumed = self.drain.consumed
        for number, offset in zip(list(consumed.partition), list(consumed.offset), strict=False):
            read[number].append(offset)
        for number, offsets in read.items():
            assert offsets == list(range(len(offsets))), f"{self.topic}-{number}: a gap, or twice"
        return all(len(read[number]) >= end for number, end in ends.items())


@pytest.fixture(
    scope="module",
    params=[("ours", "ours"), ("kafkas", "ours"), ("ours", "kafkas")],
    ids=["our-tool-our-brokers", "their-tool-our-brokers", "our-tool-their-brokers"],
)
def lab(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Three brokers with two directories each, and a tool."""
    tool, brokers = request.param
    jars = request.getfixturevalue("kafka_jars")
    folder = tmp_path_factory.mktemp("kip-113")
    theirs = {CONTROLLER_ID, *BROKERS} if brokers == "kafkas" else set()
    with Mixed(folder / "nodes", jars, theirs=theirs, brokers=3, settings=SETTINGS) as cluster:
        cluster.start()
        yield Lab(cluster, tool, folder / "plan.json")


@pytest.mark.spec("K113-29", "K113-22", "K113-25")
def test_replicas_move_between_disks_of_a_broker_and_across_brokers(lab: Lab) -> None:
    cluster = lab.cluster
    cluster.create("moved", [[1], [2], [3]])
    pair = Pair(lab, "moved", 3)
    said = {broker: len(lab.says(broker)) for broker in BROKERS}
    disks = {n: cluster.disk_of("moved", n, n + 1) for n in range(3)}
    # To the other log directory of the same broker.
    lab.move({("moved", n): {n + 1: cluster.log_dirs(n + 1)[1 - d]} for n, d in disks.items()})
    assert [cluster.disk_of("moved", n, n + 1) for n in range(3)] == [1 - d for d in disks.values()]
    lab.becomes("moved", *((n + 1, {n + 1}, set()) for n in range(3)))
    lab.check_brokers((), said)
    pair.check()
    # To the log directory that is unused now of the next broker.
    following = {n: (n + 1) % 3 for n in range(3)}
    lab.move(
        {
            ("moved", n): {
                following[n] + 1: cluster.log_dirs(following[n] + 1)[disks[following[n]]]
            }
            for n in range(3)
        }
    )
    for n, after in following.items():
        assert cluster.disk_of("moved", n, after + 1) == disks[after]
    lab.becomes("moved", *((after + 1, {after + 1}, set()) for after in following.values()))
    lab.check_brokers((), said)
    pair.check()
    pair.end()


@pytest.mark.spec("K113-29", "K113-30", "K858-10")
def test_bad_log_directories_do_not_affect_replicas_on_good_ones(lab: Lab) -> None:
    cluster = lab.cluster
    everywhere = set(BROKERS)
    cluster.create("first", [[1, 2, 3]])
    cluster.create("second", [[2, 3, 1]])
    cluster.until(lambda: cluster.knows(1, OFFSETS, 1), "the groups' own topic is there")
    disks = {("first", 0): 0, ("second", 0): 1, (OFFSETS, 0): 0}
    order = {("first", 0): (1, 2, 3), ("second", 0): (2, 3, 1), (OFFSETS, 0): (1, 2, 3)}
    lab.move({name: {b: cluster.log_dirs(b)[disks[name]] for b in order[name]} for name in disks})
    pairs = first, second = Pair(lab, "first", 1), Pair(lab, "second", 1)
    said = {broker: len(lab.says(broker)) for broker in BROKERS}
    # The second directory of a follower of the first topic: the leader of the second one.
    lab.break_directory(2)
    lab.becomes("first", (1, everywhere, set()))
    lab.becomes("second", (3, {1, 3}, {2}))
    lab.check_brokers((2,), said)
    for pair in pairs:
        pair.check()
    # That of the leader of the first topic.
    lab.break_directory(1)
    lab.becomes("first", (1, everywhere, set()))
    lab.becomes("second", (3, {3}, {1, 2}))
    lab.check_brokers((1, 2), said)
    for pair in pairs:
        pair.check()
    second.end()
    # Those of all brokers.
    lab.break_directory(3)

    def is_gone() -> bool:
        ((leader, _, offline),) = lab.described("second")
        return offline == everywhere and leader == -1

    cluster.until(is_gone, "nothing of it is online, and no broker leads it", 60)
    lab.becomes("first", (1, everywhere, set()))
    lab.check_brokers(BROKERS, said)
    first.check()
    first.end()
