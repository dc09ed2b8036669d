"""Producer snapshots: which stay when a log is cut or shortened, which tell of a place in it."""

from __future__ import annotations

from tests.support.storage import KEY, append, batch, create, fill, fresh, reopen

from spindle.model.jobs import Close, MoveLogStart, Reset
from spindle.model.log_values import ProducerEntry
from spindle.sim.memory_disk import MemoryDisk
from spindle.storage.producer_snapshots import ProducerSnapshots
from spindle.storage.producer_state import LoggedProducers

PATH = "/data/d1"
LOG = f"{PATH}/orders-3"


def entry(producer_id: int) -> ProducerEntry:
    return ProducerEntry(producer_id, 0, 0, 0, 0, 1000)


def some(*offsets: int) -> tuple[MemoryDisk, ProducerSnapshots]:
    """A snapshot at each offset, of a producer that has the offset for its id."""
    disk = MemoryDisk()
    disk.make_dirs(LOG)
    snapshots = ProducerSnapshots(disk, LOG)
    for offset in offsets:
        snapshots.state = LoggedProducers([entry(offset)])
        snapshots.take_snapshot(offset)
    return disk, snapshots


def on_disk(disk: MemoryDisk) -> list[int]:
    return [int(name.removesuffix(".snapshot")) for name in disk.list(LOG)]


def test_a_cut_keeps_what_tells_of_its_place_and_nothing_beyond() -> None:
    disk, snapshots = some(5, 6, 7)
    assert snapshots.truncate(5)
    assert snapshots.offsets == on_disk(disk) == [5]
    assert not snapshots.truncate(5)


def test_the_newest_stays_though_no_segment_begins_there() -> None:
    disk, snapshots = some(0, 10, 20, 25)
    snapshots.prune([10])
    assert snapshots.offsets == on_disk(disk) == [10, 25]


def test_a_place_in_the_midst_is_known_from_a_snapshot_before_it() -> None:
    """Those behind it stay: segments follow that they tell of."""
    disk, snapshots = some(5, 9)
    assert snapshots.before([], 8).recent == (entry(5),)
    assert snapshots.before([], 4).recent == ()
    assert on_disk(disk) == [5, 9]


def test_a_clean_log_knows_its_producers_without_reading_its_records() -> None:
    disk, directory = fresh()
    create(directory, segment_bytes=1000)
    fill(directory, 41, producer_id=5, producer_epoch=0, base_sequence=0)
    directory.run(Close(PATH, 5))
    assert f"{42:020d}.snapshot" in disk.list(LOG)
    (log,) = reopen(disk, PATH)[1].logs
    assert (log.end, log.producers[-1].last_offset) == (42, 41)


def test_a_log_that_begins_again_has_no_producers_of_before() -> None:
    """It would take what such a producer sends for repeated, which no log has any more."""
    disk, directory = fresh()
    create(directory, segment_bytes=1000)
    fill(directory, 40, producer_id=5, producer_epoch=0, base_sequence=0)
    directory.run(MoveLogStart(PATH, KEY, 30))
    assert directory.run(Reset(PATH, KEY, 100)).producers == ()
    append(directory, batch(100, [b"x"], producer_id=6, producer_epoch=0, base_sequence=0))
    assert [p.producer_id for p in directory.logs[KEY].producers.state.recent] == [6]
    disk.kill()
    (log,) = reopen(disk, PATH)[1].logs
    assert [p.producer_id for p in log.producers] == [6]
