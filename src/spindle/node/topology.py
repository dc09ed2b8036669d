"""What the committed metadata says about brokers and partitions, as clients see it.

Every answer is for one listener: a broker that is not reached there counts as absent. Shared by
the handlers of Metadata, DescribeCluster, DescribeTopicPartitions and FindCoordinator.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Final, NamedTuple

from spindle.model.errors import Error, Refusal
from spindle.model.ids import (
    LOST,
    MIGRATING,
    NO_LEADER,
    UNASSIGNED,
    DirectoryId,
    Endpoint,
    NodeId,
    TopicPartition,
)
from spindle.model.image import ClusterImage
from spindle.model.metadata_records import PartitionRegistration

BROKERS: Final = 1
CONTROLLERS: Final = 2
"""Types of endpoints, by their numbers on the wire (KIP-919)."""
_INSTEAD: Final = {
    BROKERS: "this is a broker: ask a controller about controllers",
    CONTROLLERS: "this is a controller: ask a broker about brokers",
}


class LeaderInfo(NamedTuple):
    """The leader of a partition and whether a client can use it."""

    error: Error
    leader: NodeId


def reachable(
    image: ClusterImage, listener: str, also: Container[NodeId] = ()
) -> Iterator[tuple[NodeId, Endpoint, str | None]]:
    """Live brokers, and `also` these, with their endpoint on a listener and their rack, by id."""
    for broker in sorted(image.brokers):
        endpoint = image.endpoint(broker, listener)
        if endpoint is not None and (broker in also or image.is_alive(broker)):
            yield broker, endpoint, image.brokers[broker].rack


def reachable_controllers(image: ClusterImage, listener: str) -> Iterator[tuple[NodeId, Endpoint]]:
    """Registered controllers with their endpoint on a listener, by id."""
    for controller, registration in sorted(image.controllers.items()):
        endpoint = next((e for e in registration.endpoints if e.name == listener), None)
        if endpoint is not None:
            yield controller, endpoint


def check_endpoint_type(asked: int, here: int) -> None:
    """Refusal where a node has no endpoints of the type that is asked for: `here` are its own."""
    if asked not in _INSTEAD:
        raise Refusal(Error.UNSUPPORTED_ENDPOINT_TYPE, f"no endpoints of type {asked}")
    if asked != here:
        raise Refusal(Error.MISMATCHED_ENDPOINT_TYPE, _INSTEAD[here])


def controller_for_clients(image: ClusterImage, here: NodeId) -> NodeId:
    """Whom clients take for the controller: a live broker, which forwards (KIP-590); -1 if none.

    Clients cannot reach the controllers' own listener. It is the broker that answers (`here`), if
    it serves: of any other one it cannot be sure that it has not died just now.
    """
    if image.is_alive(here):
        return here
    return min((b for b in image.brokers if image.is_alive(b)), default=NO_LEADER)


class Listening:
    """Partitions as they look through one listener. Made for one answer: it does not follow
    changes, and so asks for each broker once and not for each replica.
    """

    def __init__(self, image: ClusterImage, listener: str) -> None:
        self._alive = {broker for broker in image.brokers if image.is_alive(broker)}
        self._reached = {b for b in self._alive if image.endpoint(b, listener) is not None}
        self._directories = {b: frozenset(image.brokers[b].log_dirs) for b in self._reached}

    def __eq__(self, other: object) -> bool:
        """Whether all partitions look the same through it."""
        return (
            isinstance(other, Listening)
            and self._alive == other._alive
            and self._directories == other._directories
        )

    def leading(self, partition: PartitionRegistration) -> LeaderInfo:
        """The leader, or why it cannot be named."""
        if partition.leader in self._reached:
            return LeaderInfo(Error.NONE, partition.leader)
        if partition.leader in self._alive:
            return LeaderInfo(Error.LISTENER_NOT_FOUND, NO_LEADER)
        return LeaderInfo(Error.LEADER_NOT_AVAILABLE, NO_LEADER)

    def offline_replicas(self, partition: PartitionRegistration) -> tuple[NodeId, ...]:
        """Replicas whose broker is fenced or not reached, or whose directory is offline (KIP-112).

        What counts as online is `ClusterImage.replica_is_online`'s rule.
        """
        replicas, directories = partition.replicas, partition.directories
        if len(directories) != len(replicas):
            return tuple(b for b in replicas if b not in self._reached)
        return tuple(
            [
                broker
                for broker, directory in zip(replicas, directories, strict=True)
                if not self._is_online(broker, directory)
            ]
        )

    def _is_online(self, broker: NodeId, directory: DirectoryId) -> bool:
        known = self._directories.get(broker)
        if known is None:
            return False
        return directory in known or (
            directory != LOST and (not known or directory in (UNASSIGNED, MIGRATING))
        )


def exists(image: ClusterImage, name: TopicPartition) -> bool:
    """Whether there is such a partition."""
    topic = image.topic(name.topic)
    return topic is not None and name.partition in topic.partitions
