"""TransactionLogValue, versions 0 to 1. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct, pack, unpack_from
from typing import Final

from spindle.model.batches import Buffer
from spindle.wire.codec import Open, Put, Reader, Writer, null, skip_tags, wrong_size
from spindle.wire.stored import TransactionPartitions, TransactionValue
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_q = Struct(">q").pack
pack_qhib = Struct(">qhib").pack
pack_qq = Struct(">qq").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_q = Struct(">q").unpack_from
unpack_qhib = Struct(">qhib").unpack_from
unpack_qq = Struct(">qq").unpack_from


class _TransactionPartitions(Open, TransactionPartitions):
    __slots__ = ()


class _TransactionValue(Open, TransactionValue):
    __slots__ = ()


def _read_partitions_schema_v0(b: Buffer, o: int, end: int) -> tuple[TransactionPartitions, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("PartitionsSchema.topic")
    if n > end - o:
        raise short("PartitionsSchema.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("PartitionsSchema.partitions")
    if n * 4 > end - o:
        raise short("PartitionsSchema.partitions", n * 4, end - o)
    partitions = unpack_from(f">{n}i", b, o)
    o += n * 4
    e: TransactionPartitions = new(_TransactionPartitions)
    e.topic = topic
    e.partitions = partitions
    e.__class__ = TransactionPartitions
    return e, o


def _write_partitions_schema_v0(e: TransactionPartitions, put: Put) -> None:
    topic = e.topic
    raw = topic.encode()
    put(pack_h(len(raw)))
    put(raw)
    partitions = e.partitions
    put(pack_i(len(partitions)))
    if partitions:
        put(pack(f">{len(partitions)}i", *partitions))


def _read_transaction_log_value_v0(b: Buffer, o: int, end: int) -> tuple[TransactionValue, int]:
    producer_id, producer_epoch, timeout, status = unpack_qhib(b, o)
    o += 15
    partitions: tuple[TransactionPartitions, ...] | None
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        partitions = None
    else:
        if n * 6 > end - o:
            raise short("TransactionLogValue.partitions", n * 6, end - o)
        all_partitions: list[TransactionPartitions] = []
        for _ in range(n):
            one_partitions, o = _read_partitions_schema_v0(b, o, end)
            all_partitions.append(one_partitions)
        partitions = tuple(all_partitions)
    updated, started = unpack_qq(b, o)
    o += 16
    e: TransactionValue = new(_TransactionValue)
    e.producer_id = producer_id
    e.previous_producer_id = -1
    e.next_producer_id = -1
    e.producer_epoch = producer_epoch
    e.next_producer_epoch = -1
    e.timeout = timeout
    e.status = status
    e.partitions = partitions
    e.updated = updated
    e.started = started
    e.client_version = 0
    e.__class__ = TransactionValue
    return e, o


def _write_transaction_log_value_v0(e: TransactionValue, put: Put) -> None:
    put(pack_qhib(e.producer_id, e.producer_epoch, e.timeout, e.status))
    partitions = e.partitions
    if partitions is None:
        put(b"\xff" * 4)
    else:
        put(pack_i(len(partitions)))
        for one_partitions in partitions:
            _write_partitions_schema_v0(one_partitions, put)
    put(pack_qq(e.updated, e.started))


def _read_partitions_schema_v1(b: Buffer, o: int, end: int) -> tuple[TransactionPartitions, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("PartitionsSchema.topic")
    if n > end - o:
        raise short("PartitionsSchema.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("PartitionsSchema.partitions")
    if n * 4 > end - o:
        raise short("PartitionsSchema.partitions", n * 4, end - o)
    partitions = unpack_from(f">{n}i", b, o)
    o += n * 4
    o = skip_tags(b, o, end, "PartitionsSchema") if b[o] else o + 1
    e: TransactionPartitions = new(_TransactionPartitions)
    e.topic = topic
    e.partitions = partitions
    e.__class__ = TransactionPartitions
    return e, o


def _write_partitions_schema_v1(e: TransactionPartitions, put: Put) -> None:
    topic = e.topic
    raw = topic.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if partitions:
        put(pack(f">{len(partitions)}i", *partitions))
    put(b"\0")


def _read_transaction_log_value_v1(b: Buffer, o: int, end: int) -> tuple[TransactionValue, int]:
    producer_id, producer_epoch, timeout, status = unpack_qhib(b, o)
    o += 15
    partitions: tuple[TransactionPartitions, ...] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        partitions = None
    else:
        if n * 3 > end - o:
            raise short("TransactionLogValue.partitions", n * 3, end - o)
        all_partitions: list[TransactionPartitions] = []
        for _ in range(n):
            one_partitions, o = _read_partitions_schema_v1(b, o, end)
            all_partitions.append(one_partitions)
        partitions = tuple(all_partitions)
    updated, started = unpack_qq(b, o)
    o += 16
    previous_producer_id: int = -1
    next_producer_id: int = -1
    client_version: int = 0
    next_producer_epoch: int = -1
    tags = b[o]
    o += 1
    if tags > 127:
        tags, o = long_uvarint(b, o, tags)
    for _ in range(tags):
        tag = b[o]
        o += 1
        if tag > 127:
            tag, o = long_uvarint(b, o, tag)
        size = b[o]
        o += 1
        if size > 127:
            size, o = long_uvarint(b, o, size)
        if size > end - o:
            raise short("TransactionLogValue", size, end - o)
        stop = o + size
        if tag == 0:
            (previous_producer_id,) = unpack_q(b, o)
            o += 8
            if o != stop:
                raise wrong_size("TransactionLogValue.previous_producer_id", o - stop)
        elif tag == 1:
            (next_producer_id,) = unpack_q(b, o)
            o += 8
            if o != stop:
                raise wrong_size("TransactionLogValue.next_producer_id", o - stop)
        elif tag == 2:
            (client_version,) = unpack_h(b, o)
            o += 2
            if o != stop:
                raise wrong_size("TransactionLogValue.client_version", o - stop)
        elif tag == 3:
            (next_producer_epoch,) = unpack_h(b, o)
            o += 2
            if o != stop:
                raise wrong_size("TransactionLogValue.next_producer_epoch", o - stop)
        o = stop
    e: TransactionValue = new(_TransactionValue)
    e.producer_id = producer_id
    e.previous_producer_id = previous_producer_id
    e.next_producer_id = next_producer_id
    e.producer_epoch = producer_epoch
    e.next_producer_epoch = next_producer_epoch
    e.timeout = timeout
    e.status = status
    e.partitions = partitions
    e.updated = updated
    e.started = started
    e.client_version = client_version
    e.__class__ = TransactionValue
    return e, o


def _write_transaction_log_value_v1(e: TransactionValue, put: Put) -> None:
    put(pack_qhib(e.producer_id, e.producer_epoch, e.timeout, e.status))
    partitions = e.partitions
    if partitions is None:
        put(b"\0")
    else:
        put(put_uvarint(len(partitions) + 1))
        for one_partitions in partitions:
            _write_partitions_schema_v1(one_partitions, put)
    put(pack_qq(e.updated, e.started))
    count = 0
    tags: list[bytes] = []
    previous_producer_id = e.previous_producer_id
    if previous_producer_id != -1:
        count += 1
        tags.append(b"\x00\x08" + pack_q(previous_producer_id))
    next_producer_id = e.next_producer_id
    if next_producer_id != -1:
        count += 1
        tags.append(b"\x01\x08" + pack_q(next_producer_id))
    client_version = e.client_version
    if client_version != 0:
        count += 1
        tags.append(b"\x02\x02" + pack_h(client_version))
    next_producer_epoch = e.next_producer_epoch
    if next_producer_epoch != -1:
        count += 1
        tags.append(b"\x03\x02" + pack_h(next_producer_epoch))
    if not count:
        put(b"\0")
        return
    put(put_uvarint(count))
    for piece in tags:
        put(piece)


READERS: Final[Mapping[int, Reader[TransactionValue]]] = {
    0: _read_transaction_log_value_v0,
    1: _read_transaction_log_value_v1,
}
WRITERS: Final[Mapping[int, Writer[TransactionValue]]] = {
    0: _write_transaction_log_value_v0,
    1: _write_transaction_log_value_v1,
}
