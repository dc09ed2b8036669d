"""A share coordinator that moves: its log takes some of what is under way (KIP-932)."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final, NamedTuple

from spindle.core.share.share_coordinator_shard import (
    ShareCoordinatorLimits,
    ShareCoordinatorShard,
)
from spindle.core.share.share_values import (
    SharePartitionKey,
    ShareRecord,
    ShareState,
    SnapshotRecord,
    UpdateRecord,
)
from spindle.model.errors import Error
from spindle.model.ids import TopicId
from spindle.model.outbox import Outbox

LIMITS: Final = ShareCoordinatorLimits(updates=3, cold=20_000)
START_MS: Final = 1_000_000


class ShareStateWorld:
    """Coordinators one after the other over one log, of which the oldest records are deleted."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.out = Outbox(random.Random(1))
        self.out.wall_ms = START_MS
        self.log: list[ShareRecord] = []
        self.first = 0
        """The first record that is not deleted."""
        self.held: list[tuple[list[ShareRecord], Callable[[int | Error], None]]] = []
        self.gone: set[TopicId] = set()
        self.shard = self._made(0)
        self.shard.on_loaded()

    def _made(self, first: int) -> ShareCoordinatorShard:
        def append(records: list[ShareRecord], then: Callable[[int | Error], None]) -> None:
            if shard is self.shard:
                self.held.append((records, then))
            else:
                then(Error.NOT_COORDINATOR)

        shard = ShareCoordinatorShard(
            LIMITS, self.out, append, lambda id: id.topic_id not in self.gone
        )
        for at, record in enumerate(self.log[first:], first):
            shard.replay(record, at)
        return shard

    def go_on(self, fails: bool = False) -> None:
        """The first batch under way is committed, or refused."""
        if not self.held:
            return
        records, then = self.held.pop(0)
        if fails:
            then(Error.COORDINATOR_NOT_AVAILABLE)
        else:
            self.log += records
            then(len(self.log) - len(records))

    def move(self) -> None:
        """Another broker leads, which has some of what was under way; the old one hears that."""
        held, self.held = self.held, []
        old, kept = self.shard, self.rng.randrange(len(held) + 1)
        for records, _ in held[:kept]:
            self.log += records
        self.shard = self._made(self.first)
        self.shard.on_loaded()
        closes_first = self.rng.random() < 0.5
        fates = [partial(then, Error.NOT_COORDINATOR) for _, then in held]
        if closes_first:
            old.close()
        for fate in fates:
            fate()
        old.close()

    def prune(self) -> None:
        """Records go that no coordinator needs."""
        self.first = max(self.first, min(self.shard.needed_from, len(self.log)))

    def wait(self, seconds: float) -> None:
        """Time passes, with every timer at its moment."""
        end = self.out.now + seconds
        while (at := self.out.wake_at) is not None and at <= end:
            self._set(max(at, self.out.now))
            self.out.tick()
        self._set(end)

    def _set(self, now: float) -> None:
        self.out.now, self.out.wall_ms = now, START_MS + int(now * 1000)

    # --- what must be ---------------------------------------------------------------------------

    def check(self, keys: Iterable[SharePartitionKey]) -> None:
        """What is kept of share partitions is what the log says, all of it or what is left."""
        whole, left = self._made(0), self._made(self.first)
        for key in keys:
            assert self.kept(key) == kept_by(left, key) == kept_by(whole, key)
            assert expanded(self.kept(key).state) == logged(self.log, key)

    def kept(self, key: SharePartitionKey) -> Kept:
        """What the coordinator keeps."""
        return kept_by(self.shard, key)


class Kept(NamedTuple):
    """What a coordinator keeps of a share partition. `at`: where its snapshot stands."""

    state: ShareState | None
    updates: int = 0
    at: int = -1


def kept_by(shard: ShareCoordinatorShard, key: SharePartitionKey) -> Kept:
    """What a coordinator keeps."""
    kept = shard._kept.get(key)
    return Kept(None) if kept is None else Kept(kept.state, kept.updates, kept.at)


Expanded = tuple[int, int, int, dict[int, tuple[int, int]]] | None
"""State epoch, leader epoch, start offset; deliveries and state by record."""


def expanded(state: ShareState | None) -> Expanded:
    """A state record by record."""
    if state is None:
        return None
    records = {
        n: (batch.deliveries, batch.state)
        for batch in state.batches
        for n in range(batch.first, batch.last + 1)
    }
    return state.state_epoch, state.leader_epoch, state.start_offset, records


def logged(log: list[ShareRecord], key: SharePartitionKey) -> Expanded:
    """What a log says of a share partition, record by record."""
    told: Expanded = None
    for record in log:
        if record.key != key:
            continue
        if isinstance(record, SnapshotRecord):
            before, told = told, expanded(record.value)
            if before is not None and told is not None:
                told = (told[0], max(before[1], told[1]), *told[2:])
            continue
        assert isinstance(record, UpdateRecord)
        assert told is not None, "an update of what is not there"
        epoch, leader, start, records = told
        start = start if record.start_offset == -1 else record.start_offset
        for batch in record.batches:
            for n in range(batch.first, batch.last + 1):
                now = (batch.deliveries, batch.state)
                records[n] = max(records.get(n, now), now)
        records = {n: what for n, what in records.items() if n >= start}
        told = (epoch, max(leader, record.leader_epoch), start, records)
    return told
