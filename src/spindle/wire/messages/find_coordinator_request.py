"""FindCoordinatorRequest (key 10), versions 0 to 6. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, compact_string, read_each
from spindle.wire.messages.find_coordinator_response import FindCoordinatorResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_b = Struct(">b").pack
pack_bB = Struct(">bB").pack
pack_h = Struct(">h").pack
unpack_b = Struct(">b").unpack_from
unpack_h = Struct(">h").unpack_from


class FindCoordinatorRequest(Request[FindCoordinatorResponse]):
    """The request of API 10."""

    KEY: ClassVar = 10
    VERSIONS: ClassVar = range(7)
    FIRST_FLEXIBLE: ClassVar = 3

    __slots__ = ("key", "key_type", "coordinator_keys")
    key: str  # until version 3
    key_type: int  # from version 1
    coordinator_keys: Sequence[str]  # from version 4

    def __init__(
        self, *, key: str = "", key_type: int = 0, coordinator_keys: Sequence[str] = ()
    ) -> None:
        self.key = key
        self.key_type = key_type
        self.coordinator_keys = coordinator_keys


def _read_find_coordinator_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[FindCoordinatorRequest, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("FindCoordinatorRequest.key")
    if n > end - o:
        raise short("FindCoordinatorRequest.key", n, end - o)
    key = str(b[o : o + n], "utf-8")
    o += n
    e = new(FindCoordinatorRequest)
    e.key = key
    e.key_type = 0
    e.coordinator_keys = ()
    return e, o


def _write_find_coordinator_request_v0(e: FindCoordinatorRequest, put: Put) -> None:
    key = e.key
    raw = key.encode()
    put(pack_h(len(raw)))
    put(raw)


def _read_find_coordinator_request_v1(
    b: Buffer, o: int, end: int
) -> tuple[FindCoordinatorRequest, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("FindCoordinatorRequest.key")
    if n > end - o:
        raise short("FindCoordinatorRequest.key", n, end - o)
    key = str(b[o : o + n], "utf-8")
    o += n
    (key_type,) = unpack_b(b, o)
    o += 1
    e = new(FindCoordinatorRequest)
    e.key = key
    e.key_type = key_type
    e.coordinator_keys = ()
    return e, o


def _write_find_coordinator_request_v1(e: FindCoordinatorRequest, put: Put) -> None:
    key = e.key
    raw = key.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_b(e.key_type))


def _read_find_coordinator_request_v3(
    b: Buffer, o: int, end: int
) -> tuple[FindCoordinatorRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FindCoordinatorRequest.key")
    if n > end - o:
        raise short("FindCoordinatorRequest.key", n, end - o)
    key = str(b[o : o + n], "utf-8")
    o += n
    (key_type,) = unpack_b(b, o)
    o += 1
    o = skip_tags(b, o, end, "FindCoordinatorRequest") if b[o] else o + 1
    e = new(FindCoordinatorRequest)
    e.key = key
    e.key_type = key_type
    e.coordinator_keys = ()
    return e, o


def _write_find_coordinator_request_v3(e: FindCoordinatorRequest, put: Put) -> None:
    key = e.key
    raw = key.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_bB(e.key_type, 0))


def _read_find_coordinator_request_v4(
    b: Buffer, o: int, end: int
) -> tuple[FindCoordinatorRequest, int]:
    (key_type,) = unpack_b(b, o)
    o += 1
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FindCoordinatorRequest.coordinator_keys")
    if n > end - o:
        raise short("FindCoordinatorRequest.coordinator_keys", n, end - o)
    all_coordinator_keys: list[str] = []
    for _ in range(n):
        n = b[o]
        o += 1
        if n > 127:
            n, o = long_uvarint(b, o, n)
        n -= 1
        if n < 0:
            raise null("FindCoordinatorRequest.coordinator_keys")
        if n > end - o:
            raise short("FindCoordinatorRequest.coordinator_keys", n, end - o)
        one_coordinator_keys = str(b[o : o + n], "utf-8")
        o += n
        all_coordinator_keys.append(one_coordinator_keys)
    coordinator_keys = tuple(all_coordinator_keys)
    o = skip_tags(b, o, end, "FindCoordinatorRequest") if b[o] else o + 1
    e = new(FindCoordinatorRequest)
    e.key = ""
    e.key_type = key_type
    e.coordinator_keys = coordinator_keys
    return e, o


def _write_find_coordinator_request_v4(e: FindCoordinatorRequest, put: Put) -> None:
    put(pack_b(e.key_type))
    coordinator_keys = e.coordinator_keys
    put(put_uvarint(len(coordinator_keys) + 1))
    for one_coordinator_keys in coordinator_keys:
        raw = one_coordinator_keys.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _walk_find_coordinator_request_v4(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[FindCoordinatorRequest]:
    (key_type,) = unpack_b(b, o)
    o += 1
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FindCoordinatorRequest.coordinator_keys")
    if n > end - o:
        raise short("FindCoordinatorRequest.coordinator_keys", n, end - o)
    coordinator_keys, o = yield from read_each(
        partial(compact_string, "FindCoordinatorRequest.coordinator_keys"), b, o, end, at, n
    )
    o = skip_tags(b, o, end, "FindCoordinatorRequest") if b[o] else o + 1
    e = new(FindCoordinatorRequest)
    e.key = ""
    e.key_type = key_type
    e.coordinator_keys = coordinator_keys
    return e, o


FindCoordinatorRequest.RESPONSE = FindCoordinatorResponse
FindCoordinatorRequest.WALKERS = {
    4: _walk_find_coordinator_request_v4,
    5: _walk_find_coordinator_request_v4,
    6: _walk_find_coordinator_request_v4,
}
FindCoordinatorRequest.READERS = {
    0: _read_find_coordinator_request_v0,
    1: _read_find_coordinator_request_v1,
    2: _read_find_coordinator_request_v1,
    3: _read_find_coordinator_request_v3,
    4: _read_find_coordinator_request_v4,
    5: _read_find_coordinator_request_v4,
    6: _read_find_coordinator_request_v4,
}
FindCoordinatorRequest.WRITERS = {
    0: _write_find_coordinator_request_v0,
    1: _write_find_coordinator_request_v1,
    2: _write_find_coordinator_request_v1,
    3: _write_find_coordinator_request_v3,
    4: _write_find_coordinator_request_v4,
    5: _write_find_coordinator_request_v4,
    6: _write_find_coordinator_request_v4,
}
