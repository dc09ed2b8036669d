"""CreateTopicsResponse (key 19), versions 2 to 7. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar
from uuid import UUID

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import (
    ErrorCode,
    Message,
    Packed,
    Put,
    Response,
    count_of,
    null,
    skip_tags,
    tag_at,
    wrong_size,
)
from spindle.wire.values import ERRORS, ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_tbtB = Struct(">?b?B").pack
pack_uh = Struct(">16sh").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_tbt = Struct(">?b?").unpack_from
unpack_uh = Struct(">16sh").unpack_from


class CreatableTopicConfigs(Message):
    """A part of CreateTopicsResponse."""

    __slots__ = ("name", "value", "read_only", "config_source", "is_sensitive")
    name: str
    value: str | None
    read_only: bool
    config_source: int
    is_sensitive: bool

    def __init__(
        self,
        *,
        name: str = "",
        value: str | None = None,
        read_only: bool = False,
        config_source: int = -1,
        is_sensitive: bool = False,
    ) -> None:
        self.name = name
        self.value = value
        self.read_only = read_only
        self.config_source = config_source
        self.is_sensitive = is_sensitive


class CreatableTopicResult(Message):
    """A part of CreateTopicsResponse."""

    __slots__ = (
        "name",
        "topic_id",
        "error_code",
        "error_message",
        "num_partitions",
        "replication_factor",
        "configs",
        "topic_config_error_code",
    )
    name: str
    topic_id: UUID | None  # from version 7
    error_code: ErrorCode
    error_message: str | None
    num_partitions: int  # from version 5
    replication_factor: int  # from version 5
    configs: Sequence[CreatableTopicConfigs] | None  # from version 5
    topic_config_error_code: int  # from version 5, tag 0

    def __init__(
        self,
        *,
        name: str = "",
        topic_id: UUID | None = None,
        error_code: ErrorCode = Error.NONE,
        error_message: str | None = None,
        num_partitions: int = -1,
        replication_factor: int = -1,
        configs: Sequence[CreatableTopicConfigs] | None = None,
        topic_config_error_code: int = 0,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.error_code = error_code
        self.error_message = error_message
        self.num_partitions = num_partitions
        self.replication_factor = replication_factor
        self.configs = configs
        self.topic_config_error_code = topic_config_error_code


class CreateTopicsResponse(Response):
    """The response of API 19."""

    KEY: ClassVar = 19
    VERSIONS: ClassVar = range(2, 8)
    FIRST_FLEXIBLE: ClassVar = 5
    THROTTLE_FROM: ClassVar = 2

    __slots__ = ("throttle_time_ms", "topics")
    throttle_time_ms: int
    topics: Sequence[CreatableTopicResult]

    def __init__(
        self, *, throttle_time_ms: int = 0, topics: Sequence[CreatableTopicResult] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = topics


def _read_creatable_topic_configs_v5(
    b: Buffer, o: int, end: int
) -> tuple[CreatableTopicConfigs, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreatableTopicConfigs.name")
    if n > end - o:
        raise short("CreatableTopicConfigs.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    value: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        value = None
    else:
        if n > end - o:
            raise short("CreatableTopicConfigs.value", n, end - o)
        value = str(b[o : o + n], "utf-8")
        o += n
    read_only, config_source, is_sensitive = unpack_tbt(b, o)
    o += 3
    o = skip_tags(b, o, end, "CreatableTopicConfigs") if b[o] else o + 1
    e = new(CreatableTopicConfigs)
    e.name = name
    e.value = value
    e.read_only = read_only
    e.config_source = config_source
    e.is_sensitive = is_sensitive
    return e, o


def _write_creatable_topic_configs_v5(e: CreatableTopicConfigs, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    value = e.value
    if value is None:
        put(b"\0")
    else:
        raw = value.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_tbtB(e.read_only, e.config_source, e.is_sensitive, 0))


def _read_creatable_topic_result_v2(
    b: Buffer, o: int, end: int
) -> tuple[CreatableTopicResult, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("CreatableTopicResult.name")
    if n > end - o:
        raise short("CreatableTopicResult.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    error_message: str | None
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        error_message = None
    else:
        if n > end - o:
            raise short("CreatableTopicResult.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    e = new(CreatableTopicResult)
    e.name = name
    e.topic_id = None
    e.error_code = error_code
    e.error_message = error_message
    e.num_partitions = -1
    e.replication_factor = -1
    e.configs = None
    e.topic_config_error_code = 0
    return e, o


def _write_creatable_topic_result_v2(e: CreatableTopicResult, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_h(e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\xff\xff")
    else:
        raw = error_message.encode()
        put(pack_h(len(raw)))
        put(raw)


def _read_creatable_topic_result_v5(
    b: Buffer, o: int, end: int
) -> tuple[CreatableTopicResult, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreatableTopicResult.name")
    if n > end - o:
        raise short("CreatableTopicResult.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    error_message: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        error_message = None
    else:
        if n > end - o:
            raise short("CreatableTopicResult.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    num_partitions, replication_factor = unpack_ih(b, o)
    o += 6
    configs: Sequence[CreatableTopicConfigs] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        configs = None
    else:
        if n * 6 > end - o:
            raise short("CreatableTopicResult.configs", n * 6, end - o)
        all_configs: list[CreatableTopicConfigs] = []
        for _ in range(n):
            one_configs, o = _read_creatable_topic_configs_v5(b, o, end)
            all_configs.append(one_configs)
        configs = tuple(all_configs)
    topic_config_error_code: int = 0
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "CreatableTopicResult")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "CreatableTopicResult")
            if tag == 0:
                (topic_config_error_code,) = unpack_h(b, o)
                o += 2
                if o != stop:
                    raise wrong_size("CreatableTopicResult.topic_config_error_code", o - stop)
            o = stop
    e = new(CreatableTopicResult)
    e.name = name
    e.topic_id = None
    e.error_code = error_code
    e.error_message = error_message
    e.num_partitions = num_partitions
    e.replication_factor = replication_factor
    e.configs = configs
    e.topic_config_error_code = topic_config_error_code
    return e, o


def _write_creatable_topic_result_v5(e: CreatableTopicResult, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_h(e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_ih(e.num_partitions, e.replication_factor))
    configs = e.configs
    if configs is None:
        put(b"\0")
    else:
        put(put_uvarint(len(configs) + 1))
        if type(configs) is Packed:
            for piece in configs.pieces:
                put(piece)
        else:
            for one_configs in configs:
                _write_creatable_topic_configs_v5(one_configs, put)
    tags: list[bytes] = []
    outer = put
    topic_config_error_code = e.topic_config_error_code
    if topic_config_error_code != 0:
        topic_config_error_code_pieces: list[Buffer] = []
        put = topic_config_error_code_pieces.append
        put(pack_h(topic_config_error_code))
        piece = b"".join(topic_config_error_code_pieces)
        tags += (b"\x00", put_uvarint(len(piece)), piece)
    outer(put_uvarint(len(tags) // 3))
    for piece in tags:
        outer(piece)


def _read_creatable_topic_result_v7(
    b: Buffer, o: int, end: int
) -> tuple[CreatableTopicResult, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreatableTopicResult.name")
    if n > end - o:
        raise short("CreatableTopicResult.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    topic_id, error_code = unpack_uh(b, o)
    o += 18
    topic_id = uuid_of(topic_id)
    error_code = ERRORS.get(error_code, error_code)
    error_message: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        error_message = None
    else:
        if n > end - o:
            raise short("CreatableTopicResult.error_message", n, end - o)
        error_message = str(b[o : o + n], "utf-8")
        o += n
    num_partitions, replication_factor = unpack_ih(b, o)
    o += 6
    configs: Sequence[CreatableTopicConfigs] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        configs = None
    else:
        if n * 6 > end - o:
            raise short("CreatableTopicResult.configs", n * 6, end - o)
        all_configs: list[CreatableTopicConfigs] = []
        for _ in range(n):
            one_configs, o = _read_creatable_topic_configs_v5(b, o, end)
            all_configs.append(one_configs)
        configs = tuple(all_configs)
    topic_config_error_code: int = 0
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "CreatableTopicResult")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "CreatableTopicResult")
            if tag == 0:
                (topic_config_error_code,) = unpack_h(b, o)
                o += 2
                if o != stop:
                    raise wrong_size("CreatableTopicResult.topic_config_error_code", o - stop)
            o = stop
    e = new(CreatableTopicResult)
    e.name = name
    e.topic_id = topic_id
    e.error_code = error_code
    e.error_message = error_message
    e.num_partitions = num_partitions
    e.replication_factor = replication_factor
    e.configs = configs
    e.topic_config_error_code = topic_config_error_code
    return e, o


def _write_creatable_topic_result_v7(e: CreatableTopicResult, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_uh(ZERO_UUID if e.topic_id is None else e.topic_id.bytes, e.error_code))
    error_message = e.error_message
    if error_message is None:
        put(b"\0")
    else:
        raw = error_message.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(pack_ih(e.num_partitions, e.replication_factor))
    configs = e.configs
    if configs is None:
        put(b"\0")
    else:
        put(put_uvarint(len(configs) + 1))
        if type(configs) is Packed:
            for piece in configs.pieces:
                put(piece)
        else:
            for one_configs in configs:
                _write_creatable_topic_configs_v5(one_configs, put)
    tags: list[bytes] = []
    outer = put
    topic_config_error_code = e.topic_config_error_code
    if topic_config_error_code != 0:
        topic_config_error_code_pieces: list[Buffer] = []
        put = topic_config_error_code_pieces.append
        put(pack_h(topic_config_error_code))
        piece = b"".join(topic_config_error_code_pieces)
        tags += (b"\x00", put_uvarint(len(piece)), piece)
    outer(put_uvarint(len(tags) // 3))
    for piece in tags:
        outer(piece)


def _read_create_topics_response_v2(
    b: Buffer, o: int, end: int
) -> tuple[CreateTopicsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("CreateTopicsResponse.topics")
    if n * 6 > end - o:
        raise short("CreateTopicsResponse.topics", n * 6, end - o)
    all_topics: list[CreatableTopicResult] = []
    for _ in range(n):
        one_topics, o = _read_creatable_topic_result_v2(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    e = new(CreateTopicsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.topics = topics
    return e, o


def _write_create_topics_response_v2(e: CreateTopicsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    topics = e.topics
    put(pack_i(len(topics)))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_creatable_topic_result_v2(one_topics, put)


def _read_create_topics_response_v5(
    b: Buffer, o: int, end: int
) -> tuple[CreateTopicsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreateTopicsResponse.topics")
    if n * 12 > end - o:
        raise short("CreateTopicsResponse.topics", n * 12, end - o)
    all_topics: list[CreatableTopicResult] = []
    for _ in range(n):
        one_topics, o = _read_creatable_topic_result_v5(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "CreateTopicsResponse") if b[o] else o + 1
    e = new(CreateTopicsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.topics = topics
    return e, o


def _write_create_topics_response_v5(e: CreateTopicsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_creatable_topic_result_v5(one_topics, put)
    put(b"\0")


def _read_create_topics_response_v7(
    b: Buffer, o: int, end: int
) -> tuple[CreateTopicsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("CreateTopicsResponse.topics")
    if n * 28 > end - o:
        raise short("CreateTopicsResponse.topics", n * 28, end - o)
    all_topics: list[CreatableTopicResult] = []
    for _ in range(n):
        one_topics, o = _read_creatable_topic_result_v7(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "CreateTopicsResponse") if b[o] else o + 1
    e = new(CreateTopicsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.topics = topics
    return e, o


def _write_create_topics_response_v7(e: CreateTopicsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_creatable_topic_result_v7(one_topics, put)
    put(b"\0")


CreateTopicsResponse.READERS = {
    2: _read_create_topics_response_v2,
    3: _read_create_topics_response_v2,
    4: _read_create_topics_response_v2,
    5: _read_create_topics_response_v5,
    6: _read_create_topics_response_v5,
    7: _read_create_topics_response_v7,
}
CreatableTopicConfigs.WRITERS = {
    5: _write_creatable_topic_configs_v5,
    6: _write_creatable_topic_configs_v5,
    7: _write_creatable_topic_configs_v5,
}
CreatableTopicResult.WRITERS = {
    2: _write_creatable_topic_result_v2,
    3: _write_creatable_topic_result_v2,
    4: _write_creatable_topic_result_v2,
    5: _write_creatable_topic_result_v5,
    6: _write_creatable_topic_result_v5,
    7: _write_creatable_topic_result_v7,
}
CreateTopicsResponse.WRITERS = {
    2: _write_create_topics_response_v2,
    3: _write_create_topics_response_v2,
    4: _write_create_topics_response_v2,
    5: _write_create_topics_response_v5,
    6: _write_create_topics_response_v5,
    7: _write_create_topics_response_v7,
}
