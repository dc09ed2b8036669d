"""A move's copying between two directories: complete, resumable, right beside a busy source."""

from __future__ import annotations

import errno

import pytest
from tests.support.power import Unlucky
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
    fresh,
    read_batches,
    read_values,
    reopen,
    step,
)

from spindle.model.copying_jobs import (
    AdoptCopied,
    CopiedBytes,
    CopyBytes,
    MarkCopy,
    PlanCopy,
)
from spindle.model.errors import DiskFailed, LogFailed
from spindle.model.jobs import (
    Close,
    Configure,
    Discard,
    Flush,
    LogSettings,
    MoveLogStart,
    Promote,
    Reset,
    Retain,
    Truncate,
    WriteCheckpoints,
    WriteHighWatermarks,
)
from spindle.model.log_values import LogKey
from spindle.sim.memory_disk import MemoryDisk, MemoryFile
from spindle.storage.directory import LogDirectory


def pair(records: int = 60) -> tuple[MemoryDisk, LogDirectory, LogDirectory]:
    """A source with a log of small segments, and a target with an empty future log."""
    disk, source = fresh("/data/d1")
    _, target = fresh("/data/d2", disk)
    create(source, segment_bytes=1000, index_interval_bytes=200)
    create(target, FUTURE, segment_bytes=1000, index_interval_bytes=200)
    fill(source, records, producer_id=5, producer_epoch=0, base_sequence=0)
    return disk, source, target


def same(source: LogDirectory, target: LogDirectory, key: LogKey = FUTURE) -> None:
    """Both logs hold the same bytes."""
    ours = [(b.base_offset, bytes(b.data)) for b in read_batches(source, KEY)]
    theirs = [(b.base_offset, bytes(b.data)) for b in read_batches(target, key)]
    assert ours == theirs


def test_what_is_copied_after_a_sync_is_synced_by_the_next_one() -> None:
    """Then the source goes: the copy is the only one, and must outlive the power."""
    disk, source, target = pair(8)
    progress = step(source, target, most=400)
    assert 0 < progress.end < 8
    target.run(Flush(target.path, FUTURE))
    copy_all(source, target)
    assert len(target.logs[FUTURE].segments) == 1, "to begin another one would sync it"
    target.run(Flush(target.path, FUTURE))
    disk.crash(Unlucky())
    directory, found = reopen(disk, "/data/d2")
    assert [(log.key, log.end) for log in found.logs] == [(FUTURE, 8)]
    assert len(read_values(directory, FUTURE)) == 8


@pytest.mark.parametrize("most", [1, 300, 700, 5000, 1 << 20])
def test_a_copy_in_steps_of_any_size_is_complete(most: int) -> None:
    _, source, target = pair()
    steps = copy_all(source, target, most)
    same(source, target)
    assert (steps > 2) == (most <= 5000)


def test_promoting_gives_the_plain_name_and_the_same_state() -> None:
    disk, source, target = pair()
    copy_all(source, target)
    name = source.run(Discard(source.path, KEY, "delete", "0" * 32))
    assert name == "orders-3.00000000000000000000000000000000-delete"
    loaded = target.run(Promote(target.path, FUTURE))
    assert loaded.key == KEY
    assert (loaded.start, loaded.end) == (0, 60)
    assert loaded.producers[-1].last_offset == 59
    assert loaded.epochs == ((0, 0),)
    assert disk.list("/data/d2/orders-3")
    target.run(Close(target.path, 1))
    _, opened = reopen(disk, target.path)
    assert opened.logs[0].end == 60
    assert opened.logs[0].producers == loaded.producers
    assert opened.logs[0].epochs == loaded.epochs
    assert opened.logs[0].max_timestamp == loaded.max_timestamp


def test_a_clean_stop_in_the_middle_of_a_copy_leaves_its_producers_right() -> None:
    """A snapshot that lacks some would have their repeated batches appended again one day."""
    disk, source, target = pair()
    progress = step(source, target, most=2500)
    source.run(Truncate(source.path, KEY, 55))
    aligned = step(source, target, progress.mark)
    assert 0 < aligned.end == progress.end < 55, "the cut has taken nothing of the copy"
    target.run(Close(target.path, 1))
    _, opened = reopen(disk, target.path)
    assert [(log.key, log.end) for log in opened.logs] == [(FUTURE, aligned.end)]
    assert [entry.last_offset for entry in opened.logs[0].producers[-1:]] == [aligned.end - 1]


def test_a_source_that_grows_and_rolls_is_chased() -> None:
    _, source, target = pair()
    progress = step(source, target, most=500)
    while progress.end < progress.source_end or progress.source_end < 200:
        if progress.source_end < 200:
            fill(source, 6)
        progress = step(source, target, progress.mark, most=900)
    same(source, target)


def test_a_limit_is_kept() -> None:
    _, source, target = pair()
    progress = step(source, target, limit=21)
    assert progress.end == 20, "the batch of 20 and 21 reaches past the limit"
    assert progress.source_end == 60
    again = step(source, target, progress.mark, limit=21)
    assert (again.copied, again.end) == (0, 20)


def test_a_cut_of_the_source_under_the_copy_leaves_no_stale_record() -> None:
    _, source, target = pair()

    def cut_and_write_again() -> None:
        source.run(Truncate(source.path, KEY, 31))
        append(source, batch(30, [b"new"] * 4, epoch=1))

    progress = step(source, target, meanwhile=cut_and_write_again)
    while progress.end != progress.source_end or progress.copied:
        progress = step(source, target, progress.mark)
    same(source, target)
    assert read_values(target, FUTURE)[30] == b"new"


def test_a_cut_to_records_of_the_same_epoch_is_seen_by_its_count() -> None:
    """The epochs agree, yet what was copied may be torn: it is copied once more."""
    _, source, target = pair()
    progress = step(source, target)
    assert progress.end == 60

    source.run(Truncate(source.path, KEY, 40))
    append(source, *[batch(o, [b"x" * 50] * 2, at=o) for o in range(40, 60, 2)])
    progress = step(source, target, progress.mark)
    assert progress.end == 40
    progress = step(source, target, progress.mark)
    assert progress.end == 60
    same(source, target)


def test_a_copy_is_whole_only_once_its_source_is_still() -> None:
    """Until then the source may get records that no copy has: it must not be given up."""
    _, source, target = pair()
    copy_all(source, target)
    progress = step(source, target)
    assert progress.end == progress.source_end
    assert not progress.whole
    assert step(source, target, progress.mark, still=True).whole


def test_a_piece_ends_where_its_source_does_whatever_was_there_before() -> None:
    """An attempt that was not taken has left a longer segment; the source is another since."""
    disk, source, target = pair(0)
    source.run(Configure(source.path, KEY, LogSettings(segment_bytes=5000)))
    fill(source, 40)
    mark = target.run(MarkCopy(target.path, FUTURE))
    plan = source.run(PlanCopy(source.path, KEY, mark, FAR, 1 << 20))
    target.run(CopyBytes(target.path, FUTURE, source.path, plan))
    source.run(Truncate(source.path, KEY, 10))
    source.run(Configure(source.path, KEY, LogSettings(segment_bytes=1000)))
    fill(source, 50, epoch=1)
    progress = step(source, target, mark)
    while progress.end < progress.source_end or progress.copied:
        progress = step(source, target, progress.mark)
    target.run(Close(target.path, 1))
    target, opened = reopen(disk, target.path)
    assert opened.quarantined == ()
    same(source, target)


@pytest.mark.spec("B-02")
def test_a_restart_resumes_where_histories_agree() -> None:
    disk, source, target = pair()
    first = step(source, target, most=1500)
    step(source, target, first.mark, most=1500)
    source.run(Close(source.path, 1))
    target.run(Close(target.path, 1))
    source, _ = reopen(disk, source.path)
    target, opened = reopen(disk, target.path)
    (future,) = opened.logs
    assert future.end == first.end, "what a later plan has confirmed"
    progress = step(source, target, most=100)
    assert future.end < progress.end < 60
    copy_all(source, target)
    same(source, target)


@pytest.mark.spec("B-02")
@pytest.mark.parametrize("half", [False, True])
def test_a_clean_stop_leaves_nothing_of_a_copy_that_was_not_taken(half: bool) -> None:
    """The log was closed cleanly before and nothing was adopted since: it is not as it was."""
    disk, source, target = pair()
    first = step(source, target, most=1500)
    step(source, target, first.mark, most=100)
    target.run(Close(target.path, 1))
    target, opened = reopen(disk, target.path)
    (before,) = opened.logs
    mark = target.run(MarkCopy(target.path, FUTURE))
    plan = source.run(PlanCopy(source.path, KEY, mark, FAR, 1 << 20))
    if half:
        disk.capacity[target.path] = disk.used(target.path) + 150
        with pytest.raises(DiskFailed):
            target.run(CopyBytes(target.path, FUTURE, source.path, plan))
        disk.heal(target.path)
    else:
        assert target.run(CopyBytes(target.path, FUTURE, source.path, plan)).pieces > 2
    target.run(Close(target.path, 2))
    target, opened = reopen(disk, target.path)
    assert opened.clean
    assert [(log.end, log.size) for log in opened.logs] == [(before.end, before.size)]
    copy_all(source, target)
    same(source, target)


def test_a_future_log_of_another_history_is_cut_to_the_common_part() -> None:
    _, source, target = pair(20)
    copy_all(source, target)
    append(target, batch(20, [b"theirs"] * 5, epoch=1), key=FUTURE)
    append(source, batch(20, [b"ours"] * 3, epoch=2))
    progress = step(source, target)
    assert progress.end == 20
    copy_all(source, target)
    same(source, target)


def test_a_longer_future_log_is_cut_to_the_source() -> None:
    _, source, target = pair(20)
    copy_all(source, target)
    append(target, batch(20, [b"more"], epoch=0), key=FUTURE)
    progress = step(source, target)
    assert (progress.end, progress.source_end) == (20, -1)
    progress = step(source, target, progress.mark)
    assert (progress.end, progress.source_end) == (20, 20)


def test_a_source_whose_old_segments_are_gone_starts_the_copy_there() -> None:
    _, source, target = pair()
    step(source, target, most=100)
    source.run(MoveLogStart(source.path, KEY, 41))
    progress = step(source, target)
    assert progress.end > 2, "begun again at the source's first segment"
    copy_all(source, target)
    same(source, target)
    assert target.run(MarkCopy(target.path, FUTURE)).start == 41


def test_retention_on_the_source_goes_along() -> None:
    _, source, target = pair()
    copy_all(source, target)
    kept = source.run(Retain(source.path, KEY, -1, 2000, FAR, 0))
    progress = step(source, target)
    assert progress.end == 60
    copy_all(source, target)
    assert progress.size == kept.size
    same(source, target)


def test_a_segment_that_vanishes_under_the_copy_is_planned_again() -> None:
    _, source, target = pair()
    progress = step(
        source, target, meanwhile=lambda: source.run(Retain(source.path, KEY, -1, 1000, FAR, 0))
    )
    assert progress.copied == 0
    copy_all(source, target)
    same(source, target)


def test_an_emptied_source_empties_the_copy() -> None:
    _, source, target = pair()
    copy_all(source, target)
    source.run(Reset(source.path, KEY, 500))
    copy_all(source, target)
    assert read_batches(target, FUTURE) == []
    assert target.run(MarkCopy(target.path, FUTURE)).end == 500


def test_a_log_that_changed_since_its_plan_takes_nothing() -> None:
    _, source, target = pair()
    first = step(source, target, most=700)
    plan = source.run(PlanCopy(source.path, KEY, first.mark, FAR, 700))
    copied = target.run(CopyBytes(target.path, FUTURE, source.path, plan))
    target.run(Truncate(target.path, FUTURE, 4))
    progress = target.run(AdoptCopied(target.path, FUTURE, plan, copied))
    assert (progress.copied, progress.end, progress.source_end) == (0, 4, -1)
    copy_all(source, target)
    same(source, target)


def test_a_log_of_other_segments_is_continued_all_the_same() -> None:
    """As where Apache Kafka made the future log and rolled it where it liked."""
    _, source, target = pair(0)
    fill(source, 40)
    for old in read_batches(source):
        if old.base_offset < 22:
            append(target, old, key=FUTURE)
    target.logs[FUTURE].roll(0)
    assert [s.base for s in target.logs[FUTURE].segments] != [
        s.base for s in source.logs[KEY].segments
    ]
    copy_all(source, target, 300)
    same(source, target)


@pytest.mark.parametrize(
    ("prefix", "code", "blamed"),
    [
        ("/data/d1/orders-3/", errno.EIO, "/data/d1"),
        ("/data/d2/orders-3.", errno.EIO, "/data/d2"),
        ("/data/d2/orders-3.", errno.ENOSPC, "/data/d2"),
    ],
)
def test_the_disk_that_failed_is_named(prefix: str, code: int, blamed: str) -> None:
    disk, source, target = pair()
    mark = target.run(MarkCopy(target.path, FUTURE))
    plan = source.run(PlanCopy(source.path, KEY, mark, FAR, 1 << 20))
    verbs = ("read",) if blamed == "/data/d1" else ("write",)
    disk.fail(prefix, code, *verbs)
    with pytest.raises(DiskFailed) as failed:
        target.run(CopyBytes(target.path, FUTURE, source.path, plan))
    assert failed.value.directory == blamed
    assert failed.value.errno == code


def test_a_source_that_cannot_be_read_far_inside_a_piece_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its first bytes can: they say nothing about the others."""
    _, source, target = pair()
    mark = target.run(MarkCopy(target.path, FUTURE))
    plan = source.run(PlanCopy(source.path, KEY, mark, FAR, 1 << 20))
    bad, read = plan.pieces[0].length - 10, MemoryFile.read

    def reading(self: MemoryFile, offset: int, length: int) -> bytes:
        if self.path.startswith(f"{source.path}/") and offset + length > bad:
            raise OSError(errno.EIO, "a bad sector")
        return read(self, offset, length)

    monkeypatch.setattr(MemoryFile, "read", reading)
    monkeypatch.setattr("spindle.storage.copy.PROBE", 100)
    assert bad > 5 * 100
    with pytest.raises(DiskFailed) as failed:
        target.run(CopyBytes(target.path, FUTURE, source.path, plan))
    assert failed.value.directory == source.path


def test_a_future_log_that_is_gone_fails_the_log_and_not_the_disk() -> None:
    _, source, target = pair()
    mark = target.run(MarkCopy(target.path, FUTURE))
    plan = source.run(PlanCopy(source.path, KEY, mark, FAR, 1 << 20))
    target.run(Discard(target.path, FUTURE, "delete", "1" * 32))
    with pytest.raises(LogFailed):
        target.run(CopyBytes(target.path, FUTURE, source.path, plan))
    with pytest.raises(LogFailed):
        target.run(AdoptCopied(target.path, FUTURE, plan, CopiedBytes()))


def test_promoting_what_was_not_confirmed_looks_at_the_bytes() -> None:
    """As where the source dies in mid-copy and the copy is all there is (B-03)."""
    disk, source, target = pair()
    first = step(source, target, most=1500)

    def cut() -> None:
        source.run(Truncate(source.path, KEY, first.end + 21))
        append(source, batch(first.end + 20, [b"new" * 100] * 3, epoch=1))

    torn = step(source, target, first.mark, most=4000, meanwhile=cut)
    assert torn.end > first.end
    disk.fail(source.path, errno.EIO)
    loaded = target.run(Promote(target.path, FUTURE))
    assert loaded.end >= first.end
    check_log(target, loaded)
    assert set(read_values(target)) == set(range(loaded.end))


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("flushed", [False, True])
def test_promoting_tells_which_epoch_each_record_is_of(flushed: bool, restarted: bool) -> None:
    """The source was cut and written again in mid-copy, and died before it could tell (B-03).

    The new records stand where the old ones stood. Only they tell of their epoch, by which
    replicas find out where their histories part: no flush or checkpoint may hold them for known.
    """
    disk, source, target = pair(0)
    fill(source, 60)
    first = step(source, target, most=1500)

    def cut() -> None:
        cut_at = first.end + 2
        source.run(Truncate(source.path, KEY, cut_at))
        for offset in range(cut_at, 60, 2):
            append(source, batch(offset, [b"n" * 50] * 2, epoch=1, at=offset))

    torn = step(source, target, first.mark, meanwhile=cut)
    assert torn.end == 60
    assert len(target.logs[FUTURE].segments) > 3, "some are sealed that nothing has confirmed"
    if flushed:
        target.run(Flush(target.path, FUTURE))
    target.run(WriteCheckpoints(target.path))
    disk.fail(source.path, errno.EIO)
    if restarted:
        disk.kill()
        target, _ = reopen(disk, target.path)
    loaded = target.run(Promote(target.path, FUTURE))
    assert loaded.epochs == ((0, 0), (1, first.end + 2))
    check_log(target, loaded)
    assert set(read_values(target)) == set(range(60))


def test_a_cut_of_a_copy_is_none_of_its_source() -> None:
    """By its high watermark a start tells a log that was shortened by damage."""
    disk, directory = fresh()
    create(directory)
    fill(directory, 20)
    create(directory, FUTURE)
    fill(directory, 20, FUTURE)
    directory.run(WriteHighWatermarks(directory.path, {KEY.topic_partition: 20}))
    disk.kill()
    directory, _ = reopen(disk, directory.path)
    directory.run(Truncate(directory.path, FUTURE, 4))
    disk.kill()
    _, opened = reopen(disk, directory.path)
    assert {log.key: log.stable for log in opened.logs} == {KEY: 20, FUTURE: 4}


@pytest.mark.spec("B-02")
def test_what_was_copied_in_vain_is_gone_once_the_source_is_known_to_be_another() -> None:
    """It was never adopted. A start would take it for the rest where the copy ends before it."""
    disk, source, target = pair(0)
    fill(source, 60)
    first = step(source, target, most=1500)
    plan = source.run(PlanCopy(source.path, KEY, first.mark, FAR, 1 << 20))
    assert target.run(CopyBytes(target.path, FUTURE, source.path, plan)).pieces > 3
    source.run(Truncate(source.path, KEY, 10))
    append(source, *[batch(o, [b"x" * 50] * 2, at=o) for o in range(10, 60, 2)])
    progress = step(source, target, first.mark)
    assert progress.end == 10
    stale = next(piece for piece in plan.pieces if piece.fresh)
    while progress.copied or progress.end == 10:
        progress = step(source, target, progress.mark, limit=stale.target_base)
    assert progress.end == stale.target_base
    disk.kill()
    target, opened = reopen(disk, target.path)
    assert opened.logs[0].end == stale.target_base
    values = read_values(target, FUTURE)
    assert {values[o] for o in range(10, stale.target_base)} == {b"x" * 50}


def test_promoting_beside_a_current_log_is_refused() -> None:
    _, source, _ = pair()
    create(source, FUTURE)
    with pytest.raises(LogFailed, match="still in this directory"):
        source.run(Promote(source.path, FUTURE))
