"""AlterReplicaLogDirsRequest (key 34), versions 1 to 2. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct, pack, unpack_from
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, numbers, walk_each
from spindle.wire.messages.alter_replica_log_dirs_response import AlterReplicaLogDirsResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from


class AlterReplicaLogDirTopic(Message):
    """A part of AlterReplicaLogDirsRequest."""

    __slots__ = ("name", "partitions")
    name: str
    partitions: Sequence[int]

    def __init__(self, *, name: str = "", partitions: Sequence[int] = ()) -> None:
        self.name = name
        self.partitions = partitions


class AlterReplicaLogDir(Message):
    """A part of AlterReplicaLogDirsRequest."""

    __slots__ = ("path", "topics")
    path: str
    topics: Sequence[AlterReplicaLogDirTopic]

    def __init__(self, *, path: str = "", topics: Sequence[AlterReplicaLogDirTopic] = ()) -> None:
        self.path = path
        self.topics = topics


class AlterReplicaLogDirsRequest(Request[AlterReplicaLogDirsResponse]):
    """The request of API 34."""

    KEY: ClassVar = 34
    VERSIONS: ClassVar = range(1, 3)
    FIRST_FLEXIBLE: ClassVar = 2

    __slots__ = ("dirs",)
    dirs: Sequence[AlterReplicaLogDir]

    def __init__(self, *, dirs: Sequence[AlterReplicaLogDir] = ()) -> None:
        self.dirs = dirs


def _read_alter_replica_log_dir_topic_v1(
    b: Buffer, o: int, end: int
) -> tuple[AlterReplicaLogDirTopic, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("AlterReplicaLogDirTopic.name")
    if n > end - o:
        raise short("AlterReplicaLogDirTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("AlterReplicaLogDirTopic.partitions")
    if n * 4 > end - o:
        raise short("AlterReplicaLogDirTopic.partitions", n * 4, end - o)
    partitions = unpack_from(f">{n}i", b, o)
    o += n * 4
    e = new(AlterReplicaLogDirTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_alter_replica_log_dir_topic_v1(e: AlterReplicaLogDirTopic, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    partitions = e.partitions
    put(pack_i(len(partitions)))
    if partitions:
        put(pack(f">{len(partitions)}i", *partitions))


def _walk_alter_replica_log_dir_topic_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[AlterReplicaLogDirTopic]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("AlterReplicaLogDirTopic.name")
    if n > end - o:
        raise short("AlterReplicaLogDirTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("AlterReplicaLogDirTopic.partitions")
    if n * 4 > end - o:
        raise short("AlterReplicaLogDirTopic.partitions", n * 4, end - o)
    partitions, o = yield from numbers(">i", 4, b, o, n)
    e = new(AlterReplicaLogDirTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _read_alter_replica_log_dir_topic_v2(
    b: Buffer, o: int, end: int
) -> tuple[AlterReplicaLogDirTopic, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterReplicaLogDirTopic.name")
    if n > end - o:
        raise short("AlterReplicaLogDirTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterReplicaLogDirTopic.partitions")
    if n * 4 > end - o:
        raise short("AlterReplicaLogDirTopic.partitions", n * 4, end - o)
    partitions = unpack_from(f">{n}i", b, o)
    o += n * 4
    o = skip_tags(b, o, end, "AlterReplicaLogDirTopic") if b[o] else o + 1
    e = new(AlterReplicaLogDirTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_alter_replica_log_dir_topic_v2(e: AlterReplicaLogDirTopic, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if partitions:
        put(pack(f">{len(partitions)}i", *partitions))
    put(b"\0")


def _walk_alter_replica_log_dir_topic_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[AlterReplicaLogDirTopic]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterReplicaLogDirTopic.name")
    if n > end - o:
        raise short("AlterReplicaLogDirTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterReplicaLogDirTopic.partitions")
    if n * 4 > end - o:
        raise short("AlterReplicaLogDirTopic.partitions", n * 4, end - o)
    partitions, o = yield from numbers(">i", 4, b, o, n)
    o = skip_tags(b, o, end, "AlterReplicaLogDirTopic") if b[o] else o + 1
    e = new(AlterReplicaLogDirTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _read_alter_replica_log_dir_v1(b: Buffer, o: int, end: int) -> tuple[AlterReplicaLogDir, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("AlterReplicaLogDir.path")
    if n > end - o:
        raise short("AlterReplicaLogDir.path", n, end - o)
    path = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("AlterReplicaLogDir.topics")
    if n * 6 > end - o:
        raise short("AlterReplicaLogDir.topics", n * 6, end - o)
    all_topics: list[AlterReplicaLogDirTopic] = []
    for _ in range(n):
        one_topics, o = _read_alter_replica_log_dir_topic_v1(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(AlterReplicaLogDir)
    e.path = path
    e.topics = topics
    return e, o


def _write_alter_replica_log_dir_v1(e: AlterReplicaLogDir, put: Put) -> None:
    path = e.path
    raw = path.encode()
    put(pack_h(len(raw)))
    put(raw)
    topics = e.topics
    put(pack_i(len(topics)))
    for one_topics in topics:
        _write_alter_replica_log_dir_topic_v1(one_topics, put)


def _walk_alter_replica_log_dir_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[AlterReplicaLogDir]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("AlterReplicaLogDir.path")
    if n > end - o:
        raise short("AlterReplicaLogDir.path", n, end - o)
    path = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("AlterReplicaLogDir.topics")
    if n * 6 > end - o:
        raise short("AlterReplicaLogDir.topics", n * 6, end - o)
    topics, o = yield from walk_each(_walk_alter_replica_log_dir_topic_v1, b, o, end, at, n)
    e = new(AlterReplicaLogDir)
    e.path = path
    e.topics = topics
    return e, o


def _read_alter_replica_log_dir_v2(b: Buffer, o: int, end: int) -> tuple[AlterReplicaLogDir, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterReplicaLogDir.path")
    if n > end - o:
        raise short("AlterReplicaLogDir.path", n, end - o)
    path = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterReplicaLogDir.topics")
    if n * 3 > end - o:
        raise short("AlterReplicaLogDir.topics", n * 3, end - o)
    all_topics: list[AlterReplicaLogDirTopic] = []
    for _ in range(n):
        one_topics, o = _read_alter_replica_log_dir_topic_v2(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "AlterReplicaLogDir") if b[o] else o + 1
    e = new(AlterReplicaLogDir)
    e.path = path
    e.topics = topics
    return e, o


def _write_alter_replica_log_dir_v2(e: AlterReplicaLogDir, put: Put) -> None:
    path = e.path
    raw = path.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_alter_replica_log_dir_topic_v2(one_topics, put)
    put(b"\0")


def _walk_alter_replica_log_dir_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[AlterReplicaLogDir]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterReplicaLogDir.path")
    if n > end - o:
        raise short("AlterReplicaLogDir.path", n, end - o)
    path = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterReplicaLogDir.topics")
    if n * 3 > end - o:
        raise short("AlterReplicaLogDir.topics", n * 3, end - o)
    topics, o = yield from walk_each(_walk_alter_replica_log_dir_topic_v2, b, o, end, at, n)
    o = skip_tags(b, o, end, "AlterReplicaLogDir") if b[o] else o + 1
    e = new(AlterReplicaLogDir)
    e.path = path
    e.topics = topics
    return e, o


def _read_alter_replica_log_dirs_request_v1(
    b: Buffer, o: int, end: int
) -> tuple[AlterReplicaLogDirsRequest, int]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("AlterReplicaLogDirsRequest.dirs")
    if n * 6 > end - o:
        raise short("AlterReplicaLogDirsRequest.dirs", n * 6, end - o)
    all_dirs: list[AlterReplicaLogDir] = []
    for _ in range(n):
        one_dirs, o = _read_alter_replica_log_dir_v1(b, o, end)
        all_dirs.append(one_dirs)
    dirs = tuple(all_dirs)
    e = new(AlterReplicaLogDirsRequest)
    e.dirs = dirs
    return e, o


def _write_alter_replica_log_dirs_request_v1(e: AlterReplicaLogDirsRequest, put: Put) -> None:
    dirs = e.dirs
    put(pack_i(len(dirs)))
    for one_dirs in dirs:
        _write_alter_replica_log_dir_v1(one_dirs, put)


def _walk_alter_replica_log_dirs_request_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[AlterReplicaLogDirsRequest]:
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("AlterReplicaLogDirsRequest.dirs")
    if n * 6 > end - o:
        raise short("AlterReplicaLogDirsRequest.dirs", n * 6, end - o)
    dirs, o = yield from walk_each(_walk_alter_replica_log_dir_v1, b, o, end, at, n)
    e = new(AlterReplicaLogDirsRequest)
    e.dirs = dirs
    return e, o


def _read_alter_replica_log_dirs_request_v2(
    b: Buffer, o: int, end: int
) -> tuple[AlterReplicaLogDirsRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterReplicaLogDirsRequest.dirs")
    if n * 3 > end - o:
        raise short("AlterReplicaLogDirsRequest.dirs", n * 3, end - o)
    all_dirs: list[AlterReplicaLogDir] = []
    for _ in range(n):
        one_dirs, o = _read_alter_replica_log_dir_v2(b, o, end)
        all_dirs.append(one_dirs)
    dirs = tuple(all_dirs)
    o = skip_tags(b, o, end, "AlterReplicaLogDirsRequest") if b[o] else o + 1
    e = new(AlterReplicaLogDirsRequest)
    e.dirs = dirs
    return e, o


def _write_alter_replica_log_dirs_request_v2(e: AlterReplicaLogDirsRequest, put: Put) -> None:
    dirs = e.dirs
    put(put_uvarint(len(dirs) + 1))
    for one_dirs in dirs:
        _write_alter_replica_log_dir_v2(one_dirs, put)
    put(b"\0")


def _walk_alter_replica_log_dirs_request_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[AlterReplicaLogDirsRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AlterReplicaLogDirsRequest.dirs")
    if n * 3 > end - o:
        raise short("AlterReplicaLogDirsRequest.dirs", n * 3, end - o)
    dirs, o = yield from walk_each(_walk_alter_replica_log_dir_v2, b, o, end, at, n)
    o = skip_tags(b, o, end, "AlterReplicaLogDirsRequest") if b[o] else o + 1
    e = new(AlterReplicaLogDirsRequest)
    e.dirs = dirs
    return e, o


AlterReplicaLogDirsRequest.RESPONSE = AlterReplicaLogDirsResponse
AlterReplicaLogDirsRequest.WALKERS = {
    1: _walk_alter_replica_log_dirs_request_v1,
    2: _walk_alter_replica_log_dirs_request_v2,
}
AlterReplicaLogDirsRequest.READERS = {
    1: _read_alter_replica_log_dirs_request_v1,
    2: _read_alter_replica_log_dirs_request_v2,
}
AlterReplicaLogDirsRequest.WRITERS = {
    1: _write_alter_replica_log_dirs_request_v1,
    2: _write_alter_replica_log_dirs_request_v2,
}
