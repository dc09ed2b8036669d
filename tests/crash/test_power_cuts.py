"""The power goes after every single change that a piece of work makes to the disk.

What was acknowledged and synced is there afterwards, the directory opens, nothing is invented.
"""

from __future__ import annotations

import pytest
from tests.support.power import Unlucky, at_every_change, log_of, opened, opened_all
from tests.support.storage import (
    FUTURE,
    KEY,
    append,
    batch,
    copy_all,
    create,
    fill,
    format_at,
    fresh,
    read_values,
    reopen,
)

from spindle.model.jobs import (
    Close,
    Discard,
    Flush,
    GetFile,
    MoveLogStart,
    Promote,
    Purge,
    PutFile,
    Reset,
    SyncNames,
    Truncate,
    WriteCheckpoints,
    WriteHighWatermarks,
)
from spindle.sim.memory_disk import MemoryDisk

SMALL = {"segment_bytes": 700, "index_interval_bytes": 150}


# --- one log -----------------------------------------------------------------------------------


def with_log() -> MemoryDisk:
    """A directory with a log of 20 records, flushed, checkpointed; killed."""
    disk, directory = fresh()
    create(directory, **SMALL)
    fill(directory, 20)
    directory.run(Flush(directory.path, KEY))
    directory.run(WriteCheckpoints(directory.path))
    directory.run(WriteHighWatermarks(directory.path, {KEY.topic_partition: 20}))
    disk.settle()
    disk.kill()
    return disk


def test_what_was_appended_with_sync_survives() -> None:
    acknowledged: dict[int, int] = {}

    def work(disk: MemoryDisk) -> None:
        acknowledged[id(disk)] = 20
        directory, _ = reopen(disk, "/data/d1")
        create(directory, **SMALL)
        for number in range(12):
            end = acknowledged[id(disk)]
            values = [f"{end + n}".encode() * 20 for n in range(2)]
            made = batch(end, values, epoch=number // 4, at=end)
            acknowledged[id(disk)] = append(directory, made, sync=True)

    def check(disk: MemoryDisk) -> None:
        directory, found = opened(disk)
        loaded = log_of(found)
        assert loaded is not None
        assert loaded.end >= acknowledged[id(disk)]
        for offset, value in read_values(directory, start=20).items():
            assert value == f"{offset}".encode() * 20

    assert at_every_change(with_log, work, check) > 30


def test_what_was_cut_does_not_come_back_behind_new_records() -> None:
    """The recovery point is lowered before the cut; stale records never fill a gap."""
    synced: dict[int, int] = {}

    def work(disk: MemoryDisk) -> None:
        synced[id(disk)] = 0
        directory, _ = reopen(disk, "/data/d1")
        create(directory, **SMALL)
        directory.run(Truncate(directory.path, KEY, 7))
        for offset in range(6, 20, 2):
            made = batch(offset, [b"new" * 10] * 2, epoch=3, at=offset)
            synced[id(disk)] = append(directory, made, sync=True)

    def check(disk: MemoryDisk) -> None:
        directory, _ = opened(disk)
        values = read_values(directory)
        fresh_ones = {o for o, v in values.items() if v.startswith(b"new")}
        assert set(range(6, synced[id(disk)])) <= fresh_ones
        # New records follow old ones and never the other way round.
        assert not fresh_ones or {o for o in values if o >= min(fresh_ones)} == fresh_ones

    assert at_every_change(with_log, work, check) > 20


def test_a_segment_that_was_cut_off_does_not_come_back_where_new_records_end() -> None:
    """It would fit there: nothing but its removal tells that it is not of this history."""
    synced: set[int] = set()

    def work(disk: MemoryDisk) -> None:
        synced.discard(id(disk))
        directory, _ = reopen(disk, "/data/d1")
        create(directory, segment_bytes=1 << 20)
        last = directory.logs[KEY].active.base
        directory.run(Truncate(directory.path, KEY, last - 2))
        append(directory, batch(last - 2, [b"new"] * 2, at=last), sync=True)
        synced.add(id(disk))
        append(directory, batch(last, [b"late"], at=last))

    def check(disk: MemoryDisk) -> None:
        directory, found = reopen(disk, "/data/d1")
        assert found.quarantined == ()
        values = [*read_values(directory).values()]
        if id(disk) in synced:
            at = values.index(b"new")
            assert values[at:] in ([b"new"] * 2, [*[b"new"] * 2, b"late"])

    assert at_every_change(with_log, work, check, seeds=8) > 5


@pytest.mark.parametrize("offset", [5, 100])
def test_a_reset_log_is_whole_before_or_after(offset: int) -> None:
    def work(disk: MemoryDisk) -> None:
        directory, _ = reopen(disk, "/data/d1")
        directory.run(Reset(directory.path, KEY, offset))
        append(directory, batch(offset, [b"new"], epoch=9), sync=True)

    def check(disk: MemoryDisk) -> None:
        directory, _ = opened(disk)
        values = read_values(directory)
        if b"new" in values.values():
            assert set(values) == {offset}
        else:
            assert set(values) == set(range(len(values)))

    assert at_every_change(with_log, work, check) > 5


def test_a_raised_start_never_loses_a_record_above_it() -> None:
    def work(disk: MemoryDisk) -> None:
        directory, _ = reopen(disk, "/data/d1")
        directory.run(MoveLogStart(directory.path, KEY, 13))
        directory.run(WriteCheckpoints(directory.path))

    def check(disk: MemoryDisk) -> None:
        directory, _ = opened(disk)
        assert set(range(13, 20)) <= set(read_values(directory))

    assert at_every_change(with_log, work, check) > 5


def test_a_new_log_is_there_when_it_was_promised() -> None:
    promised: set[int] = set()

    def prepare() -> MemoryDisk:
        disk, _ = fresh()
        disk.kill()
        return disk

    def work(disk: MemoryDisk) -> None:
        directory, _ = reopen(disk, "/data/d1")
        create(directory)
        promised.add(id(disk))
        append(directory, batch(0, [b"x"]))

    def check(disk: MemoryDisk) -> None:
        _, found = opened(disk)
        loaded = log_of(found)
        if id(disk) in promised:
            assert loaded is not None
            assert loaded.topic_id is not None

    promised.clear()
    assert at_every_change(prepare, work, check) > 5


def test_a_clean_shutdown_is_clean_or_recovered() -> None:
    def work(disk: MemoryDisk) -> None:
        directory, _ = reopen(disk, "/data/d1")
        create(directory, **SMALL)
        fill(directory, 10)
        directory.run(Close(directory.path, 7))
        reopen(disk, "/data/d1")

    def check(disk: MemoryDisk) -> None:
        directory, found = opened(disk)
        values = read_values(directory)
        assert set(range(20)) <= set(values)
        if found.clean:
            assert len(values) == 30

    assert at_every_change(with_log, work, check) > 20


def test_recovery_itself_may_be_interrupted() -> None:
    def prepare() -> MemoryDisk:
        disk = with_log()
        directory, _ = reopen(disk, "/data/d1")
        create(directory, **SMALL)
        fill(directory, 20)
        disk.kill()
        last = sorted(n for n in disk.list("/data/d1/orders-3") if n.endswith(".log"))[-1]
        tail = disk.open(f"/data/d1/orders-3/{last}")
        tail.write(tail.size(), [b"torn" * 30])
        return disk

    def check(disk: MemoryDisk) -> None:
        directory, _ = opened(disk)
        assert set(range(20)) <= set(read_values(directory))

    def work(disk: MemoryDisk) -> None:
        reopen(disk, "/data/d1")

    assert at_every_change(prepare, work, check) > 3


def test_a_small_file_is_the_old_one_or_the_new_one() -> None:
    name = "__cluster_metadata-0/quorum-state"

    def prepare() -> MemoryDisk:
        disk, directory = fresh()
        directory.run(PutFile(directory.path, name, b"old" * 400))
        disk.kill()
        return disk

    def work(disk: MemoryDisk) -> None:
        directory, _ = reopen(disk, "/data/d1")
        directory.run(PutFile(directory.path, name, b"new" * 500))

    def check(disk: MemoryDisk) -> None:
        directory, _ = reopen(disk, "/data/d1")
        assert directory.run(GetFile(directory.path, name)) in (b"old" * 400, b"new" * 500)

    assert at_every_change(prepare, work, check) > 3


def test_a_directory_that_was_formatted_is_there_after_a_power_cut() -> None:
    disk = MemoryDisk()
    disk.make_dirs("/data")
    disk.settle()
    format_at(disk, "/data/d1")
    disk.crash(Unlucky())
    assert reopen(disk, "/data/d1")[1].logs == ()


# --- deleting and moving -------------------------------------------------------------------------


@pytest.mark.spec("K113-18")
def test_a_discarded_log_is_whole_or_waits_for_its_end() -> None:
    def work(disk: MemoryDisk) -> None:
        directory, _ = reopen(disk, "/data/d1")
        name = directory.run(Discard(directory.path, KEY, "delete", "a" * 32))
        directory.run(Purge(directory.path, name))

    def check(disk: MemoryDisk) -> None:
        directory, found = opened(disk)
        loaded = log_of(found)
        if loaded is not None:
            assert loaded.end == 20
            assert found.deleted == ()
        for name in found.deleted:
            directory.run(Purge(directory.path, name))
        # The name is free for another log, which begins empty.
        if loaded is None:
            assert create(directory).end == 0

    assert at_every_change(with_log, work, check) > 5


def two_directories() -> MemoryDisk:
    """A source with 20 records, all on the medium, and a target without a log."""
    disk = with_log()
    format_at(disk, "/data/d2", seed=9)
    disk.settle()
    return disk


def whole_move(disk: MemoryDisk) -> None:
    """Copy, flush the copy, rename the source, rename the copy: in this order."""
    source, _ = reopen(disk, "/data/d1")
    target, _ = reopen(disk, "/data/d2", seed=3)
    create(target, FUTURE, **SMALL)
    copy_all(source, target, 600)
    target.run(Flush(target.path, FUTURE))
    source.run(Discard(source.path, KEY, "delete", "b" * 32))
    target.run(Promote(target.path, FUTURE))


@pytest.mark.spec("B-21", "B-04")
def test_a_move_leaves_a_whole_copy_wherever_it_stops() -> None:
    """As K113-15 to K113-18 need it: some copy has all records, under a name that says which."""

    def check(disk: MemoryDisk) -> None:
        (source, at_source), (target, at_target) = opened_all(disk, "/data/d1", "/data/d2")
        current, future, moved = (
            log_of(at_source),
            log_of(at_target, FUTURE),
            log_of(at_target),
        )
        assert moved is None or current is None, "never two current logs"
        if current is not None:
            assert current.end == 20
            # The move goes on from what is there.
            create(target, FUTURE, **SMALL)
            copy_all(source, target, 600)
            assert set(read_values(target, FUTURE)) == set(range(20))
        elif moved is not None:
            assert set(read_values(target)) == set(range(20))
        else:
            assert future is not None, "the source was given up before the copy was durable"
            assert set(read_values(target, FUTURE)) == set(range(20))
            assert target.run(Promote(target.path, FUTURE)).end == 20

    assert at_every_change(two_directories, whole_move, check) > 30


@pytest.mark.spec("B-21", "B-32", "K113-16")
def test_what_is_appended_before_the_copys_name_is_on_the_medium_stays() -> None:
    """Appends need not wait for it: the copy is found under the one name or the other."""
    acknowledged: dict[int, int] = {}
    named: set[int] = set()

    def work(disk: MemoryDisk) -> None:
        source, _ = reopen(disk, "/data/d1")
        target, _ = reopen(disk, "/data/d2", seed=3)
        create(target, FUTURE, **SMALL)
        copy_all(source, target, 600)
        target.run(Flush(target.path, FUTURE))
        source.run(Discard(source.path, KEY, "delete", "b" * 32))
        target.run(Promote(target.path, FUTURE, synced=False))
        for end in range(20, 32, 2):
            made = batch(end, [b"%d" % end * 20] * 2, at=end)
            acknowledged[id(disk)] = append(target, made, sync=True)
        target.run(SyncNames(target.path))
        named.add(id(disk))

    def check(disk: MemoryDisk) -> None:
        (_, at_source), (target, at_target) = opened_all(disk, "/data/d1", "/data/d2")
        current, moved = log_of(at_source), log_of(at_target)
        assert moved is None or current is None, "never two current logs"
        end = acknowledged.get(id(disk), 20)
        if current is not None:
            assert id(disk) not in acknowledged, "the source came back to life"
        elif moved is not None:
            assert set(read_values(target)) >= set(range(20))
            assert moved.end >= end
        else:
            assert id(disk) not in named
            assert target.run(Promote(target.path, FUTURE)).end >= end
            assert set(read_values(target)) >= set(range(20))

    assert at_every_change(two_directories, work, check) > 30


@pytest.mark.spec("B-28")
def test_damage_in_the_midst_of_what_was_not_synced_throws_nothing_away() -> None:
    """The active segment, above the recovery point, a byte at a time; after a kill."""
    for at in range(0, 700, 7):
        disk, directory = fresh()
        create(directory)
        fill(directory, 20)
        whole = read_values(directory)
        disk.kill()
        path = f"/data/d1/orders-3/{0:020d}.log"
        found = disk.stat(path)
        assert found is not None
        disk.rot(path, at, 0x10)
        _, opening = reopen(disk, "/data/d1")
        after = disk.stat(path)
        assert after is not None
        if opening.quarantined:
            assert after.size == found.size
            assert " good record" in opening.quarantined[0].why
        else:  # A leader epoch, which no CRC covers, or a place behind the last batch's begin.
            assert opening.logs[0].end >= len(whole) - 2
