"""Records of consumer groups: each survives the way to bytes and back (C-02)."""

from __future__ import annotations

import uuid

import pytest

from spindle.core.groups.consumer_values import (
    ClassicTerms,
    ConsumerRecord,
    CurrentAssignment,
    CurrentRecord,
    EpochRecord,
    MemberState,
    OldTopicsRecord,
    RegexRecord,
    ResolvedRegex,
    Subscription,
    SubscriptionRecord,
    TargetEpochRecord,
    TargetRecord,
)
from spindle.node.groups.group_records import from_bytes, to_bytes
from spindle.wire import consumer_coordinator as wire
from spindle.wire import stored

A, B = uuid.UUID(int=7), uuid.UUID(int=8)
TERMS = ClassicTerms(10_000, (("range", b"\0\1"), ("sticky", b"")))
RECORDS: list[ConsumerRecord] = [
    EpochRecord("g", (5, -77)),
    EpochRecord("g", (5, 0)),
    EpochRecord("g", None),
    OldTopicsRecord("g", is_there=False),
    SubscriptionRecord("g", "m", Subscription("i", "r", "c", "/h", 5, ("a", "b"), "x.*", "range")),
    SubscriptionRecord("g", "m", Subscription(None, None, "c", "/h", 5, (), None, None, TERMS)),
    SubscriptionRecord("g", "m", None),
    TargetEpochRecord("g", (5, 1_700_000_000_000)),
    TargetEpochRecord("g", None),
    TargetRecord("g", "m", {A: (0, 1), B: (3,)}),
    TargetRecord("g", "m", {}),
    TargetRecord("g", "m", None),
    CurrentRecord(
        "g",
        "m",
        CurrentAssignment(5, 4, MemberState.UNREVOKED_PARTITIONS, {A: {0: 4, 1: 5}}, {B: {2: 1}}),
    ),
    CurrentRecord("g", "m", CurrentAssignment(-2, 4, MemberState.STABLE, {}, {})),
    CurrentRecord("g", "m", None),
    RegexRecord("g", "x.*", ResolvedRegex(frozenset(["xa", "xb"]), 12, 1_700_000_000_000)),
    RegexRecord("g", "x.*", None),
]


@pytest.mark.spec("C-02")
@pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)
def test_a_record_comes_back(record: ConsumerRecord) -> None:
    key, value = to_bytes(record)
    assert from_bytes(key, value, 0) == record


@pytest.mark.spec("C-02")
def test_a_member_is_written_as_apache_kafka_writes_it() -> None:
    """The bytes are those that its coordinator wrote for a member of librdkafka's."""
    said = Subscription("i", None, "rdkafka", "/127.0.0.1", 300_000, ("t",), "(^t.*)", None)
    key, value = to_bytes(SubscriptionRecord("g", "8Bp8Ea1aSv6AE0Hvb1osUw", said))
    assert key == b"\0\5\0\1g\0\x168Bp8Ea1aSv6AE0Hvb1osUw"
    assert value == (b"\0\0\2i\0\x08rdkafka\x0b/127.0.0.1\2\2t\7(^t.*)\0\4\x93\xe0\0\1\0\1\0")


@pytest.mark.spec("C-02")
def test_what_other_releases_wrote_is_understood() -> None:
    held = (stored.HeldPartitionsValue(A, (0, 1)),)
    current = stored.CurrentMemberValue(epoch=3, previous_epoch=2, state=9, assigned=held)
    record = from_bytes(*wire.encode_current("g", "m", current), 0)
    assert isinstance(record, CurrentRecord)
    assert record.value is not None
    assert record.value.state is MemberState.UNKNOWN
    assert record.value.assigned == {A: {0: 3, 1: 3}}, "before 4.3 there were no epochs"
    key, _ = wire.encode_no_old_topics("g")
    assert from_bytes(key, b"\0\0anything", 0) == OldTopicsRecord("g", is_there=True)
