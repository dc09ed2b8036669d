"""Heartbeat (12), versions 0-4.

Behaviour: keeps a member's session; REBALANCE_IN_PROGRESS tells it to join again.

Version notes: 3 has static members.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spindle.core.groups.values import Identity
from spindle.model.errors import Error
from spindle.node.calls import Call
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(broker: Broker, call: Call) -> None:
    """Hear a member."""
    body = call.body
    who = Identity(
        group_id=body.group_id,
        generation=body.generation_id,
        member_id=body.member_id,
        instance_id=getattr(body, "group_instance_id", None),
    )
    error = broker.groups.named(who.group_id).heartbeat(who)
    call.answer(refuse(call, error, ""))


def refuse(call: Call, error: Error, message: str) -> Any:
    """The error is all that a heartbeat answers."""
    return make(call.reply.HeartbeatResponse, error_code=error)
