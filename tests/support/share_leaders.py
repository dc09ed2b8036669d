"""Leaders of one share partition, one after the other, over a coordinator that moves (KIP-932).

What members are handed, and what they say of it, is held against what was promised to them.
"""

from __future__ import annotations

import random
import uuid
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

from spindle.core.share.share_coordinator_shard import ShareCoordinatorShard
from spindle.core.share.share_partition import (
    Acknowledgement,
    Acquisition,
    ShareLimits,
    SharePartition,
)
from spindle.core.share.share_values import (
    AcknowledgeType,
    DeliveryState,
    OutcomeThen,
    ShareOutcome,
    SharePartitionKey,
    ShareWrite,
)
from spindle.model.errors import Error
from spindle.node.share.share_settings import ShareSettings
from spindle.node.share.shared_partition import SharedPartition, SharedWays
from tests.support.share_state_world import ShareStateWorld

KEY: Final = SharePartitionKey("g", uuid.UUID(int=1), 0)
LIMITS: Final = ShareLimits(deliveries=3, locks=20, lock_seconds=10.0)
SETTINGS: Final = ShareSettings(LIMITS, "earliest", committed=True, renews=True)
AGAIN: Final = (Error.NOT_COORDINATOR, Error.COORDINATOR_NOT_AVAILABLE, Error.NETWORK_EXCEPTION)
BATCH_MAX: Final = 5
"""Records in a batch of the log."""
FINALS: Final = (AcknowledgeType.GAP, AcknowledgeType.ACCEPT, AcknowledgeType.REJECT)


class LogBatch(NamedTuple):
    """Records of the partition's log. Between batches there may be none."""

    first: int
    last: int
    aborted: bool


@dataclass
class SharedLog:
    """The log of the partition, as its leader has it."""

    start: int = 0
    end: int = 0
    batches: list[LogBatch] = field(default_factory=list)

    @property
    def high_watermark(self) -> int:
        """All of it is committed."""
        return self.end

    def append(self, rng: random.Random) -> None:
        """A batch more, perhaps behind a gap, or of a transaction that was aborted."""
        first = self.end + (rng.randrange(3) if rng.random() < 0.2 else 0)
        last = first + rng.randrange(BATCH_MAX)
        self.batches.append(LogBatch(first, last, rng.random() < 0.15))
        self.end = last + 1

    def delivers(self) -> set[int]:
        """Records that members are to get."""
        return {
            n
            for batch in self.batches
            if not batch.aborted
            for n in range(max(batch.first, self.start), batch.last + 1)
        }


class Persister:
    """The way of one broker to the coordinator: one thing after the other, again where it fails."""

    def __init__(self, world: ShareStateWorld) -> None:
        self.world = world
        self.queue: deque[tuple[Callable[[ShareCoordinatorShard, OutcomeThen], None], Any]] = (
            deque()
        )
        self.asking = False

    def read(self, key: SharePartitionKey, epoch: int, then: OutcomeThen) -> None:
        self.queue.append((lambda shard, answered: shard.read(key, epoch, answered), then))

    def write(self, key: SharePartitionKey, write: ShareWrite, then: OutcomeThen) -> None:
        self.queue.append((lambda shard, answered: shard.write(key, write, answered), then))

    def go_on(self, loses: float, gives_up: float) -> None:
        """Ask what is next. An answer may be lost: it is asked again, or given up."""
        if not self.queue or self.asking:
            return
        self.asking = True
        act, then = self.queue[0]

        def answered(outcome: ShareOutcome) -> None:
            self.asking = False
            rng = self.world.rng
            if rng.random() < loses:
                outcome = ShareOutcome(Error.NETWORK_EXCEPTION)
            if outcome.error in AGAIN and rng.random() >= gives_up:
                return
            self.queue.popleft()
            then(outcome)

        act(self.world.shard, answered)


@dataclass
class Held:
    """A record that a member has. `until`: when its lock ends; never while it is being written."""

    member: str
    until: float


class _Reading(NamedTuple):
    """What a fetch has read of the log, from this offset on."""

    shared: SharedPartition
    offset: int
    batches: list[LogBatch]


class ShareLeader:
    """A broker that leads the partition, or led it."""

    def __init__(self, scene: ShareScene, epoch: int) -> None:
        self.scene, self.epoch = scene, epoch
        self.persister = Persister(scene.world)
        self.begin()

    def begin(self) -> None:
        """Read the state, for the first time or once more."""
        hosted: Any = SimpleNamespace(
            partition=SimpleNamespace(leader_epoch=self.epoch, log=self.scene.log)
        )
        asked: Any = self.persister
        ways = SharedWays(self.scene.world.out, asked, lambda shared: None)
        self.holds: dict[int, Held] = {}
        self.reading: _Reading | None = None
        self.shared = SharedPartition(KEY, hosted, ways, lambda: SETTINGS)
        self.shared.start()

    # --- members --------------------------------------------------------------------------------

    def fetch(self, member: str, rng: random.Random) -> None:
        """Read from the log what may be free, or hand out what was read."""
        if self.shared.error:
            self.begin()
        machine = self.shared.ready()
        if machine is None:
            return
        reading, self.reading = self.reading, None
        if reading is not None:
            self._hand_out(reading, member, rng)
        elif machine.can_acquire and machine.next < self.scene.log.end:
            ahead = [b for b in self.scene.log.batches if b.last >= machine.next]
            batches = ahead[: rng.randrange(1, 6)]
            self.reading = _Reading(self.shared, machine.next, batches)

    def _hand_out(self, reading: _Reading, member: str, rng: random.Random) -> None:
        machine, now = self.shared.machine, self.scene.world.out.now
        if reading.shared is not self.shared or machine is None:
            return
        ask = Acquisition(member, rng.randrange(1, 12), rng.randrange(1, 9), rng.random() < 0.5)
        spans = [(batch.first, batch.last) for batch in reading.batches]
        aborted = [batch.first for batch in reading.batches if batch.aborted]
        room, end = LIMITS.locks - machine.in_flight, machine.end
        handed = self.shared.acquire(ask, spans, aborted, reading.offset)
        found = {n: b.deliveries for b in handed for n in range(b.first, b.last + 1)}
        self.scene.check_handed(self, found)
        whole = 0 if ask.strict else BATCH_MAX - 1
        assert len(found) <= ask.records + whole
        fresh = [n for n in found if n >= end]
        assert not fresh or len(fresh) <= room + whole, "more than may be in flight"
        if rng.random() < 0.1:
            self.shared.take_back(handed)
            return
        for n, deliveries in found.items():
            self.holds[n] = Held(member, now + LIMITS.lock_seconds)
            self.scene.deliveries[n] = max(deliveries, self.scene.deliveries.get(n, 0))

    def acknowledge(self, member: str, types: Sequence[int]) -> None:
        """A member says what has become of some records in a row, of its first ones."""
        mine = sorted(n for n, held in self.holds.items() if held.member == member)
        row = [n for at, n in enumerate(mine[: len(types)]) if n == mine[0] + at]
        machine = self.shared.ready()
        if not row or machine is None:
            return
        written = {n for n in row if n >= machine.start}  # The others are over anyway.
        said = dict(zip(row, types, strict=False))
        was = {n: self.holds[n] for n in row}
        renewed = self.scene.world.out.now + LIMITS.lock_seconds
        held = {n: Held(member, renewed if said[n] == AcknowledgeType.RENEW else inf) for n in row}

        def then(error: Error, message: str | None) -> None:
            for n in row:
                if self.holds.get(n) is not held[n]:
                    continue
                if error:
                    self.holds[n] = was[n]
                elif said[n] != AcknowledgeType.RENEW:
                    del self.holds[n]
            if not error:
                self.scene.over |= {n for n in written if said[n] in FINALS}
            elif error is Error.INVALID_RECORD_STATE:
                for n in row:
                    self.holds.pop(n, None)  # Its lock had ended.

        self.holds |= held
        self.scene.sent |= {n for n in row if said[n] in FINALS}
        batch = Acknowledgement(row[0], row[-1], [said[n] for n in row])
        self.shared.acknowledge(member, [batch], then)

    def release(self, member: str) -> None:
        """A member's session ends: what it has comes back."""
        self.holds = {n: held for n, held in self.holds.items() if held.member != member}
        self.shared.release(member, lambda error, message: None)


class ShareScene:
    """The partition, those that led it, and what was promised."""

    def __init__(self, rng: random.Random) -> None:
        self.world = ShareStateWorld(rng)
        self.log = SharedLog()
        self.admin = Persister(self.world)
        self.state_epoch = -1
        self.resets = 0
        """Resets that are under way."""
        self.begins = 0
        """Where the group began, as it was set last."""
        self.over: set[int] = set()
        """Records that were said to be over, and that was answered."""
        self.sent: set[int] = set()
        """Records that were said to be over."""
        self.deliveries: dict[int, int] = {}
        self.reset(0)
        while self.resets:
            self.admin.go_on(0, 0)
            self.world.go_on()
        self.leaders = [ShareLeader(self, 0)]

    @property
    def leader(self) -> ShareLeader:
        """The true one."""
        return self.leaders[-1]

    def reset(self, offset: int) -> None:
        """The group begins at another offset."""
        self.state_epoch += 1
        self.resets += 1
        epoch = self.state_epoch

        def done(outcome: ShareOutcome) -> None:
            assert not outcome.error
            self.resets -= 1
            self.begins, self.deliveries = offset, {}
            self.over.clear()
            self.sent.clear()

        self.admin.queue.append(
            (lambda shard, answered: shard.initialize(KEY, epoch, offset, answered), done)
        )

    def move_leader(self) -> None:
        """Another broker leads; the one before the last hears that it does not."""
        self.leaders.append(ShareLeader(self, self.leader.epoch + 1))
        for old in self.leaders[:-2]:
            old.shared.stop(Error.NOT_LEADER_OR_FOLLOWER)
        del self.leaders[:-2]

    def go_on(self, loses: float = 0.0, gives_up: float = 0.0, fails: bool = False) -> None:
        """What is under way to the coordinator, and what it writes, gets on."""
        self.admin.go_on(loses, 0)
        for leader in self.leaders:
            leader.persister.go_on(loses, gives_up)
        self.world.go_on(fails)

    # --- what must be ---------------------------------------------------------------------------

    def _knows(self, leader: ShareLeader) -> bool:
        """Whether it is the true one, and knows where the group was set to begin."""
        current = leader is self.leader and not leader.shared.error and not self.resets
        return current and leader.shared._state_epoch == self.state_epoch

    def check_handed(self, leader: ShareLeader, found: dict[int, int]) -> None:
        """Records were handed out, with the times that they have been by now."""
        alive, knows = self.log.delivers(), self._knows(leader)
        for n, deliveries in found.items():
            assert n in alive, f"{n} is not to be delivered"
            assert 0 < deliveries <= LIMITS.deliveries
            held = leader.holds.get(n)
            assert held is None or held.until <= self.world.out.now, f"{n} is with {held}"
            assert not knows or n not in self.over, f"{n} is over, and is handed out again"

    def check_runs(self) -> None:
        """The records of a machine stand in a row."""
        for leader in self.leaders:
            if (machine := leader.shared.machine) is not None:
                batches = list(machine.states())
                ends = [machine.start - 1, *(batch.last for batch in batches)]
                assert [b.first for b in batches] == [end + 1 for end in ends[:-1]]
                assert machine.end == ends[-1] + 1

    def settle(self, rng: random.Random) -> None:
        """All members go, and the leader forgets the group; the last one gets all, and accepts."""
        for leader in self.leaders:
            leader.shared.stop(Error.NOT_LEADER_OR_FOLLOWER)
        del self.leaders[:-1]
        while self.resets:
            self.go_on()
        for _ in range(400):
            self.leader.fetch("z", rng)
            self.leader.acknowledge("z", [int(AcknowledgeType.ACCEPT)] * 100)
            for _ in range(5):
                self.go_on()
            self.world.wait(0.5)
        machine = self.leader.shared.machine
        assert machine is not None
        assert machine.start == machine.end >= self.log.end
        given_up = {n for n, times in self.deliveries.items() if times >= LIMITS.deliveries}
        lost = self.log.delivers() - self.sent - given_up - set(range(self.begins))
        assert not lost, f"{sorted(lost)} are passed over"
        state = self.world.kept(KEY).state
        assert state is not None
        read = SharePartition(LIMITS, state.start_offset, state.batches)
        assert self.over.isdisjoint(
            n
            for batch in read.states()
            if batch.state == DeliveryState.AVAILABLE
            for n in range(batch.first, batch.last + 1)
        )
