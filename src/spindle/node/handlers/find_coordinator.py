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

from typing import TYPE_CHECKING, Final, NamedTuple

from spindle.model.errors import Error
from spindle.node.request_context import RequestContext
from spindle.wire.messages.find_coordinator_request import FindCoordinatorRequest
from spindle.wire.messages.find_coordinator_response import Coordinator, FindCoordinatorResponse

if TYPE_CHECKING:
    from spindle.node.broker import Broker

GROUP: Final = 0
TRANSACTION: Final = 1


class _LocatedCoordinator(NamedTuple):
    error: Error
    node_id: int = -1
    host: str = ""
    port: int = -1
    message: str | None = None


def on_broker(
    broker: Broker,
    request: FindCoordinatorRequest,
    context: RequestContext[FindCoordinatorResponse],
) -> FindCoordinatorResponse:
    """Name the coordinator."""
    kind, listener = request.key_type, context.listener
    if context.version < 4:
        found = _find(broker, listener, kind, request.key)
        return FindCoordinatorResponse(
            error_code=found.error,
            error_message=found.message,
            node_id=found.node_id,
            host=found.host,
            port=found.port,
        )
    places = [(key, _find(broker, listener, kind, key)) for key in request.coordinator_keys]
    return FindCoordinatorResponse(
        coordinators=tuple(
            Coordinator(
                key=key,
                node_id=place.node_id,
                host=place.host,
                port=place.port,
                error_code=place.error,
                error_message=place.message,
            )
            for key, place in places
        )
    )


def _find(broker: Broker, listener: str, kind: int, key: str) -> _LocatedCoordinator:
    if kind not in (GROUP, TRANSACTION):
        return _LocatedCoordinator(
            Error.INVALID_REQUEST, message=f"no coordinator for keys of type {kind}"
        )
    leader = (broker.groups if kind == GROUP else broker.transactions).leader_for(key)
    endpoint = broker.image.endpoint(leader, listener) if leader is not None else None
    if leader is None or endpoint is None:
        return _LocatedCoordinator(
            Error.COORDINATOR_NOT_AVAILABLE, message="its partition has no leader now"
        )
    return _LocatedCoordinator(Error.NONE, leader, endpoint.host, endpoint.port)
