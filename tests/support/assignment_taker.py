"""A stand-in for the controller: takes AssignReplicasToDirs, commits it or not, as the test says.

And AlterReplicaState, where it `has_states`: without that it is like Apache Kafka's.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from tools.messages.entities import make, response_types

from spindle.model import metadata_records as r
from spindle.model.errors import Error, PeerFailed
from spindle.model.ids import LOST, UNASSIGNED, PartitionId
from spindle.model.image import ClusterImage
from spindle.wire.apis import Key


class AssignmentTaker:
    """The part of the controller that a broker's directories talk to."""

    def __init__(self, image: ClusterImage, commit: Callable[..., None]) -> None:
        self._image = image
        self._commit = commit
        self.answers = True
        """It answers."""
        self.commits = True
        """What it accepts is committed at once."""
        self.asked: list[tuple[Any, Callable[[Any], None]]] = []
        self.told: list[tuple[PartitionId, uuid.UUID]] = []
        """Every assignment that it took, in order."""
        self.refuse: dict[PartitionId, Error] = {}
        self.has_states = False
        self.states: list[tuple[int, str, list[str], int]] = []
        """Every AlterReplicaState: the state, the reason, the replicas, the broker's epoch."""
        self._asked_for_states = False

    def ask(
        self,
        channel: str,
        entity: Any,
        version: int,
        then: Callable[[Any], None],
        timeout: float = 30.0,
    ) -> None:
        """A request for the active controller."""
        self.asked.append((entity, then))

    def serves(self, key: Key, then: Callable[[bool | PeerFailed], None]) -> None:
        """Whether it has a private API."""
        self._asked_for_states = True
        then(self.has_states)

    def lacks(self, key: Key) -> bool:
        """Whether it is known not to have one."""
        return self._asked_for_states and not self.has_states

    def act(self) -> bool:
        """Answer one request, if there is one."""
        if not self.asked or not self.answers:
            return False
        entity, then = self.asked.pop(0)
        if type(entity).__name__ == "AlterReplicaStateRequest":
            self._alter(entity, then)
            return True
        if type(entity).__name__ != "AssignReplicasToDirsRequest":
            then(PeerFailed("not wanted here"))
            return True
        changes: list[r.PartitionChange] = []
        t = response_types(Key.ASSIGN_REPLICAS_TO_DIRS, 0)
        directories = tuple(self._directory(t, d, changes) for d in entity.directories)
        if self.commits:
            self._commit(*changes)
        then(make(t.AssignReplicasToDirsResponse, directories=directories))
        return True

    def _alter(self, entity: Any, then: Callable[[Any], None]) -> None:
        names = [f"{topic.name}-{index}" for topic in entity.topics for index in topic.partitions]
        self.states.append((entity.new_state, entity.reason, names, entity.broker_epoch))
        t = response_types(Key.ALTER_REPLICA_STATE, 0)
        changes: list[r.PartitionChange] = []
        topics = []
        for topic in entity.topics:
            partitions = []
            for index in topic.partitions:
                directory = LOST if entity.new_state == 1 else UNASSIGNED
                id = PartitionId(topic.topic_id, index)
                error = self._take(id, directory, changes)
                partitions.append(make(t.PartitionData, partition_index=index, error_code=error))
            topics.append(make(t.TopicData, name=topic.name, partitions=tuple(partitions)))
        if self.commits:
            self._commit(*changes)
        then(make(t.AlterReplicaStateResponse, topics=tuple(topics)))

    def _directory(self, t: Any, directory: Any, changes: list[r.PartitionChange]) -> Any:
        topics = []
        for topic in directory.topics:
            partitions = []
            for p in topic.partitions:
                id = PartitionId(topic.topic_id, p.partition_index)
                error = self._take(id, directory.id_, changes)
                partitions.append(
                    make(t.PartitionData, partition_index=id.partition, error_code=error)
                )
            topics.append(make(t.TopicData, topic_id=topic.topic_id, partitions=tuple(partitions)))
        return make(t.DirectoryData, id_=directory.id_, topics=tuple(topics))

    def _take(
        self, id: PartitionId, directory: uuid.UUID, changes: list[r.PartitionChange]
    ) -> Error:
        if id in self.refuse:
            return self.refuse[id]
        state = self._image.partition(id)
        if state is None:
            return Error.UNKNOWN_TOPIC_OR_PARTITION
        self.told.append((id, directory))
        places = (directory, *state.directories[1:])
        changes.append(
            r.PartitionChange(partition_id=id.partition, topic_id=id.topic_id, directories=places)
        )
        return Error.NONE
