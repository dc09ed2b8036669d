"""DescribeShareGroupOffsets (90), versions 0-1 (KIP-932).

Behaviour: how far share groups are in partitions; without topics, in all of which a state is kept.
A partition without a state has -1. Where the cluster's share.version is 0, UNSUPPORTED_VERSION.

Version notes: 1 tells how many records are before the group (KIP-1226).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from spindle.model.acl import AclOperation, AclResourceType
from spindle.model.errors import Error, Refusal
from spindle.model.ids import ZERO_ID, PartitionId
from spindle.node.authorization.permits import Permits
from spindle.node.handlers._gathering import Gathering
from spindle.node.handlers._shares import check_shares
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.node.share.share_offsets import ShareOffset
from spindle.wire.messages.describe_share_group_offsets_request import (
    DescribeShareGroupOffsetsRequest,
    DescribeShareGroupOffsetsRequestGroup,
)
from spindle.wire.messages.describe_share_group_offsets_response import (
    DescribeShareGroupOffsetsResponse,
    DescribeShareGroupOffsetsResponseGroup,
    DescribeShareGroupOffsetsResponsePartition,
    DescribeShareGroupOffsetsResponseTopic,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker

Asked = dict[str, list[int]]


def on_broker(
    broker: Broker,
    request: DescribeShareGroupOffsetsRequest,
    context: RequestContext[DescribeShareGroupOffsetsResponse],
) -> Later:
    """Tell how far groups are."""
    groups = {group.group_id: group for group in request.groups}
    gathering = Gathering[str, DescribeShareGroupOffsetsResponseGroup](
        groups,
        lambda told: context.answer(DescribeShareGroupOffsetsResponse(groups=tuple(told.values()))),
    )
    for group_id, group in groups.items():
        try:
            _describe(broker, group, context.permits, partial(gathering.settle, group_id))
        except Refusal as refusal:
            gathering.settle(
                group_id,
                DescribeShareGroupOffsetsResponseGroup(
                    group_id=group_id, error_code=refusal.error, error_message=refusal.message
                ),
            )
    return LATER


def _describe(
    broker: Broker,
    group: DescribeShareGroupOffsetsRequestGroup,
    permits: Permits,
    then: partial[None],
) -> None:
    check_shares(broker)
    asked = _asked(broker, group)
    allowed = permits.allowed(AclOperation.DESCRIBE, AclResourceType.TOPIC, asked)
    image = broker.image
    ids = [
        id
        for name, numbers in asked.items()
        if name in allowed and (topic_id := image.topic_ids.get(name)) is not None
        for number in numbers
        if image.partition(id := PartitionId(topic_id, number)) is not None
    ]
    if group.topics is None:
        asked = {name: numbers for name, numbers in asked.items() if name in allowed}

    def on_told(told: dict[PartitionId, ShareOffset]) -> None:
        then(
            DescribeShareGroupOffsetsResponseGroup(
                group_id=group.group_id,
                topics=tuple(
                    _topic(broker, name, numbers, name in allowed, told)
                    for name, numbers in asked.items()
                ),
            )
        )

    broker.share_offsets.describe(group.group_id, ids, on_told)


def _asked(broker: Broker, group: DescribeShareGroupOffsetsRequestGroup) -> Asked:
    found = broker.groups.named(group.group_id).shares.all.get(group.group_id)
    if group.topics is not None:
        return {topic.topic_name: list(topic.partitions) for topic in group.topics}
    # As Apache Kafka: a group that is not there has no offsets.
    states = {} if found is None else found.metadata.states.initialized
    return {named.topic: sorted(named.partitions) for named in states.values()}


def _topic(
    broker: Broker,
    name: str,
    numbers: list[int],
    allowed: bool,
    told: dict[PartitionId, ShareOffset],
) -> DescribeShareGroupOffsetsResponseTopic:
    topic_id = broker.image.topic_ids.get(name) or ZERO_ID
    # As Apache Kafka: a topic that is not there has no offset.
    error = Error.NONE if topic_id == ZERO_ID else Error.UNKNOWN_TOPIC_OR_PARTITION
    missing = ShareOffset(error=error if allowed else Error.TOPIC_AUTHORIZATION_FAILED)
    return DescribeShareGroupOffsetsResponseTopic(
        topic_name=name,
        topic_id=topic_id if allowed else ZERO_ID,
        partitions=tuple(
            DescribeShareGroupOffsetsResponsePartition(
                partition_index=number,
                start_offset=one.start,
                leader_epoch=one.leader_epoch,
                lag=one.lag,
                error_code=one.error,
                error_message=one.message,
            )
            for number in numbers
            for one in (told.get(PartitionId(topic_id, number), missing),)
        ),
    )
