"""Heartbeat (12), versions 0-4.

Behaviour: keeps a member's session; REBALANCE_IN_PROGRESS tells it to join again.

Version notes: 3 has static members.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spindle.core.groups.group_values import MemberIdentity
from spindle.model.errors import Error
from spindle.node.request_context import RequestContext
from spindle.wire.messages.heartbeat_request import HeartbeatRequest
from spindle.wire.messages.heartbeat_response import HeartbeatResponse

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker, request: HeartbeatRequest, context: RequestContext[HeartbeatResponse]
) -> HeartbeatResponse:
    """Hear a member."""
    who = MemberIdentity(
        group_id=request.group_id,
        generation=request.generation_id,
        member_id=request.member_id,
        instance_id=request.group_instance_id,
    )
    return HeartbeatResponse(error_code=broker.groups.named(who.group_id).heartbeat(who))


def refuse(
    request: HeartbeatRequest,
    context: RequestContext[HeartbeatResponse],
    error: Error,
    message: str,
) -> HeartbeatResponse:
    """The error is all that a heartbeat answers."""
    return HeartbeatResponse(error_code=error)
