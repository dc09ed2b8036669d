"""What a start repairs is on the medium before any part counts on it: the power goes again.

A start cuts, removes and writes again what a crash has left. The next power cut may come in the
midst of that, or right after it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from random import Random

import pytest
from tests.support.power import Unlucky, at_every_change, log_of
from tests.support.storage import (
    FAR,
    FUTURE,
    KEY,
    accept_loss,
    append,
    batch,
    check_log,
    copy_all,
    create,
    fill,
    format_at,
    fresh,
    put,
    read_values,
    reopen,
    step,
)

from spindle.model.batches import TRANSACTIONAL, EndTransactionMarker
from spindle.model.ids import METADATA_TOPIC
from spindle.model.jobs import (
    Close,
    Flush,
    MoveLogStart,
    Promote,
    Read,
    Retain,
    Truncate,
    WriteCheckpoints,
)
from spindle.model.log_values import LogKey
from spindle.model.scrub_jobs import Scrub, ScrubPlace
from spindle.sim.memory_disk import MemoryDisk, PowerCut
from spindle.storage import layout
from spindle.storage.directory import LogDirectory
from spindle.wire.batch import stamped
from spindle.wire.control import end_transaction

PATH = "/data/d1"
NAME = f"{PATH}/orders-3"
METADATA = LogKey(METADATA_TOPIC, 0)


class NamesLost:
    """The chance of a power cut that keeps all bytes, and no name that was not synced."""

    def random(self) -> float:
        """Nothing is skipped, nothing is torn."""
        return 0.9

    def randrange(self, stop: int) -> int:
        """The first: of a directory's changes none is kept."""
        return 0

    def getrandbits(self, k: int) -> int:
        """No bits."""
        return 0


class SnapshotKept(Unlucky):
    """The chance of a power cut that loses all bytes, and of each directory's names the last."""

    def __init__(self) -> None:
        self._in_file = False

    def random(self) -> float:
        """Asked about files alone."""
        self._in_file = True
        return 0.0

    def randrange(self, stop: int) -> int:
        """How many changes are kept."""
        in_file, self._in_file = self._in_file, False
        return 0 if in_file else max(0, stop - 2)


def write_transaction(directory: LogDirectory, offset: int, *, committed: bool) -> int:
    """Two records of a producer and the end of their transaction; the log's end afterwards."""
    header = {"producer_id": 7, "producer_epoch": 0, "attributes": TRANSACTIONAL}
    values = batch(offset, [b"v" * 50] * 2, base_sequence=offset, **header)
    ended = end_transaction(7, 0, EndTransactionMarker(committed, 0), 1000)
    ended.base_offset, ended.leader_epoch = offset + 2, 0
    return append(directory, values, ended)


def aborted_in(directory: LogDirectory, end: int) -> list[tuple[int, int]]:
    """The aborted transactions that the log reports to readers of committed records."""
    found: set[tuple[int, int]] = set()
    offset = 0
    while offset < end:
        result = directory.run(Read(PATH, KEY, offset, end, 1, committed=True))
        found |= {(a.first, a.last) for a in result.aborted}
        offset += 1
    return sorted(found)


def with_damaged_copy() -> MemoryDisk:
    """A source, and a copy of it whose last but one segment is damaged; both on the medium."""
    disk, source = fresh()
    create(source, segment_bytes=700, index_interval_bytes=150)
    fill(source, 20)
    source.run(Flush(PATH, KEY))
    format_at(disk, "/data/d2", seed=9)
    target, _ = reopen(disk, "/data/d2", seed=3)
    create(target, FUTURE, segment_bytes=700, index_interval_bytes=150)
    copy_all(source, target)
    for _ in range(4):
        target.run(WriteCheckpoints("/data/d2"))
    *_, before, last = target.logs[FUTURE].segments
    assert target.logs[FUTURE].recovery_point == last.base
    disk.settle()
    disk.kill()
    disk.rot(before.path(), 200, 0x10)
    return disk


def start(disk: MemoryDisk) -> None:
    """A start, and no more."""
    reopen(disk, PATH)


# --- what is kept ---------------------------------------------------------------------------------


@pytest.mark.spec("B-28")
def test_what_is_cut_from_the_metadata_log_is_in_a_file_beside_it() -> None:
    """Records behind a damaged one are cut, and the only copy of them must not be in a cache."""
    folder = f"{PATH}/__cluster_metadata-0"

    def prepare() -> MemoryDisk:
        disk, directory = fresh()
        create(directory, METADATA)
        fill(directory, 20, METADATA)
        disk.settle()
        disk.kill()
        disk.rot(f"{folder}/{0:020d}.log", 200, 4)
        return disk

    behind = prepare().contents(f"{folder}/{0:020d}.log")
    assert behind is not None
    last = behind[-175:]

    def check(disk: MemoryDisk) -> None:
        kept = [disk.contents(f"{folder}/{name}") or b"" for name in disk.names(folder)]
        assert any(data.endswith(last) for data in kept)

    assert at_every_change(prepare, start, check, seeds=8) > 5


@pytest.mark.spec("B-28", "B-02")
def test_a_copy_that_was_cut_at_damage_has_no_hole() -> None:
    """The power goes again while a start cuts it: segments behind must not look like the rest."""

    def check(disk: MemoryDisk) -> None:
        target, found = reopen(disk, "/data/d2", seed=3)
        loaded = log_of(found, FUTURE)
        assert loaded is not None
        assert set(read_values(target, FUTURE)) == set(range(loaded.end))

    def work(disk: MemoryDisk) -> None:
        reopen(disk, "/data/d2", seed=3)

    assert at_every_change(with_damaged_copy, work, check) > 5


@pytest.mark.spec("B-28", "B-02")
def test_a_copy_that_was_cut_at_damage_is_copied_again_and_not_trusted() -> None:
    """The recovery point on the medium was beyond the cut: it goes back before records come."""

    def check(disk: MemoryDisk) -> None:
        target, found = reopen(disk, "/data/d2", seed=3)
        assert found.quarantined == ()
        check_log(target, found.logs[0])

    def work(disk: MemoryDisk) -> None:
        target, _ = reopen(disk, "/data/d2", seed=3)
        copy_all(reopen(disk, PATH)[0], target)
        target.run(Flush("/data/d2", FUTURE))

    assert at_every_change(with_damaged_copy, work, check) > 10


@pytest.mark.spec("B-28", "B-02")
def test_a_copy_takes_no_segment_of_another_history() -> None:
    """One begins within the log, and the next of the same history right where the log ends."""

    def prepare() -> MemoryDisk:
        disk, target = fresh()
        create(target, FUTURE)
        fill(target, 20, FUTURE)
        folder = target.logs[FUTURE].path
        disk.settle()
        disk.kill()
        for offset, count in ((19, 1), (20, 2)):
            data = b"".join(map(bytes, stamped(batch(offset, [b"stale"] * count))))
            put(disk, f"{folder}/{layout.segment_file(offset)}", data)
        disk.settle()
        return disk

    def check(disk: MemoryDisk) -> None:
        target, found = reopen(disk, PATH)
        assert log_of(found, FUTURE) is not None
        assert b"stale" not in read_values(target, FUTURE).values()

    assert at_every_change(prepare, start, check) > 3


# --- what is known beside the records -------------------------------------------------------------


def restart(disk: MemoryDisk, _: LogDirectory, times: str) -> None:
    """A start finds a time index of no whole entry."""
    disk.kill()
    disk.open(times).truncate(5)
    disk.settle()
    reopen(disk, PATH)


def scrub(disk: MemoryDisk, directory: LogDirectory, times: str) -> None:
    """A scrubber finds an index of no whole entry, and a time index of none, either."""
    disk.open(times.replace(layout.TIME_INDEX, layout.INDEX)).truncate(5)
    disk.open(times).truncate(5)
    disk.settle()
    assert directory.run(Scrub(PATH, ScrubPlace(), 1 << 20)).mended


@pytest.mark.parametrize("mend", [restart, scrub])
def test_a_segment_with_new_indexes_is_as_young_as_its_newest_record(
    mend: Callable[[MemoryDisk, LogDirectory, str], None],
) -> None:
    """Half a time index tells of half the records: retention would delete the others with them."""
    for seed in range(60):
        disk, directory = fresh()
        create(directory, segment_bytes=26_000, index_interval_bytes=1)
        fill(directory, 500)
        sealed = directory.logs[KEY].segments[0]
        newest, times = sealed.latest.timestamp, sealed.path(layout.TIME_INDEX)
        directory.run(Flush(PATH, KEY))
        directory.run(WriteCheckpoints(PATH))
        disk.settle()
        mend(disk, directory, times)
        disk.crash(Random(seed))
        directory, _ = reopen(disk, PATH)
        assert directory.run(Retain(PATH, KEY, 100, -1, FAR, newest + 100)).start == 0


@pytest.mark.spec("B-31")
def test_a_log_whose_loss_was_accepted_is_marked_until_it_is_on_the_medium() -> None:
    """Without the mark a start would trust its new indexes, of which half may be there."""

    def prepare() -> tuple[MemoryDisk, LogDirectory, int]:
        disk, directory = fresh()
        create(directory, segment_bytes=26_000, index_interval_bytes=1)
        fill(directory, 500)
        sealed = directory.logs[KEY].segments[0]
        newest, times = sealed.latest.timestamp, sealed.path(layout.TIME_INDEX)
        directory.run(Flush(PATH, KEY))
        directory.run(WriteCheckpoints(PATH))
        disk.open(times).truncate(5)
        disk.settle()
        return disk, directory, newest

    def cut_power(disk: MemoryDisk, directory: LogDirectory, cut: int) -> bool:
        """Whether it went before the end."""
        disk.calls.cut_after(cut)
        try:
            accept_loss(directory)
        except PowerCut:
            return True
        return False

    marked = False
    for cut in itertools.count(1):
        disk, directory, _ = prepare()
        assert cut_power(disk, directory, cut)
        if marked and layout.BAD not in disk.names(NAME):
            break
        marked = layout.BAD in disk.names(NAME)
    for seed in range(200):
        disk, directory, newest = prepare()
        assert cut_power(disk, directory, cut)
        disk.crash(Random(seed))
        directory, found = reopen(disk, PATH)
        if not found.quarantined:
            assert directory.run(Retain(PATH, KEY, 100, -1, FAR, newest + 100)).start == 0


@pytest.mark.spec("B-15")
def test_what_was_aborted_stays_so_where_indexes_were_lost() -> None:
    """The index of aborted transactions is there again before those by which it is believed."""

    def prepare() -> MemoryDisk:
        disk, directory = fresh()
        create(directory, segment_bytes=700, index_interval_bytes=150)
        end = 0
        while end < 30:
            end = write_transaction(directory, end, committed=False)
        directory.run(Flush(PATH, KEY))
        directory.run(WriteCheckpoints(PATH))
        disk.settle()
        disk.kill()
        for name in disk.names(NAME):
            if name.endswith((layout.INDEX, layout.TIME_INDEX, layout.TXN_INDEX)):
                disk.remove(f"{NAME}/{name}")
        disk.settle()
        return disk

    def check(disk: MemoryDisk) -> None:
        directory, _ = reopen(disk, PATH)
        assert aborted_in(directory, 30) == [(n, n + 2) for n in range(0, 30, 3)]

    assert at_every_change(prepare, start, check, seeds=12) > 5


@pytest.mark.spec("B-15")
def test_what_was_cut_is_not_aborted_after_a_clean_stop() -> None:
    """Else readers of committed records would miss those that took the place of the aborted."""
    disk, directory = fresh()
    create(directory)
    append(directory, batch(0, [b"v"] * 2))
    write_transaction(directory, 2, committed=False)
    directory.run(Close(PATH, 1))
    disk.settle()
    directory, _ = reopen(disk, PATH)
    assert aborted_in(directory, 5) == [(2, 4)]
    directory.run(Truncate(PATH, KEY, 2))
    directory.run(Close(PATH, 2))
    disk.crash(Unlucky())
    directory, found = reopen(disk, PATH)
    assert found.clean
    write_transaction(directory, 2, committed=True)
    assert aborted_in(directory, 5) == []


@pytest.mark.spec("B-15")
def test_no_producer_is_known_by_records_that_a_power_cut_took() -> None:
    """Its snapshot outlived them. Once it is gone it must not come back among new records."""
    disk, directory = fresh()
    create(directory, segment_bytes=700, index_interval_bytes=150)
    fill(directory, 4)
    directory.run(Flush(PATH, KEY))
    disk.settle()
    log = directory.logs[KEY]
    end = 4
    while len(log.segments) == 1:
        lost = {"producer_id": 5, "producer_epoch": 0, "base_sequence": end - 4}
        end = append(directory, batch(end, [b"lost" * 12] * 2, at=end, **lost))
    rolled_at = log.active.base
    disk.crash(SnapshotKept())
    assert f"{rolled_at:020d}{layout.SNAPSHOT}" in disk.names(NAME)
    directory, found = reopen(disk, PATH)
    assert found.logs[0].end == 4
    end = 4
    while end < rolled_at + 4:
        kept = {"producer_id": 6, "producer_epoch": 0, "base_sequence": end - 4}
        end = append(directory, batch(end, [b"new" * 16] * 2, at=end, **kept))
    disk.crash(NamesLost())
    directory, found = reopen(disk, PATH)
    (loaded,) = found.logs
    check_log(directory, loaded)
    assert {p.producer_id for p in loaded.producers} == {6}


# --- names ----------------------------------------------------------------------------------------


@pytest.mark.spec("B-21", "B-02")
def test_a_copy_that_goes_on_after_a_kill_keeps_its_name() -> None:
    """Its one segment was begun before the kill; what is flushed after it rests on that name."""
    disk, source = fresh()
    create(source, segment_bytes=700, index_interval_bytes=150)
    fill(source, 20)
    source.run(MoveLogStart(PATH, KEY, source.logs[KEY].active.base))
    format_at(disk, "/data/d2", seed=9)
    disk.settle()
    target, _ = reopen(disk, "/data/d2", seed=3)
    create(target, FUTURE, segment_bytes=700, index_interval_bytes=150)
    progress = step(source, target)
    progress = step(source, target, progress.mark, most=100)
    first = source.logs[KEY].start
    assert first < progress.end < 20
    disk.kill()
    source, _ = reopen(disk, PATH)
    target, _ = reopen(disk, "/data/d2", seed=3)
    progress = step(source, target, still=True)
    while not progress.whole:
        progress = step(source, target, progress.mark, still=True)
    target.run(Promote("/data/d2", FUTURE))
    disk.crash(Unlucky())
    target, _ = reopen(disk, "/data/d2", seed=3)
    assert set(read_values(target)) == set(range(first, 20))


def test_a_log_that_was_being_made_when_the_process_was_killed_has_its_name() -> None:
    """What is appended with a sync after the next start rests on names from before it."""
    for cut in itertools.count(1):
        disk, directory = fresh()
        disk.calls.cut_after(cut)
        try:
            create(directory)
        except PowerCut:
            disk.kill()
        else:
            break
        directory, _ = reopen(disk, PATH)
        create(directory)
        append(directory, batch(0, [b"v"] * 2), sync=True)
        disk.crash(Unlucky())
        directory, found = reopen(disk, PATH)
        assert ([log.end for log in found.logs], found.quarantined) == ([2], ()), cut
    assert cut > 5
