"""JoinGroup (11), versions 0-9.

Behaviour: see `core.groups.group`. The answer comes when the group's generation is made, which may
take as long as the members' rebalance timeout.

Version notes: before 1 the session timeout is also the rebalance timeout; from 4 on a client first
gets an id (MEMBER_ID_REQUIRED, KIP-394); 5 has static members (KIP-345); 7 tells the protocol type
and may leave protocols null; 8 has a reason, which is logged; 9 lets a restarted static leader skip
the assignment (KIP-814).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spindle.core.groups.group_values import Join, JoinAnswer
from spindle.model.errors import Error
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.join_group_request import JoinGroupRequest
from spindle.wire.messages.join_group_response import JoinGroupResponse, JoinGroupResponseMember

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker, request: JoinGroupRequest, context: RequestContext[JoinGroupResponse]
) -> Later:
    """Let a client join."""
    ask = Join(
        group_id=request.group_id,
        member_id=request.member_id,
        instance_id=request.group_instance_id,
        client_id=context.client_id,
        client_host=f"/{context.host}",
        session_timeout=request.session_timeout_ms,
        rebalance_timeout=(
            request.rebalance_timeout_ms if context.version >= 1 else request.session_timeout_ms
        ),
        protocol_type=request.protocol_type,
        protocols=tuple((p.name, p.metadata) for p in request.protocols),
        needs_id=context.version >= 4,
        may_skip=context.version >= 9,
    )
    broker.out.say(
        "debug",
        "member joins",
        group=ask.group_id,
        member=ask.member_id or ask.instance_id,
        reason=request.reason,
    )
    broker.groups.named(ask.group_id).join(
        ask, lambda answer: context.answer(_encode(context, answer))
    )
    return LATER


def refuse(
    request: JoinGroupRequest,
    context: RequestContext[JoinGroupResponse],
    error: Error,
    message: str,
) -> JoinGroupResponse:
    """No generation, and no member, as far as Apache Kafka's coordinator heard of it."""
    named = request.member_id if error is Error.INVALID_GROUP_ID else ""
    return _encode(context, JoinAnswer(error=error, member_id=named))


def _encode(context: RequestContext[JoinGroupResponse], answer: JoinAnswer) -> JoinGroupResponse:
    protocol = answer.protocol
    return JoinGroupResponse(
        error_code=answer.error,
        generation_id=answer.generation,
        protocol_type=answer.protocol_type,
        protocol_name=(protocol or "") if context.version < 7 else protocol,
        leader=answer.leader,
        skip_assignment=answer.skip_assignment,
        member_id=answer.member_id,
        members=tuple(
            JoinGroupResponseMember(
                member_id=member_id, group_instance_id=instance_id, metadata=metadata
            )
            for member_id, instance_id, metadata in answer.members
        ),
    )
