"""ReadShareGroupStateResponse (key 84), version 0. Written by `tools.messages`."""

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
pack_iq = Struct(">iq").pack
pack_qqbhB = Struct(">qqbhB").pack
pack_u = Struct(">16s").pack
unpack_ih = Struct(">ih").unpack_from
unpack_iq = Struct(">iq").unpack_from
unpack_qqbh = Struct(">qqbh").unpack_from
unpack_u = Struct(">16s").unpack_from


class StateBatch(Message):
    """A part of ReadShareGroupStateResponse."""

    __slots__ = ("first_offset", "last_offset", "delivery_state", "delivery_count")
    first_offset: int
    last_offset: int
    delivery_state: int
    delivery_count: int

    def __init__(
        self,
        *,
        first_offset: int = 0,
        last_offset: int = 0,
        delivery_state: int = 0,
        delivery_count: int = 0,
    ) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.delivery_state = delivery_state
        self.delivery_count = delivery_count


class PartitionResult(Message):
    """A part of ReadShareGroupStateResponse."""

    __slots__ = (
        "partition",
        "error_code",
        "error_message",
        "state_epoch",
        "start_offset",
        "state_batches",
    )
    partition: int
    error_code: ErrorCode
    error_message: str | None
    state_epoch: int
    start_offset: int
    state_batches: Sequence[StateBatch]

    def __init__(
        self,
        *,
        partition: int = 0,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
        state_epoch: int = 0,
        start_offset: int = 0,
        state_batches: Sequence[StateBatch] = (),
    ) -> None:
        self.partition = partition
        self.error_code = error_code
        self.error_message = error_message
        self.state_epoch = state_epoch
        self.start_offset = start_offset
        self.state_batches = state_batches


class ReadStateResult(Message):
    """A part of ReadShareGroupStateResponse."""

    __slots__ = ("topic_id", "partitions")
    topic_id: UUID | None
    partitions: Sequence[PartitionResult]

    def __init__(
        self, *, topic_id: UUID | None = None, partitions: Sequence[PartitionResult] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions


class ReadShareGroupStateResponse(Response):
    """The response of API 84."""

    KEY: ClassVar = 84
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("results",)
    results: Sequence[ReadStateResult]

    def __init__(self, *, results: Sequence[ReadStateResult] = ()) -> None:
        self.results = results


def _read_state_batch_v0(b: Buffer, o: int, end: int) -> tuple[StateBatch, int]:
    first_offset, last_offset, delivery_state, delivery_count = unpack_qqbh(b, o)
    o += 19
    o = skip_tags(b, o, end, "StateBatch") if b[o] else o + 1
    e = new(StateBatch)
    e.first_offset = first_offset
    e.last_offset = last_offset
    e.delivery_state = delivery_state
    e.delivery_count = delivery_count
    return e, o


def _write_state_batch_v0(e: StateBatch, put: Put) -> None:
    put(pack_qqbhB(e.first_offset, e.last_offset, e.delivery_state, e.delivery_count, 0))


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
    state_epoch, start_offset = unpack_iq(b, o)
    o += 12
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("PartitionResult.state_batches")
    if n * 20 > end - o:
        raise short("PartitionResult.state_batches", n * 20, end - o)
    all_state_batches: list[StateBatch] = []
    for _ in range(n):
        one_state_batches, o = _read_state_batch_v0(b, o, end)
        all_state_batches.append(one_state_batches)
    state_batches = tuple(all_state_batches)
    o = skip_tags(b, o, end, "PartitionResult") if b[o] else o + 1
    e = new(PartitionResult)
    e.partition = partition
    e.error_code = error_code
    e.error_message = error_message
    e.state_epoch = state_epoch
    e.start_offset = start_offset
    e.state_batches = state_batches
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
    put(pack_iq(e.state_epoch, e.start_offset))
    state_batches = e.state_batches
    put(put_uvarint(len(state_batches) + 1))
    if type(state_batches) is Packed:
        for piece in state_batches.pieces:
            put(piece)
    else:
        for one_state_batches in state_batches:
            _write_state_batch_v0(one_state_batches, put)
    put(b"\0")


def _read_read_state_result_v0(b: Buffer, o: int, end: int) -> tuple[ReadStateResult, int]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ReadStateResult.partitions")
    if n * 21 > end - o:
        raise short("ReadStateResult.partitions", n * 21, end - o)
    all_partitions: list[PartitionResult] = []
    for _ in range(n):
        one_partitions, o = _read_partition_result_v0(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "ReadStateResult") if b[o] else o + 1
    e = new(ReadStateResult)
    e.topic_id = topic_id
    e.partitions = partitions
    return e, o


def _write_read_state_result_v0(e: ReadStateResult, put: Put) -> None:
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


def _read_read_share_group_state_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[ReadShareGroupStateResponse, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ReadShareGroupStateResponse.results")
    if n * 18 > end - o:
        raise short("ReadShareGroupStateResponse.results", n * 18, end - o)
    all_results: list[ReadStateResult] = []
    for _ in range(n):
        one_results, o = _read_read_state_result_v0(b, o, end)
        all_results.append(one_results)
    results = tuple(all_results)
    o = skip_tags(b, o, end, "ReadShareGroupStateResponse") if b[o] else o + 1
    e = new(ReadShareGroupStateResponse)
    e.results = results
    return e, o


def _write_read_share_group_state_response_v0(e: ReadShareGroupStateResponse, put: Put) -> None:
    results = e.results
    put(put_uvarint(len(results) + 1))
    if type(results) is Packed:
        for piece in results.pieces:
            put(piece)
    else:
        for one_results in results:
            _write_read_state_result_v0(one_results, put)
    put(b"\0")


ReadShareGroupStateResponse.READERS = {
    0: _read_read_share_group_state_response_v0,
}
StateBatch.WRITERS = {
    0: _write_state_batch_v0,
}
PartitionResult.WRITERS = {
    0: _write_partition_result_v0,
}
ReadStateResult.WRITERS = {
    0: _write_read_state_result_v0,
}
ReadShareGroupStateResponse.WRITERS = {
    0: _write_read_share_group_state_response_v0,
}
