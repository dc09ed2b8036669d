"""FindCoordinatorResponse (key 10), versions 0 to 6. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Message, Packed, Put, Response, null, skip_tags
from spindle.wire.values import ERRORS, long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_hi = Struct(">hi").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_ih = Struct(">ih").pack
unpack_h = Struct(">h").unpack_from
unpack_hi = Struct(">hi").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ih = Struct(">ih").unpack_from


class Coordinator(Message):
    """A part of FindCoordinatorResponse."""

    __slots__ = ("key", "node_id", "host", "port", "error_code", "error_message")
    key: str
    node_id: int
    host: str
    port: int
    error_code: ErrorCode
    error_message: str | None

    def __init__(
        self,
        *,
        key: str = "",
        node_id: int = 0,
        host: str = "",
        port: int = 0,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
    ) -> None:
        self.key = key
        self.node_id = node_id
        self.host = host
        self.port = port
        self.error_code = error_code
        self.error_message = error_message


class FindCoordinatorResponse(Response):
    """The response of API 10."""

    KEY: ClassVar = 10
    VERSIONS: ClassVar = range(7)
    FIRST_FLEXIBLE: ClassVar = 3
    THROTTLE_FROM: ClassVar = 1

    __slots__ = (
        "throttle_time_ms",
        "coordinators",
        "error_code",
        "error_message",
        "node_id",
        "host",
        "port",
    )
    throttle_time_ms: int  # from version 1
    coordinators: Sequence[Coordinator]  # from version 4
    error_code: ErrorCode  # until version 3
    error_message: str | None  # from version 1, until version 3
    node_id: int  # until version 3
    host: str  # until version 3
    port: int  # until version 3

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        coordinators: Sequence[Coordinator] = (),
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
        node_id: int = 0,
        host: str = "",
        port: int = 0,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.coordinators = coordinators
        self.error_code = error_code
        self.error_message = error_message
        self.node_id = node_id
        self.host = host
        self.port = port


def _read_coordinator_v4(b: Buffer, o: int, end: int) -> tuple[Coordinator, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Coordinator.key")
    if n > end - o:
        raise short("Coordinator.key", n, end - o)
    key = str(b[o : o + n], "utf-8")
    o += n
    (node_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Coordinator.host")
    if n > end - o:
        raise short("Coordinator.host", n, end - o)
    host = str(b[o : o + n], "utf-8")
    o += n
    port, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    error_message: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        error_message = None
    else:
        if n > end - o:
            raise short("Coordinator.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "Coordinator") if b[o] else o + 1
    e = new(Coordinator)
    e.key = key
    e.node_id = node_id
    e.host = host
    e.port = port
    e.error_code = error_code
    e.error_message = error_message
    return e, o


def _write_coordinator_v4(e: Coordinator, put: Put) -> None:
    key = e.key
    raw = key.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_i(e.node_id))
    host = e.host
    raw = host.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_ih(e.port, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _read_find_coordinator_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[FindCoordinatorResponse, int]:
    error_code, node_id = unpack_hi(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("FindCoordinatorResponse.host")
    if n > end - o:
        raise short("FindCoordinatorResponse.host", n, end - o)
    host = str(b[o : o + n], "utf-8")
    o += n
    (port,) = unpack_i(b, o)
    o += 4
    e = new(FindCoordinatorResponse)
    e.throttle_time_ms = 0
    e.coordinators = ()
    e.error_code = error_code
    e.error_message = None
    e.node_id = node_id
    e.host = host
    e.port = port
    return e, o


def _write_find_coordinator_response_v0(e: FindCoordinatorResponse, put: Put) -> None:
    put(pack_hi(e.error_code, e.node_id))
    host = e.host
    raw = host.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_i(e.port))


def _read_find_coordinator_response_v1(
    b: Buffer, o: int, end: int
) -> tuple[FindCoordinatorResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    error_message: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        error_message = None
    else:
        if n > end - o:
            raise short("FindCoordinatorResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    (node_id,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("FindCoordinatorResponse.host")
    if n > end - o:
        raise short("FindCoordinatorResponse.host", n, end - o)
    host = str(b[o : o + n], "utf-8")
    o += n
    (port,) = unpack_i(b, o)
    o += 4
    e = new(FindCoordinatorResponse)
    e.throttle_time_ms = throttle_time_ms
    e.coordinators = ()
    e.error_code = error_code
    e.error_message = error_message
    e.node_id = node_id
    e.host = host
    e.port = port
    return e, o


def _write_find_coordinator_response_v1(e: FindCoordinatorResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\xff\xff")
    else:
        raw = error_message.encode()
        put(pack_h(len(raw)))
        put(raw)
    put(pack_i(e.node_id))
    host = e.host
    raw = host.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_i(e.port))


def _read_find_coordinator_response_v3(
    b: Buffer, o: int, end: int
) -> tuple[FindCoordinatorResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    error_message: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        error_message = None
    else:
        if n > end - o:
            raise short("FindCoordinatorResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    (node_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FindCoordinatorResponse.host")
    if n > end - o:
        raise short("FindCoordinatorResponse.host", n, end - o)
    host = str(b[o : o + n], "utf-8")
    o += n
    (port,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "FindCoordinatorResponse") if b[o] else o + 1
    e = new(FindCoordinatorResponse)
    e.throttle_time_ms = throttle_time_ms
    e.coordinators = ()
    e.error_code = error_code
    e.error_message = error_message
    e.node_id = node_id
    e.host = host
    e.port = port
    return e, o


def _write_find_coordinator_response_v3(e: FindCoordinatorResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_i(e.node_id))
    host = e.host
    raw = host.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_iB(e.port, 0))


def _read_find_coordinator_response_v4(
    b: Buffer, o: int, end: int
) -> tuple[FindCoordinatorResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FindCoordinatorResponse.coordinators")
    if n * 14 > end - o:
        raise short("FindCoordinatorResponse.coordinators", n * 14, end - o)
    all_coordinators: list[Coordinator] = []
    for _ in range(n):
        one_coordinators, o = _read_coordinator_v4(b, o, end)
        all_coordinators.append(one_coordinators)
    coordinators = tuple(all_coordinators)
    o = skip_tags(b, o, end, "FindCoordinatorResponse") if b[o] else o + 1
    e = new(FindCoordinatorResponse)
    e.throttle_time_ms = throttle_time_ms
    e.coordinators = coordinators
    e.error_code = Error.NONE
    e.error_message = None
    e.node_id = 0
    e.host = ""
    e.port = 0
    return e, o


def _write_find_coordinator_response_v4(e: FindCoordinatorResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    coordinators = e.coordinators
    put(put_uvarint(len(coordinators) + 1))
    if type(coordinators) is Packed:
        for piece in coordinators.pieces:
            put(piece)
    else:
        for one_coordinators in coordinators:
            _write_coordinator_v4(one_coordinators, put)
    put(b"\0")


FindCoordinatorResponse.READERS = {
    0: _read_find_coordinator_response_v0,
    1: _read_find_coordinator_response_v1,
    2: _read_find_coordinator_response_v1,
    3: _read_find_coordinator_response_v3,
    4: _read_find_coordinator_response_v4,
    5: _read_find_coordinator_response_v4,
    6: _read_find_coordinator_response_v4,
}
Coordinator.WRITERS = {
    4: _write_coordinator_v4,
    5: _write_coordinator_v4,
    6: _write_coordinator_v4,
}
FindCoordinatorResponse.WRITERS = {
    0: _write_find_coordinator_response_v0,
    1: _write_find_coordinator_response_v1,
    2: _write_find_coordinator_response_v1,
    3: _write_find_coordinator_response_v3,
    4: _write_find_coordinator_response_v4,
    5: _write_find_coordinator_response_v4,
    6: _write_find_coordinator_response_v4,
}
