"""What `spindle doctor` concludes from what it saw; and that it claims no health it did not see."""

from __future__ import annotations

from dataclasses import replace

import pytest

from spindle.cli.doctor.command import headline
from spindle.cli.doctor.findings import RIGHTS, Examination, Finding, Level, diagnose
from spindle.client.failures import Refused, Unreachable
from spindle.client.results import (
    LogDescription,
    LogDirDescription,
    PartitionDescription,
    QuorumDescription,
    QuorumMember,
    Reassignment,
    TopicDescription,
)
from spindle.model.acl import AclOperation
from spindle.model.errors import Error
from spindle.model.ids import TopicPartition
from spindle.pipeline.known_faults import NEWEST

GIB = 1 << 30
ALL = frozenset(AclOperation)
ORDERS = TopicPartition("orders", 0)


def directory(
    path: str,
    *,
    error: Error = Error.NONE,
    usable: int = 60,
    cordoned: bool = False,
    future: int = 0,
) -> LogDirDescription:
    log = LogDescription(30 * GIB, 0, False)
    copy = LogDescription(GIB, 5, True)
    copies = {TopicPartition("orders", 7 + n): copy for n in range(future)}
    return LogDirDescription(path, error, 100 * GIB, usable * GIB, cordoned, {ORDERS: log}, copies)


def topic(isr: tuple[int, ...] = (1, 2), leader: int = 1) -> TopicDescription:
    partition = PartitionDescription(0, leader, 3, (1, 2), isr, ())
    return TopicDescription("orders", None, False, (partition,))


def voter(node: int, caught_up_ms: int) -> QuorumMember:
    return QuorumMember(node, None, 10, caught_up_ms, caught_up_ms)


WELL = Examination(
    brokers=[1, 2],
    down={},
    directories={1: [directory("/a"), directory("/b", usable=61)], 2: [directory("/a")]},
    topics={"orders": topic()},
    reassignments={},
    throttles={1: [], 2: []},
    rights=ALL,
    quorum=QuorumDescription(9, 4, 10, (voter(9, 0), voter(10, 99_000)), ()),
    now_ms=100_000,
)


def bad(seen: Examination) -> list[Finding]:
    return [finding for finding in diagnose(seen) if finding.level > Level.OK]


def test_a_cluster_that_is_well_has_one_line_for_each_check() -> None:
    found = diagnose(WELL)
    assert {finding.level for finding in found} == {Level.OK}
    assert [f.check for f in found] == ["brokers", "rights", "disks", "replicas", "quorum"]
    assert headline(found).startswith("OK: 2 brokers answered; ")


@pytest.mark.parametrize(
    ("change", "level", "words"),
    [
        ({"down": {3: Unreachable("fenced")}}, Level.CRITICAL, "broker 3 is not live: fenced"),
        (
            {"directories": {1: Unreachable("refused"), 2: [directory("/a")]}},
            Level.UNKNOWN,
            "broker 1 did not describe its log directories: refused",
        ),
        (
            {"directories": {1: [directory("/a", error=Error.KAFKA_STORAGE_ERROR)]}},
            Level.CRITICAL,
            "broker 1 /a is offline (KAFKA_STORAGE_ERROR)",
        ),
        ({"directories": {1: [directory("/a", usable=4)]}}, Level.CRITICAL, "/a is 96% full"),
        ({"directories": {1: [directory("/a", usable=10)]}}, Level.WARNING, "/a is 90% full"),
        ({"directories": {1: [directory("/a", cordoned=True)]}}, Level.NOTE, "cordoned"),
        (
            {"directories": {1: [directory("/a", usable=20), directory("/b", usable=60)]}},
            Level.WARNING,
            "broker 1 fills its disks unevenly: /a is 80% full, /b 40%",
        ),
        (
            {"directories": {1: [directory("/a", usable=40), directory("/b", usable=40)]}},
            Level.NOTE,
            "/a, /b of broker 1 seem to lie on one file system",
        ),
        ({"topics": {"orders": topic(leader=-1)}}, Level.CRITICAL, "1 partition without a leader"),
        ({"topics": {"orders": topic(isr=(1,))}}, Level.WARNING, "out of sync: orders-0"),
        ({"topics": Unreachable("gone")}, Level.UNKNOWN, "partitions could not be listed: gone"),
        ({"topics": {}}, Level.WARNING, "replicas of orders, which the user may not see"),
        (
            {"reassignments": {ORDERS: Reassignment((1, 2), (2,), ())}},
            Level.NOTE,
            "1 reassignment in progress",
        ),
        ({"reassignments": Unreachable("no")}, Level.UNKNOWN, "could not be listed: no"),
        (
            {"throttles": {1: ["leader.replication.throttled.rate=1000"]}},
            Level.WARNING,
            "broker 1 is throttled (leader.replication.throttled.rate=1000) although nothing",
        ),
        ({"throttles": {1: Unreachable("no")}}, Level.UNKNOWN, "throttles of broker 1"),
        ({"rights": None}, Level.UNKNOWN, "what the user may do is not known"),
        ({"rights": ALL - {AclOperation.ALTER}}, Level.WARNING, "the user lacks Alter on Cluster"),
        ({"quorum": Unreachable("no")}, Level.UNKNOWN, "quorum could not be described: no"),
        (
            {"releases": {1: ((4, 2), (4, 2)), 2: ((4, 3), NEWEST)}},
            Level.NOTE,
            "broker 1: 4.2, broker 2: 4.3 to newer",
        ),
        (
            {"releases": {1: ((3, 1), (3, 4)), 2: ((3, 1), (3, 4))}},
            Level.NOTE,
            "brokers may have KAFKA-15391, KAFKA-15572 (Apache Kafka 3.0 to 3.5)",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_way_out(
    change: dict[str, object], level: Level, words: str
) -> None:
    found = bad(replace(WELL, **change))  # type: ignore[arg-type]
    (one,) = [finding for finding in found if words in finding.text]
    assert one.level == level
    if level not in (Level.OK, Level.UNKNOWN):
        assert one.way_out


def test_voters_that_are_behind_are_critical_once_no_majority_is_left() -> None:
    members = (voter(9, 0), voter(10, 0), voter(11, 99_000))
    quorum = QuorumDescription(9, 4, 10, members, ())
    (one,) = bad(replace(WELL, quorum=quorum))
    assert (one.level, one.check) == (Level.WARNING, "quorum")
    late = (voter(9, 0), voter(10, 0), voter(11, 0))
    (one,) = bad(replace(WELL, quorum=QuorumDescription(9, 4, 10, late, ())))
    assert one.level == Level.CRITICAL


def test_where_no_partition_is_seen_none_is_called_well() -> None:
    nothing = {1: [replace(directory("/a"), current={})]}
    found = diagnose(replace(WELL, topics={}, directories=nothing))
    (one,) = [finding for finding in found if finding.check == "replicas"]
    assert one.text == "there are no partitions that the user may see"


def test_a_throttle_is_no_fault_while_something_moves() -> None:
    busy = {1: [directory("/a", future=1)]}
    throttles = {1: ["leader.replication.throttled.rate=1000"]}
    found = bad(replace(WELL, directories=busy, throttles=throttles))
    assert [f.text for f in found] == ["1 move between log directories in progress"]


def test_the_worst_comes_first_and_leads_the_line_of_monitoring() -> None:
    seen = replace(WELL, down={3: Unreachable("fenced")}, topics={"orders": topic(isr=(1,))})
    found = diagnose(seen)
    assert found == sorted(found, key=lambda finding: -finding.level)
    assert headline(found).startswith("CRITICAL: broker 3 is not live: fenced; 1 partition with")


@pytest.mark.spec("V-08")
def test_every_right_that_a_command_needs_is_looked_for() -> None:
    found = bad(replace(WELL, rights=frozenset()))
    assert len(found) == len(RIGHTS)
    assert all("kafka-acls --add --cluster --operation" in finding.way_out for finding in found)


@pytest.mark.spec("V-08")
@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        ("AlterReplicaLogDirs of a-0", Error.CLUSTER_AUTHORIZATION_FAILED, "Alter on Cluster"),
        ("DescribeLogDirs", Error.CLUSTER_AUTHORIZATION_FAILED, "Describe on Cluster"),
        ("DescribeConfigs of broker 1", Error.CLUSTER_AUTHORIZATION_FAILED, "DescribeConfigs on C"),
        ("AlterConfigs of topic a", Error.TOPIC_AUTHORIZATION_FAILED, "AlterConfigs on the"),
        ("Fetch of a-0", Error.TOPIC_AUTHORIZATION_FAILED, "Read on the topic"),
        ("SomethingNew", Error.GROUP_AUTHORIZATION_FAILED, "a right on the group"),
    ],
)  # fmt: skip
def test_a_refusal_names_the_right_that_is_missing(asked: str, error: Error, words: str) -> None:
    assert words in str(Refused(error, asked, "broker 1"))
    java = "Error while listing\\n\\tat org.apache.kafka.server".replace("\\n", "\n")
    told = str(Refused(error, asked, "broker 1", java))
    assert words in told
    assert "Error while listing: " in told
    assert "org.apache" not in told, "the first line alone is for people"
