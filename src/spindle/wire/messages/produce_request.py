"""ProduceRequest (key 0), versions 3 to 13. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Records, Request, null, put_records, skip_tags
from spindle.wire.large import Marks, Reading, read_each, walk_each
from spindle.wire.messages.produce_response import ProduceResponse
from spindle.wire.values import ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_h = Struct(">h").pack
pack_hi = Struct(">hi").pack
pack_i = Struct(">i").pack
pack_u = Struct(">16s").pack
unpack_h = Struct(">h").unpack_from
unpack_hi = Struct(">hi").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_u = Struct(">16s").unpack_from


class PartitionProduceData(Message):
    """A part of ProduceRequest."""

    __slots__ = ("index", "records")
    index: int
    records: Records | None

    def __init__(self, *, index: int = 0, records: Records | None = None) -> None:
        self.index = index
        self.records = records


class TopicProduceData(Message):
    """A part of ProduceRequest."""

    __slots__ = ("topic_id", "name", "partition_data")
    topic_id: UUID | None  # from version 13
    name: str  # until version 12
    partition_data: Sequence[PartitionProduceData]

    def __init__(
        self,
        *,
        topic_id: UUID | None = None,
        name: str = "",
        partition_data: Sequence[PartitionProduceData] = (),
    ) -> None:
        self.topic_id = topic_id
        self.name = name
        self.partition_data = partition_data


class ProduceRequest(Request[ProduceResponse]):
    """The request of API 0."""

    KEY: ClassVar = 0
    VERSIONS: ClassVar = range(3, 14)
    FIRST_FLEXIBLE: ClassVar = 9
    HAS_RECORDS: ClassVar = True

    __slots__ = ("transactional_id", "acks", "timeout_ms", "topic_data")
    transactional_id: str | None
    acks: int
    timeout_ms: int
    topic_data: Sequence[TopicProduceData]

    def __init__(
        self,
        *,
        transactional_id: str | None = None,
        acks: int = 0,
        timeout_ms: int = 0,
        topic_data: Sequence[TopicProduceData] = (),
    ) -> None:
        self.transactional_id = transactional_id
        self.acks = acks
        self.timeout_ms = timeout_ms
        self.topic_data = topic_data


def _read_partition_produce_data_v3(
    b: Buffer, o: int, end: int
) -> tuple[PartitionProduceData, int]:
    (index,) = unpack_i(b, o)
    o += 4
    records: Records | None
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        records = None
    else:
        if n > end - o:
            raise short("PartitionProduceData.records", n, end - o)
        records = memoryview(b)[o : o + n]
        o += n
    e = new(PartitionProduceData)
    e.index = index
    e.records = records
    return e, o


def _write_partition_produce_data_v3(e: PartitionProduceData, put: Put) -> None:
    put(pack_i(e.index))
    records = e.records
    if records is None:
        put(b"\xff" * 4)
    else:
        put_records(records, False, put)


def _read_partition_produce_data_v9(
    b: Buffer, o: int, end: int
) -> tuple[PartitionProduceData, int]:
    (index,) = unpack_i(b, o)
    o += 4
    records: Records | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        records = None
    else:
        if n > end - o:
            raise short("PartitionProduceData.records", n, end - o)
        records = memoryview(b)[o : o + n]
        o += n
    o = skip_tags(b, o, end, "PartitionProduceData") if b[o] else o + 1
    e = new(PartitionProduceData)
    e.index = index
    e.records = records
    return e, o


def _write_partition_produce_data_v9(e: PartitionProduceData, put: Put) -> None:
    put(pack_i(e.index))
    records = e.records
    if records is None:
        put(b"\0")
    else:
        put_records(records, True, put)
    put(b"\0")


def _read_topic_produce_data_v3(b: Buffer, o: int, end: int) -> tuple[TopicProduceData, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("TopicProduceData.name")
    if n > end - o:
        raise short("TopicProduceData.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("TopicProduceData.partition_data")
    if n * 8 > end - o:
        raise short("TopicProduceData.partition_data", n * 8, end - o)
    all_partition_data: list[PartitionProduceData] = []
    for _ in range(n):
        one_partition_data, o = _read_partition_produce_data_v3(b, o, end)
        all_partition_data.append(one_partition_data)
    partition_data = tuple(all_partition_data)
    e = new(TopicProduceData)
    e.topic_id = None
    e.name = name
    e.partition_data = partition_data
    return e, o


def _write_topic_produce_data_v3(e: TopicProduceData, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    partition_data = e.partition_data
    put(pack_i(len(partition_data)))
    for one_partition_data in partition_data:
        _write_partition_produce_data_v3(one_partition_data, put)


def _walk_topic_produce_data_v3(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[TopicProduceData]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("TopicProduceData.name")
    if n > end - o:
        raise short("TopicProduceData.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("TopicProduceData.partition_data")
    if n * 8 > end - o:
        raise short("TopicProduceData.partition_data", n * 8, end - o)
    partition_data, o = yield from read_each(
        _read_partition_produce_data_v3, b, o, end, at, n, "records"
    )
    e = new(TopicProduceData)
    e.topic_id = None
    e.name = name
    e.partition_data = partition_data
    return e, o


def _read_topic_produce_data_v9(b: Buffer, o: int, end: int) -> tuple[TopicProduceData, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicProduceData.name")
    if n > end - o:
        raise short("TopicProduceData.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicProduceData.partition_data")
    if n * 6 > end - o:
        raise short("TopicProduceData.partition_data", n * 6, end - o)
    all_partition_data: list[PartitionProduceData] = []
    for _ in range(n):
        one_partition_data, o = _read_partition_produce_data_v9(b, o, end)
        all_partition_data.append(one_partition_data)
    partition_data = tuple(all_partition_data)
    o = skip_tags(b, o, end, "TopicProduceData") if b[o] else o + 1
    e = new(TopicProduceData)
    e.topic_id = None
    e.name = name
    e.partition_data = partition_data
    return e, o


def _write_topic_produce_data_v9(e: TopicProduceData, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partition_data = e.partition_data
    put(put_uvarint(len(partition_data) + 1))
    for one_partition_data in partition_data:
        _write_partition_produce_data_v9(one_partition_data, put)
    put(b"\0")


def _walk_topic_produce_data_v9(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[TopicProduceData]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicProduceData.name")
    if n > end - o:
        raise short("TopicProduceData.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicProduceData.partition_data")
    if n * 6 > end - o:
        raise short("TopicProduceData.partition_data", n * 6, end - o)
    partition_data, o = yield from read_each(
        _read_partition_produce_data_v9, b, o, end, at, n, "records"
    )
    o = skip_tags(b, o, end, "TopicProduceData") if b[o] else o + 1
    e = new(TopicProduceData)
    e.topic_id = None
    e.name = name
    e.partition_data = partition_data
    return e, o


def _read_topic_produce_data_v13(b: Buffer, o: int, end: int) -> tuple[TopicProduceData, int]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicProduceData.partition_data")
    if n * 6 > end - o:
        raise short("TopicProduceData.partition_data", n * 6, end - o)
    all_partition_data: list[PartitionProduceData] = []
    for _ in range(n):
        one_partition_data, o = _read_partition_produce_data_v9(b, o, end)
        all_partition_data.append(one_partition_data)
    partition_data = tuple(all_partition_data)
    o = skip_tags(b, o, end, "TopicProduceData") if b[o] else o + 1
    e = new(TopicProduceData)
    e.topic_id = topic_id
    e.name = ""
    e.partition_data = partition_data
    return e, o


def _write_topic_produce_data_v13(e: TopicProduceData, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    partition_data = e.partition_data
    put(put_uvarint(len(partition_data) + 1))
    for one_partition_data in partition_data:
        _write_partition_produce_data_v9(one_partition_data, put)
    put(b"\0")


def _walk_topic_produce_data_v13(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[TopicProduceData]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicProduceData.partition_data")
    if n * 6 > end - o:
        raise short("TopicProduceData.partition_data", n * 6, end - o)
    partition_data, o = yield from read_each(
        _read_partition_produce_data_v9, b, o, end, at, n, "records"
    )
    o = skip_tags(b, o, end, "TopicProduceData") if b[o] else o + 1
    e = new(TopicProduceData)
    e.topic_id = topic_id
    e.name = ""
    e.partition_data = partition_data
    return e, o


def _read_produce_request_v3(b: Buffer, o: int, end: int) -> tuple[ProduceRequest, int]:
    transactional_id: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        transactional_id = None
    else:
        if n > end - o:
            raise short("ProduceRequest.transactional_id", n, end - o)
        transactional_id = str(b[o : o + n], "utf-8")
        o += n
    acks, timeout_ms = unpack_hi(b, o)
    o += 6
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("ProduceRequest.topic_data")
    if n * 6 > end - o:
        raise short("ProduceRequest.topic_data", n * 6, end - o)
    all_topic_data: list[TopicProduceData] = []
    for _ in range(n):
        one_topic_data, o = _read_topic_produce_data_v3(b, o, end)
        all_topic_data.append(one_topic_data)
    topic_data = tuple(all_topic_data)
    e = new(ProduceRequest)
    e.transactional_id = transactional_id
    e.acks = acks
    e.timeout_ms = timeout_ms
    e.topic_data = topic_data
    return e, o


def _write_produce_request_v3(e: ProduceRequest, put: Put) -> None:
    transactional_id = e.transactional_id
    if transactional_id is None:
        put(b"\xff\xff")
    else:
        raw = transactional_id.encode()
        put(pack_h(len(raw)))
        put(raw)
    put(pack_hi(e.acks, e.timeout_ms))
    topic_data = e.topic_data
    put(pack_i(len(topic_data)))
    for one_topic_data in topic_data:
        _write_topic_produce_data_v3(one_topic_data, put)


def _walk_produce_request_v3(b: Buffer, o: int, end: int, at: Marks) -> Reading[ProduceRequest]:
    transactional_id: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        transactional_id = None
    else:
        if n > end - o:
            raise short("ProduceRequest.transactional_id", n, end - o)
        transactional_id = str(b[o : o + n], "utf-8")
        o += n
    acks, timeout_ms = unpack_hi(b, o)
    o += 6
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("ProduceRequest.topic_data")
    if n * 6 > end - o:
        raise short("ProduceRequest.topic_data", n * 6, end - o)
    topic_data, o = yield from walk_each(_walk_topic_produce_data_v3, b, o, end, at, n)
    e = new(ProduceRequest)
    e.transactional_id = transactional_id
    e.acks = acks
    e.timeout_ms = timeout_ms
    e.topic_data = topic_data
    return e, o


def _read_produce_request_v9(b: Buffer, o: int, end: int) -> tuple[ProduceRequest, int]:
    transactional_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        transactional_id = None
    else:
        if n > end - o:
            raise short("ProduceRequest.transactional_id", n, end - o)
        transactional_id = str(b[o : o + n], "utf-8")
        o += n
    acks, timeout_ms = unpack_hi(b, o)
    o += 6
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ProduceRequest.topic_data")
    if n * 3 > end - o:
        raise short("ProduceRequest.topic_data", n * 3, end - o)
    all_topic_data: list[TopicProduceData] = []
    for _ in range(n):
        one_topic_data, o = _read_topic_produce_data_v9(b, o, end)
        all_topic_data.append(one_topic_data)
    topic_data = tuple(all_topic_data)
    o = skip_tags(b, o, end, "ProduceRequest") if b[o] else o + 1
    e = new(ProduceRequest)
    e.transactional_id = transactional_id
    e.acks = acks
    e.timeout_ms = timeout_ms
    e.topic_data = topic_data
    return e, o


def _write_produce_request_v9(e: ProduceRequest, put: Put) -> None:
    transactional_id = e.transactional_id
    if transactional_id is None:
        put(b"\0")
    else:
        raw = transactional_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_hi(e.acks, e.timeout_ms))
    topic_data = e.topic_data
    put(put_uvarint(len(topic_data) + 1))
    for one_topic_data in topic_data:
        _write_topic_produce_data_v9(one_topic_data, put)
    put(b"\0")


def _walk_produce_request_v9(b: Buffer, o: int, end: int, at: Marks) -> Reading[ProduceRequest]:
    transactional_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        transactional_id = None
    else:
        if n > end - o:
            raise short("ProduceRequest.transactional_id", n, end - o)
        transactional_id = str(b[o : o + n], "utf-8")
        o += n
    acks, timeout_ms = unpack_hi(b, o)
    o += 6
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ProduceRequest.topic_data")
    if n * 3 > end - o:
        raise short("ProduceRequest.topic_data", n * 3, end - o)
    topic_data, o = yield from walk_each(_walk_topic_produce_data_v9, b, o, end, at, n)
    o = skip_tags(b, o, end, "ProduceRequest") if b[o] else o + 1
    e = new(ProduceRequest)
    e.transactional_id = transactional_id
    e.acks = acks
    e.timeout_ms = timeout_ms
    e.topic_data = topic_data
    return e, o


def _read_produce_request_v13(b: Buffer, o: int, end: int) -> tuple[ProduceRequest, int]:
    transactional_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        transactional_id = None
    else:
        if n > end - o:
            raise short("ProduceRequest.transactional_id", n, end - o)
        transactional_id = str(b[o : o + n], "utf-8")
        o += n
    acks, timeout_ms = unpack_hi(b, o)
    o += 6
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ProduceRequest.topic_data")
    if n * 18 > end - o:
        raise short("ProduceRequest.topic_data", n * 18, end - o)
    all_topic_data: list[TopicProduceData] = []
    for _ in range(n):
        one_topic_data, o = _read_topic_produce_data_v13(b, o, end)
        all_topic_data.append(one_topic_data)
    topic_data = tuple(all_topic_data)
    o = skip_tags(b, o, end, "ProduceRequest") if b[o] else o + 1
    e = new(ProduceRequest)
    e.transactional_id = transactional_id
    e.acks = acks
    e.timeout_ms = timeout_ms
    e.topic_data = topic_data
    return e, o


def _write_produce_request_v13(e: ProduceRequest, put: Put) -> None:
    transactional_id = e.transactional_id
    if transactional_id is None:
        put(b"\0")
    else:
        raw = transactional_id.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_hi(e.acks, e.timeout_ms))
    topic_data = e.topic_data
    put(put_uvarint(len(topic_data) + 1))
    for one_topic_data in topic_data:
        _write_topic_produce_data_v13(one_topic_data, put)
    put(b"\0")


def _walk_produce_request_v13(b: Buffer, o: int, end: int, at: Marks) -> Reading[ProduceRequest]:
    transactional_id: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        transactional_id = None
    else:
        if n > end - o:
            raise short("ProduceRequest.transactional_id", n, end - o)
        transactional_id = str(b[o : o + n], "utf-8")
        o += n
    acks, timeout_ms = unpack_hi(b, o)
    o += 6
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ProduceRequest.topic_data")
    if n * 18 > end - o:
        raise short("ProduceRequest.topic_data", n * 18, end - o)
    topic_data, o = yield from walk_each(_walk_topic_produce_data_v13, b, o, end, at, n)
    o = skip_tags(b, o, end, "ProduceRequest") if b[o] else o + 1
    e = new(ProduceRequest)
    e.transactional_id = transactional_id
    e.acks = acks
    e.timeout_ms = timeout_ms
    e.topic_data = topic_data
    return e, o


ProduceRequest.RESPONSE = ProduceResponse
ProduceRequest.WALKERS = {
    3: _walk_produce_request_v3,
    4: _walk_produce_request_v3,
    5: _walk_produce_request_v3,
    6: _walk_produce_request_v3,
    7: _walk_produce_request_v3,
    8: _walk_produce_request_v3,
    9: _walk_produce_request_v9,
    10: _walk_produce_request_v9,
    11: _walk_produce_request_v9,
    12: _walk_produce_request_v9,
    13: _walk_produce_request_v13,
}
ProduceRequest.READERS = {
    3: _read_produce_request_v3,
    4: _read_produce_request_v3,
    5: _read_produce_request_v3,
    6: _read_produce_request_v3,
    7: _read_produce_request_v3,
    8: _read_produce_request_v3,
    9: _read_produce_request_v9,
    10: _read_produce_request_v9,
    11: _read_produce_request_v9,
    12: _read_produce_request_v9,
    13: _read_produce_request_v13,
}
ProduceRequest.WRITERS = {
    3: _write_produce_request_v3,
    4: _write_produce_request_v3,
    5: _write_produce_request_v3,
    6: _write_produce_request_v3,
    7: _write_produce_request_v3,
    8: _write_produce_request_v3,
    9: _write_produce_request_v9,
    10: _write_produce_request_v9,
    11: _write_produce_request_v9,
    12: _write_produce_request_v9,
    13: _write_produce_request_v13,
}
