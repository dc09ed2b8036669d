"""JoinGroup (11), versions 0-9.

Behaviour: see `core.groups.group`. The answer comes when the group's generation is made, which may
take as long as the members' rebalance timeout.

Version notes: before 1 the session timeout is also the rebalance timeout; from 4 on a client first
gets an id (MEMBER_ID_REQUIRED, KIP-394); 5 has static members (KIP-345); 7 tells the protocol type
and may leave protocols null; 8 has a reason, which is logged; 9 lets a restarted static leader skip
the assignment (KIP-814).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spindle.core.groups.values import Join, JoinAnswer
from spindle.model.errors import Error
from spindle.node.calls import Call
from spindle.wire.entities import make, to_ms

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(broker: Broker, call: Call) -> None:
    """Let a client join."""
    body = call.body
    session_timeout = to_ms(body.session_timeout)
    ask = Join(
        group_id=body.group_id,
        member_id=body.member_id,
        instance_id=getattr(body, "group_instance_id", None),
        client_id=call.client_id,
        client_host=f"/{call.host}",
        session_timeout=session_timeout,
        rebalance_timeout=(to_ms(body.rebalance_timeout) if call.version >= 1 else session_timeout),
        protocol_type=body.protocol_type,
        protocols=tuple((p.name, bytes(p.metadata)) for p in body.protocols),
        needs_id=call.version >= 4,
        may_skip=call.version >= 9,
    )
    broker.out.say(
        "debug",
        "member joins",
        group=ask.group_id,
        member=ask.member_id or ask.instance_id,
        reason=getattr(body, "reason", None),
    )
    broker.groups.named(ask.group_id).join(ask, lambda a: call.answer(_encode(call, a)))


def refuse(call: Call, error: Error, message: str) -> Any:
    """No generation."""
    return _encode(call, JoinAnswer(error=error, member_id=call.body.member_id))


def _encode(call: Call, answer: JoinAnswer) -> Any:
    r = call.reply
    protocol = answer.protocol
    return make(
        r.JoinGroupResponse,
        error_code=answer.error,
        generation_id=answer.generation,
        protocol_type=answer.protocol_type,
        protocol_name=(protocol or "") if call.version < 7 else protocol,
        leader=answer.leader,
        skip_assignment=answer.skip_assignment,
        member_id=answer.member_id,
        members=tuple(
            make(
                r.JoinGroupResponseMember,
                member_id=member_id,
                group_instance_id=instance_id,
                metadata=metadata,
            )
            for member_id, instance_id, metadata in answer.members
        ),
    )
