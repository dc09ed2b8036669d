"""Requests of clients that only the controller can decide, on their way there (KIP-590).

The client's own bytes travel in an Envelope and its answer comes back as it is, in the client's
version. NOT_CONTROLLER, and a controller that does not answer, are tried again until the client's
time is over. Used by the handlers of such APIs (function `on_broker`).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from typing import Any, Final

from spindle.model.errors import Error, PeerFailed, Refusal
from spindle.node.calls import Call
from spindle.node.site import Site
from spindle.wire.apis import Key
from spindle.wire.entities import data_class, encode, make, request_types, to_ms

Refuse = Callable[[Call, Error, str], Any]

DEFAULT_TIMEOUT: Final = 30.0
TIMEOUT_MAX: Final = 300.0
"""s that a request may be under way, whatever its client says."""
RETRY_DELAY: Final = 0.1
IN_FLIGHT_MAX: Final = 1_000


class Forwarding:
    """The requests of clients that are with the controller."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._in_flight = 0

    def forward(self, call: Call, refuse: Refuse) -> None:
        """Have the controller answer a client. Refusal REQUEST_TIMED_OUT where too many wait."""
        if self._in_flight >= IN_FLIGHT_MAX:
            raise Refusal(
                Error.REQUEST_TIMED_OUT, f"{IN_FLIGHT_MAX} requests wait for the controller"
            )
        self._in_flight += 1
        types = request_types(Key.ENVELOPE, 0)
        envelope = make(
            types.EnvelopeRequest,
            request_data=bytes(call.raw),
            request_principal=principal_bytes(),
            client_host_address=_address_bytes(call.host),
        )
        self._send(call, refuse, envelope, self._site.out.now + _timeout(call))

    def _send(self, call: Call, refuse: Refuse, envelope: Any, deadline: float) -> None:
        out = self._site.out
        left = deadline - out.now

        def on_reply(reply: Any) -> None:
            if isinstance(reply, PeerFailed) or reply.error_code == Error.NOT_CONTROLLER:
                if out.now + RETRY_DELAY < deadline:
                    out.after(RETRY_DELAY, lambda: self._send(call, refuse, envelope, deadline))
                    return
                self._answer(
                    call, refuse, Error.REQUEST_TIMED_OUT, "no active controller answered in time"
                )
            elif reply.error_code != Error.NONE:
                self._answer(
                    call,
                    refuse,
                    _own_error(reply.error_code),
                    f"the controller refused the envelope with error {int(reply.error_code)}",
                )
            else:
                self._in_flight -= 1
                data = bytes(reply.response_data)
                call.answer_buffers([len(data).to_bytes(4, "big") + data])

        self._site.controller.ask("forwarding", envelope, on_reply, timeout=left)

    def _answer(self, call: Call, refuse: Refuse, error: Error, message: str) -> None:
        self._in_flight -= 1
        call.answer(refuse(call, error, message))


def _own_error(code: int) -> Error:
    # An old controller may lack the API or the version: the client is told just that.
    if code == Error.UNSUPPORTED_VERSION:
        return Error.UNSUPPORTED_VERSION
    return Error.UNKNOWN_SERVER_ERROR


def _timeout(call: Call) -> float:
    """How long the client waits, in s; what the request says where it says so."""
    given = getattr(call.body, "timeout", None)
    seconds = DEFAULT_TIMEOUT if given is None else to_ms(given) / 1000
    return min(seconds, TIMEOUT_MAX) if seconds > 0 else DEFAULT_TIMEOUT


def principal_bytes() -> bytes:
    """The client's principal as an Envelope carries it: without authentication, ANONYMOUS."""
    cls = data_class("default_principal_data", 0)
    principal = make(cls, type_="User", name="ANONYMOUS", token_authenticated=False)
    return (0).to_bytes(2, "big") + encode(principal)


def _address_bytes(host: str) -> bytes:
    try:
        return ipaddress.ip_address(host).packed
    except ValueError:
        return bytes(4)  # a name, not an address: nobody decides by it
