"""AlterLogDirStateRequest (key 30113), versions 0 to 1. Written by `tools.messages`."""

from __future__ import annotations

from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Put, Request, null, skip_tags
from spindle.wire.messages.alter_log_dir_state_response import AlterLogDirStateResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_bB = Struct(">bB").pack
pack_btB = Struct(">b?B").pack
unpack_b = Struct(">b").unpack_from
unpack_bt = Struct(">b?").unpack_from


class AlterLogDirStateRequest(Request[AlterLogDirStateResponse]):
    """The request of API 30113."""

    KEY: ClassVar = 30113
    VERSIONS: ClassVar = range(2)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("log_dir", "wanted_state", "force")
    log_dir: str
    wanted_state: int
    force: bool  # from version 1

    def __init__(self, *, log_dir: str = "", wanted_state: int = 0, force: bool = False) -> None:
        self.log_dir = log_dir
        self.wanted_state = wanted_state
        self.force = force


def _read_alter_log_dir_state_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[AlterLogDirStateRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterLogDirStateRequest.log_dir")
    if n > end - o:
        raise short("AlterLogDirStateRequest.log_dir", n, end - o)
    log_dir = str(b[o : o + n], "utf-8")
    o += n
    (wanted_state,) = unpack_b(b, o)
    o += 1
    o = skip_tags(b, o, end, "AlterLogDirStateRequest") if b[o] else o + 1
    e = new(AlterLogDirStateRequest)
    e.log_dir = log_dir
    e.wanted_state = wanted_state
    e.force = False
    return e, o


def _write_alter_log_dir_state_request_v0(e: AlterLogDirStateRequest, put: Put) -> None:
    log_dir = e.log_dir
    raw = log_dir.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_bB(e.wanted_state, 0))


def _read_alter_log_dir_state_request_v1(
    b: Buffer, o: int, end: int
) -> tuple[AlterLogDirStateRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterLogDirStateRequest.log_dir")
    if n > end - o:
        raise short("AlterLogDirStateRequest.log_dir", n, end - o)
    log_dir = str(b[o : o + n], "utf-8")
    o += n
    wanted_state, force = unpack_bt(b, o)
    o += 2
    o = skip_tags(b, o, end, "AlterLogDirStateRequest") if b[o] else o + 1
    e = new(AlterLogDirStateRequest)
    e.log_dir = log_dir
    e.wanted_state = wanted_state
    e.force = force
    return e, o


def _write_alter_log_dir_state_request_v1(e: AlterLogDirStateRequest, put: Put) -> None:
    log_dir = e.log_dir
    raw = log_dir.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_btB(e.wanted_state, e.force, 0))


AlterLogDirStateRequest.RESPONSE = AlterLogDirStateResponse
AlterLogDirStateRequest.READERS = {
    0: _read_alter_log_dir_state_request_v0,
    1: _read_alter_log_dir_state_request_v1,
}
AlterLogDirStateRequest.WRITERS = {
    0: _write_alter_log_dir_state_request_v0,
    1: _write_alter_log_dir_state_request_v1,
}
