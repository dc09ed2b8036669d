"""Segments in the message formats 0 and 1, alone and followed by format 2: read, damage shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.pipeline.made_logs import NOON, Row, content, errors, good, read, some_batches
from tests.support.old_logs import message, packed

from spindle.storage import layout
from spindle.wire.batch import records
from spindle.wire.compression import Compression

CODECS = (Compression.NONE, Compression.GZIP, Compression.SNAPPY, Compression.LZ4)
Record = tuple[int, int | None, bytes | None, bytes | None, object]


def some_messages(magic: int, first: int) -> tuple[list[bytes], list[Record]]:
    """Stored messages of every codec, and what they hold."""
    stored: list[bytes] = []
    held: list[Record] = []
    for codec in CODECS:
        offsets = list(range(first, first + 3))
        moments = [NOON + offset if magic else None for offset in offsets]
        inner = [
            message(magic, offset, b"key" if n else None, b"v" * n * 40, moment or -1)
            for n, (offset, moment) in enumerate(zip(offsets, moments, strict=True))
        ]
        if codec:
            stored.append(packed(magic, offsets, inner, codec, NOON))
        else:
            stored += inner
        held += [
            (offset, moment, b"key" if n else None, b"v" * n * 40, ())
            for n, (offset, moment) in enumerate(zip(offsets, moments, strict=True))
        ]
        first += 3
    return stored, held


def put(disk: Path, parts: list[bytes], base: int = 0) -> Path:
    folder = disk / "old-0"
    folder.mkdir(exist_ok=True)
    path = folder / layout.segment_file(base)
    path.write_bytes(b"".join(parts))
    return path


def records_of(rows: list[Row]) -> list[Record]:
    """Records as `some_messages` has them: without a time where the format has none."""
    return [(o, None if t == -1 else t, k, v, h) for o, t, k, v, h in map(content, rows)]


@pytest.mark.spec("V-03")
def test_one_log_in_all_formats(tmp_path: Path) -> None:
    zero, held_0 = some_messages(0, 0)
    one, held_1 = some_messages(1, 12)
    two = some_batches(5, 20, first=24)
    put(tmp_path, [*zero, *one, *(bytes(b.data) for b in two)])
    rows = read(tmp_path)
    assert errors(rows) == []
    assert records_of(rows)[:24] == held_0 + held_1
    assert [r["offset"] for r in rows[24:]] == [r.offset for b in two for r in records(b)]
    old = read(tmp_path, "batches")[: 2 * 6]
    assert [(r["base_offset"], r["last_offset"], r["records"]) for r in old[:6]] == [
        (0, 0, 1), (1, 1, 1), (2, 2, 1), (3, 5, 3), (6, 8, 3), (9, 11, 3),
    ]  # fmt: skip
    assert [r["size"] for r in old] == [len(part) for part in (*zero, *one)]
    assert [r["compression"] for r in old[2:6]] == ["none", "gzip", "snappy", "lz4"]
    assert {(r["producer_id"], r["sequence"]) for r in old} == {(None, None)}
    assert {r["leader_epoch"] for r in old} == {-1}


@pytest.mark.spec("V-03")
@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("number", [1, 3, 5])
def test_a_damaged_message_takes_its_own_offsets_only(
    tmp_path: Path, magic: int, number: int
) -> None:
    stored, held = some_messages(magic, 0)
    after = some_batches(6, 2, first=12)
    hurt = bytearray(stored[number])
    hurt[-1] ^= 1
    whole = [*stored[:number], bytes(hurt), *stored[number + 1 :]]
    put(tmp_path, [*whole, *(bytes(b.data) for b in after)])
    rows = read(tmp_path)
    (damage,) = [row for row in rows if row["error"]]
    gone = [1] if number == 1 else list(range(3 * (number - 2), 3 * (number - 2) + 3))
    (batch,) = [row for row in read(tmp_path, "batches") if row["error"]]
    assert (batch["base_offset"], batch["last_offset"]) == (gone[0], gone[-1])
    assert damage["error"] == "the CRC is wrong"
    assert damage["position"] == sum(map(len, stored[:number]))
    old = [r for r in records_of(good(rows)) if r[0] < 12]
    assert old == [record for record in held if record[0] not in gone]


def test_garbage_before_a_small_message_and_a_torn_end(tmp_path: Path) -> None:
    small = message(0, 7, None, b"s")
    put(tmp_path, [message(0, 6, None, b"a"), b"\xff" * 33, small, small[:20]])
    rows = read(tmp_path)
    assert [row["offset"] for row in good(rows)] == [6, 7]
    first, torn = (row["error"] for row in errors(rows))
    assert first == "no batch begins here"
    assert torn.startswith("the log's end is torn")


def test_offsets_that_go_back_are_reported(tmp_path: Path) -> None:
    put(tmp_path, [message(1, n, None, b"v") for n in (4, 5, 5, 6)])
    rows = read(tmp_path)
    assert [row["offset"] for row in good(rows)] == [4, 5, 6]
    assert [row["error"] for row in errors(rows)] == ["offset 5 follows 5"]
