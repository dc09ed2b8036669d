"""ShareGroupDescribe (77), version 1 (KIP-932).

Behaviour: a share group's epochs, its members and what they have. Others are GROUP_ID_NOT_FOUND. A
group with topics that the client may not describe is TOPIC_AUTHORIZATION_FAILED. Where the
cluster's share.version is 0, UNSUPPORTED_VERSION.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from spindle.core.groups.share_group_values import SIMPLE, ShareGroupView, ShareMember
from spindle.model.acl import NOT_ASKED, AclOperation, AclResourceType
from spindle.model.errors import Error, Refusal
from spindle.model.image import ClusterImage
from spindle.node.authorization.permits import Permits
from spindle.node.request_context import RequestContext
from spindle.wire.messages.share_group_describe_request import ShareGroupDescribeRequest
from spindle.wire.messages.share_group_describe_response import (
    Assignment,
    DescribedGroup,
    Member,
    ShareGroupDescribeResponse,
    TopicPartitions,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker

_HIDDEN: Final = "The group has described topic(s) that the client is not authorized to describe."


def on_broker(
    broker: Broker,
    request: ShareGroupDescribeRequest,
    context: RequestContext[ShareGroupDescribeResponse],
) -> ShareGroupDescribeResponse:
    """Describe share groups."""
    asked, kind = request.include_authorized_operations, AclResourceType.GROUP
    permits = context.permits
    return ShareGroupDescribeResponse(
        groups=tuple(
            _describe(broker, id, permits, permits.bits(kind, id) if asked else NOT_ASKED)
            for id in request.group_ids
        )
    )


def _describe(broker: Broker, group_id: str, permits: Permits, allowed: int) -> DescribedGroup:
    if not broker.groups.serves_shares:
        return _refused(group_id, Error.UNSUPPORTED_VERSION, None)
    try:
        view = broker.groups.named(group_id).shares.describe(group_id)
        members = tuple(_member(broker.image, member) for member in view.members)
        _check_topics(permits, members)
    except Refusal as refusal:
        return _refused(group_id, refusal.error, refusal.message)
    return _encode(view, members, allowed)


def _refused(group_id: str, error: Error, message: str | None) -> DescribedGroup:
    return DescribedGroup(
        group_id=group_id,
        error_code=error,
        error_message=message,
        group_state="",
        assignor_name="",
        members=(),
    )


def _encode(view: ShareGroupView, members: tuple[Member, ...], allowed: int) -> DescribedGroup:
    return DescribedGroup(
        group_id=view.group_id,
        group_state=view.state,
        group_epoch=view.epoch,
        assignment_epoch=view.assignment_epoch,
        assignor_name=SIMPLE,
        members=members,
        authorized_operations=allowed,
    )


def _check_topics(permits: Permits, members: tuple[Member, ...]) -> None:
    names = {topic.topic_name for member in members for topic in member.assignment.topic_partitions}
    if names - set(permits.allowed(AclOperation.DESCRIBE, AclResourceType.TOPIC, names)):
        raise Refusal(Error.TOPIC_AUTHORIZATION_FAILED, _HIDDEN)


def _member(image: ClusterImage, member: ShareMember) -> Member:
    said = member.said
    return Member(
        member_id=member.member_id,
        rack_id=said.rack_id,
        member_epoch=member.epoch,
        client_id=said.client_id,
        client_host=said.client_host,
        subscribed_topic_names=said.topics,
        assignment=Assignment(
            topic_partitions=tuple(
                TopicPartitions(
                    topic_id=topic_id,
                    topic_name=image.topics[topic_id].name,
                    partitions=tuple(sorted(numbers)),
                )
                for topic_id, numbers in member.stands.assigned.items()
                if topic_id in image.topics
            )
        ),
    )
