"""BrokerRegistrationChange, versions 0 to 3. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct, unpack_from
from typing import Final
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.model.metadata_records import BrokerRegistrationChange
from spindle.wire.codec import Open, Put, Reader, Writer, null, wrong_size
from spindle.wire.values import id_of, long_uvarint, put_uvarint, short

new = object.__new__
pack_b = Struct(">b").pack
pack_iq = Struct(">iq").pack
unpack_b = Struct(">b").unpack_from
unpack_iq = Struct(">iq").unpack_from


class _BrokerRegistrationChange(Open, BrokerRegistrationChange):
    __slots__ = ()


def _read_broker_registration_change_v0(
    b: Buffer, o: int, end: int
) -> tuple[BrokerRegistrationChange, int]:
    broker_id, broker_epoch = unpack_iq(b, o)
    o += 12
    fenced: int = 0
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
            raise short("BrokerRegistrationChange", size, end - o)
        stop = o + size
        if tag == 0:
            (fenced,) = unpack_b(b, o)
            o += 1
            if o != stop:
                raise wrong_size("BrokerRegistrationChange.fenced", o - stop)
        o = stop
    e: BrokerRegistrationChange = new(_BrokerRegistrationChange)
    e.broker_id = broker_id
    e.broker_epoch = broker_epoch
    e.fenced = fenced
    e.in_controlled_shutdown = 0
    e.log_dirs = ()
    e.cordoned_log_dirs = None
    e.__class__ = BrokerRegistrationChange
    return e, o


def _write_broker_registration_change_v0(e: BrokerRegistrationChange, put: Put) -> None:
    put(pack_iq(e.broker_id, e.broker_epoch))
    count = 0
    tags: list[bytes] = []
    fenced = e.fenced
    if fenced != 0:
        count += 1
        tags.append(b"\x00\x01" + pack_b(fenced))
    if not count:
        put(b"\0")
        return
    put(put_uvarint(count))
    for piece in tags:
        put(piece)


def _read_broker_registration_change_v1(
    b: Buffer, o: int, end: int
) -> tuple[BrokerRegistrationChange, int]:
    broker_id, broker_epoch = unpack_iq(b, o)
    o += 12
    fenced: int = 0
    in_controlled_shutdown: int = 0
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
            raise short("BrokerRegistrationChange", size, end - o)
        stop = o + size
        if tag == 0:
            (fenced,) = unpack_b(b, o)
            o += 1
            if o != stop:
                raise wrong_size("BrokerRegistrationChange.fenced", o - stop)
        elif tag == 1:
            (in_controlled_shutdown,) = unpack_b(b, o)
            o += 1
            if o != stop:
                raise wrong_size("BrokerRegistrationChange.in_controlled_shutdown", o - stop)
        o = stop
    e: BrokerRegistrationChange = new(_BrokerRegistrationChange)
    e.broker_id = broker_id
    e.broker_epoch = broker_epoch
    e.fenced = fenced
    e.in_controlled_shutdown = in_controlled_shutdown
    e.log_dirs = ()
    e.cordoned_log_dirs = None
    e.__class__ = BrokerRegistrationChange
    return e, o


def _write_broker_registration_change_v1(e: BrokerRegistrationChange, put: Put) -> None:
    put(pack_iq(e.broker_id, e.broker_epoch))
    count = 0
    tags: list[bytes] = []
    fenced = e.fenced
    if fenced != 0:
        count += 1
        tags.append(b"\x00\x01" + pack_b(fenced))
    in_controlled_shutdown = e.in_controlled_shutdown
    if in_controlled_shutdown != 0:
        count += 1
        tags.append(b"\x01\x01" + pack_b(in_controlled_shutdown))
    if not count:
        put(b"\0")
        return
    put(put_uvarint(count))
    for piece in tags:
        put(piece)


def _read_broker_registration_change_v2(
    b: Buffer, o: int, end: int
) -> tuple[BrokerRegistrationChange, int]:
    broker_id, broker_epoch = unpack_iq(b, o)
    o += 12
    fenced: int = 0
    in_controlled_shutdown: int = 0
    log_dirs: tuple[UUID, ...] = ()
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
            raise short("BrokerRegistrationChange", size, end - o)
        stop = o + size
        if tag == 0:
            (fenced,) = unpack_b(b, o)
            o += 1
            if o != stop:
                raise wrong_size("BrokerRegistrationChange.fenced", o - stop)
        elif tag == 1:
            (in_controlled_shutdown,) = unpack_b(b, o)
            o += 1
            if o != stop:
                raise wrong_size("BrokerRegistrationChange.in_controlled_shutdown", o - stop)
        elif tag == 2:
            n = b[o]
            o += 1
            if n > 127:
                n, o = long_uvarint(b, o, n)
            n -= 1
            if n < 0:
                raise null("BrokerRegistrationChange.log_dirs")
            if n * 16 > end - o:
                raise short("BrokerRegistrationChange.log_dirs", n * 16, end - o)
            log_dirs = tuple([id_of(x) for x in unpack_from(">" + "16s" * n, b, o)])
            o += n * 16
            if o != stop:
                raise wrong_size("BrokerRegistrationChange.log_dirs", o - stop)
        o = stop
    e: BrokerRegistrationChange = new(_BrokerRegistrationChange)
    e.broker_id = broker_id
    e.broker_epoch = broker_epoch
    e.fenced = fenced
    e.in_controlled_shutdown = in_controlled_shutdown
    e.log_dirs = log_dirs
    e.cordoned_log_dirs = None
    e.__class__ = BrokerRegistrationChange
    return e, o


def _write_broker_registration_change_v2(e: BrokerRegistrationChange, put: Put) -> None:
    put(pack_iq(e.broker_id, e.broker_epoch))
    count = 0
    tags: list[bytes] = []
    fenced = e.fenced
    if fenced != 0:
        count += 1
        tags.append(b"\x00\x01" + pack_b(fenced))
    in_controlled_shutdown = e.in_controlled_shutdown
    if in_controlled_shutdown != 0:
        count += 1
        tags.append(b"\x01\x01" + pack_b(in_controlled_shutdown))
    log_dirs = e.log_dirs
    if log_dirs:
        count += 1
        log_dirs_pieces: list[Buffer] = []
        log_dirs_pieces.append(put_uvarint(len(log_dirs) + 1))
        for one_log_dirs in log_dirs:
            log_dirs_pieces.append(one_log_dirs.bytes)
        piece = b"".join(log_dirs_pieces)
        tags += (b"\x02", put_uvarint(len(piece)), piece)
    if not count:
        put(b"\0")
        return
    put(put_uvarint(count))
    for piece in tags:
        put(piece)


def _read_broker_registration_change_v3(
    b: Buffer, o: int, end: int
) -> tuple[BrokerRegistrationChange, int]:
    broker_id, broker_epoch = unpack_iq(b, o)
    o += 12
    fenced: int = 0
    in_controlled_shutdown: int = 0
    log_dirs: tuple[UUID, ...] = ()
    cordoned_log_dirs: tuple[UUID, ...] | None = None
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
            raise short("BrokerRegistrationChange", size, end - o)
        stop = o + size
        if tag == 0:
            (fenced,) = unpack_b(b, o)
            o += 1
            if o != stop:
                raise wrong_size("BrokerRegistrationChange.fenced", o - stop)
        elif tag == 1:
            (in_controlled_shutdown,) = unpack_b(b, o)
            o += 1
            if o != stop:
                raise wrong_size("BrokerRegistrationChange.in_controlled_shutdown", o - stop)
        elif tag == 2:
            n = b[o]
            o += 1
            if n > 127:
                n, o = long_uvarint(b, o, n)
            n -= 1
            if n < 0:
                raise null("BrokerRegistrationChange.log_dirs")
            if n * 16 > end - o:
                raise short("BrokerRegistrationChange.log_dirs", n * 16, end - o)
            log_dirs = tuple([id_of(x) for x in unpack_from(">" + "16s" * n, b, o)])
            o += n * 16
            if o != stop:
                raise wrong_size("BrokerRegistrationChange.log_dirs", o - stop)
        elif tag == 3:
            n = b[o]
            o += 1
            if n > 127:
                n, o = long_uvarint(b, o, n)
            n -= 1
            if n < 0:
                cordoned_log_dirs = None
            else:
                if n * 16 > end - o:
                    raise short("BrokerRegistrationChange.cordoned_log_dirs", n * 16, end - o)
                cordoned_log_dirs = tuple([id_of(x) for x in unpack_from(">" + "16s" * n, b, o)])
                o += n * 16
            if o != stop:
                raise wrong_size("BrokerRegistrationChange.cordoned_log_dirs", o - stop)
        o = stop
    e: BrokerRegistrationChange = new(_BrokerRegistrationChange)
    e.broker_id = broker_id
    e.broker_epoch = broker_epoch
    e.fenced = fenced
    e.in_controlled_shutdown = in_controlled_shutdown
    e.log_dirs = log_dirs
    e.cordoned_log_dirs = cordoned_log_dirs
    e.__class__ = BrokerRegistrationChange
    return e, o


def _write_broker_registration_change_v3(e: BrokerRegistrationChange, put: Put) -> None:
    put(pack_iq(e.broker_id, e.broker_epoch))
    count = 0
    tags: list[bytes] = []
    fenced = e.fenced
    if fenced != 0:
        count += 1
        tags.append(b"\x00\x01" + pack_b(fenced))
    in_controlled_shutdown = e.in_controlled_shutdown
    if in_controlled_shutdown != 0:
        count += 1
        tags.append(b"\x01\x01" + pack_b(in_controlled_shutdown))
    log_dirs = e.log_dirs
    if log_dirs:
        count += 1
        log_dirs_pieces: list[Buffer] = []
        log_dirs_pieces.append(put_uvarint(len(log_dirs) + 1))
        for one_log_dirs in log_dirs:
            log_dirs_pieces.append(one_log_dirs.bytes)
        piece = b"".join(log_dirs_pieces)
        tags += (b"\x02", put_uvarint(len(piece)), piece)
    cordoned_log_dirs = e.cordoned_log_dirs
    if cordoned_log_dirs is not None:
        count += 1
        cordoned_log_dirs_pieces: list[Buffer] = []
        cordoned_log_dirs_pieces.append(put_uvarint(len(cordoned_log_dirs) + 1))
        for one_cordoned_log_dirs in cordoned_log_dirs:
            cordoned_log_dirs_pieces.append(one_cordoned_log_dirs.bytes)
        piece = b"".join(cordoned_log_dirs_pieces)
        tags += (b"\x03", put_uvarint(len(piece)), piece)
    if not count:
        put(b"\0")
        return
    put(put_uvarint(count))
    for piece in tags:
        put(piece)


READERS: Final[Mapping[int, Reader[BrokerRegistrationChange]]] = {
    0: _read_broker_registration_change_v0,
    1: _read_broker_registration_change_v1,
    2: _read_broker_registration_change_v2,
    3: _read_broker_registration_change_v3,
}
WRITERS: Final[Mapping[int, Writer[BrokerRegistrationChange]]] = {
    0: _write_broker_registration_change_v0,
    1: _write_broker_registration_change_v1,
    2: _write_broker_registration_change_v2,
    3: _write_broker_registration_change_v3,
}
