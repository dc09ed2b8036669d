"""ShareSnapshotValue, version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from spindle.model.batches import Buffer
from spindle.wire.codec import Open, Put, Reader, Writer, null, skip_tags, wrong_size
from spindle.wire.stored import ShareBatchValue, ShareSnapshotValue
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_i = Struct(">i").pack
pack_iiiqqq = Struct(">iiiqqq").pack
pack_qqbhB = Struct(">qqbhB").pack
unpack_i = Struct(">i").unpack_from
unpack_iiiqqq = Struct(">iiiqqq").unpack_from
unpack_qqbh = Struct(">qqbh").unpack_from


class _ShareBatchValue(Open, ShareBatchValue):
    __slots__ = ()


class _ShareSnapshotValue(Open, ShareSnapshotValue):
    __slots__ = ()


def _read_state_batch_v0(b: Buffer, o: int, end: int) -> tuple[ShareBatchValue, int]:
    first, last, state, count_ = unpack_qqbh(b, o)
    o += 19
    o = skip_tags(b, o, end, "StateBatch") if b[o] else o + 1
    e: ShareBatchValue = new(_ShareBatchValue)
    e.first = first
    e.last = last
    e.state = state
    e.count = count_
    e.__class__ = ShareBatchValue
    return e, o


def _write_state_batch_v0(e: ShareBatchValue, put: Put) -> None:
    put(pack_qqbhB(e.first, e.last, e.state, e.count, 0))


def _read_share_snapshot_value_v0(b: Buffer, o: int, end: int) -> tuple[ShareSnapshotValue, int]:
    snapshot_epoch, state_epoch, leader_epoch, start_offset, created_ms, written_ms = unpack_iiiqqq(
        b, o
    )
    o += 36
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("ShareSnapshotValue.batches")
    if n * 20 > end - o:
        raise short("ShareSnapshotValue.batches", n * 20, end - o)
    all_batches: list[ShareBatchValue] = []
    for _ in range(n):
        one_batches, o = _read_state_batch_v0(b, o, end)
        all_batches.append(one_batches)
    batches = tuple(all_batches)
    complete: int = -1
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
            raise short("ShareSnapshotValue", size, end - o)
        stop = o + size
        if tag == 0:
            (complete,) = unpack_i(b, o)
            o += 4
            if o != stop:
                raise wrong_size("ShareSnapshotValue.complete", o - stop)
        o = stop
    e: ShareSnapshotValue = new(_ShareSnapshotValue)
    e.snapshot_epoch = snapshot_epoch
    e.state_epoch = state_epoch
    e.leader_epoch = leader_epoch
    e.start_offset = start_offset
    e.complete = complete
    e.created_ms = created_ms
    e.written_ms = written_ms
    e.batches = batches
    e.__class__ = ShareSnapshotValue
    return e, o


def _write_share_snapshot_value_v0(e: ShareSnapshotValue, put: Put) -> None:
    put(
        pack_iiiqqq(
            e.snapshot_epoch,
            e.state_epoch,
            e.leader_epoch,
            e.start_offset,
            e.created_ms,
            e.written_ms,
        )
    )
    batches = e.batches
    put(put_uvarint(len(batches) + 1))
    for one_batches in batches:
        _write_state_batch_v0(one_batches, put)
    count = 0
    tags: list[bytes] = []
    complete = e.complete
    if complete != -1:
        count += 1
        tags.append(b"\x00\x04" + pack_i(complete))
    if not count:
        put(b"\0")
        return
    put(put_uvarint(count))
    for piece in tags:
        put(piece)


READERS: Final[Mapping[int, Reader[ShareSnapshotValue]]] = {
    0: _read_share_snapshot_value_v0,
}
WRITERS: Final[Mapping[int, Writer[ShareSnapshotValue]]] = {
    0: _write_share_snapshot_value_v0,
}
