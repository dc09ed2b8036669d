"""News of our replicas' directories as AssignReplicasToDirs (K858-17). For `telling`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from spindle.core.logdirs.report_queue import ReportBatch
from spindle.model.errors import Error
from spindle.model.ids import ZERO_ID, DirectoryId, NodeId, PartitionId, TopicId
from spindle.wire.messages.assign_replicas_to_dirs_request import (
    AssignReplicasToDirsRequest,
    DirectoryData,
    PartitionData,
    TopicData,
)
from spindle.wire.messages.assign_replicas_to_dirs_response import AssignReplicasToDirsResponse


class AssignmentRequests:
    """Where our replicas are."""

    channel: Final = "directory-assignments"
    needs: Final = None

    def __init__(
        self,
        node_id: NodeId,
        wanted: Callable[[PartitionId], DirectoryId | None],
        sent: Callable[[PartitionId], None],
    ) -> None:
        """`wanted`: what the metadata should name; `sent`: moves wait for what comes of it."""
        self._node_id = node_id
        self._wanted = wanted
        self._sent = sent

    def is_relevant(self, id: PartitionId, directory: DirectoryId) -> bool:
        """Whether the metadata should still name this directory, and does not."""
        return self._wanted(id) == directory

    def on_sent(self, ids: Iterable[PartitionId]) -> None:
        """A request is on its way: moves wait for what comes of it."""
        for id in ids:
            self._sent(id)

    def on_unserved(self, ids: Iterable[PartitionId]) -> None:
        """Every controller has this API."""
        raise AssertionError("it is not asked for")

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
