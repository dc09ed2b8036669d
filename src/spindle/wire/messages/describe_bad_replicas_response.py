"""DescribeBadReplicasResponse (key 30590), versions 0 to 1. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Message, Packed, Put, Response, null, skip_tags
from spindle.wire.values import ERRORS, long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_iqqB = Struct(">iqqB").pack
pack_iqqq = Struct(">iqqq").pack
pack_qq = Struct(">qq").pack
pack_t = Struct(">?").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iqq = Struct(">iqq").unpack_from
unpack_iqqq = Struct(">iqqq").unpack_from
unpack_qq = Struct(">qq").unpack_from
unpack_t = Struct(">?").unpack_from


class BadCopy(Message):
    """A part of DescribeBadReplicasResponse."""

    __slots__ = ("name", "size", "since_ms", "reason")
    name: str
    size: int
    since_ms: int
    reason: str

    def __init__(
        self, *, name: str = "", size: int = 0, since_ms: int = 0, reason: str = ""
    ) -> None:
        self.name = name
        self.size = size
        self.since_ms = since_ms
        self.reason = reason


class Replica(Message):
    """A part of DescribeBadReplicasResponse."""

    __slots__ = ("topic", "partition_index", "reason", "is_damaged", "outlook")
    topic: str
    partition_index: int
    reason: str
    is_damaged: bool
    outlook: str

    def __init__(
        self,
        *,
        topic: str = "",
        partition_index: int = 0,
        reason: str = "",
        is_damaged: bool = False,
        outlook: str = "",
    ) -> None:
        self.topic = topic
        self.partition_index = partition_index
        self.reason = reason
        self.is_damaged = is_damaged
        self.outlook = outlook


class Gap(Message):
    """A part of DescribeBadReplicasResponse."""

    __slots__ = ("topic", "partition_index", "first_offset", "next_offset")
    topic: str
    partition_index: int
    first_offset: int
    next_offset: int

    def __init__(
        self,
        *,
        topic: str = "",
        partition_index: int = 0,
        first_offset: int = 0,
        next_offset: int = 0,
    ) -> None:
        self.topic = topic
        self.partition_index = partition_index
        self.first_offset = first_offset
        self.next_offset = next_offset


class LogDir(Message):
    """A part of DescribeBadReplicasResponse."""

    __slots__ = (
        "log_dir",
        "scrub_rounds",
        "scrub_ended_ms",
        "scrubbed_bytes",
        "scrub_total_bytes",
        "bad_copies",
        "replicas",
        "gaps",
    )
    log_dir: str
    scrub_rounds: int
    scrub_ended_ms: int
    scrubbed_bytes: int
    scrub_total_bytes: int
    bad_copies: Sequence[BadCopy]
    replicas: Sequence[Replica]
    gaps: Sequence[Gap]  # from version 1

    def __init__(
        self,
        *,
        log_dir: str = "",
        scrub_rounds: int = 0,
        scrub_ended_ms: int = 0,
        scrubbed_bytes: int = 0,
        scrub_total_bytes: int = 0,
        bad_copies: Sequence[BadCopy] = (),
        replicas: Sequence[Replica] = (),
        gaps: Sequence[Gap] = (),
    ) -> None:
        self.log_dir = log_dir
        self.scrub_rounds = scrub_rounds
        self.scrub_ended_ms = scrub_ended_ms
        self.scrubbed_bytes = scrubbed_bytes
        self.scrub_total_bytes = scrub_total_bytes
        self.bad_copies = bad_copies
        self.replicas = replicas
        self.gaps = gaps


class DescribeBadReplicasResponse(Response):
    """The response of API 30590."""

    KEY: ClassVar = 30590
    VERSIONS: ClassVar = range(2)
    FIRST_FLEXIBLE: ClassVar = 0

    __slots__ = ("error_code", "log_dirs")
    error_code: ErrorCode
    log_dirs: Sequence[LogDir]

    def __init__(
        self, *, error_code: ErrorCode = Error.NONE, log_dirs: Sequence[LogDir] = ()
    ) -> None:
        self.error_code = error_code
        self.log_dirs = log_dirs


def _read_bad_copy_v0(b: Buffer, o: int, end: int) -> tuple[BadCopy, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("BadCopy.name")
    if n > end - o:
        raise short("BadCopy.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    size_, since_ms = unpack_qq(b, o)
    o += 16
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("BadCopy.reason")
    if n > end - o:
        raise short("BadCopy.reason", n, end - o)
    reason = str(b[o : o + n], "utf-8")
    o += n
    o = skip_tags(b, o, end, "BadCopy") if b[o] else o + 1
    e = new(BadCopy)
    e.name = name
    e.size = size_
    e.since_ms = since_ms
    e.reason = reason
    return e, o


def _write_bad_copy_v0(e: BadCopy, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_qq(e.size, e.since_ms))
    reason = e.reason
    raw = reason.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(b"\0")


def _read_replica_v0(b: Buffer, o: int, end: int) -> tuple[Replica, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Replica.topic")
    if n > end - o:
        raise short("Replica.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    (partition_index,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Replica.reason")
    if n > end - o:
        raise short("Replica.reason", n, end - o)
    reason = str(b[o : o + n], "utf-8")
    o += n
    (is_damaged,) = unpack_t(b, o)
    o += 1
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Replica.outlook")
    if n > end - o:
        raise short("Replica.outlook", n, end - o)
    outlook = str(b[o : o + n], "utf-8")
    o += n
    o = skip_tags(b, o, end, "Replica") if b[o] else o + 1
    e = new(Replica)
    e.topic = topic
    e.partition_index = partition_index
    e.reason = reason
    e.is_damaged = is_damaged
    e.outlook = outlook
    return e, o


def _write_replica_v0(e: Replica, put: Put) -> None:
    topic = e.topic
    raw = topic.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_i(e.partition_index))
    reason = e.reason
    raw = reason.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_t(e.is_damaged))
    outlook = e.outlook
    raw = outlook.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(b"\0")


def _read_gap_v1(b: Buffer, o: int, end: int) -> tuple[Gap, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("Gap.topic")
    if n > end - o:
        raise short("Gap.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    partition_index, first_offset, next_offset = unpack_iqq(b, o)
    o += 20
    o = skip_tags(b, o, end, "Gap") if b[o] else o + 1
    e = new(Gap)
    e.topic = topic
    e.partition_index = partition_index
    e.first_offset = first_offset
    e.next_offset = next_offset
    return e, o


def _write_gap_v1(e: Gap, put: Put) -> None:
    topic = e.topic
    raw = topic.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_iqqB(e.partition_index, e.first_offset, e.next_offset, 0))


def _read_log_dir_v0(b: Buffer, o: int, end: int) -> tuple[LogDir, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("LogDir.log_dir")
    if n > end - o:
        raise short("LogDir.log_dir", n, end - o)
    log_dir = str(b[o : o + n], "utf-8")
    o += n
    scrub_rounds, scrub_ended_ms, scrubbed_bytes, scrub_total_bytes = unpack_iqqq(b, o)
    o += 28
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("LogDir.bad_copies")
    if n * 19 > end - o:
        raise short("LogDir.bad_copies", n * 19, end - o)
    all_bad_copies: list[BadCopy] = []
    for _ in range(n):
        one_bad_copies, o = _read_bad_copy_v0(b, o, end)
        all_bad_copies.append(one_bad_copies)
    bad_copies = tuple(all_bad_copies)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("LogDir.replicas")
    if n * 9 > end - o:
        raise short("LogDir.replicas", n * 9, end - o)
    all_replicas: list[Replica] = []
    for _ in range(n):
        one_replicas, o = _read_replica_v0(b, o, end)
        all_replicas.append(one_replicas)
    replicas = tuple(all_replicas)
    o = skip_tags(b, o, end, "LogDir") if b[o] else o + 1
    e = new(LogDir)
    e.log_dir = log_dir
    e.scrub_rounds = scrub_rounds
    e.scrub_ended_ms = scrub_ended_ms
    e.scrubbed_bytes = scrubbed_bytes
    e.scrub_total_bytes = scrub_total_bytes
    e.bad_copies = bad_copies
    e.replicas = replicas
    e.gaps = ()
    return e, o


def _write_log_dir_v0(e: LogDir, put: Put) -> None:
    log_dir = e.log_dir
    raw = log_dir.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_iqqq(e.scrub_rounds, e.scrub_ended_ms, e.scrubbed_bytes, e.scrub_total_bytes))
    bad_copies = e.bad_copies
    put(put_uvarint(len(bad_copies) + 1))
    if type(bad_copies) is Packed:
        for piece in bad_copies.pieces:
            put(piece)
    else:
        for one_bad_copies in bad_copies:
            _write_bad_copy_v0(one_bad_copies, put)
    replicas = e.replicas
    put(put_uvarint(len(replicas) + 1))
    if type(replicas) is Packed:
        for piece in replicas.pieces:
            put(piece)
    else:
        for one_replicas in replicas:
            _write_replica_v0(one_replicas, put)
    put(b"\0")


def _read_log_dir_v1(b: Buffer, o: int, end: int) -> tuple[LogDir, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("LogDir.log_dir")
    if n > end - o:
        raise short("LogDir.log_dir", n, end - o)
    log_dir = str(b[o : o + n], "utf-8")
    o += n
    scrub_rounds, scrub_ended_ms, scrubbed_bytes, scrub_total_bytes = unpack_iqqq(b, o)
    o += 28
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("LogDir.bad_copies")
    if n * 19 > end - o:
        raise short("LogDir.bad_copies", n * 19, end - o)
    all_bad_copies: list[BadCopy] = []
    for _ in range(n):
        one_bad_copies, o = _read_bad_copy_v0(b, o, end)
        all_bad_copies.append(one_bad_copies)
    bad_copies = tuple(all_bad_copies)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("LogDir.replicas")
    if n * 9 > end - o:
        raise short("LogDir.replicas", n * 9, end - o)
    all_replicas: list[Replica] = []
    for _ in range(n):
        one_replicas, o = _read_replica_v0(b, o, end)
        all_replicas.append(one_replicas)
    replicas = tuple(all_replicas)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("LogDir.gaps")
    if n * 22 > end - o:
        raise short("LogDir.gaps", n * 22, end - o)
    all_gaps: list[Gap] = []
    for _ in range(n):
        one_gaps, o = _read_gap_v1(b, o, end)
        all_gaps.append(one_gaps)
    gaps = tuple(all_gaps)
    o = skip_tags(b, o, end, "LogDir") if b[o] else o + 1
    e = new(LogDir)
    e.log_dir = log_dir
    e.scrub_rounds = scrub_rounds
    e.scrub_ended_ms = scrub_ended_ms
    e.scrubbed_bytes = scrubbed_bytes
    e.scrub_total_bytes = scrub_total_bytes
    e.bad_copies = bad_copies
    e.replicas = replicas
    e.gaps = gaps
    return e, o


def _write_log_dir_v1(e: LogDir, put: Put) -> None:
    log_dir = e.log_dir
    raw = log_dir.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_iqqq(e.scrub_rounds, e.scrub_ended_ms, e.scrubbed_bytes, e.scrub_total_bytes))
    bad_copies = e.bad_copies
    put(put_uvarint(len(bad_copies) + 1))
    if type(bad_copies) is Packed:
        for piece in bad_copies.pieces:
            put(piece)
    else:
        for one_bad_copies in bad_copies:
            _write_bad_copy_v0(one_bad_copies, put)
    replicas = e.replicas
    put(put_uvarint(len(replicas) + 1))
    if type(replicas) is Packed:
        for piece in replicas.pieces:
            put(piece)
    else:
        for one_replicas in replicas:
            _write_replica_v0(one_replicas, put)
    gaps = e.gaps
    put(put_uvarint(len(gaps) + 1))
    if type(gaps) is Packed:
        for piece in gaps.pieces:
            put(piece)
    else:
        for one_gaps in gaps:
            _write_gap_v1(one_gaps, put)
    put(b"\0")


def _read_describe_bad_replicas_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribeBadReplicasResponse, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeBadReplicasResponse.log_dirs")
    if n * 32 > end - o:
        raise short("DescribeBadReplicasResponse.log_dirs", n * 32, end - o)
    all_log_dirs: list[LogDir] = []
    for _ in range(n):
        one_log_dirs, o = _read_log_dir_v0(b, o, end)
        all_log_dirs.append(one_log_dirs)
    log_dirs = tuple(all_log_dirs)
    o = skip_tags(b, o, end, "DescribeBadReplicasResponse") if b[o] else o + 1
    e = new(DescribeBadReplicasResponse)
    e.error_code = error_code
    e.log_dirs = log_dirs
    return e, o


def _write_describe_bad_replicas_response_v0(e: DescribeBadReplicasResponse, put: Put) -> None:
    put(pack_h(e.error_code))
    log_dirs = e.log_dirs
    put(put_uvarint(len(log_dirs) + 1))
    if type(log_dirs) is Packed:
        for piece in log_dirs.pieces:
            put(piece)
    else:
        for one_log_dirs in log_dirs:
            _write_log_dir_v0(one_log_dirs, put)
    put(b"\0")


def _read_describe_bad_replicas_response_v1(
    b: Buffer, o: int, end: int
) -> tuple[DescribeBadReplicasResponse, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeBadReplicasResponse.log_dirs")
    if n * 33 > end - o:
        raise short("DescribeBadReplicasResponse.log_dirs", n * 33, end - o)
    all_log_dirs: list[LogDir] = []
    for _ in range(n):
        one_log_dirs, o = _read_log_dir_v1(b, o, end)
        all_log_dirs.append(one_log_dirs)
    log_dirs = tuple(all_log_dirs)
    o = skip_tags(b, o, end, "DescribeBadReplicasResponse") if b[o] else o + 1
    e = new(DescribeBadReplicasResponse)
    e.error_code = error_code
    e.log_dirs = log_dirs
    return e, o


def _write_describe_bad_replicas_response_v1(e: DescribeBadReplicasResponse, put: Put) -> None:
    put(pack_h(e.error_code))
    log_dirs = e.log_dirs
    put(put_uvarint(len(log_dirs) + 1))
    if type(log_dirs) is Packed:
        for piece in log_dirs.pieces:
            put(piece)
    else:
        for one_log_dirs in log_dirs:
            _write_log_dir_v1(one_log_dirs, put)
    put(b"\0")


DescribeBadReplicasResponse.READERS = {
    0: _read_describe_bad_replicas_response_v0,
    1: _read_describe_bad_replicas_response_v1,
}
BadCopy.WRITERS = {
    0: _write_bad_copy_v0,
    1: _write_bad_copy_v0,
}
Replica.WRITERS = {
    0: _write_replica_v0,
    1: _write_replica_v0,
}
Gap.WRITERS = {
    1: _write_gap_v1,
}
LogDir.WRITERS = {
    0: _write_log_dir_v0,
    1: _write_log_dir_v1,
}
DescribeBadReplicasResponse.WRITERS = {
    0: _write_describe_bad_replicas_response_v0,
    1: _write_describe_bad_replicas_response_v1,
}
