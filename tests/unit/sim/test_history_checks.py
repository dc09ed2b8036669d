"""The simulation's judges of order, sequences, compression and static members can fail."""

from __future__ import annotations

import uuid

import pytest

from spindle.model.batches import Record, RecordBatch
from spindle.model.ids import PartitionId
from spindle.model.log_values import LogKey
from spindle.sim.group_history import GroupHistory, Membership
from spindle.sim.log_checks import check_order, check_packing, check_sequences
from spindle.sim.told_history import History
from spindle.sim.violation import Violation
from spindle.wire.batch import build
from spindle.wire.compression import Compression

KEY = LogKey("topic", 0)
ID = PartitionId(uuid.UUID(int=7), 0)


def batch(
    offset: int, sequence: int, epoch: int = 0, codec: Compression = Compression.NONE
) -> RecordBatch:
    """Two records of one producer."""
    made = [Record(offset + n, 1, None, b"v") for n in range(2)]
    return build(
        made, base_offset=offset, compression=codec,
        producer_id=1, producer_epoch=epoch, base_sequence=sequence,
    )  # fmt: skip


def test_records_that_stand_in_another_order_than_they_were_sent_are_seen() -> None:
    history = History()
    for value in (b"1", b"2", b"3"):
        history.on_sent(ID, value, "one")
    history.on_sent(ID, b"4", "another")
    check_order(KEY, {0: b"4", 1: b"1", 2: b"2", 3: b"1", 4: b"3"}, history)
    with pytest.raises(Violation, match="stands behind it"):
        check_order(KEY, {0: b"1", 1: b"3", 2: b"2"}, history)


def test_gaps_and_repetitions_of_sequences_are_seen() -> None:
    check_sequences(KEY, [batch(0, 0), batch(2, 2), batch(4, 0, epoch=1)], is_whole=True)
    check_sequences(KEY, [batch(8, 6), batch(10, 8)], is_whole=False)
    for wrong in (
        [batch(0, 0), batch(2, 4)],
        [batch(0, 0), batch(2, 0)],
        [batch(0, 2)],
        [batch(0, 0), batch(2, 2, epoch=1)],
        [batch(0, 0, epoch=1), batch(2, 0)],
    ):
        with pytest.raises(Violation, match="was due"):
            check_sequences(KEY, wrong, is_whole=True)


def test_a_compression_that_the_topic_never_had_is_seen() -> None:
    history = History()
    written = [batch(0, 0, codec=Compression.LZ4)]
    check_packing(KEY, written, history)
    history.on_packing("topic", "gzip")
    with pytest.raises(Violation, match="compressed with LZ4"):
        check_packing(KEY, written, history)
    for allowed in ("lz4", "producer"):
        history.on_packing("topic", allowed)
        check_packing(KEY, written, history)


def pair() -> tuple[GroupHistory, Membership, Membership]:
    """Two clients of one instance; the younger one asked when the older one had its id."""
    groups = GroupHistory()
    older, younger = (Membership("g", 1, name, "instance") for name in ("older", "younger"))
    groups.on_joined(older, 1.0, 2.0, ["instance"])
    groups.on_assigned(older, [ID], 3.0)
    groups.on_joined(younger, 4.0, 5.0, ["instance"])
    groups.on_assigned(younger, [ID], 6.0)
    return groups, older, younger


def test_a_client_that_is_heard_in_the_place_of_a_younger_one_is_seen() -> None:
    groups, older, younger = pair()
    groups.check_place(older, 5.5, "a heartbeat")
    groups.check_place(younger, 7.0, "a heartbeat")
    with pytest.raises(Violation, match="has the place of instance"):
        groups.check_place(older, 6.5, "a heartbeat")


def test_an_offset_that_a_fenced_client_commits_is_seen() -> None:
    groups, older, younger = pair()
    groups.on_committed(younger, groups.begin("g", ID, 5, 7.0), 7.5)
    with pytest.raises(Violation, match="has the place of instance"):
        groups.on_committed(older, groups.begin("g", ID, 6, 7.0), 7.5)


def test_two_members_of_one_instance_are_seen() -> None:
    who, groups = Membership("g", 1, "a", "one"), GroupHistory()
    groups.on_joined(who, 0.0, 1.0, ["one", None, None, "two"])
    with pytest.raises(Violation, match="two members for one instance"):
        groups.on_joined(who, 0.0, 1.0, ["one", "one"])
