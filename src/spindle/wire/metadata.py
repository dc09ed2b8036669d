"""Metadata records: bytes <-> `model.metadata_records`. The only door to their wire form.

A record is framed as frame version 1, its key, its version, then a flexible body (KIP-631). Writes
the versions that Apache Kafka 4.3 writes at the cluster's metadata.version, reads all that it
reads. What we do not interpret comes as `Other` and goes back byte for byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, cast

from spindle.model import metadata_records as r
from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt
from spindle.model.feature_rules import (
    CORDONED_DIRECTORIES,
    DIRECTORY_ASSIGNMENT,
    ELIGIBLE_LEADER_REPLICAS,
    METADATA_VERSION,
    SUPPORTED,
)
from spindle.model.ids import MIGRATING
from spindle.model.metadata_records import MetadataRecord
from spindle.wire.codec import Writer, read_record
from spindle.wire.record_codecs.metadata_log import READERS, WRITERS
from spindle.wire.values import put_uvarint, take_uvarint

NEWEST: Final = SUPPORTED[METADATA_VERSION].max
_FRAME: Final = 1
_MIGRATION: Final = 8
"""3.4-IV0: since then registrations say whether a broker comes from ZooKeeper."""


def encode_record(record: MetadataRecord, level: int = NEWEST) -> bytes:
    """A record's value as it stands in the metadata log of a cluster at this metadata.version."""
    if isinstance(record, r.Other):
        head = put_uvarint(_FRAME) + put_uvarint(record.key) + put_uvarint(record.version)
        return head + record.body
    head, write = _WRITTEN[type(record)][_version(record, level)]
    pieces: list[Buffer] = [head]
    write(record, pieces.append)
    return b"".join(pieces)


def decode_record(value: Buffer) -> MetadataRecord:
    """Read a record's value; Corrupt for broken bytes and for versions newer than we know."""
    data = bytes(value)
    key, version, offset = _head(data)
    known = READERS.get(key)
    if known is None:
        return r.Other(key=key, version=version, body=data[offset:])
    name, readers = known
    reader = readers.get(version)
    if reader is None:
        raise Corrupt(
            f"metadata record {key} has version {version}; this node knows 0 to"
            f" {len(readers) - 1}. The cluster's metadata.version is newer than this node"
        )
    record, end = read_record(reader, name, version, data, offset)
    if end != len(data):
        raise Corrupt(f"{name} v{version}: {len(data) - end} bytes are left behind the record")
    if isinstance(record, r.PartitionRegistration) and not record.directories:
        # Version 0 was written before directories had ids (KIP-858).
        return replace(record, directories=(MIGRATING,) * len(record.replicas))
    return record


def _head(data: bytes) -> tuple[int, int, int]:
    """A record's key, its version, and where its body begins."""
    if len(data) > 2 and data[0] == _FRAME and data[1] < 128 and data[2] < 128:
        return data[1], data[2], 3
    frame, offset = take_uvarint(data, 0)
    if frame != _FRAME:
        raise Corrupt(f"a metadata record has frame version {frame}, not {_FRAME}")
    key, offset = take_uvarint(data, offset)
    version, offset = take_uvarint(data, offset)
    return key, version, offset


def _version(record: MetadataRecord, level: int) -> int:
    """The version that Apache Kafka writes at this metadata.version."""
    if isinstance(record, r.PartitionChange | r.PartitionRegistration):
        if level >= ELIGIBLE_LEADER_REPLICAS:
            return 2
        return 1 if level >= DIRECTORY_ASSIGNMENT else 0
    if isinstance(record, r.RegisterBroker):
        return _registration_version(level)
    if isinstance(record, r.BrokerRegistrationChange):
        return _registration_change_version(record)
    return 0


def _registration_version(level: int) -> int:
    if level >= CORDONED_DIRECTORIES:
        return 4
    if level >= DIRECTORY_ASSIGNMENT:
        return 3
    return 2 if level >= _MIGRATION else 1


def _registration_change_version(record: r.BrokerRegistrationChange) -> int:
    """The oldest version that can say it, as Apache Kafka does."""
    if record.cordoned_log_dirs is not None:
        return 3
    if record.log_dirs:
        return 2
    return 1 if record.in_controlled_shutdown else 0


_WRITTEN: Final[Mapping[type[MetadataRecord], tuple[tuple[bytes, Writer[MetadataRecord]], ...]]] = {
    cls: tuple(
        # A class's writers are found by the class alone, so they get no other value.
        (b"".join(map(put_uvarint, (_FRAME, key, v))), cast("Writer[MetadataRecord]", writers[v]))
        for v in range(len(writers))
    )
    for cls, (key, writers) in WRITERS.items()
}
"""By class and version: how the record begins, and what writes the rest."""
