"""Small turns where a node holds much, and where one thing in a request holds far too much (S-08).

Counted in calls of functions, as in `test_turns_of_every_api`, where the nodes hold little.
"""

from __future__ import annotations

import pytest
from tests.sim import test_turns_of_every_api as every_api

from spindle.node.broker import Broker
from spindle.wire.apis import TABLE, Key
from spindle.wire.codec import Request, Response
from spindle.wire.framing import request_frame
from spindle.wire.messages.create_topics_request import CreatableTopic, CreateTopicsRequest
from spindle.wire.messages.delete_groups_request import DeleteGroupsRequest
from spindle.wire.messages.describe_groups_request import DescribeGroupsRequest
from spindle.wire.messages.find_coordinator_request import FindCoordinatorRequest
from spindle.wire.messages.list_groups_request import ListGroupsRequest
from spindle.wire.messages.offset_commit_request import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)

FAR_TOO_MANY = 25_000
GROUPS = 1_500
"""More than one turn may delete: the calls for all of them are six times too many."""
A_TURN = 100_000
"""Calls, those that read and write messages too: some 20 ms of a quiet machine's processor."""


@pytest.fixture(autouse=True)
def counts_messages_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(every_api, "WIRE", "nowhere")


class FullScene(every_api.Scene):
    """A broker that is asked, again and again, in the newest versions."""

    def ask(self, request: Request[Response], seconds: float = 5.0) -> int:
        """The most calls in an input, once so many seconds are over."""
        key = Key(request.KEY)
        member = self._member("broker")
        node = member.node
        assert node is not None
        self.connections += 1
        number, listener = self.connections, member.config.listeners[0].name
        self.world.most = 0
        self.world.feed(member.host, lambda: node.on_connected(number, listener, "127.0.0.1"))
        frame = request_frame(request, TABLE[key].max, 1, "one")[4:]
        self.world.feed(member.host, lambda: node.on_frame(number, frame))
        self.world.time.run(self.world.time.now + seconds)
        return self.world.most

    @property
    def broker(self) -> Broker:
        """The broker itself: its answers are lost, as no connection of the world leads there."""
        node = self._member("broker").node
        assert node is not None
        assert node.broker is not None
        return node.broker

    def commit(self, group: str) -> None:
        """Have a group hold an offset."""
        part = OffsetCommitRequestPartition(partition_index=0, committed_offset=1)
        topic_id = self.broker.image.topic_ids["t"]
        topic = OffsetCommitRequestTopic(topic_id=topic_id, partitions=(part,))
        self.ask(
            OffsetCommitRequest(group_id=group, generation_id_or_member_epoch=-1, topics=(topic,)),
            0.02,
        )


@pytest.mark.spec("S-08")
@pytest.mark.parametrize(
    ("key", "outer", "inner"),
    [
        (Key.CREATE_TOPICS, 1, FAR_TOO_MANY),
        (Key.CREATE_PARTITIONS, 1, FAR_TOO_MANY),
        (Key.ALTER_CONFIGS, 1, FAR_TOO_MANY),
        (Key.ALTER_CONFIGS, FAR_TOO_MANY, 1),
        (Key.INCREMENTAL_ALTER_CONFIGS, 1, FAR_TOO_MANY),
        (Key.INCREMENTAL_ALTER_CONFIGS, FAR_TOO_MANY, 1),
    ],
)
def test_what_is_far_too_much_is_not_looked_at_in_one_turn(
    key: Key, outer: int, inner: int
) -> None:
    assert every_api.Scene().largest("broker", key, outer, inner) <= A_TURN


@pytest.mark.spec("S-08")
def test_a_broker_that_holds_thousands_of_groups_has_small_turns() -> None:
    scene = FullScene()
    topic = CreatableTopic(name="t", num_partitions=1, replication_factor=1)
    scene.ask(CreateTopicsRequest(topics=(topic,), timeout_ms=1_000))
    key = FindCoordinatorRequest(key_type=0, coordinator_keys=("g-0",))
    scene.ask(key, 10.0)
    names = tuple(f"g-{n}" for n in range(GROUPS))
    for name in names:
        scene.commit(name)
    assert len(scene.broker.groups.views()) == GROUPS
    assert scene.ask(ListGroupsRequest()) <= A_TURN
    assert scene.ask(DescribeGroupsRequest(groups=names)) <= A_TURN
    assert scene.ask(DeleteGroupsRequest(groups_names=names)) <= A_TURN
    assert not scene.broker.groups.views()
