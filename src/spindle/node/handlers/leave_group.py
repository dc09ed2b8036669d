"""LeaveGroup (13), versions 0-5.

Behaviour: members leave; the others rebalance. A static member may be named by its instance alone.

Without a group id nothing is looked up: INVALID_GROUP_ID is the answer's error in all versions.

Version notes: before 3 one member leaves, and its error is the answer's; from 3 on many may leave
at once, each with its own error (KIP-345); 5 has a reason, which is logged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spindle.model.errors import Error
from spindle.node.calls import Call
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(broker: Broker, call: Call) -> None:
    """Let members go."""
    body = call.body
    coordinator = broker.groups.named(body.group_id)
    if call.version < 3:
        (error,) = coordinator.leave(body.group_id, [(body.member_id, None)])
        call.answer(refuse(call, error, ""))
        return
    errors = coordinator.leave(
        body.group_id, [(m.member_id, m.group_instance_id) for m in body.members]
    )
    for member in body.members:
        broker.out.say(
            "debug",
            "member leaves",
            group=body.group_id,
            member=member.member_id or member.group_instance_id,
            reason=getattr(member, "reason", None),
        )
    r = call.reply
    call.answer(
        make(
            r.LeaveGroupResponse,
            error_code=Error.NONE,
            members=tuple(
                make(
                    r.MemberResponse,
                    member_id=member.member_id,
                    group_instance_id=member.group_instance_id,
                    error_code=error,
                )
                for member, error in zip(body.members, errors, strict=True)
            ),
        )
    )


def refuse(call: Call, error: Error, message: str) -> Any:
    """Nobody leaves."""
    return make(call.reply.LeaveGroupResponse, error_code=error)
