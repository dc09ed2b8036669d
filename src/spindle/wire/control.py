"""Control records: what logs say about themselves, in batches with the CONTROL flag.

Leader changes, snapshot headers and footers, the quorum's version and voters (KIP-595, 630, 853),
and the end of transactions in data logs (KIP-98). The records made here have the offset
`batch.NEXT`; give them to `batch.build(..., attributes=CONTROL)`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, TypeAlias

from spindle.model.batches import (
    CONTROL,
    NO_TIMESTAMP,
    TRANSACTIONAL,
    Batch,
    Buffer,
    EndTransactionMarker,
    Record,
)
from spindle.model.errors import Corrupt
from spindle.model.ids import DirectoryId, Endpoint, NodeId, VersionRange
from spindle.wire.batch import NEXT, build, records
from spindle.wire.declare import F, layout
from spindle.wire.layout import Layout
from spindle.wire.readers import read_all
from spindle.wire.writers import writer_of

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


@dataclass(frozen=True, slots=True)
class LeaderChange:
    """A leader of the metadata quorum begins its epoch; the voters it knows, and who chose it."""

    leader: NodeId
    voters: tuple[NodeId, ...] = ()
    granting: tuple[NodeId, ...] = ()


@dataclass(frozen=True, slots=True)
class SnapshotHeader:
    """A snapshot begins. `last_timestamp`: of the newest record that went into it, in ms."""

    last_timestamp: int


@dataclass(frozen=True, slots=True)
class SnapshotFooter:
    """A snapshot is complete."""


@dataclass(frozen=True, slots=True)
class KRaftVersion:
    """The quorum's protocol: 0 static voters, 1 voters in the log (KIP-853)."""

    level: int


@dataclass(frozen=True, slots=True)
class Voter:
    """A voter of a dynamic quorum. `supported`: the kraft.version levels it can work with."""

    id: NodeId
    directory_id: DirectoryId
    endpoints: tuple[Endpoint, ...]
    supported: VersionRange


@dataclass(frozen=True, slots=True)
class Voters:
    """All voters of a dynamic quorum."""

    voters: tuple[Voter, ...]


Control: TypeAlias = (
    LeaderChange | SnapshotHeader | SnapshotFooter | KRaftVersion | Voters | EndTransactionMarker
)


_VERSION: Final = F("", "int16", get="0")
_BARE: Final = layout("Voter", 0, (F("id", "int32", get="e"),), build=int)


def _bare_id(id: NodeId, _directory: DirectoryId) -> NodeId:
    return id


# Version 1 adds directory ids, which Apache Kafka 4.3 does not write either.
_WITH_DIRECTORY: Final = layout(
    "Voter", 1, (F("id", "int32"), F("directory_id", "id")), build=_bare_id
)
_ENDPOINT: Final = layout(
    "Endpoint", 0, (F("name", "string"), F("host", "string"), F("port", "uint16")), build=Endpoint
)
_SUPPORTED: Final = layout(
    "KRaftVersionFeature", 0, (F("min", "int16"), F("max", "int16")), build=VersionRange
)
_VOTER: Final = layout(
    "Voter",
    0,
    (
        F("id", "int32"),
        F("directory_id", "id"),
        F("endpoints", "[]", of=_ENDPOINT),
        F("supported", "", of=_SUPPORTED),
    ),
    cls=Voter,
)


def _leader_change(version: int, voter: Layout) -> Layout:
    return layout(
        "LeaderChange",
        version,
        (
            _VERSION,
            F("leader", "int32"),
            F("voters", "[]", of=voter),
            F("granting", "[]", of=voter),
        ),
        cls=LeaderChange,
    )


_LAYOUTS: Final[dict[ControlType, tuple[Layout, ...]]] = {
    ControlType.LEADER_CHANGE: (_leader_change(0, _BARE), _leader_change(1, _WITH_DIRECTORY)),
    ControlType.SNAPSHOT_HEADER: (
        layout("SnapshotHeader", 0, (_VERSION, F("last_timestamp", "int64")), cls=SnapshotHeader),
    ),
    ControlType.SNAPSHOT_FOOTER: (layout("SnapshotFooter", 0, (_VERSION,), cls=SnapshotFooter),),
    ControlType.KRAFT_VERSION: (
        layout("KRaftVersion", 0, (_VERSION, F("level", "int16")), cls=KRaftVersion),
    ),
    ControlType.VOTERS: (
        layout("Voters", 0, (_VERSION, F("voters", "[]", of=_VOTER)), cls=Voters),
    ),
}
_TYPES: Final = {shapes[0].cls: type_ for type_, shapes in _LAYOUTS.items()}


def control_record(value: Control, timestamp: int = NO_TIMESTAMP) -> Record:
    """A value as the record that carries it, with a time in ms."""
    if isinstance(value, EndTransactionMarker):
        type_ = ControlType.COMMIT if value.committed else ControlType.ABORT
        return Record(
            NEXT, timestamp, _KEY.pack(0, type_), _MARKER.pack(0, value.coordinator_epoch)
        )
    type_ = _TYPES[type(value)]
    pieces: list[Buffer] = []
    writer_of(_LAYOUTS[type_][0])(value, pieces.append)
    return Record(NEXT, timestamp, _KEY.pack(0, type_), b"".join(pieces))


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
    shapes = _LAYOUTS[type_]
    read: Control = read_all(shapes[min(version, len(shapes) - 1)], value)[0]
    return read


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
) -> Batch:
    """The batch that ends a transaction in a data log, as Apache Kafka writes it."""
    return build(
        [control_record(marker, timestamp)],
        attributes=CONTROL | TRANSACTIONAL,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
    )


def marker_of(batch: Batch) -> EndTransactionMarker | None:
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
