"""Which partitions are hosted here, and what is asked about them.

`ReplicaManager` puts them in and takes them out; what serves them looks them up. Knows the metadata
only to say why a partition is not here.
"""

from __future__ import annotations

from collections.abc import Iterator

from spindle.core.replica.partition import Offline
from spindle.model.errors import Error
from spindle.model.ids import NO_LEADER, LogDir, NodeId, PartitionId, TopicId
from spindle.model.log_values import LogKey
from spindle.node.broker_context import BrokerContext
from spindle.node.replicas.hosted import HostedPartition
from spindle.node.replicas.successors import Successors


class HostedPartitions:
    """The hosted partitions by id, and those that were lost."""

    def __init__(self, context: BrokerContext) -> None:
        self._context = context
        self.hosted: dict[PartitionId, HostedPartition] = {}
        self.lost: dict[PartitionId, Error] = {}
        """Replicas that should be here but whose log never became usable."""
        self.successors = Successors(context.out, self._is_undecided)

    def find(self, id: PartitionId) -> HostedPartition | None:
        """A hosted partition."""
        return self.hosted.get(id)

    def locate(self, topic: str | TopicId | None, partition: int) -> HostedPartition | Error:
        """A hosted partition as a client names it, or the error that says why there is none."""
        id = self.id_of(topic, partition)
        if id is None:
            by_name = isinstance(topic, str)
            return Error.UNKNOWN_TOPIC_OR_PARTITION if by_name else Error.UNKNOWN_TOPIC_ID
        hosted = self.hosted.get(id)
        if hosted is not None:
            return hosted
        if self._context.image.partition(id) is None:
            return Error.UNKNOWN_TOPIC_OR_PARTITION
        return self._of_failed(id, self.lost.get(id, Error.NOT_LEADER_OR_FOLLOWER))

    def id_of(self, topic: str | TopicId | None, partition: int) -> PartitionId | None:
        """A partition as a client names it; None: there is no such topic."""
        image = self._context.image
        id = image.topic_ids.get(topic) if isinstance(topic, str) else topic
        return None if id is None or id not in image.topics else PartitionId(id, partition)

    def leader(self, topic: str | TopicId | None, partition: int) -> HostedPartition | Error:
        """The same, if it is led here."""
        hosted = self.locate(topic, partition)
        if not isinstance(hosted, HostedPartition) or hosted.partition.leads:
            return hosted
        return self.offline(hosted) or Error.NOT_LEADER_OR_FOLLOWER

    def offline(self, hosted: HostedPartition) -> Error:
        """What clients hear of a replica that cannot serve; NONE: it can."""
        role = hosted.partition.role
        return self._of_failed(hosted.id, role.error) if isinstance(role, Offline) else Error.NONE

    def _of_failed(self, id: PartitionId, error: Error) -> Error:
        """What clients hear of a replica that failed with `error`.

        As soon as another broker leads they are to go there, and need not know of our disk.
        """
        state = self._context.image.partition(id)
        if state is None or state.leader in (NO_LEADER, self._context.node_id):
            return error
        return Error.NOT_LEADER_OR_FOLLOWER

    def _is_undecided(self, id: PartitionId) -> bool:
        """Whether a replica has failed that the metadata has as leader, and another could lead."""
        hosted, state = self.hosted.get(id), self._context.image.partition(id)
        return (
            (id in self.lost if hosted is None else hosted.is_offline)
            and state is not None
            and state.leader == self._context.node_id
            and len(state.replicas) > 1
        )

    def leader_hint(self, topic: str | TopicId | None, partition: int) -> tuple[NodeId, int] | None:
        """(leader, leader epoch) of a partition as the metadata has it; None: it has no leader."""
        id = self.id_of(topic, partition)
        state = None if id is None else self._context.image.partition(id)
        if state is None or state.leader == NO_LEADER:
            return None
        return state.leader, state.leader_epoch

    def leader_epoch(self, id: PartitionId) -> int:
        """The leader epoch that a hosted partition is in, or -1."""
        hosted = self.hosted.get(id)
        return -1 if hosted is None else hosted.partition.leader_epoch

    def bounds(self, id: PartitionId) -> tuple[int, int, int] | None:
        """(log start, high watermark, log end) of a hosted partition that is not offline."""
        hosted = self.hosted.get(id)
        if hosted is None or hosted.is_offline:
            return None
        log = hosted.partition.log
        return log.start, log.high_watermark, log.end

    def high_watermarks(self, directory: LogDir) -> dict[LogKey, int]:
        """The high watermarks of all current logs in a directory, for its checkpoint."""
        return {h.key: h.partition.log.high_watermark for h in self.in_directory(directory)}

    def log_ends(self, directory: LogDir) -> dict[PartitionId, int]:
        """Where the logs that serve from a directory end, as far as they are written."""
        return {h.id: h.partition.log.end for h in self.in_directory(directory)}

    def by_directory(self) -> dict[LogDir, list[HostedPartition]]:
        """All hosted partitions by the directory where their logs are now, also those offline."""
        found: dict[LogDir, list[HostedPartition]] = {}
        for hosted in self.hosted.values():
            found.setdefault(hosted.jobs.directory, []).append(hosted)
        return found

    def in_directory(self, directory: LogDir) -> Iterator[HostedPartition]:
        """The partitions that serve from a directory."""
        for hosted in self.hosted.values():
            if hosted.directory == directory and not hosted.is_offline:
                yield hosted
