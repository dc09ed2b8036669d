"""Records of share groups (KIP-932) beside Apache Kafka 4.3's own classes.

Kafka reads what we write, says what it means, and writes the same bytes again; we read those back.
"""

from __future__ import annotations

import base64
import json
import random
import subprocess
import uuid
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pytest
from tests.support.apache_kafka import java
from tests.support.processes import tied

from spindle.model.errors import Corrupt
from spindle.model.ids import TopicId
from spindle.wire import share_coordinator as codec
from spindle.wire import stored

pytestmark = [pytest.mark.spec("C-04")]
HELPER = Path(__file__).parents[1] / "support" / "java" / "CoordinatorRecords.java"
T = TypeVar("T")
EACH = 40
"""Random values of each type of record."""


class Case(NamedTuple):
    """A record: whose it is, its bytes, and what Kafka is to say of it."""

    coordinator: str
    key: bytes
    value: bytes
    key_json: dict[str, Any]
    value_json: dict[str, Any]


class Made:
    """Random values, from a seed; edges come often."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def whole(self, bits: int, least: int | None = None) -> int:
        low = -(1 << (bits - 1)) if least is None else least
        high = (1 << (bits - 1)) - 1
        return self.rng.choice([low, high, max(low, 0), self.rng.randint(low, high)])

    def text(self) -> str:
        return self.rng.choice(["", "g", "länger", "x" * 300, f"n{self.rng.random()}"])

    def id(self) -> TopicId:
        return uuid.UUID(int=self.rng.getrandbits(128))

    def some(self, one: Callable[[], T]) -> tuple[T, ...]:
        return tuple(one() for _ in range(self.rng.choice([0, 1, 2, 9])))

    def batch(self) -> stored.ShareBatchValue:
        return stored.ShareBatchValue(self.whole(64), self.whole(64), self.whole(8), self.whole(16))

    def topic(self) -> stored.TopicPartitionsValue:
        return stored.TopicPartitionsValue(self.id(), self.some(lambda: self.whole(32)))

    def named(self) -> stored.NamedPartitionsValue:
        numbers = self.some(lambda: self.whole(32))
        return stored.NamedPartitionsValue(self.id(), self.text(), numbers)


# --- what Kafka calls them ----------------------------------------------------------------------


def said(id: uuid.UUID | None) -> str:
    """An id as Kafka prints it."""
    assert id is not None
    return base64.urlsafe_b64encode(id.bytes).decode().rstrip("=")


def batches_said(batches: Iterable[stored.ShareBatchValue]) -> list[dict[str, int]]:
    return [
        {
            "firstOffset": b.first,
            "lastOffset": b.last,
            "deliveryState": b.state,
            "deliveryCount": b.count,
        }
        for b in batches
    ]


def topics_said(topics: Iterable[stored.TopicPartitionsValue]) -> list[dict[str, Any]]:
    return [{"topicId": said(t.topic_id), "partitions": list(t.partitions)} for t in topics]


def named_said(topics: Iterable[stored.NamedPartitionsValue]) -> list[dict[str, Any]]:
    return [
        {"topicId": said(t.topic_id), "topicName": t.topic, "partitions": list(t.partitions)}
        for t in topics
    ]


def unless_default(name: str, value: int, default: int) -> dict[str, int]:
    """A field of a tag, which Kafka leaves out where it has its default."""
    return {} if value == default else {name: value}


# --- one of each --------------------------------------------------------------------------------


def snapshot(m: Made) -> Case:
    key = stored.ShareStateKey(m.text(), m.id(), m.whole(32))
    value = stored.ShareSnapshotValue(
        snapshot_epoch=m.whole(32), state_epoch=m.whole(32), leader_epoch=m.whole(32),
        start_offset=m.whole(64), complete=m.rng.choice([-1, m.whole(32)]),
        created_ms=m.whole(64), written_ms=m.whole(64), batches=m.some(m.batch),
    )  # fmt: skip
    pair = codec.encode_snapshot(key, value)
    assert codec.decode_share_state(*pair) == (key, value)
    told = {
        "snapshotEpoch": value.snapshot_epoch, "stateEpoch": value.state_epoch,
        "leaderEpoch": value.leader_epoch, "startOffset": value.start_offset,
        **unless_default("deliveryCompleteCount", value.complete, -1),
        "createTimestamp": value.created_ms, "writeTimestamp": value.written_ms,
        "stateBatches": batches_said(value.batches),
    }  # fmt: skip
    return share_case(key, pair, told)


def update(m: Made) -> Case:
    key = stored.ShareStateKey(m.text(), m.id(), m.whole(32))
    value = stored.ShareUpdateValue(
        snapshot_epoch=m.whole(32), leader_epoch=m.whole(32), start_offset=m.whole(64),
        complete=m.rng.choice([-1, m.whole(32)]), batches=m.some(m.batch),
    )  # fmt: skip
    pair = codec.encode_update(key, value)
    assert codec.decode_share_state(*pair) == (key, value)
    told = {
        "snapshotEpoch": value.snapshot_epoch, "leaderEpoch": value.leader_epoch,
        "startOffset": value.start_offset,
        **unless_default("deliveryCompleteCount", value.complete, -1),
        "stateBatches": batches_said(value.batches),
    }  # fmt: skip
    return share_case(key, pair, told)


def share_case(key: stored.ShareStateKey, pair: codec.Pair, told: dict[str, Any]) -> Case:
    name = {"groupId": key.group, "topicId": said(key.topic_id), "partition": key.partition}
    assert pair[1] is not None
    return Case("share", pair[0], pair[1], name, told)


def group_case(
    pair: codec.Pair, value: object, told: dict[str, Any], group: str, member: str | None = None
) -> Case:
    key, written = pair
    assert written is not None
    again = codec.decode_share_group_record(int.from_bytes(key[:2], "big"), key, written)
    assert again is not None
    assert again.value == value
    name = {"groupId": group} | ({} if member is None else {"memberId": member})
    return Case("group", key, written, name, told)


def group(m: Made) -> Case:
    name = m.text()
    value = stored.ConsumerGroupValue(epoch=m.whole(32), topics_hash=m.whole(64))
    told = {"epoch": value.epoch, "metadataHash": value.topics_hash}
    return group_case(codec.encode_share_group(name, value), value, told, name)


def member(m: Made) -> Case:
    name, id = m.text(), m.text()
    value = stored.ShareMemberValue(
        rack_id=m.rng.choice([None, m.text()]), client_id=m.text(), client_host=m.text(),
        topics=m.some(m.text),
    )  # fmt: skip
    told = {
        "rackId": value.rack_id, "clientId": value.client_id, "clientHost": value.client_host,
        "subscribedTopicNames": list(value.topics),
    }  # fmt: skip
    return group_case(codec.encode_share_member(name, id, value), value, told, name, id)


def target_epoch(m: Made) -> Case:
    name = m.text()
    value = stored.TargetEpochValue(epoch=m.whole(32), at=m.rng.choice([0, m.whole(64)]))
    told = {
        "assignmentEpoch": value.epoch,
        **unless_default("assignmentTimestamp", value.at, 0),
    }
    return group_case(codec.encode_share_target_epoch(name, value), value, told, name)


def target(m: Made) -> Case:
    name, id, value = m.text(), m.text(), stored.TargetMemberValue(m.some(m.topic))
    told = {"topicPartitions": topics_said(value.topics)}
    return group_case(codec.encode_share_target(name, id, value), value, told, name, id)


def current(m: Made) -> Case:
    name, id = m.text(), m.text()
    value = stored.ShareCurrentValue(
        epoch=m.whole(32), previous_epoch=m.whole(32), state=m.whole(8), assigned=m.some(m.topic)
    )
    told = {
        "memberEpoch": value.epoch, "previousMemberEpoch": value.previous_epoch,
        "state": value.state, "assignedPartitions": topics_said(value.assigned),
    }  # fmt: skip
    return group_case(codec.encode_share_current(name, id, value), value, told, name, id)


def states(m: Made) -> Case:
    name = m.text()
    value = stored.ShareInitializationValue(
        m.some(m.named), m.some(m.named),
        m.some(lambda: stored.NamedTopicValue(m.id(), m.text())),
    )  # fmt: skip
    told = {
        "initializingTopics": named_said(value.initializing),
        "initializedTopics": named_said(value.initialized),
        "deletingTopics": [
            {"topicId": said(t.topic_id), "topicName": t.topic} for t in value.deleting
        ],
    }
    return group_case(codec.encode_share_states(name, value), value, told, name)


KINDS = (snapshot, update, group, member, target_epoch, target, current, states)


@pytest.mark.kafka
def test_apache_kafka_reads_and_writes_the_same_bytes(kafka_jars: Path) -> None:
    cases = [kind(Made(seed)) for kind in KINDS for seed in range(EACH)]
    asked = "".join(f"{c.coordinator}\t{c.key.hex()}\t{c.value.hex()}\n" for c in cases)
    done = subprocess.run(
        tied(java(kafka_jars, str(HELPER))),
        input=asked, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    answers = done.stdout.splitlines()
    assert len(answers) == len(cases)
    for case, answer in zip(cases, answers, strict=True):
        key, value, key_json, value_json = answer.split("\t")
        assert (key, value) == (case.key.hex(), case.value.hex()), value_json
        assert json.loads(key_json) == case.key_json
        assert json.loads(value_json) == case.value_json


@pytest.mark.parametrize("kind", KINDS, ids=[kind.__name__ for kind in KINDS])
def test_what_is_cut_short_is_corrupt(kind: Callable[[Made], Case]) -> None:
    """Never half a record: whatever the place of the cut."""
    case = kind(Made(3))
    type_ = int.from_bytes(case.key[:2], "big")

    def read(key: bytes, value: bytes) -> object:
        if case.coordinator == "share":
            return codec.decode_share_state(key, value)
        return codec.decode_share_group_record(type_, key, value)

    for end in range(len(case.value)):
        with pytest.raises(Corrupt):
            read(case.key, case.value[:end])
    for end in range(2, len(case.key)):
        with pytest.raises(Corrupt):
            read(case.key[:end], case.value)
