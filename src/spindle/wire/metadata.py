"""Metadata records: bytes <-> `model.records`. The only door to their wire form.

A record is framed as frame version 1, its key, its version, then a flexible body (KIP-631). Writes
the versions that Apache Kafka 4.3 writes at the cluster's metadata.version, reads all that it
reads. What we do not interpret comes as `Other` and goes back byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from spindle.model import records as r
from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt
from spindle.model.features import (
    CORDONED_DIRECTORIES,
    DIRECTORY_ASSIGNMENT,
    ELIGIBLE_LEADER_REPLICAS,
    METADATA_VERSION,
    SUPPORTED,
)
from spindle.model.ids import MIGRATING
from spindle.model.records import MetadataRecord
from spindle.wire.declare import layout
from spindle.wire.layout import Layout
from spindle.wire.metadata_schema import SCHEMAS
from spindle.wire.readers import read_all
from spindle.wire.values import put_uvarint, take_uvarint
from spindle.wire.writers import writer_of

NEWEST: Final = SUPPORTED[METADATA_VERSION].max
_FRAME: Final = 1
_MIGRATION: Final = 8
"""3.4-IV0: since then registrations say whether a broker comes from ZooKeeper."""


def encode_record(record: MetadataRecord, level: int = NEWEST) -> bytes:
    """A record's value as it stands in the metadata log of a cluster at this metadata.version."""
    if isinstance(record, r.Other):
        head = put_uvarint(_FRAME) + put_uvarint(record.key) + put_uvarint(record.version)
        return head + record.body
    versions = _WRITTEN[type(record)]
    choose = _CHOSEN.get(type(record))
    head, shape = versions[choose(record, level) if choose else -1]
    pieces: list[Buffer] = [head]
    writer_of(shape)(record, pieces.append)
    return b"".join(pieces)


def decode_record(value: Buffer) -> MetadataRecord:
    """Read a record's value; Corrupt for broken bytes and for versions newer than we know."""
    data = bytes(value)
    frame, offset = take_uvarint(data, 0)
    if frame != _FRAME:
        raise Corrupt(f"a metadata record has frame version {frame}, not {_FRAME}")
    key, offset = take_uvarint(data, offset)
    version, offset = take_uvarint(data, offset)
    versions = LAYOUTS.get(key)
    if versions is None:
        return r.Other(key=key, version=version, body=data[offset:])
    if version >= len(versions):
        raise Corrupt(
            f"metadata record {key} has version {version}; this node knows 0 to"
            f" {len(versions) - 1}. The cluster's metadata.version is newer than this node"
        )
    shape = versions[version]
    record: MetadataRecord
    record, end = read_all(shape, data, offset)
    if end != len(data):
        raise Corrupt(f"{shape.name}: {len(data) - end} bytes are left behind the record")
    if isinstance(record, r.Partition) and not record.directories:
        # Version 0 was written before directories had ids (KIP-858).
        return replace(record, directories=(MIGRATING,) * len(record.replicas))
    return record


def _registration_version(record: Any, level: int) -> int:
    if level >= CORDONED_DIRECTORIES:
        return 4
    if level >= DIRECTORY_ASSIGNMENT:
        return 3
    return 2 if level >= _MIGRATION else 1


def _partition_version(record: Any, level: int) -> int:
    if level >= ELIGIBLE_LEADER_REPLICAS:
        return 2
    return 1 if level >= DIRECTORY_ASSIGNMENT else 0


def _registration_change_version(record: Any, level: int) -> int:
    """The oldest version that can say it, as Apache Kafka does."""
    if record.cordoned_log_dirs is not None:
        return 3
    if record.log_dirs:
        return 2
    return 1 if record.in_controlled_shutdown else 0


LAYOUTS: Final[dict[int, tuple[Layout, ...]]] = {
    schema.key: tuple(
        layout(schema.name, version, schema.fields, cls=schema.cls, build=schema.build)
        for version in schema.versions
    )
    for schema in SCHEMAS
}

_WRITTEN: Final[dict[type[Any], tuple[tuple[bytes, Layout], ...]]] = {
    schema.cls: tuple(
        (b"".join(map(put_uvarint, (_FRAME, schema.key, version))), shape)
        for version, shape in enumerate(LAYOUTS[schema.key])
    )
    for schema in SCHEMAS
    if schema.cls is not None
}

_CHOSEN: Final[dict[type[Any], Callable[[Any, int], int]]] = {
    r.RegisterBroker: _registration_version,
    r.Partition: _partition_version,
    r.PartitionChange: _partition_version,
    r.BrokerRegistrationChange: _registration_change_version,
}
