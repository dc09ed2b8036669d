"""WriteTxnMarkersResponse (key 27), versions 1 to 2. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Message, Packed, Put, Response, null, skip_tags
from spindle.wire.values import ERRORS, long_uvarint, put_uvarint, short

new = object.__new__
pack_ihB = Struct(">ihB").pack
pack_q = Struct(">q").pack
unpack_ih = Struct(">ih").unpack_from
unpack_q = Struct(">q").unpack_from


class WritableTxnMarkerPartitionResult(Message):
    """A part of WriteTxnMarkersResponse."""

    __slots__ = ("partition_index", "error_code")
    partition_index: int
    error_code: ErrorCode

    def __init__(self, *, partition_index: int = 0, error_code: ErrorCode = Error.NONE) -> None:
        self.partition_index = partition_index
        self.error_code = error_code


class WritableTxnMarkerTopicResult(Message):
    """A part of WriteTxnMarkersResponse."""

    __slots__ = ("name", "partitions")
    name: str
    partitions: Sequence[WritableTxnMarkerPartitionResult]

    def __init__(
        self, *, name: str = "", partitions: Sequence[WritableTxnMarkerPartitionResult] = ()
    ) -> None:
        self.name = name
        self.partitions = partitions


class WritableTxnMarkerResult(Message):
    """A part of WriteTxnMarkersResponse."""

    __slots__ = ("producer_id", "topics")
    producer_id: int
    topics: Sequence[WritableTxnMarkerTopicResult]

    def __init__(
        self, *, producer_id: int = 0, topics: Sequence[WritableTxnMarkerTopicResult] = ()
    ) -> None:
        self.producer_id = producer_id
        self.topics = topics


class WriteTxnMarkersResponse(Response):
    """The response of API 27."""

    KEY: ClassVar = 27
    VERSIONS: ClassVar = range(1, 3)
    FIRST_FLEXIBLE: ClassVar = 1

    __slots__ = ("markers",)
    markers: Sequence[WritableTxnMarkerResult]

    def __init__(self, *, markers: Sequence[WritableTxnMarkerResult] = ()) -> None:
        self.markers = markers


def _read_writable_txn_marker_partition_result_v1(
    b: Buffer, o: int, end: int
) -> tuple[WritableTxnMarkerPartitionResult, int]:
    partition_index, error_code = unpack_ih(b, o)
    o += 6
    error_code = ERRORS.get(error_code, error_code)
    o = skip_tags(b, o, end, "WritableTxnMarkerPartitionResult") if b[o] else o + 1
    e = new(WritableTxnMarkerPartitionResult)
    e.partition_index = partition_index
    e.error_code = error_code
    return e, o


def _write_writable_txn_marker_partition_result_v1(
    e: WritableTxnMarkerPartitionResult, put: Put
) -> None:
    put(pack_ihB(e.partition_index, e.error_code, 0))


def _read_writable_txn_marker_topic_result_v1(
    b: Buffer, o: int, end: int
) -> tuple[WritableTxnMarkerTopicResult, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("WritableTxnMarkerTopicResult.name")
    if n > end - o:
        raise short("WritableTxnMarkerTopicResult.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("WritableTxnMarkerTopicResult.partitions")
    if n * 7 > end - o:
        raise short("WritableTxnMarkerTopicResult.partitions", n * 7, end - o)
    all_partitions: list[WritableTxnMarkerPartitionResult] = []
    for _ in range(n):
        one_partitions, o = _read_writable_txn_marker_partition_result_v1(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "WritableTxnMarkerTopicResult") if b[o] else o + 1
    e = new(WritableTxnMarkerTopicResult)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_writable_txn_marker_topic_result_v1(e: WritableTxnMarkerTopicResult, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_writable_txn_marker_partition_result_v1(one_partitions, put)
    put(b"\0")


def _read_writable_txn_marker_result_v1(
    b: Buffer, o: int, end: int
) -> tuple[WritableTxnMarkerResult, int]:
    (producer_id,) = unpack_q(b, o)
    o += 8
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("WritableTxnMarkerResult.topics")
    if n * 3 > end - o:
        raise short("WritableTxnMarkerResult.topics", n * 3, end - o)
    all_topics: list[WritableTxnMarkerTopicResult] = []
    for _ in range(n):
        one_topics, o = _read_writable_txn_marker_topic_result_v1(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "WritableTxnMarkerResult") if b[o] else o + 1
    e = new(WritableTxnMarkerResult)
    e.producer_id = producer_id
    e.topics = topics
    return e, o


def _write_writable_txn_marker_result_v1(e: WritableTxnMarkerResult, put: Put) -> None:
    put(pack_q(e.producer_id))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_writable_txn_marker_topic_result_v1(one_topics, put)
    put(b"\0")


def _read_write_txn_markers_response_v1(
    b: Buffer, o: int, end: int
) -> tuple[WriteTxnMarkersResponse, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("WriteTxnMarkersResponse.markers")
    if n * 10 > end - o:
        raise short("WriteTxnMarkersResponse.markers", n * 10, end - o)
    all_markers: list[WritableTxnMarkerResult] = []
    for _ in range(n):
        one_markers, o = _read_writable_txn_marker_result_v1(b, o, end)
        all_markers.append(one_markers)
    markers = tuple(all_markers)
    o = skip_tags(b, o, end, "WriteTxnMarkersResponse") if b[o] else o + 1
    e = new(WriteTxnMarkersResponse)
    e.markers = markers
    return e, o


def _write_write_txn_markers_response_v1(e: WriteTxnMarkersResponse, put: Put) -> None:
    markers = e.markers
    put(put_uvarint(len(markers) + 1))
    if type(markers) is Packed:
        for piece in markers.pieces:
            put(piece)
    else:
        for one_markers in markers:
            _write_writable_txn_marker_result_v1(one_markers, put)
    put(b"\0")


WriteTxnMarkersResponse.READERS = {
    1: _read_write_txn_markers_response_v1,
    2: _read_write_txn_markers_response_v1,
}
WritableTxnMarkerPartitionResult.WRITERS = {
    1: _write_writable_txn_marker_partition_result_v1,
    2: _write_writable_txn_marker_partition_result_v1,
}
WritableTxnMarkerTopicResult.WRITERS = {
    1: _write_writable_txn_marker_topic_result_v1,
    2: _write_writable_txn_marker_topic_result_v1,
}
WritableTxnMarkerResult.WRITERS = {
    1: _write_writable_txn_marker_result_v1,
    2: _write_writable_txn_marker_result_v1,
}
WriteTxnMarkersResponse.WRITERS = {
    1: _write_write_txn_markers_response_v1,
    2: _write_write_txn_markers_response_v1,
}
