"""Reassignments that name the directory of a new replica (an addition of Spindle's)."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from tests.support.controller_desk import ControllerDesk, places
from tests.support.desk import part

from spindle.model import metadata_records as r
from spindle.model.errors import Error
from spindle.model.ids import TopicPartition
from spindle.wire.apis import Key


def recorded(desk: ControllerDesk) -> r.PartitionRegistration:
    image = desk.quorum.metadata.image
    id = image.resolve(TopicPartition("t", 0))
    assert id is not None
    found = image.partition(id)
    assert isinstance(found, r.PartitionRegistration)
    return found


@pytest.mark.spec("B-25")
def test_a_new_replica_is_assigned_the_directory_that_is_named() -> None:
    desk = ControllerDesk()
    desk.start(1, 2, 3)
    desk.create("t", (1, 2))
    key = Key.ALTER_PARTITION_REASSIGNMENTS

    def alter(*directories: uuid.UUID | None) -> Any:
        partition = part(
            key,
            1,
            "ReassignablePartition",
            partition_index=0,
            replicas=(3, 2),
            directories=directories,
        )
        topic = part(key, 1, "ReassignableTopic", name="t", partitions=(partition,))
        answer = desk.call(key, 1, topics=(topic,))
        return answer if answer.error_code else answer.responses[0].partitions[0]

    nowhere = uuid.UUID(int=77 << 64)
    assert alter(nowhere, None).error_code == Error.LOG_DIR_NOT_FOUND
    assert alter(nowhere).error_code == Error.INVALID_REQUEST
    before = recorded(desk).directories
    wanted = places(3)[-1]
    told = alter(wanted, None)
    assert (told.error_code, told.directories) == (Error.NONE, (wanted, None))
    after = recorded(desk)
    assert after.replicas == (3, 2, 1)
    assert after.directories == (wanted, before[1], before[0])
