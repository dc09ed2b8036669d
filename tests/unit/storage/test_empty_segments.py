"""Segments without a byte in the middle of a log, as Apache Kafka's cleaner leaves them.

Where a cleaning drops all of a segment, Apache Kafka keeps a segment of zero bytes in its place.
Whatever goes over a log's segments goes over such a one, too.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.support.compacting import EAGER, NOW, found, plan_and_clean, put
from tests.support.storage import (
    FAR,
    FUTURE,
    KEY,
    copy_all,
    create,
    format_at,
    fresh,
    reopen,
)

from spindle.model.jobs import Close, Discard, FindOffset, Promote, Retain
from spindle.model.scrub_jobs import Scrub, ScrubPlace
from spindle.sim.memory_disk import MemoryDisk
from spindle.storage import layout
from spindle.storage.directory import LogDirectory

PATH = "/data/d1"
LOG = f"{PATH}/orders-3"
KINDS = (layout.LOG, layout.INDEX, layout.TIME_INDEX)
CLEANED = f"{PATH}/{layout.CLEANER_OFFSETS}"
WHERE = pytest.mark.parametrize("empty", [[0], [2], [1, 2], [0, 1, 2, 3], [-2], [-3, -2]])
STOP = pytest.mark.parametrize("close", [True, False])


def kafkas(empty: Sequence[int], close: bool) -> tuple[MemoryDisk, LogDirectory]:
    """A log in which these segments are empty, after a start."""
    disk, directory = fresh()
    create(directory, segment_bytes=300)
    end = 0
    for n in range(30):
        end = put(directory, end, (f"k{n % 4}", f"{n}-" + "v" * 20))
    bases = [segment.base for segment in directory.logs[KEY].segments]
    assert len(bases) > 8
    directory.run(Close(PATH, 5)) if close else disk.kill()
    for at in empty:
        for kind in KINDS:
            disk.open(f"{LOG}/{layout.segment_file(bases[at], kind)}", create=True).truncate(0)
    (mark,) = [name for name in disk.names(LOG) if name.startswith("unbroken-")]
    disk.remove(f"{LOG}/{mark}")
    disk.open(CLEANED, create=True).write(0, [b"0\n1\norders 3 1\n"])
    directory, opened = reopen(disk, PATH)
    assert opened.quarantined == ()
    assert opened.logs[0].end == 30
    create(directory, segment_bytes=300)
    assert len([s for s in directory.logs[KEY].segments if not s.size]) >= len(empty)
    return disk, directory


@WHERE
@STOP
def test_a_cleaning_goes_on_behind_an_empty_segment(empty: list[int], close: bool) -> None:
    _, directory = kafkas(empty, close)
    before = found(directory)
    create(directory, segment_bytes=4000)
    assert plan_and_clean(directory, rules=EAGER)
    sealed = directory.logs[KEY].segments[:-1]
    assert len(sealed) == 1, "all fit one"
    assert sealed[0].size
    active = directory.logs[KEY].active.base
    last = {key: (offset, key, value) for offset, key, value in before if offset < active}
    assert [entry for entry in found(directory) if entry[0] < active] == sorted(last.values())


def test_empty_segments_alone_are_not_worth_a_cleaning() -> None:
    _, directory = kafkas(range(9), close=True)
    assert [segment.size > 0 for segment in directory.logs[KEY].segments] == [False] * 9 + [True]
    assert not plan_and_clean(directory, rules=EAGER)


@WHERE
@STOP
@pytest.mark.parametrize("by", ["size", "time"])
def test_retention_goes_on_behind_an_empty_segment(empty: list[int], close: bool, by: str) -> None:
    _, directory = kafkas(empty, close)
    active = directory.logs[KEY].active.base
    most = directory.logs[KEY].active.size
    rules = (-1, most) if by == "size" else (5000, -1)
    assert directory.run(Retain(PATH, KEY, *rules, active, NOW)).start == active
    assert [s.base for s in directory.logs[KEY].segments] == [active]


@WHERE
@STOP
def test_a_move_goes_on_behind_an_empty_segment(empty: list[int], close: bool) -> None:
    disk, source = kafkas(empty, close)
    before = found(source)
    format_at(disk, "/data/d2", seed=9)
    disk.settle()
    target, _ = reopen(disk, "/data/d2", seed=3)
    create(target, FUTURE, segment_bytes=300)
    copy_all(source, target)
    source.run(Discard(PATH, KEY, "delete", "b" * 32))
    assert target.run(Promote("/data/d2", FUTURE)).end == 30
    assert found(target) == before


@WHERE
@STOP
def test_times_are_found_behind_an_empty_segment(empty: list[int], close: bool) -> None:
    _, directory = kafkas(empty, close)
    offsets = [offset for offset, _, _ in found(directory)]
    for offset in range(30):
        at = next((o for o in offsets if o >= offset), None)
        place = directory.run(FindOffset(PATH, KEY, 1000 + offset, FAR))
        assert (place.offset if place else None) == at


@WHERE
@STOP
def test_a_scrub_goes_on_behind_an_empty_segment(empty: list[int], close: bool) -> None:
    _, directory = kafkas(empty, close)
    size = directory.logs[KEY].size
    place: ScrubPlace | None = ScrubPlace("")
    seen = 0
    while place is not None:
        done = directory.run(Scrub(PATH, place, 1 << 20))
        place, seen = done.next, seen + done.bytes
        assert done.mended == ()
    assert seen == size
