"""What the committed metadata says about brokers and partitions, as clients are told it.

Every answer is for one listener: a broker that is not reached there counts as absent. Shared by
the handlers of Metadata, DescribeCluster, DescribeTopicPartitions and FindCoordinator.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from spindle.model.errors import Error
from spindle.model.ids import NO_LEADER, Endpoint, NodeId, TopicPartition
from spindle.model.image import ClusterImage
from spindle.model.records import Partition


class Leading(NamedTuple):
    """Who leads a partition and whether a client can use it."""

    error: Error
    leader: NodeId


def reachable(
    image: ClusterImage, listener: str, with_fenced: bool = False
) -> Iterator[tuple[NodeId, Endpoint, str | None]]:
    """Live brokers (or all) with their endpoint on a listener and their rack, by id."""
    for broker in sorted(image.brokers):
        endpoint = image.endpoint(broker, listener)
        if endpoint is not None and (with_fenced or image.is_alive(broker)):
            yield broker, endpoint, image.brokers[broker].rack


def controller_for_clients(image: ClusterImage) -> NodeId:
    """Whom clients take for the controller: the first live broker, which forwards; -1 if none.

    Clients cannot reach the controllers' own listener; any broker would do (KIP-590), and the
    same one for all keeps a client from wandering.
    """
    return min((b for b in image.brokers if image.is_alive(b)), default=NO_LEADER)


def leading(image: ClusterImage, partition: Partition, listener: str) -> Leading:
    """The leader, or why it cannot be named."""
    if image.is_alive(partition.leader):
        if image.endpoint(partition.leader, listener) is not None:
            return Leading(Error.NONE, partition.leader)
        return Leading(Error.LISTENER_NOT_FOUND, NO_LEADER)
    return Leading(Error.LEADER_NOT_AVAILABLE, NO_LEADER)


def offline_replicas(
    image: ClusterImage, partition: Partition, listener: str
) -> tuple[NodeId, ...]:
    """Replicas whose broker is fenced or not reached here, or whose directory is offline."""
    return tuple(
        broker
        for broker in partition.replicas
        if not image.replica_is_online(partition, broker)
        or image.endpoint(broker, listener) is None
    )


def exists(image: ClusterImage, name: TopicPartition) -> bool:
    """Whether there is such a partition."""
    topic = image.topic(name.topic)
    return topic is not None and name.partition in topic.partitions
