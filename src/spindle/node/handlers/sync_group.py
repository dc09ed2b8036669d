"""SyncGroup (14), versions 0-5.

Behaviour: the leader brings all assignments; everybody's answer comes once they are stored in
`__consumer_offsets`. See `core.groups.group`.

Version notes: 3 has static members; 5 names the protocol, which is checked (KIP-559), and is told
it back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spindle.core.groups.values import Sync, SyncAnswer
from spindle.model.errors import Error
from spindle.node.calls import Call
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(broker: Broker, call: Call) -> None:
    """Give a member its assignment."""
    body = call.body
    ask = Sync(
        group_id=body.group_id,
        generation=body.generation_id,
        member_id=body.member_id,
        instance_id=getattr(body, "group_instance_id", None),
        protocol_type=getattr(body, "protocol_type", None),
        protocol=getattr(body, "protocol_name", None),
        assignments=tuple((a.member_id, bytes(a.assignment)) for a in body.assignments),
    )
    broker.groups.named(ask.group_id).sync(ask, lambda a: call.answer(_encode(call, a)))


def refuse(call: Call, error: Error, message: str) -> Any:
    """No assignment."""
    return _encode(call, SyncAnswer(error=error))


def _encode(call: Call, answer: SyncAnswer) -> Any:
    return make(
        call.reply.SyncGroupResponse,
        error_code=answer.error,
        protocol_type=answer.protocol_type,
        protocol_name=answer.protocol,
        assignment=answer.assignment,
    )
