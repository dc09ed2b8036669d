"""What is good of a damaged log is saved, batch for batch; what is not lies in the copy aside."""

from __future__ import annotations

import errno

import pytest
from tests.support.storage import (
    KEY,
    accept_loss,
    append,
    batch,
    create,
    fill,
    fresh,
    read_values,
    reopen,
)

from spindle.model.errors import LogFailed
from spindle.model.jobs import MarkBad, Salvage
from spindle.sim.memory_disk import MemoryDisk
from spindle.storage.directory import LogDirectory

PATH = "/data/d1"
LOG = f"{PATH}/orders-3"
UNIQUE = "ab" * 16
ASIDE = f"orders-3.{UNIQUE}-stray"
COUNT = 60


def filled() -> tuple[MemoryDisk, LogDirectory, dict[int, bytes]]:
    disk, directory = fresh()
    create(directory, KEY, segment_bytes=1000, index_interval_bytes=100)
    fill(directory, COUNT)
    return disk, directory, read_values(directory)


def segments(disk: MemoryDisk) -> list[str]:
    return [f"{LOG}/{n}" for n in disk.list(LOG) if n.endswith(".log")]


@pytest.mark.spec("B-28")
@pytest.mark.parametrize("number", [0, 2, -1])
def test_a_flipped_bit_costs_one_batch(number: int) -> None:
    disk, directory, whole = filled()
    disk.rot(segments(disk)[number], 200, 4)
    (line,) = accept_loss(directory)
    left = read_values(directory)
    missing = sorted(whole.keys() - left.keys())
    assert len(missing) == 2
    assert missing[1] == missing[0] + 1
    assert left == {o: v for o, v in whole.items() if o not in missing}
    assert "bytes" in line
    append(directory, batch(COUNT, [b"on"]))
    disk.kill()
    directory, opened = reopen(disk, PATH)
    assert opened.quarantined == ()
    assert read_values(directory) == {**left, COUNT: b"on"}
    (copy,) = opened.bad
    assert (copy.name, copy.since_ms, copy.why) == (ASIDE, 7, "bad CRC")


@pytest.mark.parametrize(
    ("hurt", "segment_lost"),
    [
        (lambda d, p: d.remove(p), True),
        (lambda d, p: d.fail(p, errno.EIO, "read"), True),
        (lambda d, p: (d.remove(p), d.make_dirs(p)), True),
        (lambda d, p: d.open(p).truncate(400), False),
        (lambda d, p: d.rot(p, 8, 0x40), True),
    ],
)
def test_what_cannot_be_read_costs_its_segment_or_the_rest_of_it(
    hurt: object, segment_lost: bool
) -> None:
    disk, directory, whole = filled()
    path, following = segments(disk)[2:4]
    hurt(disk, path)  # type: ignore[operator]
    first, end = int(path[-24:-4]), int(following[-24:-4])
    assert len(accept_loss(directory)) == 1
    left = read_values(directory)
    assert {o: v for o, v in whole.items() if not first <= o < end}.items() <= left.items()
    inside = [o for o in left if first <= o < end]
    assert (inside == []) == segment_lost
    assert len(inside) < end - first
    disk.heal("/")
    disk.kill()
    directory, _ = reopen(disk, PATH)
    assert read_values(directory) == left


def test_a_good_log_loses_nothing_and_a_crash_between_steps_leaves_it_bad() -> None:
    disk, directory, whole = filled()
    assert accept_loss(directory) == []
    assert read_values(directory) == whole
    disk.rot(segments(disk)[1], 200, 4)
    directory.run(MarkBad(PATH, KEY, "bad CRC", 5))
    directory.run(Salvage(PATH, KEY, 0, UNIQUE, "bad CRC", 7))
    disk.kill()
    directory, opened = reopen(disk, PATH)
    assert [q.why for q in opened.quarantined] == ["bad CRC"]
    assert len(accept_loss(directory)) == 1
    assert len(read_values(directory)) == COUNT - 2


def test_a_log_in_use_is_not_salvaged() -> None:
    _, directory, _ = filled()
    with pytest.raises(LogFailed, match="in use"):
        directory.run(Salvage(PATH, KEY, 0, UNIQUE, "why", 7))
