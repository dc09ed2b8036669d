"""What the demo tells of a record that stands twice: where, and in which epochs."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

pytest.importorskip("confluent_kafka")

from spindle.cli.demo.demo_load import Events
from spindle.cli.demo.evidence import evidence
from spindle.model.batches import Record
from spindle.wire.batch import build, stamped


def value(sequence: int) -> bytes:
    return struct.pack(">iqd", 1, sequence, 0.0)


def events(*places: tuple[int, int]) -> Events:
    """Records of producer 1 by (offset, sequence)."""
    seen = Events()
    for offset, sequence in places:
        seen.add("orders", 3, offset, value(sequence))
    return seen


def written(path: Path, *batches: tuple[int, int, int]) -> None:
    """A log with a batch of one record for each (offset, epoch, sequence)."""
    data = b""
    for offset, epoch, sequence in batches:
        batch = build(
            [Record(0, 0, None, value(7))],
            producer_id=40, producer_epoch=epoch, base_sequence=sequence,
        )  # fmt: skip
        batch.base_offset = offset
        data += b"".join(map(bytes, stamped(batch)))
    path.parent.mkdir(parents=True)
    path.write_bytes(data)


def test_a_doubled_record_is_shown_with_its_batches_and_the_nodes_words(tmp_path: Path) -> None:
    written(tmp_path / "node-1/disk-1/orders-3/00000000000000000000.log", (0, 0, 7), (1, 1, 0))
    written(tmp_path / "node-1/disk-1/orders-31/00000000000000000000.log", (0, 0, 9))
    (tmp_path / "node-1/node.log").write_text("a\nmove is done partition=orders-3\nx orders-31\n")
    lines = evidence(events((1, 7)), events((0, 7), (1, 7)), tmp_path)
    assert lines[0] == (
        "record 7 of producer 1: acknowledged at orders-3 1, read at orders-3 0, orders-3 1"
    )
    assert [line.partition("producer ")[2] for line in lines[1:3]] == [
        "40, epoch 0, sequence 7",
        "40, epoch 1, sequence 0",
    ]
    assert lines[3:] == ["  node-1: move is done partition=orders-3"]


def test_what_is_well_is_not_shown(tmp_path: Path) -> None:
    assert evidence(events((0, 1), (1, 2)), events((0, 1), (1, 2), (2, 3)), tmp_path) == []
    unplaced = events((0, 1))
    unplaced.offset[0] = None  # type: ignore[call-overload]
    assert evidence(unplaced, events((4, 1)), tmp_path) == []


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    path = tmp_path / "node-1/disk-1/orders-3/00000000000000000000.log"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\xff" * 100)
    lines = evidence(events((0, 1)), events(), tmp_path)
    assert lines[0].endswith("read at no place")
    assert str(path) in lines[1]
