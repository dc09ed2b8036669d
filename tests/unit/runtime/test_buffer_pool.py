"""Large reads use memory again, and never memory that is in use."""

from __future__ import annotations

import resource
from pathlib import Path

from spindle.runtime.buffer_pool import LENT_LEAST, LENT_MOST, BufferPool
from spindle.runtime.os_disk import OsDisk

MB = 1 << 20


def test_a_room_is_lent_again_once_no_view_of_it_is_left() -> None:
    pool = BufferPool()
    first = pool.lend(MB)
    assert first is not None
    assert first.nbytes == MB
    buffer = first.obj
    part = first[10:20]
    del first
    second = pool.lend(MB)
    assert second is not None
    assert second.obj is not buffer, "a part of the first is still looked at"
    del part
    third = pool.lend(MB - 1)
    assert third is not None
    assert third.obj is buffer
    assert third.nbytes == MB - 1


def test_rooms_are_bounded_and_larger_ones_take_the_place_of_those_that_are_free() -> None:
    pool = BufferPool(4 * MB)
    lent = [pool.lend(MB) for _ in range(4)]
    assert None not in lent
    assert pool.lend(1) is None
    lent.pop()
    assert pool.lend(2 * MB) is None
    lent.pop()
    assert pool.lend(2 * MB) is not None
    assert pool.lend(5 * MB) is None


def test_what_is_lent_is_what_the_file_has_and_stays_so_while_it_is_looked_at(
    tmp_path: Path,
) -> None:
    path = tmp_path / "file"
    parts = [bytes([n]) * LENT_LEAST for n in range(2 * LENT_MOST // LENT_LEAST)]
    path.write_bytes(b"".join(parts))
    file = OsDisk().open(str(path))
    lent = [file.lend(n * LENT_LEAST, LENT_LEAST) for n in range(len(parts))]
    assert lent == parts
    assert {type(data) for data in lent} == {memoryview, bytes}, "more is lent than is kept"
    end = len(parts) * LENT_LEAST
    assert file.lend(end - 10, LENT_LEAST) == parts[-1][:10]
    assert file.lend(end, LENT_LEAST) == b""
    assert file.lend(0, 10) == parts[0][:10]
    file.close()


def test_reading_again_and_again_costs_no_new_memory(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(4 * MB))
    file = OsDisk().open(str(path))
    faults = 0
    for n in range(50):
        if n == 2:
            faults = _faults()
        assert len(file.lend(0, 4 * MB)) == 4 * MB
    file.close()
    assert _faults() - faults < 1_000, "each of the reads has 1,024 pages"


def _faults() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
