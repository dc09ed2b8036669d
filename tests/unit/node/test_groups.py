"""Groups in the node: loading, unloading, and what Apache Kafka's coordinator may have written."""

from __future__ import annotations

import pytest
from tests.support.cluster_image import topic_id
from tests.support.group_broker import PARTITIONS, GroupBroker

from spindle.core.groups.group_values import (
    Committed,
    CoordinatorRecord,
    GroupRecord,
    Join,
    JoinAnswer,
    MemberIdentity,
    OffsetRecord,
    StoredGroup,
    StoredMember,
    Sync,
)
from spindle.core.groups.subscription import partition_for
from spindle.model import metadata_records as r
from spindle.model.batches import CONTROL, TRANSACTIONAL, EndTransactionMarker
from spindle.model.errors import Corrupt, Error, Refusal
from spindle.model.ids import PartitionId, TopicPartition
from spindle.node.groups.group_records import from_bytes, to_bytes
from spindle.node.partition_reader import RETRY, RETRY_CORRUPT, STEP
from spindle.wire.control import control_record

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)


def partition(group_id: str) -> PartitionId:
    return PartitionId(topic_id("__consumer_offsets"), partition_for(group_id, PARTITIONS))


def commit(broker: GroupBroker, group_id: str, offset: int) -> None:
    answers: dict[TopicPartition, Error] = {}
    value = Committed(offset=offset, metadata="m", commit_ms=broker.out.wall_ms)
    who = MemberIdentity(group_id=group_id)
    broker.groups.coordinator(group_id).commit(who, {T0: value}, answers.update)
    assert answers == {T0: Error.NONE}


def offset(broker: GroupBroker, group_id: str) -> int | None:
    found = broker.groups.coordinator(group_id).fetch(group_id, [T0])[T0]
    return None if found is None else found.offset


def refusal(broker: GroupBroker, group_id: str) -> Error:
    with pytest.raises(Refusal) as refused:
        broker.groups.coordinator(group_id)
    return refused.value.error


def member(broker: GroupBroker, group_id: str) -> JoinAnswer:
    """A stable group of one."""
    coordinator = broker.groups.coordinator(group_id)
    answers: list[JoinAnswer] = []
    ask = Join(
        group_id=group_id,
        member_id="",
        instance_id="me",
        client_id="c",
        client_host="/h",
        session_timeout=10_000,
        rebalance_timeout=20_000,
        protocol_type="consumer",
        protocols=(("range", b"\0\0\0\0\0\0"),),
    )
    coordinator.join(ask, answers.append)
    (answer,) = answers
    coordinator.sync(
        Sync(
            group_id=group_id,
            generation=answer.generation,
            member_id=answer.member_id,
            assignments=((answer.member_id, b"mine"),),
        ),
        lambda synced: None,
    )
    return answer


def pair(record: CoordinatorRecord) -> tuple[bytes, bytes | None]:
    """A record as it is written."""
    key, value = to_bytes(record)
    return key, value


def test_what_was_written_is_there_again_after_unloading_and_loading() -> None:
    broker = GroupBroker()
    answer = member(broker, "g")
    view = broker.groups.coordinator("g").describe("g")
    for number in range(20):
        commit(broker, f"simple-{number}", number)
    commit(broker, "simple-3", 33)
    broker.groups.coordinator("simple-4").delete_group("simple-4", lambda error: None)
    broker.lead(False)
    assert refusal(broker, "g") is Error.NOT_COORDINATOR
    broker.lead()
    assert broker.groups.coordinator("g").describe("g") == view
    assert offset(broker, "simple-3") == 33
    assert offset(broker, "simple-4") is None
    assert len(broker.groups.views()) == 20
    who = MemberIdentity(group_id="g", generation=1, member_id=answer.member_id, instance_id="me")
    assert broker.groups.coordinator("g").heartbeat(who) is Error.NONE


def test_loading_takes_bounded_steps_and_refuses_clients_meanwhile() -> None:
    broker = GroupBroker()
    id = partition("g")
    big = Committed(offset=1, metadata="x" * 4_000, commit_ms=1)
    for number in range(200):
        record = OffsetRecord("g", T0, Committed(offset=number, metadata="x" * 4_000, commit_ms=1))
        broker.replicas.write(id, [pair(record)])
    assert sum(map(len, broker.replicas.logs[id])) > 2 * STEP
    broker.replicas.write(id, [pair(OffsetRecord("g", T1, big))])
    broker.replicas.reads = 0
    broker.replicas.held_reads = []
    for listener in broker.replicas.listeners:
        listener(id, True)
    steps = 0
    while broker.replicas.held_reads:
        assert refusal(broker, "g") is Error.COORDINATOR_LOAD_IN_PROGRESS
        assert broker.groups.is_loading
        broker.replicas.held_reads.pop()()
        steps += 1
    assert steps >= 3
    assert not broker.groups.is_loading
    assert offset(broker, "g") == 199


def test_leadership_lost_while_loading_ends_it() -> None:
    broker = GroupBroker()
    commit(broker, "g", 1)
    broker.lead(False)
    broker.replicas.held_reads = []
    broker.lead()
    broker.lead(False)
    for read in broker.replicas.held_reads:
        read()
    assert refusal(broker, "g") is Error.NOT_COORDINATOR
    broker.replicas.held_reads = None
    broker.lead()
    assert offset(broker, "g") == 1


def test_a_failed_read_is_tried_again_for_as_long_as_we_lead() -> None:
    broker = GroupBroker()
    commit(broker, "g", 1)
    broker.lead(False)
    broker.replicas.read_error = Error.KAFKA_STORAGE_ERROR
    broker.lead()
    broker.wait(RETRY * 3)
    assert refusal(broker, "g") is Error.COORDINATOR_LOAD_IN_PROGRESS
    broker.replicas.read_error = None
    broker.wait(RETRY * 2)
    assert offset(broker, "g") == 1


def test_a_batch_that_cannot_be_read_is_skipped_and_said() -> None:
    broker = GroupBroker()
    id = partition("g")
    commit(broker, "g", 1)
    broker.replicas.write(id, [(b"\0\1rubbish", b"\0\0")])
    broker.replicas.write(id, [pair(OffsetRecord("g", T1, committed(7)))])
    broker.out.take()
    broker.lead()
    ready = broker.out.take()
    assert ready is not None
    assert "a coordinator's records cannot be read" in [said.event for said in ready.log_lines]
    assert offset(broker, "g") == 1
    assert broker.groups.coordinator("g").fetch("g", [T1])[T1] is not None


def test_bytes_that_are_no_batches_keep_the_groups_closed_and_are_said_now_and_then() -> None:
    broker = GroupBroker()
    id = partition("g")
    broker.replicas.logs[id] = [b"\0" * 100]
    broker.replicas.ends[id] = 1
    broker.out.take()
    broker.lead()
    broker.wait(2 * RETRY_CORRUPT + 1)
    ready = broker.out.take()
    assert ready is not None
    assert [s.event for s in ready.log_lines].count("a coordinator's records cannot be read") == 3
    assert refusal(broker, "g") is Error.COORDINATOR_LOAD_IN_PROGRESS


def committed(offset: int) -> Committed:
    return Committed(offset=offset, commit_ms=5)


def test_offsets_of_transactions_count_at_their_commit() -> None:
    broker = GroupBroker()
    id = partition("g")
    kept = [pair(OffsetRecord("g", T0, committed(5)))]
    dropped = [pair(OffsetRecord("g", T1, committed(6)))]
    by = {"attributes": TRANSACTIONAL, "producer_epoch": 0, "base_sequence": 0}
    broker.replicas.write(id, kept, producer_id=1, **by)
    broker.replicas.write(id, dropped, producer_id=2, **by)
    for producer_id, commits in ((1, True), (2, False)):
        marker = control_record(EndTransactionMarker(commits, 0), 0)
        assert marker.key is not None
        broker.replicas.write(
            id,
            [(marker.key, marker.value)],
            producer_id=producer_id,
            producer_epoch=0,
            attributes=TRANSACTIONAL | CONTROL,
        )
    open_one = [pair(OffsetRecord("g", T1, committed(8)))]
    broker.replicas.write(id, open_one, producer_id=3, **by)
    broker.lead()
    found = broker.groups.coordinator("g").fetch("g", None)
    assert {p: c.offset for p, c in found.items() if c is not None} == {T0: 5}


def test_records_of_other_kinds_of_groups_are_stepped_over() -> None:
    broker = GroupBroker()
    id = partition("g")
    broker.replicas.write(id, [(b"\0\3\0\1g", b"\0\0\0\0\0\1"), (b"\0\x10\0\1g", None)])
    commit(broker, "g", 2)
    broker.lead()
    assert offset(broker, "g") == 2


def test_deleted_topics_take_their_offsets_along() -> None:
    broker = GroupBroker()
    commit(broker, "g", 2)
    broker.image.take_delta()
    broker.image.apply(r.RemoveTopic(topic_id=topic_id("t")))
    broker.groups.on_metadata(broker.image.take_delta())
    assert offset(broker, "g") is None
    broker.lead(False)
    broker.lead()
    assert offset(broker, "g") is None


def test_expired_offsets_are_looked_for_from_time_to_time() -> None:
    broker = GroupBroker(with_topic=True, **{"offsets.retention.minutes": "1"})
    commit(broker, "g", 2)
    broker.wait(599)
    assert offset(broker, "g") == 2
    broker.wait(2)
    assert offset(broker, "g") is None
    assert broker.groups.views() == []


# --- bytes ----------------------------------------------------------------------------------------


def test_records_survive_their_bytes() -> None:
    values: list[CoordinatorRecord] = [
        OffsetRecord("g", T0, None),
        OffsetRecord(
            "grüße",
            TopicPartition("t", 7),
            Committed(
                offset=1 << 40,
                leader_epoch=3,
                metadata="ü",
                commit_ms=12,
                topic_id=topic_id("t"),
                at=4,
            ),
        ),
        OffsetRecord("g", T0, Committed(offset=1, commit_ms=2, expire_ms=3, at=4)),
        GroupRecord("g", None),
        GroupRecord(
            "g",
            StoredGroup(
                protocol_type="consumer",
                generation=4,
                protocol="range",
                leader="m",
                since_ms=99,
                members=(
                    StoredMember(
                        member_id="m",
                        instance_id="i",
                        client_id="c",
                        client_host="/h",
                        rebalance_timeout=1,
                        session_timeout=2,
                        subscription=b"s",
                        assignment=b"a",
                    ),
                ),
            ),
        ),
    ]
    for value in values:
        pair = to_bytes(value)
        assert from_bytes(pair.key, pair.value, 4) == value


def test_bytes_as_apache_kafka_writes_them() -> None:
    # From a log of 4.3: an offset in version 4 without topic id, a group in version 3.
    offset_key = bytes.fromhex("0001 0001 67 0001 74 00000000")
    offset_value = bytes.fromhex("0004 0000000000000005 ffffffff 01 0000000000000009 00")
    record = from_bytes(offset_key, offset_value, 3)
    assert record == OffsetRecord("g", T0, Committed(offset=5, commit_ms=9, at=3))
    assert isinstance(record, OffsetRecord)
    assert to_bytes(record) == (offset_key, offset_value)
    group_value = bytes.fromhex(
        "0003 0008 636f6e73756d6572 00000002 ffff ffff 0000000000000007 00000000"
    )
    group = from_bytes(b"\0\2\0\1g", group_value, 0)
    assert group == GroupRecord(
        "g",
        StoredGroup(protocol_type="consumer", generation=2, protocol=None, leader=None, since_ms=7),
    )
    assert isinstance(group, GroupRecord)
    assert to_bytes(group) == (b"\0\2\0\1g", group_value)
    with pytest.raises(Corrupt):
        from_bytes(offset_key, b"\0\x63", 0)
