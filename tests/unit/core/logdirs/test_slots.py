"""Which of the moves that wait may copy: limits kept, disks used, no move forgotten."""

from __future__ import annotations

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.core.logdirs.copy_limits import Slots
from spindle.model.ids import PartitionId

TOPIC = uuid.UUID(int=7)
DISKS = ["/a", "/b", "/c", "/d", "/e"]
pairs = st.tuples(st.sampled_from(DISKS), st.sampled_from(DISKS)).filter(lambda p: p[0] != p[1])


def id_of(number: int) -> PartitionId:
    return PartitionId(TOPIC, number)


@pytest.mark.spec("K113-05", "B-10")
@given(st.lists(pairs, max_size=40), st.integers(1, 6), st.integers(1, 3), st.randoms())
def test_limits_are_kept_and_no_disk_idles_that_could_work(
    wanted: list[tuple[str, str]], total: int, per_disk: int, rng: st.DataObject
) -> None:
    slots, pair_of = Slots(), {id_of(n): pair for n, pair in enumerate(wanted)}
    for id, pair in pair_of.items():
        slots.wait(id, pair)
    waiting, done = set(pair_of), 0
    copying: list[PartitionId] = []
    while waiting or copying:
        while (ready := slots.next(total, per_disk)) is not None:
            waiting.remove(ready)
            copying.append(ready)
        loads = {d: sum(d in pair_of[id] for id in copying) for d in DISKS}
        assert slots.copying == len(copying) <= total
        assert slots.waiting == len(waiting)
        assert {d: slots.load(d) for d in DISKS} == loads
        assert max(loads.values()) <= per_disk
        if len(copying) < total:  # Then each that waits, waits for a disk.
            assert all(max(loads[d] for d in pair_of[id]) == per_disk for id in waiting)
        ended = copying.pop(rng.randrange(len(copying)))  # type: ignore[attr-defined]
        slots.leave(ended)
        done += 1
    assert done == len(wanted)


@pytest.mark.spec("B-10")
def test_moves_of_one_pair_keep_their_order_and_pairs_take_turns() -> None:
    slots = Slots()
    for n in range(4):
        slots.wait(id_of(n), ("/a", "/b"))
    for n in range(4, 6):
        slots.wait(id_of(n), ("/a", "/c"))
    order = []
    while (id := slots.next(9, 1)) is not None:
        order.append(id.partition)
        slots.leave(id)
    assert order == [0, 4, 1, 5, 2, 3]


@pytest.mark.spec("B-10")
def test_different_disks_work_side_by_side() -> None:
    slots = Slots()
    slots.wait(id_of(0), ("/a", "/b"))
    slots.wait(id_of(1), ("/b", "/a"))
    slots.wait(id_of(2), ("/c", "/d"))
    assert slots.next(9, 1) == id_of(0)
    assert slots.next(9, 1) == id_of(2)
    assert slots.next(9, 1) is None
    assert slots.next(9, 2) == id_of(1)


def test_a_move_whose_replica_leaves_is_not_begun() -> None:
    slots = Slots()
    slots.wait(id_of(0), ("/a", "/b"))
    slots.leave(id_of(0))
    slots.leave(id_of(5))
    assert slots.next(1, 1) is None
    assert slots.waiting == 0
