"""DescribeClusterResponse (key 60), versions 0 to 2. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Message, Packed, Put, Response, null, skip_tags
from spindle.wire.values import ERRORS, long_uvarint, put_uvarint, short

new = object.__new__
pack_b = Struct(">b").pack
pack_i = Struct(">i").pack
pack_iB = Struct(">iB").pack
pack_ih = Struct(">ih").pack
pack_tB = Struct(">?B").pack
unpack_b = Struct(">b").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_t = Struct(">?").unpack_from


class DescribeClusterBroker(Message):
    """A part of DescribeClusterResponse."""

    __slots__ = ("broker_id", "host", "port", "rack", "is_fenced")
    broker_id: int
    host: str
    port: int
    rack: str | None
    is_fenced: bool  # from version 2

    def __init__(
        self,
        *,
        broker_id: int = 0,
        host: str = "",
        port: int = 0,
        rack: str | None = None,
        is_fenced: bool = False,
    ) -> None:
        self.broker_id = broker_id
        self.host = host
        self.port = port
        self.rack = rack
        self.is_fenced = is_fenced


class DescribeClusterResponse(Response):
    """The response of API 60."""

    KEY: ClassVar = 60
    VERSIONS: ClassVar = range(3)
    FIRST_FLEXIBLE: ClassVar = 0
    THROTTLE_FROM: ClassVar = 0

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
        "endpoint_type",
        "cluster_id",
        "controller_id",
        "brokers",
        "cluster_authorized_operations",
    )
    throttle_time_ms: int
    error_code: ErrorCode
    error_message: str | None
    endpoint_type: int  # from version 1
    cluster_id: str
    controller_id: int
    brokers: Sequence[DescribeClusterBroker]
    cluster_authorized_operations: int

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
        endpoint_type: int = 1,
        cluster_id: str = "",
        controller_id: int = -1,
        brokers: Sequence[DescribeClusterBroker] = (),
        cluster_authorized_operations: int = -2147483648,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.endpoint_type = endpoint_type
        self.cluster_id = cluster_id
        self.controller_id = controller_id
        self.brokers = brokers
        self.cluster_authorized_operations = cluster_authorized_operations


def _read_describe_cluster_broker_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribeClusterBroker, int]:
    (broker_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeClusterBroker.host")
    if n > end - o:
        raise short("DescribeClusterBroker.host", n, end - o)
    host = str(b[o : o + n], "utf-8")
    o += n
    (port,) = unpack_i(b, o)
    o += 4
    rack: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        rack = None
    else:
        if n > end - o:
            raise short("DescribeClusterBroker.rack", n, end - o)
        rack = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "DescribeClusterBroker") if b[o] else o + 1
    e = new(DescribeClusterBroker)
    e.broker_id = broker_id
    e.host = host
    e.port = port
    e.rack = rack
    e.is_fenced = False
    return e, o


def _write_describe_cluster_broker_v0(e: DescribeClusterBroker, put: Put) -> None:
    put(pack_i(e.broker_id))
    host = e.host
    raw = host.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_i(e.port))
    rack = e.rack
    if rack is None:
        put(b"\0")
    else:
        raw = rack.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _read_describe_cluster_broker_v2(
    b: Buffer, o: int, end: int
) -> tuple[DescribeClusterBroker, int]:
    (broker_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeClusterBroker.host")
    if n > end - o:
        raise short("DescribeClusterBroker.host", n, end - o)
    host = str(b[o : o + n], "utf-8")
    o += n
    (port,) = unpack_i(b, o)
    o += 4
    rack: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        rack = None
    else:
        if n > end - o:
            raise short("DescribeClusterBroker.rack", n, end - o)
        rack = str(b[o : o + n], "utf-8")
        o += n
    (is_fenced,) = unpack_t(b, o)
    o += 1
    o = skip_tags(b, o, end, "DescribeClusterBroker") if b[o] else o + 1
    e = new(DescribeClusterBroker)
    e.broker_id = broker_id
    e.host = host
    e.port = port
    e.rack = rack
    e.is_fenced = is_fenced
    return e, o


def _write_describe_cluster_broker_v2(e: DescribeClusterBroker, put: Put) -> None:
    put(pack_i(e.broker_id))
    host = e.host
    raw = host.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_i(e.port))
    rack = e.rack
    if rack is None:
        put(b"\0")
    else:
        raw = rack.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_tB(e.is_fenced, 0))


def _read_describe_cluster_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribeClusterResponse, int]:
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
            raise short("DescribeClusterResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeClusterResponse.cluster_id")
    if n > end - o:
        raise short("DescribeClusterResponse.cluster_id", n, end - o)
    cluster_id = str(b[o : o + n], "utf-8")
    o += n
    (controller_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeClusterResponse.brokers")
    if n * 11 > end - o:
        raise short("DescribeClusterResponse.brokers", n * 11, end - o)
    all_brokers: list[DescribeClusterBroker] = []
    for _ in range(n):
        one_brokers, o = _read_describe_cluster_broker_v0(b, o, end)
        all_brokers.append(one_brokers)
    brokers = tuple(all_brokers)
    (cluster_authorized_operations,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "DescribeClusterResponse") if b[o] else o + 1
    e = new(DescribeClusterResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.error_message = error_message
    e.endpoint_type = 1
    e.cluster_id = cluster_id
    e.controller_id = controller_id
    e.brokers = brokers
    e.cluster_authorized_operations = cluster_authorized_operations
    return e, o


def _write_describe_cluster_response_v0(e: DescribeClusterResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    cluster_id = e.cluster_id
    raw = cluster_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_i(e.controller_id))
    brokers = e.brokers
    put(put_uvarint(len(brokers) + 1))
    if type(brokers) is Packed:
        for piece in brokers.pieces:
            put(piece)
    else:
        for one_brokers in brokers:
            _write_describe_cluster_broker_v0(one_brokers, put)
    put(pack_iB(e.cluster_authorized_operations, 0))


def _read_describe_cluster_response_v1(
    b: Buffer, o: int, end: int
) -> tuple[DescribeClusterResponse, int]:
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
            raise short("DescribeClusterResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    (endpoint_type,) = unpack_b(b, o)
    o += 1
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeClusterResponse.cluster_id")
    if n > end - o:
        raise short("DescribeClusterResponse.cluster_id", n, end - o)
    cluster_id = str(b[o : o + n], "utf-8")
    o += n
    (controller_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeClusterResponse.brokers")
    if n * 11 > end - o:
        raise short("DescribeClusterResponse.brokers", n * 11, end - o)
    all_brokers: list[DescribeClusterBroker] = []
    for _ in range(n):
        one_brokers, o = _read_describe_cluster_broker_v0(b, o, end)
        all_brokers.append(one_brokers)
    brokers = tuple(all_brokers)
    (cluster_authorized_operations,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "DescribeClusterResponse") if b[o] else o + 1
    e = new(DescribeClusterResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.error_message = error_message
    e.endpoint_type = endpoint_type
    e.cluster_id = cluster_id
    e.controller_id = controller_id
    e.brokers = brokers
    e.cluster_authorized_operations = cluster_authorized_operations
    return e, o


def _write_describe_cluster_response_v1(e: DescribeClusterResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_b(e.endpoint_type))
    cluster_id = e.cluster_id
    raw = cluster_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_i(e.controller_id))
    brokers = e.brokers
    put(put_uvarint(len(brokers) + 1))
    if type(brokers) is Packed:
        for piece in brokers.pieces:
            put(piece)
    else:
        for one_brokers in brokers:
            _write_describe_cluster_broker_v0(one_brokers, put)
    put(pack_iB(e.cluster_authorized_operations, 0))


def _read_describe_cluster_response_v2(
    b: Buffer, o: int, end: int
) -> tuple[DescribeClusterResponse, int]:
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
            raise short("DescribeClusterResponse.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    (endpoint_type,) = unpack_b(b, o)
    o += 1
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeClusterResponse.cluster_id")
    if n > end - o:
        raise short("DescribeClusterResponse.cluster_id", n, end - o)
    cluster_id = str(b[o : o + n], "utf-8")
    o += n
    (controller_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeClusterResponse.brokers")
    if n * 12 > end - o:
        raise short("DescribeClusterResponse.brokers", n * 12, end - o)
    all_brokers: list[DescribeClusterBroker] = []
    for _ in range(n):
        one_brokers, o = _read_describe_cluster_broker_v2(b, o, end)
        all_brokers.append(one_brokers)
    brokers = tuple(all_brokers)
    (cluster_authorized_operations,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "DescribeClusterResponse") if b[o] else o + 1
    e = new(DescribeClusterResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.error_message = error_message
    e.endpoint_type = endpoint_type
    e.cluster_id = cluster_id
    e.controller_id = controller_id
    e.brokers = brokers
    e.cluster_authorized_operations = cluster_authorized_operations
    return e, o


def _write_describe_cluster_response_v2(e: DescribeClusterResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_b(e.endpoint_type))
    cluster_id = e.cluster_id
    raw = cluster_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_i(e.controller_id))
    brokers = e.brokers
    put(put_uvarint(len(brokers) + 1))
    if type(brokers) is Packed:
        for piece in brokers.pieces:
            put(piece)
    else:
        for one_brokers in brokers:
            _write_describe_cluster_broker_v2(one_brokers, put)
    put(pack_iB(e.cluster_authorized_operations, 0))


DescribeClusterResponse.READERS = {
    0: _read_describe_cluster_response_v0,
    1: _read_describe_cluster_response_v1,
    2: _read_describe_cluster_response_v2,
}
DescribeClusterBroker.WRITERS = {
    0: _write_describe_cluster_broker_v0,
    1: _write_describe_cluster_broker_v0,
    2: _write_describe_cluster_broker_v2,
}
DescribeClusterResponse.WRITERS = {
    0: _write_describe_cluster_response_v0,
    1: _write_describe_cluster_response_v1,
    2: _write_describe_cluster_response_v2,
}
