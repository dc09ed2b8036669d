"""Voters, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.model.ids import Endpoint, VersionRange
from spindle.model.quorum_voters import Voter, Voters
from spindle.wire.codec import Open, Put, Reader, Writer, null, skip_tags
from spindle.wire.values import id_of, long_uvarint, put_uvarint, short

new = object.__new__
pack_HB = Struct(">HB").pack
pack_h = Struct(">h").pack
pack_hhB = Struct(">hhB").pack
pack_iu = Struct(">i16s").pack
unpack_H = Struct(">H").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_hh = Struct(">hh").unpack_from
unpack_iu = Struct(">i16s").unpack_from


class _Voter(Open, Voter):
    __slots__ = ()


class _Voters(Open, Voters):
    __slots__ = ()


def _read_endpoint_v0(b: Buffer, o: int, end: int) -> tuple[Endpoint, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Endpoint.name")
    if n > end - o:
        raise short("Endpoint.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Endpoint.host")
    if n > end - o:
        raise short("Endpoint.host", n, end - o)
    host = str(b[o : o + n], "utf-8")
    o += n
    (port,) = unpack_H(b, o)
    o += 2
    o = skip_tags(b, o, end, "Endpoint") if b[o] else o + 1
    return Endpoint(name, host, port), o


def _write_endpoint_v0(e: Endpoint, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    host = e.host
    raw = host.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_HB(e.port, 0))


def _read_k_raft_version_feature_v0(b: Buffer, o: int, end: int) -> tuple[VersionRange, int]:
    min, max = unpack_hh(b, o)
    o += 4
    o = skip_tags(b, o, end, "KRaftVersionFeature") if b[o] else o + 1
    return VersionRange(min, max), o


def _write_k_raft_version_feature_v0(e: VersionRange, put: Put) -> None:
    put(pack_hhB(e.min, e.max, 0))


def _read_voter_v0(b: Buffer, o: int, end: int) -> tuple[Voter, int]:
    id, directory_id = unpack_iu(b, o)
    o += 20
    directory_id = id_of(directory_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Voter.endpoints")
    if n * 5 > end - o:
        raise short("Voter.endpoints", n * 5, end - o)
    all_endpoints: list[Endpoint] = []
    for _ in range(n):
        one_endpoints, o = _read_endpoint_v0(b, o, end)
        all_endpoints.append(one_endpoints)
    endpoints = tuple(all_endpoints)
    supported, o = _read_k_raft_version_feature_v0(b, o, end)
    o = skip_tags(b, o, end, "Voter") if b[o] else o + 1
    e: Voter = new(_Voter)
    e.id = id
    e.directory_id = directory_id
    e.endpoints = endpoints
    e.supported = supported
    e.__class__ = Voter
    return e, o


def _write_voter_v0(e: Voter, put: Put) -> None:
    put(pack_iu(e.id, e.directory_id.bytes))
    endpoints = e.endpoints
    put(put_uvarint(len(endpoints) + 1))
    for one_endpoints in endpoints:
        _write_endpoint_v0(one_endpoints, put)
    supported = e.supported
    _write_k_raft_version_feature_v0(supported, put)
    put(b"\0")


def _read_voters_v0(b: Buffer, o: int, end: int) -> tuple[Voters, int]:
    (_,) = unpack_h(b, o)
    o += 2
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Voters.voters")
    if n * 27 > end - o:
        raise short("Voters.voters", n * 27, end - o)
    all_voters: list[Voter] = []
    for _ in range(n):
        one_voters, o = _read_voter_v0(b, o, end)
        all_voters.append(one_voters)
    voters = tuple(all_voters)
    o = skip_tags(b, o, end, "Voters") if b[o] else o + 1
    e: Voters = new(_Voters)
    e.voters = voters
    e.__class__ = Voters
    return e, o


def _write_voters_v0(e: Voters, put: Put) -> None:
    put(pack_h(0))
    voters = e.voters
    put(put_uvarint(len(voters) + 1))
    for one_voters in voters:
        _write_voter_v0(one_voters, put)
    put(b"\0")


READERS: Final[Mapping[int, Reader[Voters]]] = {
    0: _read_voters_v0,
}
WRITERS: Final[Mapping[int, Writer[Voters]]] = {
    0: _write_voters_v0,
}
