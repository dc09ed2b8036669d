"""Requests of share groups (KIP-932), for tests of ACLs: `tests.support.acl_cases` has the others.

Of the topics some may be read, some described, some not; `SHARERS` is a group that is not there
before the first of them.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any, Final, Protocol

from spindle.wire.apis import Key
from spindle.wire.codec import Request
from spindle.wire.messages import alter_share_group_offsets_request as altering
from spindle.wire.messages import delete_share_group_offsets_request as deleting
from spindle.wire.messages import delete_share_group_state_request as delete_state
from spindle.wire.messages import describe_share_group_offsets_request as describing
from spindle.wire.messages import initialize_share_group_state_request as initialize
from spindle.wire.messages import read_share_group_state_request as read_state
from spindle.wire.messages import read_share_group_state_summary_request as summary
from spindle.wire.messages import share_acknowledge_request as acknowledging
from spindle.wire.messages import share_fetch_request as fetching
from spindle.wire.messages import write_share_group_state_request as write_state
from spindle.wire.messages.find_coordinator_request import FindCoordinatorRequest
from spindle.wire.messages.share_group_describe_request import ShareGroupDescribeRequest
from spindle.wire.messages.share_group_heartbeat_request import ShareGroupHeartbeatRequest

SHARERS: Final = "sharers"
SHARE_SETTINGS: Final = {
    "share.coordinator.state.topic.num.partitions": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
}
GONE: Final = uuid.UUID(int=77)
_NAMES: Final = ("mine", "seen", "other", "none")
_GROUPS: Final = ("mine", "seen", "other", "none", SHARERS)


class HasTopics(Protocol):
    """A cluster whose topics have ids."""

    @property
    def ids(self) -> Mapping[str, uuid.UUID]: ...


def beat(group: str, *topics: str) -> Request[Any]:
    """Of a member that is not there: it changes nothing."""
    return ShareGroupHeartbeatRequest(
        group_id=group, member_id="m", member_epoch=5, subscribed_topic_names=topics or None
    )


def fetch(side: HasTopics, group: str) -> Request[Any]:
    """Of a member without a session: it begins one, and waits for nothing.

    Of topics that it may not read: an unknown id is an UNKNOWN_SERVER_ERROR of Apache Kafka's.
    """
    return fetching.ShareFetchRequest(
        group_id=group, member_id="m", min_bytes=1, max_bytes=1 << 20, max_records=1,
        topics=tuple(
            fetching.FetchTopic(
                topic_id=id, partitions=(fetching.FetchPartition(partition_index=0),)
            )
            for name, id in side.ids.items()
            if name != "mine"
        ),
    )  # fmt: skip


def alter(group: str) -> Request[Any]:
    partition = altering.AlterShareGroupOffsetsRequestPartition(partition_index=0)
    return altering.AlterShareGroupOffsetsRequest(
        group_id=group,
        topics=tuple(
            altering.AlterShareGroupOffsetsRequestTopic(topic_name=name, partitions=(partition,))
            for name in _NAMES
        ),
    )


def delete(group: str) -> Request[Any]:
    return deleting.DeleteShareGroupOffsetsRequest(
        group_id=group,
        topics=tuple(deleting.DeleteShareGroupOffsetsRequestTopic(topic_name=n) for n in _NAMES),
    )


def describe(named: bool) -> Request[Any]:
    topics = tuple(
        describing.DescribeShareGroupOffsetsRequestTopic(topic_name=name, partitions=(0,))
        for name in _NAMES
    )
    return describing.DescribeShareGroupOffsetsRequest(
        groups=tuple(
            describing.DescribeShareGroupOffsetsRequestGroup(
                group_id=group, topics=topics if named else None
            )
            for group in _GROUPS
        )
    )


SHARE_CASES: Final[dict[str, tuple[Key, int, Any]]] = {
    "share heartbeat": (Key.SHARE_GROUP_HEARTBEAT, 1, lambda side: beat(SHARERS, "mine")),
    "share heartbeat, other group": (Key.SHARE_GROUP_HEARTBEAT, 1, lambda side:
        beat("seen", "mine")),
    "share heartbeat, other topic": (Key.SHARE_GROUP_HEARTBEAT, 1, lambda side:
        beat(SHARERS, "mine", "other")),
    "share heartbeat, no such topic": (Key.SHARE_GROUP_HEARTBEAT, 1, lambda side:
        beat(SHARERS, "none")),
    "describe share groups": (Key.SHARE_GROUP_DESCRIBE, 1, lambda side:
        ShareGroupDescribeRequest(group_ids=_GROUPS, include_authorized_operations=True)),
    "share fetch": (Key.SHARE_FETCH, 2, lambda side: fetch(side, SHARERS)),
    "share fetch, other group": (Key.SHARE_FETCH, 2, lambda side: fetch(side, "seen")),
    "share acknowledge": (Key.SHARE_ACKNOWLEDGE, 2, lambda side:
        acknowledging.ShareAcknowledgeRequest(
            group_id=SHARERS, member_id="n", share_session_epoch=5)),
    "share acknowledge, other group": (Key.SHARE_ACKNOWLEDGE, 2, lambda side:
        acknowledging.ShareAcknowledgeRequest(
            group_id="seen", member_id="n", share_session_epoch=5)),
    "find share coordinator": (Key.FIND_COORDINATOR, 6, lambda side: FindCoordinatorRequest(
        key_type=2, coordinator_keys=(f"mine:{'A' * 21}g:0",))),
    "alter share offsets": (Key.ALTER_SHARE_GROUP_OFFSETS, 0, lambda side: alter(SHARERS)),
    "alter share offsets, other group": (Key.ALTER_SHARE_GROUP_OFFSETS, 0, lambda side:
        alter("seen")),
    "describe share offsets": (Key.DESCRIBE_SHARE_GROUP_OFFSETS, 1, lambda side: describe(True)),
    "describe all share offsets": (Key.DESCRIBE_SHARE_GROUP_OFFSETS, 1, lambda side:
        describe(False)),
    "delete share offsets": (Key.DELETE_SHARE_GROUP_OFFSETS, 0, lambda side: delete(SHARERS)),
    "delete share offsets, other group": (Key.DELETE_SHARE_GROUP_OFFSETS, 0, lambda side:
        delete("seen")),
    "initialize share state": (Key.INITIALIZE_SHARE_GROUP_STATE, 0, lambda side:
        initialize.InitializeShareGroupStateRequest(group_id="mine", topics=(
            initialize.InitializeStateData(topic_id=GONE, partitions=(
                initialize.PartitionData(partition=0, start_offset=1),)),))),
    "read share state": (Key.READ_SHARE_GROUP_STATE, 0, lambda side:
        read_state.ReadShareGroupStateRequest(group_id="mine", topics=(
            read_state.ReadStateData(topic_id=GONE, partitions=(
                read_state.PartitionData(partition=0),)),))),
    "write share state": (Key.WRITE_SHARE_GROUP_STATE, 1, lambda side:
        write_state.WriteShareGroupStateRequest(group_id="mine", topics=(
            write_state.WriteStateData(topic_id=GONE, partitions=(
                write_state.PartitionData(partition=0),)),))),
    "delete share state": (Key.DELETE_SHARE_GROUP_STATE, 0, lambda side:
        delete_state.DeleteShareGroupStateRequest(group_id="mine", topics=(
            delete_state.DeleteStateData(topic_id=GONE, partitions=(
                delete_state.PartitionData(partition=0),)),))),
    "share state summary": (Key.READ_SHARE_GROUP_STATE_SUMMARY, 1, lambda side:
        summary.ReadShareGroupStateSummaryRequest(group_id="mine", topics=(
            summary.ReadStateSummaryData(topic_id=GONE, partitions=(
                summary.PartitionData(partition=0),)),))),
}  # fmt: skip
