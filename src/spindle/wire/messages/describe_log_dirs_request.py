"""DescribeLogDirsRequest (key 35), versions 1 to 5. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct, pack, unpack_from
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, count_of, null, skip_tags, tag_at, wrong_size
from spindle.wire.large import Marks, Reading, numbers, walk_each
from spindle.wire.messages.describe_log_dirs_response import DescribeLogDirsResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_t = Struct(">?").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_t = Struct(">?").unpack_from


class DescribableLogDirTopic(Message):
    """A part of DescribeLogDirsRequest."""

    __slots__ = ("topic", "partitions")
    topic: str
    partitions: Sequence[int]

    def __init__(self, *, topic: str = "", partitions: Sequence[int] = ()) -> None:
        self.topic = topic
        self.partitions = partitions


class DescribeLogDirsRequest(Request[DescribeLogDirsResponse]):
    """The request of API 35."""

    KEY: ClassVar = 35
    VERSIONS: ClassVar = range(1, 6)
    FIRST_FLEXIBLE: ClassVar = 2

    __slots__ = ("topics", "with_directory_ids")
    topics: Sequence[DescribableLogDirTopic] | None
    with_directory_ids: bool  # from version 2, tag 10000

    def __init__(
        self,
        *,
        topics: Sequence[DescribableLogDirTopic] | None = None,
        with_directory_ids: bool = False,
    ) -> None:
        self.topics = topics
        self.with_directory_ids = with_directory_ids


def _read_describable_log_dir_topic_v1(
    b: Buffer, o: int, end: int
) -> tuple[DescribableLogDirTopic, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribableLogDirTopic.topic")
    if n > end - o:
        raise short("DescribableLogDirTopic.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribableLogDirTopic.partitions")
    if n * 4 > end - o:
        raise short("DescribableLogDirTopic.partitions", n * 4, end - o)
    partitions = unpack_from(f">{n}i", b, o)
    o += n * 4
    e = new(DescribableLogDirTopic)
    e.topic = topic
    e.partitions = partitions
    return e, o


def _write_describable_log_dir_topic_v1(e: DescribableLogDirTopic, put: Put) -> None:
    topic = e.topic
    raw = topic.encode()
    put(pack_h(len(raw)))
    put(raw)
    partitions = e.partitions
    put(pack_i(len(partitions)))
    if partitions:
        put(pack(f">{len(partitions)}i", *partitions))


def _walk_describable_log_dir_topic_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DescribableLogDirTopic]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("DescribableLogDirTopic.topic")
    if n > end - o:
        raise short("DescribableLogDirTopic.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("DescribableLogDirTopic.partitions")
    if n * 4 > end - o:
        raise short("DescribableLogDirTopic.partitions", n * 4, end - o)
    partitions, o = yield from numbers(">i", 4, b, o, n)
    e = new(DescribableLogDirTopic)
    e.topic = topic
    e.partitions = partitions
    return e, o


def _read_describable_log_dir_topic_v2(
    b: Buffer, o: int, end: int
) -> tuple[DescribableLogDirTopic, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribableLogDirTopic.topic")
    if n > end - o:
        raise short("DescribableLogDirTopic.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribableLogDirTopic.partitions")
    if n * 4 > end - o:
        raise short("DescribableLogDirTopic.partitions", n * 4, end - o)
    partitions = unpack_from(f">{n}i", b, o)
    o += n * 4
    o = skip_tags(b, o, end, "DescribableLogDirTopic") if b[o] else o + 1
    e = new(DescribableLogDirTopic)
    e.topic = topic
    e.partitions = partitions
    return e, o


def _write_describable_log_dir_topic_v2(e: DescribableLogDirTopic, put: Put) -> None:
    topic = e.topic
    raw = topic.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if partitions:
        put(pack(f">{len(partitions)}i", *partitions))
    put(b"\0")


def _walk_describable_log_dir_topic_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DescribableLogDirTopic]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribableLogDirTopic.topic")
    if n > end - o:
        raise short("DescribableLogDirTopic.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribableLogDirTopic.partitions")
    if n * 4 > end - o:
        raise short("DescribableLogDirTopic.partitions", n * 4, end - o)
    partitions, o = yield from numbers(">i", 4, b, o, n)
    o = skip_tags(b, o, end, "DescribableLogDirTopic") if b[o] else o + 1
    e = new(DescribableLogDirTopic)
    e.topic = topic
    e.partitions = partitions
    return e, o


def _read_describe_log_dirs_request_v1(
    b: Buffer, o: int, end: int
) -> tuple[DescribeLogDirsRequest, int]:
    topics: Sequence[DescribableLogDirTopic] | None
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        topics = None
    else:
        if n * 6 > end - o:
            raise short("DescribeLogDirsRequest.topics", n * 6, end - o)
        all_topics: list[DescribableLogDirTopic] = []
        for _ in range(n):
            one_topics, o = _read_describable_log_dir_topic_v1(b, o, end)
            all_topics.append(one_topics)
        topics = tuple(all_topics)
    e = new(DescribeLogDirsRequest)
    e.topics = topics
    e.with_directory_ids = False
    return e, o


def _write_describe_log_dirs_request_v1(e: DescribeLogDirsRequest, put: Put) -> None:
    topics = e.topics
    if topics is None:
        put(b"\xff" * 4)
    else:
        put(pack_i(len(topics)))
        for one_topics in topics:
            _write_describable_log_dir_topic_v1(one_topics, put)


def _walk_describe_log_dirs_request_v1(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DescribeLogDirsRequest]:
    topics: Sequence[DescribableLogDirTopic] | None
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        topics = None
    else:
        if n * 6 > end - o:
            raise short("DescribeLogDirsRequest.topics", n * 6, end - o)
        topics, o = yield from walk_each(_walk_describable_log_dir_topic_v1, b, o, end, at, n)
    e = new(DescribeLogDirsRequest)
    e.topics = topics
    e.with_directory_ids = False
    return e, o


def _read_describe_log_dirs_request_v2(
    b: Buffer, o: int, end: int
) -> tuple[DescribeLogDirsRequest, int]:
    topics: Sequence[DescribableLogDirTopic] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        topics = None
    else:
        if n * 3 > end - o:
            raise short("DescribeLogDirsRequest.topics", n * 3, end - o)
        all_topics: list[DescribableLogDirTopic] = []
        for _ in range(n):
            one_topics, o = _read_describable_log_dir_topic_v2(b, o, end)
            all_topics.append(one_topics)
        topics = tuple(all_topics)
    with_directory_ids: bool = False
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "DescribeLogDirsRequest")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "DescribeLogDirsRequest")
            if tag == 10000:
                (with_directory_ids,) = unpack_t(b, o)
                o += 1
                if o != stop:
                    raise wrong_size("DescribeLogDirsRequest.with_directory_ids", o - stop)
            o = stop
    e = new(DescribeLogDirsRequest)
    e.topics = topics
    e.with_directory_ids = with_directory_ids
    return e, o


def _write_describe_log_dirs_request_v2(e: DescribeLogDirsRequest, put: Put) -> None:
    topics = e.topics
    if topics is None:
        put(b"\0")
    else:
        put(put_uvarint(len(topics) + 1))
        for one_topics in topics:
            _write_describable_log_dir_topic_v2(one_topics, put)
    tags: list[bytes] = []
    outer = put
    with_directory_ids = e.with_directory_ids
    if with_directory_ids:
        with_directory_ids_pieces: list[Buffer] = []
        put = with_directory_ids_pieces.append
        put(pack_t(with_directory_ids))
        piece = b"".join(with_directory_ids_pieces)
        tags += (b"\x90N", put_uvarint(len(piece)), piece)
    outer(put_uvarint(len(tags) // 3))
    for piece in tags:
        outer(piece)


def _walk_describe_log_dirs_request_v2(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[DescribeLogDirsRequest]:
    topics: Sequence[DescribableLogDirTopic] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        topics = None
    else:
        if n * 3 > end - o:
            raise short("DescribeLogDirsRequest.topics", n * 3, end - o)
        topics, o = yield from walk_each(_walk_describable_log_dir_topic_v2, b, o, end, at, n)
    with_directory_ids: bool = False
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "DescribeLogDirsRequest")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "DescribeLogDirsRequest")
            if tag == 10000:
                (with_directory_ids,) = unpack_t(b, o)
                o += 1
                if o != stop:
                    raise wrong_size("DescribeLogDirsRequest.with_directory_ids", o - stop)
            o = stop
    e = new(DescribeLogDirsRequest)
    e.topics = topics
    e.with_directory_ids = with_directory_ids
    return e, o


DescribeLogDirsRequest.RESPONSE = DescribeLogDirsResponse
DescribeLogDirsRequest.WALKERS = {
    1: _walk_describe_log_dirs_request_v1,
    2: _walk_describe_log_dirs_request_v2,
    3: _walk_describe_log_dirs_request_v2,
    4: _walk_describe_log_dirs_request_v2,
    5: _walk_describe_log_dirs_request_v2,
}
DescribeLogDirsRequest.READERS = {
    1: _read_describe_log_dirs_request_v1,
    2: _read_describe_log_dirs_request_v2,
    3: _read_describe_log_dirs_request_v2,
    4: _read_describe_log_dirs_request_v2,
    5: _read_describe_log_dirs_request_v2,
}
DescribeLogDirsRequest.WRITERS = {
    1: _write_describe_log_dirs_request_v1,
    2: _write_describe_log_dirs_request_v2,
    3: _write_describe_log_dirs_request_v2,
    4: _write_describe_log_dirs_request_v2,
    5: _write_describe_log_dirs_request_v2,
}
