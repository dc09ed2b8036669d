"""What a start finds at a log's edges: bytes of another history, leftovers, old checkpoints."""

from __future__ import annotations

import pytest
from tests.support.storage import (
    KEY,
    append,
    batch,
    create,
    fill,
    fresh,
    put,
    read_values,
    reopen,
    with_records,
)

from spindle.model.errors import LogFailed
from spindle.model.jobs import Close, Flush, MarkBad, MoveLogStart, Reload, ReloadManner
from spindle.sim.memory_disk import MemoryDisk
from spindle.storage.behind import Behind, look
from spindle.wire.batch import stamped

PATH = "/data/d1"
LOG = f"{PATH}/orders-3"


@pytest.mark.spec("B-28")
def test_a_good_batch_is_found_where_two_windows_of_the_search_meet() -> None:
    disk, whole = MemoryDisk(), b"".join(map(bytes, stamped(batch(7, [b"good"]))))
    at = (1 << 20) - 30
    put(disk, "/data/file", bytes(at) + whole + bytes(100))
    found = Behind()
    file = disk.open("/data/file")
    assert look(file, 0, file.size(), 0, found) == 8
    assert (found.batches, found.records, found.bytes) == (1, 1, len(whole))


@pytest.mark.spec("B-28")
def test_a_damaged_log_keeps_its_leftovers_as_well() -> None:
    disk = with_records(close=False)
    orphan = f"{99:020d}.index"
    put(disk, f"{LOG}/{orphan}", b"12345678")
    disk.rot(f"{LOG}/{0:020d}.log", 200, 4)
    assert len(reopen(disk, PATH)[1].quarantined) == 1
    assert orphan in disk.list(LOG)
    disk.rot(f"{LOG}/{0:020d}.log", 200, 4)
    disk.kill()
    assert reopen(disk, PATH)[1].quarantined == ()
    assert orphan not in disk.list(LOG)


def test_a_segment_that_begins_within_the_one_before_is_not_of_this_log() -> None:
    disk = with_records(close=False)
    data = b"".join(map(bytes, stamped(batch(39, [b"x"] * 3))))
    put(disk, f"{LOG}/{39:020d}.log", data)
    directory, opened = reopen(disk, PATH)
    assert [log.end for log in opened.logs] == [40]
    assert any("segment 39 dropped" in w for w in opened.warnings)
    assert len(read_values(directory)) == 40


@pytest.mark.spec("B-28")
def test_a_batch_of_an_earlier_epoch_behind_a_later_one_is_damage() -> None:
    disk, directory = fresh()
    create(directory)
    append(directory, batch(0, [b"x"], epoch=3))
    append(directory, batch(1, [b"y"], epoch=1))
    disk.kill()
    (bad,) = reopen(disk, PATH)[1].quarantined
    assert "epoch 1 after epoch 3" in bad.why


def test_an_epoch_that_begins_beyond_the_end_is_forgotten() -> None:
    disk = with_records()
    put(disk, f"{LOG}/leader-epoch-checkpoint", b"0\n2\n0 0\n1 60\n")
    assert reopen(disk, PATH)[1].logs[0].epochs == ((0, 0),)


def test_a_clean_stop_keeps_what_was_deleted_deleted() -> None:
    disk, directory = fresh()
    create(directory)
    fill(directory, 40)
    directory.run(MoveLogStart(PATH, KEY, 30))
    directory.run(Close(PATH, 5))
    assert reopen(disk, PATH)[1].logs[0].start == 30


@pytest.mark.spec("B-28")
def test_a_repaired_log_is_read_whole_whatever_its_checkpoint_says() -> None:
    disk, directory = fresh()
    create(directory, segment_bytes=1000)
    fill(directory, 40)
    directory.run(Flush(PATH, KEY))
    directory.run(Close(PATH, 5))
    directory, _ = reopen(disk, PATH)
    directory.run(MarkBad(PATH, KEY, "a bad sector", 7))
    disk.rot(f"{LOG}/{0:020d}.log", 200, 4)
    with pytest.raises(LogFailed, match="segment 0 is damaged"):
        directory.run(Reload(PATH, KEY, ReloadManner.MENDED))
