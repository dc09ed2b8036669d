"""Opening a log directory, whatever is there: clean, unclean, foreign, damaged, torn."""

from __future__ import annotations

import errno
from random import Random

import pytest
from tests.support.storage import (
    CLUSTER,
    FAR,
    FUTURE,
    KEY,
    NODE,
    create,
    fill,
    fresh,
    ids,
    put,
    read_batches,
    read_values,
    reopen,
    with_records,
)

from spindle.model.errors import DiskFailed, LogFailed
from spindle.model.jobs import (
    Discard,
    MoveLogStart,
    Open,
    Purge,
    Read,
    Restore,
)
from spindle.model.logs import LogKey
from spindle.sim.disk import MemoryDisk
from spindle.storage import meta
from spindle.storage.directory import Directory

PATH = "/data/d1"
LOG = f"{PATH}/orders-3"
METADATA = LogKey("__cluster_metadata", 0)


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
