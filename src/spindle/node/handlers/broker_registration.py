"""BrokerRegistration (62), versions 0-4, controller listener.

Behaviour: a broker's process presents itself with its endpoints, features and log directories and
gets its epoch, the offset of the first record of its registration. Checks and their order are in
`core.controller.brokers.register`.

Version notes: 1 adds the ZooKeeper flag, 2 log directories (KIP-858), 3 the epoch of the last clean
shutdown (KIP-966); 4 tells feature ranges that begin at 0.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from spindle.core.controller import brokers
from spindle.model.errors import Error
from spindle.model.ids import ZERO_ID, Endpoint, VersionRange
from spindle.node.request_context import Later, RequestContext
from spindle.wire.messages.broker_registration_request import BrokerRegistrationRequest
from spindle.wire.messages.broker_registration_response import BrokerRegistrationResponse

if TYPE_CHECKING:
    from spindle.node.controller import Controller


def on_controller(
    controller: Controller,
    request: BrokerRegistrationRequest,
    context: RequestContext[BrokerRegistrationResponse],
) -> Later:
    """Register a broker."""
    asked = _asked(request)

    def respond(epoch: int) -> BrokerRegistrationResponse:
        controller.out.say(
            "info",
            "broker registered",
            broker=asked.broker_id,
            epoch=epoch,
            directories=len(asked.log_dirs),
        )
        return BrokerRegistrationResponse(broker_epoch=epoch)

    return controller.serve(
        context,
        lambda state: brokers.register(
            state, controller.sessions, asked, controller.quorum.next_offset, controller.out.now
        ),
        respond,
        partial(refuse, request, context),
    )


def _asked(request: BrokerRegistrationRequest) -> brokers.Registration:
    return brokers.Registration(
        broker_id=request.broker_id,
        cluster_id=request.cluster_id,
        incarnation_id=request.incarnation_id or ZERO_ID,
        endpoints=tuple(
            Endpoint(e.name, e.host, e.port, e.security_protocol) for e in request.listeners
        ),
        features={
            f.name: VersionRange(f.min_supported_version, f.max_supported_version)
            for f in request.features
        },
        rack=request.rack,
        log_dirs=tuple(d or ZERO_ID for d in request.log_dirs),
        previous_epoch=request.previous_broker_epoch,
        from_zookeeper=request.is_migrating_zk_broker,
    )


def refuse(
    request: BrokerRegistrationRequest,
    context: RequestContext[BrokerRegistrationResponse],
    error: Error,
    message: str,
) -> BrokerRegistrationResponse:
    """No epoch."""
    return BrokerRegistrationResponse(error_code=error)
