"""FindCoordinator (10), versions 0-6.

Behaviour:
- a group's coordinator leads its partition of `__consumer_offsets`; the first such question has
  the topic created, and is answered COORDINATOR_NOT_AVAILABLE until it is there and led;
- so it is with transactional ids and `__transaction_state`, and with share partitions
  (group:topic id:partition) and `__share_group_state`;
- any other kind of key is an INVALID_REQUEST.

Version notes: 0 knows groups only; 1 has the kind of key and error messages; 4 asks for many keys
at once (KIP-699); 6 has share partitions (KIP-932).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from spindle.model.errors import Error
from spindle.model.ids import id_from_text
from spindle.node.request_context import RequestContext
from spindle.wire.messages.find_coordinator_request import FindCoordinatorRequest
from spindle.wire.messages.find_coordinator_response import Coordinator, FindCoordinatorResponse

if TYPE_CHECKING:
    from spindle.node.broker import Broker

GROUP: Final = 0
TRANSACTION: Final = 1
SHARE: Final = 2
SHARE_FROM: Final = 6
"""The version that knows share partitions."""


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
        found = _find(broker, listener, context.version, kind, request.key)
        return FindCoordinatorResponse(
            error_code=found.error,
            error_message=found.message,
            node_id=found.node_id,
            host=found.host,
            port=found.port,
        )
    version = context.version
    places = [
        (key, _find(broker, listener, version, kind, key)) for key in request.coordinator_keys
    ]
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


def refuse(
    request: FindCoordinatorRequest,
    context: RequestContext[FindCoordinatorResponse],
    error: Error,
    message: str,
) -> FindCoordinatorResponse:
    """The error, for every key that was asked for."""
    if context.version < 4:
        return FindCoordinatorResponse(
            error_code=error, error_message=message, node_id=-1, host="", port=-1
        )
    return FindCoordinatorResponse(
        coordinators=tuple(
            Coordinator(
                key=key, node_id=-1, host="", port=-1, error_code=error, error_message=message
            )
            for key in request.coordinator_keys
        )
    )


def _find(broker: Broker, listener: str, version: int, kind: int, key: str) -> _LocatedCoordinator:
    shares = kind == SHARE and version >= SHARE_FROM and broker.groups.serves_shares
    if kind not in (GROUP, TRANSACTION) and not (shares and _is_share_key(key)):
        return _LocatedCoordinator(
            Error.INVALID_REQUEST, message=f"no coordinator for keys of type {kind}"
        )
    if kind == SHARE:
        leader = broker.share_coordinators.leader_for(key)
    else:
        leader = (broker.groups if kind == GROUP else broker.transactions).leader_for(key)
    endpoint = broker.image.endpoint(leader, listener) if leader is not None else None
    if leader is None or endpoint is None:
        return _LocatedCoordinator(
            Error.COORDINATOR_NOT_AVAILABLE, message="its partition has no leader now"
        )
    found = "" if version >= 4 else Error.NONE.name  # Apache Kafka's words where all is well.
    return _LocatedCoordinator(Error.NONE, leader, endpoint.host, endpoint.port, found)


def _is_share_key(key: str) -> bool:
    """Whether it is group:topic id:partition; a group's name may have colons, too."""
    group, _, rest = key.rpartition(":")
    group, _, topic = group.rpartition(":")
    try:
        id_from_text(topic)
    except ValueError:
        return False
    return bool(group) and rest.isdecimal()
