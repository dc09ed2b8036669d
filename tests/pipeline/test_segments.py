"""Log files read without a broker: every record as it was written, every damage reported."""

from __future__ import annotations

import errno
import os
import random
import struct
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import functions as F
from pyspark.sql.datasource import EqualTo, Filter, GreaterThanOrEqual, In, LessThan
from tests.pipeline.conftest import Desk
from tests.pipeline.made_logs import (
    NOON,
    Row,
    content,
    errors,
    good,
    read,
    some_batches,
    write,
    write_index,
)
from tests.support.waiting import eventually

from spindle.cli.demo.demo_load import DemoLoad
from spindle.client.results import NewTopic
from spindle.model.batches import CONTROL, TRANSACTIONAL, Record, RecordBatch
from spindle.model.errors import Unusable
from spindle.pipeline.segments import failing_file
from spindle.pipeline.segments.finding import SegmentFilter, find
from spindle.pipeline.segments.source import PushingLogs, PushingReader, register
from spindle.pipeline.session import Session
from spindle.wire.batch import NEXT, build, records


def written(batches: Sequence[RecordBatch]) -> list[tuple[Any, ...]]:
    return [(r.offset, r.timestamp, r.key, r.value, r.headers) for b in batches for r in records(b)]


@pytest.mark.spec("P-09")
@pytest.mark.parametrize("seed", range(4))
def test_every_record_of_every_codec_comes_back(tmp_path: Path, seed: int) -> None:
    batches = some_batches(seed, 300)
    write(tmp_path, "t-0", batches)
    rows = read(tmp_path)
    assert [content(row) for row in rows] == written(batches)
    assert {row["compression"] for row in rows} == {"none", "gzip", "snappy", "lz4", "zstd"}
    first = batches[0]
    known = first.producer_id >= 0
    assert rows[0]["sequence"] == first.base_sequence
    assert rows[0]["producer_id"] == (7 if known else None)
    assert {r["leader_epoch"] for r in rows} == {3}
    headers = read(tmp_path, "batches")
    told = [(r["base_offset"], r["last_offset"], r["records"], r["size"]) for r in headers]
    assert told == [(b.base_offset, b.last_offset, b.record_count, b.size) for b in batches]
    assert read(tmp_path, "batches", check=False) == headers


@pytest.mark.spec("P-09")
@pytest.mark.parametrize("seed", range(12))
def test_damage_costs_only_what_it_tells(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    batches = some_batches(seed, 120)
    segment = write(tmp_path, "t-0", batches)
    raw = bytearray(segment.read_bytes())
    for _ in range(rng.choice([1, 5, 25])):
        at, size = rng.randrange(len(raw)), rng.choice([1, 1, 60, 4096])
        raw[at : at + size] = rng.randbytes(len(raw[at : at + size]))
    del raw[rng.choice([len(raw), len(raw) - 100]) :]
    segment.write_bytes(raw)
    os.utime(segment, (1, 1))
    rows = read(tmp_path)
    expected = {row[0]: row for row in written(batches)}
    read_well = {row["offset"]: content(row) for row in good(rows)}
    # The first 16 bytes of a batch have no CRC: leader epochs may be wrong, records may not.
    assert all(expected[offset] == row for offset, row in read_well.items())
    told: set[int] = set()
    for damage in errors(read(tmp_path, "batches")):
        assert damage["size"] > 0
        if damage["base_offset"] is not None:
            last = damage["last_offset"]
            end = batches[-1].next_offset if last is None else last + 1
            told |= set(range(damage["base_offset"], end))
    lost = set(expected) - set(read_well)
    assert lost <= told
    assert len(errors(rows)) == len(errors(read(tmp_path, "batches")))


def test_a_lying_base_offset_takes_nothing_else_along(tmp_path: Path) -> None:
    batches = some_batches(1, 50)
    for lie in (10**6, 0):
        segment = write(tmp_path, "t-0", batches)
        raw = bytearray(segment.read_bytes())
        struct.pack_into(">q", raw, sum(b.size for b in batches[:20]), lie)
        segment.write_bytes(raw)
        rows = read(tmp_path)
        missing = {r.offset for r in records(batches[20])}
        everything = {row[0] for row in written(batches)}
        assert {row["offset"] for row in good(rows)} == everything - missing
        (damage,) = errors(rows)
        assert "base offset" in damage["error"]


def test_a_compacted_log_has_gaps_and_no_damage(tmp_path: Path) -> None:
    kept = [b for n, b in enumerate(some_batches(2, 90)) if n % 3]
    empty = build([], base_offset=10**6, last_offset_delta=4, producer_id=7)
    write(tmp_path, "t-0", [*kept, empty], base=0)
    assert [content(row) for row in read(tmp_path)] == written(kept)
    last = read(tmp_path, "batches")[-1]
    assert (last["records"], last["base_offset"], last["last_offset"]) == (0, 10**6, 10**6 + 4)


@pytest.mark.spec("P-09")
def test_an_index_cuts_a_segment_where_batches_begin(tmp_path: Path) -> None:
    batches = some_batches(3, 400)
    segment = write(tmp_path, "t-0", batches)
    write(tmp_path, "t-0", some_batches(4, 5, first=batches[-1].next_offset))
    whole = read(tmp_path)
    write_index(segment, batches, 7, room=8000)
    found = find([str(tmp_path)], SegmentFilter(), 20_000)
    assert len(found.parts) > 10
    assert max(part.size for part in found.parts) < segment.stat().st_size / 3
    assert read(tmp_path, split=20_000) == whole
    lies = [struct.pack(">ii", n, 40 * n) for n in range(1, 200)]
    segment.with_suffix(".index").write_bytes(b"".join(lies))
    assert read(tmp_path, split=20_000) == whole, "an index that lies is not believed"


@pytest.mark.spec("P-09")
def test_bounds_leave_out_what_need_not_be_read(tmp_path: Path) -> None:
    batches = some_batches(5, 400)
    segment = write(tmp_path, "t-0", batches)
    write_index(segment, batches, 5)
    write(tmp_path, "t-1", some_batches(6, 3))
    write(tmp_path, "u-0", some_batches(7, 3))
    every = [row for row in read(tmp_path) if (row["topic"], row["partition"]) == ("t", 0)]
    only: dict[str, Any] = {"topics": frozenset({"t"}), "partitions": frozenset({0})}
    middle, position = (every[len(every) // 2][name] for name in ("offset", "position"))
    rows = read(tmp_path, **only, first_offset=middle, end_offset=middle + 5)
    assert [row["offset"] for row in rows] == list(range(middle, middle + 5))
    parts = find([str(tmp_path)], SegmentFilter(**only, first_offset=middle), 1 << 30).parts
    assert sum(part.size for part in parts) < segment.stat().st_size - 0.8 * position
    moment = NOON + 200_000
    later = read(tmp_path, **only, first_time=moment, end_time=moment + 3000)
    times = [content(row)[1] for row in every]
    assert len(later) == sum(moment <= t < moment + 3000 for t in times) > 0


def test_filters_become_bounds(tmp_path: Path) -> None:
    write(tmp_path, "t-0", some_batches(1, 3))
    source = PushingLogs({"path": str(tmp_path)})
    reader = source.reader(source.schema())
    assert isinstance(reader, PushingReader)
    moment = datetime.fromtimestamp(NOON / 1000, UTC)
    filters: list[Filter] = [
        EqualTo(("topic",), "t"), In(("partition",), (0, 1)), GreaterThanOrEqual(("offset",), 4),
        LessThan(("offset",), 9), GreaterThanOrEqual(("timestamp",), moment),
    ]  # fmt: skip
    assert list(reader.pushFilters(filters)) == filters, "Spark looks at all of them again"
    assert reader._pruned() == SegmentFilter(
        topics=frozenset({"t"}), partitions=frozenset({0, 1}), first_offset=4, end_offset=10,
        first_time=NOON,
    )  # fmt: skip
    list(reader.pushFilters([EqualTo(("topic",), "u")]))
    assert reader.partitions() == []


def test_other_kinds_of_logs_are_read_when_asked_for(tmp_path: Path) -> None:
    unique = "0123456789abcdef0123456789abcdef"
    for seed, name in enumerate(
        ("t-0", f"t-1.{unique}-future", f"t-2.{unique}-delete", f"a.b-3.{unique}-stray")
    ):
        write(tmp_path, name, some_batches(seed, 2))
    (tmp_path / "lost+found").mkdir()
    assert {(r["topic"], r["partition"], r["kind"]) for r in read(tmp_path)} == {
        ("t", 0, "current")
    }
    kinds = frozenset({"current", "future", "delete", "stray"})
    rows = read(tmp_path, kinds=kinds)
    assert {(r["topic"], r["partition"], r["kind"]) for r in rows} == {
        ("t", 0, "current"), ("t", 1, "future"), ("t", 2, "delete"), ("a.b", 3, "stray"),
    }  # fmt: skip
    assert read(tmp_path / "t-0") == read(tmp_path, partitions=frozenset({0}))
    with pytest.raises(Unusable, match="no log directory"):
        read(tmp_path / "nowhere")


def test_transactions_are_marked(tmp_path: Path) -> None:
    def batch(base: int, pid: int, flags: int = TRANSACTIONAL, count: int = 2) -> RecordBatch:
        some = [Record(NEXT, NOON, None, b"v") for _ in range(count)]
        return build(some, base_offset=base, attributes=flags, producer_id=pid, base_sequence=base)

    segment = write(
        tmp_path, "t-0",
        [batch(0, 1), batch(2, 2), batch(4, -1, 0), batch(6, 1, TRANSACTIONAL | CONTROL, 1),
         batch(7, 1), batch(9, 2, TRANSACTIONAL | CONTROL, 1)],
    )  # fmt: skip
    segment.with_suffix(".txnindex").write_bytes(struct.pack(">hqqqq", 0, 1, 0, 6, 7))
    rows = read(tmp_path)
    assert [r["offset"] for r in rows if r["is_aborted"]] == [0, 1]
    assert [r["offset"] for r in rows if r["is_control"]] == [6, 9]
    assert [r["offset"] for r in rows if not r["is_transactional"]] == [4, 5]
    assert [r["base_offset"] for r in read(tmp_path, "batches") if r["is_aborted"]] == [0]


def test_right_crcs_over_nonsense_are_damage(tmp_path: Path) -> None:
    batches = some_batches(8, 4)
    nonsense = build([Record(NEXT, NOON, b"k", b"v")], base_offset=batches[-1].next_offset)
    raw = bytearray(nonsense.data)
    raw[61 + 4] = 60  # The key claims more than there is.
    from crc32c import crc32c

    struct.pack_into(">I", raw, 17, crc32c(bytes(raw[21:])))
    after = some_batches(9, 2, first=nonsense.next_offset)
    segment = write(tmp_path, "t-0", batches)
    with segment.open("ab") as file:
        file.write(raw + b"".join(bytes(b.data) for b in after))
    rows = read(tmp_path)
    assert [content(row) for row in good(rows)] == written([*batches, *after])
    (damage,) = errors(rows)
    assert damage["offset"] == nonsense.base_offset
    assert damage["size"] == nonsense.size


def test_what_is_allocated_ahead_or_being_written_is_no_damage(tmp_path: Path) -> None:
    batches = some_batches(10, 30)
    segment = write(tmp_path, "t-0", batches)
    whole = segment.read_bytes()
    segment.write_bytes(whole + bytes(100_000))
    assert [content(row) for row in read(tmp_path)] == written(batches)

    segment.write_bytes(whole[:-10])
    part = find([str(tmp_path)], SegmentFilter(), 1 << 30)
    writer = threading.Timer(0.2, lambda: segment.write_bytes(whole))
    writer.start()
    try:
        rows = read(tmp_path)
    finally:
        writer.join()
    assert part.parts[0].size < len(whole)
    assert [content(row) for row in rows] == written(batches[:-1])

    segment.write_bytes(whole[:-10])
    os.utime(segment, (1, 1))
    (damage,) = errors(read(tmp_path, "batches"))
    assert "torn" in damage["error"]
    assert damage["base_offset"] == batches[-1].base_offset


@pytest.mark.spec("P-09")
def test_a_disk_that_fails_in_places_gives_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches = some_batches(11, 3000)
    segment = write(tmp_path, "t-0", batches)
    bad = range(200_000, 200_000 + 3 * failing_file.BLOCK)
    real = os.pread

    def failing(fd: int, size: int, position: int) -> bytes:
        if os.readlink(f"/proc/self/fd/{fd}") == str(segment) and (
            position < bad.stop and position + size > bad.start
        ):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(fd, size, position)

    monkeypatch.setattr(os, "pread", failing)
    rows = read(tmp_path)
    damages = errors(rows)
    assert damages
    assert all("Input/output error" in damage["error"] for damage in damages)
    hit, position = set(), 0
    for batch in batches:
        # Nothing smaller than a block can be seen of a disk.
        if position < bad.stop + failing_file.BLOCK and position + batch.size > bad.start - 4096:
            hit |= {r.offset for r in records(batch)}
        position += batch.size
    expected = {row[0]: row for row in written(batches)}
    found = {row["offset"]: content(row) for row in good(rows)}
    assert all(expected[offset] == row for offset, row in found.items())
    assert set(expected) - set(found) <= hit


def test_a_disk_that_fails_altogether_is_one_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "good", "t-0", some_batches(1, 2))
    write(tmp_path / "dead", "t-1", some_batches(1, 2))
    real = os.scandir

    def failing(path: str) -> Any:
        if str(path).endswith("dead"):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(path)

    monkeypatch.setattr(os, "scandir", failing)
    found = find([str(tmp_path / "*")], SegmentFilter(), 1 << 30)
    assert [part.log.topic for part in found.parts] == ["t"]
    (trouble,) = found.troubles
    assert trouble.disk.endswith("dead")
    assert "Input/output error" in trouble.error
    (row,) = errors(read(tmp_path / "*"))
    assert row["topic"] is None


def test_segments_that_change_meanwhile_are_reported(tmp_path: Path) -> None:
    from spindle.pipeline.schemas import LOG_RECORD, arrow
    from spindle.pipeline.segments.rows import Table
    from spindle.pipeline.segments.scanning import Scanner

    segment = write(tmp_path, "t-0", some_batches(1, 2))
    parts = find([str(tmp_path)], SegmentFilter(), 1 << 30).parts
    fresh = tmp_path / "fresh"
    fresh.write_bytes(segment.read_bytes())
    fresh.rename(segment)
    scanner = Scanner(Table(arrow(LOG_RECORD), SegmentFilter()), "records", True)
    (batch,) = scanner.scan(parts)
    assert "replaced" in batch.to_pylist()[0]["error"]
    segment.unlink()
    (batch,) = scanner.scan(parts)
    assert "deleted or moved" in batch.to_pylist()[0]["error"]


@pytest.mark.spec("P-09", "N-06")
def test_segments_that_a_broker_deletes_meanwhile_in_its_usual_course_are_no_damage(
    tmp_path: Path,
) -> None:
    from spindle.pipeline.schemas import LOG_RECORD, arrow
    from spindle.pipeline.segments.rows import Table
    from spindle.pipeline.segments.scanning import Scanner

    batches = some_batches(1, 6)
    first, middle, last = (write(tmp_path, "t-0", batches[n : n + 2]) for n in (0, 2, 4))
    unwanted = write(tmp_path, f"t-1.{'0a' * 16}-delete", batches)
    wanted = SegmentFilter(kinds=frozenset({"current", "delete"}))
    parts = find([str(tmp_path)], wanted, 1 << 30).parts
    assert len(parts) == 4
    scanner = Scanner(Table(arrow(LOG_RECORD), wanted), "records", True)
    for path in (first, unwanted):
        path.unlink()

    def scanned() -> list[Row]:
        return [row for batch in scanner.scan(parts) for row in batch.to_pylist()]

    assert errors(scanned()) == []
    assert good(scanned()) == read(tmp_path, kinds=wanted.kinds)
    last.unlink()
    assert len(errors(scanned())) == 1, "retention takes the oldest"
    middle.unlink()
    assert len(errors(scanned())) == 3, "a log without any segment has moved"


@pytest.mark.spec("P-09")
def test_disks_of_running_brokers_are_read_while_they_write(
    spark: Session, desk: Desk, tmp_path: Path
) -> None:
    desk.ask("create_topics", [NewTopic("written", 3, 2)])
    load = DemoLoad(
        desk.bootstrap, "written", [1.0, 1.0, 1.0], 600.0, 700, settings={"linger.ms": 5}
    )
    register(spark)
    folders = [str(path) for broker in desk.cluster.brokers for path in broker.log_dirs]
    table = spark.read.format("spindle.log").option("topic", "written")
    narrow = "disk string, partition int, offset long, value binary, error string"
    counts = []
    load.start()
    try:
        eventually(lambda: len(load.acknowledged) > 500, "records are acknowledged", 60)
        for _ in range(2):
            before = len(load.acknowledged)
            rows = table.schema(narrow).load(folders).drop("value").collect()
            assert [row for row in rows if row.error] == []
            offsets: dict[tuple[str, int], list[int]] = {}
            for row in rows:
                offsets.setdefault((row.disk, row.partition), []).append(row.offset)
            assert all(sorted(own) == list(range(len(own))) for own in offsets.values())
            assert len(rows) >= 2 * before, "what is acknowledged is on both brokers' disks"
            counts.append(len(rows))
    finally:
        load.finish()
    assert counts == sorted(counts)
    assert not load.failed
    told = load.acknowledged
    promised = sorted(zip(told.partition, told.offset, told.checksum, strict=True))
    everything = table.schema(narrow).load(folders).withColumn("sum", F.crc32("value"))
    for broker in desk.cluster.brokers:
        own = everything.where(F.col("disk").isin([str(path) for path in broker.log_dirs]))
        there = [tuple(r) for r in own.select("partition", "offset", "sum").collect()]
        assert sorted(there) == promised
