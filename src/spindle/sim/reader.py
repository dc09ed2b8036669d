"""A client that reads: every partition from its beginning, again and again from its leader.

Reads below high watermarks only, as consumers do, or below last stable offsets, where it wants
committed records alone; tells the history what it was given. Part of the workload.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from spindle.model.errors import Error, PeerFailed
from spindle.model.ids import NodeId, PartitionId
from spindle.model.outbox import Rng
from spindle.sim.client import RETRY_SECONDS, Client
from spindle.sim.told_history import History
from spindle.sim.violation import Violation
from spindle.sim.visible import visible
from spindle.wire.messages.fetch_request import FetchPartition, FetchRequest, FetchTopic
from spindle.wire.messages.fetch_response import FetchResponse, PartitionData
from spindle.wire.messages.list_offsets_request import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from spindle.wire.messages.list_offsets_response import ListOffsetsResponse

IDS_FROM: Final = 13
WAIT_MS: Final = 400
EARLIEST: Final = -2
AGAIN: Final = frozenset(
    {
        Error.UNKNOWN_TOPIC_OR_PARTITION,
        Error.UNKNOWN_TOPIC_ID,
        Error.INCONSISTENT_TOPIC_ID,
        Error.LEADER_NOT_AVAILABLE,
        Error.NOT_LEADER_OR_FOLLOWER,
        Error.REPLICA_NOT_AVAILABLE,
        Error.OFFSET_NOT_AVAILABLE,
        Error.FENCED_LEADER_EPOCH,
        Error.UNKNOWN_LEADER_EPOCH,
        Error.KAFKA_STORAGE_ERROR,
    }
)


class SimReader(Client):
    """Reads all topics that it sees. `bytes_max`: asked of each partition at a time.

    `committed`: it is to see no record of a transaction that is open or aborted.
    """

    def __init__(
        self,
        name: str,
        rng: Rng,
        brokers: dict[NodeId, tuple[str, int]],
        history: History,
        version: int = IDS_FROM,
        bytes_max: int = 2000,
        committed: bool = False,
    ) -> None:
        super().__init__(name, rng, brokers, history)
        self._committed = committed
        self._version = version
        self._bytes_max = bytes_max
        self._positions: dict[PartitionId, int] = {}
        self._lost: dict[PartitionId, None] = {}
        """Partitions whose beginning is being asked for."""
        self._polling: dict[NodeId, None] = {}

    def position(self, id: PartitionId) -> int:
        """The offset that comes next."""
        return self._positions.get(id, 0)

    def begin(self) -> None:
        """Look for topics, then read."""
        self.refresh_often()

    def on_topics(self) -> None:
        """Read on from every broker that leads something."""
        for node in self.brokers:
            if node not in self._polling:
                self._polling[node] = None
                self._poll(node)

    # --- reading ----------------------------------------------------------------------------

    def _poll(self, node: NodeId) -> None:
        if self.draining:
            return
        topics = []
        for topic in self.topics.values():
            mine = [
                FetchPartition(
                    partition=index,
                    current_leader_epoch=topic.epochs[index],
                    fetch_offset=self.position(PartitionId(topic.topic_id, index)),
                    last_fetched_epoch=-1,
                    log_start_offset=-1,
                    partition_max_bytes=self._bytes_max,
                )
                for index, leader in topic.leaders.items()
                if leader == node and PartitionId(topic.topic_id, index) not in self._lost
            ]
            if mine:
                topics.append(
                    FetchTopic(topic_id=topic.topic_id, topic=topic.name, partitions=tuple(mine))
                )
        if not topics:
            self._poll_later(node)
            return
        request = FetchRequest(
            replica_id=-1,
            max_wait_ms=WAIT_MS,
            min_bytes=1,
            max_bytes=4 * self._bytes_max,
            isolation_level=int(self._committed),
            session_id=0,
            session_epoch=-1,
            topics=tuple(topics),
        )
        self.ask(node, request, partial(self._on_answer, node), version=self._version)

    def _poll_later(self, node: NodeId) -> None:
        self.out.after(self.between(0.5, 2.0) * RETRY_SECONDS, partial(self._poll, node))

    def _on_answer(self, node: NodeId, answer: FetchResponse | PeerFailed) -> None:
        if isinstance(answer, PeerFailed) or answer.error_code != Error.NONE:
            self.refresh()
            self._poll_later(node)
            return
        again = False
        by_name = {topic.name: topic.topic_id for topic in self.topics.values()}
        for topic in answer.responses:
            by_id = self._version >= IDS_FROM
            topic_id = topic.topic_id if by_id else by_name.get(topic.topic)
            for told in topic.partitions:
                if topic_id is None or not self._take(
                    node, PartitionId(topic_id, told.partition_index), told
                ):
                    again = True
        if again:
            self.refresh()
            self._poll_later(node)
        else:
            self._poll(node)

    def _take(self, node: NodeId, id: PartitionId, told: PartitionData) -> bool:
        """Take a partition's records; False where it cannot be read there now."""
        error = told.error_code
        if error == Error.OFFSET_OUT_OF_RANGE:
            if self.position(id) >= self.history.trimmed.get(id, 0):
                raise Violation(
                    f"{self.name}: {id} has lost offset {self.position(id)}, says broker {node}"
                )
            self._find_start(node, id)
            return False
        if error != Error.NONE:
            if error not in AGAIN:
                raise Violation(f"{self.name}: {id} cannot be read: {Error(error).name}")
            return False
        for batch, found in visible(told):
            for offset, value in found.items():
                if offset >= self.position(id):
                    self.history.on_read(id, offset, value)
                    if self._committed:
                        self.history.transactions.on_read(self.name, id, offset, value)
            self._positions[id] = max(batch.next_offset, self.position(id))
        return True

    # --- where records were deleted -----------------------------------------------------------

    def _find_start(self, node: NodeId, id: PartitionId) -> None:
        self._lost[id] = None
        partition = ListOffsetsPartition(
            partition_index=id.partition,
            current_leader_epoch=-1,
            timestamp=EARLIEST,
        )
        topic = ListOffsetsTopic(name=self.history.names[id.topic_id], partitions=(partition,))
        request = ListOffsetsRequest(replica_id=-1, isolation_level=0, topics=(topic,))
        self.ask(node, request, partial(self._on_start, id))

    def _on_start(self, id: PartitionId, answer: ListOffsetsResponse | PeerFailed) -> None:
        self._lost.pop(id, None)
        if isinstance(answer, PeerFailed):
            return
        told = answer.topics[0].partitions[0]
        if told.error_code == Error.NONE:
            self._positions[id] = max(self.position(id), told.offset)
