"""Damaged logs on good disks: found by reads, at start and by the scrubber; never served (B-28)."""

from __future__ import annotations

import errno
from collections.abc import Callable

import pytest
from tests.support.storage import (
    FAR,
    KEY,
    append,
    batch,
    create,
    fill,
    fresh,
    read_values,
    reopen,
)

from spindle.model.errors import DiskFailed, LogFailed
from spindle.model.jobs import (
    Append,
    Close,
    Read,
    Truncate,
    WriteCheckpoints,
)
from spindle.model.log_values import LogKey, OpenedDirectory
from spindle.model.scrub_jobs import Scrub, Scrubbed, ScrubPlace
from spindle.sim.memory_disk import MemoryDisk, MemoryFile
from spindle.storage.blame import VICTIMS_MAX, Blame
from spindle.storage.directory import LogDirectory

PATH = "/data/d1"
LOG = f"{PATH}/orders-3"
OTHER = LogKey("fine", 0)


def filled(count: int = 60) -> tuple[MemoryDisk, LogDirectory]:
    """Two logs with several segments each."""
    disk, directory = fresh()
    for key in (KEY, OTHER):
        create(directory, key, segment_bytes=1000, index_interval_bytes=100)
        fill(directory, count, key)
    return disk, directory


def segments(disk: MemoryDisk, log: str = LOG) -> list[str]:
    return [f"{log}/{n}" for n in disk.list(log) if n.endswith(".log")]


def flip(disk: MemoryDisk, path: str, at: int, mask: int = 0x10) -> None:
    file = disk.open(path)
    byte = file.read(at, 1)[0] ^ mask
    file.write(at, [bytes([byte])])
    file.close()


def scrub_round(directory: LogDirectory, most: int = 300) -> list[Scrubbed]:
    """A whole round, in small pieces."""
    found, place = [], ScrubPlace()
    while True:
        piece = directory.run(Scrub(PATH, place, most))
        found.append(piece)
        if piece.next is None:
            return found
        assert piece.next > place, "a round goes forward"
        place = piece.next


def close_and_reopen(
    disk: MemoryDisk, directory: LogDirectory
) -> tuple[LogDirectory, OpenedDirectory]:
    directory.run(Close(PATH, 5))
    return reopen(disk, PATH)


# --- the scrubber --------------------------------------------------------------------------------


@pytest.mark.spec("B-28")
def test_a_round_looks_at_every_byte_once_and_finds_a_good_directory_good() -> None:
    _, directory = filled()
    pieces = scrub_round(directory)
    assert sum(p.bytes for p in pieces) == sum(log.size for log in directory.logs.values())
    assert not any(p.bad or p.mended for p in pieces)
    assert max(p.bytes for p in pieces) <= 300 + 250
    again, size = directory.run(Scrub(PATH, ScrubPlace(), 1 << 30)), 0
    while again.next is not None:
        size += again.bytes
        again = directory.run(Scrub(PATH, again.next, 1 << 30))
    assert size + again.bytes == sum(p.bytes for p in pieces)


@pytest.mark.spec("B-28")
def test_a_step_reads_about_what_it_looks_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Appends wait for it: a read of much more than is asked for would be felt."""
    _, directory = fresh()
    create(directory, KEY, segment_bytes=1 << 20)
    fill(directory, 1500)
    read: list[int] = []
    whole = MemoryFile.read

    def counted(file: MemoryFile, offset: int, length: int) -> bytes:
        data = whole(file, offset, length)
        read.append(len(data))
        return data

    monkeypatch.setattr(MemoryFile, "read", counted)
    place = ScrubPlace()
    for _ in range(5):
        read.clear()
        piece = directory.run(Scrub(PATH, place, 20_000))
        assert 20_000 <= piece.bytes < 20_200
        assert sum(read) < 2.5 * 20_000
        assert piece.next is not None
        place = piece.next


@pytest.mark.spec("B-28")
@pytest.mark.parametrize("number", [0, 1, -1])
def test_a_flipped_bit_is_found_in_any_segment_and_costs_its_log_alone(number: int) -> None:
    disk, directory = filled()
    path = segments(disk)[number]
    flip(disk, path, 200)
    bad = [b for p in scrub_round(directory) for b in p.bad]
    assert [b.key for b in bad] == [KEY]
    assert path in bad[0].why
    assert len(read_values(directory, OTHER)) == 60


@pytest.mark.spec("B-28")
def test_a_file_that_was_cut_or_removed_or_cannot_be_read_is_found() -> None:
    harm: tuple[tuple[Callable[[MemoryDisk, str], object], str], ...] = (
        (lambda d, p: d.open(p).truncate(300), "has 300 of its"),
        (lambda d, p: d.remove(p), "is missing"),
        (lambda d, p: d.fail(p, errno.EIO, "read"), ""),
        (lambda d, p: d.fail(p, errno.EACCES, "open"), ""),
    )
    for hurt, words in harm:
        disk, directory = filled()
        path = segments(disk)[1]
        hurt(disk, path)
        bad = [b for p in scrub_round(directory) for b in p.bad]
        assert [b.key for b in bad] == [KEY]
        assert words in bad[0].why
        assert append(directory, batch(60, [b"on"]), key=OTHER) == 61


@pytest.mark.spec("B-28")
@pytest.mark.parametrize("kind", [".index", ".timeindex"])
def test_a_wrong_index_is_made_again_and_costs_nothing(kind: str) -> None:
    disk, directory = filled()
    path = segments(disk)[1].removesuffix(".log") + kind
    before = disk.contents(path)
    assert before is not None
    flip(disk, path, 5, 0x03)
    pieces = scrub_round(directory)
    assert not any(p.bad for p in pieces)
    (line,) = [line for p in pieces for line in p.mended]
    assert "indexes rebuilt" in line
    assert disk.contents(path) == before
    assert not any(p.mended for p in scrub_round(directory))
    assert len(read_values(directory)) == 60


def test_a_round_goes_on_where_logs_have_come_and_gone() -> None:
    _, directory = filled()
    piece = directory.run(Scrub(PATH, ScrubPlace("gone-7", 5, 100), 10_000))
    assert piece.bytes > 0
    assert directory.run(Scrub(PATH, ScrubPlace("zzz-0"), 100)) == Scrubbed(None, 0)
    end = directory.run(Scrub(PATH, ScrubPlace("orders-3", 1 << 40, 7), 100))
    assert end.bytes == 0


def test_a_segment_that_was_cut_and_grew_since_the_last_look_is_not_called_damaged() -> None:
    for size in (50, 70, 90):
        _, directory = fresh()
        create(directory, segment_bytes=100_000, index_interval_bytes=100)
        fill(directory, 20)
        place = directory.run(Scrub(PATH, ScrubPlace(), 700)).next
        assert place is not None
        assert place.position >= 700
        directory.run(Truncate(PATH, KEY, 2))
        fill(directory, 20, size=size)
        found = directory.run(Scrub(PATH, place, 1 << 20))
        assert found.bad == ()
        whole = directory.logs[KEY].size
        assert found.bytes == (whole - place.position if size == 50 else whole)


# --- reads ----------------------------------------------------------------------------------------


@pytest.mark.spec("B-28", "K589-02")
def test_a_read_gives_no_bad_byte_away() -> None:
    disk, directory = filled()
    flip(disk, segments(disk)[1], 150)
    with pytest.raises(LogFailed, match="CRC") as failed:
        read_values(directory)
    assert str(failed.value).count(str(KEY)) == 1
    assert len(read_values(directory, OTHER)) == 60


@pytest.mark.spec("B-28")
@pytest.mark.parametrize("at", range(0, 64, 5))
def test_a_wrong_index_leads_no_reader_past_a_record(at: int) -> None:
    disk, directory = filled()
    whole = read_values(directory)
    directory, _ = close_and_reopen(disk, directory)
    path = segments(disk)[1].removesuffix(".log") + ".index"
    found = disk.contents(path)
    assert found is not None
    flip(disk, path, at % len(found), 0x07)
    for offset in range(60):
        data = directory.run(Read(PATH, KEY, offset, FAR, 1)).data
        assert int.from_bytes(data[:8], "big") <= offset
    assert read_values(directory) == whole


# --- starting -------------------------------------------------------------------------------------


@pytest.mark.spec("B-28", "B-15")
def test_after_a_clean_stop_what_is_missing_costs_one_log_and_nothing_is_thrown_away() -> None:
    harm: tuple[Callable[[MemoryDisk, list[str]], object], ...] = (
        lambda d, paths: d.open(paths[1]).truncate(333),
        lambda d, paths: d.open(paths[1]).truncate(0),
        lambda d, paths: d.remove(paths[1]),
        lambda d, paths: d.remove(paths[-1]),
        lambda d, paths: d.open(paths[-1]).truncate(70),
        lambda d, paths: d.fail(paths[1], errno.EIO, "read"),
    )
    for hurt in harm:
        disk, directory = filled()
        directory.run(Close(PATH, 5))
        paths = segments(disk)
        hurt(disk, paths)
        left = segments(disk)
        _, opened = reopen(disk, PATH)
        assert [log.key for log in opened.logs] == [OTHER]
        assert [q.name for q in opened.quarantined] == ["orders-3"]
        assert segments(disk) == left


@pytest.mark.spec("B-28")
def test_after_a_kill_damage_before_the_recovery_point_costs_one_log() -> None:
    disk, directory = filled()
    log = directory.logs[KEY]
    log.sync()
    directory.run(WriteCheckpoints(PATH))
    disk.settle()
    disk.kill()
    left = segments(disk)
    disk.open(left[1]).truncate(333)
    _, opened = reopen(disk, PATH)
    assert [q.name for q in opened.quarantined] == ["orders-3"]
    assert segments(disk) == left


# --- a bad replica or a bad disk ------------------------------------------------------------------


@pytest.mark.spec("K589-02", "B-28")
@pytest.mark.parametrize(
    ("number", "probe", "log"),
    [
        (errno.EIO, True, True),
        (errno.EIO, False, False),
        (errno.EACCES, True, True),
        (errno.ENOENT, True, True),
        (errno.ENOENT, False, False),
        (errno.EROFS, True, False),
        (errno.ENOSPC, True, False),
        (errno.ENODEV, True, False),
        (errno.ETIMEDOUT, True, False),
        (errno.EMFILE, False, True),
    ],
)
def test_the_rule(number: int, probe: bool, log: bool) -> None:
    assert Blame(lambda: probe).is_the_logs(number, "t-0") is log


@pytest.mark.spec("K589-02")
def test_a_disk_that_loses_file_after_file_is_bad_whatever_its_probes_say() -> None:
    blame = Blame(lambda: True)
    for n in range(VICTIMS_MAX):
        assert blame.is_the_logs(errno.EIO, f"t-{n}")
        assert blame.is_the_logs(errno.EIO, f"t-{n}"), "the same log again is no news"
    assert not blame.is_the_logs(errno.EIO, "one more")


@pytest.mark.spec("K589-02")
def test_a_sick_file_costs_its_log_and_a_sick_disk_all_of_them() -> None:
    disk, directory = filled()
    disk.fail(LOG + "/", errno.EIO, "write")
    with pytest.raises(LogFailed):
        directory.run(Append(PATH, KEY, [batch(60, [b"x"])], 0))
    assert append(directory, batch(60, [b"on"]), key=OTHER) == 61
    disk, directory = filled()
    disk.fail(PATH, errno.EIO)
    with pytest.raises(DiskFailed):
        directory.run(Read(PATH, KEY, 0, FAR, 100))
    with pytest.raises(DiskFailed):
        directory.run(Read(PATH, OTHER, 0, FAR, 100))
