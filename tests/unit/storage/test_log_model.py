"""A log against a list: whatever is appended, cut, rolled, retained, reopened, killed, crashed."""

from __future__ import annotations

import re
from random import Random

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from tests.support.amounts import cases
from tests.support.storage import (
    FAR,
    KEY,
    accept_loss,
    append,
    batch,
    check_log,
    create,
    fresh,
    read_batches,
    read_values,
    reopen,
)

from spindle.model.jobs import (
    Close,
    Flush,
    MoveLogStart,
    ReadResult,
    Reset,
    Retain,
    Truncate,
    WriteCheckpoints,
    WriteHighWatermarks,
)

SMALL = {"segment_bytes": 700, "index_interval_bytes": 150}


class LogMachine(RuleBasedStateMachine):
    """`records`: what the log holds; `written`: all that was ever written at an offset."""

    def __init__(self) -> None:
        super().__init__()
        self.disk, self.directory = fresh()
        create(self.directory, **SMALL)
        self.start = self.end = 0
        self.stable = 0
        """Below this, records are on the medium."""
        self.holes = False
        """A loss was accepted: offsets are missing."""
        self.epoch = 0
        self.count = 0
        self.records: dict[int, bytes] = {}
        self.written: dict[int, set[bytes]] = {}

    @property
    def path(self) -> str:
        return self.directory.path

    # --- what happens -------------------------------------------------------------------------

    @rule(
        sizes=st.lists(st.integers(1, 4), min_size=1, max_size=5),
        sync=st.booleans(),
        next_epoch=st.booleans(),
        producer=st.sampled_from([-1, 7, 8]),
        big=st.booleans(),
    )
    def append(
        self, sizes: list[int], sync: bool, next_epoch: bool, producer: int, big: bool
    ) -> None:
        self.epoch += next_epoch
        batches = []
        for size in sizes:
            values = []
            for _ in range(size):
                self.count += 1
                values.append(f"{self.count}".encode() * (30 if big else 1))
                self.records[self.end + len(values) - 1] = values[-1]
                self.written.setdefault(self.end + len(values) - 1, set()).add(values[-1])
            header = {"producer_id": producer, "producer_epoch": 0} if producer >= 0 else {}
            header |= {"base_sequence": self.count} if producer >= 0 else {}
            batches.append(batch(self.end, values, self.epoch, at=self.count, **header))
            self.end += size
        assert append(self.directory, *batches, sync=sync) == self.end
        if sync:
            self.stable = self.end

    @rule(back=st.integers(1, 40))
    def truncate(self, back: int) -> None:
        offset = max(self.end - back, 0)
        loaded = self.directory.run(Truncate(self.path, KEY, offset))
        assert offset - 4 < loaded.end <= offset
        self._ends_at(loaded.end, loaded.start)

    def _ends_at(self, end: int, start: int) -> None:
        self.end, self.start = end, start
        self.stable = min(self.stable, end)
        self.records = {o: v for o, v in self.records.items() if o < end}
        for offset in [o for o in self.records if o < start]:
            del self.records[offset]

    @rule(ahead=st.integers(0, 50))
    def reset(self, ahead: int) -> None:
        offset = self.end + ahead
        self.directory.run(Reset(self.path, KEY, offset))
        self.records = {}
        self.start = self.end = offset
        self.stable = 0

    @rule(part=st.integers(0, 100))
    def move_start(self, part: int) -> None:
        offset = self.start + (self.end - self.start) * part // 100
        moved = self.directory.run(MoveLogStart(self.path, KEY, offset))
        assert moved.start == offset
        self._starts_at(offset)

    def _starts_at(self, offset: int) -> None:
        self.start = offset
        self.records = {o: v for o, v in self.records.items() if o >= offset}

    @rule(most=st.integers(0, 3000), part=st.integers(0, 100))
    def retain(self, most: int, part: int) -> None:
        limit = self.start + (self.end - self.start) * part // 100
        kept = self.directory.run(Retain(self.path, KEY, -1, most, limit, 0))
        assert self.start <= kept.start <= max(limit, self.start)
        self._starts_at(kept.start)

    @rule()
    def flush(self) -> None:
        self.directory.run(Flush(self.path, KEY))
        self.stable = self.end

    @rule()
    def checkpoint(self) -> None:
        self.directory.run(WriteCheckpoints(self.path))
        self.directory.run(WriteHighWatermarks(self.path, {KEY.topic_partition: self.end}))

    @rule()
    def close_and_open(self) -> None:
        self.directory.run(Close(self.path, 1))
        self._open(seed=None)
        assert self._bounds() == (self.start, self.end)
        self.stable = self.end

    @rule()
    def kill(self) -> None:
        self.disk.kill()
        self._open(seed=None)
        assert self._bounds()[1] == self.end

    @rule(seed=st.integers(0, 1 << 30))
    def crash(self, seed: int) -> None:
        self._open(seed)

    def _bounds(self) -> tuple[int, int]:
        log = self.directory.logs[KEY]
        return log.start, log.end

    def _open(self, seed: int | None) -> None:
        """Open again; what was synced is there, and nothing that was never written."""
        if seed is not None:
            self.disk.crash(Random(seed))
        self.directory, opened = reopen(self.disk, self.path)
        for bad in opened.quarantined:
            # Of what was not synced a later part has survived, or a high watermark of it: nothing
            # is cut before that is reported.
            assert seed is not None
            assert re.search(r"; \d+ good records? \(|it ends at \d+, and had reached", bad.why), (
                bad
            )
            accept_loss(self.directory)
            self.holes = True
            self.disk.kill()
            self.directory, opened = reopen(self.disk, self.path)
            assert opened.quarantined == ()
        (loaded,) = opened.logs
        create(self.directory, **SMALL)
        if not self.holes:
            check_log(self.directory, loaded)
        found = read_values(self.directory)
        for offset, value in self.records.items():
            if offset < self.stable:
                assert found.get(offset) == value, f"{offset} was synced"
        for offset, value in found.items():
            assert value in self.written[offset]
        self.records = found
        # A start that was not checkpointed may have gone back.
        self.start, self.end = loaded.start, loaded.end
        self.stable = min(self.stable, loaded.end)
        self.epoch += 1

    # --- what must hold -----------------------------------------------------------------------

    @invariant()
    def reads_give_what_was_written(self) -> None:
        assert read_values(self.directory) == self.records

    @invariant()
    def a_read_anywhere_begins_at_its_batch(self) -> None:
        if not self.records:
            return
        offset = Random(self.count).choice(sorted(self.records))
        found = read_batches(self.directory, start=offset)
        assert found[0].base_offset <= offset <= found[0].last_offset
        assert found[-1].next_offset == self.end


TestLogMachine = LogMachine.TestCase
TestLogMachine.settings = settings(
    max_examples=cases(60),
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,
)


def test_reading_outside_a_log_is_empty_and_tells_its_bounds() -> None:
    _, directory = fresh()
    create(directory)
    append(directory, batch(0, [b"a", b"b"]))
    log = directory.logs[KEY]
    for offset in (2, 3, -1):
        assert log.read(offset, FAR, 100, True) == ReadResult(b"", 0, 2)
