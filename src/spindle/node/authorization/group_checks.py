"""Checks of the APIs about groups and their offsets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from spindle.model.acl import AclOperation as _O
from spindle.model.acl import AclResourceType as _T
from spindle.model.errors import Error, Refusal
from spindle.node.authorization.permits import Permits
from spindle.node.authorization.record_checks import name_of
from spindle.node.authorization.sifting import Sifted, left, merging, seeing
from spindle.node.request_context import R, RequestContext
from spindle.wire.codec import changed
from spindle.wire.messages.consumer_group_describe_request import ConsumerGroupDescribeRequest
from spindle.wire.messages.consumer_group_describe_response import (
    ConsumerGroupDescribeResponse,
)
from spindle.wire.messages.consumer_group_describe_response import (
    DescribedGroup as DescribedConsumerGroup,
)
from spindle.wire.messages.consumer_group_heartbeat_request import ConsumerGroupHeartbeatRequest
from spindle.wire.messages.delete_groups_request import DeleteGroupsRequest
from spindle.wire.messages.delete_groups_response import DeletableGroupResult, DeleteGroupsResponse
from spindle.wire.messages.describe_groups_request import DescribeGroupsRequest
from spindle.wire.messages.describe_groups_response import DescribedGroup, DescribeGroupsResponse
from spindle.wire.messages.heartbeat_request import HeartbeatRequest
from spindle.wire.messages.join_group_request import JoinGroupRequest
from spindle.wire.messages.leave_group_request import LeaveGroupRequest
from spindle.wire.messages.list_groups_request import ListGroupsRequest
from spindle.wire.messages.list_groups_response import ListedGroup, ListGroupsResponse
from spindle.wire.messages.offset_commit_request import (
    OffsetCommitRequest,
    OffsetCommitRequestTopic,
)
from spindle.wire.messages.offset_commit_response import (
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from spindle.wire.messages.offset_delete_request import (
    OffsetDeleteRequest,
    OffsetDeleteRequestTopic,
)
from spindle.wire.messages.offset_delete_response import (
    OffsetDeleteResponse,
    OffsetDeleteResponsePartition,
    OffsetDeleteResponseTopic,
)
from spindle.wire.messages.offset_fetch_request import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from spindle.wire.messages.offset_fetch_response import (
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartition,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopic,
    OffsetFetchResponseTopics,
)
from spindle.wire.messages.sync_group_request import SyncGroupRequest

if TYPE_CHECKING:
    from spindle.node.broker import Broker

MANY_GROUPS_FROM: Final = 8
"""The version of OffsetFetch that asks for many groups (KIP-709)."""
REFUSED: Final = Error.GROUP_AUTHORIZATION_FAILED
_TOPIC_REFUSED: Final = Error.TOPIC_AUTHORIZATION_FAILED


def check_group(permits: Permits, operation: _O, group_id: str) -> None:
    """Refusal GROUP_AUTHORIZATION_FAILED."""
    if not permits.may(operation, _T.GROUP, group_id):
        raise Refusal(REFUSED, "Group authorization failed.")


def heartbeat(
    broker: Broker, request: HeartbeatRequest, context: RequestContext[R]
) -> HeartbeatRequest:
    """READ on the group."""
    check_group(context.permits, _O.READ, request.group_id)
    return request


def join_group(
    broker: Broker, request: JoinGroupRequest, context: RequestContext[R]
) -> JoinGroupRequest:
    """READ on the group."""
    check_group(context.permits, _O.READ, request.group_id)
    return request


def leave_group(
    broker: Broker, request: LeaveGroupRequest, context: RequestContext[R]
) -> LeaveGroupRequest:
    """READ on the group."""
    check_group(context.permits, _O.READ, request.group_id)
    return request


def sync_group(
    broker: Broker, request: SyncGroupRequest, context: RequestContext[R]
) -> SyncGroupRequest:
    """READ on the group."""
    check_group(context.permits, _O.READ, request.group_id)
    return request


def consumer_heartbeat(
    broker: Broker, request: ConsumerGroupHeartbeatRequest, context: RequestContext[R]
) -> ConsumerGroupHeartbeatRequest:
    """READ on the group, DESCRIBE on all topics that are named."""
    check_group(context.permits, _O.READ, request.group_id)
    names = set(request.subscribed_topic_names or ())
    if names - set(context.permits.allowed(_O.DESCRIBE, _T.TOPIC, names)):
        raise Refusal(_TOPIC_REFUSED, "Topic authorization failed.")
    return request


def consumer_describe(
    broker: Broker,
    request: ConsumerGroupDescribeRequest,
    context: RequestContext[ConsumerGroupDescribeResponse],
) -> ConsumerGroupDescribeRequest | ConsumerGroupDescribeResponse:
    """DESCRIBE on groups; the handler looks at the topics of their members."""
    allowed = context.permits.allowed(_O.DESCRIBE, _T.GROUP, request.group_ids)
    sifted = Sifted(request.group_ids, lambda group: group in allowed)

    def refused(group_id: str) -> DescribedConsumerGroup:
        return DescribedConsumerGroup(
            group_id=group_id,
            error_code=REFUSED,
            group_state="",
            assignor_name="",
            members=(),
        )

    return left(
        request,
        changed(request, group_ids=sifted.kept),
        context,
        sifted,
        ConsumerGroupDescribeResponse,
        lambda told: changed(told, groups=sifted.woven(told.groups, refused, context.version)),
    )


def describe_groups(
    broker: Broker, request: DescribeGroupsRequest, context: RequestContext[DescribeGroupsResponse]
) -> DescribeGroupsRequest | DescribeGroupsResponse:
    """DESCRIBE on groups."""
    allowed = context.permits.allowed(_O.DESCRIBE, _T.GROUP, request.groups)
    sifted = Sifted(request.groups, lambda group: group in allowed)

    def refused(group_id: str) -> DescribedGroup:
        return DescribedGroup(group_id=group_id, error_code=REFUSED)

    return left(
        request,
        changed(request, groups=sifted.kept),
        context,
        sifted,
        DescribeGroupsResponse,
        lambda told: changed(told, groups=sifted.woven(told.groups, refused, context.version)),
    )


def list_groups(
    broker: Broker, request: ListGroupsRequest, context: RequestContext[ListGroupsResponse]
) -> ListGroupsRequest | ListGroupsResponse:
    """DESCRIBE on the cluster, else only groups with DESCRIBE are listed."""
    permits = context.permits
    if not permits.may_cluster(_O.DESCRIBE, log=False):

        def seen(group: ListedGroup) -> ListedGroup | None:
            sees = permits.may(_O.DESCRIBE, _T.GROUP, group.group_id, log=False)
            return group if sees else None

        seeing(context, ListedGroup, seen)
    return request


def delete_groups(
    broker: Broker, request: DeleteGroupsRequest, context: RequestContext[DeleteGroupsResponse]
) -> DeleteGroupsRequest | DeleteGroupsResponse:
    """DELETE on groups."""
    allowed = context.permits.allowed(_O.DELETE, _T.GROUP, request.groups_names)
    sifted = Sifted(request.groups_names, lambda group: group in allowed)

    def refused(group_id: str) -> DeletableGroupResult:
        return DeletableGroupResult(group_id=group_id, error_code=REFUSED)

    return left(
        request,
        changed(request, groups_names=sifted.kept),
        context,
        sifted,
        DeleteGroupsResponse,
        lambda told: changed(told, results=sifted.woven(told.results, refused, context.version)),
    )


def offset_commit(
    broker: Broker, request: OffsetCommitRequest, context: RequestContext[OffsetCommitResponse]
) -> OffsetCommitRequest | OffsetCommitResponse:
    """READ on the group and on topics."""
    check_group(context.permits, _O.READ, request.group_id)
    names = {id(t): name_of(broker.image, t.name, t.topic_id) for t in request.topics}
    allowed = context.permits.allowed(_O.READ, _T.TOPIC, filter(None, names.values()))
    sifted = Sifted(request.topics, lambda t: names[id(t)] in (None, *allowed))

    def refused(topic: OffsetCommitRequestTopic) -> OffsetCommitResponseTopic:
        return OffsetCommitResponseTopic(
            name=topic.name,
            topic_id=topic.topic_id,
            partitions=tuple(
                OffsetCommitResponsePartition(
                    partition_index=p.partition_index, error_code=_TOPIC_REFUSED
                )
                for p in topic.partitions
            ),
        )

    return left(
        request,
        changed(request, topics=sifted.kept),
        context,
        sifted,
        OffsetCommitResponse,
        lambda told: changed(told, topics=sifted.woven(told.topics, refused, context.version)),
    )


def offset_delete(
    broker: Broker, request: OffsetDeleteRequest, context: RequestContext[OffsetDeleteResponse]
) -> OffsetDeleteRequest | OffsetDeleteResponse:
    """DELETE on the group, READ on topics."""
    check_group(context.permits, _O.DELETE, request.group_id)
    allowed = context.permits.allowed(_O.READ, _T.TOPIC, (t.name for t in request.topics))
    sifted = Sifted(request.topics, lambda topic: topic.name in allowed)

    def refused(topic: OffsetDeleteRequestTopic) -> OffsetDeleteResponseTopic:
        return OffsetDeleteResponseTopic(
            name=topic.name,
            partitions=tuple(
                OffsetDeleteResponsePartition(
                    partition_index=p.partition_index, error_code=_TOPIC_REFUSED
                )
                for p in topic.partitions
            ),
        )

    return left(
        request,
        changed(request, topics=sifted.kept),
        context,
        sifted,
        OffsetDeleteResponse,
        lambda told: changed(told, topics=sifted.woven(told.topics, refused, context.version)),
    )


def offset_fetch(
    broker: Broker, request: OffsetFetchRequest, context: RequestContext[OffsetFetchResponse]
) -> OffsetFetchRequest | OffsetFetchResponse:
    """DESCRIBE on groups and on topics; where all topics are asked for, others are left out."""
    if context.version < MANY_GROUPS_FROM:
        return _one_offset_fetch(request, context)
    may = context.permits
    groups = may.allowed(_O.DESCRIBE, _T.GROUP, (group.group_id for group in request.groups))
    sifted = Sifted(request.groups, lambda group: group.group_id in groups)
    topics = [_SiftedTopics(broker, group, may, context.version) for group in sifted.kept]

    def refused(group: OffsetFetchRequestGroup) -> OffsetFetchResponseGroup:
        return OffsetFetchResponseGroup(group_id=group.group_id, error_code=REFUSED)

    def merge(told: OffsetFetchResponse) -> OffsetFetchResponse:
        answered = told.groups
        if len(answered) == len(topics):
            answered = [each.merged(group) for each, group in zip(topics, answered, strict=True)]
        return changed(told, groups=sifted.woven(answered, refused, context.version))

    merging(context, OffsetFetchResponse, merge)
    if sifted.is_empty:
        return OffsetFetchResponse()
    return changed(request, groups=tuple(each.group for each in topics))


class _SiftedTopics:
    """The topics of one group in OffsetFetch."""

    def __init__(
        self, broker: Broker, group: OffsetFetchRequestGroup, permits: Permits, version: int
    ) -> None:
        self._permits = permits
        self._version = version
        self._image = broker.image
        asked = group.topics or ()
        names = {id(t): name_of(self._image, t.name, t.topic_id) for t in asked}
        allowed = permits.allowed(_O.DESCRIBE, _T.TOPIC, filter(None, names.values()))
        self._is_all = group.topics is None
        self._sifted = Sifted(asked, lambda t: names[id(t)] in (None, *allowed))
        self.group = group if self._is_all else changed(group, topics=self._sifted.kept)

    def merged(self, group: OffsetFetchResponseGroup) -> OffsetFetchResponseGroup:
        if group.error_code != Error.NONE:
            return group
        if not self._is_all:
            told = self._sifted.woven(group.topics, _unfetched, self._version)
            return changed(group, topics=told)
        names = [name_of(self._image, t.name, t.topic_id) or "" for t in group.topics]
        allowed = self._permits.allowed(_O.DESCRIBE, _T.TOPIC, names)
        seen = [t for t, name in zip(group.topics, names, strict=True) if name in allowed]
        return changed(group, topics=tuple(seen))


def _unfetched(topic: OffsetFetchRequestTopics) -> OffsetFetchResponseTopics:
    return OffsetFetchResponseTopics(
        name=topic.name,
        topic_id=topic.topic_id,
        partitions=tuple(
            OffsetFetchResponsePartitions(
                partition_index=index,
                committed_offset=-1,
                metadata="",
                error_code=_TOPIC_REFUSED,
            )
            for index in topic.partition_indexes
        ),
    )


def _one_offset_fetch(
    request: OffsetFetchRequest, context: RequestContext[OffsetFetchResponse]
) -> OffsetFetchRequest | OffsetFetchResponse:
    permits = context.permits
    check_group(permits, _O.DESCRIBE, request.group_id)
    if request.topics is None:

        def seen(told: OffsetFetchResponse) -> OffsetFetchResponse:
            allowed = permits.allowed(_O.DESCRIBE, _T.TOPIC, (t.name for t in told.topics))
            return changed(told, topics=tuple(t for t in told.topics if t.name in allowed))

        merging(context, OffsetFetchResponse, seen)
        return request
    allowed = permits.allowed(_O.DESCRIBE, _T.TOPIC, (t.name for t in request.topics))
    sifted = Sifted(request.topics, lambda topic: topic.name in allowed)

    def refused(topic: OffsetFetchRequestTopic) -> OffsetFetchResponseTopic:
        return OffsetFetchResponseTopic(
            name=topic.name,
            partitions=tuple(
                OffsetFetchResponsePartition(
                    partition_index=index,
                    committed_offset=-1,
                    metadata="",
                    error_code=_TOPIC_REFUSED,
                )
                for index in topic.partition_indexes
            ),
        )

    return left(
        request,
        changed(request, topics=sifted.kept),
        context,
        sifted,
        OffsetFetchResponse,
        lambda told: changed(told, topics=sifted.woven(told.topics, refused, context.version)),
    )
