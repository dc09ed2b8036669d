"""A log directory: opening whatever is there, group commit, what latches and what does not."""

from __future__ import annotations

import errno
import uuid
from random import Random

import pytest
from tests.support.storage import (
    CLUSTER,
    FAR,
    FUTURE,
    KEY,
    NODE,
    TOPIC_ID,
    append,
    batch,
    create,
    fill,
    format_at,
    fresh,
    ids,
    read_batches,
    read_values,
    reopen,
)

from spindle.model.errors import DiskFailed, LogFailed
from spindle.model.ids import METADATA_TOPIC_ID
from spindle.model.jobs import (
    Append,
    Appended,
    Checkpoint,
    Close,
    Configure,
    CreateLog,
    Discard,
    Flush,
    GetFile,
    ListFiles,
    LogSettings,
    Measure,
    MoveLogStart,
    Open,
    Purge,
    PutFile,
    Read,
    ReadResult,
    RemoveFile,
    Restore,
)
from spindle.model.logs import LogKey
from spindle.sim.disk import MemoryDisk
from spindle.storage import meta
from spindle.storage.directory import Directory

PATH = "/data/d1"
LOG = f"{PATH}/orders-3"
METADATA = LogKey("__cluster_metadata", 0)


def put(disk: MemoryDisk, path: str, data: bytes) -> None:
    """Write a file as somebody else would."""
    disk.make_dir(path.rpartition("/")[0])
    file = disk.open(path, create=True)
    file.truncate(0)
    file.write(0, [data])
    file.close()


def with_records(close: bool = True, **settings: int) -> MemoryDisk:
    """A directory with a log of 40 records."""
    disk, directory = fresh()
    create(directory, segment_bytes=1000, index_interval_bytes=200)
    fill(directory, 40)
    directory.run(Checkpoint(PATH, {KEY: 30}))
    if close:
        directory.run(Close(PATH, 5))
    else:
        disk.kill()
    return disk


# --- opening -------------------------------------------------------------------------------------


def test_a_clean_directory_is_trusted_and_the_marker_goes() -> None:
    disk = with_records()
    directory, opened = reopen(disk, PATH)
    assert (opened.clean, opened.broker_epoch, opened.warnings) == (True, 5, ())
    assert opened.logs[0].stable == 30
    assert ".kafka_cleanshutdown" not in disk.list(PATH)
    assert len(read_values(directory)) == 40
    disk.kill()
    assert not reopen(disk, PATH)[1].clean


@pytest.mark.spec("B-16")
def test_a_missing_or_blank_directory_fails_and_may_be_opened_later() -> None:
    disk = with_records()
    disk.rename(PATH, "/data/elsewhere")
    directory = Directory(disk, PATH)
    with pytest.raises(DiskFailed) as failed:
        directory.run(Open(PATH, CLUSTER, NODE))
    assert failed.value.errno == errno.ENOENT
    disk.make_dir(PATH)
    with pytest.raises(DiskFailed, match="not formatted"):
        directory.run(Open(PATH, CLUSTER, NODE))
    disk.remove(f"{PATH}/.lock")
    disk.remove(PATH)
    disk.rename("/data/elsewhere", PATH)
    assert directory.run(Open(PATH, CLUSTER, NODE)).logs[0].end == 40


def test_a_path_that_is_a_file_fails() -> None:
    disk = MemoryDisk()
    put(disk, PATH, b"x")
    with pytest.raises(DiskFailed) as failed:
        reopen(disk, PATH)
    assert failed.value.errno == errno.ENOTDIR


def test_another_cluster_or_node_is_refused_and_nothing_is_touched() -> None:
    disk = with_records()
    for cluster, node in (("other", NODE), (CLUSTER, 2)):
        with pytest.raises(DiskFailed, match="belongs to"):
            Directory(disk, PATH).run(Open(PATH, cluster, node))
    assert reopen(disk, PATH)[1].clean


def test_a_locked_directory_fails_without_harm() -> None:
    disk = with_records()
    reopen(disk, PATH)
    with pytest.raises(DiskFailed) as failed:
        reopen(disk, PATH)
    assert failed.value.errno == errno.EAGAIN


@pytest.mark.spec("K858-03")
def test_a_missing_directory_id_is_made_up_once() -> None:
    disk = with_records()
    meta.write(disk, PATH, meta.MetaProperties(1, CLUSTER, NODE))
    _, opened = reopen(disk, PATH)
    disk.crash(Random(3))
    _, again = reopen(disk, PATH, seed=77)
    assert opened.directory_id == again.directory_id == ids(2)()


@pytest.mark.spec("B-15")
def test_foreign_names_are_left_alone_and_told() -> None:
    disk = with_records()
    disk.make_dir(f"{PATH}/lost+found")
    disk.make_dir(f"{PATH}/.snapshot/inside")
    put(disk, f"{PATH}/readme.txt", b"x")
    _, opened = reopen(disk, PATH)
    assert opened.ignored == (".snapshot", "lost+found")
    assert len(opened.logs) == 1


@pytest.mark.spec("B-15")
@pytest.mark.parametrize("close", [True, False])
@pytest.mark.parametrize(
    "name",
    [
        "recovery-point-offset-checkpoint",
        "log-start-offset-checkpoint",
        "replication-offset-checkpoint",
        "orders-3/leader-epoch-checkpoint",
        "orders-3/00000000000000000040.snapshot",
        "orders-3/00000000000000000000.index",
        "orders-3/00000000000000000000.timeindex",
    ],
)
def test_a_damaged_small_file_is_rebuilt(name: str, close: bool) -> None:
    disk = with_records(close)
    put(disk, f"{PATH}/{name}", b"\xff\xfe garbage\n")
    directory, opened = reopen(disk, PATH)
    (loaded,) = opened.logs
    assert (loaded.start, loaded.end, loaded.epochs) == (0, 40, ((0, 0),))
    assert len(opened.warnings) <= 1
    assert len(read_values(directory)) == 40


@pytest.mark.spec("B-15")
@pytest.mark.parametrize("text", [b"", b"version: 0\ntopic_id: nonsense"])
def test_a_log_with_a_bad_topic_id_is_quarantined_alone(text: bytes) -> None:
    disk = with_records()
    put(disk, f"{LOG}/partition.metadata", text)
    directory, opened = reopen(disk, PATH)
    assert opened.logs == ()
    assert [q.name for q in opened.quarantined] == ["orders-3"]
    with pytest.raises(LogFailed, match="could not be loaded"):
        directory.run(Read(PATH, KEY, 0, FAR, 10))
    with pytest.raises(LogFailed, match="discard it first"):
        create(directory)
    name = directory.run(Discard(PATH, KEY, "stray", "c" * 32))
    assert disk.stat(f"{PATH}/{name}") is not None
    assert create(directory).end == 0


def test_a_missing_topic_id_is_told() -> None:
    disk = with_records()
    disk.remove(f"{LOG}/partition.metadata")
    _, opened = reopen(disk, PATH)
    assert opened.logs[0].topic_id is None
    assert opened.logs[0].end == 40


@pytest.mark.spec("K113-18")
def test_discarded_directories_are_listed_and_purged() -> None:
    disk = with_records()
    directory, _ = reopen(disk, PATH)
    name = directory.run(Discard(PATH, KEY, "delete", "d" * 32))
    disk.kill()
    directory, opened = reopen(disk, PATH)
    assert opened.deleted == (name,)
    assert opened.logs == ()
    freed = directory.run(Purge(PATH, name))
    assert freed > 2000
    assert directory.run(Purge(PATH, name)) == 0
    assert disk.stat(f"{PATH}/{name}") is None


def test_of_two_future_logs_of_one_partition_the_longer_stays() -> None:
    disk, directory = fresh()
    create(directory, FUTURE)
    fill(directory, 10, key=FUTURE)
    short = directory._logs[FUTURE].name
    disk.kill()
    other = f"orders-3.{'e' * 32}-future"
    disk.rename(f"{PATH}/{short}", f"{PATH}/{other}")
    directory, _ = reopen(disk, PATH)
    disk.kill()
    disk.rename(f"{PATH}/{other}", "/data/other")
    directory, _ = reopen(disk, PATH)
    create(directory, FUTURE)
    fill(directory, 4, key=FUTURE)
    disk.kill()
    disk.rename("/data/other", f"{PATH}/{other}")
    directory, opened = reopen(disk, PATH)
    assert [log.end for log in opened.logs] == [10]
    assert len(opened.deleted) == 1


def test_a_torn_tail_is_cut_and_told() -> None:
    disk = with_records(close=False)
    name = [n for n in disk.list(LOG) if n.endswith(".log")][-1]
    tail = disk.open(f"{LOG}/{name}")
    good = tail.size()
    tail.write(good, [b"half a batch"])
    directory, opened = reopen(disk, PATH)
    assert opened.logs[0].end == 40
    assert any("cut from" in w for w in opened.warnings)
    found = disk.stat(f"{LOG}/{name}")
    assert found is not None
    assert found.size == good
    assert len(read_values(directory)) == 40


def test_a_flipped_bit_in_the_unsynced_part_cuts_there_and_drops_the_rest() -> None:
    disk = with_records(close=False)
    segments = [n for n in disk.list(LOG) if n.endswith(".log")]
    middle = disk.open(f"{LOG}/{segments[2]}")
    middle.write(middle.size() - 1, [b"\xee"])
    directory, opened = reopen(disk, PATH)
    end = opened.logs[0].end
    assert int(segments[2][:20]) <= end < int(segments[3][:20])
    assert read_batches(directory)[-1].next_offset == end
    assert [n for n in disk.list(LOG) if n.endswith(".log")] == segments[:3]


def test_what_an_interrupted_compaction_left_is_completed() -> None:
    disk = with_records(close=False)
    first = disk.open(f"{LOG}/00000000000000000000.log")
    data = first.read(0, first.size())
    put(disk, f"{LOG}/00000000000000000000.log.swap", data)
    put(disk, f"{LOG}/00000000000000000036.log.cleaned", b"incomplete")
    put(disk, f"{LOG}/00000000000000000036.log.swap", b"incomplete")
    put(disk, f"{LOG}/00000000000000000000.log.deleted", b"old")
    disk.remove(f"{LOG}/00000000000000000000.log")
    directory, opened = reopen(disk, PATH)
    assert opened.logs[0].end == 40
    assert len(read_values(directory)) == 40
    assert not [n for n in disk.list(LOG) if n.endswith((".swap", ".cleaned", ".deleted"))]


def test_a_discarded_log_is_restored_as_it_was() -> None:
    disk = with_records()
    directory, _ = reopen(disk, PATH)
    directory.run(MoveLogStart(PATH, KEY, 11))
    name = directory.run(Discard(PATH, KEY, "delete", "d" * 32))
    loaded = directory.run(Restore(PATH, KEY, name))
    assert (loaded.start, loaded.end) == (11, 40)
    assert set(read_values(directory)) == set(range(11, 40))
    with pytest.raises(LogFailed, match="already"):
        directory.run(Restore(PATH, KEY, name))


# --- groups ------------------------------------------------------------------------------------


def test_appends_of_a_group_share_one_sync() -> None:
    disk, directory = fresh()
    create(directory)
    append(directory, batch(0, [b"x"]), sync=True)
    before = disk.changes
    group = [Append(PATH, KEY, [batch(n, [b"x"])], 0, True) for n in range(1, 20)]
    results = directory.run_group(group)
    assert [r.end for r in results] == list(range(2, 21))
    assert disk.changes - before == 20, "19 writes and one sync"


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
    assert disk.locked == set(), "the lock is free for whoever repairs it"


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
    disk.fail(LOG, errno.EIO, "write")
    with pytest.raises(DiskFailed) as failed:
        append(directory, batch(0, [b"x"]))
    assert (failed.value.verb, failed.value.errno) == ("Append", errno.EIO)
    with pytest.raises(DiskFailed):
        directory.run(Read(PATH, KEY, 0, FAR, 10))
    disk.heal(PATH)
    assert directory.run(Measure(PATH)).usable > 0
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
        directory.run(Measure(PATH))
    assert failed.value.errno == errno.EROFS


@pytest.mark.spec("B-12")
def test_a_full_disk_does_not_latch_and_leaves_no_torn_batch() -> None:
    disk, directory = fresh()
    create(directory)
    append(directory, batch(0, [b"x" * 100]))
    disk.capacity[PATH] = directory.disk.usage(PATH).total
    used = sum(disk.stat(f"{LOG}/{n}").size for n in disk.list(LOG))  # type: ignore[union-attr]
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
        Directory(disk, PATH).run(Flush(PATH, KEY))


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
    assert len(directory._logs[KEY].segments) > 3


def test_creating_again_gives_the_log_that_is_there() -> None:
    _, directory = fresh()
    create(directory)
    fill(directory, 10)
    assert create(directory).end == 10
    assert directory._logs[KEY].topic_id == TOPIC_ID


def test_a_name_that_is_used_again_begins_without_the_old_offsets() -> None:
    disk = with_records()
    directory, _ = reopen(disk, PATH)
    directory.run(Checkpoint(PATH, {KEY: 40}))
    directory.run(Discard(PATH, KEY, "delete", "a" * 32))
    create(directory)
    append(directory, batch(0, [b"new"]))
    disk.kill()
    directory, opened = reopen(disk, PATH)
    assert (opened.logs[0].start, opened.logs[0].end) == (0, 1)
