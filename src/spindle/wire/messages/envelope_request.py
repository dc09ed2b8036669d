"""EnvelopeRequest (key 58), version 0. Written by `tools.messages`."""

from __future__ import annotations

from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Put, Request, null, skip_tags
from spindle.wire.messages.envelope_response import EnvelopeResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__


class EnvelopeRequest(Request[EnvelopeResponse]):
    """The request of API 58."""

    KEY: ClassVar = 58
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("request_data", "request_principal", "client_host_address")
    request_data: bytes
    request_principal: bytes | None
    client_host_address: bytes

    def __init__(
        self,
        *,
        request_data: bytes = b"",
        request_principal: bytes | None = None,
        client_host_address: bytes = b"",
    ) -> None:
        self.request_data = request_data
        self.request_principal = request_principal
        self.client_host_address = client_host_address


def _read_envelope_request_v0(b: Buffer, o: int, end: int) -> tuple[EnvelopeRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("EnvelopeRequest.request_data")
    if n > end - o:
        raise short("EnvelopeRequest.request_data", n, end - o)
    request_data = bytes(b[o : o + n])
    o += n
    request_principal: bytes | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        request_principal = None
    else:
        if n > end - o:
            raise short("EnvelopeRequest.request_principal", n, end - o)
        request_principal = bytes(b[o : o + n])
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("EnvelopeRequest.client_host_address")
    if n > end - o:
        raise short("EnvelopeRequest.client_host_address", n, end - o)
    client_host_address = bytes(b[o : o + n])
    o += n
    o = skip_tags(b, o, end, "EnvelopeRequest") if b[o] else o + 1
    e = new(EnvelopeRequest)
    e.request_data = request_data
    e.request_principal = request_principal
    e.client_host_address = client_host_address
    return e, o


def _write_envelope_request_v0(e: EnvelopeRequest, put: Put) -> None:
    request_data = e.request_data
    put(put_uvarint(len(request_data) + 1))
    put(request_data)
    request_principal = e.request_principal
    if request_principal is None:
        put(b"\0")
    else:
        put(put_uvarint(len(request_principal) + 1))
        put(request_principal)
    client_host_address = e.client_host_address
    put(put_uvarint(len(client_host_address) + 1))
    put(client_host_address)
    put(b"\0")


EnvelopeRequest.RESPONSE = EnvelopeResponse
EnvelopeRequest.READERS = {
    0: _read_envelope_request_v0,
}
EnvelopeRequest.WRITERS = {
    0: _write_envelope_request_v0,
}
