"""Offsets that jump by more than a segment can tell (2^31 - 1), and some that no log can have.

An index entry holds an offset relative to its segment's base in 4 bytes. Apache Kafka begins a new
segment where the next offset would not fit (`LogSegment.canConvertToRelativeOffset`). A follower of
a compacted log meets such a jump.
"""

from __future__ import annotations

import errno
from struct import pack_into

import pytest
from tests.support.compacting import EAGER, found, plan_and_clean, put
from tests.support.power import Unlucky, at_every_change
from tests.support.storage import (
    FUTURE,
    KEY,
    accept_loss,
    append,
    batch,
    copy_all,
    create,
    fill,
    format_at,
    fresh,
    read_batches,
    reopen,
)

from spindle.model.errors import Corrupt, DiskFailed
from spindle.model.jobs import Close, Discard, Flush, Promote, Truncate, WriteCheckpoints
from spindle.sim.memory_disk import MemoryDisk
from spindle.storage.directory import LogDirectory
from spindle.storage.index import OffsetIndex, TimeIndex
from spindle.wire.batch import build, check, split

PATH = "/data/d1"
LOG = f"{PATH}/orders-3"
REACH = (1 << 31) - 1
"""The largest offset, relative to its base, that a segment can tell of."""
MAX = (1 << 63) - 1
FIRST = f"{0:020d}.log"


def bases(directory: LogDirectory) -> list[int]:
    return [segment.base for segment in directory.logs[KEY].segments]


def offsets(directory: LogDirectory) -> list[int]:
    return [found.base_offset for found in read_batches(directory, limit=MAX)]


def jump(*at: int, together: bool = True) -> tuple[MemoryDisk, LogDirectory]:
    """A log of batches with one record each at these offsets; each is indexed."""
    disk, directory = fresh()
    create(directory, index_interval_bytes=0)
    batches = [batch(offset, [b"v" * 20]) for offset in at]
    for some in [batches] if together else [[one] for one in batches]:
        append(directory, *some)
    return disk, directory


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize(
    ("at", "segments"),
    [
        ((0, REACH), [0]),
        ((0, 1, 1 << 40), [0, 1 << 40]),
        # Where the log's end is near enough, the new segment begins there, and no gap is left.
        ((0, REACH + 1), [0, 1]),
        ((0, REACH + 2), [0, REACH + 2]),
        ((0, 1 << 40, (1 << 40) + 1, 1 << 50, 1 << 62), [0, 1 << 40, 1 << 50, 1 << 62]),
        ((1 << 40,), [1 << 40]),
        ((0, MAX - 1), [0, MAX - 1]),
    ],
)
def test_a_jump_that_a_segment_cannot_tell_begins_a_segment(
    at: tuple[int, ...], segments: list[int], together: bool
) -> None:
    _, directory = jump(*at, together=together)
    assert offsets(directory) == list(at)
    assert bases(directory) == segments


@pytest.mark.parametrize("stop", ["kill", "crash", "close"])
def test_what_was_written_behind_a_jump_is_there_after_a_restart(stop: str) -> None:
    """The jump is no gap that a power cut has left: the log's mark tells."""
    at = (0, 1, 1 << 40, (1 << 40) + 1, 1 << 50)
    disk, directory = jump(*at)
    if stop == "close":
        directory.run(Close(PATH, 5))
    else:
        directory.run(Flush(PATH, KEY))
        directory.run(WriteCheckpoints(PATH))
        disk.kill() if stop == "kill" else disk.crash(Unlucky())
    directory, opened = reopen(disk, PATH)
    assert (opened.quarantined, opened.warnings) == ((), ())
    assert offsets(directory) == list(at)
    assert opened.logs[0].end == (1 << 50) + 1
    assert opened.logs[0].doubtful == ()


def test_a_jump_is_no_gap_wherever_the_power_fails() -> None:
    """What was synced is there; what was not may be gone, and no log is bad for that."""
    at = [0, 1, 1 << 40, (1 << 40) + 1]

    def prepare() -> MemoryDisk:
        disk, directory = fresh()
        create(directory)
        append(directory, batch(0, [b"a"]), sync=True)
        directories[disk] = directory
        return disk

    def work(disk: MemoryDisk) -> None:
        append(directories[disk], batch(at[1], [b"b"]), batch(at[2], [b"c"]), sync=True)
        append(directories[disk], batch(at[3], [b"d"]), sync=True)

    def check(disk: MemoryDisk) -> None:
        directory, found = reopen(disk, PATH)
        assert found.quarantined == ()
        there = offsets(directory)
        assert there
        assert there == at[: len(there)]

    directories: dict[MemoryDisk, LogDirectory] = {}
    assert at_every_change(prepare, work, check, seeds=16) > 5


def test_an_append_behind_a_cut_into_a_jump_begins_a_segment_where_it_must() -> None:
    disk, directory = jump(0, 1 << 40)
    directory.run(Truncate(PATH, KEY, 1 << 39))
    append(directory, batch(1 << 39, [b"w"]), batch((1 << 39) + 1, [b"w"]))
    assert offsets(directory) == [0, 1 << 39, (1 << 39) + 1]
    disk.kill()
    directory, opened = reopen(disk, PATH)
    assert opened.quarantined == ()
    assert offsets(directory) == [0, 1 << 39, (1 << 39) + 1]


@pytest.mark.parametrize("restart", [True, False])
def test_a_move_carries_jumps_along(restart: bool) -> None:
    """Step by step: a segment before a jump is copied in more steps than one."""
    disk, source = fresh()
    create(source, segment_bytes=1000, index_interval_bytes=100)
    fill(source, 40)
    append(source, batch(1 << 40, [b"v"]))
    source.run(Flush(PATH, KEY))
    whole = offsets(source)
    if restart:
        source.run(Close(PATH, 5))
        source, _ = reopen(disk, PATH)
    format_at(disk, "/data/d2", seed=9)
    disk.settle()
    target, _ = reopen(disk, "/data/d2", seed=3)
    create(target, FUTURE, segment_bytes=1000)
    copy_all(source, target, most=300)
    source.run(Discard(PATH, KEY, "delete", "b" * 32))
    target.run(Promote("/data/d2", FUTURE))
    disk.crash(Unlucky())
    target, opened = reopen(disk, "/data/d2")
    assert opened.quarantined == ()
    assert offsets(target) == whole


@pytest.mark.parametrize("restart", [True, False])
def test_a_cleaning_joins_no_segments_across_a_jump(restart: bool) -> None:
    disk, directory = fresh()
    create(directory, segment_bytes=400, index_interval_bytes=0)
    for start in (0, 1 << 40, 1 << 41):
        for n in range(12):
            put(directory, start + n, (f"k{n % 3}", f"{start + n}"))
    if restart:
        directory.run(Close(PATH, 5))
        directory, _ = reopen(disk, PATH)
    before = len(bases(directory))
    create(directory, segment_bytes=2000, index_interval_bytes=0)
    assert plan_and_clean(directory, rules=EAGER)
    assert len(bases(directory)) < before
    last = {key: value for _, key, value in found(directory)}
    assert last == {f"k{n % 3}": f"{(1 << 41) + n}" for n in (9, 10, 11)}
    disk.kill()
    assert reopen(disk, PATH)[1].quarantined == ()


# --- offsets that cannot be ----------------------------------------------------------------------


def renumber(disk: MemoryDisk, name: str, last: int, offset: int) -> None:
    """Change a batch's base offset on disk, which its CRC does not cover; `last`: from the end."""
    file = disk.open(f"{LOG}/{name}")
    data = bytearray(file.read(0, file.size()))
    at = len(data)
    for one in reversed(split(bytes(data))[-last:]):
        at -= one.size
    pack_into(">q", data, at, offset)
    file.write(0, [bytes(data)])


@pytest.mark.parametrize("offset", [REACH + 1, 1 << 40, MAX - 1, MAX, -1])
@pytest.mark.parametrize("indexed", [True, False])
@pytest.mark.parametrize("close", [True, False])
def test_an_offset_that_a_segment_cannot_hold_is_damage(
    offset: int, indexed: bool, close: bool
) -> None:
    """Of the last batch: no later one shows that it is wrong. No start fails for it."""
    disk, directory = jump(*range(20))
    directory.run(Close(PATH, 5)) if close else disk.kill()
    renumber(disk, FIRST, 1, offset)
    if not indexed:
        for kind in ("index", "timeindex"):
            if f"{0:020d}.{kind}" in disk.names(LOG):
                disk.remove(f"{LOG}/{0:020d}.{kind}")
    directory, opened = reopen(disk, PATH)
    if opened.quarantined:
        (bad,) = opened.quarantined
        assert "damaged" in bad.why
        assert f"offset {offset}" in bad.why
        accept_loss(directory)
    else:
        assert not close
        assert [w for w in opened.warnings if f"offset {offset}" in w]
    assert offsets(directory) == list(range(19))
    directory.run(Close(PATH, 5))


@pytest.mark.parametrize("offset", [REACH + 1, 1 << 40, MAX])
def test_a_cleaning_says_where_an_offset_cannot_be(offset: int) -> None:
    disk, directory = fresh()
    create(directory, segment_bytes=400, index_interval_bytes=0)
    for n in range(20):
        put(directory, n, (f"k{n % 3}", f"{n}"))
    renumber(disk, FIRST, 1, offset)
    with pytest.raises(Exception, match=f"compaction: .*offset {offset}"):
        plan_and_clean(directory, rules=EAGER)


@pytest.mark.parametrize("base", [-1, MAX, MAX - 1])
def test_a_batch_whose_offsets_cannot_be_is_refused(base: int) -> None:
    data = bytearray(build([], base_offset=0, last_offset_delta=2, base_timestamp=1).data)
    pack_into(">q", data, 0, base)
    (made,) = split(bytes(data))
    with pytest.raises(Corrupt, match=f"offset {base}"):
        check(made)


def test_a_segment_whose_name_is_no_offset_is_reported() -> None:
    disk, _ = jump(0, 1)
    disk.kill()
    disk.open(f"{LOG}/{'9' * 20}.log", create=True).close()
    (bad,) = reopen(disk, PATH)[1].quarantined
    assert "9" * 20 in bad.why


def test_an_index_says_what_it_cannot_hold() -> None:
    index, times = OffsetIndex(5), TimeIndex(5)
    index.add(REACH + 5, 1)
    times.add(7, REACH + 5)
    with pytest.raises(Corrupt, match=f"offset {REACH + 6}"):
        index.add(REACH + 6, 2)
    with pytest.raises(Corrupt, match=f"offset {REACH + 6}"):
        times.add(8, REACH + 6)
    assert (len(index), len(times)) == (1, 1)


def test_a_failed_append_behind_a_jump_leaves_the_log_as_it_was() -> None:
    """The segment was begun and there was no room for its records: others may take their place."""
    disk, directory = jump(0)
    fault = disk.fail(f"{LOG}/{1 << 40:020d}.log", errno.ENOSPC, "write")
    with pytest.raises(DiskFailed):
        append(directory, batch(1 << 40, [b"v"]))
    disk.mend(fault)
    assert directory.run(Truncate(PATH, KEY, 1)).end == 1
    append(directory, batch(1, [b"w"]))
    assert offsets(directory) == [0, 1]
    disk.kill()
    assert reopen(disk, PATH)[1].quarantined == ()
