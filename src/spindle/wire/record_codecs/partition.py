"""Partition, versions 0 to 2. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct, pack, unpack_from
from typing import Final

from spindle.model.batches import Buffer
from spindle.model.metadata_records import PartitionRegistration
from spindle.wire.codec import Open, Put, Reader, Writer, null, wrong_size
from spindle.wire.values import id_of, long_uvarint, put_uvarint, short

new = object.__new__
pack_b = Struct(">b").pack
pack_iii = Struct(">iii").pack
pack_iu = Struct(">i16s").pack
unpack_b = Struct(">b").unpack_from
unpack_iii = Struct(">iii").unpack_from
unpack_iu = Struct(">i16s").unpack_from


class _PartitionRegistration(Open, PartitionRegistration):
    __slots__ = ()


def _read_partition_v0(b: Buffer, o: int, end: int) -> tuple[PartitionRegistration, int]:
    partition_id, topic_id = unpack_iu(b, o)
    o += 20
    topic_id = id_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Partition.replicas")
    if n * 4 > end - o:
        raise short("Partition.replicas", n * 4, end - o)
    replicas = unpack_from(f">{n}i", b, o)
    o += n * 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Partition.isr")
    if n * 4 > end - o:
        raise short("Partition.isr", n * 4, end - o)
    isr = unpack_from(f">{n}i", b, o)
    o += n * 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Partition.removing_replicas")
    if n * 4 > end - o:
        raise short("Partition.removing_replicas", n * 4, end - o)
    removing_replicas = unpack_from(f">{n}i", b, o)
    o += n * 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Partition.adding_replicas")
    if n * 4 > end - o:
        raise short("Partition.adding_replicas", n * 4, end - o)
    adding_replicas = unpack_from(f">{n}i", b, o)
    o += n * 4
    leader, leader_epoch, partition_epoch = unpack_iii(b, o)
    o += 12
    leader_recovery_state: int = 0
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
            raise short("Partition", size, end - o)
        stop = o + size
        if tag == 0:
            (leader_recovery_state,) = unpack_b(b, o)
            o += 1
            if o != stop:
                raise wrong_size("Partition.leader_recovery_state", o - stop)
        o = stop
    e: PartitionRegistration = new(_PartitionRegistration)
    e.partition_id = partition_id
    e.topic_id = topic_id
    e.replicas = replicas
    e.isr = isr
    e.leader = leader
    e.leader_epoch = leader_epoch
    e.partition_epoch = partition_epoch
    e.directories = ()
    e.removing_replicas = removing_replicas
    e.adding_replicas = adding_replicas
    e.leader_recovery_state = leader_recovery_state
    e.elr = ()
    e.last_known_elr = ()
    e.__class__ = PartitionRegistration
    return e, o


def _write_partition_v0(e: PartitionRegistration, put: Put) -> None:
    put(pack_iu(e.partition_id, e.topic_id.bytes))
    replicas = e.replicas
    put(put_uvarint(len(replicas) + 1))
    if replicas:
        put(pack(f">{len(replicas)}i", *replicas))
    isr = e.isr
    put(put_uvarint(len(isr) + 1))
    if isr:
        put(pack(f">{len(isr)}i", *isr))
    removing_replicas = e.removing_replicas
    put(put_uvarint(len(removing_replicas) + 1))
    if removing_replicas:
        put(pack(f">{len(removing_replicas)}i", *removing_replicas))
    adding_replicas = e.adding_replicas
    put(put_uvarint(len(adding_replicas) + 1))
    if adding_replicas:
        put(pack(f">{len(adding_replicas)}i", *adding_replicas))
    put(pack_iii(e.leader, e.leader_epoch, e.partition_epoch))
    count = 0
    tags: list[bytes] = []
    leader_recovery_state = e.leader_recovery_state
    if leader_recovery_state != 0:
        count += 1
        tags.append(b"\x00\x01" + pack_b(leader_recovery_state))
    if not count:
        put(b"\0")
        return
    put(put_uvarint(count))
    for piece in tags:
        put(piece)


def _read_partition_v1(b: Buffer, o: int, end: int) -> tuple[PartitionRegistration, int]:
    partition_id, topic_id = unpack_iu(b, o)
    o += 20
    topic_id = id_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Partition.replicas")
    if n * 4 > end - o:
        raise short("Partition.replicas", n * 4, end - o)
    replicas = unpack_from(f">{n}i", b, o)
    o += n * 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Partition.isr")
    if n * 4 > end - o:
        raise short("Partition.isr", n * 4, end - o)
    isr = unpack_from(f">{n}i", b, o)
    o += n * 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Partition.removing_replicas")
    if n * 4 > end - o:
        raise short("Partition.removing_replicas", n * 4, end - o)
    removing_replicas = unpack_from(f">{n}i", b, o)
    o += n * 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Partition.adding_replicas")
    if n * 4 > end - o:
        raise short("Partition.adding_replicas", n * 4, end - o)
    adding_replicas = unpack_from(f">{n}i", b, o)
    o += n * 4
    leader, leader_epoch, partition_epoch = unpack_iii(b, o)
    o += 12
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Partition.directories")
    if n * 16 > end - o:
        raise short("Partition.directories", n * 16, end - o)
    directories = tuple([id_of(x) for x in unpack_from(">" + "16s" * n, b, o)])
    o += n * 16
    leader_recovery_state: int = 0
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
            raise short("Partition", size, end - o)
        stop = o + size
        if tag == 0:
            (leader_recovery_state,) = unpack_b(b, o)
            o += 1
            if o != stop:
                raise wrong_size("Partition.leader_recovery_state", o - stop)
        o = stop
    e: PartitionRegistration = new(_PartitionRegistration)
    e.partition_id = partition_id
    e.topic_id = topic_id
    e.replicas = replicas
    e.isr = isr
    e.leader = leader
    e.leader_epoch = leader_epoch
    e.partition_epoch = partition_epoch
    e.directories = directories
    e.removing_replicas = removing_replicas
    e.adding_replicas = adding_replicas
    e.leader_recovery_state = leader_recovery_state
    e.elr = ()
    e.last_known_elr = ()
    e.__class__ = PartitionRegistration
    return e, o


def _write_partition_v1(e: PartitionRegistration, put: Put) -> None:
    put(pack_iu(e.partition_id, e.topic_id.bytes))
    replicas = e.replicas
    put(put_uvarint(len(replicas) + 1))
    if replicas:
        put(pack(f">{len(replicas)}i", *replicas))
    isr = e.isr
    put(put_uvarint(len(isr) + 1))
    if isr:
        put(pack(f">{len(isr)}i", *isr))
    removing_replicas = e.removing_replicas
    put(put_uvarint(len(removing_replicas) + 1))
    if removing_replicas:
        put(pack(f">{len(removing_replicas)}i", *removing_replicas))
    adding_replicas = e.adding_replicas
    put(put_uvarint(len(adding_replicas) + 1))
    if adding_replicas:
        put(pack(f">{len(adding_replicas)}i", *adding_replicas))
    put(pack_iii(e.leader, e.leader_epoch, e.partition_epoch))
    directories = e.directories
    put(put_uvarint(len(directories) + 1))
    for one_directories in directories:
        put(one_directories.bytes)
    count = 0
    tags: list[bytes] = []
    leader_recovery_state = e.leader_recovery_state
    if leader_recovery_state != 0:
        count += 1
        tags.append(b"\x00\x01" + pack_b(leader_recovery_state))
    if not count:
        put(b"\0")
        return
    put(put_uvarint(count))
    for piece in tags:
        put(piece)


def _read_partition_v2(b: Buffer, o: int, end: int) -> tuple[PartitionRegistration, int]:
    partition_id, topic_id = unpack_iu(b, o)
    o += 20
    topic_id = id_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Partition.replicas")
    if n * 4 > end - o:
        raise short("Partition.replicas", n * 4, end - o)
    replicas = unpack_from(f">{n}i", b, o)
    o += n * 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Partition.isr")
    if n * 4 > end - o:
        raise short("Partition.isr", n * 4, end - o)
    isr = unpack_from(f">{n}i", b, o)
    o += n * 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Partition.removing_replicas")
    if n * 4 > end - o:
        raise short("Partition.removing_replicas", n * 4, end - o)
    removing_replicas = unpack_from(f">{n}i", b, o)
    o += n * 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Partition.adding_replicas")
    if n * 4 > end - o:
        raise short("Partition.adding_replicas", n * 4, end - o)
    adding_replicas = unpack_from(f">{n}i", b, o)
    o += n * 4
    leader, leader_epoch, partition_epoch = unpack_iii(b, o)
    o += 12
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Partition.directories")
    if n * 16 > end - o:
        raise short("Partition.directories", n * 16, end - o)
    directories = tuple([id_of(x) for x in unpack_from(">" + "16s" * n, b, o)])
    o += n * 16
    leader_recovery_state: int = 0
    elr: tuple[int, ...] = ()
    last_known_elr: tuple[int, ...] = ()
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
            raise short("Partition", size, end - o)
        stop = o + size
        if tag == 0:
            (leader_recovery_state,) = unpack_b(b, o)
            o += 1
            if o != stop:
                raise wrong_size("Partition.leader_recovery_state", o - stop)
        elif tag == 1:
            n = b[o]
            o += 1
            if n > 127:
                n, o = long_uvarint(b, o, n)
            n -= 1
            if n < 0:
                raise null("Partition.elr")
            if n * 4 > end - o:
                raise short("Partition.elr", n * 4, end - o)
            elr = unpack_from(f">{n}i", b, o)
            o += n * 4
            if o != stop:
                raise wrong_size("Partition.elr", o - stop)
        elif tag == 2:
            n = b[o]
            o += 1
            if n > 127:
                n, o = long_uvarint(b, o, n)
            n -= 1
            if n < 0:
                raise null("Partition.last_known_elr")
            if n * 4 > end - o:
                raise short("Partition.last_known_elr", n * 4, end - o)
            last_known_elr = unpack_from(f">{n}i", b, o)
            o += n * 4
            if o != stop:
                raise wrong_size("Partition.last_known_elr", o - stop)
        o = stop
    e: PartitionRegistration = new(_PartitionRegistration)
    e.partition_id = partition_id
    e.topic_id = topic_id
    e.replicas = replicas
    e.isr = isr
    e.leader = leader
    e.leader_epoch = leader_epoch
    e.partition_epoch = partition_epoch
    e.directories = directories
    e.removing_replicas = removing_replicas
    e.adding_replicas = adding_replicas
    e.leader_recovery_state = leader_recovery_state
    e.elr = elr
    e.last_known_elr = last_known_elr
    e.__class__ = PartitionRegistration
    return e, o


def _write_partition_v2(e: PartitionRegistration, put: Put) -> None:
    put(pack_iu(e.partition_id, e.topic_id.bytes))
    replicas = e.replicas
    put(put_uvarint(len(replicas) + 1))
    if replicas:
        put(pack(f">{len(replicas)}i", *replicas))
    isr = e.isr
    put(put_uvarint(len(isr) + 1))
    if isr:
        put(pack(f">{len(isr)}i", *isr))
    removing_replicas = e.removing_replicas
    put(put_uvarint(len(removing_replicas) + 1))
    if removing_replicas:
        put(pack(f">{len(removing_replicas)}i", *removing_replicas))
    adding_replicas = e.adding_replicas
    put(put_uvarint(len(adding_replicas) + 1))
    if adding_replicas:
        put(pack(f">{len(adding_replicas)}i", *adding_replicas))
    put(pack_iii(e.leader, e.leader_epoch, e.partition_epoch))
    directories = e.directories
    put(put_uvarint(len(directories) + 1))
    for one_directories in directories:
        put(one_directories.bytes)
    count = 0
    tags: list[bytes] = []
    leader_recovery_state = e.leader_recovery_state
    if leader_recovery_state != 0:
        count += 1
        tags.append(b"\x00\x01" + pack_b(leader_recovery_state))
    elr = e.elr
    if elr:
        count += 1
        elr_pieces: list[Buffer] = []
        elr_pieces.append(put_uvarint(len(elr) + 1))
        if elr:
            elr_pieces.append(pack(f">{len(elr)}i", *elr))
        piece = b"".join(elr_pieces)
        tags += (b"\x01", put_uvarint(len(piece)), piece)
    last_known_elr = e.last_known_elr
    if last_known_elr:
        count += 1
        last_known_elr_pieces: list[Buffer] = []
        last_known_elr_pieces.append(put_uvarint(len(last_known_elr) + 1))
        if last_known_elr:
            last_known_elr_pieces.append(pack(f">{len(last_known_elr)}i", *last_known_elr))
        piece = b"".join(last_known_elr_pieces)
        tags += (b"\x02", put_uvarint(len(piece)), piece)
    if not count:
        put(b"\0")
        return
    put(put_uvarint(count))
    for piece in tags:
        put(piece)


READERS: Final[Mapping[int, Reader[PartitionRegistration]]] = {
    0: _read_partition_v0,
    1: _read_partition_v1,
    2: _read_partition_v2,
}
WRITERS: Final[Mapping[int, Writer[PartitionRegistration]]] = {
    0: _write_partition_v0,
    1: _write_partition_v1,
    2: _write_partition_v2,
}
