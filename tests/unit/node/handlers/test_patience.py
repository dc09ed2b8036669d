"""Requests to the controller that leave it no time: refused, and nothing is changed."""

from __future__ import annotations

import pytest
from tests.support.controller_desk import ControllerDesk
from tests.support.desk import part
from tools.messages.entities import ms

from spindle.model.errors import Error
from spindle.wire.apis import Key


@pytest.mark.spec("N-01")
@pytest.mark.parametrize("limit", [0, -1])
def test_requests_without_time_change_nothing(limit: int) -> None:
    desk = ControllerDesk()
    desk.start(1)
    topic = part(Key.CREATE_TOPICS, 7, "CreatableTopic", name="t", num_partitions=1)
    answer = desk.call(Key.CREATE_TOPICS, 7, topics=(topic,), timeout=ms(limit))
    assert answer.topics[0].error_code == Error.REQUEST_TIMED_OUT
    desk.create("t", (1,))
    answer = desk.call(Key.DELETE_TOPICS, 5, topic_names=("t",), timeout=ms(limit))
    assert answer.responses[0].error_code == Error.REQUEST_TIMED_OUT
    more = part(Key.CREATE_PARTITIONS, 3, "CreatePartitionsTopic", name="t", count=2)
    answer = desk.call(Key.CREATE_PARTITIONS, 3, topics=(more,), timeout=ms(limit))
    assert answer.results[0].error_code == Error.REQUEST_TIMED_OUT
    answer = desk.call(Key.ELECT_LEADERS, 2, topic_partitions=None, timeout=ms(limit))
    assert answer.error_code == Error.REQUEST_TIMED_OUT
    answer = desk.call(Key.ALTER_PARTITION_REASSIGNMENTS, 1, topics=(), timeout=ms(limit))
    assert answer.error_code == Error.REQUEST_TIMED_OUT
    state = desk.quorum.metadata.image.topic("t")
    assert state is not None
    assert len(state.partitions) == 1
