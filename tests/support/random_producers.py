"""Producers with transactional ids: they do as clients do, step by step (KIP-98, 360, 890).

Answers come late, or never. `tests.support.transaction_world` has what they write to.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Final

from spindle.core.transactions.transaction_values import BUMPING, ProducerIdAndEpoch
from spindle.model.errors import Error
from tests.support.transaction_world import MarkedPartition, TransactionWorld

TIMEOUT: Final = 8_000
"""Milliseconds for which a transaction may be open."""
AGAIN: Final = (
    Error.CONCURRENT_TRANSACTIONS,
    Error.NOT_COORDINATOR,
    Error.COORDINATOR_NOT_AVAILABLE,
    Error.COORDINATOR_LOAD_IN_PROGRESS,
)
"""Answers after which clients ask the same again."""


@dataclass(eq=False)
class RandomProducer:
    """A producer. What it does next: `stage`, one of init, idle, add, write, end."""

    world: TransactionWorld
    name: str
    place: str
    rng: random.Random
    knows_bumping: bool
    stage: str = "init"
    me: ProducerIdAndEpoch | None = None
    bumps: bool = False
    label: str = ""
    left: list[MarkedPartition] = field(default_factory=list)
    parts: list[MarkedPartition] = field(default_factory=list)
    commit: bool = False
    lives: int = 0
    made: int = 0
    ended: int = 0
    began_ms: int = 0
    displaced: bool = False
    """Another one came under its name, its time was over, or it missed the change of its epoch."""
    was_over: bool = False
    """It asked for an end after another one had begun."""
    waiting: list[object] | None = None
    rivals: list[RandomProducer] = field(default_factory=list)
    """Others of its name."""

    @property
    def begins(self) -> bool:
        """Whether it is asking for an epoch, and has not been answered."""
        return self.stage == "init" and self.waiting == []

    def step(self, loses: float) -> None:
        """Take an answer, or lose it; else do what is next."""
        if self.waiting is None:
            self._ask()
        elif self.waiting:
            answer, self.waiting = self.waiting[0], None
            lost = self.rng.random() < loses
            if self.stage == "init" and self.me and (lost or answer is Error.NOT_COORDINATOR):
                self.displaced = True  # Only the coordinator that gave its epoch knows the last.
            if not lost:
                self._take(answer)
        elif self.stage not in ("init", "idle") and self.rng.random() < loses:
            self.waiting = None  # It waits no more, and asks again while that is under way.

    def die(self) -> None:
        """Another process begins, which knows nothing. What it asks last does not come after it."""
        if self.begins:
            return
        self.stage, self.me, self.waiting, self.displaced = "init", None, None, False
        self.lives += 1

    def wants_epoch(self) -> None:
        """Something went wrong between two transactions: it asks for another epoch (KIP-360)."""
        if self.stage == "idle":
            self.stage = "init"

    # --- asking ---------------------------------------------------------------------------------

    def _ask(self) -> None:
        if self.stage == "idle":
            self._begin()
        if self.stage == "init":
            self.bumps = self.knows_bumping and self.world.level >= BUMPING
        shard, told = self.world.asked(self.rng), list[object]()
        me = self.me
        if self.stage == "init":
            if me is None:
                for rival in self.rivals:
                    rival.displaced = True
                    self.displaced = self.displaced or rival.begins
            self.waiting = told
            shard.init(self.name, TIMEOUT, me, told.append)
            return
        self.waiting = told
        assert me is not None
        if self.stage == "add":
            places = [part.where for part in self.left]
            shard.add(self.name, me, places, False, told.append)
        elif self.stage == "write":
            self.left[0].write(self, me, told.append)
        else:
            self.was_over = self.world.promises.is_over(self.label)
            shard.end(self.name, me, self.commit, self.bumps, told.append)

    def _begin(self) -> None:
        """The next transaction; with `bumps`, one that may be for its epoch alone.

        Where the level has been raised it asks for another epoch first: its partitions may still
        wait for the marker of its last one in the epoch that it has.
        """
        if self.knows_bumping and self.world.level >= BUMPING and not self.bumps:
            self.stage = "init"
            return
        self.made += 1
        self.label = f"{self.place}-{self.lives}-{self.made}"
        self.began_ms = self.world.out.wall_ms
        self.commit = self.rng.random() < 0.6
        self.world.promises.begun[self.label] = self.name
        empty = self.bumps and self.rng.random() < 0.1
        self.parts = [] if empty else self.rng.sample(self.world.parts, self.rng.randrange(1, 4))
        self.left = list(self.parts)
        if empty:
            self.stage, self.commit = "end", False
        else:
            self.stage = "write" if self.bumps else "add"

    # --- answers --------------------------------------------------------------------------------

    def _take(self, answer: object) -> None:
        if isinstance(answer, Error) and answer:
            if answer not in AGAIN:
                assert self.displaced, f"{self.place} has to stop for {answer} in {self.stage}"
                self.die()
        elif self.stage == "init":
            assert isinstance(answer, ProducerIdAndEpoch)
            if self.me is None:
                self.world.promises.on_newest(self.name, answer)
            self.me, self.stage = answer, "idle"
        elif self.stage == "add":
            self.stage = "write"
        elif self.stage == "write":
            self.left.pop(0)
            if not self.left:
                self.stage = "end"
        else:
            assert isinstance(answer, ProducerIdAndEpoch)
            self.ended += 1
            if self.parts:
                assert not self.was_over, f"{self.label} ends although its producer is fenced"
                self.world.promises.on_answered(self.label, self.commit)
            self.me, self.stage = answer, "idle"
