"""UpdateRaftVoterResponse (key 82), version 0. Written by `tools.messages`."""

from __future__ import annotations

from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import (
    ErrorCode,
    Message,
    Put,
    Response,
    count_of,
    null,
    skip_tags,
    tag_at,
    wrong_size,
)
from spindle.wire.values import ERRORS, long_uvarint, put_uvarint, short

new = object.__new__
pack_iB = Struct(">iB").pack
pack_ih = Struct(">ih").pack
pack_ii = Struct(">ii").pack
unpack_i = Struct(">i").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_ii = Struct(">ii").unpack_from


class CurrentLeader(Message):
    """A part of UpdateRaftVoterResponse."""

    __slots__ = ("leader_id", "leader_epoch", "host", "port")
    leader_id: int
    leader_epoch: int
    host: str
    port: int

    def __init__(
        self, *, leader_id: int = -1, leader_epoch: int = -1, host: str = "", port: int = 0
    ) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.host = host
        self.port = port


DEFAULT_CURRENT_LEADER = CurrentLeader()


class UpdateRaftVoterResponse(Response):
    """The response of API 82."""

    KEY: ClassVar = 82
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0
    THROTTLE_FROM: ClassVar = 0

    __slots__ = ("throttle_time_ms", "error_code", "current_leader")
    throttle_time_ms: int
    error_code: ErrorCode
    current_leader: CurrentLeader  # tag 0

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: ErrorCode = Error.NONE,
        current_leader: CurrentLeader = DEFAULT_CURRENT_LEADER,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.current_leader = current_leader


def _read_current_leader_v0(b: Buffer, o: int, end: int) -> tuple[CurrentLeader, int]:
    leader_id, leader_epoch = unpack_ii(b, o)
    o += 8
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CurrentLeader.host")
    if n > end - o:
        raise short("CurrentLeader.host", n, end - o)
    host = str(b[o : o + n], "utf-8")
    o += n
    (port,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "CurrentLeader") if b[o] else o + 1
    e = new(CurrentLeader)
    e.leader_id = leader_id
    e.leader_epoch = leader_epoch
    e.host = host
    e.port = port
    return e, o


def _write_current_leader_v0(e: CurrentLeader, put: Put) -> None:
    put(pack_ii(e.leader_id, e.leader_epoch))
    host = e.host
    raw = host.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_iB(e.port, 0))


def _read_update_raft_voter_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[UpdateRaftVoterResponse, int]:
    throttle_time_ms, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    current_leader: CurrentLeader = DEFAULT_CURRENT_LEADER
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "UpdateRaftVoterResponse")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "UpdateRaftVoterResponse")
            if tag == 0:
                current_leader, o = _read_current_leader_v0(b, o, end)
                if o != stop:
                    raise wrong_size("UpdateRaftVoterResponse.current_leader", o - stop)
            o = stop
    e = new(UpdateRaftVoterResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.current_leader = current_leader
    return e, o


def _write_update_raft_voter_response_v0(e: UpdateRaftVoterResponse, put: Put) -> None:
    put(pack_ih(e.throttle_time_ms, e.error_code))
    tags: list[bytes] = []
    outer = put
    current_leader = e.current_leader
    if current_leader is not DEFAULT_CURRENT_LEADER and current_leader != DEFAULT_CURRENT_LEADER:
        current_leader_pieces: list[Buffer] = []
        put = current_leader_pieces.append
        _write_current_leader_v0(current_leader, put)
        piece = b"".join(current_leader_pieces)
        tags += (b"\x00", put_uvarint(len(piece)), piece)
    outer(put_uvarint(len(tags) // 3))
    for piece in tags:
        outer(piece)


UpdateRaftVoterResponse.READERS = {
    0: _read_update_raft_voter_response_v0,
}
CurrentLeader.WRITERS = {
    0: _write_current_leader_v0,
}
UpdateRaftVoterResponse.WRITERS = {
    0: _write_update_raft_voter_response_v0,
}
