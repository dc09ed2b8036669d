"""Requests of clients that only the controller can decide, on their way there (KIP-590).

The client's own bytes travel in an Envelope and its answer comes back as it is, in the client's
version. NOT_CONTROLLER, and a controller that does not answer, are tried again until the client's
time is over.

The client gets its answer once this broker acts on the change itself, or `CATCH_UP_MAX` later: an
ACL that was made is in force here, a topic that was made is known. Apache Kafka's broker may lag
behind its own answer, and its controllers do not say how far to wait. Used by the handlers of such
APIs (function `on_broker`).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from typing import Final

from spindle.model.errors import Error, PeerFailed, Refusal
from spindle.node.broker_context import BrokerContext
from spindle.node.request_context import LATER, Later, R, RequestContext
from spindle.wire.messages.envelope_request import EnvelopeRequest
from spindle.wire.messages.envelope_response import EnvelopeResponse
from spindle.wire.principals import principal_bytes

VERSION: Final = 0
DEFAULT_TIMEOUT: Final = 30.0
TIMEOUT_MAX: Final = 300.0
"""s that a request may be under way, whatever its client says."""
RETRY_DELAY: Final = 0.1
CATCH_UP_MAX: Final = 1.0
"""s that an answer waits for this broker to act on what it says."""
CATCH_UP_CHECK: Final = 0.005
IN_FLIGHT_MAX: Final = 1_000


class Forwarding:
    """The requests of clients that are with the controller."""

    def __init__(self, context: BrokerContext) -> None:
        self._context = context
        self._in_flight = 0

    def forward(
        self,
        context: RequestContext[R],
        refuse: Callable[[Error, str], R],
        timeout_ms: int | None = None,
    ) -> Later:
        """Have the controller answer a client, which waits for `timeout_ms` where it says so.

        Refusal REQUEST_TIMED_OUT where too many wait.
        """
        if self._in_flight >= IN_FLIGHT_MAX:
            raise Refusal(
                Error.REQUEST_TIMED_OUT, f"{IN_FLIGHT_MAX} requests wait for the controller"
            )
        self._in_flight += 1
        envelope = EnvelopeRequest(
            request_data=bytes(context.raw),
            request_principal=principal_bytes(context.principal),
            client_host_address=_address_bytes(context.host),
        )
        self._send(context, refuse, envelope, self._context.out.now + _timeout(timeout_ms))
        return LATER

    def _send(
        self,
        context: RequestContext[R],
        refuse: Callable[[Error, str], R],
        envelope: EnvelopeRequest,
        deadline: float,
    ) -> None:
        out = self._context.out
        left = deadline - out.now

        def on_reply(reply: EnvelopeResponse | PeerFailed) -> None:
            if isinstance(reply, PeerFailed) or reply.error_code == Error.NOT_CONTROLLER:
                if out.now + RETRY_DELAY < deadline:
                    out.after(RETRY_DELAY, lambda: self._send(context, refuse, envelope, deadline))
                    return
                words = _unanswered(self._context.controller.named())
                self._answer(context, refuse, Error.REQUEST_TIMED_OUT, words)
            elif reply.error_code != Error.NONE:
                self._answer(
                    context,
                    refuse,
                    _own_error(reply.error_code),
                    f"the controller refused the envelope with error {int(reply.error_code)}",
                )
            else:
                data = bytes(reply.response_data or b"")
                self._hand_back(context, data, reply.metadata_offset, out.now + CATCH_UP_MAX)

        self._context.controller.ask("forwarding", envelope, VERSION, on_reply, left)

    def _hand_back(
        self, context: RequestContext[R], data: bytes, offset: int, deadline: float
    ) -> None:
        """Answer with the controller's bytes once this broker acts on the metadata up to there."""
        out = self._context.out
        if self._context.metadata.told < offset and out.now < deadline:
            out.after(CATCH_UP_CHECK, lambda: self._hand_back(context, data, offset, deadline))
            return
        self._in_flight -= 1
        context.answer_buffers([len(data).to_bytes(4, "big") + data])

    def _answer(
        self,
        context: RequestContext[R],
        refuse: Callable[[Error, str], R],
        error: Error,
        message: str,
    ) -> None:
        self._in_flight -= 1
        context.answer(refuse(error, message))


def _unanswered(active: str) -> str:
    """What to say of a controller that gave no answer."""
    if not active:
        return (
            "no active controller answered in time, and none is known: a majority of the "
            "controllers must run and reach each other"
        )
    return (
        f"no active controller answered in time; the last one known is {active}: where it is frozen"
        " or overloaded, continue or restart it (the others of its quorum then elect one of them)"
    )


def _own_error(code: int) -> Error:
    # An old controller may lack the API or the version: the client gets just that error.
    if code == Error.UNSUPPORTED_VERSION:
        return Error.UNSUPPORTED_VERSION
    return Error.UNKNOWN_SERVER_ERROR


def _timeout(given_ms: int | None) -> float:
    """How long the client waits, in s; what the request says where it says so."""
    seconds = DEFAULT_TIMEOUT if given_ms is None else given_ms / 1000
    return min(seconds, TIMEOUT_MAX) if seconds > 0 else DEFAULT_TIMEOUT


def _address_bytes(host: str) -> bytes:
    try:
        return ipaddress.ip_address(host).packed
    except ValueError:
        return bytes(4)  # a name, not an address: no decision rests on it
