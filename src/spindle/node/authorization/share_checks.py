"""Checks of the APIs about share groups (KIP-932)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spindle.model.acl import AclOperation as _O
from spindle.model.acl import AclResourceType as _T
from spindle.model.errors import Error, Refusal
from spindle.node.authorization.group_checks import REFUSED, check_group
from spindle.node.authorization.sifting import Sifted, left
from spindle.node.request_context import R, RequestContext
from spindle.wire.codec import changed
from spindle.wire.messages.alter_share_group_offsets_request import AlterShareGroupOffsetsRequest
from spindle.wire.messages.delete_share_group_offsets_request import (
    DeleteShareGroupOffsetsRequest,
)
from spindle.wire.messages.describe_share_group_offsets_request import (
    DescribeShareGroupOffsetsRequest,
    DescribeShareGroupOffsetsRequestGroup,
)
from spindle.wire.messages.describe_share_group_offsets_response import (
    DescribeShareGroupOffsetsResponse,
    DescribeShareGroupOffsetsResponseGroup,
)
from spindle.wire.messages.share_acknowledge_request import ShareAcknowledgeRequest
from spindle.wire.messages.share_fetch_request import ShareFetchRequest
from spindle.wire.messages.share_group_describe_request import ShareGroupDescribeRequest
from spindle.wire.messages.share_group_describe_response import (
    DescribedGroup,
    ShareGroupDescribeResponse,
)
from spindle.wire.messages.share_group_heartbeat_request import ShareGroupHeartbeatRequest

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def share_heartbeat(
    broker: Broker, request: ShareGroupHeartbeatRequest, context: RequestContext[R]
) -> ShareGroupHeartbeatRequest:
    """READ on the group, DESCRIBE on all topics that are named."""
    check_group(context.permits, _O.READ, request.group_id)
    names = set(request.subscribed_topic_names or ())
    if names - set(context.permits.allowed(_O.DESCRIBE, _T.TOPIC, names)):
        raise Refusal(Error.TOPIC_AUTHORIZATION_FAILED, "Topic authorization failed.")
    return request


def share_fetch(
    broker: Broker, request: ShareFetchRequest, context: RequestContext[R]
) -> ShareFetchRequest:
    """READ on the group; the handler looks at the topics, which a session remembers."""
    check_group(context.permits, _O.READ, request.group_id or "")
    return request


def share_acknowledge(
    broker: Broker, request: ShareAcknowledgeRequest, context: RequestContext[R]
) -> ShareAcknowledgeRequest:
    """READ on the group; the handler looks at the topics."""
    check_group(context.permits, _O.READ, request.group_id or "")
    return request


def alter_share_offsets(
    broker: Broker, request: AlterShareGroupOffsetsRequest, context: RequestContext[R]
) -> AlterShareGroupOffsetsRequest:
    """READ on the group; the handler looks at the topics."""
    check_group(context.permits, _O.READ, request.group_id)
    return request


def delete_share_offsets(
    broker: Broker, request: DeleteShareGroupOffsetsRequest, context: RequestContext[R]
) -> DeleteShareGroupOffsetsRequest:
    """DELETE on the group; the handler looks at the topics."""
    check_group(context.permits, _O.DELETE, request.group_id)
    return request


def share_describe(
    broker: Broker,
    request: ShareGroupDescribeRequest,
    context: RequestContext[ShareGroupDescribeResponse],
) -> ShareGroupDescribeRequest | ShareGroupDescribeResponse:
    """DESCRIBE on groups; the handler looks at the topics of their members."""
    allowed = context.permits.allowed(_O.DESCRIBE, _T.GROUP, request.group_ids)
    sifted = Sifted(request.group_ids, lambda group: group in allowed)

    def refused(group_id: str) -> DescribedGroup:
        return DescribedGroup(
            group_id=group_id, error_code=REFUSED, group_state="", assignor_name="", members=()
        )

    return left(
        request,
        changed(request, group_ids=sifted.kept),
        context,
        sifted,
        ShareGroupDescribeResponse,
        lambda told: changed(told, groups=sifted.woven(told.groups, refused, context.version)),
    )


def describe_share_offsets(
    broker: Broker,
    request: DescribeShareGroupOffsetsRequest,
    context: RequestContext[DescribeShareGroupOffsetsResponse],
) -> DescribeShareGroupOffsetsRequest | DescribeShareGroupOffsetsResponse:
    """DESCRIBE on groups; the handler looks at the topics."""
    names = [group.group_id for group in request.groups]
    allowed = context.permits.allowed(_O.DESCRIBE, _T.GROUP, names)
    sifted = Sifted(request.groups, lambda group: group.group_id in allowed)

    def refused(
        group: DescribeShareGroupOffsetsRequestGroup,
    ) -> DescribeShareGroupOffsetsResponseGroup:
        return DescribeShareGroupOffsetsResponseGroup(group_id=group.group_id, error_code=REFUSED)

    return left(
        request,
        changed(request, groups=sifted.kept),
        context,
        sifted,
        DescribeShareGroupOffsetsResponse,
        lambda told: changed(told, groups=sifted.woven(told.groups, refused, context.version)),
    )
