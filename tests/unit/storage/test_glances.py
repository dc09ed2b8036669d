"""A step of a move reads ahead what the plan after it looks at."""

from __future__ import annotations

import pytest
from tests.support.storage import FUTURE, KEY, create, fill, fresh

from spindle.model.copying_jobs import AdoptCopied, CopyBytes, MarkCopy, PlanCopy
from spindle.sim.memory_disk import MemoryFile


@pytest.mark.parametrize("most", [300, 700, 1500])
def test_a_plan_reads_only_what_the_step_before_has_read(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """It is made on the source's thread: appends would wait for its disk (B-32)."""
    disk, source = fresh("/data/d1")
    _, target = fresh("/data/d2", disk)
    create(source, segment_bytes=1000, index_interval_bytes=200)
    create(target, FUTURE, segment_bytes=1000, index_interval_bytes=200)
    fill(source, 60)
    read: set[tuple[str, int]] = set()
    real = MemoryFile.read

    def reading(self: MemoryFile, offset: int, length: int) -> bytes:
        data = real(self, offset, length)
        read.update((self.path, at) for at in range(offset, offset + len(data)))
        return data

    monkeypatch.setattr(MemoryFile, "read", reading)
    mark, plans = target.run(MarkCopy(target.path, FUTURE)), 0
    ahead: set[tuple[str, int]] = set()
    while True:
        read.clear()
        plan = source.run(PlanCopy(source.path, KEY, mark, 1 << 40, most))
        if plan.pieces and plans:
            plans_reads = {(path, at) for path, at in read if path.endswith(".log")}
            assert plans_reads <= ahead
        if not plan.pieces and not plan.aligns:
            break
        plans += bool(plan.pieces)
        read.clear()
        copied = target.run(CopyBytes(target.path, FUTURE, source.path, plan))
        ahead = {
            (f"{source.path}/orders-3/{glance.base:020}.log", at)
            for piece in plan.pieces
            for glance in piece.ahead
            for at in range(glance.start, glance.start + glance.length)
        }
        assert ahead <= read
        mark = target.run(AdoptCopied(target.path, FUTURE, plan, copied)).mark
    assert plans > 3
