"""Envelope (58), version 0, controller listener.

Behaviour: a broker hands on a client's request, header and body as they came, with the client's
principal and address (KIP-590). The answer's bytes, in the client's version, travel back the same
way. NOT_CONTROLLER: the broker looks for the active controller and sends it again.
PRINCIPAL_DESERIALIZATION_FAILURE, INVALID_REQUEST for a request that may not be forwarded or a
client address that is none, UNSUPPORTED_VERSION for one that cannot be read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt, Error, Refusal
from spindle.node.calls import Call
from spindle.wire.apis import Key
from spindle.wire.entities import data_class, decode, make
from spindle.wire.framing import decode_header

if TYPE_CHECKING:
    from spindle.node.controller import Controller

FORWARDABLE: Final = frozenset(
    (
        Key.CREATE_TOPICS,
        Key.DELETE_TOPICS,
        Key.CREATE_ACLS,
        Key.DELETE_ACLS,
        Key.ALTER_CONFIGS,
        Key.CREATE_PARTITIONS,
        Key.CREATE_DELEGATION_TOKEN,
        Key.RENEW_DELEGATION_TOKEN,
        Key.EXPIRE_DELEGATION_TOKEN,
        Key.ELECT_LEADERS,
        Key.INCREMENTAL_ALTER_CONFIGS,
        Key.ALTER_PARTITION_REASSIGNMENTS,
        Key.LIST_PARTITION_REASSIGNMENTS,
        Key.ALTER_CLIENT_QUOTAS,
        Key.ALTER_USER_SCRAM_CREDENTIALS,
        Key.DESCRIBE_QUORUM,
        Key.UPDATE_FEATURES,
        Key.UNREGISTER_BROKER,
        Key.ADD_RAFT_VOTER,
        Key.REMOVE_RAFT_VOTER,
    )
)
ADDRESS_SIZES: Final = (4, 16)


def on_controller(controller: Controller, call: Call) -> None:
    """Serve the request inside."""
    _check_principal(call.body.request_principal)
    if len(call.body.client_host_address) not in ADDRESS_SIZES:
        raise Refusal(Error.INVALID_REQUEST, "the client's address is neither IPv4 nor IPv6")
    if not controller.active:
        raise Refusal(Error.NOT_CONTROLLER, "this node is not the active controller")
    frame = bytes(call.body.request_data)
    try:
        header, _ = decode_header(frame)
        if header.api_key not in FORWARDABLE:
            raise Refusal(Error.INVALID_REQUEST, f"API {header.api_key} may not be forwarded")
        assert controller.router is not None, "it was composed"
        controller.router.on_forwarded(frame, call, lambda buffers: _answer(call, buffers))
    except Corrupt as corrupt:
        raise Refusal(Error.UNSUPPORTED_VERSION, str(corrupt)) from None


def _answer(call: Call, buffers: list[Buffer]) -> None:
    if not buffers:
        call.answer(refuse(call, Error.NOT_CONTROLLER, ""))
        return
    data = b"".join(buffers)[4:]  # without the length that a connection would need
    call.answer(make(call.reply.EnvelopeResponse, response_data=data, error_code=Error.NONE))


def _check_principal(data: Buffer | None) -> None:
    raw = bytes(data or b"")
    try:
        if raw[:2] != b"\x00\x00":
            raise Corrupt("unknown version")
        decode(data_class("default_principal_data", 0), raw, 2)
    except Corrupt as corrupt:
        raise Refusal(
            Error.PRINCIPAL_DESERIALIZATION_FAILURE, f"the principal cannot be read: {corrupt}"
        ) from None


def refuse(call: Call, error: Error, message: str) -> Any:
    """The envelope was not opened."""
    return make(call.reply.EnvelopeResponse, response_data=None, error_code=error)
