"""What all topics or partitions of a large request to the controller come to, and what each weighs.

Such a request is decided in parts (`node.parts`), and a part alone does not tell what the whole one
asks for. Reads the messages for `core.controller.wholes`, which decides what is too much. Listed in
`node.parted`; the handlers of CreateTopics, CreatePartitions, DeleteTopics and DescribeQuorum get
what was found by the request's context.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spindle.core.controller.wholes import GoneTopics, MoreOfTopics, NewTopics, one_way
from spindle.model.errors import Error, Refusal
from spindle.model.ids import METADATA_TOPIC
from spindle.wire.codec import Whole
from spindle.wire.messages.create_partitions_request import (
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from spindle.wire.messages.create_topics_request import CreatableTopic, CreateTopicsRequest
from spindle.wire.messages.delete_topics_request import DeleteTopicsRequest, DeleteTopicState
from spindle.wire.messages.describe_quorum_request import DescribeQuorumRequest

if TYPE_CHECKING:
    from spindle.node.controller import Controller


class TopicTotals:
    """What all topics of a CreateTopics ask for."""

    def __init__(self) -> None:
        self.whole = NewTopics()

    def take(self, controller: Controller, request: Whole) -> None:
        """Look at some."""
        assert isinstance(request, CreateTopicsRequest)
        if controller.state is not None:
            for t in request.topics:
                self.whole.add(
                    controller.state, t.name, t.num_partitions, len(t.assignments), len(t.configs)
                )


def weigh_new_topic(controller: Controller, topic: object) -> int:
    """How much work a topic of a CreateTopics is, in partitions."""
    assert isinstance(topic, CreatableTopic)
    return 1 + max(topic.num_partitions, len(topic.assignments)) + len(topic.configs)


class PartitionTotals:
    """What all topics of a CreatePartitions ask for."""

    def __init__(self) -> None:
        self.whole = MoreOfTopics()

    def take(self, controller: Controller, request: Whole) -> None:
        """Look at some."""
        assert isinstance(request, CreatePartitionsRequest)
        if controller.state is not None:
            for topic in request.topics:
                assigned = len(topic.assignments or ())
                self.whole.add(controller.state, topic.name, topic.count, assigned)


def weigh_more_partitions(controller: Controller, topic: object) -> int:
    """How much work a topic of a CreatePartitions is, in partitions."""
    assert isinstance(topic, CreatePartitionsTopic)
    state = controller.state
    known = None if state is None else state.image.topic(topic.name)
    more = 0 if known is None else max(topic.count - len(known.partitions), 0)
    return 1 + max(more, len(topic.assignments or ()))


class DeletionTotals:
    """How many topics a DeleteTopics deletes."""

    def __init__(self) -> None:
        self.whole = GoneTopics()

    def take(self, controller: Controller, request: Whole) -> None:
        """Look at some."""
        assert isinstance(request, DeleteTopicsRequest)
        if controller.state is None:
            return
        for name in request.topic_names:
            self.whole.add(controller.state, name)
        for topic in request.topics:
            asked = one_way(topic.name, topic.topic_id)
            if asked is not None:
                self.whole.add(controller.state, asked)


def weigh_deletion(controller: Controller, asked: object) -> int:
    """How much work a topic of a DeleteTopics is, in topics that are not there."""
    assert isinstance(asked, str | DeleteTopicState)
    if controller.state is None:
        return 1
    if isinstance(asked, str):
        return GoneTopics.work(controller.state, asked, None)
    return GoneTopics.work(controller.state, asked.name, asked.topic_id)


class RequestedCount:
    """How many partitions a DescribeQuorum asks for."""

    def __init__(self) -> None:
        self._topics = self._partitions = 0

    def check(self) -> None:
        """Refusal where it asks for anything but one partition of one topic."""
        if self._topics != 1 or self._partitions != 1:
            raise Refusal(Error.INVALID_REQUEST, f"only {METADATA_TOPIC}-0 is served here, alone")

    def take(self, _: object, request: Whole) -> None:
        """Look at some."""
        assert isinstance(request, DescribeQuorumRequest)
        self._topics += len(request.topics)
        self._partitions += sum(len(topic.partitions) for topic in request.topics)
