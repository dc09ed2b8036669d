"""Fetch (1) of the metadata log, versions 4-18, on the controller's listener (KIP-595, KIP-630).

Behaviour:
  - voters and brokers fetch `__cluster_metadata-0`; a fetch acknowledges all before its offset;
  - errors per partition: FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH, NOT_LEADER_OR_FOLLOWER, each
    with the leader that we know; INVALID_REQUEST for offsets or epochs that cannot be;
  - a log that has diverged is told where; one that lies before ours is told a snapshot's id;
  - waits up to MaxWaitMs while there is nothing new.
Version notes: before 13 the topic goes by name; before 12 there is no last fetched epoch, which a
raft fetch needs; 16 tells endpoints; 18 tells the follower's high watermark, and is answered at
once where ours is higher (KIP-1166).
"""

from __future__ import annotations

from typing import Any, Final

from spindle.core.raft.values import FetchWish
from spindle.model.errors import Error
from spindle.model.offsets import OffsetAndEpoch
from spindle.node.calls import Call
from spindle.node.handlers._quorum import metadata_partition, node_endpoints, raft_of
from spindle.node.quorum.metadata_fetches import Served
from spindle.node.quorum.quorum import Member
from spindle.wire.entities import make, to_ms

MAX_BYTES: Final = 8 << 20
MAX_WAIT_MS: Final = 10_000
NO_MARK: Final = (1 << 63) - 1
"""A follower that does not tell its high watermark is not woken by ours."""


def on_controller(node: Member, call: Call) -> None:
    """Serve a Fetch of the metadata log."""
    body = call.body
    raft_of(node, body)
    asked = metadata_partition(body.topics)
    state = getattr(body, "replica_state", body)
    wish = FetchWish(
        epoch=getattr(asked, "current_leader_epoch", -1),
        offset=asked.fetch_offset,
        last_epoch=getattr(asked, "last_fetched_epoch", -1),
        start=getattr(asked, "log_start_offset", -1),
        high_watermark=getattr(asked, "high_watermark", NO_MARK),
    )
    node.quorum.world.on_sign(state.replica_id)
    node.quorum.fetches.on_fetch(
        state.replica_id,
        wish,
        min(to_ms(body.max_wait), MAX_WAIT_MS) / 1000,
        max(1, min(body.max_bytes, MAX_BYTES)),
        lambda served: call.answer(_reply(node, call, served)),
        getattr(asked, "replica_directory_id", None),
    )


def refuse(call: Call, error: Error, _: str) -> Any:
    """The answer when the request as a whole is wrong."""
    return make(call.reply.FetchResponse, error_code=error, responses=())


def _reply(node: Member, call: Call, served: Served) -> Any:
    t = call.reply
    fields: dict[str, Any] = {}
    if hasattr(t, "LeaderIdAndEpoch"):
        heard = served.heard
        fields["current_leader"] = make(
            t.LeaderIdAndEpoch, leader_id=heard.leader, leader_epoch=heard.epoch
        )
        fields["diverging_epoch"] = _point(t.EpochEndOffset, served.verdict.diverging)
        fields["snapshot_id"] = _point(t.SnapshotId, served.verdict.snapshot)
    partition = make(
        t.PartitionData,
        partition_index=0,
        error_code=served.verdict.error,
        high_watermark=served.high_watermark,
        last_stable_offset=served.high_watermark,
        log_start_offset=served.start,
        aborted_transactions=None,
        preferred_read_replica=-1,
        records=list(served.records),
        **fields,
    )
    topic = call.body.topics[0]
    response = make(
        t.FetchableTopicResponse,
        topic=getattr(topic, "topic", ""),
        topic_id=getattr(topic, "topic_id", None),
        partitions=(partition,),
    )
    failed = served.verdict.error != Error.NONE
    endpoints = node_endpoints(node, t, served.heard.leader) if failed else ()
    return make(
        t.FetchResponse,
        error_code=Error.NONE,
        session_id=0,
        responses=(response,),
        node_endpoints=endpoints,
    )


def _point(cls: type[Any], at: OffsetAndEpoch | None) -> Any:
    found = at or OffsetAndEpoch(-1, -1)
    return make(cls, end_offset=found.offset, epoch=found.epoch)
