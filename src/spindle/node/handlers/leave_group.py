"""LeaveGroup (13), versions 0-5.

Behaviour: members leave; the others rebalance. A static member may be named by its instance alone.

Without a group id nothing is looked up: INVALID_GROUP_ID is the answer's error in all versions.

Version notes: before 3 one member leaves, and its error is the answer's; from 3 on many may leave
at once, each with its own error (KIP-345); 5 has a reason, which is logged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spindle.model.errors import Error
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.leave_group_request import LeaveGroupRequest
from spindle.wire.messages.leave_group_response import LeaveGroupResponse, MemberResponse

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker, request: LeaveGroupRequest, context: RequestContext[LeaveGroupResponse]
) -> Later:
    """Let members go."""
    coordinator = broker.groups.named(request.group_id)
    if context.version < 3:
        alone = [(request.member_id, None)]
        coordinator.leave(
            request.group_id,
            alone,
            lambda errors: context.answer(LeaveGroupResponse(error_code=errors[0])),
        )
        return LATER
    for member in request.members:
        broker.out.say(
            "debug",
            "member leaves",
            group=request.group_id,
            member=member.member_id or member.group_instance_id,
            reason=member.reason,
        )
    coordinator.leave(
        request.group_id,
        [(m.member_id, m.group_instance_id) for m in request.members],
        lambda errors: context.answer(_encode(request, errors)),
    )
    return LATER


def _encode(request: LeaveGroupRequest, errors: list[Error]) -> LeaveGroupResponse:
    return LeaveGroupResponse(
        members=tuple(
            MemberResponse(
                member_id=member.member_id,
                group_instance_id=member.group_instance_id,
                error_code=error,
            )
            for member, error in zip(request.members, errors, strict=True)
        )
    )


def refuse(
    request: LeaveGroupRequest,
    context: RequestContext[LeaveGroupResponse],
    error: Error,
    message: str,
) -> LeaveGroupResponse:
    """No member leaves."""
    return LeaveGroupResponse(error_code=error)
