"""BrokerHeartbeat (63), versions 0-2, controller listener.

Behaviour: keeps a broker's session, fences and unfences it as it asks and may, takes its
leaderships away when it wants to stop, and takes the replicas of its failed directories offline
(K858-05, K858-10). The connection that it comes by is watched (B-29). STALE_BROKER_EPOCH: it must
register again.

Version notes: 1 adds offline log directories (KIP-858), 2 cordoned ones (KIP-1066).
Spindle's tagged fields report the room of the directories, so that we can choose one (B-24).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from spindle.core.controller import brokers
from spindle.core.controller.controller_state import ControllerResult, ControllerState
from spindle.model.errors import Error
from spindle.model.ids import ZERO_ID
from spindle.node.directory_capacities import from_request
from spindle.node.request_context import Later, RequestContext
from spindle.wire.messages.broker_heartbeat_request import BrokerHeartbeatRequest
from spindle.wire.messages.broker_heartbeat_response import BrokerHeartbeatResponse

if TYPE_CHECKING:
    from spindle.node.controller import Controller


def on_controller(
    controller: Controller,
    request: BrokerHeartbeatRequest,
    context: RequestContext[BrokerHeartbeatResponse],
) -> Later:
    """Hear a broker."""
    cordoned = request.cordoned_log_dirs
    beat = brokers.Heartbeat(
        broker_id=request.broker_id,
        broker_epoch=request.broker_epoch,
        metadata_offset=request.current_metadata_offset,
        want_fence=request.want_fence,
        want_shut_down=request.want_shut_down,
        offline_dirs=tuple(d or ZERO_ID for d in request.offline_log_dirs),
        cordoned_dirs=None if cordoned is None else tuple(d or ZERO_ID for d in cordoned),
        rooms=from_request(request),
    )

    def decide(state: ControllerState) -> ControllerResult[brokers.HeartbeatAnswer]:
        offset, now = controller.quorum.next_offset, controller.out.now
        decision = brokers.heartbeat(state, controller.sessions, beat, offset, now)
        controller.deaths.on_heartbeat(beat.broker_id, context.connection)
        return decision

    def respond(answer: brokers.HeartbeatAnswer) -> BrokerHeartbeatResponse:
        if answer.odd_dirs:
            # Also what failed before we became the controller: nothing to worry about.
            controller.out.say(
                "info",
                "broker reported offline directories that are not registered as online",
                broker=beat.broker_id,
                directories=[str(d) for d in answer.odd_dirs],
            )
        return BrokerHeartbeatResponse(
            is_caught_up=answer.is_caught_up,
            is_fenced=answer.is_fenced,
            should_shut_down=answer.should_shut_down,
        )

    return controller.serve(context, decide, respond, partial(refuse, request, context))


def refuse(
    request: BrokerHeartbeatRequest,
    context: RequestContext[BrokerHeartbeatResponse],
    error: Error,
    message: str,
) -> BrokerHeartbeatResponse:
    """The error; a broker that reads no further stays fenced and goes on."""
    return BrokerHeartbeatResponse(error_code=error)
