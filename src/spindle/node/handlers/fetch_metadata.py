"""Fetch (1) of the metadata log, versions 4-18, on the controller's listener (KIP-595, KIP-630).

Behaviour:
  - voters and brokers fetch `__cluster_metadata-0`; a fetch acknowledges all before its offset;
  - errors per partition: FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH, NOT_LEADER_OR_FOLLOWER, each
    with the leader that we know; INVALID_REQUEST for offsets or epochs that cannot be;
  - a log that has diverged gets the place; one that ends before ours gets a snapshot's id;
  - waits up to MaxWaitMs while there is nothing new.
Version notes: before 13 the topic goes by name; before 12 there is no last fetched epoch, which a
raft fetch needs; 16 tells endpoints; 18 tells the follower's high watermark, and is answered at
once where ours is higher (KIP-1166).
"""

from __future__ import annotations

from typing import Final

from spindle.core.raft.raft_values import FetchPosition
from spindle.model.errors import Error
from spindle.model.offsets import OffsetAndEpoch
from spindle.node.handlers._quorum import metadata_partition, node_endpoints, raft_of
from spindle.node.quorum.metadata_fetches import Served
from spindle.node.quorum.quorum import QuorumHost
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.fetch_request import FetchRequest
from spindle.wire.messages.fetch_response import (
    EpochEndOffset,
    FetchableTopicResponse,
    FetchResponse,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
    SnapshotId,
)

_NOWHERE: Final = OffsetAndEpoch(-1, -1)


def on_controller(
    node: QuorumHost, request: FetchRequest, context: RequestContext[FetchResponse]
) -> Later:
    """Serve a Fetch of the metadata log."""
    raft_of(node, request.cluster_id)
    asked = metadata_partition(
        [
            (topic.topic_id or topic.topic, [(p.partition, p) for p in topic.partitions])
            for topic in request.topics
        ]
    )
    replica = request.replica_state.replica_id if context.version >= 15 else request.replica_id
    position = FetchPosition(
        epoch=asked.current_leader_epoch,
        offset=asked.fetch_offset,
        last_epoch=asked.last_fetched_epoch,
        start=asked.log_start_offset,
        # A follower that does not tell it is not woken by ours: it reads as the highest.
        high_watermark=asked.high_watermark,
    )
    node.quorum.world.addresses.on_sign(replica)
    node.quorum.fetches.on_fetch(
        replica,
        position,
        request.max_wait_ms / 1000,
        request.max_bytes,
        lambda served: context.answer(_reply(node, request, served)),
        asked.replica_directory_id,
    )
    return LATER


def refuse(
    request: FetchRequest, context: RequestContext[FetchResponse], error: Error, message: str
) -> FetchResponse:
    """The answer when the request as a whole is wrong."""
    return FetchResponse(error_code=error)


def _reply(node: QuorumHost, request: FetchRequest, served: Served) -> FetchResponse:
    heard, verdict = served.heard, served.verdict
    diverging, snapshot = verdict.diverging or _NOWHERE, verdict.snapshot or _NOWHERE
    partition = PartitionData(
        error_code=verdict.error,
        high_watermark=served.high_watermark,
        last_stable_offset=served.high_watermark,
        log_start_offset=served.start,
        records=list(served.records),
        current_leader=LeaderIdAndEpoch(leader_id=heard.leader, leader_epoch=heard.epoch),
        diverging_epoch=EpochEndOffset(end_offset=diverging.offset, epoch=diverging.epoch),
        snapshot_id=SnapshotId(end_offset=snapshot.offset, epoch=snapshot.epoch),
    )
    topic = request.topics[0]
    return FetchResponse(
        responses=(
            FetchableTopicResponse(
                topic=topic.topic, topic_id=topic.topic_id, partitions=(partition,)
            ),
        ),
        # Always: Apache Kafka's broker that has heard of the epoch from another node, and knows no
        # voters yet, halts where an answer names a leader without its address.
        node_endpoints=node_endpoints(node, heard.leader, NodeEndpoint),
    )
