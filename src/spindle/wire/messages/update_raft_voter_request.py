"""UpdateRaftVoterRequest (key 82), version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, read_each
from spindle.wire.messages.update_raft_voter_response import UpdateRaftVoterResponse
from spindle.wire.values import ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_HB = Struct(">HB").pack
pack_hhB = Struct(">hhB").pack
pack_iiu = Struct(">ii16s").pack
unpack_H = Struct(">H").unpack_from
unpack_hh = Struct(">hh").unpack_from
unpack_iiu = Struct(">ii16s").unpack_from


class Listener(Message):
    """A part of UpdateRaftVoterRequest."""

    __slots__ = ("name", "host", "port")
    name: str
    host: str
    port: int

    def __init__(self, *, name: str = "", host: str = "", port: int = 0) -> None:
        self.name = name
        self.host = host
        self.port = port


class KRaftVersionFeature(Message):
    """A part of UpdateRaftVoterRequest."""

    __slots__ = ("min_supported_version", "max_supported_version")
    min_supported_version: int
    max_supported_version: int

    def __init__(self, *, min_supported_version: int = 0, max_supported_version: int = 0) -> None:
        self.min_supported_version = min_supported_version
        self.max_supported_version = max_supported_version


DEFAULT_K_RAFT_VERSION_FEATURE = KRaftVersionFeature()


class UpdateRaftVoterRequest(Request[UpdateRaftVoterResponse]):
    """The request of API 82."""

    KEY: ClassVar = 82
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = (
        "cluster_id",
        "current_leader_epoch",
        "voter_id",
        "voter_directory_id",
        "listeners",
        "k_raft_version_feature",
    )
    cluster_id: str | None
    current_leader_epoch: int
    voter_id: int
    voter_directory_id: UUID | None
    listeners: Sequence[Listener]
    k_raft_version_feature: KRaftVersionFeature

    def __init__(
        self,
        *,
        cluster_id: str | None = None,
        current_leader_epoch: int = 0,
        voter_id: int = 0,
        voter_directory_id: UUID | None = None,
        listeners: Sequence[Listener] = (),
        k_raft_version_feature: KRaftVersionFeature = DEFAULT_K_RAFT_VERSION_FEATURE,
    ) -> None:
        self.cluster_id = cluster_id
        self.current_leader_epoch = current_leader_epoch
        self.voter_id = voter_id
        self.voter_directory_id = voter_directory_id
        self.listeners = listeners
        self.k_raft_version_feature = k_raft_version_feature


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


def _read_k_raft_version_feature_v0(b: Buffer, o: int, end: int) -> tuple[KRaftVersionFeature, int]:
    min_supported_version, max_supported_version = unpack_hh(b, o)
    o += 4
    o = skip_tags(b, o, end, "KRaftVersionFeature") if b[o] else o + 1
    e = new(KRaftVersionFeature)
    e.min_supported_version = min_supported_version
    e.max_supported_version = max_supported_version
    return e, o


def _write_k_raft_version_feature_v0(e: KRaftVersionFeature, put: Put) -> None:
    put(pack_hhB(e.min_supported_version, e.max_supported_version, 0))


def _read_update_raft_voter_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[UpdateRaftVoterRequest, int]:
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
            raise short("UpdateRaftVoterRequest.cluster_id", n, end - o)
        cluster_id = str(b[o : o + n], "utf-8")
        o += n
    current_leader_epoch, voter_id, voter_directory_id = unpack_iiu(b, o)
    o += 24
    voter_directory_id = uuid_of(voter_directory_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("UpdateRaftVoterRequest.listeners")
    if n * 5 > end - o:
        raise short("UpdateRaftVoterRequest.listeners", n * 5, end - o)
    all_listeners: list[Listener] = []
    for _ in range(n):
        one_listeners, o = _read_listener_v0(b, o, end)
        all_listeners.append(one_listeners)
    listeners = tuple(all_listeners)
    k_raft_version_feature, o = _read_k_raft_version_feature_v0(b, o, end)
    o = skip_tags(b, o, end, "UpdateRaftVoterRequest") if b[o] else o + 1
    e = new(UpdateRaftVoterRequest)
    e.cluster_id = cluster_id
    e.current_leader_epoch = current_leader_epoch
    e.voter_id = voter_id
    e.voter_directory_id = voter_directory_id
    e.listeners = listeners
    e.k_raft_version_feature = k_raft_version_feature
    return e, o


def _write_update_raft_voter_request_v0(e: UpdateRaftVoterRequest, put: Put) -> None:
    cluster_id = e.cluster_id
    if cluster_id is None:
        put(b"\0")
    else:
        raw = cluster_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(
        pack_iiu(
            e.current_leader_epoch,
            e.voter_id,
            ZERO_UUID if e.voter_directory_id is None else e.voter_directory_id.bytes,
        )
    )
    listeners = e.listeners
    put(put_uvarint(len(listeners) + 1))
    for one_listeners in listeners:
        _write_listener_v0(one_listeners, put)
    k_raft_version_feature = e.k_raft_version_feature
    _write_k_raft_version_feature_v0(k_raft_version_feature, put)
    put(b"\0")


def _walk_update_raft_voter_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[UpdateRaftVoterRequest]:
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
            raise short("UpdateRaftVoterRequest.cluster_id", n, end - o)
        cluster_id = str(b[o : o + n], "utf-8")
        o += n
    current_leader_epoch, voter_id, voter_directory_id = unpack_iiu(b, o)
    o += 24
    voter_directory_id = uuid_of(voter_directory_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("UpdateRaftVoterRequest.listeners")
    if n * 5 > end - o:
        raise short("UpdateRaftVoterRequest.listeners", n * 5, end - o)
    listeners, o = yield from read_each(_read_listener_v0, b, o, end, at, n)
    k_raft_version_feature, o = _read_k_raft_version_feature_v0(b, o, end)
    o = skip_tags(b, o, end, "UpdateRaftVoterRequest") if b[o] else o + 1
    e = new(UpdateRaftVoterRequest)
    e.cluster_id = cluster_id
    e.current_leader_epoch = current_leader_epoch
    e.voter_id = voter_id
    e.voter_directory_id = voter_directory_id
    e.listeners = listeners
    e.k_raft_version_feature = k_raft_version_feature
    return e, o


UpdateRaftVoterRequest.RESPONSE = UpdateRaftVoterResponse
UpdateRaftVoterRequest.WALKERS = {
    0: _walk_update_raft_voter_request_v0,
}
UpdateRaftVoterRequest.READERS = {
    0: _read_update_raft_voter_request_v0,
}
UpdateRaftVoterRequest.WRITERS = {
    0: _write_update_raft_voter_request_v0,
}
