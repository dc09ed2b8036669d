"""ConsumerGroupDescribe (69), versions 0-1 (KIP-848).

Behaviour: a consumer group's epochs, its members, what they have and what they are to have. Others
are GROUP_ID_NOT_FOUND. A group with topics that the client may not describe is
TOPIC_AUTHORIZATION_FAILED. Where the cluster's group.version is 0, UNSUPPORTED_VERSION.

Version notes: 1 says of which protocol a member is (KIP-1099).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from spindle.core.groups.consumer_values import (
    ConsumerGroupView,
    ConsumerMemberView,
    Partitions,
    partitions_of,
)
from spindle.model.acl import NOT_ASKED, AclOperation, AclResourceType
from spindle.model.errors import Error, Refusal
from spindle.model.image import ClusterImage
from spindle.node.authorization.permits import Permits
from spindle.node.request_context import RequestContext
from spindle.wire.messages.consumer_group_describe_request import ConsumerGroupDescribeRequest
from spindle.wire.messages.consumer_group_describe_response import (
    Assignment,
    ConsumerGroupDescribeResponse,
    DescribedGroup,
    Member,
    TopicPartitions,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker

_CLASSIC: Final = 0
_CONSUMER: Final = 1
_HIDDEN: Final = "The group has described topic(s) that the client is not authorized to describe."


def on_broker(
    broker: Broker,
    request: ConsumerGroupDescribeRequest,
    context: RequestContext[ConsumerGroupDescribeResponse],
) -> ConsumerGroupDescribeResponse:
    """Describe consumer groups."""
    asked, kind = request.include_authorized_operations, AclResourceType.GROUP
    permits = context.permits
    return ConsumerGroupDescribeResponse(
        groups=tuple(
            _describe(broker, id, permits, permits.bits(kind, id) if asked else NOT_ASKED)
            for id in request.group_ids
        )
    )


def _describe(broker: Broker, group_id: str, permits: Permits, allowed: int) -> DescribedGroup:
    if not broker.groups.serves_consumers:
        return _refused(group_id, Error.UNSUPPORTED_VERSION, None)
    try:
        view = broker.groups.named(group_id).consumers.describe(group_id)
        members = tuple(_member(broker.image, member) for member in view.members)
        _check_topics(permits, members)
    except Refusal as refusal:
        return _refused(group_id, refusal.error, refusal.message)
    return _encode(view, members, allowed)


def _refused(group_id: str, error: Error, message: str | None) -> DescribedGroup:
    return DescribedGroup(
        group_id=group_id, error_code=error, error_message=message,
        group_state="", assignor_name="", members=(),
    )  # fmt: skip


def _encode(view: ConsumerGroupView, members: tuple[Member, ...], allowed: int) -> DescribedGroup:
    return DescribedGroup(
        group_id=view.group_id,
        group_state=view.state,
        group_epoch=view.epoch,
        assignment_epoch=view.assignment_epoch,
        assignor_name=view.assignor,
        members=members,
        authorized_operations=allowed,
    )


def _check_topics(permits: Permits, members: tuple[Member, ...]) -> None:
    names = {
        topic.topic_name
        for member in members
        for part in (member.assignment, member.target_assignment)
        for topic in part.topic_partitions
    }
    if names - set(permits.allowed(AclOperation.DESCRIBE, AclResourceType.TOPIC, names)):
        raise Refusal(Error.TOPIC_AUTHORIZATION_FAILED, _HIDDEN)


def _member(image: ClusterImage, view: ConsumerMemberView) -> Member:
    member, said = view.member, view.member.said
    holds = partitions_of(member.assigned)
    for topic_id, numbers in partitions_of(member.revoking).items():
        holds[topic_id] = tuple(sorted({*holds.get(topic_id, ()), *numbers}))
    return Member(
        member_id=member.member_id,
        instance_id=said.instance_id,
        rack_id=said.rack_id,
        member_epoch=member.epoch,
        client_id=said.client_id,
        client_host=said.client_host,
        subscribed_topic_names=tuple(sorted(said.topics)),
        subscribed_topic_regex=said.regex or "",
        assignment=_assignment(image, holds),
        target_assignment=_assignment(image, view.target),
        member_type=int(said.classic is None),
    )


def _assignment(image: ClusterImage, partitions: Partitions) -> Assignment:
    # Topics that are gone are left out: they have no name any more.
    return Assignment(
        topic_partitions=tuple(
            TopicPartitions(
                topic_id=topic_id,
                topic_name=image.topics[topic_id].name,
                partitions=tuple(sorted(numbers)),
            )
            for topic_id, numbers in partitions.items()
            if topic_id in image.topics
        )
    )
