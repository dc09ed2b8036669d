"""News of our replicas' directories as AssignReplicasToDirs (K858-17)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from spindle.core.logdirs.report_queue import ReportBatch, ReportQueue
from spindle.model.errors import Error
from spindle.model.ids import ZERO_ID, DirectoryId, PartitionId, TopicId
from spindle.node.broker_context import BrokerContext
from spindle.node.logdirs.alter_log_dirs_manager import AlterLogDirsManager
from spindle.node.logdirs.report_sender import ReportSender
from spindle.wire.messages.assign_replicas_to_dirs_request import (
    AssignReplicasToDirsRequest,
    DirectoryData,
    PartitionData,
    TopicData,
)
from spindle.wire.messages.assign_replicas_to_dirs_response import AssignReplicasToDirsResponse


class AssignmentSender(ReportSender[DirectoryId, AssignReplicasToDirsResponse]):
    """Where our replicas are."""

    channel = "directory-assignments"

    def __init__(
        self,
        context: BrokerContext,
        epoch: Callable[[], int],
        wanted: Callable[[PartitionId], DirectoryId | None],
        moves: AlterLogDirsManager,
    ) -> None:
        """`wanted`: what the metadata should name."""
        super().__init__(context.out, context.controller, epoch, ReportQueue())
        self._node_id = context.node_id
        self._wanted = wanted
        self._moves = moves

    def is_relevant(self, id: PartitionId, word: DirectoryId) -> bool:
        """Whether the metadata should still name this directory, and does not."""
        return self._wanted(id) == word

    def on_sent(self, ids: Iterable[PartitionId]) -> None:
        """A request is on its way: moves wait for what comes of it."""
        for id in ids:
            self._moves.on_sent(id)

    def encode(self, epoch: int, batch: ReportBatch[DirectoryId]) -> AssignReplicasToDirsRequest:
        """The request: directories, their topics, their partitions, in the queue's order."""
        tree: dict[DirectoryId, dict[TopicId, list[int]]] = {}
        for id, directory in batch.entries.items():
            tree.setdefault(directory, {}).setdefault(id.topic_id, []).append(id.partition)
        return AssignReplicasToDirsRequest(
            broker_id=self._node_id,
            broker_epoch=epoch,
            directories=tuple(
                DirectoryData(
                    id_=directory,
                    topics=tuple(
                        TopicData(
                            topic_id=topic_id,
                            partitions=tuple(PartitionData(partition_index=p) for p in indexes),
                        )
                        for topic_id, indexes in topics.items()
                    ),
                )
                for directory, topics in tree.items()
            ),
        )

    def decode(
        self, batch: ReportBatch[DirectoryId], answer: AssignReplicasToDirsResponse
    ) -> dict[PartitionId, Error | int]:
        """The error code of each replica."""
        return {
            PartitionId(topic.topic_id or ZERO_ID, p.partition_index): p.error_code
            for directory in answer.directories
            for topic in directory.topics
            for p in topic.partitions
        }
