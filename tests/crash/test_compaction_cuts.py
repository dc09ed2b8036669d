"""The power goes around a compaction of records that no checkpoint knows of yet.

What is compacted away must be on the medium in its newer form; and what a power cut takes of later
segments, whose names it leaves, is no gap that compaction could have made.
"""

from __future__ import annotations

import pytest
from tests.support.compacting import EAGER, found, plan_and_clean, put
from tests.support.power import at_every_change, log_of
from tests.support.storage import KEY, create, fresh, reopen

from spindle.model.jobs import Flush, WriteCheckpoints, WriteHighWatermarks
from spindle.sim.memory_disk import MemoryDisk
from spindle.storage.directory import LogDirectory

PATH = "/data/d1"
SYNCED = 9
ALL = 30
SMALL = {"segment_bytes": 300, "index_interval_bytes": 100}


def key_of(offset: int) -> str:
    """Some keys come again and again; each third has one record alone: so gaps are left."""
    return f"k{offset % 4}" if offset % 3 else f"own{offset}"


def write(directory: LogDirectory, start: int, end: int) -> None:
    for offset in range(start, end):
        put(directory, offset, (key_of(offset), f"{offset}-" + "v" * 20))


def last_of_keys(end: int) -> dict[str, int]:
    return {key_of(offset): offset for offset in range(end)}


def with_few_synced() -> MemoryDisk:
    disk, directory = fresh()
    create(directory, **SMALL)
    write(directory, 0, SYNCED)
    directory.run(Flush(PATH, KEY))
    directory.run(WriteCheckpoints(PATH))
    directory.run(WriteHighWatermarks(PATH, {KEY.topic_partition: SYNCED}))
    disk.settle()
    disk.kill()
    return disk


@pytest.mark.spec("B-20", "B-28")
def test_no_power_cut_around_a_compaction_takes_a_record_unseen() -> None:
    seen = {"whole": 0, "damaged": 0}

    def work(disk: MemoryDisk) -> None:
        directory = reopen(disk, PATH)[0]
        create(directory, **SMALL)
        write(directory, SYNCED, 21)
        assert plan_and_clean(directory, rules=EAGER)
        write(directory, 21, ALL)
        assert plan_and_clean(directory, rules=EAGER)

    def check(disk: MemoryDisk) -> None:
        directory, opened = reopen(disk, PATH)
        if opened.quarantined:
            # Nothing was thrown away: the operator, or another replica, decides.
            assert " good record" in opened.quarantined[0].why
            seen["damaged"] += 1
            return
        seen["whole"] += 1
        loaded = log_of(opened)
        assert loaded is not None
        left = {key: offset for offset, key, _ in found(directory)}
        synced = last_of_keys(SYNCED)
        assert all(left.get(key, -1) >= offset for key, offset in synced.items()), "was durable"
        assert left == last_of_keys(loaded.end), "a hole, and nothing tells of it"

    assert at_every_change(with_few_synced, work, check, seeds=2) > 60
    assert min(seen.values()) > 10, seen
