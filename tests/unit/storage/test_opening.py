"""Opening a log directory, whatever is there: clean, unclean, foreign, damaged, torn."""

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
    create,
    fill,
    fresh,
    ids,
    put,
    read_values,
    reopen,
    with_records,
)

from spindle.model.cleaning_jobs import CleanRules, PlanClean
from spindle.model.errors import DiskFailed, LogFailed
from spindle.model.jobs import (
    CreateLog,
    Discard,
    Flush,
    LogSettings,
    MarkBad,
    MoveLogStart,
    Open,
    Purge,
    Read,
    Reload,
    ReloadManner,
    Reset,
    Restore,
    Truncate,
    WriteCheckpoints,
    WriteHighWatermarks,
)
from spindle.model.log_values import LogKey
from spindle.sim.memory_disk import MemoryDisk
from spindle.storage import meta
from spindle.storage.directory import LogDirectory

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
    directory = LogDirectory(disk, PATH)
    with pytest.raises(DiskFailed) as failed:
        directory.run(Open(PATH, CLUSTER, NODE))
    assert failed.value.errno == errno.ENOENT
    disk.make_dirs(PATH)
    with pytest.raises(DiskFailed, match="not formatted"):
        directory.run(Open(PATH, CLUSTER, NODE))
    assert disk.list(PATH) == []  # Nothing is written below a mount point without its disk.
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
            LogDirectory(disk, PATH).run(Open(PATH, cluster, node))
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
def test_foreign_names_are_left_alone_and_reported() -> None:
    disk = with_records()
    disk.make_dirs(f"{PATH}/lost+found")
    disk.make_dirs(f"{PATH}/.snapshot/inside")
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


def test_a_missing_topic_id_is_reported() -> None:
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
    short = directory.logs[FUTURE].local.name
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


def test_a_torn_tail_is_cut_and_reported() -> None:
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


def segments_of(disk: MemoryDisk) -> dict[str, bytes]:
    """The log's records, file by file."""
    found = {}
    for name in disk.list(LOG):
        if name.endswith(".log"):
            file = disk.open(f"{LOG}/{name}")
            found[name] = bytes(file.read(0, file.size()))
            file.close()
    return found


@pytest.mark.spec("B-28")
@pytest.mark.parametrize(
    ("number", "at"), [(0, 200), (2, 200), (2, -1), (3, 9), (-1, 200), (0, 11), (-1, 11)]
)
def test_damage_with_good_batches_behind_it_is_never_cut(number: int, at: int) -> None:
    disk = with_records(close=False)
    name = sorted(segments_of(disk))[number]
    size = len(segments_of(disk)[name])
    disk.rot(f"{LOG}/{name}", at % size, 0x40)
    before = segments_of(disk)
    directory, opened = reopen(disk, PATH)
    (bad,) = opened.quarantined
    assert opened.logs == ()
    assert not bad.suspect
    assert f"segment {int(name[:20])} is damaged: " in bad.why, bad.why
    assert " good records (" in bad.why
    assert segments_of(disk) == before
    with pytest.raises(LogFailed, match="is damaged"):
        directory.run(Reload(PATH, KEY, ReloadManner.MENDED))
    assert segments_of(disk) == before
    disk.rot(f"{LOG}/{name}", at % size, 0x40)
    assert directory.run(Reload(PATH, KEY, ReloadManner.MENDED)).end == 40
    assert len(read_values(directory)) == 40


@pytest.mark.spec("B-28")
def test_a_log_of_which_a_later_segment_alone_survived_is_damaged() -> None:
    disk = with_records(close=False)
    names = sorted(segments_of(disk))
    disk.open(f"{LOG}/{names[2]}").truncate(0)
    before = segments_of(disk)
    _, opened = reopen(disk, PATH)
    assert "good records" in opened.quarantined[0].why
    assert segments_of(disk) == before


@pytest.mark.spec("B-31")
@pytest.mark.parametrize("close", [True, False])
@pytest.mark.parametrize("name", ["replication-offset", "recovery-point-offset"])
def test_a_log_that_is_shorter_than_its_checkpoints_say_is_damaged(name: str, close: bool) -> None:
    disk = with_records(close)
    put(disk, f"{PATH}/{name}-checkpoint", b"0\n1\norders 3 41\n")
    before = segments_of(disk)
    directory, opened = reopen(disk, PATH)
    assert [q.why for q in opened.quarantined] == ["it ends at 40, and had reached 41"]
    assert segments_of(disk) == before
    directory.run(MarkBad(PATH, KEY, opened.quarantined[0].why, 7))
    directory.run(WriteCheckpoints(PATH))
    disk.kill()
    directory, opened = reopen(disk, PATH)
    assert [q.why for q in opened.quarantined] == ["it ends at 40, and had reached 41"]
    with pytest.raises(LogFailed, match="had reached 41"):
        directory.run(Reload(PATH, KEY, ReloadManner.MENDED))
    assert directory.run(Reload(PATH, KEY, ReloadManner.LOSS_ACCEPTED)).end == 40
    disk.kill()
    assert [log.end for log in reopen(disk, PATH)[1].logs] == [40]


@pytest.mark.spec("B-28")
def test_damage_in_the_last_batch_of_what_was_on_the_medium_is_never_cut() -> None:
    """Nothing good is behind it, but a crash cannot have torn what was synced before."""
    disk = with_records()
    name = sorted(segments_of(disk))[-2]
    size = len(segments_of(disk)[name])
    directory, _ = reopen(disk, PATH)
    directory.run(Reload(PATH, KEY))
    directory.run(Flush(PATH, KEY))
    directory.run(WriteCheckpoints(PATH))
    disk.kill()
    for later in sorted(segments_of(disk))[-1:]:
        disk.open(f"{LOG}/{later}").truncate(0)
    disk.rot(f"{LOG}/{name}", size - 1, 0x40)
    for index in (".index", ".timeindex"):
        disk.remove(f"{LOG}/{name[:20]}{index}")
    before = segments_of(disk)
    put(disk, f"{PATH}/replication-offset-checkpoint", b"0\n0\n")
    _, opened = reopen(disk, PATH)
    assert [f"segment {int(name[:20])} is damaged" in q.why for q in opened.quarantined] == [True]
    assert segments_of(disk) == before


@pytest.mark.spec("B-31")
@pytest.mark.parametrize("kind", ["cut", "reset"])
def test_a_cut_is_no_loss_at_the_next_start(kind: str) -> None:
    """The high watermark on disk is from before it. An unclean leader's follower is cut so."""
    disk = with_records()
    directory, _ = reopen(disk, PATH)
    job = Truncate(PATH, KEY, 10) if kind == "cut" else Reset(PATH, KEY, 0)
    end = directory.run(job).end
    disk.kill()
    _, opened = reopen(disk, PATH)
    assert [log.end for log in opened.logs] == [end], opened.quarantined


@pytest.mark.spec("B-31")
def test_a_log_that_is_marked_as_bad_remembers_how_far_it_had_come() -> None:
    disk, directory = fresh()
    create(directory, segment_bytes=1000)
    fill(directory, 40)
    directory.run(MarkBad(PATH, KEY, "a bad sector", 7))
    disk.kill()
    last = sorted(segments_of(disk))[-1]
    disk.open(f"{LOG}/{last}").truncate(0)
    directory, _ = reopen(disk, PATH)
    with pytest.raises(LogFailed, match="had reached 40"):
        directory.run(Reload(PATH, KEY, ReloadManner.MENDED))


@pytest.mark.spec("B-31")
def test_a_log_in_use_that_comes_back_shorter_is_not_taken() -> None:
    disk, directory = fresh()
    create(directory, segment_bytes=1000)
    fill(directory, 40)
    last = sorted(segments_of(disk))[-1]
    disk.open(f"{LOG}/{last}").truncate(0)
    with pytest.raises(LogFailed, match="had reached 40"):
        directory.run(Reload(PATH, KEY))


@pytest.mark.spec("B-28")
@pytest.mark.parametrize("segment_bytes", [1000, 1 << 20], ids=["several segments", "one"])
def test_a_second_look_at_a_damaged_log_in_use_cuts_nothing(segment_bytes: int) -> None:
    """As after an I/O error: what is good behind the damage can still be saved."""
    disk, directory = fresh()
    create(directory, segment_bytes=segment_bytes)
    fill(directory, 40)
    directory.run(Flush(PATH, KEY))
    active = max(segments_of(disk))
    disk.rot(f"{LOG}/{active}", len(segments_of(disk)[active]) // 2, 0x40)
    before = segments_of(disk)
    with pytest.raises(LogFailed, match=rf"segment {int(active[:20])} is damaged: "):
        directory.run(Reload(PATH, KEY))
    assert segments_of(disk) == before


@pytest.mark.spec("B-15", "B-28")
@pytest.mark.parametrize("close", [True, False])
def test_a_start_beyond_the_end_is_doubted_and_the_log_is_kept(close: bool) -> None:
    disk = with_records(close)
    put(disk, f"{PATH}/log-start-offset-checkpoint", b"0\n1\norders 3 99999999\n")
    before = segments_of(disk)
    directory, opened = reopen(disk, PATH)
    (loaded,) = opened.logs
    assert (loaded.start, loaded.end) == (0, 40)
    assert [w for w in opened.warnings if "log-start" in w] == list(opened.warnings)
    assert len(opened.warnings) == 1
    assert segments_of(disk) == before
    assert len(read_values(directory)) == 40


@pytest.mark.spec("B-15")
@pytest.mark.parametrize("close", [True, False])
def test_epochs_that_no_batch_was_written_in_are_doubted(close: bool) -> None:
    disk = with_records(close)
    put(disk, f"{LOG}/leader-epoch-checkpoint", b"0\n2\n0 0\n99999 1\n")
    directory, opened = reopen(disk, PATH)
    assert opened.logs[0].epochs == ((0, 0),)
    assert len(read_values(directory)) == 40


@pytest.mark.spec("B-28")
def test_what_is_cut_from_the_metadata_log_is_kept_where_it_is_good() -> None:
    disk, directory = fresh()
    directory.run(CreateLog(PATH, METADATA, uuid.UUID(int=1), LogSettings()))
    fill(directory, 20, key=METADATA)
    disk.kill()
    name = f"{PATH}/__cluster_metadata-0/{0:020d}.log"
    disk.rot(name, 200, 4)
    _, opened = reopen(disk, PATH)
    assert opened.logs[0].end == 2
    (kept,) = [n for n in disk.list(f"{PATH}/__cluster_metadata-0") if n.endswith(".cut")]
    assert any(kept in w for w in opened.warnings)
    assert any("good records" in w for w in opened.warnings)


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
    assert not [n for n in disk.list(LOG) if n.endswith((".swap", ".cleaned", ".log.deleted"))]


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


@pytest.mark.spec("B-15")
def test_a_directory_in_the_place_of_a_checkpoint_is_set_aside() -> None:
    disk = with_records()
    disk.remove(f"{PATH}/replication-offset-checkpoint")
    disk.make_dirs(f"{PATH}/replication-offset-checkpoint/photos")
    directory, opened = reopen(disk, PATH)
    assert opened.logs[0].end == 40
    (warning,) = opened.warnings
    assert "it was a directory" in warning
    assert disk.list(f"{PATH}/replication-offset-checkpoint.aside") == ["photos"]
    directory.run(WriteHighWatermarks(PATH, {KEY.topic_partition: 40}))


@pytest.mark.spec("B-15")
def test_a_cleaner_offset_beyond_the_end_keeps_no_log_from_being_cleaned() -> None:
    disk = with_records()
    put(disk, f"{PATH}/cleaner-offset-checkpoint", b"0\n1\norders 3 99999999\n")
    directory, _ = reopen(disk, PATH)
    rules = CleanRules(0.0, 0, 1 << 60, 0, 1 << 20)
    plan = directory.run(PlanClean(PATH, KEY, rules, FAR, 1 << 40))
    assert plan is not None
