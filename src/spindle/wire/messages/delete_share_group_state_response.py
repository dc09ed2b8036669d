"""DeleteShareGroupStateResponse (key 86), version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Message, Packed, Put, Response, null, skip_tags
from spindle.wire.values import ERRORS, ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_ih = Struct(">ih").pack
pack_u = Struct(">16s").pack
unpack_ih = Struct(">ih").unpack_from
unpack_u = Struct(">16s").unpack_from


class PartitionResult(Message):
    """A part of DeleteShareGroupStateResponse."""

    __slots__ = ("partition", "error_code", "error_message")
    partition: int
    error_code: ErrorCode
    error_message: str | None

    def __init__(
        self,
        *,
        partition: int = 0,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
    ) -> None:
        self.partition = partition
        self.error_code = error_code
        self.error_message = error_message


class DeleteStateResult(Message):
    """A part of DeleteShareGroupStateResponse."""

    __slots__ = ("topic_id", "partitions")
    topic_id: UUID | None
    partitions: Sequence[PartitionResult]

    def __init__(
        self, *, topic_id: UUID | None = None, partitions: Sequence[PartitionResult] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class DeleteShareGroupStateResponse(Response):
    """The response of API 86."""

    KEY: ClassVar = 86
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("results",)
    results: Sequence[DeleteStateResult]

    def __init__(self, *, results: Sequence[DeleteStateResult] = ()) -> None:
        self.results = results


def _read_partition_result_v0(b: Buffer, o: int, end: int) -> tuple[PartitionResult, int]:
    partition, error_code = unpack_ih(b, o)
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
            raise short("PartitionResult.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "PartitionResult") if b[o] else o + 1
    e = new(PartitionResult)
    e.partition = partition
    e.error_code = error_code
    e.error_message = error_message
    return e, o


def _write_partition_result_v0(e: PartitionResult, put: Put) -> None:
    put(pack_ih(e.partition, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _read_delete_state_result_v0(b: Buffer, o: int, end: int) -> tuple[DeleteStateResult, int]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteStateResult.partitions")
    if n * 8 > end - o:
        raise short("DeleteStateResult.partitions", n * 8, end - o)
    all_partitions: list[PartitionResult] = []
    for _ in range(n):
        one_partitions, o = _read_partition_result_v0(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "DeleteStateResult") if b[o] else o + 1
    e = new(DeleteStateResult)
    e.topic_id = topic_id
    e.partitions = partitions
    return e, o


def _write_delete_state_result_v0(e: DeleteStateResult, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_partition_result_v0(one_partitions, put)
    put(b"\0")


def _read_delete_share_group_state_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[DeleteShareGroupStateResponse, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DeleteShareGroupStateResponse.results")
    if n * 18 > end - o:
        raise short("DeleteShareGroupStateResponse.results", n * 18, end - o)
    all_results: list[DeleteStateResult] = []
    for _ in range(n):
        one_results, o = _read_delete_state_result_v0(b, o, end)
        all_results.append(one_results)
    results = tuple(all_results)
    o = skip_tags(b, o, end, "DeleteShareGroupStateResponse") if b[o] else o + 1
    e = new(DeleteShareGroupStateResponse)
    e.results = results
    return e, o


def _write_delete_share_group_state_response_v0(e: DeleteShareGroupStateResponse, put: Put) -> None:
    results = e.results
    put(put_uvarint(len(results) + 1))
    if type(results) is Packed:
        for piece in results.pieces:
            put(piece)
    else:
        for one_results in results:
            _write_delete_state_result_v0(one_results, put)
    put(b"\0")


DeleteShareGroupStateResponse.READERS = {
    0: _read_delete_share_group_state_response_v0,
}
PartitionResult.WRITERS = {
    0: _write_partition_result_v0,
}
DeleteStateResult.WRITERS = {
    0: _write_delete_state_result_v0,
}
DeleteShareGroupStateResponse.WRITERS = {
    0: _write_delete_share_group_state_response_v0,
}
