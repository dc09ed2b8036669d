"""What Apache Kafka 4.3 wrote, read and written again: the bytes must be the same.

The vectors are files of a combined 4.3.0 node (metadata.version 30, dynamic quorum), and metadata
logs of the same release formatted for metadata.version 3.3-IV3 and 3.7-IV2 (static quorum).
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from spindle.model import metadata_records as r
from spindle.model.batches import EndTransactionMarker, Record, RecordBatch
from spindle.model.ids import UNASSIGNED
from spindle.wire import batch as codec
from spindle.wire import coordinator
from spindle.wire.batch import Compression
from spindle.wire.checkpoint import decode_checkpoint, encode_checkpoint
from spindle.wire.control import (
    ControlType,
    KRaftVersion,
    LeaderChange,
    Voters,
    control_record,
    control_type,
    decode_control,
)
from spindle.wire.metadata import decode_record, encode_record
from spindle.wire.quorum_state import QuorumState, decode_quorum_state, encode_quorum_state
from spindle.wire.record_codecs.metadata_log import WRITERS

VECTORS = Path(__file__).parent / "vectors" / "wire"
LOGS = sorted(p.name for p in VECTORS.iterdir() if p.suffix in (".log", ".checkpoint"))
METADATA = [n for n in LOGS if n.startswith(("metadata", "snapshot", "bootstrap", "first"))]
CHECKPOINTS = [n for n in LOGS if n.endswith(".checkpoint")]


def batches(name: str) -> list[RecordBatch]:
    found = codec.split((VECTORS / name).read_bytes())
    assert found
    for batch in found:
        codec.check(batch)
    return found


def rebuilt(batch: RecordBatch) -> bytes:
    built = codec.build(
        codec.records(batch), base_offset=batch.base_offset, leader_epoch=batch.leader_epoch,
        attributes=batch.attributes, producer_id=batch.producer_id,
        producer_epoch=batch.producer_epoch, base_sequence=batch.base_sequence,
    )  # fmt: skip
    return bytes(built.data)


def data_records(name: str) -> Iterator[Record]:
    for batch in batches(name):
        if not batch.is_control:
            yield from codec.records(batch)


@pytest.mark.parametrize("name", [n for n in LOGS if not n.startswith("records-")])
def test_batches_are_rebuilt_byte_for_byte(name: str) -> None:
    for batch in batches(name):
        assert rebuilt(batch) == batch.data


@pytest.mark.parametrize("name", [n for n in LOGS if n.startswith("records-")])
def test_records_of_all_compressions_are_read(name: str) -> None:
    """One batch of librdkafka, and one of Java's producer where there is compression."""
    expected = Compression[name[8:-4].upper()]
    found = batches(name)
    assert len(found) == (2 if expected else 1)
    assert {b.attributes for b in found} == {expected}
    for number, record in enumerate(codec.records(found[0])):
        assert record.key == b"key%d" % number
        assert record.value == (b"value %d " % number) * 12
        assert record.headers == ((("h1", b"v"), ("n", None)) if number % 3 == 0 else ())
    for number, record in enumerate(x for b in found[1:] for x in codec.records(b)):
        assert record.value == b"java %s %d " % (expected.name.lower().encode(), number + 1) + (
            b"a" * 45
        )
    for batch in found:
        again = codec.build(
            codec.records(batch), base_offset=batch.base_offset, compression=expected
        )
        assert list(codec.records(again)) == list(codec.records(batch))
        assert again.record_count == batch.record_count


@pytest.mark.parametrize("name", [n for n in METADATA if "4.3" in n])
def test_metadata_records_of_4_3_come_back(name: str) -> None:
    for record in data_records(name):
        assert record.value is not None
        assert encode_record(decode_record(record.value)) == record.value


@pytest.mark.parametrize("name", [n for n in METADATA if "4.3" not in n])
def test_older_metadata_records_are_read(name: str) -> None:
    """In the version they came in, they come back; in ours, they mean the same."""
    for record in data_records(name):
        assert record.value is not None
        value = decode_record(record.value)
        assert decode_record(encode_record(value)) == value
        key, version = record.value[1:3]
        pieces: list[bytes | bytearray | memoryview] = [record.value[:3]]
        of_key, writers = WRITERS[type(value)]
        assert of_key == key
        writers[version](value, pieces.append)  # type: ignore[arg-type]
        assert b"".join(pieces) == record.value


def test_the_vectors_hold_what_matters() -> None:
    """So that a newer set of vectors cannot quietly lose a record type."""
    seen: Counter[tuple[int, int]] = Counter()
    for name in METADATA:
        for record in data_records(name):
            assert record.value is not None
            seen[record.value[1], record.value[2]] += 1
    assert set(seen) >= {
        (0, 1), (0, 3), (0, 4), (2, 0), (3, 0), (3, 1), (3, 2), (4, 0), (5, 0), (5, 1), (5, 2),
        (9, 0), (11, 0), (12, 0), (15, 0), (17, 0), (17, 1), (17, 3), (20, 0), (23, 0), (24, 0),
        (27, 0), (28, 0),
    }  # fmt: skip


def test_meaning_of_a_metadata_log() -> None:
    values = [decode_record(record.value or b"") for record in data_records("metadata-4.3.log")]
    (registration,) = [v for v in values if isinstance(v, r.RegisterBroker)]
    assert registration.broker_id == 1
    assert len(registration.log_dirs) == 2
    assert dict(registration.features)["metadata.version"] == (7, 30)
    assert r.Topic in map(type, values)
    assert r.FeatureLevel(name="metadata.version", level=30) in values
    created = next(v for v in values if isinstance(v, r.PartitionRegistration))
    assert created.directories == (UNASSIGNED,)
    moved = [v for v in values if isinstance(v, r.PartitionChange) and v.directories]
    assert {d for v in moved for d in v.directories or ()} <= set(registration.log_dirs)
    assert values[0] == r.BeginTransaction(name="Bootstrap records")


def test_control_records_come_back() -> None:
    seen = set()
    for name in LOGS:
        for batch in batches(name):
            for record in codec.records(batch) if batch.is_control else ():
                value = decode_control(record)
                assert value is not None
                again = control_record(value, record.timestamp)
                assert (again.key, again.value) == (record.key, record.value)
                seen.add(control_type(record))
    assert seen == set(ControlType)


def test_meaning_of_control_records() -> None:
    first = next(iter(batches("metadata-4.3.log")))
    values = [decode_control(record) for record in codec.records(first)]
    assert values[0] == LeaderChange(1, (1,), (1,))
    header, version, voters = (
        decode_control(record) for record in codec.records(batches("first-4.3.checkpoint")[0])
    )
    assert version == KRaftVersion(1)
    assert isinstance(voters, Voters)
    assert voters.voters[0].endpoints[0].port == 39393
    markers = [
        decode_control(record)
        for batch in batches("transactions.log")
        if batch.is_control
        for record in codec.records(batch)
    ]
    assert markers == [EndTransactionMarker(True, 0), EndTransactionMarker(False, 0)]
    assert header is not None


def at_one_time(name: str) -> bytes:
    """A file's bytes, if all its batches had been written at time 0."""
    return b"".join(
        bytes(
            codec.build(
                [replace(record, timestamp=0) for record in codec.records(batch)],
                base_offset=batch.base_offset, leader_epoch=batch.leader_epoch,
                attributes=batch.attributes,
            ).data
        )
        for batch in batches(name)
    )  # fmt: skip


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_checkpoint_files_come_back(name: str) -> None:
    checkpoint = decode_checkpoint((VECTORS / name).read_bytes())
    version, voters = checkpoint.kraft_version, checkpoint.voters
    again = b"".join(
        encode_checkpoint(
            checkpoint.records, epoch=batches(name)[0].leader_epoch,
            last_timestamp=checkpoint.last_timestamp,
            quorum=(KRaftVersion(version), voters) if voters else (),
        )
    )  # fmt: skip
    assert decode_checkpoint(again) == checkpoint
    if "4.3" in name:
        assert again == at_one_time(name)


def test_group_records_come_back() -> None:
    kinds: Counter[tuple[int, int | None]] = Counter()
    for record in data_records("consumer-offsets-4.3.log"):
        assert record.key is not None
        (type_,) = struct.unpack_from(">h", record.key)
        kinds[type_, struct.unpack_from(">h", record.value)[0] if record.value else None] += 1
        value = coordinator.decode_coordinator_record(record.key, record.value)
        if isinstance(value, coordinator.OffsetCommit):
            key = value.key
            again = coordinator.encode_offset(key.group, key.topic, key.partition, value.value)
        elif value is not None:
            again = coordinator.encode_group(value.key.group, value.value)
        else:
            assert type_ >= 3
            continue
        assert again == (record.key, record.value)
    assert set(kinds) >= {(1, 4), (1, None), (2, 3), (2, None), (3, 0), (8, None)}


def test_meaning_of_group_records() -> None:
    found = [
        coordinator.decode_coordinator_record(record.key or b"", record.value)
        for record in data_records("consumer-offsets-4.3.log")
    ]
    groups = [v.value for v in found if isinstance(v, coordinator.GroupMetadata) and v.value]
    static = [m for g in groups for m in g.members if m.instance_id == "inst-1"]
    assert static[0].client_id == "cl"
    assert "consumer" in {g.protocol_type for g in groups}
    offsets = [v for v in found if isinstance(v, coordinator.OffsetCommit) and v.value]
    assert {v.key.group for v in offsets} >= {"classic", "static", "simple", "newgen", "txgroup"}
    with_ids = {v.key.group for v in offsets if v.value and v.value.topic_id}
    assert with_ids
    assert with_ids < {v.key.group for v in offsets}


def test_quorum_state_files_come_back() -> None:
    static = (VECTORS / "quorum-state-0").read_bytes()
    assert decode_quorum_state(static) == QuorumState(1, 1, -1, voters=(1,))
    assert encode_quorum_state(1, 1, -1, (1,)) == static
    dynamic = (VECTORS / "quorum-state-1").read_bytes()
    assert decode_quorum_state(dynamic) == QuorumState(1, 1, -1)
    assert encode_quorum_state(1, 1, kraft_version=1) == dynamic
