"""BrokerRegistration (62), versions 0-4, controller listener.

Behaviour: a broker's process presents itself with its endpoints, features and log directories and
gets its epoch, the offset of the first record of its registration. Checks and their order are in
`core.controller.brokers.register`.

Version notes: 1 adds the ZooKeeper flag, 2 log directories (KIP-858), 3 the epoch of the last clean
shutdown (KIP-966); 4 tells feature ranges that begin at 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spindle.core.controller import brokers
from spindle.model.errors import Error
from spindle.model.ids import ZERO_ID, Endpoint, VersionRange
from spindle.node.calls import Call
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.controller import Controller


def on_controller(controller: Controller, call: Call) -> None:
    """Register a broker."""
    body = call.body
    asked = brokers.Registration(
        broker_id=body.broker_id,
        cluster_id=body.cluster_id,
        incarnation_id=body.incarnation_id or ZERO_ID,
        endpoints=tuple(
            Endpoint(e.name, e.host, int(e.port), int(e.security_protocol)) for e in body.listeners
        ),
        features={
            f.name: VersionRange(int(f.min_supported_version), int(f.max_supported_version))
            for f in body.features
        },
        rack=body.rack,
        log_dirs=tuple(d or ZERO_ID for d in getattr(body, "log_dirs", ())),
        previous_epoch=int(getattr(body, "previous_broker_epoch", -1)),
        from_zookeeper=getattr(body, "is_migrating_zk_broker", False),
    )

    def respond(epoch: int) -> Any:
        controller.out.say(
            "info",
            "broker registered",
            broker=asked.broker_id,
            epoch=epoch,
            directories=len(asked.log_dirs),
        )
        return make(
            call.reply.BrokerRegistrationResponse, error_code=Error.NONE, broker_epoch=epoch
        )

    controller.serve(
        call,
        lambda state: brokers.register(
            state, controller.sessions, asked, controller.quorum.next_offset, controller.out.now
        ),
        respond,
        refuse,
    )


def refuse(call: Call, error: Error, message: str) -> Any:
    """No epoch."""
    return make(call.reply.BrokerRegistrationResponse, error_code=error, broker_epoch=-1)
