"""RemoveRaftVoterRequest (key 81), version 0. Written by `tools.messages`."""

from __future__ import annotations

from struct import Struct
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.wire.codec import Put, Request, skip_tags
from spindle.wire.messages.remove_raft_voter_response import RemoveRaftVoterResponse
from spindle.wire.values import ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_iuB = Struct(">i16sB").pack
unpack_iu = Struct(">i16s").unpack_from


class RemoveRaftVoterRequest(Request[RemoveRaftVoterResponse]):
    """The request of API 81."""

    KEY: ClassVar = 81
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("cluster_id", "voter_id", "voter_directory_id")
    cluster_id: str | None
    voter_id: int
    voter_directory_id: UUID | None

    def __init__(
        self,
        *,
        cluster_id: str | None = None,
        voter_id: int = 0,
        voter_directory_id: UUID | None = None,
    ) -> None:
        self.cluster_id = cluster_id
        self.voter_id = voter_id
        self.voter_directory_id = voter_directory_id


def _read_remove_raft_voter_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[RemoveRaftVoterRequest, int]:
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
            raise short("RemoveRaftVoterRequest.cluster_id", n, end - o)
        cluster_id = str(b[o : o + n], "utf-8")
        o += n
    voter_id, voter_directory_id = unpack_iu(b, o)
    o += 20
    voter_directory_id = uuid_of(voter_directory_id)
    o = skip_tags(b, o, end, "RemoveRaftVoterRequest") if b[o] else o + 1
    e = new(RemoveRaftVoterRequest)
    e.cluster_id = cluster_id
    e.voter_id = voter_id
    e.voter_directory_id = voter_directory_id
    return e, o


def _write_remove_raft_voter_request_v0(e: RemoveRaftVoterRequest, put: Put) -> None:
    cluster_id = e.cluster_id
    if cluster_id is None:
        put(b"\0")
    else:
        raw = cluster_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(
        pack_iuB(
            e.voter_id, ZERO_UUID if e.voter_directory_id is None else e.voter_directory_id.bytes, 0
        )
    )


RemoveRaftVoterRequest.RESPONSE = RemoveRaftVoterResponse
RemoveRaftVoterRequest.READERS = {
    0: _read_remove_raft_voter_request_v0,
}
RemoveRaftVoterRequest.WRITERS = {
    0: _write_remove_raft_voter_request_v0,
}
