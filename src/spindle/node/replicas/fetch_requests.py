"""What a follower sends: fetches, and the question where a leader's log begins and ends.

Entities in the versions that the cluster's `metadata.version` settles (brokers do not negotiate
among themselves). Used by `fetchers`, which decides what to ask.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from spindle.core.replica.fetch_session_handler import Ask, Position
from spindle.model.errors import Error, PeerFailed
from spindle.model.ids import NodeId, PartitionId, TopicId
from spindle.node.broker_context import BrokerContext
from spindle.node.replicas.hosted import HostedPartition
from spindle.wire.messages.fetch_request import (
    FetchPartition,
    FetchRequest,
    FetchTopic,
    ForgottenTopic,
    ReplicaState,
)
from spindle.wire.messages.list_offsets_request import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from spindle.wire.messages.list_offsets_response import ListOffsetsResponse

FETCH_VERSIONS: Final = ((27, 18), (21, 17), (19, 16), (10, 15), (9, 14), (0, 13))
"""(metadata.version, the version of Fetch from it on), newest first."""
LIST_OFFSETS_VERSION: Final = 8
"""The first with EARLIEST_LOCAL; every broker that can be in a cluster of Spindle's serves it."""
LATEST: Final = -1
EARLIEST_LOCAL: Final = -4
CHANNEL: Final = "fetch-bounds"


def fetch_version(level: int) -> int:
    """The version of Fetch between brokers at a level of `metadata.version`."""
    return next(version for least, version in FETCH_VERSIONS if level >= least)


def fetch(context: BrokerContext, ask: Ask) -> FetchRequest:
    """A follower's fetch; one field has the follower's id until version 14, another from 15 on."""
    settings = context.settings
    most = settings.whole("replica.fetch.max.bytes")
    topics: dict[TopicId, list[FetchPartition]] = {}
    for id, position in ask.positions.items():
        topics.setdefault(id.topic_id, []).append(_partition(id, position, most))
    forgotten: dict[TopicId, list[int]] = {}
    for id in ask.forgotten:
        forgotten.setdefault(id.topic_id, []).append(id.partition)
    return FetchRequest(
        replica_id=context.node_id,
        replica_state=ReplicaState(replica_id=context.node_id, replica_epoch=context.broker_epoch),
        max_wait_ms=settings.whole("replica.fetch.wait.max.ms"),
        min_bytes=settings.whole("replica.fetch.min.bytes"),
        max_bytes=settings.whole("replica.fetch.response.max.bytes"),
        session_id=ask.session_id,
        session_epoch=ask.session_epoch,
        topics=tuple(
            FetchTopic(topic_id=topic_id, partitions=tuple(partitions))
            for topic_id, partitions in topics.items()
        ),
        forgotten_topics_data=tuple(
            ForgottenTopic(topic_id=topic_id, partitions=tuple(numbers))
            for topic_id, numbers in forgotten.items()
        ),
    )


def _partition(id: PartitionId, position: Position, most: int) -> FetchPartition:
    return FetchPartition(
        partition=id.partition,
        current_leader_epoch=position.leader_epoch,
        fetch_offset=position.offset,
        last_fetched_epoch=position.last_epoch,
        log_start_offset=position.start,
        partition_max_bytes=most,
    )


class LogBoundsRequest:
    """Asks a leader where a partition's log begins and ends: two requests, one after the other."""

    def __init__(self, context: BrokerContext, node: NodeId, hosted: HostedPartition) -> None:
        self._context = context
        self._node = node
        self._hosted = hosted

    def ask(self, then: Callable[[tuple[int, int] | str], None]) -> None:
        """`then` gets (log start, log end), or why there is no answer."""

        def on_end(end: int | str) -> None:
            if isinstance(end, str):
                then(end)
            else:
                self._ask(EARLIEST_LOCAL, lambda s: then(s if isinstance(s, str) else (s, end)))

        self._ask(LATEST, on_end)

    def _ask(self, timestamp: int, then: Callable[[int | str], None]) -> None:
        where = self._context.address(self._node)
        if where is None:
            then(f"broker {self._node} is not registered")
            return
        partition = ListOffsetsPartition(
            partition_index=self._hosted.id.partition,
            current_leader_epoch=self._hosted.partition.leader_epoch,
            timestamp=timestamp,
        )
        topic = ListOffsetsTopic(name=self._hosted.name.topic, partitions=(partition,))
        request = ListOffsetsRequest(replica_id=self._context.node_id, topics=(topic,))

        def on_answer(answer: ListOffsetsResponse | PeerFailed) -> None:
            if isinstance(answer, PeerFailed):
                then(str(answer))
                return
            told = answer.topics[0].partitions[0]
            if told.error_code != Error.NONE:
                then(f"ListOffsets: error {told.error_code}")
            else:
                then(told.offset)

        self._context.peers.ask(*where, CHANNEL, request, LIST_OFFSETS_VERSION, on_answer)
