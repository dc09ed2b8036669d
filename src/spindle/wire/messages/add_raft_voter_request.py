"""AddRaftVoterRequest (key 80), versions 0 to 1. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each
from spindle.wire.messages.add_raft_voter_response import AddRaftVoterResponse
from spindle.wire.values import ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_HB = Struct(">HB").pack
pack_iiu = Struct(">ii16s").pack
pack_tB = Struct(">?B").pack
unpack_H = Struct(">H").unpack_from
unpack_iiu = Struct(">ii16s").unpack_from
unpack_t = Struct(">?").unpack_from


class Listener(Message):
    """A part of AddRaftVoterRequest."""

    __slots__ = ("name", "host", "port")
    name: str
    host: str
    port: int

    def __init__(self, *, name: str = "", host: str = "", port: int = 0) -> None:
        self.name = name
        self.host = host
        self.port = port


class AddRaftVoterRequest(Request[AddRaftVoterResponse]):
    """The request of API 80."""

    KEY: ClassVar = 80
    VERSIONS: ClassVar = range(2)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = (
        "cluster_id",
        "timeout_ms",
        "voter_id",
        "voter_directory_id",
        "listeners",
        "ack_when_committed",
    )
    cluster_id: str | None
    timeout_ms: int
    voter_id: int
    voter_directory_id: UUID | None
    listeners: Sequence[Listener]
    ack_when_committed: bool  # from version 1

    def __init__(
        self,
        *,
        cluster_id: str | None = None,
        timeout_ms: int = 0,
        voter_id: int = 0,
        voter_directory_id: UUID | None = None,
        listeners: Sequence[Listener] = (),
        ack_when_committed: bool = True,
    ) -> None:
        self.cluster_id = cluster_id
        self.timeout_ms = timeout_ms
        self.voter_id = voter_id
        self.voter_directory_id = voter_directory_id
        self.listeners = listeners
        self.ack_when_committed = ack_when_committed


def _read_listener_v0(b: Buffer, o: int, end: int) -> tuple[Listener, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Listener.name")
    if n > end - o:
        raise short("Listener.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Listener.host")
    if n > end - o:
        raise short("Listener.host", n, end - o)
    host = str(b[o : o + n], "utf-8")
    o += n
    (port,) = unpack_H(b, o)
    o += 2
    o = skip_tags(b, o, end, "Listener") if b[o] else o + 1
    e = new(Listener)
    e.name = name
    e.host = host
    e.port = port
    return e, o


def _write_listener_v0(e: Listener, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    host = e.host
    raw = host.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_HB(e.port, 0))


def _read_add_raft_voter_request_v0(b: Buffer, o: int, end: int) -> tuple[AddRaftVoterRequest, int]:
    cluster_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        cluster_id = None
    else:
        if n > end - o:
            raise short("AddRaftVoterRequest.cluster_id", n, end - o)
        cluster_id = str(b[o : o + n], "utf-8")
        o += n
    timeout_ms, voter_id, voter_directory_id = unpack_iiu(b, o)
    o += 24
    voter_directory_id = uuid_of(voter_directory_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AddRaftVoterRequest.listeners")
    if n * 5 > end - o:
        raise short("AddRaftVoterRequest.listeners", n * 5, end - o)
    all_listeners: list[Listener] = []
    for _ in range(n):
        one_listeners, o = _read_listener_v0(b, o, end)
        all_listeners.append(one_listeners)
    listeners = tuple(all_listeners)
    o = skip_tags(b, o, end, "AddRaftVoterRequest") if b[o] else o + 1
    e = new(AddRaftVoterRequest)
    e.cluster_id = cluster_id
    e.timeout_ms = timeout_ms
    e.voter_id = voter_id
    e.voter_directory_id = voter_directory_id
    e.listeners = listeners
    e.ack_when_committed = True
    return e, o


def _write_add_raft_voter_request_v0(e: AddRaftVoterRequest, put: Put) -> None:
    cluster_id = e.cluster_id
    if cluster_id is None:
        put(b"\0")
    else:
        raw = cluster_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(
        pack_iiu(
            e.timeout_ms,
            e.voter_id,
            ZERO_UUID if e.voter_directory_id is None else e.voter_directory_id.bytes,
        )
    )
    listeners = e.listeners
    put(put_uvarint(len(listeners) + 1))
    for one_listeners in listeners:
        _write_listener_v0(one_listeners, put)
    put(b"\0")


def _walk_add_raft_voter_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[AddRaftVoterRequest]:
    cluster_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        cluster_id = None
    else:
        if n > end - o:
            raise short("AddRaftVoterRequest.cluster_id", n, end - o)
        cluster_id = str(b[o : o + n], "utf-8")
        o += n
    timeout_ms, voter_id, voter_directory_id = unpack_iiu(b, o)
    o += 24
    voter_directory_id = uuid_of(voter_directory_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AddRaftVoterRequest.listeners")
    if n * 5 > end - o:
        raise short("AddRaftVoterRequest.listeners", n * 5, end - o)
    listeners, o = yield from read_each(_read_listener_v0, b, o, end, at, n)
    o = skip_tags(b, o, end, "AddRaftVoterRequest") if b[o] else o + 1
    e = new(AddRaftVoterRequest)
    e.cluster_id = cluster_id
    e.timeout_ms = timeout_ms
    e.voter_id = voter_id
    e.voter_directory_id = voter_directory_id
    e.listeners = listeners
    e.ack_when_committed = True
    return e, o


def _read_add_raft_voter_request_v1(b: Buffer, o: int, end: int) -> tuple[AddRaftVoterRequest, int]:
    cluster_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        cluster_id = None
    else:
        if n > end - o:
            raise short("AddRaftVoterRequest.cluster_id", n, end - o)
        cluster_id = str(b[o : o + n], "utf-8")
        o += n
    timeout_ms, voter_id, voter_directory_id = unpack_iiu(b, o)
    o += 24
    voter_directory_id = uuid_of(voter_directory_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AddRaftVoterRequest.listeners")
    if n * 5 > end - o:
        raise short("AddRaftVoterRequest.listeners", n * 5, end - o)
    all_listeners: list[Listener] = []
    for _ in range(n):
        one_listeners, o = _read_listener_v0(b, o, end)
        all_listeners.append(one_listeners)
    listeners = tuple(all_listeners)
    (ack_when_committed,) = unpack_t(b, o)
    o += 1
    o = skip_tags(b, o, end, "AddRaftVoterRequest") if b[o] else o + 1
    e = new(AddRaftVoterRequest)
    e.cluster_id = cluster_id
    e.timeout_ms = timeout_ms
    e.voter_id = voter_id
    e.voter_directory_id = voter_directory_id
    e.listeners = listeners
    e.ack_when_committed = ack_when_committed
    return e, o


def _write_add_raft_voter_request_v1(e: AddRaftVoterRequest, put: Put) -> None:
    cluster_id = e.cluster_id
    if cluster_id is None:
        put(b"\0")
    else:
        raw = cluster_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(
        pack_iiu(
            e.timeout_ms,
            e.voter_id,
            ZERO_UUID if e.voter_directory_id is None else e.voter_directory_id.bytes,
        )
    )
    listeners = e.listeners
    put(put_uvarint(len(listeners) + 1))
    for one_listeners in listeners:
        _write_listener_v0(one_listeners, put)
    put(pack_tB(e.ack_when_committed, 0))


def _walk_add_raft_voter_request_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[AddRaftVoterRequest]:
    cluster_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        cluster_id = None
    else:
        if n > end - o:
            raise short("AddRaftVoterRequest.cluster_id", n, end - o)
        cluster_id = str(b[o : o + n], "utf-8")
        o += n
    timeout_ms, voter_id, voter_directory_id = unpack_iiu(b, o)
    o += 24
    voter_directory_id = uuid_of(voter_directory_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AddRaftVoterRequest.listeners")
    if n * 5 > end - o:
        raise short("AddRaftVoterRequest.listeners", n * 5, end - o)
    listeners, o = yield from read_each(_read_listener_v0, b, o, end, at, n)
    (ack_when_committed,) = unpack_t(b, o)
    o += 1
    o = skip_tags(b, o, end, "AddRaftVoterRequest") if b[o] else o + 1
    e = new(AddRaftVoterRequest)
    e.cluster_id = cluster_id
    e.timeout_ms = timeout_ms
    e.voter_id = voter_id
    e.voter_directory_id = voter_directory_id
    e.listeners = listeners
    e.ack_when_committed = ack_when_committed
    return e, o


AddRaftVoterRequest.RESPONSE = AddRaftVoterResponse
AddRaftVoterRequest.WALKERS = {
    0: _walk_add_raft_voter_request_v0,
    1: _walk_add_raft_voter_request_v1,
}
AddRaftVoterRequest.READERS = {
    0: _read_add_raft_voter_request_v0,
    1: _read_add_raft_voter_request_v1,
}
AddRaftVoterRequest.WRITERS = {
    0: _write_add_raft_voter_request_v0,
    1: _write_add_raft_voter_request_v1,
}
