"""Offsets that are missing between two segments: a loss, or what Apache Kafka's cleaner left.

Our own cleaner keeps the last batch of each segment, and a new segment begins where the one before
ends: of what this broker wrote, such a gap is a loss, in a compacted log as in any other.
"""

from __future__ import annotations

import pytest
from tests.support.compacting import EAGER, plan_and_clean, put
from tests.support.storage import KEY, create, fresh, reopen

from spindle.sim.disk import MemoryDisk
from spindle.storage.directory import Directory

PATH = "/data/d1"
LOG = f"{PATH}/orders-3"


def compacted(records: int = 30) -> tuple[MemoryDisk, Directory]:
    """A log of which the sealed part was compacted before any of it was synced: it has gaps."""
    disk, directory = fresh()
    create(directory, segment_bytes=300)
    end = 0
    for n in range(records):
        end = put(directory, end, (f"k{n % 4}" if n % 3 else f"own{n}", f"{n}-" + "v" * 20))
    assert plan_and_clean(directory, rules=EAGER)
    for n in range(12):
        end = put(directory, end, (f"k{n % 4}", f"{n}-" + "w" * 20))
    return disk, directory


def logs(disk: MemoryDisk) -> list[str]:
    return [name for name in disk.names(LOG) if name.endswith(".log")]


def shorten(disk: MemoryDisk, name: str, to: int) -> None:
    """Take the end of a file, as a power cut does; its name stays."""
    disk.open(f"{LOG}/{name}").truncate(to)


@pytest.mark.spec("B-28")
@pytest.mark.parametrize("indexes", [True, False])
def test_a_lost_segment_of_a_compacted_log_is_seen(indexes: bool) -> None:
    """As a power cut leaves it: its name is there, and no byte of it; its indexes may be gone."""
    disk, directory = compacted()
    gapped = [s for s in directory._logs[KEY].segments if s.size]
    disk.kill()
    lost = logs(disk)[-2]
    assert len(gapped) > 3
    shorten(disk, lost, 0)
    for kind in () if indexes else ("index", "timeindex"):
        disk.remove(f"{LOG}/{lost.replace('log', kind)}")
    (bad,) = reopen(disk, PATH)[1].quarantined
    assert "nothing is there from" in bad.why
    assert " good record" in bad.why
