"""The mark of a bad replica: written once, survives restarts and renames, tells bad from stray."""

from __future__ import annotations

import errno

import pytest
from tests.support.storage import KEY, batch, create, fill, fresh, reopen

from spindle.model.errors import LogFailed
from spindle.model.jobs import Append, Discard, MarkBad, Reload
from spindle.model.log_values import LogKey
from spindle.storage import bad

PATH = "/data/d1"
LOG = f"{PATH}/orders-3"
OTHER = LogKey("fine", 0)


def mark(why: str = "bad CRC", at: int = 5) -> MarkBad:
    return MarkBad(PATH, KEY, why, at)


@pytest.mark.spec("K589-02", "B-28")
def test_a_marked_log_serves_no_more_and_can_only_be_discarded() -> None:
    disk, directory = fresh()
    create(directory, KEY)
    create(directory, OTHER)
    fill(directory, 5)
    directory.run(mark())
    directory.run(mark("another reason", 6))
    with pytest.raises(LogFailed, match="could not be loaded"):
        directory.run(Append(PATH, KEY, [batch(5, [b"x"])], 0))
    with pytest.raises(LogFailed, match="discard it first"):
        create(directory, KEY)
    disk.kill()
    directory, opened = reopen(disk, PATH)
    assert [log.key for log in opened.logs] == [OTHER]
    assert [(q.name, q.why) for q in opened.quarantined] == [("orders-3", "bad CRC")]
    name = directory.run(Discard(PATH, KEY, "stray", "ab" * 16))
    create(directory, KEY)
    disk.kill()
    _, opened = reopen(disk, PATH)
    (copy,) = opened.bad
    assert (copy.name, copy.since_ms, copy.why) == (name, 5, "bad CRC")
    assert copy.size > 5 * 60
    assert opened.strays == ()


def test_a_log_that_is_not_there_cannot_be_marked() -> None:
    disk, directory = fresh()
    with pytest.raises(LogFailed, match="no such log"):
        directory.run(mark())
    create(directory, KEY)
    for name in disk.list(LOG):
        disk.remove(f"{LOG}/{name}")
    disk.remove(LOG)
    directory.run(mark())
    with pytest.raises(LogFailed):
        directory.run(Append(PATH, KEY, [batch(0, [b"x"])], 0))


def test_without_room_for_the_mark_it_is_known_in_this_run() -> None:
    disk, directory = fresh()
    create(directory, KEY)
    disk.fail(LOG, errno.ENOSPC, "write")
    directory.run(mark())
    with pytest.raises(LogFailed, match="discard it first"):
        create(directory, KEY)


@pytest.mark.spec("K589-04")
def test_a_new_log_does_not_write_into_the_files_of_the_bad_one() -> None:
    disk, directory = fresh()
    create(directory, KEY, segment_bytes=1000)
    fill(directory, 60)
    disk.kill()
    second = [n for n in disk.list(LOG) if n.endswith(".log")][2]
    disk.fail(f"{LOG}/{second}", errno.EIO, "read")
    directory, opened = reopen(disk, PATH)
    assert [q.suspect for q in opened.quarantined] == [True]
    with pytest.raises(LogFailed):
        directory.run(Reload(PATH, KEY))
    name = directory.run(Discard(PATH, KEY, "stray", "ab" * 16))
    before = {n: disk.contents(f"{PATH}/{name}/{n}") for n in disk.list(f"{PATH}/{name}")}
    create(directory, KEY)
    fill(directory, 4)
    assert disk.contents(f"{LOG}/{0:020d}.log")
    assert {n: disk.contents(f"{PATH}/{name}/{n}") for n in before} == before


@pytest.mark.parametrize("data", [b"", b"\xff\xfe\n", b"7\n5\nwhy\n", b"0\nx\nwhy\n"])
def test_a_mark_that_makes_no_sense_still_marks(data: bytes) -> None:
    disk, directory = fresh()
    create(directory, KEY)
    file = disk.open(f"{LOG}/replica-bad", create=True)
    file.write(0, [data])
    file.close()
    assert bad.read(disk, LOG) == bad.BadMark(0, "it is marked as bad")
    disk.kill()
    _, opened = reopen(disk, PATH)
    assert [q.why for q in opened.quarantined] == ["it is marked as bad"]
