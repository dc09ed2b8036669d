"""FetchResponse (key 1), versions 4 to 18. Written by `tools.messages`."""

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
    Records,
    Response,
    count_of,
    null,
    put_records,
    skip_tags,
    tag_at,
    wrong_size,
)
from spindle.wire.values import ERRORS, ZERO_UUID, long_uvarint, put_uvarint, short, uuid_of

new = object.__new__
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_ihi = Struct(">ihi").pack
pack_ihqq = Struct(">ihqq").pack
pack_ihqqq = Struct(">ihqqq").pack
pack_iiB = Struct(">iiB").pack
pack_iqB = Struct(">iqB").pack
pack_qiB = Struct(">qiB").pack
pack_qq = Struct(">qq").pack
pack_qqB = Struct(">qqB").pack
pack_u = Struct(">16s").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ihi = Struct(">ihi").unpack_from
unpack_ihqq = Struct(">ihqq").unpack_from
unpack_ihqqq = Struct(">ihqqq").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_iq = Struct(">iq").unpack_from
unpack_qi = Struct(">qi").unpack_from
unpack_qq = Struct(">qq").unpack_from
unpack_u = Struct(">16s").unpack_from


class AbortedTransaction(Message):
    """A part of FetchResponse."""

    __slots__ = ("producer_id", "first_offset")
    producer_id: int
    first_offset: int

    def __init__(self, *, producer_id: int = 0, first_offset: int = 0) -> None:
        self.producer_id = producer_id
        self.first_offset = first_offset


class EpochEndOffset(Message):
    """A part of FetchResponse."""

    __slots__ = ("epoch", "end_offset")
    epoch: int
    end_offset: int

    def __init__(self, *, epoch: int = -1, end_offset: int = -1) -> None:
        self.epoch = epoch
        self.end_offset = end_offset


DEFAULT_EPOCH_END_OFFSET = EpochEndOffset()


class LeaderIdAndEpoch(Message):
    """A part of FetchResponse."""

    __slots__ = ("leader_id", "leader_epoch")
    leader_id: int
    leader_epoch: int

    def __init__(self, *, leader_id: int = -1, leader_epoch: int = -1) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch


DEFAULT_LEADER_ID_AND_EPOCH = LeaderIdAndEpoch()


class SnapshotId(Message):
    """A part of FetchResponse."""

    __slots__ = ("end_offset", "epoch")
    end_offset: int
    epoch: int

    def __init__(self, *, end_offset: int = -1, epoch: int = -1) -> None:
        self.end_offset = end_offset
        self.epoch = epoch


DEFAULT_SNAPSHOT_ID = SnapshotId()


class PartitionData(Message):
    """A part of FetchResponse."""

    __slots__ = (
        "partition_index",
        "error_code",
        "high_watermark",
        "last_stable_offset",
        "log_start_offset",
        "aborted_transactions",
        "preferred_read_replica",
        "records",
        "diverging_epoch",
        "current_leader",
        "snapshot_id",
    )
    partition_index: int
    error_code: ErrorCode
    high_watermark: int
    last_stable_offset: int
    log_start_offset: int  # from version 5
    aborted_transactions: Sequence[AbortedTransaction] | None
    preferred_read_replica: int  # from version 11
    records: Records | None
    diverging_epoch: EpochEndOffset  # from version 12, tag 0
    current_leader: LeaderIdAndEpoch  # from version 12, tag 1
    snapshot_id: SnapshotId  # from version 12, tag 2

    def __init__(
        self,
        *,
        partition_index: int = 0,
        error_code: ErrorCode = Error.NONE,
        high_watermark: int = 0,
        last_stable_offset: int = -1,
        log_start_offset: int = -1,
        aborted_transactions: Sequence[AbortedTransaction] | None = None,
        preferred_read_replica: int = -1,
        records: Records | None = None,
        diverging_epoch: EpochEndOffset = DEFAULT_EPOCH_END_OFFSET,
        current_leader: LeaderIdAndEpoch = DEFAULT_LEADER_ID_AND_EPOCH,
        snapshot_id: SnapshotId = DEFAULT_SNAPSHOT_ID,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.high_watermark = high_watermark
        self.last_stable_offset = last_stable_offset
        self.log_start_offset = log_start_offset
        self.aborted_transactions = aborted_transactions
        self.preferred_read_replica = preferred_read_replica
        self.records = records
        self.diverging_epoch = diverging_epoch
        self.current_leader = current_leader
        self.snapshot_id = snapshot_id


class FetchableTopicResponse(Message):
    """A part of FetchResponse."""

    __slots__ = ("topic_id", "topic", "partitions")
    topic_id: UUID | None  # from version 13
    topic: str  # until version 12
    partitions: Sequence[PartitionData]

    def __init__(
        self,
        *,
        topic_id: UUID | None = None,
        topic: str = "",
        partitions: Sequence[PartitionData] = (),
    ) -> None:
        self.topic_id = topic_id
        self.topic = topic
        self.partitions = partitions


class NodeEndpoint(Message):
    """A part of FetchResponse."""

    __slots__ = ("node_id", "host", "port", "rack")
    node_id: int
    host: str
    port: int
    rack: str | None

    def __init__(
        self, *, node_id: int = 0, host: str = "", port: int = 0, rack: str | None = None
    ) -> None:
        self.node_id = node_id
        self.host = host
        self.port = port
        self.rack = rack


class FetchResponse(Response):
    """The response of API 1."""

    KEY: ClassVar = 1
    VERSIONS: ClassVar = range(4, 19)
    FIRST_FLEXIBLE: ClassVar = 12
    THROTTLE_FROM: ClassVar = 4
    HAS_RECORDS: ClassVar = True

    __slots__ = ("throttle_time_ms", "error_code", "session_id", "responses", "node_endpoints")
    throttle_time_ms: int
    error_code: ErrorCode  # from version 7
    session_id: int  # from version 7
    responses: Sequence[FetchableTopicResponse]
    node_endpoints: Sequence[NodeEndpoint]  # from version 16, tag 0

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: ErrorCode = Error.NONE,
        session_id: int = 0,
        responses: Sequence[FetchableTopicResponse] = (),
        node_endpoints: Sequence[NodeEndpoint] = (),
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.session_id = session_id
        self.responses = responses
        self.node_endpoints = node_endpoints


def _read_aborted_transaction_v4(b: Buffer, o: int, end: int) -> tuple[AbortedTransaction, int]:
    producer_id, first_offset = unpack_qq(b, o)
    o += 16
    e = new(AbortedTransaction)
    e.producer_id = producer_id
    e.first_offset = first_offset
    return e, o


def _write_aborted_transaction_v4(e: AbortedTransaction, put: Put) -> None:
    put(pack_qq(e.producer_id, e.first_offset))


def _read_aborted_transaction_v12(b: Buffer, o: int, end: int) -> tuple[AbortedTransaction, int]:
    producer_id, first_offset = unpack_qq(b, o)
    o += 16
    o = skip_tags(b, o, end, "AbortedTransaction") if b[o] else o + 1
    e = new(AbortedTransaction)
    e.producer_id = producer_id
    e.first_offset = first_offset
    return e, o


def _write_aborted_transaction_v12(e: AbortedTransaction, put: Put) -> None:
    put(pack_qqB(e.producer_id, e.first_offset, 0))


def _read_epoch_end_offset_v12(b: Buffer, o: int, end: int) -> tuple[EpochEndOffset, int]:
    epoch, end_offset = unpack_iq(b, o)
    o += 12
    o = skip_tags(b, o, end, "EpochEndOffset") if b[o] else o + 1
    e = new(EpochEndOffset)
    e.epoch = epoch
    e.end_offset = end_offset
    return e, o


def _write_epoch_end_offset_v12(e: EpochEndOffset, put: Put) -> None:
    put(pack_iqB(e.epoch, e.end_offset, 0))


def _read_leader_id_and_epoch_v12(b: Buffer, o: int, end: int) -> tuple[LeaderIdAndEpoch, int]:
    leader_id, leader_epoch = unpack_ii(b, o)
    o += 8
    o = skip_tags(b, o, end, "LeaderIdAndEpoch") if b[o] else o + 1
    e = new(LeaderIdAndEpoch)
    e.leader_id = leader_id
    e.leader_epoch = leader_epoch
    return e, o


def _write_leader_id_and_epoch_v12(e: LeaderIdAndEpoch, put: Put) -> None:
    put(pack_iiB(e.leader_id, e.leader_epoch, 0))


def _read_snapshot_id_v12(b: Buffer, o: int, end: int) -> tuple[SnapshotId, int]:
    end_offset, epoch = unpack_qi(b, o)
    o += 12
    o = skip_tags(b, o, end, "SnapshotId") if b[o] else o + 1
    e = new(SnapshotId)
    e.end_offset = end_offset
    e.epoch = epoch
    return e, o


def _write_snapshot_id_v12(e: SnapshotId, put: Put) -> None:
    put(pack_qiB(e.end_offset, e.epoch, 0))


def _read_partition_data_v4(b: Buffer, o: int, end: int) -> tuple[PartitionData, int]:
    partition_index, error_code, high_watermark, last_stable_offset = unpack_ihqq(b, o)
    o += 22
    error_code = ERRORS.get(error_code, error_code)
    aborted_transactions: Sequence[AbortedTransaction] | None
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        aborted_transactions = None
    else:
        if n * 16 > end - o:
            raise short("PartitionData.aborted_transactions", n * 16, end - o)
        all_aborted_transactions: list[AbortedTransaction] = []
        for _ in range(n):
            one_aborted_transactions, o = _read_aborted_transaction_v4(b, o, end)
            all_aborted_transactions.append(one_aborted_transactions)
        aborted_transactions = tuple(all_aborted_transactions)
    records: Records | None
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        records = None
    else:
        if n > end - o:
            raise short("PartitionData.records", n, end - o)
        records = memoryview(b)[o : o + n]
        o += n
    e = new(PartitionData)
    e.partition_index = partition_index
    e.error_code = error_code
    e.high_watermark = high_watermark
    e.last_stable_offset = last_stable_offset
    e.log_start_offset = -1
    e.aborted_transactions = aborted_transactions
    e.preferred_read_replica = -1
    e.records = records
    e.diverging_epoch = DEFAULT_EPOCH_END_OFFSET
    e.current_leader = DEFAULT_LEADER_ID_AND_EPOCH
    e.snapshot_id = DEFAULT_SNAPSHOT_ID
    return e, o


def _write_partition_data_v4(e: PartitionData, put: Put) -> None:
    put(pack_ihqq(e.partition_index, e.error_code, e.high_watermark, e.last_stable_offset))
    aborted_transactions = e.aborted_transactions
    if aborted_transactions is None:
        put(b"\xff" * 4)
    else:
        put(pack_i(len(aborted_transactions)))
        if type(aborted_transactions) is Packed:
            for piece in aborted_transactions.pieces:
                put(piece)
        else:
            for one_aborted_transactions in aborted_transactions:
                _write_aborted_transaction_v4(one_aborted_transactions, put)
    records = e.records
    if records is None:
        put(b"\xff" * 4)
    else:
        put_records(records, False, put)


def _read_partition_data_v5(b: Buffer, o: int, end: int) -> tuple[PartitionData, int]:
    partition_index, error_code, high_watermark, last_stable_offset, log_start_offset = (
        unpack_ihqqq(b, o)
    )
    o += 30
    error_code = ERRORS.get(error_code, error_code)
    aborted_transactions: Sequence[AbortedTransaction] | None
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        aborted_transactions = None
    else:
        if n * 16 > end - o:
            raise short("PartitionData.aborted_transactions", n * 16, end - o)
        all_aborted_transactions: list[AbortedTransaction] = []
        for _ in range(n):
            one_aborted_transactions, o = _read_aborted_transaction_v4(b, o, end)
            all_aborted_transactions.append(one_aborted_transactions)
        aborted_transactions = tuple(all_aborted_transactions)
    records: Records | None
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        records = None
    else:
        if n > end - o:
            raise short("PartitionData.records", n, end - o)
        records = memoryview(b)[o : o + n]
        o += n
    e = new(PartitionData)
    e.partition_index = partition_index
    e.error_code = error_code
    e.high_watermark = high_watermark
    e.last_stable_offset = last_stable_offset
    e.log_start_offset = log_start_offset
    e.aborted_transactions = aborted_transactions
    e.preferred_read_replica = -1
    e.records = records
    e.diverging_epoch = DEFAULT_EPOCH_END_OFFSET
    e.current_leader = DEFAULT_LEADER_ID_AND_EPOCH
    e.snapshot_id = DEFAULT_SNAPSHOT_ID
    return e, o


def _write_partition_data_v5(e: PartitionData, put: Put) -> None:
    put(
        pack_ihqqq(
            e.partition_index,
            e.error_code,
            e.high_watermark,
            e.last_stable_offset,
            e.log_start_offset,
        )
    )
    aborted_transactions = e.aborted_transactions
    if aborted_transactions is None:
        put(b"\xff" * 4)
    else:
        put(pack_i(len(aborted_transactions)))
        if type(aborted_transactions) is Packed:
            for piece in aborted_transactions.pieces:
                put(piece)
        else:
            for one_aborted_transactions in aborted_transactions:
                _write_aborted_transaction_v4(one_aborted_transactions, put)
    records = e.records
    if records is None:
        put(b"\xff" * 4)
    else:
        put_records(records, False, put)


def _read_partition_data_v11(b: Buffer, o: int, end: int) -> tuple[PartitionData, int]:
    partition_index, error_code, high_watermark, last_stable_offset, log_start_offset = (
        unpack_ihqqq(b, o)
    )
    o += 30
    error_code = ERRORS.get(error_code, error_code)
    aborted_transactions: Sequence[AbortedTransaction] | None
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        aborted_transactions = None
    else:
        if n * 16 > end - o:
            raise short("PartitionData.aborted_transactions", n * 16, end - o)
        all_aborted_transactions: list[AbortedTransaction] = []
        for _ in range(n):
            one_aborted_transactions, o = _read_aborted_transaction_v4(b, o, end)
            all_aborted_transactions.append(one_aborted_transactions)
        aborted_transactions = tuple(all_aborted_transactions)
    (preferred_read_replica,) = unpack_i(b, o)
    o += 4
    records: Records | None
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        records = None
    else:
        if n > end - o:
            raise short("PartitionData.records", n, end - o)
        records = memoryview(b)[o : o + n]
        o += n
    e = new(PartitionData)
    e.partition_index = partition_index
    e.error_code = error_code
    e.high_watermark = high_watermark
    e.last_stable_offset = last_stable_offset
    e.log_start_offset = log_start_offset
    e.aborted_transactions = aborted_transactions
    e.preferred_read_replica = preferred_read_replica
    e.records = records
    e.diverging_epoch = DEFAULT_EPOCH_END_OFFSET
    e.current_leader = DEFAULT_LEADER_ID_AND_EPOCH
    e.snapshot_id = DEFAULT_SNAPSHOT_ID
    return e, o


def _write_partition_data_v11(e: PartitionData, put: Put) -> None:
    put(
        pack_ihqqq(
            e.partition_index,
            e.error_code,
            e.high_watermark,
            e.last_stable_offset,
            e.log_start_offset,
        )
    )
    aborted_transactions = e.aborted_transactions
    if aborted_transactions is None:
        put(b"\xff" * 4)
    else:
        put(pack_i(len(aborted_transactions)))
        if type(aborted_transactions) is Packed:
            for piece in aborted_transactions.pieces:
                put(piece)
        else:
            for one_aborted_transactions in aborted_transactions:
                _write_aborted_transaction_v4(one_aborted_transactions, put)
    put(pack_i(e.preferred_read_replica))
    records = e.records
    if records is None:
        put(b"\xff" * 4)
    else:
        put_records(records, False, put)


def _read_partition_data_v12(b: Buffer, o: int, end: int) -> tuple[PartitionData, int]:
    partition_index, error_code, high_watermark, last_stable_offset, log_start_offset = (
        unpack_ihqqq(b, o)
    )
    o += 30
    error_code = ERRORS.get(error_code, error_code)
    aborted_transactions: Sequence[AbortedTransaction] | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        aborted_transactions = None
    else:
        if n * 17 > end - o:
            raise short("PartitionData.aborted_transactions", n * 17, end - o)
        all_aborted_transactions: list[AbortedTransaction] = []
        for _ in range(n):
            one_aborted_transactions, o = _read_aborted_transaction_v12(b, o, end)
            all_aborted_transactions.append(one_aborted_transactions)
        aborted_transactions = tuple(all_aborted_transactions)
    (preferred_read_replica,) = unpack_i(b, o)
    o += 4
    records: Records | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        records = None
    else:
        if n > end - o:
            raise short("PartitionData.records", n, end - o)
        records = memoryview(b)[o : o + n]
        o += n
    diverging_epoch: EpochEndOffset = DEFAULT_EPOCH_END_OFFSET
    current_leader: LeaderIdAndEpoch = DEFAULT_LEADER_ID_AND_EPOCH
    snapshot_id: SnapshotId = DEFAULT_SNAPSHOT_ID
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "PartitionData")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "PartitionData")
            if tag == 0:
                diverging_epoch, o = _read_epoch_end_offset_v12(b, o, end)
                if o != stop:
                    raise wrong_size("PartitionData.diverging_epoch", o - stop)
            elif tag == 1:
                current_leader, o = _read_leader_id_and_epoch_v12(b, o, end)
                if o != stop:
                    raise wrong_size("PartitionData.current_leader", o - stop)
            elif tag == 2:
                snapshot_id, o = _read_snapshot_id_v12(b, o, end)
                if o != stop:
                    raise wrong_size("PartitionData.snapshot_id", o - stop)
            o = stop
    e = new(PartitionData)
    e.partition_index = partition_index
    e.error_code = error_code
    e.high_watermark = high_watermark
    e.last_stable_offset = last_stable_offset
    e.log_start_offset = log_start_offset
    e.aborted_transactions = aborted_transactions
    e.preferred_read_replica = preferred_read_replica
    e.records = records
    e.diverging_epoch = diverging_epoch
    e.current_leader = current_leader
    e.snapshot_id = snapshot_id
    return e, o


def _write_partition_data_v12(e: PartitionData, put: Put) -> None:
    put(
        pack_ihqqq(
            e.partition_index,
            e.error_code,
            e.high_watermark,
            e.last_stable_offset,
            e.log_start_offset,
        )
    )
    aborted_transactions = e.aborted_transactions
    if aborted_transactions is None:
        put(b"\0")
    else:
        put(put_uvarint(len(aborted_transactions) + 1))
        if type(aborted_transactions) is Packed:
            for piece in aborted_transactions.pieces:
                put(piece)
        else:
            for one_aborted_transactions in aborted_transactions:
                _write_aborted_transaction_v12(one_aborted_transactions, put)
    put(pack_i(e.preferred_read_replica))
    records = e.records
    if records is None:
        put(b"\0")
    else:
        put_records(records, True, put)
    tags: list[bytes] = []
    outer = put
    diverging_epoch = e.diverging_epoch
    if (
        diverging_epoch is not DEFAULT_EPOCH_END_OFFSET
        and diverging_epoch != DEFAULT_EPOCH_END_OFFSET
    ):
        diverging_epoch_pieces: list[Buffer] = []
        put = diverging_epoch_pieces.append
        _write_epoch_end_offset_v12(diverging_epoch, put)
        piece = b"".join(diverging_epoch_pieces)
        tags += (b"\x00", put_uvarint(len(piece)), piece)
    current_leader = e.current_leader
    if (
        current_leader is not DEFAULT_LEADER_ID_AND_EPOCH
        and current_leader != DEFAULT_LEADER_ID_AND_EPOCH
    ):
        current_leader_pieces: list[Buffer] = []
        put = current_leader_pieces.append
        _write_leader_id_and_epoch_v12(current_leader, put)
        piece = b"".join(current_leader_pieces)
        tags += (b"\x01", put_uvarint(len(piece)), piece)
    snapshot_id = e.snapshot_id
    if snapshot_id is not DEFAULT_SNAPSHOT_ID and snapshot_id != DEFAULT_SNAPSHOT_ID:
        snapshot_id_pieces: list[Buffer] = []
        put = snapshot_id_pieces.append
        _write_snapshot_id_v12(snapshot_id, put)
        piece = b"".join(snapshot_id_pieces)
        tags += (b"\x02", put_uvarint(len(piece)), piece)
    outer(put_uvarint(len(tags) // 3))
    for piece in tags:
        outer(piece)


def _read_fetchable_topic_response_v4(
    b: Buffer, o: int, end: int
) -> tuple[FetchableTopicResponse, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("FetchableTopicResponse.topic")
    if n > end - o:
        raise short("FetchableTopicResponse.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("FetchableTopicResponse.partitions")
    if n * 30 > end - o:
        raise short("FetchableTopicResponse.partitions", n * 30, end - o)
    all_partitions: list[PartitionData] = []
    for _ in range(n):
        one_partitions, o = _read_partition_data_v4(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    e = new(FetchableTopicResponse)
    e.topic_id = None
    e.topic = topic
    e.partitions = partitions
    return e, o


def _write_fetchable_topic_response_v4(e: FetchableTopicResponse, put: Put) -> None:
    topic = e.topic
    raw = topic.encode()
    put(pack_h(len(raw)))
    put(raw)
    partitions = e.partitions
    put(pack_i(len(partitions)))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_partition_data_v4(one_partitions, put)


def _read_fetchable_topic_response_v5(
    b: Buffer, o: int, end: int
) -> tuple[FetchableTopicResponse, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("FetchableTopicResponse.topic")
    if n > end - o:
        raise short("FetchableTopicResponse.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("FetchableTopicResponse.partitions")
    if n * 38 > end - o:
        raise short("FetchableTopicResponse.partitions", n * 38, end - o)
    all_partitions: list[PartitionData] = []
    for _ in range(n):
        one_partitions, o = _read_partition_data_v5(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    e = new(FetchableTopicResponse)
    e.topic_id = None
    e.topic = topic
    e.partitions = partitions
    return e, o


def _write_fetchable_topic_response_v5(e: FetchableTopicResponse, put: Put) -> None:
    topic = e.topic
    raw = topic.encode()
    put(pack_h(len(raw)))
    put(raw)
    partitions = e.partitions
    put(pack_i(len(partitions)))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_partition_data_v5(one_partitions, put)


def _read_fetchable_topic_response_v11(
    b: Buffer, o: int, end: int
) -> tuple[FetchableTopicResponse, int]:
    (n,) = unpack_h(b, o)
    o += 2
    if n < 0:
        raise null("FetchableTopicResponse.topic")
    if n > end - o:
        raise short("FetchableTopicResponse.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("FetchableTopicResponse.partitions")
    if n * 42 > end - o:
        raise short("FetchableTopicResponse.partitions", n * 42, end - o)
    all_partitions: list[PartitionData] = []
    for _ in range(n):
        one_partitions, o = _read_partition_data_v11(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    e = new(FetchableTopicResponse)
    e.topic_id = None
    e.topic = topic
    e.partitions = partitions
    return e, o


def _write_fetchable_topic_response_v11(e: FetchableTopicResponse, put: Put) -> None:
    topic = e.topic
    raw = topic.encode()
    put(pack_h(len(raw)))
    put(raw)
    partitions = e.partitions
    put(pack_i(len(partitions)))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_partition_data_v11(one_partitions, put)


def _read_fetchable_topic_response_v12(
    b: Buffer, o: int, end: int
) -> tuple[FetchableTopicResponse, int]:
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchableTopicResponse.topic")
    if n > end - o:
        raise short("FetchableTopicResponse.topic", n, end - o)
    topic = str(b[o : o + n], "utf-8")
    o += n
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchableTopicResponse.partitions")
    if n * 37 > end - o:
        raise short("FetchableTopicResponse.partitions", n * 37, end - o)
    all_partitions: list[PartitionData] = []
    for _ in range(n):
        one_partitions, o = _read_partition_data_v12(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "FetchableTopicResponse") if b[o] else o + 1
    e = new(FetchableTopicResponse)
    e.topic_id = None
    e.topic = topic
    e.partitions = partitions
    return e, o


def _write_fetchable_topic_response_v12(e: FetchableTopicResponse, put: Put) -> None:
    topic = e.topic
    raw = topic.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_partition_data_v12(one_partitions, put)
    put(b"\0")


def _read_fetchable_topic_response_v13(
    b: Buffer, o: int, end: int
) -> tuple[FetchableTopicResponse, int]:
    (topic_id,) = unpack_u(b, o)
    o += 16
    topic_id = uuid_of(topic_id)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchableTopicResponse.partitions")
    if n * 37 > end - o:
        raise short("FetchableTopicResponse.partitions", n * 37, end - o)
    all_partitions: list[PartitionData] = []
    for _ in range(n):
        one_partitions, o = _read_partition_data_v12(b, o, end)
        all_partitions.append(one_partitions)
    partitions = tuple(all_partitions)
    o = skip_tags(b, o, end, "FetchableTopicResponse") if b[o] else o + 1
    e = new(FetchableTopicResponse)
    e.topic_id = topic_id
    e.topic = ""
    e.partitions = partitions
    return e, o


def _write_fetchable_topic_response_v13(e: FetchableTopicResponse, put: Put) -> None:
    put(pack_u(ZERO_UUID if e.topic_id is None else e.topic_id.bytes))
    partitions = e.partitions
    put(put_uvarint(len(partitions) + 1))
    if type(partitions) is Packed:
        for piece in partitions.pieces:
            put(piece)
    else:
        for one_partitions in partitions:
            _write_partition_data_v12(one_partitions, put)
    put(b"\0")


def _read_node_endpoint_v16(b: Buffer, o: int, end: int) -> tuple[NodeEndpoint, int]:
    (node_id,) = unpack_i(b, o)
    o += 4
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("NodeEndpoint.host")
    if n > end - o:
        raise short("NodeEndpoint.host", n, end - o)
    host = str(b[o : o + n], "utf-8")
    o += n
    (port,) = unpack_i(b, o)
    o += 4
    rack: str | None
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        rack = None
    else:
        if n > end - o:
            raise short("NodeEndpoint.rack", n, end - o)
        rack = str(b[o : o + n], "utf-8")
        o += n
    o = skip_tags(b, o, end, "NodeEndpoint") if b[o] else o + 1
    e = new(NodeEndpoint)
    e.node_id = node_id
    e.host = host
    e.port = port
    e.rack = rack
    return e, o


def _write_node_endpoint_v16(e: NodeEndpoint, put: Put) -> None:
    put(pack_i(e.node_id))
    host = e.host
    raw = host.encode()
    put(put_uvarint(len(raw) + 1))
    put(raw)
    put(pack_i(e.port))
    rack = e.rack
    if rack is None:
        put(b"\0")
    else:
        raw = rack.encode()
        put(put_uvarint(len(raw) + 1))
        put(raw)
    put(b"\0")


def _read_fetch_response_v4(b: Buffer, o: int, end: int) -> tuple[FetchResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("FetchResponse.responses")
    if n * 6 > end - o:
        raise short("FetchResponse.responses", n * 6, end - o)
    all_responses: list[FetchableTopicResponse] = []
    for _ in range(n):
        one_responses, o = _read_fetchable_topic_response_v4(b, o, end)
        all_responses.append(one_responses)
    responses = tuple(all_responses)
    e = new(FetchResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = Error.NONE
    e.session_id = 0
    e.responses = responses
    e.node_endpoints = ()
    return e, o


def _write_fetch_response_v4(e: FetchResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    responses = e.responses
    put(pack_i(len(responses)))
    if type(responses) is Packed:
        for piece in responses.pieces:
            put(piece)
    else:
        for one_responses in responses:
            _write_fetchable_topic_response_v4(one_responses, put)


def _read_fetch_response_v5(b: Buffer, o: int, end: int) -> tuple[FetchResponse, int]:
    (throttle_time_ms,) = unpack_i(b, o)
    o += 4
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("FetchResponse.responses")
    if n * 6 > end - o:
        raise short("FetchResponse.responses", n * 6, end - o)
    all_responses: list[FetchableTopicResponse] = []
    for _ in range(n):
        one_responses, o = _read_fetchable_topic_response_v5(b, o, end)
        all_responses.append(one_responses)
    responses = tuple(all_responses)
    e = new(FetchResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = Error.NONE
    e.session_id = 0
    e.responses = responses
    e.node_endpoints = ()
    return e, o


def _write_fetch_response_v5(e: FetchResponse, put: Put) -> None:
    put(pack_i(e.throttle_time_ms))
    responses = e.responses
    put(pack_i(len(responses)))
    if type(responses) is Packed:
        for piece in responses.pieces:
            put(piece)
    else:
        for one_responses in responses:
            _write_fetchable_topic_response_v5(one_responses, put)


def _read_fetch_response_v7(b: Buffer, o: int, end: int) -> tuple[FetchResponse, int]:
    throttle_time_ms, error_code, session_id = unpack_ihi(b, o)
    o += 10
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("FetchResponse.responses")
    if n * 6 > end - o:
        raise short("FetchResponse.responses", n * 6, end - o)
    all_responses: list[FetchableTopicResponse] = []
    for _ in range(n):
        one_responses, o = _read_fetchable_topic_response_v5(b, o, end)
        all_responses.append(one_responses)
    responses = tuple(all_responses)
    e = new(FetchResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.session_id = session_id
    e.responses = responses
    e.node_endpoints = ()
    return e, o


def _write_fetch_response_v7(e: FetchResponse, put: Put) -> None:
    put(pack_ihi(e.throttle_time_ms, e.error_code, e.session_id))
    responses = e.responses
    put(pack_i(len(responses)))
    if type(responses) is Packed:
        for piece in responses.pieces:
            put(piece)
    else:
        for one_responses in responses:
            _write_fetchable_topic_response_v5(one_responses, put)


def _read_fetch_response_v11(b: Buffer, o: int, end: int) -> tuple[FetchResponse, int]:
    throttle_time_ms, error_code, session_id = unpack_ihi(b, o)
    o += 10
    error_code = ERRORS.get(error_code, error_code)
    (n,) = unpack_i(b, o)
    o += 4
    if n < 0:
        raise null("FetchResponse.responses")
    if n * 6 > end - o:
        raise short("FetchResponse.responses", n * 6, end - o)
    all_responses: list[FetchableTopicResponse] = []
    for _ in range(n):
        one_responses, o = _read_fetchable_topic_response_v11(b, o, end)
        all_responses.append(one_responses)
    responses = tuple(all_responses)
    e = new(FetchResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.session_id = session_id
    e.responses = responses
    e.node_endpoints = ()
    return e, o


def _write_fetch_response_v11(e: FetchResponse, put: Put) -> None:
    put(pack_ihi(e.throttle_time_ms, e.error_code, e.session_id))
    responses = e.responses
    put(pack_i(len(responses)))
    if type(responses) is Packed:
        for piece in responses.pieces:
            put(piece)
    else:
        for one_responses in responses:
            _write_fetchable_topic_response_v11(one_responses, put)


def _read_fetch_response_v12(b: Buffer, o: int, end: int) -> tuple[FetchResponse, int]:
    throttle_time_ms, error_code, session_id = unpack_ihi(b, o)
    o += 10
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchResponse.responses")
    if n * 3 > end - o:
        raise short("FetchResponse.responses", n * 3, end - o)
    all_responses: list[FetchableTopicResponse] = []
    for _ in range(n):
        one_responses, o = _read_fetchable_topic_response_v12(b, o, end)
        all_responses.append(one_responses)
    responses = tuple(all_responses)
    o = skip_tags(b, o, end, "FetchResponse") if b[o] else o + 1
    e = new(FetchResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.session_id = session_id
    e.responses = responses
    e.node_endpoints = ()
    return e, o


def _write_fetch_response_v12(e: FetchResponse, put: Put) -> None:
    put(pack_ihi(e.throttle_time_ms, e.error_code, e.session_id))
    responses = e.responses
    put(put_uvarint(len(responses) + 1))
    if type(responses) is Packed:
        for piece in responses.pieces:
            put(piece)
    else:
        for one_responses in responses:
            _write_fetchable_topic_response_v12(one_responses, put)
    put(b"\0")


def _read_fetch_response_v13(b: Buffer, o: int, end: int) -> tuple[FetchResponse, int]:
    throttle_time_ms, error_code, session_id = unpack_ihi(b, o)
    o += 10
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchResponse.responses")
    if n * 18 > end - o:
        raise short("FetchResponse.responses", n * 18, end - o)
    all_responses: list[FetchableTopicResponse] = []
    for _ in range(n):
        one_responses, o = _read_fetchable_topic_response_v13(b, o, end)
        all_responses.append(one_responses)
    responses = tuple(all_responses)
    o = skip_tags(b, o, end, "FetchResponse") if b[o] else o + 1
    e = new(FetchResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.session_id = session_id
    e.responses = responses
    e.node_endpoints = ()
    return e, o


def _write_fetch_response_v13(e: FetchResponse, put: Put) -> None:
    put(pack_ihi(e.throttle_time_ms, e.error_code, e.session_id))
    responses = e.responses
    put(put_uvarint(len(responses) + 1))
    if type(responses) is Packed:
        for piece in responses.pieces:
            put(piece)
    else:
        for one_responses in responses:
            _write_fetchable_topic_response_v13(one_responses, put)
    put(b"\0")


def _read_fetch_response_v16(b: Buffer, o: int, end: int) -> tuple[FetchResponse, int]:
    throttle_time_ms, error_code, session_id = unpack_ihi(b, o)
    o += 10
    error_code = ERRORS.get(error_code, error_code)
    n = b[o]
    o += 1
    if n > 127:
        n, o = long_uvarint(b, o, n)
    n -= 1
    if n < 0:
        raise null("FetchResponse.responses")
    if n * 18 > end - o:
        raise short("FetchResponse.responses", n * 18, end - o)
    all_responses: list[FetchableTopicResponse] = []
    for _ in range(n):
        one_responses, o = _read_fetchable_topic_response_v13(b, o, end)
        all_responses.append(one_responses)
    responses = tuple(all_responses)
    node_endpoints: Sequence[NodeEndpoint] = ()
    tags = b[o]
    o += 1
    if tags:
        tags, o = count_of(tags, b, o, end, "FetchResponse")
        for _ in range(tags):
            tag, stop, o = tag_at(b, o, end, "FetchResponse")
            if tag == 0:
                n = b[o]
                o += 1
                if n > 127:
                    n, o = long_uvarint(b, o, n)
                n -= 1
                if n < 0:
                    raise null("FetchResponse.node_endpoints")
                if n * 11 > end - o:
                    raise short("FetchResponse.node_endpoints", n * 11, end - o)
                all_node_endpoints: list[NodeEndpoint] = []
                for _ in range(n):
                    one_node_endpoints, o = _read_node_endpoint_v16(b, o, end)
                    all_node_endpoints.append(one_node_endpoints)
                node_endpoints = tuple(all_node_endpoints)
                if o != stop:
                    raise wrong_size("FetchResponse.node_endpoints", o - stop)
            o = stop
    e = new(FetchResponse)
    e.throttle_time_ms = throttle_time_ms
    e.error_code = error_code
    e.session_id = session_id
    e.responses = responses
    e.node_endpoints = node_endpoints
    return e, o


def _write_fetch_response_v16(e: FetchResponse, put: Put) -> None:
    put(pack_ihi(e.throttle_time_ms, e.error_code, e.session_id))
    responses = e.responses
    put(put_uvarint(len(responses) + 1))
    if type(responses) is Packed:
        for piece in responses.pieces:
            put(piece)
    else:
        for one_responses in responses:
            _write_fetchable_topic_response_v13(one_responses, put)
    tags: list[bytes] = []
    outer = put
    node_endpoints = e.node_endpoints
    if len(node_endpoints):
        node_endpoints_pieces: list[Buffer] = []
        put = node_endpoints_pieces.append
        put(put_uvarint(len(node_endpoints) + 1))
        if type(node_endpoints) is Packed:
            for piece in node_endpoints.pieces:
                put(piece)
        else:
            for one_node_endpoints in node_endpoints:
                _write_node_endpoint_v16(one_node_endpoints, put)
        piece = b"".join(node_endpoints_pieces)
        tags += (b"\x00", put_uvarint(len(piece)), piece)
    outer(put_uvarint(len(tags) // 3))
    for piece in tags:
        outer(piece)


FetchResponse.READERS = {
    4: _read_fetch_response_v4,
    5: _read_fetch_response_v5,
    6: _read_fetch_response_v5,
    7: _read_fetch_response_v7,
    8: _read_fetch_response_v7,
    9: _read_fetch_response_v7,
    10: _read_fetch_response_v7,
    11: _read_fetch_response_v11,
    12: _read_fetch_response_v12,
    13: _read_fetch_response_v13,
    14: _read_fetch_response_v13,
    15: _read_fetch_response_v13,
    16: _read_fetch_response_v16,
    17: _read_fetch_response_v16,
    18: _read_fetch_response_v16,
}
AbortedTransaction.WRITERS = {
    4: _write_aborted_transaction_v4,
    5: _write_aborted_transaction_v4,
    6: _write_aborted_transaction_v4,
    7: _write_aborted_transaction_v4,
    8: _write_aborted_transaction_v4,
    9: _write_aborted_transaction_v4,
    10: _write_aborted_transaction_v4,
    11: _write_aborted_transaction_v4,
    12: _write_aborted_transaction_v12,
    13: _write_aborted_transaction_v12,
    14: _write_aborted_transaction_v12,
    15: _write_aborted_transaction_v12,
    16: _write_aborted_transaction_v12,
    17: _write_aborted_transaction_v12,
    18: _write_aborted_transaction_v12,
}
EpochEndOffset.WRITERS = {
    12: _write_epoch_end_offset_v12,
    13: _write_epoch_end_offset_v12,
    14: _write_epoch_end_offset_v12,
    15: _write_epoch_end_offset_v12,
    16: _write_epoch_end_offset_v12,
    17: _write_epoch_end_offset_v12,
    18: _write_epoch_end_offset_v12,
}
LeaderIdAndEpoch.WRITERS = {
    12: _write_leader_id_and_epoch_v12,
    13: _write_leader_id_and_epoch_v12,
    14: _write_leader_id_and_epoch_v12,
    15: _write_leader_id_and_epoch_v12,
    16: _write_leader_id_and_epoch_v12,
    17: _write_leader_id_and_epoch_v12,
    18: _write_leader_id_and_epoch_v12,
}
SnapshotId.WRITERS = {
    12: _write_snapshot_id_v12,
    13: _write_snapshot_id_v12,
    14: _write_snapshot_id_v12,
    15: _write_snapshot_id_v12,
    16: _write_snapshot_id_v12,
    17: _write_snapshot_id_v12,
    18: _write_snapshot_id_v12,
}
PartitionData.WRITERS = {
    4: _write_partition_data_v4,
    5: _write_partition_data_v5,
    6: _write_partition_data_v5,
    7: _write_partition_data_v5,
    8: _write_partition_data_v5,
    9: _write_partition_data_v5,
    10: _write_partition_data_v5,
    11: _write_partition_data_v11,
    12: _write_partition_data_v12,
    13: _write_partition_data_v12,
    14: _write_partition_data_v12,
    15: _write_partition_data_v12,
    16: _write_partition_data_v12,
    17: _write_partition_data_v12,
    18: _write_partition_data_v12,
}
FetchableTopicResponse.WRITERS = {
    4: _write_fetchable_topic_response_v4,
    5: _write_fetchable_topic_response_v5,
    6: _write_fetchable_topic_response_v5,
    7: _write_fetchable_topic_response_v5,
    8: _write_fetchable_topic_response_v5,
    9: _write_fetchable_topic_response_v5,
    10: _write_fetchable_topic_response_v5,
    11: _write_fetchable_topic_response_v11,
    12: _write_fetchable_topic_response_v12,
    13: _write_fetchable_topic_response_v13,
    14: _write_fetchable_topic_response_v13,
    15: _write_fetchable_topic_response_v13,
    16: _write_fetchable_topic_response_v13,
    17: _write_fetchable_topic_response_v13,
    18: _write_fetchable_topic_response_v13,
}
NodeEndpoint.WRITERS = {
    16: _write_node_endpoint_v16,
    17: _write_node_endpoint_v16,
    18: _write_node_endpoint_v16,
}
FetchResponse.WRITERS = {
    4: _write_fetch_response_v4,
    5: _write_fetch_response_v5,
    6: _write_fetch_response_v5,
    7: _write_fetch_response_v7,
    8: _write_fetch_response_v7,
    9: _write_fetch_response_v7,
    10: _write_fetch_response_v7,
    11: _write_fetch_response_v11,
    12: _write_fetch_response_v12,
    13: _write_fetch_response_v13,
    14: _write_fetch_response_v13,
    15: _write_fetch_response_v13,
    16: _write_fetch_response_v16,
    17: _write_fetch_response_v16,
    18: _write_fetch_response_v16,
}
