"""How far a share group is in its partitions, and how much is still before it (KIP-932, KIP-1226).

The share coordinator knows the start offset and what behind it is over; the leader of a partition
knows its end. Used by the handler of DescribeShareGroupOffsets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final, NamedTuple

from spindle.core.share.share_values import ShareOutcome, SharePartitionKey
from spindle.model.errors import Error, PeerFailed
from spindle.model.ids import NodeId, PartitionId
from spindle.model.image import has_leader
from spindle.node.broker_context import BrokerContext
from spindle.node.replicas.hosted_partitions import HostedPartitions
from spindle.node.share.share_persister import SharePersister
from spindle.wire.messages.list_offsets_request import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from spindle.wire.messages.list_offsets_response import ListOffsetsResponse

CHANNEL: Final = "share-lags"
VERSION: Final = 8
LATEST: Final = -1
TIMEOUT: Final = 10.0


class ShareOffset(NamedTuple):
    """The answer for one partition. `lag` -1: not known."""

    start: int = -1
    leader_epoch: int = 0
    lag: int = -1
    error: Error = Error.NONE
    message: str | None = None


class ShareOffsets:
    """The offsets of share groups."""

    def __init__(
        self, context: BrokerContext, partitions: HostedPartitions, persister: SharePersister
    ) -> None:
        self._context = context
        self._partitions = partitions
        self._persister = persister

    def describe(
        self,
        group_id: str,
        ids: Sequence[PartitionId],
        then: Callable[[dict[PartitionId, ShareOffset]], None],
    ) -> None:
        """How far a group is in partitions."""
        summaries: dict[PartitionId, ShareOutcome] = {}
        ends: dict[PartitionId, int] = {}
        left = len(ids) + 1

        def settled() -> None:
            nonlocal left
            left -= 1
            if not left:
                then({id: _offset(summaries[id], ends.get(id, -1)) for id in ids})

        def on_summary(id: PartitionId, outcome: ShareOutcome) -> None:
            summaries[id] = outcome
            settled()

        def on_ends(found: dict[PartitionId, int]) -> None:
            ends.update(found)
            settled()

        self._find_ends(ids, on_ends)
        for id in ids:
            self._persister.summary(SharePartitionKey(group_id, *id), partial(on_summary, id))

    # --- ends -----------------------------------------------------------------------------------

    def _find_ends(
        self, ids: Iterable[PartitionId], then: Callable[[dict[PartitionId, int]], None]
    ) -> None:
        """The high watermarks of partitions, as far as their leaders can be asked."""
        found: dict[PartitionId, int] = {}
        elsewhere: dict[NodeId, list[PartitionId]] = {}
        for id in ids:
            state = self._context.image.partition(id)
            bounds = self._partitions.bounds(id)
            if state is None or not has_leader(state):
                continue
            if state.leader != self._context.node_id:
                elsewhere.setdefault(state.leader, []).append(id)
            elif bounds is not None:
                found[id] = bounds[1]
        left = len(elsewhere)
        if not left:
            then(found)

        def on_reply(reply: ListOffsetsResponse | PeerFailed) -> None:
            nonlocal left
            if not isinstance(reply, PeerFailed):
                found.update(_ends(self._context, reply))
            left -= 1
            if not left:
                then(found)

        for leader, theirs in elsewhere.items():
            where = self._context.address(leader)
            if where is None:
                on_reply(PeerFailed(f"broker {leader} is not registered"))
            else:
                request = _question(self._context, theirs)
                self._context.peers.ask(*where, CHANNEL, request, VERSION, on_reply, TIMEOUT)


def _question(context: BrokerContext, ids: Iterable[PartitionId]) -> ListOffsetsRequest:
    topics: dict[str, list[ListOffsetsPartition]] = {}
    for id in ids:
        name = context.image.name_of(id)
        if name is not None:
            topics.setdefault(name.topic, []).append(
                ListOffsetsPartition(
                    partition_index=id.partition, current_leader_epoch=-1, timestamp=LATEST
                )
            )
    return ListOffsetsRequest(
        replica_id=-1,
        topics=tuple(
            ListOffsetsTopic(name=name, partitions=tuple(found)) for name, found in topics.items()
        ),
    )


def _ends(context: BrokerContext, reply: ListOffsetsResponse) -> dict[PartitionId, int]:
    return {
        PartitionId(topic_id, told.partition_index): told.offset
        for topic in reply.topics
        if (topic_id := context.image.topic_ids.get(topic.name)) is not None
        for told in topic.partitions
        if not told.error_code
    }


def _offset(outcome: ShareOutcome, end: int) -> ShareOffset:
    state = outcome.state
    if outcome.error or state is None:
        return ShareOffset(error=outcome.error, message=outcome.message)
    lag = -1
    if end >= 0 and state.start_offset >= 0 and state.complete >= 0:
        lag = end - state.start_offset - state.complete
    return ShareOffset(state.start_offset, state.leader_epoch, lag)
