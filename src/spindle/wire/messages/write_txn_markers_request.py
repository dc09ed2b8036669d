"""WriteTxnMarkersRequest (key 27), versions 1 to 2. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct, pack, unpack_from
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, numbers, walk_each
from spindle.wire.messages.write_txn_markers_response import WriteTxnMarkersResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_iB = Struct(">iB").pack
pack_ibB = Struct(">ibB").pack
pack_qht = Struct(">qh?").pack
unpack_i = Struct(">i").unpack_from
unpack_ib = Struct(">ib").unpack_from
unpack_qht = Struct(">qh?").unpack_from


class WritableTxnMarkerTopic(Message):
    """A part of WriteTxnMarkersRequest."""

    __slots__ = ("name", "partition_indexes")
    name: str
    partition_indexes: Sequence[int]

    def __init__(self, *, name: str = "", partition_indexes: Sequence[int] = ()) -> None:
        self.name = name
        self.partition_indexes = partition_indexes


class WritableTxnMarker(Message):
    """A part of WriteTxnMarkersRequest."""

    __slots__ = (
        "producer_id",
        "producer_epoch",
        "transaction_result",
        "topics",
        "coordinator_epoch",
        "transaction_version",
    )
    producer_id: int
    producer_epoch: int
    transaction_result: bool
    topics: Sequence[WritableTxnMarkerTopic]
    coordinator_epoch: int
    transaction_version: int  # from version 2

    def __init__(
        self,
        *,
        producer_id: int = 0,
        producer_epoch: int = 0,
        transaction_result: bool = False,
        topics: Sequence[WritableTxnMarkerTopic] = (),
        coordinator_epoch: int = 0,
        transaction_version: int = 0,
    ) -> None:
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.transaction_result = transaction_result
        self.topics = topics
        self.coordinator_epoch = coordinator_epoch
        self.transaction_version = transaction_version


class WriteTxnMarkersRequest(Request[WriteTxnMarkersResponse]):
    """The request of API 27."""

    KEY: ClassVar = 27
    VERSIONS: ClassVar = range(1, 3)
    FIRST_FLEXIBLE: ClassVar = 1

    __slots__ = ("markers",)
    markers: Sequence[WritableTxnMarker]

    def __init__(self, *, markers: Sequence[WritableTxnMarker] = ()) -> None:
        self.markers = markers


def _read_writable_txn_marker_topic_v1(
    b: Buffer, o: int, end: int
) -> tuple[WritableTxnMarkerTopic, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("WritableTxnMarkerTopic.name")
    if n > end - o:
        raise short("WritableTxnMarkerTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("WritableTxnMarkerTopic.partition_indexes")
    if n * 4 > end - o:
        raise short("WritableTxnMarkerTopic.partition_indexes", n * 4, end - o)
    partition_indexes = unpack_from(f">{n}i", b, o)
    o += n * 4
    o = skip_tags(b, o, end, "WritableTxnMarkerTopic") if b[o] else o + 1
    e = new(WritableTxnMarkerTopic)
    e.name = name
    e.partition_indexes = partition_indexes
    return e, o


def _write_writable_txn_marker_topic_v1(e: WritableTxnMarkerTopic, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partition_indexes = e.partition_indexes
    put(put_uvarint(len(partition_indexes) + 1))
    if partition_indexes:
        put(pack(f">{len(partition_indexes)}i", *partition_indexes))
    put(b"\0")


def _walk_writable_txn_marker_topic_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[WritableTxnMarkerTopic]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("WritableTxnMarkerTopic.name")
    if n > end - o:
        raise short("WritableTxnMarkerTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("WritableTxnMarkerTopic.partition_indexes")
    if n * 4 > end - o:
        raise short("WritableTxnMarkerTopic.partition_indexes", n * 4, end - o)
    partition_indexes, o = yield from numbers(">i", 4, b, o, n)
    o = skip_tags(b, o, end, "WritableTxnMarkerTopic") if b[o] else o + 1
    e = new(WritableTxnMarkerTopic)
    e.name = name
    e.partition_indexes = partition_indexes
    return e, o


def _read_writable_txn_marker_v1(b: Buffer, o: int, end: int) -> tuple[WritableTxnMarker, int]:
    producer_id, producer_epoch, transaction_result = unpack_qht(b, o)
    o += 11
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("WritableTxnMarker.topics")
    if n * 3 > end - o:
        raise short("WritableTxnMarker.topics", n * 3, end - o)
    all_topics: list[WritableTxnMarkerTopic] = []
    for _ in range(n):
        one_topics, o = _read_writable_txn_marker_topic_v1(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    (coordinator_epoch,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "WritableTxnMarker") if b[o] else o + 1
    e = new(WritableTxnMarker)
    e.producer_id = producer_id
    e.producer_epoch = producer_epoch
    e.transaction_result = transaction_result
    e.topics = topics
    e.coordinator_epoch = coordinator_epoch
    e.transaction_version = 0
    return e, o


def _write_writable_txn_marker_v1(e: WritableTxnMarker, put: Put) -> None:
    put(pack_qht(e.producer_id, e.producer_epoch, e.transaction_result))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_writable_txn_marker_topic_v1(one_topics, put)
    put(pack_iB(e.coordinator_epoch, 0))


def _walk_writable_txn_marker_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[WritableTxnMarker]:
    producer_id, producer_epoch, transaction_result = unpack_qht(b, o)
    o += 11
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("WritableTxnMarker.topics")
    if n * 3 > end - o:
        raise short("WritableTxnMarker.topics", n * 3, end - o)
    topics, o = yield from walk_each(_walk_writable_txn_marker_topic_v1, b, o, end, at, n)
    (coordinator_epoch,) = unpack_i(b, o)
    o += 4
    o = skip_tags(b, o, end, "WritableTxnMarker") if b[o] else o + 1
    e = new(WritableTxnMarker)
    e.producer_id = producer_id
    e.producer_epoch = producer_epoch
    e.transaction_result = transaction_result
    e.topics = topics
    e.coordinator_epoch = coordinator_epoch
    e.transaction_version = 0
    return e, o


def _read_writable_txn_marker_v2(b: Buffer, o: int, end: int) -> tuple[WritableTxnMarker, int]:
    producer_id, producer_epoch, transaction_result = unpack_qht(b, o)
    o += 11
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("WritableTxnMarker.topics")
    if n * 3 > end - o:
        raise short("WritableTxnMarker.topics", n * 3, end - o)
    all_topics: list[WritableTxnMarkerTopic] = []
    for _ in range(n):
        one_topics, o = _read_writable_txn_marker_topic_v1(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    coordinator_epoch, transaction_version = unpack_ib(b, o)
    o += 5
    o = skip_tags(b, o, end, "WritableTxnMarker") if b[o] else o + 1
    e = new(WritableTxnMarker)
    e.producer_id = producer_id
    e.producer_epoch = producer_epoch
    e.transaction_result = transaction_result
    e.topics = topics
    e.coordinator_epoch = coordinator_epoch
    e.transaction_version = transaction_version
    return e, o


def _write_writable_txn_marker_v2(e: WritableTxnMarker, put: Put) -> None:
    put(pack_qht(e.producer_id, e.producer_epoch, e.transaction_result))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_writable_txn_marker_topic_v1(one_topics, put)
    put(pack_ibB(e.coordinator_epoch, e.transaction_version, 0))


def _walk_writable_txn_marker_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[WritableTxnMarker]:
    producer_id, producer_epoch, transaction_result = unpack_qht(b, o)
    o += 11
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("WritableTxnMarker.topics")
    if n * 3 > end - o:
        raise short("WritableTxnMarker.topics", n * 3, end - o)
    topics, o = yield from walk_each(_walk_writable_txn_marker_topic_v1, b, o, end, at, n)
    coordinator_epoch, transaction_version = unpack_ib(b, o)
    o += 5
    o = skip_tags(b, o, end, "WritableTxnMarker") if b[o] else o + 1
    e = new(WritableTxnMarker)
    e.producer_id = producer_id
    e.producer_epoch = producer_epoch
    e.transaction_result = transaction_result
    e.topics = topics
    e.coordinator_epoch = coordinator_epoch
    e.transaction_version = transaction_version
    return e, o


def _read_write_txn_markers_request_v1(
    b: Buffer, o: int, end: int
) -> tuple[WriteTxnMarkersRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("WriteTxnMarkersRequest.markers")
    if n * 17 > end - o:
        raise short("WriteTxnMarkersRequest.markers", n * 17, end - o)
    all_markers: list[WritableTxnMarker] = []
    for _ in range(n):
        one_markers, o = _read_writable_txn_marker_v1(b, o, end)
        all_markers.append(one_markers)
    markers = tuple(all_markers)
    o = skip_tags(b, o, end, "WriteTxnMarkersRequest") if b[o] else o + 1
    e = new(WriteTxnMarkersRequest)
    e.markers = markers
    return e, o


def _write_write_txn_markers_request_v1(e: WriteTxnMarkersRequest, put: Put) -> None:
    markers = e.markers
    put(put_uvarint(len(markers) + 1))
    for one_markers in markers:
        _write_writable_txn_marker_v1(one_markers, put)
    put(b"\0")


def _walk_write_txn_markers_request_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[WriteTxnMarkersRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("WriteTxnMarkersRequest.markers")
    if n * 17 > end - o:
        raise short("WriteTxnMarkersRequest.markers", n * 17, end - o)
    markers, o = yield from walk_each(_walk_writable_txn_marker_v1, b, o, end, at, n)
    o = skip_tags(b, o, end, "WriteTxnMarkersRequest") if b[o] else o + 1
    e = new(WriteTxnMarkersRequest)
    e.markers = markers
    return e, o


def _read_write_txn_markers_request_v2(
    b: Buffer, o: int, end: int
) -> tuple[WriteTxnMarkersRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("WriteTxnMarkersRequest.markers")
    if n * 18 > end - o:
        raise short("WriteTxnMarkersRequest.markers", n * 18, end - o)
    all_markers: list[WritableTxnMarker] = []
    for _ in range(n):
        one_markers, o = _read_writable_txn_marker_v2(b, o, end)
        all_markers.append(one_markers)
    markers = tuple(all_markers)
    o = skip_tags(b, o, end, "WriteTxnMarkersRequest") if b[o] else o + 1
    e = new(WriteTxnMarkersRequest)
    e.markers = markers
    return e, o


def _write_write_txn_markers_request_v2(e: WriteTxnMarkersRequest, put: Put) -> None:
    markers = e.markers
    put(put_uvarint(len(markers) + 1))
    for one_markers in markers:
        _write_writable_txn_marker_v2(one_markers, put)
    put(b"\0")


def _walk_write_txn_markers_request_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[WriteTxnMarkersRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("WriteTxnMarkersRequest.markers")
    if n * 18 > end - o:
        raise short("WriteTxnMarkersRequest.markers", n * 18, end - o)
    markers, o = yield from walk_each(_walk_writable_txn_marker_v2, b, o, end, at, n)
    o = skip_tags(b, o, end, "WriteTxnMarkersRequest") if b[o] else o + 1
    e = new(WriteTxnMarkersRequest)
    e.markers = markers
    return e, o


WriteTxnMarkersRequest.RESPONSE = WriteTxnMarkersResponse
WriteTxnMarkersRequest.WALKERS = {
    1: _walk_write_txn_markers_request_v1,
    2: _walk_write_txn_markers_request_v2,
}
WriteTxnMarkersRequest.READERS = {
    1: _read_write_txn_markers_request_v1,
    2: _read_write_txn_markers_request_v2,
}
WriteTxnMarkersRequest.WRITERS = {
    1: _write_write_txn_markers_request_v1,
    2: _write_write_txn_markers_request_v2,
}
