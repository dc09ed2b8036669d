"""FetchSnapshot (59), versions 0-1, on the controller's listener (KIP-630).

Behaviour:
  - hands out a snapshot of the metadata piece by piece, by byte position; pieces end anywhere;
  - SNAPSHOT_NOT_FOUND for one that is gone, POSITION_OUT_OF_RANGE for a byte that it lacks; the
    epoch is checked as for a fetch.
Version notes: v1 adds the asking directory's id: a node with another disk is another replica.
"""

from __future__ import annotations

from typing import Final

from spindle.model.errors import Error
from spindle.model.offsets import OffsetAndEpoch
from spindle.node.handlers._quorum import metadata_partition, node_endpoints, raft_of
from spindle.node.quorum.quorum import QuorumHost
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.fetch_snapshot_request import FetchSnapshotRequest
from spindle.wire.messages.fetch_snapshot_response import (
    FetchSnapshotResponse,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionSnapshot,
    SnapshotId,
    TopicSnapshot,
)

MAX_BYTES: Final = 8 << 20


def on_controller(
    node: QuorumHost, request: FetchSnapshotRequest, context: RequestContext[FetchSnapshotResponse]
) -> FetchSnapshotResponse | Later:
    """Serve FetchSnapshot."""
    raft = raft_of(node, request.cluster_id)
    asked = metadata_partition(
        [(topic.name, [(p.partition, p) for p in topic.partitions]) for topic in request.topics]
    )
    error = raft.state.refuses_epoch(asked.current_leader_epoch)
    if error != Error.NONE:
        return _reply(node, request, error)
    raft.leader_log.on_snapshot_fetch(request.replica_id, asked.replica_directory_id)
    snapshot = OffsetAndEpoch(asked.snapshot_id.end_offset, asked.snapshot_id.epoch)

    def on_data(data: bytes | None) -> None:
        if data is None:
            context.answer(_reply(node, request, Error.SNAPSHOT_NOT_FOUND))
        elif not 0 <= asked.position < len(data):
            context.answer(_reply(node, request, Error.POSITION_OUT_OF_RANGE))
        else:
            end = asked.position + max(1, min(request.max_bytes, MAX_BYTES))
            piece = memoryview(data)[asked.position : end]
            context.answer(_reply(node, request, Error.NONE, len(data), piece))

    if snapshot.offset <= 0 or snapshot.epoch < 0:
        on_data(None)
    else:
        node.quorum.loader.snapshots.read(snapshot, on_data)
    return LATER


def refuse(
    request: FetchSnapshotRequest,
    context: RequestContext[FetchSnapshotResponse],
    error: Error,
    message: str,
) -> FetchSnapshotResponse:
    """The answer when the request as a whole is wrong."""
    return FetchSnapshotResponse(error_code=error)


def _reply(
    node: QuorumHost,
    request: FetchSnapshotRequest,
    error: Error,
    size: int = 0,
    piece: memoryview | bytes = b"",
) -> FetchSnapshotResponse:
    topic = request.topics[0]
    asked, quorum = topic.partitions[0], node.quorum
    partition = PartitionSnapshot(
        error_code=error,
        snapshot_id=SnapshotId(
            end_offset=asked.snapshot_id.end_offset, epoch=asked.snapshot_id.epoch
        ),
        current_leader=LeaderIdAndEpoch(leader_id=quorum.leader_id, leader_epoch=quorum.epoch),
        size=size,
        position=asked.position,
        unaligned_records=piece,
    )
    return FetchSnapshotResponse(
        topics=(TopicSnapshot(name=topic.name, partitions=(partition,)),),
        node_endpoints=node_endpoints(node, quorum.leader_id, NodeEndpoint),
    )
