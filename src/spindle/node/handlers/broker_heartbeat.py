"""BrokerHeartbeat (63), versions 0-2, controller listener.

Behaviour: keeps a broker's session, fences and unfences it as it wishes and may, takes its
leaderships away when it wants to stop, and takes the replicas of its failed directories offline
(K858-05, K858-10). STALE_BROKER_EPOCH: it must register again.

Version notes: 1 adds offline log directories (KIP-858), 2 cordoned ones (KIP-1066).
Tagged fields of ours tell what room the directories have, so that we can choose among them (B-24).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spindle.core.controller import brokers
from spindle.model.errors import Error
from spindle.model.ids import ZERO_ID
from spindle.node.calls import Call
from spindle.node.rooms import from_body
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.controller import Controller


def on_controller(controller: Controller, call: Call) -> None:
    """Hear a broker."""
    body = call.body
    cordoned = getattr(body, "cordoned_log_dirs", None)
    beat = brokers.Heartbeat(
        broker_id=body.broker_id,
        broker_epoch=body.broker_epoch,
        metadata_offset=body.current_metadata_offset,
        want_fence=body.want_fence,
        want_shut_down=body.want_shut_down,
        offline_dirs=tuple(d or ZERO_ID for d in getattr(body, "offline_log_dirs", ())),
        cordoned_dirs=None if cordoned is None else tuple(d or ZERO_ID for d in cordoned),
        rooms=from_body(body),
    )

    def respond(answer: brokers.HeartbeatAnswer) -> Any:
        if answer.odd_dirs:
            # Also what failed before we became the controller: nothing to worry about.
            controller.out.say(
                "info",
                "a broker calls directories offline that are not registered as online",
                broker=beat.broker_id,
                directories=[str(d) for d in answer.odd_dirs],
            )
        return make(
            call.reply.BrokerHeartbeatResponse,
            error_code=Error.NONE,
            is_caught_up=answer.is_caught_up,
            is_fenced=answer.is_fenced,
            should_shut_down=answer.should_shut_down,
        )

    controller.serve(
        call,
        lambda state: brokers.heartbeat(
            state, controller.sessions, beat, controller.quorum.next_offset, controller.out.now
        ),
        respond,
        refuse,
    )


def refuse(call: Call, error: Error, message: str) -> Any:
    """The error; a broker that reads no further stays fenced and goes on."""
    return make(
        call.reply.BrokerHeartbeatResponse,
        error_code=error,
        is_caught_up=False,
        is_fenced=True,
        should_shut_down=False,
    )
