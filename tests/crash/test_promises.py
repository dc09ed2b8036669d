"""What has been promised once rests on the medium: the power goes right then, or before.

Each test is of one promise that is given outside of appends: a log that has got its name back, a
small file that is gone, a checkpoint that says what need not be looked at again.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.support.power import Unlucky, at_every_change, log_of, opened
from tests.support.storage import (
    CLUSTER,
    FUTURE,
    KEY,
    NODE,
    accept_loss,
    append,
    batch,
    check_log,
    copy_all,
    create,
    fill,
    format_at,
    fresh,
    ids,
    read_values,
    reopen,
    step,
    with_records,
)

from spindle.model.batches import TRANSACTIONAL, EndTransactionMarker
from spindle.model.copying_jobs import CopyBytes, MarkCopy, PlanCopy
from spindle.model.ids import METADATA_TOPIC
from spindle.model.jobs import (
    Close,
    Discard,
    Flush,
    GetFile,
    MarkBad,
    MoveLogStart,
    Promote,
    Purge,
    PutFile,
    RemoveFile,
    Reset,
    Restore,
    Truncate,
    WriteCheckpoints,
    WriteHighWatermarks,
)
from spindle.model.log_values import LogKey
from spindle.sim.memory_disk import MemoryDisk, PowerCut
from spindle.storage import aborted_transactions, layout, meta
from spindle.storage.directory import LogDirectory
from spindle.wire.control import end_transaction

SMALL = {"segment_bytes": 700, "index_interval_bytes": 150}
PATH = "/data/d1"
NAME = f"{PATH}/orders-3"


def with_log() -> MemoryDisk:
    """A log of 20 records in several segments, all on the medium; killed."""
    disk, directory = fresh()
    create(directory, **SMALL)
    fill(directory, 20)
    directory.run(Flush(PATH, KEY))
    directory.run(WriteCheckpoints(PATH))
    disk.settle()
    disk.kill()
    return disk


def fresh_and_killed() -> MemoryDisk:
    """An empty directory."""
    disk, _ = fresh()
    disk.kill()
    return disk


def copied_whole() -> tuple[MemoryDisk, LogDirectory, LogDirectory]:
    """A log of 20 records, and a copy that a move has just called whole."""
    disk, source = fresh()
    create(source, **SMALL)
    fill(source, 20)
    format_at(disk, "/data/d2", seed=9)
    disk.settle()
    target, _ = reopen(disk, "/data/d2", seed=3)
    create(target, FUTURE, **SMALL)
    progress = step(source, target, still=True)
    while not progress.whole:
        progress = step(source, target, progress.mark, still=True)
    return disk, source, target


# --- names ---------------------------------------------------------------------------------------


@pytest.mark.spec("K858-01")
def test_a_directory_that_counts_as_formatted_has_its_bootstrap() -> None:
    def work(disk: MemoryDisk) -> None:
        meta.format_directory(disk, PATH, meta.MetaProperties(1, CLUSTER, NODE, ids()()), b"boot")

    def check(disk: MemoryDisk) -> None:
        if disk.contents(f"{PATH}/{layout.META_PROPERTIES}") is not None:
            assert disk.contents(f"{PATH}/{layout.BOOTSTRAP}") == b"boot"

    assert at_every_change(MemoryDisk, work, check) > 5


@pytest.mark.spec("B-21", "B-04")
def test_a_log_that_was_given_its_name_back_keeps_it() -> None:
    """A swap whose target has died: the source serves again, and must not be deleted."""
    disk = with_log()
    directory, _ = reopen(disk, PATH)
    name = directory.run(Discard(PATH, KEY, "delete", "a" * 32))
    assert directory.run(Restore(PATH, KEY, name)).end == 20
    disk.crash(Unlucky())
    directory, found = opened(disk)
    assert found.deleted == ()
    assert set(read_values(directory)) == set(range(20))


@pytest.mark.spec("B-11")
def test_only_what_is_kept_says_so() -> None:
    """A mark in a log that is in use would have it taken for a copy once it is deleted."""

    def work(disk: MemoryDisk) -> None:
        directory, _ = reopen(disk, PATH)
        name = directory.run(Discard(PATH, KEY, "delete", "a" * 32, keep_until_ms=1000))
        directory.run(Restore(PATH, KEY, name))

    def check(disk: MemoryDisk) -> None:
        assert layout.KEPT not in disk.names(NAME)

    assert at_every_change(with_log, work, check, seeds=8) > 5


@pytest.mark.spec("B-11")
def test_a_kept_copy_that_is_being_deleted_is_not_resumed() -> None:
    """Its mark says what of it is good: the mark goes before anything that it speaks of."""

    def work(disk: MemoryDisk) -> None:
        directory, _ = reopen(disk, PATH)
        name = directory.run(Discard(PATH, KEY, "delete", "a" * 32, keep_until_ms=1000))
        disk.settle()
        directory.run(Purge(PATH, name))
        directory.run(PutFile(PATH, "something", b"else"))

    def check(disk: MemoryDisk) -> None:
        directory, found = reopen(disk, PATH)
        for copy in found.kept:
            directory.run(Restore(PATH, FUTURE, copy.name))
            assert set(read_values(directory, FUTURE)) == set(range(20))

    assert at_every_change(with_log, work, check, seeds=12) > 20


@pytest.mark.spec("B-21", "K113-03")
def test_a_promoted_log_is_whole_and_keeps_its_name() -> None:
    promised: set[int] = set()

    def work(disk: MemoryDisk) -> None:
        directory, _ = reopen(disk, PATH)
        create(directory, FUTURE, **SMALL)
        fill(directory, 20, FUTURE)
        directory.run(Promote(PATH, FUTURE))
        promised.add(id(disk))
        create(directory, KEY._replace(partition=9))

    def check(disk: MemoryDisk) -> None:
        directory, found = opened(disk)
        loaded = log_of(found)
        if loaded is not None:
            assert set(read_values(directory)) == set(range(20))
        else:
            assert id(disk) not in promised

    assert at_every_change(fresh_and_killed, work, check) > 20


@pytest.mark.spec("B-21", "B-02")
def test_what_a_copy_brought_in_vain_does_not_come_back() -> None:
    disk, source, target = copied_whole()
    # Copied, but never adopted: the rest of this segment, and others.
    fill(source, 30)
    mark = target.run(MarkCopy(target.path, FUTURE))
    plan = source.run(PlanCopy(source.path, KEY, mark, 1 << 62, 1 << 20))
    assert target.run(CopyBytes(target.path, FUTURE, source.path, plan)).pieces > 1
    disk.settle()
    assert target.run(Promote(target.path, FUTURE)).end == 20
    disk.crash(Unlucky())
    _, found = opened(disk, "/data/d2")
    loaded = log_of(found)
    assert loaded is not None
    assert loaded.end == 20


@pytest.mark.spec("B-21", "B-02")
def test_a_copy_that_is_called_whole_is_on_the_medium() -> None:
    """The source gives up its name on hearing that, before the copy gets it."""
    disk, _, _ = copied_whole()
    disk.crash(Unlucky())
    target, _ = opened(disk, "/data/d2")
    assert set(read_values(target, FUTURE)) == set(range(20))


# --- small files ---------------------------------------------------------------------------------


@pytest.mark.spec("K113-10")
def test_a_small_file_that_is_gone_stays_away() -> None:
    disk, directory = fresh()
    directory.run(PutFile(PATH, "wishes", b"1"))
    directory.run(RemoveFile(PATH, "wishes"))
    disk.crash(Unlucky())
    directory, _ = reopen(disk, PATH)
    assert directory.run(GetFile(PATH, "wishes")) is None


def test_a_small_file_has_nothing_of_a_longer_one_that_was_not_finished() -> None:
    disk, directory = fresh()
    disk.calls.cut_after(2)
    with pytest.raises(PowerCut):
        directory.run(PutFile(PATH, "wishes", b"long" * 500))
    disk.kill()
    directory, _ = reopen(disk, PATH)
    assert disk.contents(f"{PATH}/wishes{layout.TEMPORARY}")
    directory.run(PutFile(PATH, "wishes", b"short"))
    assert directory.run(GetFile(PATH, "wishes")) == b"short"


def test_a_small_file_has_its_bytes_before_it_has_its_name() -> None:
    def work(disk: MemoryDisk) -> None:
        directory, _ = reopen(disk, PATH)
        directory.run(PutFile(PATH, "wishes", b"new" * 500))

    def check(disk: MemoryDisk) -> None:
        directory, _ = reopen(disk, PATH)
        assert directory.run(GetFile(PATH, "wishes")) in (None, b"new" * 500)

    assert at_every_change(fresh_and_killed, work, check, seeds=30) > 3


# --- checkpoints ---------------------------------------------------------------------------------


@pytest.mark.spec("B-15")
@pytest.mark.parametrize("epoch_of", [lambda offset: offset // 8, lambda _: 0])
def test_what_a_checkpoint_trusts_is_on_the_medium(epoch_of: Callable[[int], int]) -> None:
    """Records, names and epochs below the recovery point are not looked at again."""

    def work(disk: MemoryDisk) -> None:
        directory, _ = reopen(disk, PATH)
        create(directory, **SMALL)
        for offset in range(20, 60, 2):
            made = batch(offset, [b"v" * 50] * 2, epoch=epoch_of(offset), at=offset)
            append(directory, made)
            if offset % 10 == 0:
                directory.run(WriteCheckpoints(PATH))

    def check(disk: MemoryDisk) -> None:
        directory, found = reopen(disk, PATH)
        assert found.quarantined == ()
        (loaded,) = found.logs
        check_log(directory, loaded)

    assert at_every_change(with_log, work, check, seeds=0) > 30


def test_a_reset_log_ends_where_checkpoints_say() -> None:
    def work(disk: MemoryDisk) -> None:
        directory, _ = reopen(disk, PATH)
        directory.run(Reset(PATH, KEY, 100))
        directory.run(WriteCheckpoints(PATH))
        directory.run(WriteHighWatermarks(PATH, {KEY.topic_partition: 100}))

    def check(disk: MemoryDisk) -> None:
        _, found = reopen(disk, PATH)
        assert found.quarantined == ()

    assert at_every_change(with_log, work, check) > 5


def test_a_log_that_was_cut_is_no_damaged_one() -> None:
    """Of what was cut nothing stands behind the first new record, which is not synced yet."""

    def work(disk: MemoryDisk) -> None:
        directory, _ = reopen(disk, PATH)
        directory.run(Truncate(PATH, KEY, 10))
        append(directory, batch(10, [b"n" * 50] * 2, epoch=1))
        directory.run(GetFile(PATH, "nothing"))
        directory.run(PutFile(PATH, "something", b"else"))

    def check(disk: MemoryDisk) -> None:
        _, found = reopen(disk, PATH)
        assert found.quarantined == ()

    assert at_every_change(with_log, work, check, seeds=12) > 5


@pytest.mark.spec("B-15")
def test_where_a_log_begins_outlives_a_clean_shutdown() -> None:
    def prepare() -> MemoryDisk:
        disk, directory = fresh()
        create(directory)
        fill(directory, 20)
        directory.run(Flush(PATH, KEY))
        disk.settle()
        disk.kill()
        return disk

    def work(disk: MemoryDisk) -> None:
        directory, _ = reopen(disk, PATH)
        directory.run(MoveLogStart(PATH, KEY, 13))
        directory.run(Close(PATH, 1))
        reopen(disk, PATH)

    def check(disk: MemoryDisk) -> None:
        _, found = reopen(disk, PATH)
        assert found.logs[0].start == 13 or not found.clean

    assert at_every_change(prepare, work, check) > 10


@pytest.mark.spec("B-02", "B-15")
def test_a_copy_that_was_cut_to_its_source_is_no_damaged_one() -> None:
    """Nothing trusts what took the place of the records that it was cut back from."""

    def prepare() -> MemoryDisk:
        disk, source, target = copied_whole()
        target.run(WriteCheckpoints("/data/d2"))
        source.run(Truncate(PATH, KEY, 4))
        for offset in range(4, 20, 2):
            append(source, batch(offset, [b"n" * 50] * 2, epoch=1, at=offset))
        source.run(Flush(PATH, KEY))
        disk.settle()
        disk.kill()
        return disk

    def work(disk: MemoryDisk) -> None:
        source, _ = reopen(disk, PATH)
        target, _ = reopen(disk, "/data/d2", seed=3)
        copy_all(source, target)

    def check(disk: MemoryDisk) -> None:
        target, found = reopen(disk, "/data/d2", seed=3)
        assert found.quarantined == ()
        check_log(target, found.logs[0])

    assert at_every_change(prepare, work, check) > 10


@pytest.mark.spec("B-15")
def test_what_was_aborted_below_a_checkpoint_stays_so() -> None:
    """The index of aborted transactions belongs to what is not looked at again."""
    disk, directory = fresh()
    create(directory, **SMALL)
    offset = 0
    while offset < 30:
        header = {"producer_id": 7, "producer_epoch": 0, "attributes": TRANSACTIONAL}
        values = batch(offset, [b"v" * 50] * 2, base_sequence=offset, **header)
        ended = end_transaction(7, 0, EndTransactionMarker(False, 0), 1000)
        ended.base_offset, ended.leader_epoch = offset + 2, 0
        offset = append(directory, values, ended)
    for _ in range(4):
        directory.run(WriteCheckpoints(PATH))
    point = directory.logs[KEY].recovery_point
    assert point > 10
    disk.crash(Unlucky())
    directory, _ = opened(disk)
    aborted = (segment.indexes.aborted for segment in directory.logs[KEY].segments)
    found = aborted_transactions.between(aborted, 0, point)
    assert [(a.first, a.last) for a in found] == [(n, n + 2) for n in range(0, point, 3)]


def test_a_directory_in_use_was_not_shut_down_cleanly() -> None:
    disk = with_records()
    disk.settle()
    _, found = reopen(disk, PATH)
    assert found.clean
    disk.crash(Unlucky())
    assert not reopen(disk, PATH)[1].clean


def test_what_a_voter_has_found_at_its_start_it_keeps() -> None:
    """A leader counts on it from then on, though the process before it was killed unsynced."""
    key = LogKey(METADATA_TOPIC, 0)
    disk, directory = fresh()
    create(directory, key)
    append(directory, batch(0, [b"1"] * 5), key=key)
    disk.kill()
    _, found = reopen(disk, PATH)
    assert log_of(found, key) is not None
    disk.crash(Unlucky())
    loaded = log_of(reopen(disk, PATH)[1], key)
    assert loaded is not None
    assert loaded.end == 5


@pytest.mark.spec("B-31")
def test_what_an_accepted_loss_has_left_is_not_lost_to_a_power_cut() -> None:
    """Segments are set aside and written again: at any moment the good records are somewhere."""
    accepted: set[int] = set()

    def prepare() -> MemoryDisk:
        disk = with_log()
        disk.rot(f"{NAME}/{0:020d}.log", 200, 0x10)
        directory, _ = reopen(disk, PATH)
        directory.run(MarkBad(PATH, KEY, "bad CRC", 5))
        disk.settle()
        disk.kill()
        return disk

    def work(disk: MemoryDisk) -> None:
        directory, _ = reopen(disk, PATH)
        accept_loss(directory)
        accepted.add(id(disk))
        directory.run(PutFile(PATH, "something", b"else"))

    def check(disk: MemoryDisk) -> None:
        directory, found = reopen(disk, PATH)
        if found.quarantined:
            assert id(disk) not in accepted
            accept_loss(directory)
        assert set(range(20)) - set(read_values(directory)) == {2, 3}
        assert read_values(directory)[19] == b"v" * 50
        if id(disk) in accepted:
            (aside,) = (name for name in disk.names(PATH) if name.endswith("-stray"))
            assert disk.contents(f"{PATH}/{aside}/{0:020d}.log"), "the damaged one is kept whole"

    assert at_every_change(prepare, work, check) > 10
