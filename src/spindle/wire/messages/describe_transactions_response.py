"""DescribeTransactionsResponse (key 65), version 0. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct, pack, unpack_from
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.wire.codec import ErrorCode, Message, Packed, Put, Response, null, skip_tags
from spindle.wire.values import ERRORS, long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_iqqh = Struct(">iqqh").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iqqh = Struct(">iqqh").unpack_from


class TopicData(Message):
    """A part of DescribeTransactionsResponse."""

    __slots__ = ("topic", "partitions")
    topic: str
    partitions: Sequence[int]

    def __init__(self, *, topic: str = "", partitions: Sequence[int] = ()) -> None:
        self.topic = topic
        self.partitions = partitions


class TransactionState(Message):
    """A part of DescribeTransactionsResponse."""

    __slots__ = (
        "error_code",
        "transactional_id",
        "transaction_state",
        "transaction_timeout_ms",
        "transaction_start_time_ms",
        "producer_id",
        "producer_epoch",
        "topics",
    )
    error_code: ErrorCode
    transactional_id: str
    transaction_state: str
    transaction_timeout_ms: int
    transaction_start_time_ms: int
    producer_id: int
    producer_epoch: int
    topics: Sequence[TopicData]

    def __init__(
        self,
        *,
        error_code: ErrorCode = Error.NONE,
        transactional_id: str = "",
        transaction_state: str = "",
        transaction_timeout_ms: int = 0,
        transaction_start_time_ms: int = 0,
        producer_id: int = 0,
        producer_epoch: int = 0,
        topics: Sequence[TopicData] = (),
    ) -> None:
        self.error_code = error_code
        self.transactional_id = transactional_id
        self.transaction_state = transaction_state
        self.transaction_timeout_ms = transaction_timeout_ms
        self.transaction_start_time_ms = transaction_start_time_ms
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.topics = topics


class DescribeTransactionsResponse(Response):
    """The response of API 65."""

    KEY: ClassVar = 65
    VERSIONS: ClassVar = range(1)
    FIRST_FLEXIBLE: ClassVar = 0
    THROTTLE_FROM: ClassVar = 0

    __slots__ = ("throttle_time_ms", "transaction_states")
    throttle_time_ms: int
    transaction_states: Sequence[TransactionState]

    def __init__(
        self, *, throttle_time_ms: int = 0, transaction_states: Sequence[TransactionState] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.transaction_states = transaction_states


def _read_topic_data_v0(b: Buffer, o: int, end: int) -> tuple[TopicData, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.topic")
    if n > end - o:
        raise short("TopicData.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TopicData.partitions")
    if n * 4 > end - o:
        raise short("TopicData.partitions", n * 4, end - o)
    partitions = unpack_from(f">{n}i", b, o)
    o += n * 4
    o = skip_tags(b, o, end, "TopicData") if b[o] else o + 1
    e = new(TopicData)
    e.topic = topic
    e.partitions = partitions
    return e, o


def _write_topic_data_v0(e: TopicData, put: Put) -> None:
    topic = e.topic
    raw = topic.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if partitions:
        put(pack(f">{len(partitions)}i", *partitions))
    put(b"\0")


def _read_transaction_state_v0(b: Buffer, o: int, end: int) -> tuple[TransactionState, int]:
    (error_code,) = unpack_h(b, o)
    o += 2
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TransactionState.transactional_id")
    if n > end - o:
        raise short("TransactionState.transactional_id", n, end - o)
    transactional_id = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TransactionState.transaction_state")
    if n > end - o:
        raise short("TransactionState.transaction_state", n, end - o)
    transaction_state = str(b[o : o + n], "utf-8")
    o += n
    transaction_timeout_ms, transaction_start_time_ms, producer_id, producer_epoch = unpack_iqqh(
        b, o
    )
    o += 22
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("TransactionState.topics")
    if n * 3 > end - o:
        raise short("TransactionState.topics", n * 3, end - o)
    all_topics: list[TopicData] = []
    for _ in range(n):
        one_topics, o = _read_topic_data_v0(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "TransactionState") if b[o] else o + 1
    e = new(TransactionState)
    e.error_code = error_code
    e.transactional_id = transactional_id
    e.transaction_state = transaction_state
    e.transaction_timeout_ms = transaction_timeout_ms
    e.transaction_start_time_ms = transaction_start_time_ms
    e.producer_id = producer_id
    e.producer_epoch = producer_epoch
    e.topics = topics
    return e, o


def _write_transaction_state_v0(e: TransactionState, put: Put) -> None:
    put(pack_h(e.error_code))
    transactional_id = e.transactional_id
    raw = transactional_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    transaction_state = e.transaction_state
    raw = transaction_state.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(
        pack_iqqh(
            e.transaction_timeout_ms, e.transaction_start_time_ms, e.producer_id, e.producer_epoch
        )
    )
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    if type(topics) is Packed:
        for piece in topics.pieces:
            put(piece)
    else:
        for one_topics in topics:
            _write_topic_data_v0(one_topics, put)
    put(b"\0")


def _read_describe_transactions_response_v0(
    b: Buffer, o: int, end: int
) -> tuple[DescribeTransactionsResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("DescribeTransactionsResponse.transaction_states")
    if n * 28 > end - o:
        raise short("DescribeTransactionsResponse.transaction_states", n * 28, end - o)
    all_transaction_states: list[TransactionState] = []
    for _ in range(n):
        one_transaction_states, o = _read_transaction_state_v0(b, o, end)
        all_transaction_states.append(one_transaction_states)
    transaction_states = tuple(all_transaction_states)
    o = skip_tags(b, o, end, "DescribeTransactionsResponse") if b[o] else o + 1
    e = new(DescribeTransactionsResponse)
    e.throttle_time_ms = throttle_time_ms
    e.transaction_states = transaction_states
    return e, o


def _write_describe_transactions_response_v0(e: DescribeTransactionsResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    transaction_states = e.transaction_states
    put(put_uvarint(len(transaction_states) + 1))
    if type(transaction_states) is Packed:
        for piece in transaction_states.pieces:
            put(piece)
    else:
        for one_transaction_states in transaction_states:
            _write_transaction_state_v0(one_transaction_states, put)
    put(b"\0")


DescribeTransactionsResponse.READERS = {
    0: _read_describe_transactions_response_v0,
}
TopicData.WRITERS = {
    0: _write_topic_data_v0,
}
TransactionState.WRITERS = {
    0: _write_transaction_state_v0,
}
DescribeTransactionsResponse.WRITERS = {
    0: _write_describe_transactions_response_v0,
}
