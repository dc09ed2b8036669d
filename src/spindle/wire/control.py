"""Control records: what logs say about themselves, in batches with the CONTROL flag.

Leader changes, snapshot headers and footers, the quorum's version and voters (KIP-595, 630, 853),
and the end of transactions in data logs (KIP-98). The records made here have the offset
`batch.NEXT`; give them to `batch.build(..., attributes=CONTROL)`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import Final, TypeAlias

from spindle.model.batches import (
    CONTROL,
    NO_TIMESTAMP,
    TRANSACTIONAL,
    Buffer,
    EndTransactionMarker,
    Record,
    RecordBatch,
)
from spindle.model.errors import Corrupt
from spindle.model.ids import NodeId
from spindle.model.quorum_voters import KRaftVersion as KRaftVersion
from spindle.model.quorum_voters import Voter as Voter
from spindle.model.quorum_voters import Voters as Voters
from spindle.wire.batch import NEXT, build, records
from spindle.wire.codec import Put, Reader, read_record
from spindle.wire.record_codecs import k_raft_version as kraft_version_record
from spindle.wire.record_codecs import leader_change as leader_change_record
from spindle.wire.record_codecs import snapshot_footer as snapshot_footer_record
from spindle.wire.record_codecs import snapshot_header as snapshot_header_record
from spindle.wire.record_codecs import voters as voters_record
from spindle.wire.stored import LeaderChange as LeaderChange
from spindle.wire.stored import SnapshotFooter as SnapshotFooter
from spindle.wire.stored import SnapshotHeader as SnapshotHeader

_KEY: Final = struct.Struct(">hh")
_VALUE_VERSION: Final = struct.Struct(">h")
_MARKER: Final = struct.Struct(">hi")


class ControlType(IntEnum):
    """What a control record is, from its key."""

    ABORT = 0
    COMMIT = 1
    LEADER_CHANGE = 2
    SNAPSHOT_HEADER = 3
    SNAPSHOT_FOOTER = 4
    KRAFT_VERSION = 5
    VOTERS = 6


QuorumControl: TypeAlias = LeaderChange | SnapshotHeader | SnapshotFooter | KRaftVersion | Voters
Control: TypeAlias = QuorumControl | EndTransactionMarker


_READERS: Final[Mapping[ControlType, tuple[str, Mapping[int, Reader[Control]]]]] = {
    ControlType.LEADER_CHANGE: ("LeaderChange", leader_change_record.READERS),
    ControlType.SNAPSHOT_HEADER: ("SnapshotHeader", snapshot_header_record.READERS),
    ControlType.SNAPSHOT_FOOTER: ("SnapshotFooter", snapshot_footer_record.READERS),
    ControlType.KRAFT_VERSION: ("KRaftVersion", kraft_version_record.READERS),
    ControlType.VOTERS: ("Voters", voters_record.READERS),
}


def control_record(value: Control, timestamp: int = NO_TIMESTAMP) -> Record:
    """A value as the record that carries it, with a time in ms."""
    if isinstance(value, EndTransactionMarker):
        type_ = ControlType.COMMIT if value.committed else ControlType.ABORT
        return Record(
            NEXT, timestamp, _KEY.pack(0, type_), _MARKER.pack(0, value.coordinator_epoch)
        )
    pieces: list[Buffer] = []
    type_ = _put(value, pieces.append)
    return Record(NEXT, timestamp, _KEY.pack(0, type_), b"".join(pieces))


def _put(value: QuorumControl, put: Put) -> ControlType:
    """Write a value in version 0, the one that Apache Kafka 4.3 writes; its type."""
    if isinstance(value, LeaderChange):
        leader_change_record.WRITERS[0](value, put)
        return ControlType.LEADER_CHANGE
    if isinstance(value, SnapshotHeader):
        snapshot_header_record.WRITERS[0](value, put)
        return ControlType.SNAPSHOT_HEADER
    if isinstance(value, SnapshotFooter):
        snapshot_footer_record.WRITERS[0](value, put)
        return ControlType.SNAPSHOT_FOOTER
    if isinstance(value, KRaftVersion):
        kraft_version_record.WRITERS[0](value, put)
        return ControlType.KRAFT_VERSION
    voters_record.WRITERS[0](value, put)
    return ControlType.VOTERS


def decode_control(record: Record) -> Control | None:
    """Read a record of a control batch; None for types that we do not know, as Kafka skips them.

    Corrupt for broken bytes. A value of a version newer than we know is read as the newest we know.
    """
    type_ = control_type(record)
    value = record.value
    if type_ is None:
        return None
    if value is None or len(value) < _VALUE_VERSION.size:
        raise Corrupt(f"control record {type_.name} at offset {record.offset} has no value")
    (version,) = _VALUE_VERSION.unpack_from(value)
    if version < 0:
        raise Corrupt(f"control record {type_.name} at offset {record.offset}: version {version}")
    if type_ in (ControlType.ABORT, ControlType.COMMIT):
        if len(value) < _MARKER.size:
            raise Corrupt(f"control record {type_.name} at offset {record.offset} is cut short")
        return EndTransactionMarker(type_ is ControlType.COMMIT, _MARKER.unpack_from(value)[1])
    name, readers = _READERS[type_]
    version = min(version, len(readers) - 1)
    return read_record(readers[version], name, version, value, 0)[0]


def control_type(record: Record) -> ControlType | None:
    """What a control record is, by its key alone; None for types that we do not know."""
    if record.key is None or len(record.key) < _KEY.size:
        raise Corrupt(f"the control record at offset {record.offset} has no type")
    try:
        return ControlType(_KEY.unpack_from(record.key)[1])
    except ValueError:
        return None


def end_transaction(
    producer_id: int, producer_epoch: int, marker: EndTransactionMarker, timestamp: int
) -> RecordBatch:
    """The batch that ends a transaction in a data log, as Apache Kafka writes it."""
    return build(
        [control_record(marker, timestamp)],
        attributes=CONTROL | TRANSACTIONAL,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
    )


def marker_of(batch: RecordBatch) -> EndTransactionMarker | None:
    """The marker in a control batch, if it ends a transaction. Corrupt."""
    for record in records(batch):
        if control_type(record) in (ControlType.ABORT, ControlType.COMMIT):
            marker = decode_control(record)
            assert isinstance(marker, EndTransactionMarker)
            return marker
    return None


def leader_change(
    leader: NodeId, voters: Iterable[NodeId], granting: Iterable[NodeId], timestamp: int
) -> Record:
    """The first record of a leader's epoch."""
    return control_record(LeaderChange(leader, tuple(voters), tuple(granting)), timestamp)


def snapshot_header(last_timestamp: int, timestamp: int | None = None) -> Record:
    """The first record of a snapshot; its own time is that of what it contains unless given."""
    own = last_timestamp if timestamp is None else timestamp
    return control_record(SnapshotHeader(last_timestamp), own)


def snapshot_footer(timestamp: int = NO_TIMESTAMP) -> Record:
    """The last record of a snapshot."""
    return control_record(SnapshotFooter(), timestamp)
