"""FetchSnapshot (59), versions 0-1, on the controller's listener (KIP-630).

Behaviour:
  - hands out a snapshot of the metadata piece by piece, by byte position; pieces end anywhere;
  - SNAPSHOT_NOT_FOUND for one that is gone, POSITION_OUT_OF_RANGE for a byte that it lacks; the
    epoch is checked as for a fetch.
Version notes: v1 adds the asking directory's id, which is not needed.
"""

from __future__ import annotations

from typing import Any, Final

from spindle.model.errors import Error
from spindle.model.offsets import OffsetAndEpoch
from spindle.node.calls import Call
from spindle.node.handlers._quorum import metadata_partition, node_endpoints, raft_of
from spindle.node.quorum.quorum import Member
from spindle.wire.entities import make

MAX_BYTES: Final = 8 << 20


def on_controller(node: Member, call: Call) -> None:
    """Serve FetchSnapshot."""
    body = call.body
    raft = raft_of(node, body)
    asked = metadata_partition(body.topics)
    error = raft.refuses_epoch(asked.current_leader_epoch)
    if error != Error.NONE:
        call.answer(_reply(node, call, error))
        return
    raft.on_snapshot_fetch(body.replica_id)
    snapshot = OffsetAndEpoch(asked.snapshot_id.end_offset, asked.snapshot_id.epoch)

    def on_data(data: bytes | None) -> None:
        if data is None:
            call.answer(_reply(node, call, Error.SNAPSHOT_NOT_FOUND))
        elif not 0 <= asked.position < len(data):
            call.answer(_reply(node, call, Error.POSITION_OUT_OF_RANGE))
        else:
            end = asked.position + max(1, min(body.max_bytes, MAX_BYTES))
            piece = memoryview(data)[asked.position : end]
            call.answer(_reply(node, call, Error.NONE, len(data), piece))

    if snapshot.offset <= 0 or snapshot.epoch < 0:
        on_data(None)
    else:
        node.quorum.snapshots.read(snapshot, on_data)


def refuse(call: Call, error: Error, _: str) -> Any:
    """The answer when the request as a whole is wrong."""
    return make(call.reply.FetchSnapshotResponse, error_code=error, topics=())


def _reply(
    node: Member, call: Call, error: Error, size: int = 0, piece: memoryview | bytes = b""
) -> Any:
    t = call.reply
    asked = call.body.topics[0].partitions[0]
    quorum = node.quorum
    partition = make(
        t.PartitionSnapshot,
        index=0,
        error_code=error,
        snapshot_id=make(
            t.SnapshotId,
            end_offset=asked.snapshot_id.end_offset,
            epoch=asked.snapshot_id.epoch,
        ),
        current_leader=make(
            t.LeaderIdAndEpoch, leader_id=quorum.leader_id, leader_epoch=quorum.epoch
        ),
        size=size,
        position=asked.position,
        unaligned_records=piece,
    )
    topic = make(t.TopicSnapshot, name=call.body.topics[0].name, partitions=(partition,))
    endpoints = node_endpoints(node, t, quorum.leader_id) if error != Error.NONE else ()
    return make(
        t.FetchSnapshotResponse,
        error_code=Error.NONE,
        topics=(topic,),
        node_endpoints=endpoints,
    )
