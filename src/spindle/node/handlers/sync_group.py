"""SyncGroup (14), versions 0-5.

Behaviour: the leader brings all assignments; each member's answer comes once they are stored in
`__consumer_offsets`. See `core.groups.group`.

Version notes: 3 has static members; 5 names the protocol, which is checked (KIP-559), and sent
back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from spindle.core.groups.group_values import Sync, SyncAnswer
from spindle.model.errors import Error
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.sync_group_request import SyncGroupRequest
from spindle.wire.messages.sync_group_response import SyncGroupResponse

if TYPE_CHECKING:
    from spindle.node.broker import Broker

NAMED_FROM: Final = 5
"""The first version in which a member has to name its protocol."""


def on_broker(
    broker: Broker, request: SyncGroupRequest, context: RequestContext[SyncGroupResponse]
) -> Later:
    """Give a member its assignment."""
    if context.version >= NAMED_FROM and None in (request.protocol_type, request.protocol_name):
        context.answer(_encode(SyncAnswer(error=Error.INCONSISTENT_GROUP_PROTOCOL)))
        return LATER
    ask = Sync(
        group_id=request.group_id,
        generation=request.generation_id,
        member_id=request.member_id,
        instance_id=request.group_instance_id,
        protocol_type=request.protocol_type,
        protocol=request.protocol_name,
        assignments=tuple((a.member_id, a.assignment) for a in request.assignments),
    )
    broker.groups.named(ask.group_id).sync(ask, lambda answer: context.answer(_encode(answer)))
    return LATER


def refuse(
    request: SyncGroupRequest,
    context: RequestContext[SyncGroupResponse],
    error: Error,
    message: str,
) -> SyncGroupResponse:
    """No assignment."""
    return _encode(SyncAnswer(error=error))


def _encode(answer: SyncAnswer) -> SyncGroupResponse:
    return SyncGroupResponse(
        error_code=answer.error,
        protocol_type=answer.protocol_type,
        protocol_name=answer.protocol,
        assignment=answer.assignment,
    )
