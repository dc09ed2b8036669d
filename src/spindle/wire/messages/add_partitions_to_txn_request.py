"""AddPartitionsToTxnRequest (key 24), versions 0 to 5. Written by `tools.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct, pack, unpack_from
from typing import ClassVar

from spindle.model.batches import Buffer
from spindle.wire.codec import Message, Put, Request, null, skip_tags
from spindle.wire.large import Marks, Reading, numbers, walk_each
from spindle.wire.messages.add_partitions_to_txn_response import AddPartitionsToTxnResponse
from spindle.wire.values import long_uvarint, put_uvarint, short

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_qh = Struct(">qh").pack
pack_qht = Struct(">qh?").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_qh = Struct(">qh").unpack_from
unpack_qht = Struct(">qh?").unpack_from


class AddPartitionsToTxnTopic(Message):
    """A part of AddPartitionsToTxnRequest."""

    __slots__ = ("name", "partitions")
    name: str
    partitions: Sequence[int]

    def __init__(self, *, name: str = "", partitions: Sequence[int] = ()) -> None:
        self.name = name
        self.partitions = partitions


class AddPartitionsToTxnTransaction(Message):
    """A part of AddPartitionsToTxnRequest."""

    __slots__ = ("transactional_id", "producer_id", "producer_epoch", "verify_only", "topics")
    transactional_id: str
    producer_id: int
    producer_epoch: int
    verify_only: bool
    topics: Sequence[AddPartitionsToTxnTopic]

    def __init__(
        self,
        *,
        transactional_id: str = "",
        producer_id: int = 0,
        producer_epoch: int = 0,
        verify_only: bool = False,
        topics: Sequence[AddPartitionsToTxnTopic] = (),
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.verify_only = verify_only
        self.topics = topics


class AddPartitionsToTxnRequest(Request[AddPartitionsToTxnResponse]):
    """The request of API 24."""

    KEY: ClassVar = 24
    VERSIONS: ClassVar = range(6)
    FIRST_FLEXIBLE: ClassVar = 3

    __slots__ = (
        "transactions",
        "v3_and_below_transactional_id",
        "v3_and_below_producer_id",
        "v3_and_below_producer_epoch",
        "v3_and_below_topics",
    )
    transactions: Sequence[AddPartitionsToTxnTransaction]  # from version 4
    v3_and_below_transactional_id: str  # until version 3
    v3_and_below_producer_id: int  # until version 3
    v3_and_below_producer_epoch: int  # until version 3
    v3_and_below_topics: Sequence[AddPartitionsToTxnTopic]  # until version 3

    def __init__(
        self,
        *,
        transactions: Sequence[AddPartitionsToTxnTransaction] = (),
        v3_and_below_transactional_id: str = "",
        v3_and_below_producer_id: int = 0,
        v3_and_below_producer_epoch: int = 0,
        v3_and_below_topics: Sequence[AddPartitionsToTxnTopic] = (),
    ) -> None:
        self.transactions = transactions
        self.v3_and_below_transactional_id = v3_and_below_transactional_id
        self.v3_and_below_producer_id = v3_and_below_producer_id
        self.v3_and_below_producer_epoch = v3_and_below_producer_epoch
        self.v3_and_below_topics = v3_and_below_topics


def _read_add_partitions_to_txn_topic_v0(
    b: Buffer, o: int, end: int
) -> tuple[AddPartitionsToTxnTopic, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("AddPartitionsToTxnTopic.name")
    if n > end - o:
        raise short("AddPartitionsToTxnTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("AddPartitionsToTxnTopic.partitions")
    if n * 4 > end - o:
        raise short("AddPartitionsToTxnTopic.partitions", n * 4, end - o)
    partitions = unpack_from(f">{n}i", b, o)
    o += n * 4
    e = new(AddPartitionsToTxnTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_add_partitions_to_txn_topic_v0(e: AddPartitionsToTxnTopic, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(pack_h(len(raw)))
    put(raw)
    partitions = e.partitions
    put(pack_i(len(partitions)))
    if partitions:
        put(pack(f">{len(partitions)}i", *partitions))


def _walk_add_partitions_to_txn_topic_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[AddPartitionsToTxnTopic]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("AddPartitionsToTxnTopic.name")
    if n > end - o:
        raise short("AddPartitionsToTxnTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("AddPartitionsToTxnTopic.partitions")
    if n * 4 > end - o:
        raise short("AddPartitionsToTxnTopic.partitions", n * 4, end - o)
    partitions, o = yield from numbers(">i", 4, b, o, n)
    e = new(AddPartitionsToTxnTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _read_add_partitions_to_txn_topic_v3(
    b: Buffer, o: int, end: int
) -> tuple[AddPartitionsToTxnTopic, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AddPartitionsToTxnTopic.name")
    if n > end - o:
        raise short("AddPartitionsToTxnTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AddPartitionsToTxnTopic.partitions")
    if n * 4 > end - o:
        raise short("AddPartitionsToTxnTopic.partitions", n * 4, end - o)
    partitions = unpack_from(f">{n}i", b, o)
    o += n * 4
    o = skip_tags(b, o, end, "AddPartitionsToTxnTopic") if b[o] else o + 1
    e = new(AddPartitionsToTxnTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _write_add_partitions_to_txn_topic_v3(e: AddPartitionsToTxnTopic, put: Put) -> None:
    name = e.name
    raw = name.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if partitions:
        put(pack(f">{len(partitions)}i", *partitions))
    put(b"\0")


def _walk_add_partitions_to_txn_topic_v3(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[AddPartitionsToTxnTopic]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AddPartitionsToTxnTopic.name")
    if n > end - o:
        raise short("AddPartitionsToTxnTopic.name", n, end - o)
    name = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AddPartitionsToTxnTopic.partitions")
    if n * 4 > end - o:
        raise short("AddPartitionsToTxnTopic.partitions", n * 4, end - o)
    partitions, o = yield from numbers(">i", 4, b, o, n)
    o = skip_tags(b, o, end, "AddPartitionsToTxnTopic") if b[o] else o + 1
    e = new(AddPartitionsToTxnTopic)
    e.name = name
    e.partitions = partitions
    return e, o


def _read_add_partitions_to_txn_transaction_v4(
    b: Buffer, o: int, end: int
) -> tuple[AddPartitionsToTxnTransaction, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AddPartitionsToTxnTransaction.transactional_id")
    if n > end - o:
        raise short("AddPartitionsToTxnTransaction.transactional_id", n, end - o)
    transactional_id = str(b[o : o + n], "utf-8")
    o += n
    producer_id, producer_epoch, verify_only = unpack_qht(b, o)
    o += 11
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AddPartitionsToTxnTransaction.topics")
    if n * 3 > end - o:
        raise short("AddPartitionsToTxnTransaction.topics", n * 3, end - o)
    all_topics: list[AddPartitionsToTxnTopic] = []
    for _ in range(n):
        one_topics, o = _read_add_partitions_to_txn_topic_v3(b, o, end)
        all_topics.append(one_topics)
    topics = tuple(all_topics)
    o = skip_tags(b, o, end, "AddPartitionsToTxnTransaction") if b[o] else o + 1
    e = new(AddPartitionsToTxnTransaction)
    e.transactional_id = transactional_id
    e.producer_id = producer_id
    e.producer_epoch = producer_epoch
    e.verify_only = verify_only
    e.topics = topics
    return e, o


def _write_add_partitions_to_txn_transaction_v4(e: AddPartitionsToTxnTransaction, put: Put) -> None:
    transactional_id = e.transactional_id
    raw = transactional_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_qht(e.producer_id, e.producer_epoch, e.verify_only))
    topics = e.topics
    put(put_uvarint(len(topics) + 1))
    for one_topics in topics:
        _write_add_partitions_to_txn_topic_v3(one_topics, put)
    put(b"\0")


def _walk_add_partitions_to_txn_transaction_v4(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[AddPartitionsToTxnTransaction]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AddPartitionsToTxnTransaction.transactional_id")
    if n > end - o:
        raise short("AddPartitionsToTxnTransaction.transactional_id", n, end - o)
    transactional_id = str(b[o : o + n], "utf-8")
    o += n
    producer_id, producer_epoch, verify_only = unpack_qht(b, o)
    o += 11
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AddPartitionsToTxnTransaction.topics")
    if n * 3 > end - o:
        raise short("AddPartitionsToTxnTransaction.topics", n * 3, end - o)
    topics, o = yield from walk_each(_walk_add_partitions_to_txn_topic_v3, b, o, end, at, n)
    o = skip_tags(b, o, end, "AddPartitionsToTxnTransaction") if b[o] else o + 1
    e = new(AddPartitionsToTxnTransaction)
    e.transactional_id = transactional_id
    e.producer_id = producer_id
    e.producer_epoch = producer_epoch
    e.verify_only = verify_only
    e.topics = topics
    return e, o


def _read_add_partitions_to_txn_request_v0(
    b: Buffer, o: int, end: int
) -> tuple[AddPartitionsToTxnRequest, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("AddPartitionsToTxnRequest.v3_and_below_transactional_id")
    if n > end - o:
        raise short("AddPartitionsToTxnRequest.v3_and_below_transactional_id", n, end - o)
    v3_and_below_transactional_id = str(b[o : o + n], "utf-8")
    o += n
    v3_and_below_producer_id, v3_and_below_producer_epoch = unpack_qh(b, o)
    o += 10
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("AddPartitionsToTxnRequest.v3_and_below_topics")
    if n * 6 > end - o:
        raise short("AddPartitionsToTxnRequest.v3_and_below_topics", n * 6, end - o)
    all_v3_and_below_topics: list[AddPartitionsToTxnTopic] = []
    for _ in range(n):
        one_v3_and_below_topics, o = _read_add_partitions_to_txn_topic_v0(b, o, end)
        all_v3_and_below_topics.append(one_v3_and_below_topics)
    v3_and_below_topics = tuple(all_v3_and_below_topics)
    e = new(AddPartitionsToTxnRequest)
    e.transactions = ()
    e.v3_and_below_transactional_id = v3_and_below_transactional_id
    e.v3_and_below_producer_id = v3_and_below_producer_id
    e.v3_and_below_producer_epoch = v3_and_below_producer_epoch
    e.v3_and_below_topics = v3_and_below_topics
    return e, o


def _write_add_partitions_to_txn_request_v0(e: AddPartitionsToTxnRequest, put: Put) -> None:
    v3_and_below_transactional_id = e.v3_and_below_transactional_id
    raw = v3_and_below_transactional_id.encode()
    put(pack_h(len(raw)))
    put(raw)
    put(pack_qh(e.v3_and_below_producer_id, e.v3_and_below_producer_epoch))
    v3_and_below_topics = e.v3_and_below_topics
    put(pack_i(len(v3_and_below_topics)))
    for one_v3_and_below_topics in v3_and_below_topics:
        _write_add_partitions_to_txn_topic_v0(one_v3_and_below_topics, put)


def _walk_add_partitions_to_txn_request_v0(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[AddPartitionsToTxnRequest]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("AddPartitionsToTxnRequest.v3_and_below_transactional_id")
    if n > end - o:
        raise short("AddPartitionsToTxnRequest.v3_and_below_transactional_id", n, end - o)
    v3_and_below_transactional_id = str(b[o : o + n], "utf-8")
    o += n
    v3_and_below_producer_id, v3_and_below_producer_epoch = unpack_qh(b, o)
    o += 10
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("AddPartitionsToTxnRequest.v3_and_below_topics")
    if n * 6 > end - o:
        raise short("AddPartitionsToTxnRequest.v3_and_below_topics", n * 6, end - o)
    v3_and_below_topics, o = yield from walk_each(
        _walk_add_partitions_to_txn_topic_v0, b, o, end, at, n
    )
    e = new(AddPartitionsToTxnRequest)
    e.transactions = ()
    e.v3_and_below_transactional_id = v3_and_below_transactional_id
    e.v3_and_below_producer_id = v3_and_below_producer_id
    e.v3_and_below_producer_epoch = v3_and_below_producer_epoch
    e.v3_and_below_topics = v3_and_below_topics
    return e, o


def _read_add_partitions_to_txn_request_v3(
    b: Buffer, o: int, end: int
) -> tuple[AddPartitionsToTxnRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AddPartitionsToTxnRequest.v3_and_below_transactional_id")
    if n > end - o:
        raise short("AddPartitionsToTxnRequest.v3_and_below_transactional_id", n, end - o)
    v3_and_below_transactional_id = str(b[o : o + n], "utf-8")
    o += n
    v3_and_below_producer_id, v3_and_below_producer_epoch = unpack_qh(b, o)
    o += 10
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AddPartitionsToTxnRequest.v3_and_below_topics")
    if n * 3 > end - o:
        raise short("AddPartitionsToTxnRequest.v3_and_below_topics", n * 3, end - o)
    all_v3_and_below_topics: list[AddPartitionsToTxnTopic] = []
    for _ in range(n):
        one_v3_and_below_topics, o = _read_add_partitions_to_txn_topic_v3(b, o, end)
        all_v3_and_below_topics.append(one_v3_and_below_topics)
    v3_and_below_topics = tuple(all_v3_and_below_topics)
    o = skip_tags(b, o, end, "AddPartitionsToTxnRequest") if b[o] else o + 1
    e = new(AddPartitionsToTxnRequest)
    e.transactions = ()
    e.v3_and_below_transactional_id = v3_and_below_transactional_id
    e.v3_and_below_producer_id = v3_and_below_producer_id
    e.v3_and_below_producer_epoch = v3_and_below_producer_epoch
    e.v3_and_below_topics = v3_and_below_topics
    return e, o


def _write_add_partitions_to_txn_request_v3(e: AddPartitionsToTxnRequest, put: Put) -> None:
    v3_and_below_transactional_id = e.v3_and_below_transactional_id
    raw = v3_and_below_transactional_id.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_qh(e.v3_and_below_producer_id, e.v3_and_below_producer_epoch))
    v3_and_below_topics = e.v3_and_below_topics
    put(put_uvarint(len(v3_and_below_topics) + 1))
    for one_v3_and_below_topics in v3_and_below_topics:
        _write_add_partitions_to_txn_topic_v3(one_v3_and_below_topics, put)
    put(b"\0")


def _walk_add_partitions_to_txn_request_v3(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[AddPartitionsToTxnRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AddPartitionsToTxnRequest.v3_and_below_transactional_id")
    if n > end - o:
        raise short("AddPartitionsToTxnRequest.v3_and_below_transactional_id", n, end - o)
    v3_and_below_transactional_id = str(b[o : o + n], "utf-8")
    o += n
    v3_and_below_producer_id, v3_and_below_producer_epoch = unpack_qh(b, o)
    o += 10
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AddPartitionsToTxnRequest.v3_and_below_topics")
    if n * 3 > end - o:
        raise short("AddPartitionsToTxnRequest.v3_and_below_topics", n * 3, end - o)
    v3_and_below_topics, o = yield from walk_each(
        _walk_add_partitions_to_txn_topic_v3, b, o, end, at, n
    )
    o = skip_tags(b, o, end, "AddPartitionsToTxnRequest") if b[o] else o + 1
    e = new(AddPartitionsToTxnRequest)
    e.transactions = ()
    e.v3_and_below_transactional_id = v3_and_below_transactional_id
    e.v3_and_below_producer_id = v3_and_below_producer_id
    e.v3_and_below_producer_epoch = v3_and_below_producer_epoch
    e.v3_and_below_topics = v3_and_below_topics
    return e, o


def _read_add_partitions_to_txn_request_v4(
    b: Buffer, o: int, end: int
) -> tuple[AddPartitionsToTxnRequest, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AddPartitionsToTxnRequest.transactions")
    if n * 14 > end - o:
        raise short("AddPartitionsToTxnRequest.transactions", n * 14, end - o)
    all_transactions: list[AddPartitionsToTxnTransaction] = []
    for _ in range(n):
        one_transactions, o = _read_add_partitions_to_txn_transaction_v4(b, o, end)
        all_transactions.append(one_transactions)
    transactions = tuple(all_transactions)
    o = skip_tags(b, o, end, "AddPartitionsToTxnRequest") if b[o] else o + 1
    e = new(AddPartitionsToTxnRequest)
    e.transactions = transactions
    e.v3_and_below_transactional_id = ""
    e.v3_and_below_producer_id = 0
    e.v3_and_below_producer_epoch = 0
    e.v3_and_below_topics = ()
    return e, o


def _write_add_partitions_to_txn_request_v4(e: AddPartitionsToTxnRequest, put: Put) -> None:
    transactions = e.transactions
    put(put_uvarint(len(transactions) + 1))
    for one_transactions in transactions:
        _write_add_partitions_to_txn_transaction_v4(one_transactions, put)
    put(b"\0")


def _walk_add_partitions_to_txn_request_v4(
    b: Buffer, o: int, end: int, at: Marks
) -> Reading[AddPartitionsToTxnRequest]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("AddPartitionsToTxnRequest.transactions")
    if n * 14 > end - o:
        raise short("AddPartitionsToTxnRequest.transactions", n * 14, end - o)
    transactions, o = yield from walk_each(
        _walk_add_partitions_to_txn_transaction_v4, b, o, end, at, n
    )
    o = skip_tags(b, o, end, "AddPartitionsToTxnRequest") if b[o] else o + 1
    e = new(AddPartitionsToTxnRequest)
    e.transactions = transactions
    e.v3_and_below_transactional_id = ""
    e.v3_and_below_producer_id = 0
    e.v3_and_below_producer_epoch = 0
    e.v3_and_below_topics = ()
    return e, o


AddPartitionsToTxnRequest.RESPONSE = AddPartitionsToTxnResponse
AddPartitionsToTxnRequest.WALKERS = {
    0: _walk_add_partitions_to_txn_request_v0,
    1: _walk_add_partitions_to_txn_request_v0,
    2: _walk_add_partitions_to_txn_request_v0,
    3: _walk_add_partitions_to_txn_request_v3,
    4: _walk_add_partitions_to_txn_request_v4,
    5: _walk_add_partitions_to_txn_request_v4,
}
AddPartitionsToTxnRequest.READERS = {
    0: _read_add_partitions_to_txn_request_v0,
    1: _read_add_partitions_to_txn_request_v0,
    2: _read_add_partitions_to_txn_request_v0,
    3: _read_add_partitions_to_txn_request_v3,
    4: _read_add_partitions_to_txn_request_v4,
    5: _read_add_partitions_to_txn_request_v4,
}
AddPartitionsToTxnRequest.WRITERS = {
    0: _write_add_partitions_to_txn_request_v0,
    1: _write_add_partitions_to_txn_request_v0,
    2: _write_add_partitions_to_txn_request_v0,
    3: _write_add_partitions_to_txn_request_v3,
    4: _write_add_partitions_to_txn_request_v4,
    5: _write_add_partitions_to_txn_request_v4,
}
