"""A copy beside a source that does anything at any moment, through restarts and power cuts."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.amounts import cases
from tests.support.storage import (
    FAR,
    FUTURE,
    KEY,
    append,
    batch,
    check_log,
    copy_all,
    create,
    fresh,
    read_batches,
    reopen,
)

from spindle.model.copying_jobs import (
    AdoptCopied,
    CopiedBytes,
    CopyBytes,
    MarkCopy,
    PlanCopy,
)
from spindle.model.jobs import (
    Close,
    Discard,
    Flush,
    MoveLogStart,
    Reset,
    Retain,
    Truncate,
    WriteCheckpoints,
)
from spindle.sim.memory_disk import MemoryDisk
from spindle.storage.directory import LogDirectory

SOURCE, TARGET = "/data/d1", "/data/d2"
SMALL = {"segment_bytes": 600, "index_interval_bytes": 120}


class World:
    """A source and a target on one disk, and a copy between them, all driven by `rng`."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.disk: MemoryDisk = fresh(SOURCE)[0]
        self.disk.kill()
        fresh(TARGET, self.disk)
        self.disk.kill()
        self.epoch = 0
        self.powerless = False
        self.open()

    def open(self) -> None:
        """Open both directories; what was cut off is written again in a later epoch."""
        self.source: LogDirectory
        self.source, opened = reopen(self.disk, SOURCE)
        for found in opened.quarantined:
            # The power cut has left a hole before good batches: the replica is made again.
            assert self.powerless, found
            self.source.run(Discard(SOURCE, KEY, "stray", f"{self.rng.getrandbits(128):032x}"))
        self.target: LogDirectory = reopen(self.disk, TARGET, seed=5)[0]
        create(self.source, **SMALL)
        create(self.target, FUTURE, **SMALL)
        self.mark = self.target.run(MarkCopy(TARGET, FUTURE))
        self.epoch += 1

    def happen(self) -> None:
        """Something happens to the source."""
        log = self.source.logs[KEY]
        rng = self.rng
        kind = rng.randrange(12)
        if kind < 6:
            for _ in range(rng.randrange(1, 6)):
                values = [b"%d" % rng.getrandbits(30) * 5] * rng.randrange(1, 4)
                header = {"producer_id": rng.randrange(3), "producer_epoch": 0}
                header["base_sequence"] = log.end
                made = batch(log.end, values, self.epoch, at=rng.randrange(999), **header)
                append(self.source, made, sync=rng.random() < 0.3)
        elif kind < 8:
            self.source.run(Truncate(SOURCE, KEY, max(0, log.end - rng.randrange(20))))
            self.epoch += 1  # A later leader goes on.
        elif kind == 8:
            self.source.run(Retain(SOURCE, KEY, -1, rng.randrange(3000), FAR, 0))
        elif kind == 9:
            middle = log.start + rng.randrange(log.end - log.start + 1)
            self.source.run(MoveLogStart(SOURCE, KEY, middle))
        elif kind == 10 and rng.random() < 0.3:
            self.source.run(Reset(SOURCE, KEY, log.end + rng.randrange(10)))
        else:
            self.source.run(WriteCheckpoints(SOURCE))
            self.target.run(WriteCheckpoints(TARGET))

    def maybe(self) -> None:
        """Perhaps something happens."""
        while self.rng.random() < 0.4:
            self.happen()

    def step(self) -> None:
        """One step of the copy, with anything in between."""
        most = self.rng.choice([1, 200, 900, 5000])
        plan = self.source.run(PlanCopy(SOURCE, KEY, self.mark, FAR, most))
        self.maybe()
        copied = CopiedBytes()
        if plan.pieces:
            copied = self.target.run(CopyBytes(TARGET, FUTURE, SOURCE, plan))
        self.maybe()
        if self.rng.random() < 0.1:
            return  # The answer is lost: a restart of the move, with a fresh mark.
        self.mark = self.target.run(AdoptCopied(TARGET, FUTURE, plan, copied)).mark

    def restart(self) -> None:
        """A clean shutdown, a kill, or a power cut."""
        kind = self.rng.randrange(3)
        if kind == 0:
            self.source.run(Close(SOURCE, 1))
            self.target.run(Close(TARGET, 1))
        elif kind == 1:
            self.disk.kill()
        else:
            if self.rng.random() < 0.5:
                self.target.run(Flush(TARGET, FUTURE))
            self.disk.crash(Random(self.rng.getrandbits(30)))
        self.powerless = kind == 2
        self.open()

    def finish(self) -> None:
        """With the source blocked, the copy comes to its end and is the same, bytes and all."""
        copy_all(self.source, self.target, 700)
        ours, theirs = self.source.logs[KEY], self.target.logs[FUTURE]
        assert (theirs.start, theirs.end) == (ours.start, ours.end)
        assert theirs.epochs.entries == ours.epochs.entries
        assert theirs.producers.state.recent == ours.producers.state.recent
        assert [bytes(b.data) for b in read_batches(self.target, FUTURE)] == [
            bytes(b.data) for b in read_batches(self.source)
        ]
        check_log(self.target, theirs.loaded(0))
        self.target.run(Close(TARGET, 1))
        _, opened = reopen(self.disk, TARGET)
        assert (opened.logs[0].start, opened.logs[0].end) == (ours.start, ours.end)


@pytest.mark.spec("K113-03", "K113-13", "K113-15")
@settings(max_examples=cases(150), deadline=None, derandomize=True)
@given(seed=st.integers(0, 1 << 40))
def test_a_copy_beside_anything_is_the_same_in_the_end(seed: int) -> None:
    world = World(seed)
    for _ in range(world.rng.randrange(25)):
        world.maybe()
        world.step()
        if world.rng.random() < 0.08:
            world.restart()
    world.finish()
