"""DescribeGroups (15), versions 0-6.

Behaviour: a group's state and members; metadata and assignments only while the group is stable.
A group that is not there is "Dead", and so is a consumer group: ConsumerGroupDescribe tells of
those. Authorized operations are listed where they are
asked for.

Version notes: 4 has instance ids; from 6 on a missing group also has GROUP_ID_NOT_FOUND and a
message (KIP-1043).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spindle.core.groups.group_values import GroupView
from spindle.model.acl import NOT_ASKED, AclResourceType
from spindle.model.errors import Error, Refusal
from spindle.node.request_context import RequestContext
from spindle.wire.messages.describe_groups_request import DescribeGroupsRequest
from spindle.wire.messages.describe_groups_response import (
    DescribedGroup,
    DescribedGroupMember,
    DescribeGroupsResponse,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker, request: DescribeGroupsRequest, context: RequestContext[DescribeGroupsResponse]
) -> DescribeGroupsResponse:
    """Describe groups."""
    asked = request.include_authorized_operations
    return DescribeGroupsResponse(
        groups=tuple(
            _describe(
                broker,
                group_id,
                context.permits.bits(AclResourceType.GROUP, group_id) if asked else NOT_ASKED,
                context.version,
            )
            for group_id in request.groups
        )
    )


def _describe(broker: Broker, group_id: str, allowed: int, version: int) -> DescribedGroup:
    try:
        coordinator = broker.groups.coordinator(group_id)
        view: GroupView | None = coordinator.describe(group_id)
    except Refusal as refusal:
        return DescribedGroup(error_code=refusal.error, group_id=group_id)
    if view is None:
        others = coordinator.consumers, coordinator.shares
        is_other = any(kind.find(group_id) is not None for kind in others)
        why = "is not a classic group" if is_other else "not found"
        return DescribedGroup(
            error_code=Error.GROUP_ID_NOT_FOUND if version >= 6 else Error.NONE,
            error_message=f"Group {group_id} {why}.",
            group_id=group_id,
            group_state="Dead",
            authorized_operations=NOT_ASKED if version >= 6 else allowed,
        )
    return DescribedGroup(
        group_id=group_id,
        group_state=view.state,
        protocol_type=view.protocol_type,
        protocol_data=view.protocol,
        authorized_operations=allowed,
        members=tuple(
            DescribedGroupMember(
                member_id=m.member_id,
                group_instance_id=m.instance_id,
                client_id=m.client_id,
                client_host=m.client_host,
                member_metadata=m.metadata,
                member_assignment=m.assignment,
            )
            for m in view.members
        ),
    )
