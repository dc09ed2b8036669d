"""A log directory: group commit, what latches and what does not, small files."""

from __future__ import annotations

import errno
import uuid
from pathlib import Path
from random import Random

import pytest
from tests.support.storage import (
    CLUSTER,
    FAR,
    KEY,
    NODE,
    TOPIC_ID,
    append,
    batch,
    create,
    fill,
    format_at,
    fresh,
    put,
    read_values,
    reopen,
    with_records,
)

from spindle.model.errors import DiskFailed, LogFailed
from spindle.model.ids import METADATA_TOPIC_ID
from spindle.model.jobs import (
    Append,
    Appended,
    Close,
    Configure,
    CreateLog,
    Discard,
    Flush,
    GetFile,
    ListFiles,
    LogSettings,
    MeasureUsage,
    Open,
    PutFile,
    Read,
    ReadResult,
    Release,
    Reload,
    RemoveFile,
    Truncate,
    WriteCheckpoints,
    WriteHighWatermarks,
)
from spindle.model.log_values import LogKey
from spindle.model.scrub_jobs import NoteScrubbed
from spindle.runtime.os_disk import OsDisk
from spindle.sim.memory_disk import MemoryDisk
from spindle.storage.directory import LogDirectory

PATH = "/data/d1"
LOG = f"{PATH}/orders-3"
METADATA = LogKey("__cluster_metadata", 0)


# --- groups ------------------------------------------------------------------------------------


def test_appends_of_a_group_share_one_sync() -> None:
    disk, directory = fresh()
    create(directory)
    append(directory, batch(0, [b"x"]), sync=True)
    before = disk.calls.changes
    group = [Append(PATH, KEY, [batch(n, [b"x"])], 0, True) for n in range(1, 20)]
    results = directory.run_group(group)
    assert [r.end for r in results] == list(range(2, 21))
    assert disk.calls.changes - before == 20, "19 writes and one sync"


def test_reads_between_appends_do_not_wait_for_the_sync() -> None:
    disk, directory = fresh()
    create(directory)
    results = directory.run_group(
        [
            Append(PATH, KEY, [batch(0, [b"x"])], 0, True),
            Read(PATH, KEY, 0, FAR, 100),
            Append(PATH, KEY, [batch(1, [b"y"])], 0, False),
        ]
    )
    assert isinstance(results[1], ReadResult)
    assert results[1].end == 1
    assert isinstance(results[2], Appended)
    disk.crash(Random(1))
    assert reopen(disk, PATH)[1].logs[0].end >= 1


def test_what_was_synced_before_a_directory_is_given_up_is_acknowledged() -> None:
    disk, directory = fresh()
    create(directory)
    appended, _ = directory.run_group(
        [Append(PATH, KEY, [batch(0, [b"v"] * 2)], 0, True), Release(PATH)]
    )
    assert isinstance(appended, Appended)
    assert appended.end == 2
    _, opened = reopen(disk, directory.path)
    assert opened.logs[0].end == 2


def test_a_failed_sync_fails_every_append_that_waited_for_it_and_latches() -> None:
    disk, directory = fresh()
    create(directory)
    disk.fail(LOG, errno.EIO, "sync")
    results = directory.run_group(
        [
            Append(PATH, KEY, [batch(0, [b"x"])], 0, True),
            Append(PATH, KEY, [batch(1, [b"x"])], 0, True),
        ]
    )
    assert all(isinstance(r, DiskFailed) for r in results)
    disk.heal(PATH)
    with pytest.raises(DiskFailed):
        append(directory, batch(0, [b"x"]))
    assert disk.locked == set(), "the lock is free for another process"


def test_flush_messages_makes_appends_durable() -> None:
    disk, directory = fresh()
    create(directory, flush_messages=1)
    append(directory, batch(0, [b"x"]))
    disk.crash(Random(4))
    assert reopen(disk, PATH)[1].logs[0].end == 1


# --- failures ----------------------------------------------------------------------------------


def test_an_io_error_latches_until_opened_again() -> None:
    disk, directory = fresh()
    create(directory)
    disk.fail(PATH, errno.EIO, "write")
    with pytest.raises(DiskFailed) as failed:
        append(directory, batch(0, [b"x"]))
    assert (failed.value.verb, failed.value.errno) == ("appending to a log", errno.EIO)
    with pytest.raises(DiskFailed):
        directory.run(Read(PATH, KEY, 0, FAR, 10))
    disk.heal(PATH)
    assert directory.run(MeasureUsage(PATH)).usable > 0
    assert directory.run(Open(PATH, CLUSTER, NODE)).logs[0].end == 0
    assert append(directory, batch(0, [b"x"])) == 1


@pytest.mark.spec("B-13")
def test_measuring_a_failed_directory_tries_to_write() -> None:
    disk, directory = fresh()
    create(directory)
    disk.read_only(PATH)
    with pytest.raises(DiskFailed):
        append(directory, batch(0, [b"x"]))
    with pytest.raises(DiskFailed) as failed:
        directory.run(MeasureUsage(PATH))
    assert failed.value.errno == errno.EROFS


@pytest.mark.spec("B-12")
def test_a_full_disk_does_not_latch_and_leaves_no_torn_batch() -> None:
    disk, directory = fresh()
    create(directory)
    append(directory, batch(0, [b"x" * 100]))
    disk.capacity[PATH] = directory.disk.usage(PATH).total
    stats = (disk.stat(f"{LOG}/{name}") for name in disk.list(LOG))
    used = sum(stat.size for stat in stats if stat is not None)
    disk.capacity[PATH] = used + 600
    with pytest.raises(DiskFailed) as failed:
        append(directory, batch(1, [b"y" * 5000]))
    assert failed.value.errno == errno.ENOSPC
    assert len(read_values(directory)) == 1
    disk.heal(PATH)
    append(directory, batch(1, [b"z"]))
    disk.kill()
    directory, opened = reopen(disk, PATH)
    assert opened.warnings == ()
    assert read_values(directory) == {0: b"x" * 100, 1: b"z"}


@pytest.mark.spec("B-12")
@pytest.mark.parametrize("part", ["partition.metadata", f"{0:020d}.log"])
def test_a_log_for_which_there_is_no_room_leaves_nothing_behind(part: str) -> None:
    disk, directory = fresh()
    disk.fail(f"{LOG}/{part}", errno.ENOSPC)
    with pytest.raises(DiskFailed) as failed:
        create(directory)
    assert failed.value.errno == errno.ENOSPC
    assert LOG.rpartition("/")[2] not in disk.list(PATH)
    disk.heal(PATH)
    create(directory)
    append(directory, batch(0, [b"x"]))
    assert read_values(directory) == {0: b"x"}


def test_a_roll_on_a_full_disk_may_be_tried_again() -> None:
    disk, directory = fresh()
    create(directory, segment_bytes=300)
    append(directory, batch(0, [b"x" * 100]))
    disk.fail(f"{LOG}/00000000000000000001", errno.ENOSPC, "open")
    for _ in range(2):
        with pytest.raises(DiskFailed):
            append(directory, batch(1, [b"y" * 200]))
    disk.heal(LOG)
    append(directory, batch(1, [b"y" * 200]))
    assert len(read_values(directory)) == 2
    directory.run(Close(PATH, 1))
    assert reopen(disk, PATH)[1].logs[0].end == 2


@pytest.mark.spec("B-12")
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EMFILE])
def test_epochs_for_which_there_is_no_room_may_be_written_later(number: int) -> None:
    """The other log of the group is durable, and so are appends once there is room."""
    disk, directory = fresh()
    create(directory, flush_messages=1)
    other = LogKey("other", 0)
    directory.run(CreateLog(PATH, other, uuid.uuid4(), LogSettings(flush_messages=1)))
    fault = disk.fail(f"{LOG}/leader-epoch-checkpoint", number)
    mine, others = directory.run_group(
        [Append(PATH, key, [batch(0, [b"x"])], 0) for key in (KEY, other)]
    )
    assert isinstance(others, Appended)
    if number == errno.EMFILE:
        assert isinstance(mine, LogFailed)
        assert mine.passing
    else:
        assert isinstance(mine, DiskFailed)
        assert mine.errno == number
    disk.mend(fault)
    assert directory.run(Truncate(PATH, KEY, 0)).end == 0
    assert append(directory, batch(0, [b"y"])) == 1
    disk.crash(Random(1))
    directory, _ = reopen(disk, PATH)
    assert read_values(directory) == {0: b"y"}
    assert read_values(directory, key=other) == {0: b"x"}


@pytest.mark.spec("B-12")
def test_a_log_whose_name_cannot_be_made_durable_is_made_so_later() -> None:
    disk, directory = fresh()
    fault = disk.fail(LOG, errno.ENOSPC, "sync_dir")
    with pytest.raises(DiskFailed) as failed:
        create(directory)
    assert failed.value.errno == errno.ENOSPC
    disk.mend(fault)
    create(directory)
    disk.crash(Random(1))
    assert [log.key for log in reopen(disk, PATH)[1].logs] == [KEY]


@pytest.mark.spec("B-12", "B-13")
def test_records_that_a_sync_has_no_room_for_may_be_lost_so_it_latches() -> None:
    disk, directory = fresh()
    create(directory, flush_messages=1)
    disk.fail(f"{LOG}/{0:020d}.log", errno.ENOSPC, "sync")
    with pytest.raises(DiskFailed, match="No space") as failed:
        append(directory, batch(0, [b"x"]))
    assert failed.value.errno == errno.EIO
    disk.heal(PATH)
    with pytest.raises(DiskFailed):
        append(directory, batch(1, [b"y"]))


@pytest.mark.spec("C-01", "K589-02")
@pytest.mark.parametrize("number", [errno.EIO, errno.EMFILE, errno.ENOSPC])
def test_nothing_is_written_behind_an_append_that_has_failed(number: int) -> None:
    disk, directory = fresh()
    create(directory, segment_bytes=300)
    append(directory, batch(0, [b"x" * 100]))
    disk.fail(f"{LOG}/00000000000000000001", number, "open", times=1)
    large, small = batch(1, [b"y" * 200]), batch(2, [b"z"])
    results = directory.run_group([Append(PATH, KEY, [b], 0) for b in (large, small)])
    assert [type(result) for result in results] == [type(results[0])] * 2
    assert list(read_values(directory)) == [0]
    with pytest.raises(type(results[0])):
        append(directory, small)
    assert append(directory, large) == 2
    assert append(directory, small) == 3


def test_a_log_that_is_cut_or_loaded_again_takes_appends_after_one_has_failed() -> None:
    disk, directory = fresh()
    create(directory, segment_bytes=300)
    append(directory, batch(0, [b"x" * 100]))
    for mend in (Truncate(PATH, KEY, 1), Reload(PATH, KEY)):
        disk.fail(f"{LOG}/00000000000000000001", errno.EIO, "open", times=1)
        with pytest.raises(LogFailed):
            append(directory, batch(1, [b"y" * 200]))
        directory.run(mend)
        # Compaction has taken what is missing, on a leader that this log follows.
        assert append(directory, batch(5, [b"y" * 200])) == 6
        directory.run(Truncate(PATH, KEY, 1))


@pytest.mark.spec("K589-02")
def test_a_damaged_log_fails_alone() -> None:
    disk, directory = fresh()
    create(directory)
    other = LogKey("other", 0)
    directory.run(CreateLog(PATH, other, uuid.uuid4(), LogSettings()))
    append(directory, batch(0, [b"x"]))
    put(disk, f"{LOG}/00000000000000000000.log", b"\0" * 69)
    with pytest.raises(LogFailed, match="no batch"):
        directory.run(Read(PATH, KEY, 0, FAR, 10))
    assert append(directory, batch(0, [b"x"]), key=other) == 1


def test_a_log_directory_that_was_removed_by_hand_fails_alone() -> None:
    disk, directory = fresh()
    create(directory, segment_bytes=100)
    append(directory, batch(0, [b"x" * 100]))
    disk.rename(LOG, "/data/gone")
    directory._pool.drop_under(LOG)
    with pytest.raises(LogFailed):
        directory.run(Read(PATH, KEY, 0, FAR, 10))
    assert directory.run(Discard(PATH, KEY, "delete", "f" * 32))
    assert create(directory).end == 0


def test_a_directory_that_vanishes_is_the_disk() -> None:
    disk, directory = fresh()
    create(directory)
    append(directory, batch(0, [b"x"]))
    disk.blank(PATH)
    directory._pool.drop_under(LOG)
    with pytest.raises(DiskFailed) as failed:
        directory.run(Read(PATH, KEY, 0, FAR, 10))
    assert failed.value.errno == errno.ENOENT


def test_too_many_open_files_is_not_the_disks_fault() -> None:
    disk, directory = fresh()
    create(directory)
    append(directory, batch(0, [b"x"]))
    directory._pool.drop_under(LOG)
    disk.fail(LOG, errno.EMFILE, "open", times=1)
    with pytest.raises(LogFailed):
        directory.run(Read(PATH, KEY, 0, FAR, 10))
    assert directory.run(Read(PATH, KEY, 0, FAR, 10)).data


def test_jobs_before_opening_fail() -> None:
    disk = MemoryDisk()
    format_at(disk, PATH)
    with pytest.raises(DiskFailed, match="not open"):
        LogDirectory(disk, PATH).run(Flush(PATH, KEY))


# --- small files and settings ------------------------------------------------------------------


def test_small_files_live_beside_the_metadata_log() -> None:
    disk, directory = fresh()
    name = "__cluster_metadata-0/quorum-state"
    assert directory.run(GetFile(PATH, name)) is None
    assert directory.run(ListFiles(PATH, "__cluster_metadata-0")) == ()
    directory.run(PutFile(PATH, name, b"state"))
    directory.run(CreateLog(PATH, METADATA, METADATA_TOPIC_ID, LogSettings()))
    append(directory, batch(0, [b"x"]), key=METADATA, sync=True)
    snapshot = "__cluster_metadata-0/00000000000000000001-0000000000.checkpoint"
    directory.run(PutFile(PATH, snapshot, b"snapshot"))
    directory.run(Close(PATH, 1))
    directory, opened = reopen(disk, PATH)
    assert opened.logs[0].key == METADATA
    assert opened.logs[0].topic_id == METADATA_TOPIC_ID
    assert directory.run(GetFile(PATH, name)) == b"state"
    assert snapshot.partition("/")[2] in directory.run(ListFiles(PATH, "__cluster_metadata-0"))
    directory.run(RemoveFile(PATH, snapshot))
    directory.run(RemoveFile(PATH, snapshot))
    assert directory.run(GetFile(PATH, snapshot)) is None


def test_how_far_scrubbing_is_waits_for_no_sync() -> None:
    disk, directory = fresh()
    directory.run(PutFile(PATH, "progress.json", b"old and longer"))
    disk.fail(PATH, errno.EIO, "sync", "sync_dir")
    assert directory.run(NoteScrubbed(PATH, "progress.json", b"new")) is None
    disk.heal(PATH)
    disk.kill()
    directory, _ = reopen(disk, PATH)
    assert directory.run(GetFile(PATH, "progress.json")) == b"new"


def test_a_metadata_log_is_durable_after_an_unclean_open() -> None:
    disk, directory = fresh()
    directory.run(CreateLog(PATH, METADATA, METADATA_TOPIC_ID, LogSettings()))
    append(directory, batch(0, [b"x"]), key=METADATA)
    disk.kill()
    assert reopen(disk, PATH)[1].logs[0].end == 1
    disk.crash(Random(8))
    assert reopen(disk, PATH)[1].logs[0].end == 1


def test_settings_take_effect_at_the_next_append() -> None:
    _, directory = fresh()
    create(directory)
    fill(directory, 10)
    directory.run(Configure(PATH, KEY, LogSettings(segment_bytes=200)))
    fill(directory, 10)
    assert len(directory.logs[KEY].segments) > 3


def test_creating_again_gives_the_log_that_is_there() -> None:
    _, directory = fresh()
    create(directory)
    fill(directory, 10)
    assert create(directory).end == 10
    assert directory.logs[KEY].topic_id == TOPIC_ID


def test_a_name_that_is_used_again_begins_without_the_old_offsets() -> None:
    disk = with_records()
    directory, _ = reopen(disk, PATH)
    directory.run(WriteCheckpoints(PATH))
    directory.run(WriteHighWatermarks(PATH, {KEY.topic_partition: 40}))
    directory.run(Discard(PATH, KEY, "delete", "a" * 32))
    create(directory)
    append(directory, batch(0, [b"new"]))
    disk.kill()
    directory, opened = reopen(disk, PATH)
    assert (opened.logs[0].start, opened.logs[0].end) == (0, 1)


@pytest.mark.spec("B-13", "B-28")
def test_an_ordered_release_is_a_clean_close_and_nothing_is_looked_at_again() -> None:
    disk, directory = fresh()
    create(directory, segment_bytes=1000)
    fill(directory, 40)
    directory.run(Release(PATH))
    with pytest.raises(DiskFailed, match="by an operator"):
        directory.run(Read(PATH, KEY, 0, FAR, 10))
    last = sorted(n for n in disk.list(f"{PATH}/orders-3") if n.endswith(".log"))[-1]
    disk.crash(Random(1))
    disk.rot(f"{PATH}/orders-3/{last}", 100, 4)
    opened = directory.run(Open(PATH, CLUSTER, NODE))
    assert (opened.clean, opened.broker_epoch, opened.warnings) == (True, -1, ())
    assert [(log.start, log.end) for log in opened.logs] == [(0, 40)]
    with pytest.raises(LogFailed, match="CRC"):
        read_values(directory)


@pytest.mark.spec("B-15", "B-16")
def test_what_stands_in_the_way_of_a_log_costs_the_log_and_is_left_alone() -> None:
    disk, directory = fresh()
    put(disk, f"{PATH}/orders-3", b"a file")
    with pytest.raises(LogFailed, match="File exists"):
        create(directory)
    disk.make_dirs(f"{PATH}/other-0/photos")
    with pytest.raises(LogFailed, match="File exists"):
        create(directory, LogKey("other", 0))
    assert disk.stat(f"{PATH}/other-0/photos") is not None
    assert create(directory, LogKey("another", 0)).end == 0


@pytest.mark.spec("B-16")
def test_no_log_is_made_where_the_directory_was_unmounted(tmp_path: Path) -> None:
    disk, path = OsDisk(), f"{tmp_path}/mnt/kafka"
    format_at(disk, path)
    directory, _ = reopen(disk, path)
    (tmp_path / "mnt").rename(tmp_path / "away")
    (tmp_path / "mnt").mkdir()
    (gone,) = directory.run_group([CreateLog(path, LogKey("new", 0), TOPIC_ID, LogSettings())])
    assert isinstance(gone, DiskFailed)
    assert not (tmp_path / "mnt/kafka").exists()


def test_no_log_is_made_on_a_bare_mount_point(tmp_path: Path) -> None:
    disk, path = OsDisk(), f"{tmp_path}/mnt"
    format_at(disk, path)
    directory, _ = reopen(disk, path)
    (tmp_path / "mnt").rename(tmp_path / "away")
    (tmp_path / "mnt").mkdir()
    (gone,) = directory.run_group([CreateLog(path, LogKey("new", 0), TOPIC_ID, LogSettings())])
    assert isinstance(gone, DiskFailed)
    assert list((tmp_path / "mnt").iterdir()) == []
