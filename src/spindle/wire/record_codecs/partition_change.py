"""PartitionChange, versions 0 to 2. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct, pack, unpack_from
from typing import Final
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.model.metadata_records import PartitionChange
from spindle.wire.codec import Open, Put, Reader, Writer, wrong_size
from spindle.wire.values import id_of, long_uvarint, put_uvarint, short

new = object.__new__
pack_b = Struct(">b").pack
pack_i = Struct(">i").pack
pack_iu = Struct(">i16s").pack
unpack_b = Struct(">b").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iu = Struct(">i16s").unpack_from


class _PartitionChange(Open, PartitionChange):
    __slots__ = ()


def _read_partition_change_v0(b: Buffer, o: int, end: int) -> tuple[PartitionChange, int]:
    partition_id, topic_id = unpack_iu(b, o)
    o += 20
    topic_id = id_of(topic_id)
    isr: tuple[int, ...] | None = None
    leader: int = -2
    replicas: tuple[int, ...] | None = None
    removing_replicas: tuple[int, ...] | None = None
    adding_replicas: tuple[int, ...] | None = None
    leader_recovery_state: int = -1
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
            raise short("PartitionChange", size, end - o)
        stop = o + size
        if tag == 0:
            n = b[o]
            o += 1
            if n > 127:
                n, o = long_uvarint(b, o, n)
            n -= 1
            if n < 0:
                isr = None
            else:
                if n * 4 > end - o:
                    raise short("PartitionChange.isr", n * 4, end - o)
                isr = unpack_from(f">{n}i", b, o)
                o += n * 4
            if o != stop:
                raise wrong_size("PartitionChange.isr", o - stop)
        elif tag == 1:
            (leader,) = unpack_i(b, o)
            o += 4
            if o != stop:
                raise wrong_size("PartitionChange.leader", o - stop)
        elif tag == 2:
            n = b[o]
            o += 1
            if n > 127:
                n, o = long_uvarint(b, o, n)
            n -= 1
            if n < 0:
                replicas = None
            else:
                if n * 4 > end - o:
                    raise short("PartitionChange.replicas", n * 4, end - o)
                replicas = unpack_from(f">{n}i", b, o)
                o += n * 4
            if o != stop:
                raise wrong_size("PartitionChange.replicas", o - stop)
        elif tag == 3:
            n = b[o]
            o += 1
            if n > 127:
                n, o = long_uvarint(b, o, n)
            n -= 1
            if n < 0:
                removing_replicas = None
            else:
                if n * 4 > end - o:
                    raise short("PartitionChange.removing_replicas", n * 4, end - o)
                removing_replicas = unpack_from(f">{n}i", b, o)
                o += n * 4
            if o != stop:
                raise wrong_size("PartitionChange.removing_replicas", o - stop)
        elif tag == 4:
            n = b[o]
            o += 1
            if n > 127:
                n, o = long_uvarint(b, o, n)
            n -= 1
            if n < 0:
                adding_replicas = None
            else:
                if n * 4 > end - o:
                    raise short("PartitionChange.adding_replicas", n * 4, end - o)
                adding_replicas = unpack_from(f">{n}i", b, o)
                o += n * 4
            if o != stop:
                raise wrong_size("PartitionChange.adding_replicas", o - stop)
        elif tag == 5:
            (leader_recovery_state,) = unpack_b(b, o)
            o += 1
            if o != stop:
                raise wrong_size("PartitionChange.leader_recovery_state", o - stop)
        o = stop
    e: PartitionChange = new(_PartitionChange)
    e.partition_id = partition_id
    e.topic_id = topic_id
    e.isr = isr
    e.leader = leader
    e.replicas = replicas
    e.removing_replicas = removing_replicas
    e.adding_replicas = adding_replicas
    e.leader_recovery_state = leader_recovery_state
    e.elr = None
    e.last_known_elr = None
    e.directories = None
    e.__class__ = PartitionChange
    return e, o


def _write_partition_change_v0(e: PartitionChange, put: Put) -> None:
    put(pack_iu(e.partition_id, e.topic_id.bytes))
    count = 0
    tags: list[bytes] = []
    isr = e.isr
    if isr is not None:
        count += 1
        isr_pieces: list[Buffer] = []
        isr_pieces.append(put_uvarint(len(isr) + 1))
        if isr:
            isr_pieces.append(pack(f">{len(isr)}i", *isr))
        piece = b"".join(isr_pieces)
        tags += (b"\x00", put_uvarint(len(piece)), piece)
    leader = e.leader
    if leader != -2:
        count += 1
        tags.append(b"\x01\x04" + pack_i(leader))
    replicas = e.replicas
    if replicas is not None:
        count += 1
        replicas_pieces: list[Buffer] = []
        replicas_pieces.append(put_uvarint(len(replicas) + 1))
        if replicas:
            replicas_pieces.append(pack(f">{len(replicas)}i", *replicas))
        piece = b"".join(replicas_pieces)
        tags += (b"\x02", put_uvarint(len(piece)), piece)
    removing_replicas = e.removing_replicas
    if removing_replicas is not None:
        count += 1
        removing_replicas_pieces: list[Buffer] = []
        removing_replicas_pieces.append(put_uvarint(len(removing_replicas) + 1))
        if removing_replicas:
            removing_replicas_pieces.append(pack(f">{len(removing_replicas)}i", *removing_replicas))
        piece = b"".join(removing_replicas_pieces)
        tags += (b"\x03", put_uvarint(len(piece)), piece)
    adding_replicas = e.adding_replicas
    if adding_replicas is not None:
        count += 1
        adding_replicas_pieces: list[Buffer] = []
        adding_replicas_pieces.append(put_uvarint(len(adding_replicas) + 1))
        if adding_replicas:
            adding_replicas_pieces.append(pack(f">{len(adding_replicas)}i", *adding_replicas))
        piece = b"".join(adding_replicas_pieces)
        tags += (b"\x04", put_uvarint(len(piece)), piece)
    leader_recovery_state = e.leader_recovery_state
    if leader_recovery_state != -1:
        count += 1
        tags.append(b"\x05\x01" + pack_b(leader_recovery_state))
    if not count:
        put(b"\0")
        return
    put(put_uvarint(count))
    for piece in tags:
        put(piece)


def _read_partition_change_v1(b: Buffer, o: int, end: int) -> tuple[PartitionChange, int]:
    partition_id, topic_id = unpack_iu(b, o)
    o += 20
    topic_id = id_of(topic_id)
    isr: tuple[int, ...] | None = None
    leader: int = -2
    replicas: tuple[int, ...] | None = None
    removing_replicas: tuple[int, ...] | None = None
    adding_replicas: tuple[int, ...] | None = None
    leader_recovery_state: int = -1
    directories: tuple[UUID, ...] | None = None
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
            raise short("PartitionChange", size, end - o)
        stop = o + size
        if tag == 0:
            n = b[o]
            o += 1
            if n > 127:
                n, o = long_uvarint(b, o, n)
            n -= 1
            if n < 0:
                isr = None
            else:
                if n * 4 > end - o:
                    raise short("PartitionChange.isr", n * 4, end - o)
                isr = unpack_from(f">{n}i", b, o)
                o += n * 4
            if o != stop:
                raise wrong_size("PartitionChange.isr", o - stop)
        elif tag == 1:
            (leader,) = unpack_i(b, o)
            o += 4
            if o != stop:
                raise wrong_size("PartitionChange.leader", o - stop)
        elif tag == 2:
            n = b[o]
            o += 1
            if n > 127:
                n, o = long_uvarint(b, o, n)
            n -= 1
            if n < 0:
                replicas = None
            else:
                if n * 4 > end - o:
                    raise short("PartitionChange.replicas", n * 4, end - o)
                replicas = unpack_from(f">{n}i", b, o)
                o += n * 4
            if o != stop:
                raise wrong_size("PartitionChange.replicas", o - stop)
        elif tag == 3:
            n = b[o]
            o += 1
            if n > 127:
                n, o = long_uvarint(b, o, n)
            n -= 1
            if n < 0:
                removing_replicas = None
            else:
                if n * 4 > end - o:
                    raise short("PartitionChange.removing_replicas", n * 4, end - o)
                removing_replicas = unpack_from(f">{n}i", b, o)
                o += n * 4
            if o != stop:
                raise wrong_size("PartitionChange.removing_replicas", o - stop)
        elif tag == 4:
            n = b[o]
            o += 1
            if n > 127:
                n, o = long_uvarint(b, o, n)
            n -= 1
            if n < 0:
                adding_replicas = None
            else:
                if n * 4 > end - o:
                    raise short("PartitionChange.adding_replicas", n * 4, end - o)
                adding_replicas = unpack_from(f">{n}i", b, o)
                o += n * 4
            if o != stop:
                raise wrong_size("PartitionChange.adding_replicas", o - stop)
        elif tag == 5:
            (leader_recovery_state,) = unpack_b(b, o)
            o += 1
            if o != stop:
                raise wrong_size("PartitionChange.leader_recovery_state", o - stop)
        elif tag == 8:
            n = b[o]
            o += 1
            if n > 127:
                n, o = long_uvarint(b, o, n)
            n -= 1
            if n < 0:
                directories = None
            else:
                if n * 16 > end - o:
                    raise short("PartitionChange.directories", n * 16, end - o)
                directories = tuple([id_of(x) for x in unpack_from(">" + "16s" * n, b, o)])
                o += n * 16
            if o != stop:
                raise wrong_size("PartitionChange.directories", o - stop)
        o = stop
    e: PartitionChange = new(_PartitionChange)
    e.partition_id = partition_id
    e.topic_id = topic_id
    e.isr = isr
    e.leader = leader
    e.replicas = replicas
    e.removing_replicas = removing_replicas
    e.adding_replicas = adding_replicas
    e.leader_recovery_state = leader_recovery_state
    e.elr = None
    e.last_known_elr = None
    e.directories = directories
    e.__class__ = PartitionChange
    return e, o


def _write_partition_change_v1(e: PartitionChange, put: Put) -> None:
    put(pack_iu(e.partition_id, e.topic_id.bytes))
    count = 0
    tags: list[bytes] = []
    isr = e.isr
    if isr is not None:
        count += 1
        isr_pieces: list[Buffer] = []
        isr_pieces.append(put_uvarint(len(isr) + 1))
        if isr:
            isr_pieces.append(pack(f">{len(isr)}i", *isr))
        piece = b"".join(isr_pieces)
        tags += (b"\x00", put_uvarint(len(piece)), piece)
    leader = e.leader
    if leader != -2:
        count += 1
        tags.append(b"\x01\x04" + pack_i(leader))
    replicas = e.replicas
    if replicas is not None:
        count += 1
        replicas_pieces: list[Buffer] = []
        replicas_pieces.append(put_uvarint(len(replicas) + 1))
        if replicas:
            replicas_pieces.append(pack(f">{len(replicas)}i", *replicas))
        piece = b"".join(replicas_pieces)
        tags += (b"\x02", put_uvarint(len(piece)), piece)
    removing_replicas = e.removing_replicas
    if removing_replicas is not None:
        count += 1
        removing_replicas_pieces: list[Buffer] = []
        removing_replicas_pieces.append(put_uvarint(len(removing_replicas) + 1))
        if removing_replicas:
            removing_replicas_pieces.append(pack(f">{len(removing_replicas)}i", *removing_replicas))
        piece = b"".join(removing_replicas_pieces)
        tags += (b"\x03", put_uvarint(len(piece)), piece)
    adding_replicas = e.adding_replicas
    if adding_replicas is not None:
        count += 1
        adding_replicas_pieces: list[Buffer] = []
        adding_replicas_pieces.append(put_uvarint(len(adding_replicas) + 1))
        if adding_replicas:
            adding_replicas_pieces.append(pack(f">{len(adding_replicas)}i", *adding_replicas))
        piece = b"".join(adding_replicas_pieces)
        tags += (b"\x04", put_uvarint(len(piece)), piece)
    leader_recovery_state = e.leader_recovery_state
    if leader_recovery_state != -1:
        count += 1
        tags.append(b"\x05\x01" + pack_b(leader_recovery_state))
    directories = e.directories
    if directories is not None:
        count += 1
        directories_pieces: list[Buffer] = []
        directories_pieces.append(put_uvarint(len(directories) + 1))
        for one_directories in directories:
            directories_pieces.append(one_directories.bytes)
        piece = b"".join(directories_pieces)
        tags += (b"\x08", put_uvarint(len(piece)), piece)
    if not count:
        put(b"\0")
        return
    put(put_uvarint(count))
    for piece in tags:
        put(piece)


def _read_partition_change_v2(b: Buffer, o: int, end: int) -> tuple[PartitionChange, int]:
    partition_id, topic_id = unpack_iu(b, o)
    o += 20
    topic_id = id_of(topic_id)
    isr: tuple[int, ...] | None = None
    leader: int = -2
    replicas: tuple[int, ...] | None = None
    removing_replicas: tuple[int, ...] | None = None
    adding_replicas: tuple[int, ...] | None = None
    leader_recovery_state: int = -1
    elr: tuple[int, ...] | None = None
    last_known_elr: tuple[int, ...] | None = None
    directories: tuple[UUID, ...] | None = None
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
            raise short("PartitionChange", size, end - o)
        stop = o + size
        if tag == 0:
            n = b[o]
            o += 1
            if n > 127:
                n, o = long_uvarint(b, o, n)
            n -= 1
            if n < 0:
                isr = None
            else:
                if n * 4 > end - o:
                    raise short("PartitionChange.isr", n * 4, end - o)
                isr = unpack_from(f">{n}i", b, o)
                o += n * 4
            if o != stop:
                raise wrong_size("PartitionChange.isr", o - stop)
        elif tag == 1:
            (leader,) = unpack_i(b, o)
            o += 4
            if o != stop:
                raise wrong_size("PartitionChange.leader", o - stop)
        elif tag == 2:
            n = b[o]
            o += 1
            if n > 127:
                n, o = long_uvarint(b, o, n)
            n -= 1
            if n < 0:
                replicas = None
            else:
                if n * 4 > end - o:
                    raise short("PartitionChange.replicas", n * 4, end - o)
                replicas = unpack_from(f">{n}i", b, o)
                o += n * 4
            if o != stop:
                raise wrong_size("PartitionChange.replicas", o - stop)
        elif tag == 3:
            n = b[o]
            o += 1
            if n > 127:
                n, o = long_uvarint(b, o, n)
            n -= 1
            if n < 0:
                removing_replicas = None
            else:
                if n * 4 > end - o:
                    raise short("PartitionChange.removing_replicas", n * 4, end - o)
                removing_replicas = unpack_from(f">{n}i", b, o)
                o += n * 4
            if o != stop:
                raise wrong_size("PartitionChange.removing_replicas", o - stop)
        elif tag == 4:
            n = b[o]
            o += 1
            if n > 127:
                n, o = long_uvarint(b, o, n)
            n -= 1
            if n < 0:
                adding_replicas = None
            else:
                if n * 4 > end - o:
                    raise short("PartitionChange.adding_replicas", n * 4, end - o)
                adding_replicas = unpack_from(f">{n}i", b, o)
                o += n * 4
            if o != stop:
                raise wrong_size("PartitionChange.adding_replicas", o - stop)
        elif tag == 5:
            (leader_recovery_state,) = unpack_b(b, o)
            o += 1
            if o != stop:
                raise wrong_size("PartitionChange.leader_recovery_state", o - stop)
        elif tag == 6:
            n = b[o]
            o += 1
            if n > 127:
                n, o = long_uvarint(b, o, n)
            n -= 1
            if n < 0:
                elr = None
            else:
                if n * 4 > end - o:
                    raise short("PartitionChange.elr", n * 4, end - o)
                elr = unpack_from(f">{n}i", b, o)
                o += n * 4
            if o != stop:
                raise wrong_size("PartitionChange.elr", o - stop)
        elif tag == 7:
            n = b[o]
            o += 1
            if n > 127:
                n, o = long_uvarint(b, o, n)
            n -= 1
            if n < 0:
                last_known_elr = None
            else:
                if n * 4 > end - o:
                    raise short("PartitionChange.last_known_elr", n * 4, end - o)
                last_known_elr = unpack_from(f">{n}i", b, o)
                o += n * 4
            if o != stop:
                raise wrong_size("PartitionChange.last_known_elr", o - stop)
        elif tag == 8:
            n = b[o]
            o += 1
            if n > 127:
                n, o = long_uvarint(b, o, n)
            n -= 1
            if n < 0:
                directories = None
            else:
                if n * 16 > end - o:
                    raise short("PartitionChange.directories", n * 16, end - o)
                directories = tuple([id_of(x) for x in unpack_from(">" + "16s" * n, b, o)])
                o += n * 16
            if o != stop:
                raise wrong_size("PartitionChange.directories", o - stop)
        o = stop
    e: PartitionChange = new(_PartitionChange)
    e.partition_id = partition_id
    e.topic_id = topic_id
    e.isr = isr
    e.leader = leader
    e.replicas = replicas
    e.removing_replicas = removing_replicas
    e.adding_replicas = adding_replicas
    e.leader_recovery_state = leader_recovery_state
    e.elr = elr
    e.last_known_elr = last_known_elr
    e.directories = directories
    e.__class__ = PartitionChange
    return e, o


def _write_partition_change_v2(e: PartitionChange, put: Put) -> None:
    put(pack_iu(e.partition_id, e.topic_id.bytes))
    count = 0
    tags: list[bytes] = []
    isr = e.isr
    if isr is not None:
        count += 1
        isr_pieces: list[Buffer] = []
        isr_pieces.append(put_uvarint(len(isr) + 1))
        if isr:
            isr_pieces.append(pack(f">{len(isr)}i", *isr))
        piece = b"".join(isr_pieces)
        tags += (b"\x00", put_uvarint(len(piece)), piece)
    leader = e.leader
    if leader != -2:
        count += 1
        tags.append(b"\x01\x04" + pack_i(leader))
    replicas = e.replicas
    if replicas is not None:
        count += 1
        replicas_pieces: list[Buffer] = []
        replicas_pieces.append(put_uvarint(len(replicas) + 1))
        if replicas:
            replicas_pieces.append(pack(f">{len(replicas)}i", *replicas))
        piece = b"".join(replicas_pieces)
        tags += (b"\x02", put_uvarint(len(piece)), piece)
    removing_replicas = e.removing_replicas
    if removing_replicas is not None:
        count += 1
        removing_replicas_pieces: list[Buffer] = []
        removing_replicas_pieces.append(put_uvarint(len(removing_replicas) + 1))
        if removing_replicas:
            removing_replicas_pieces.append(pack(f">{len(removing_replicas)}i", *removing_replicas))
        piece = b"".join(removing_replicas_pieces)
        tags += (b"\x03", put_uvarint(len(piece)), piece)
    adding_replicas = e.adding_replicas
    if adding_replicas is not None:
        count += 1
        adding_replicas_pieces: list[Buffer] = []
        adding_replicas_pieces.append(put_uvarint(len(adding_replicas) + 1))
        if adding_replicas:
            adding_replicas_pieces.append(pack(f">{len(adding_replicas)}i", *adding_replicas))
        piece = b"".join(adding_replicas_pieces)
        tags += (b"\x04", put_uvarint(len(piece)), piece)
    leader_recovery_state = e.leader_recovery_state
    if leader_recovery_state != -1:
        count += 1
        tags.append(b"\x05\x01" + pack_b(leader_recovery_state))
    elr = e.elr
    if elr is not None:
        count += 1
        elr_pieces: list[Buffer] = []
        elr_pieces.append(put_uvarint(len(elr) + 1))
        if elr:
            elr_pieces.append(pack(f">{len(elr)}i", *elr))
        piece = b"".join(elr_pieces)
        tags += (b"\x06", put_uvarint(len(piece)), piece)
    last_known_elr = e.last_known_elr
    if last_known_elr is not None:
        count += 1
        last_known_elr_pieces: list[Buffer] = []
        last_known_elr_pieces.append(put_uvarint(len(last_known_elr) + 1))
        if last_known_elr:
            last_known_elr_pieces.append(pack(f">{len(last_known_elr)}i", *last_known_elr))
        piece = b"".join(last_known_elr_pieces)
        tags += (b"\x07", put_uvarint(len(piece)), piece)
    directories = e.directories
    if directories is not None:
        count += 1
        directories_pieces: list[Buffer] = []
        directories_pieces.append(put_uvarint(len(directories) + 1))
        for one_directories in directories:
            directories_pieces.append(one_directories.bytes)
        piece = b"".join(directories_pieces)
        tags += (b"\x08", put_uvarint(len(piece)), piece)
    if not count:
        put(b"\0")
        return
    put(put_uvarint(count))
    for piece in tags:
        put(piece)


READERS: Final[Mapping[int, Reader[PartitionChange]]] = {
    0: _read_partition_change_v0,
    1: _read_partition_change_v1,
    2: _read_partition_change_v2,
}
WRITERS: Final[Mapping[int, Writer[PartitionChange]]] = {
    0: _write_partition_change_v0,
    1: _write_partition_change_v1,
    2: _write_partition_change_v2,
}
