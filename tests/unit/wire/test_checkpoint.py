"""Checkpoint files: written, read, and refused when they are not whole."""

from __future__ import annotations

import uuid

import pytest

from spindle.model import metadata_records as r
from spindle.model.batches import Record
from spindle.model.errors import Corrupt
from spindle.model.ids import Endpoint, VersionRange
from spindle.wire import batch as codec
from spindle.wire.checkpoint import Checkpoint, decode_checkpoint, encode_checkpoint
from spindle.wire.control import KRaftVersion, Voter, Voters

RECORDS: tuple[r.MetadataRecord, ...] = (
    r.FeatureLevel(name="metadata.version", level=30),
    *(r.Topic(name=f"t{i}", topic_id=uuid.UUID(int=1000 + i)) for i in range(2500)),
)


def test_a_checkpoint_comes_back() -> None:
    parts = list(encode_checkpoint(RECORDS, epoch=7, last_timestamp=55, timestamp=66))
    batches = codec.split(b"".join(parts))
    assert [b.is_control for b in batches] == [True, False, False, False, True]
    assert [b.base_offset for b in batches] == [0, 1, 1001, 2001, 2502]
    assert {b.leader_epoch for b in batches} == {7}
    assert {b.max_timestamp for b in batches} == {66}
    assert decode_checkpoint(b"".join(parts)) == Checkpoint(55, RECORDS)


def test_the_quorum_goes_behind_the_header() -> None:
    voters = Voters((Voter(1, uuid.UUID(int=500), (Endpoint("C", "h", 1),), VersionRange(0, 1)),))
    data = b"".join(encode_checkpoint((), quorum=(KRaftVersion(1), voters)))
    assert [b.record_count for b in codec.split(data)] == [3, 1]
    assert decode_checkpoint(data) == Checkpoint(0, (), 1, voters)


def test_unfinished_or_mixed_up_files_are_corrupt() -> None:
    head, body, foot = encode_checkpoint(RECORDS[:3])
    for data in (b"", head, head + body, body + foot, foot, head + body + foot + body, body + head):
        with pytest.raises(Corrupt, match="checkpoint"):
            decode_checkpoint(data)
    with pytest.raises(Corrupt):
        decode_checkpoint(head + body + foot[:-1])
    broken = bytearray(head + body + foot)
    broken[len(head) + 70] ^= 1
    with pytest.raises(Corrupt, match="CRC"):
        decode_checkpoint(broken)


def test_a_record_without_value_is_corrupt() -> None:
    head, _, foot = encode_checkpoint(RECORDS[:1])
    empty = codec.build([Record(codec.NEXT, 0, None, None)], base_offset=1).data
    with pytest.raises(Corrupt, match="out of place"):
        decode_checkpoint(head + bytes(empty) + foot)
