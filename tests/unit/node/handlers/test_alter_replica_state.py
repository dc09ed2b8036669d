"""AlterReplicaState, from bytes to bytes."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from tests.support.controller_desk import ControllerDesk
from tests.support.desk import part

from spindle.model import metadata_records as r
from spindle.model.errors import Error
from spindle.model.ids import LOST, UNASSIGNED, TopicPartition
from spindle.wire.apis import Key


def image(desk: ControllerDesk) -> Any:
    return desk.quorum.metadata.image


def state(desk: ControllerDesk, name: str) -> r.PartitionRegistration:
    found = image(desk).partition(image(desk).resolve(TopicPartition(name, 0)))
    assert isinstance(found, r.PartitionRegistration)
    return found


def alter_state(desk: ControllerDesk, new_state: int, *topics: str, **fields: Any) -> Any:
    key = Key.ALTER_REPLICA_STATE
    named = tuple(part(key, 0, "TopicData", name=name, partitions=(0,)) for name in topics)
    given = {
        "broker_id": 1,
        "broker_epoch": image(desk).brokers[1].broker_epoch,
        "new_state": new_state,
        "reason": "a CRC is wrong",
        "topics": named,
    }
    return desk.call(key, 0, **{**given, **fields})


@pytest.mark.spec("K589-01", "K589-02")
def test_a_broker_says_that_a_replica_is_offline_and_back() -> None:
    desk = ControllerDesk()
    desk.start(1, 2)
    desk.create("t", (1, 2))
    answer = alter_state(desk, 1, "t", "gone")
    errors = [(topic.name, topic.partitions[0].error_code) for topic in answer.topics]
    assert answer.error_code == Error.NONE
    assert errors == [("t", Error.NONE), ("gone", Error.UNKNOWN_TOPIC_OR_PARTITION)]
    assert (state(desk, "t").leader, state(desk, "t").isr) == (2, (2,))
    assert state(desk, "t").directories[0] == LOST
    assert alter_state(desk, 2, "t").error_code == Error.NONE
    assert state(desk, "t").directories[0] == UNASSIGNED


@pytest.mark.spec("K589-01", "K589-03")
def test_what_is_wrong_with_a_state_changes_nothing() -> None:
    desk = ControllerDesk()
    desk.start(1, 2)
    desk.create("t", (1, 2))
    before = desk.quorum.next_offset
    assert alter_state(desk, 1, "t", broker_epoch=1).error_code == Error.STALE_BROKER_EPOCH
    assert alter_state(desk, 7, "t").error_code == Error.UNKNOWN_EVENT_TYPE
    other = part(
        Key.ALTER_REPLICA_STATE,
        0,
        "TopicData",
        name="t",
        partitions=(0,),
        topic_id=uuid.UUID(int=7),
    )
    answer = alter_state(desk, 1, topics=(other,))
    assert answer.topics[0].partitions[0].error_code == Error.UNKNOWN_TOPIC_OR_PARTITION
    assert desk.quorum.next_offset == before
    desk.resign()
    assert alter_state(desk, 1, "t").error_code == Error.NOT_CONTROLLER
