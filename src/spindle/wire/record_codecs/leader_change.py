"""LeaderChange, versions 0 to 1. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.wire.codec import Open, Put, Reader, Writer, null, skip_tags
from spindle.wire.making import bare_id
from spindle.wire.stored import LeaderChange
from spindle.wire.values import id_of, long_uvarint, put_uvarint, short

new = object.__new__
pack_hi = Struct(">hi").pack
pack_iB = Struct(">iB").pack
unpack_hi = Struct(">hi").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iu = Struct(">i16s").unpack_from


class _LeaderChange(Open, LeaderChange):
    __slots__ = ()


def _read_voter_v0(b: Buffer, o: int, end: int) -> tuple[int, int]:
    (id,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "Voter") if b[o] else o + 1
    return bare_id(id), o


def _write_voter_v0(e: int, put: Put) -> None:
    put(pack_iB(e, 0))


def _read_leader_change_v0(b: Buffer, o: int, end: int) -> tuple[LeaderChange, int]:
    _, leader = unpack_hi(b, o)
    o += 6
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("LeaderChange.voters")
    if n * 5 > end - o:
        raise short("LeaderChange.voters", n * 5, end - o)
    all_voters: list[int] = []
    for _ in range(n):
        one_voters, o = _read_voter_v0(b, o, end)
        all_voters.append(one_voters)
    voters = tuple(all_voters)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("LeaderChange.granting")
    if n * 5 > end - o:
        raise short("LeaderChange.granting", n * 5, end - o)
    all_granting: list[int] = []
    for _ in range(n):
        one_granting, o = _read_voter_v0(b, o, end)
        all_granting.append(one_granting)
    granting = tuple(all_granting)
    o = skip_tags(b, o, end, "LeaderChange") if b[o] else o + 1
    e: LeaderChange = new(_LeaderChange)
    e.leader = leader
    e.voters = voters
    e.granting = granting
    e.__class__ = LeaderChange
    return e, o


def _write_leader_change_v0(e: LeaderChange, put: Put) -> None:
    put(pack_hi(0, e.leader))
    voters = e.voters
    put(put_uvarint(len(voters) + 1))
    for one_voters in voters:
        _write_voter_v0(one_voters, put)
    granting = e.granting
    put(put_uvarint(len(granting) + 1))
    for one_granting in granting:
        _write_voter_v0(one_granting, put)
    put(b"\0")


def _read_voter_v1(b: Buffer, o: int, end: int) -> tuple[int, int]:
    id, directory_id = unpack_iu(b, o)
    o += 20
    directory_id = id_of(directory_id)
    o = skip_tags(b, o, end, "Voter") if b[o] else o + 1
    return bare_id(id, directory_id), o


def _read_leader_change_v1(b: Buffer, o: int, end: int) -> tuple[LeaderChange, int]:
    _, leader = unpack_hi(b, o)
    o += 6
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("LeaderChange.voters")
    if n * 21 > end - o:
        raise short("LeaderChange.voters", n * 21, end - o)
    all_voters: list[int] = []
    for _ in range(n):
        one_voters, o = _read_voter_v1(b, o, end)
        all_voters.append(one_voters)
    voters = tuple(all_voters)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("LeaderChange.granting")
    if n * 21 > end - o:
        raise short("LeaderChange.granting", n * 21, end - o)
    all_granting: list[int] = []
    for _ in range(n):
        one_granting, o = _read_voter_v1(b, o, end)
        all_granting.append(one_granting)
    granting = tuple(all_granting)
    o = skip_tags(b, o, end, "LeaderChange") if b[o] else o + 1
    e: LeaderChange = new(_LeaderChange)
    e.leader = leader
    e.voters = voters
    e.granting = granting
    e.__class__ = LeaderChange
    return e, o


READERS: Final[Mapping[int, Reader[LeaderChange]]] = {
    0: _read_leader_change_v0,
    1: _read_leader_change_v1,
}
WRITERS: Final[Mapping[int, Writer[LeaderChange]]] = {
    0: _write_leader_change_v0,
}
