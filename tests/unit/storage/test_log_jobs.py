"""One log's jobs: reading within bounds, finding by time, rolling, retention, durability."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.amounts import cases
from tests.support.storage import (
    FAR,
    FUTURE,
    KEY,
    append,
    batch,
    check_log,
    copy_all,
    create,
    fill,
    format_at,
    fresh,
    read_batches,
    read_values,
    reopen,
)

from spindle.model.batches import RecordBatch
from spindle.model.jobs import (
    Close,
    Configure,
    FindOffset,
    Flush,
    FoundOffset,
    LogSettings,
    LogStart,
    MoveLogStart,
    Read,
    ReadResult,
    Retain,
    Sweep,
    Truncate,
    WriteCheckpoints,
)
from spindle.model.log_values import LogKey
from spindle.runtime.os_disk import OsDisk
from spindle.sim.memory_disk import MemoryDisk
from spindle.storage import files
from spindle.storage.directory import LogDirectory
from spindle.wire.batch import Compression, split

PATH = "/data/d1"
NEVER = -1


def read(directory: LogDirectory, offset: int, limit: int = FAR, most: int = 1 << 20) -> list[int]:
    """Base offsets of the batches of one read."""
    result = directory.run(Read(PATH, KEY, offset, limit, most))
    return [b.base_offset for b in split(result.data)]


def bases(directory: LogDirectory) -> list[int]:
    """Base offsets of the segments."""
    return [segment.base for segment in directory.logs[KEY].segments]


# --- producers -----------------------------------------------------------------------------------


def test_producers_are_remembered_for_as_long_as_the_setting_says() -> None:
    """`producer.id.expiration.ms`: at each new segment, and with the setting of that moment."""
    _, directory = fresh()
    create(directory, producer_ms=1_000)
    log = directory.logs[KEY]
    for id, at_ms in ((1, 5_000), (2, 5_500)):
        header = {"producer_id": id, "producer_epoch": 0, "base_sequence": 0}
        append(directory, batch(log.end, [b"v"], at=at_ms, **header), now=at_ms)
    log.roll(5_999)
    assert [e.producer_id for e in log.producers.state.entries] == [1, 2]
    log.roll(6_000)
    assert [e.producer_id for e in log.producers.state.entries] == [2]
    directory.run(Configure(PATH, KEY, LogSettings(producer_ms=100)))
    log.roll(6_000)
    assert log.producers.state.entries == ()


# --- reading -------------------------------------------------------------------------------------


def test_a_read_gives_whole_batches_up_to_limit_and_size() -> None:
    _, directory = fresh()
    create(directory)
    for offset in range(0, 20, 2):
        append(directory, batch(offset, [b"x" * 100] * 2))
    size = batch(0, [b"x" * 100] * 2).size
    assert read(directory, 5) == [4, 6, 8, 10, 12, 14, 16, 18]
    assert read(directory, 5, limit=9) == [4, 6], "8 and 9 reach past the limit"
    assert read(directory, 5, limit=10) == [4, 6, 8]
    assert read(directory, 4, most=size * 3) == [4, 6, 8]
    assert read(directory, 4, most=size * 3 - 1) == [4, 6]
    assert read(directory, 4, most=1) == [4], "at least one"
    assert directory.run(Read(PATH, KEY, 4, FAR, 1, at_least_one=False)).data == b""
    assert read(directory, 4, limit=5) == [], "the only batch reaches past the limit"


def test_reads_go_on_where_the_last_one_stopped_whatever_happens_between() -> None:
    _, directory = fresh()
    create(directory, segment_bytes=1000)
    fill(directory, 40)
    first = read(directory, 0, most=400)
    fill(directory, 10)
    directory.run(Truncate(PATH, KEY, 30))
    append(directory, batch(30, [b"new"], epoch=2))
    assert read(directory, first[-1] + 2)[0] == first[-1] + 2
    directory.run(MoveLogStart(PATH, KEY, 20))
    assert read(directory, 20)[0] == 20
    assert read(directory, first[-1] + 2) == []


def test_reading_over_the_holes_of_a_compacted_log() -> None:
    disk, directory = fresh()
    create(directory, segment_bytes=300, index_interval_bytes=100)
    held = [0, 5, 6, 100, 101, 250]
    for offset in held:
        append(directory, batch(offset, [b"x" * 60]))
    for wanted in range(251):
        assert read(directory, wanted)[0] == min(o for o in held if o >= wanted)
    directory.run(Close(PATH, 1))
    directory, opened = reopen(disk, PATH)
    assert (opened.logs[0].end, read(directory, 102)) == (251, [250])


@settings(max_examples=cases(30), deadline=None)
@given(
    sizes=st.lists(st.integers(1, 3000), min_size=1, max_size=30),
    segment=st.integers(500, 9000),
    interval=st.integers(0, 5000),
    most=st.integers(1, 10000),
)
def test_any_sizes_read_back(sizes: list[int], segment: int, interval: int, most: int) -> None:
    _, directory = fresh()
    create(directory, segment_bytes=segment, index_interval_bytes=interval)
    batches: list[RecordBatch] = []
    for offset, size in enumerate(sizes):
        batches.append(batch(offset, [b"%d" % offset * size]))
    append(directory, *batches)
    assert [b.data for b in read_batches(directory, most=most)] == [b.data for b in batches]
    for segment_found in directory.logs[KEY].segments:
        assert segment_found.size <= max(segment, max(b.size for b in batches))


# --- finding by time -----------------------------------------------------------------------------


def timed() -> LogDirectory:
    """Two records a batch, 10 ms apart, over some segments; epoch 3."""
    _, directory = fresh()
    create(directory, segment_bytes=600, index_interval_bytes=100)
    for number in range(30):
        made = batch(number * 2, [b"x" * 40] * 2, epoch=3, at=1000 + number * 10)
        append(directory, made)
    return directory


@pytest.mark.parametrize(
    ("timestamp", "offset", "found_at"),
    [(0, 0, 1000), (1000, 0, 1000), (1001, 1, 1001), (1002, 2, 1010), (1291, 59, 1291)],
)
def test_the_first_record_at_or_after_a_time(timestamp: int, offset: int, found_at: int) -> None:
    directory = timed()
    found = directory.run(FindOffset(PATH, KEY, timestamp, FAR))
    assert found == FoundOffset(offset, found_at, 3)


def test_no_record_is_that_late_or_below_the_limit() -> None:
    directory = timed()
    nothing = FoundOffset(-1, -1, -1)
    assert directory.run(FindOffset(PATH, KEY, 1292, FAR)) == nothing
    assert directory.run(FindOffset(PATH, KEY, 1200, 40)) == nothing
    assert directory.run(FindOffset(PATH, KEY, 1200, 41)).offset == 40


def test_records_below_the_start_are_not_found() -> None:
    directory = timed()
    directory.run(MoveLogStart(PATH, KEY, 21))
    assert directory.run(FindOffset(PATH, KEY, 0, FAR)).offset == 21


def test_the_newest_record_is_that_with_the_largest_time_not_the_last() -> None:
    directory = timed()
    append(directory, batch(60, [b"late"], epoch=3, at=900))
    assert directory.run(FindOffset(PATH, KEY, -3, FAR)) == FoundOffset(59, 1291, 3)
    assert directory.run(FindOffset(PATH, KEY, -3, 41)) == FoundOffset(39, 1191, 3)
    directory.run(MoveLogStart(PATH, KEY, 60))
    assert directory.run(FindOffset(PATH, KEY, -3, FAR)) == FoundOffset(60, 900, 3)


def test_times_are_found_in_compressed_batches_and_after_reopening() -> None:
    disk, directory = fresh()
    create(directory)
    append(directory, batch(0, [b"a"] * 50, at=100, compression=Compression.GZIP))
    assert directory.run(FindOffset(PATH, KEY, 120, FAR)).offset == 20
    directory.run(Close(PATH, 1))
    directory, _ = reopen(disk, PATH)
    assert directory.run(FindOffset(PATH, KEY, 120, FAR)).offset == 20


# --- rolling -------------------------------------------------------------------------------------


def test_a_segment_rolls_when_its_records_span_too_much_time() -> None:
    _, directory = fresh()
    create(directory, segment_ms=1000)
    append(directory, batch(0, [b"x"], at=5000))
    append(directory, batch(1, [b"x"], at=6000))
    append(directory, batch(2, [b"x"], at=6001))
    assert bases(directory) == [0, 2]


def test_a_segment_of_records_without_times_rolls_by_the_clock() -> None:
    _, directory = fresh()
    create(directory, segment_ms=1000)
    append(directory, batch(0, [b"x"], at=-1), now=5000)
    append(directory, batch(1, [b"x"], at=-1), now=6000)
    append(directory, batch(2, [b"x"], at=-1), now=6001)
    assert bases(directory) == [0, 2]


@pytest.mark.spec("N-02")
def test_jitter_lets_logs_roll_at_different_times() -> None:
    settings = LogSettings(segment_ms=1000, jitter_ms=600)
    lasts = [settings.roll_ms(KEY, base) for base in range(200)]
    assert len(set(lasts)) > 50
    assert all(400 < ms <= 1000 for ms in lasts)
    assert lasts == [settings.roll_ms(KEY, base) for base in range(200)]
    assert LogSettings(segment_ms=10, jitter_ms=600).roll_ms(KEY, 0) > 0
    _, directory = fresh()
    create(directory, segment_ms=1000, jitter_ms=600)
    for offset in range(200):
        append(directory, batch(offset, [b"x"], at=offset * 100))
    spans = {after - before for before, after in pairwise(bases(directory))}
    assert len(spans) > 2
    assert max(spans) <= 11


def test_a_segment_rolls_when_its_index_is_full() -> None:
    _, directory = fresh()
    create(directory, index_interval_bytes=0, index_max_bytes=8 * 4)
    for offset in range(10):
        append(directory, batch(offset, [b"x"]))
    assert len(bases(directory)) > 1
    assert len(read_values(directory)) == 10


def test_a_segment_rolls_before_relative_offsets_overflow() -> None:
    _, directory = fresh()
    create(directory)
    append(directory, batch(0, [b"x"]))
    append(directory, batch((1 << 31) - 1, [b"x"]))
    append(directory, batch(1 << 31, [b"x"]))
    assert bases(directory) == [0, 1 << 31]


def test_one_append_of_more_than_a_segment_is_split() -> None:
    _, directory = fresh()
    create(directory, segment_bytes=500)
    append(directory, *[batch(n, [b"x" * 100]) for n in range(20)])
    assert len(bases(directory)) > 4
    assert len(read_values(directory)) == 20


# --- retention -----------------------------------------------------------------------------------


def test_retention_by_time_takes_whole_old_segments_below_the_limit() -> None:
    directory = timed()
    before = bases(directory)
    kept = directory.run(Retain(PATH, KEY, 100, NEVER, FAR, 1250))
    assert kept.start in before
    newest_gone = 1000 + (kept.start // 2 - 1) * 10 + 1
    assert newest_gone < 1150 <= newest_gone + 50
    again = directory.run(Retain(PATH, KEY, 0, NEVER, kept.start + 1, 9999))
    assert again.start == kept.start, "the high watermark holds it back"


def test_retention_of_all_that_is_old_leaves_an_empty_segment() -> None:
    disk, directory = fresh()
    create(directory)
    fill(directory, 10)
    kept = directory.run(Retain(PATH, KEY, 100, NEVER, FAR, 10_000))
    assert kept == LogStart(10, 0)
    assert bases(directory) == [10]
    assert fill(directory, 2) == 12
    directory.run(Close(PATH, 1))
    _, opened = reopen(disk, PATH)
    assert (opened.logs[0].start, opened.logs[0].end) == (10, 12)


def test_what_retention_sets_aside_is_unlinked_beside_the_directorys_thread() -> None:
    directory = timed()
    log = directory.logs[KEY]
    before = files.weigh(directory.disk, log.path)
    gone = bases(directory)[0]
    directory.run(Retain(PATH, KEY, NEVER, log.size - 700, FAR, 0))
    aside = [name for name in directory.disk.list(log.path) if name.endswith(".log.deleted")]
    assert f"{gone:020}.log.deleted" in aside
    assert files.weigh(directory.disk, log.path) >= before, "nothing is unlinked yet"
    freed = directory.run(Sweep(PATH, KEY))
    assert files.weigh(directory.disk, log.path) == before - freed < before
    assert not any(name.endswith(".log.deleted") for name in directory.disk.list(log.path))
    assert directory.run(Sweep(PATH, KEY)) == 0
    assert directory.run(Sweep(PATH, LogKey("nobody", 9))) == 0


def test_what_was_set_aside_and_not_unlinked_goes_at_the_next_start() -> None:
    disk, directory = fresh()
    create(directory, segment_bytes=500)
    fill(directory, 20)
    kept = directory.run(Retain(PATH, KEY, NEVER, 700, FAR, 0))
    path = directory.logs[KEY].path
    assert any(name.endswith(".log.deleted") for name in disk.list(path))
    disk.kill()
    directory, opened = reopen(disk, PATH)
    assert (opened.logs[0].start, opened.logs[0].end) == (kept.start, 20)
    assert not any(name.endswith(".log.deleted") for name in disk.list(path))
    check_log(directory, opened.logs[0])


def test_retention_by_size_keeps_at_least_so_much() -> None:
    directory = timed()
    whole = directory.logs[KEY].size
    kept = directory.run(Retain(PATH, KEY, NEVER, whole - 700, FAR, 0))
    assert whole - 700 <= kept.size < whole
    assert directory.run(Retain(PATH, KEY, NEVER, whole, FAR, 0)).start == kept.start


def test_records_without_times_age_by_their_file() -> None:
    now = [5000]
    disk = MemoryDisk(clock=lambda: now[0])
    _, directory = fresh(disk=disk)
    create(directory)
    append(directory, batch(0, [b"x"], at=-1))
    assert directory.run(Retain(PATH, KEY, 1000, NEVER, FAR, 6000)).start == 0
    assert directory.run(Retain(PATH, KEY, 1000, NEVER, FAR, 6001)).start == 1


# --- durability ----------------------------------------------------------------------------------


def test_sealed_segments_become_durable_at_the_second_checkpoint() -> None:
    disk, directory = fresh()
    create(directory, segment_bytes=500)
    fill(directory, 20)
    log = directory.logs[KEY]
    directory.run(WriteCheckpoints(PATH))
    assert log.recovery_point == 0
    directory.run(WriteCheckpoints(PATH))
    assert log.recovery_point == log.active.base > 0
    disk.kill()
    directory, opened = reopen(disk, PATH)
    assert directory.logs[KEY].recovery_point == log.active.base
    check_log(directory, opened.logs[0])


def test_a_flush_moves_the_recovery_point_to_the_end() -> None:
    disk, directory = fresh()
    create(directory, segment_bytes=500)
    fill(directory, 20)
    directory.run(Flush(PATH, KEY))
    assert directory.logs[KEY].recovery_point == 20
    disk.crash(Random(1))
    assert reopen(disk, PATH)[1].logs[0].end == 20


def test_no_more_files_are_open_than_the_pool_allows() -> None:
    _, directory = fresh()
    directory._pool._files_max = 3
    create(directory, segment_bytes=300)
    fill(directory, 60)
    assert len(read_values(directory)) == 60
    assert len(directory._pool._files) <= 3


# --- on the real disk ----------------------------------------------------------------------------


@pytest.mark.spec("K113-06")
def test_a_copy_handles_parts_and_no_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every call that reads or writes a file is counted, the copier's own and all others."""
    disk = OsDisk()
    for name in ("d1", "d2"):
        disk.make_dirs(f"{tmp_path}/{name}")
        format_at(disk, f"{tmp_path}/{name}", seed=int(name[1]))
    source, _ = reopen(disk, f"{tmp_path}/d1")
    target, _ = reopen(disk, f"{tmp_path}/d2")
    create(source, segment_bytes=4 << 20)
    create(target, FUTURE)
    for number in range(400):
        append(source, batch(number * 100, [bytes([number % 251]) * 500] * 100))
    calls: dict[str, list[int]] = {}

    def count(name: str) -> None:
        plain = getattr(os, name)

        def counted(*arguments: Any) -> Any:
            done = plain(*arguments)
            calls.setdefault(name, []).append(done if isinstance(done, int) else len(done))
            return done

        monkeypatch.setattr(os, name, counted)

    for name in ("preadv", "pwritev", "pread", "pwrite", "read", "write"):
        count(name)
    copy_all(source, target, 3 << 20)
    monkeypatch.undo()
    most = {name: (len(sizes), sum(sizes)) for name, sizes in calls.items()}
    assert sum(total for name, (_, total) in most.items() if "w" in name) > 20_000_000, most
    assert sum(number for number, _ in most.values()) < 400, most
    ours = [bytes(b.data) for b in read_batches(source, most=1 << 20)]
    assert [bytes(b.data) for b in read_batches(target, FUTURE, most=1 << 20)] == ours


def test_an_empty_read_tells_the_bounds() -> None:
    _, directory = fresh()
    create(directory)
    assert directory.run(Read(PATH, KEY, 0, FAR, 10)) == ReadResult(b"", 0, 0)
