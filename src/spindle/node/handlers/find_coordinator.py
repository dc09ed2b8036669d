"""FindCoordinator (10), versions 0-6.

Behaviour:
- a group's coordinator leads its partition of `__consumer_offsets`; the first such question has
  the topic created, and is answered COORDINATOR_NOT_AVAILABLE until it is there and led;
- so it is with transactional ids and `__transaction_state`;
- any other kind of key is an INVALID_REQUEST.

Version notes: 0 knows groups only; 1 has the kind of key and error messages; 4 asks for many keys
at once (KIP-699); 6 has share groups, which are not served.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from spindle.model.errors import Error
from spindle.node.calls import Call
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.broker import Broker

GROUP: Final = 0
TRANSACTION: Final = 1


class _Found(NamedTuple):
    error: Error
    node_id: int = -1
    host: str = ""
    port: int = -1
    message: str | None = None


def on_broker(broker: Broker, call: Call) -> None:
    """Tell who coordinates."""
    kind = getattr(call.body, "key_type", GROUP)
    if call.version < 4:
        call.answer(_single(call, _find(broker, call, kind, call.body.key)))
        return
    r = call.reply
    found = [(key, _find(broker, call, kind, key)) for key in call.body.coordinator_keys]
    call.answer(
        make(
            r.FindCoordinatorResponse,
            coordinators=tuple(
                r.Coordinator(
                    key=key,
                    node_id=place.node_id,
                    host=place.host,
                    port=place.port,
                    error_code=place.error,
                    error_message=place.message,
                )
                for key, place in found
            ),
        )
    )


def _find(broker: Broker, call: Call, kind: int, key: str) -> _Found:
    if kind not in (GROUP, TRANSACTION):
        return _Found(Error.INVALID_REQUEST, message=f"no coordinator for keys of type {kind}")
    leader = (broker.groups if kind == GROUP else broker.transactions).leader_for(key)
    endpoint = broker.image.endpoint(leader, call.listener) if leader is not None else None
    if leader is None or endpoint is None:
        return _Found(Error.COORDINATOR_NOT_AVAILABLE, message="nobody leads its partition now")
    return _Found(Error.NONE, leader, endpoint.host, endpoint.port)


def _single(call: Call, found: _Found) -> Any:
    return make(
        call.reply.FindCoordinatorResponse,
        error_code=found.error,
        error_message=found.message,
        node_id=found.node_id,
        host=found.host,
        port=found.port,
    )
