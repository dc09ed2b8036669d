"""DescribeGroups (15), versions 0-6.

Behaviour: a group's state and members; metadata and assignments only while the group is stable.
A group that is not there is "Dead". Authorized operations are told where they are
asked for: all, as there are no ACLs.

Version notes: 4 has instance ids; from 6 on a missing group also has GROUP_ID_NOT_FOUND and a
message (KIP-1043).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spindle.core.groups.values import GroupView
from spindle.model.errors import Error, Refusal
from spindle.node import authorized
from spindle.node.calls import Call
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(broker: Broker, call: Call) -> None:
    """Describe groups."""
    groups = tuple(_describe(broker, call, group_id) for group_id in call.body.groups)
    call.answer(make(call.reply.DescribeGroupsResponse, groups=groups))


def _describe(broker: Broker, call: Call, group_id: str) -> Any:
    r = call.reply
    try:
        view: GroupView | None = broker.groups.coordinator(group_id).describe(group_id)
    except Refusal as refusal:
        return make(r.DescribedGroup, error_code=refusal.error, group_id=group_id)
    asked = getattr(call.body, "include_authorized_operations", False)
    allowed = authorized.GROUP if asked else authorized.NOT_ASKED
    if view is None:
        return make(
            r.DescribedGroup,
            error_code=Error.GROUP_ID_NOT_FOUND if call.version >= 6 else Error.NONE,
            error_message=f"Group {group_id} not found.",
            group_id=group_id,
            group_state="Dead",
            authorized_operations=allowed,
        )
    return make(
        r.DescribedGroup,
        error_code=Error.NONE,
        error_message=None,
        group_id=group_id,
        group_state=view.state,
        protocol_type=view.protocol_type,
        protocol_data=view.protocol,
        authorized_operations=allowed,
        members=tuple(
            make(
                r.DescribedGroupMember,
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
