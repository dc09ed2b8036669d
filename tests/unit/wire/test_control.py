"""Control records and the quorum-state file."""

from __future__ import annotations

import uuid

import pytest

from spindle.model.batches import CONTROL, EndTransactionMarker, Record
from spindle.model.errors import Corrupt
from spindle.model.ids import ZERO_ID, Endpoint, VersionRange, id_to_text
from spindle.wire import batch as codec
from spindle.wire import control
from spindle.wire.control import (
    Control,
    KRaftVersion,
    LeaderChange,
    SnapshotFooter,
    SnapshotHeader,
    Voter,
    Voters,
    control_record,
    decode_control,
)
from spindle.wire.quorum_state import QuorumState, decode_quorum_state, encode_quorum_state

SOME_ID = uuid.UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8")
VALUES: list[Control] = [
    LeaderChange(3, (1, 2, 3), (3, 1)),
    SnapshotHeader(1234),
    SnapshotFooter(),
    KRaftVersion(1),
    Voters(
        (
            Voter(1, SOME_ID, (Endpoint("CONTROLLER", "h", 9093),), VersionRange(0, 1)),
            Voter(2, ZERO_ID, (), VersionRange(0, 0)),
        )
    ),
    EndTransactionMarker(True, 5),
    EndTransactionMarker(False, -1),
]


@pytest.mark.parametrize("value", VALUES)
def test_control_values_come_back(value: Control) -> None:
    batch = codec.build([control_record(value, 99)], base_offset=40, attributes=CONTROL)
    assert batch.is_control
    (record,) = codec.records(batch)
    assert (record.offset, record.timestamp) == (40, 99)
    assert decode_control(record) == value


def test_bytes_of_a_leader_change() -> None:
    record = control.leader_change(1, [1], [1], 7)
    assert record.key == b"\0\0\0\2"
    assert record.value == b"\0\0\0\0\0\1\2\0\0\0\1\0\2\0\0\0\1\0\0"


def test_leader_change_of_version_1_has_directories() -> None:
    voter = b"\0\0\0\1" + SOME_ID.bytes + b"\0"
    value = b"\0\1\0\0\0\1\2" + voter + b"\1\0"
    assert decode_control(Record(0, 0, b"\0\0\0\2", value)) == LeaderChange(1, (1,), ())


def test_snapshot_records() -> None:
    assert decode_control(control.snapshot_header(5)) == SnapshotHeader(5)
    assert control.snapshot_header(5).timestamp == 5
    assert control.snapshot_header(5, 9).timestamp == 9
    assert decode_control(control.snapshot_footer(9)) == SnapshotFooter()


def test_newer_control_types_are_skipped() -> None:
    assert decode_control(Record(0, 0, b"\0\0\0\x63", b"\0\0")) is None
    assert decode_control(Record(0, 0, b"\0\0\0\4", b"\0\x07\0")) == SnapshotFooter()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (None, b"\0\0"),
        (b"\0\0", b""),
        (b"\0\0\0\2", None),
        (b"\0\0\0\2", b"\0"),
        (b"\0\0\0\2", b"\0\0\0\0"),
        (b"\0\0\0\1", b"\0\0\0"),
        (b"\0\0\0\2", b"\xff\xff"),
    ],
)
def test_broken_control_records_are_corrupt(key: bytes | None, value: bytes | None) -> None:
    with pytest.raises(Corrupt):
        decode_control(Record(0, 0, key, value))


def test_quorum_state_of_static_voters() -> None:
    text = (
        b'{"clusterId":"","leaderId":1,"leaderEpoch":4,"votedId":-1,"appliedOffset":0,'
        b'"currentVoters":[{"voterId":1},{"voterId":2}],"data_version":0}'
    )
    assert encode_quorum_state(4, 1, -1, (1, 2)) == text
    assert decode_quorum_state(text) == QuorumState(4, 1, -1, ZERO_ID, (1, 2))


def test_quorum_state_of_dynamic_voters() -> None:
    data = encode_quorum_state(4, -1, 2, kraft_version=1, voted_directory=SOME_ID)
    assert id_to_text(SOME_ID).encode() in data
    assert decode_quorum_state(data) == QuorumState(4, -1, 2, SOME_ID)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b'{"leaderId":Infinity,"leaderEpoch":1,"votedId":1,"currentVoters":[],"data_version":0}',
        b"[]",
        b"{}",
        b"3",
        b"\xff",
        b'{"data_version":2}',
        b"[" * 100_000,
        b'{"leaderId":"x","leaderEpoch":1,"votedId":1,"currentVoters":[],"data_version":0}',
        b'{"leaderId":1,"leaderEpoch":1,"votedId":1,"currentVoters":[3],"data_version":0}',
        b'{"leaderId":1,"leaderEpoch":1,"votedId":1,"votedDirectoryId":"x","data_version":1}',
    ],
)
def test_broken_quorum_state_is_corrupt(data: bytes) -> None:
    with pytest.raises(Corrupt, match="quorum-state"):
        decode_quorum_state(data)
