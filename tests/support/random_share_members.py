"""Members of a share group, which do as clients do, step by step, and what keeps their states."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from spindle.core.groups.consumer_values import ShareGroupLimits
from spindle.core.groups.coordinator_shard import GroupCoordinatorShard
from spindle.core.groups.group_values import GroupLimits
from spindle.core.groups.share_group import ErrorsThen, ShareStates
from spindle.core.groups.share_group_metadata import ShareGroupMetadata
from spindle.core.groups.share_group_values import (
    InitializeOrder,
    OfShareGroup,
    ShareBeat,
    ShareBeatAnswer,
)
from spindle.model.errors import Error
from spindle.model.ids import TopicId
from tests.support.consumer_world import ConsumerWorld, FakeSurroundings

JOIN_AGAIN: Final = (Error.UNKNOWN_MEMBER_ID, Error.FENCED_MEMBER_EPOCH, Error.GROUP_ID_NOT_FOUND)
AGAIN: Final = (Error.NOT_COORDINATOR, Error.COORDINATOR_NOT_AVAILABLE)
Part = tuple[TopicId, int]


@dataclass(eq=False)
class StateKeeper:
    """Stands for the share coordinators. What is asked is done one after the other, and late."""

    around: FakeSurroundings
    states: dict[Part, int] = field(default_factory=dict)
    """The state epoch of each state."""
    ever: set[Part] = field(default_factory=set)
    under_way: list[Callable[[Error], None]] = field(default_factory=list)

    def initialize(self, order: InitializeOrder, then: ErrorsThen) -> None:
        """Make states."""
        asked = [(t, n) for t, numbers in order.offsets.items() for n in numbers]

        def make(part: Part) -> Error:
            if self.states.get(part, -1) > order.state_epoch:
                return Error.FENCED_STATE_EPOCH
            self.states[part] = order.state_epoch
            self.ever.add(part)
            return Error.NONE

        self._put_off(asked, make, then)

    def delete(
        self, group_id: str, asked: Mapping[TopicId, Sequence[int]], then: ErrorsThen
    ) -> None:
        """Forget states."""

        def forget(part: Part) -> Error:
            self.states.pop(part, None)
            return Error.NONE

        self._put_off([(t, n) for t, numbers in asked.items() for n in numbers], forget, then)

    def _put_off(
        self, asked: Sequence[Part], act: Callable[[Part], Error], then: ErrorsThen
    ) -> None:
        def done(fails: Error) -> None:
            told: dict[Part, tuple[Error, str | None]] = {}
            for part in asked:
                is_gone = self.around.topic_name(part[0]) is None
                error = Error.UNKNOWN_TOPIC_OR_PARTITION if is_gone else fails or act(part)
                told[part] = (error, None)
            then(told)

        self.under_way.append(done)


class Intervals(FakeSurroundings):
    """Topics. An assignment is made once in so many ms."""

    interval = 0

    def share_limits(self, group_id: str) -> ShareGroupLimits:
        """The settings of a share group."""
        return ShareGroupLimits(assignment_interval=self.interval)


@dataclass
class ShareGroupWorld(ConsumerWorld):
    """A coordinator of share groups over a log that answers when the test lets it."""

    interval: int = 0
    admins: list[list[object]] = field(default_factory=list)
    """The answers to each that alters or deletes offsets, or the group."""
    _read: ShareGroupMetadata = field(default_factory=lambda: ShareGroupMetadata("g"))
    _seen: int = 0

    def made(self) -> GroupCoordinatorShard:
        """Another coordinator."""
        if not isinstance(self.around, Intervals):
            self.around = Intervals(self.topics)
            self.around.interval = self.interval
            self.keeper = StateKeeper(self.around)
        return GroupCoordinatorShard(
            GroupLimits(initial_delay=0),
            self.out,
            self.append,
            lambda producer, records, then: self.append(records, then),
            self.append,
            self.around,
            ShareStates(self.keeper.initialize, self.keeper.delete),
        )

    def go_on(self, fails: Error = Error.NONE) -> None:
        """The log, or the keeper of states, gets on with the first thing that is under way."""
        waiting = [queue for queue in (self.held, self.keeper.under_way) if queue]
        if not waiting:
            return
        if self.out.rng.random() < 0.5 and self.held:
            self.held.pop(0)(fails or None)
        elif self.keeper.under_way:
            self.keeper.under_way.pop(0)(fails)

    def move(self, kept: int) -> None:
        """Another broker leads; the log has the first of the batches that were under way."""
        held, self.held = self.held or [], []
        self.shard.close()
        for at, batch in enumerate(held):
            batch(None if at < kept else Error.NOT_COORDINATOR)
        self.reload()

    def read(self) -> ShareGroupMetadata:
        """The group as the log has it."""
        for record in self.records[self._seen :]:
            if isinstance(record, OfShareGroup):
                self._read.apply(record)
        self._seen = len(self.records)
        return self._read


@dataclass(eq=False)
class RandomShareMember:
    """A consumer of a share group."""

    world: ShareGroupWorld
    name: str
    rng: random.Random
    life: int = 0
    epoch: int = 0
    holds: set[Part] = field(default_factory=set)
    topics: tuple[str, ...] = ("t",)
    said: bool = False
    """Its topics."""
    waiting: list[ShareBeatAnswer] | None = None

    @property
    def id(self) -> str:
        """Each life has its own."""
        return f"{self.name}-{self.life}"

    def step(self, loses: float) -> None:
        """Take an answer, or lose it; else beat."""
        if self.waiting is None:
            self._beat(self.epoch)
        elif self.waiting:
            (answer,) = self.waiting
            self.waiting = None
            if self.rng.random() < loses:
                self.said = False  # It says everything again.
            else:
                self._take(answer)

    def die(self, leaves: bool) -> None:
        """Another process begins; it may leave first."""
        if leaves and self.epoch > 0:
            self._beat(-1)
        self.epoch, self.holds, self.said, self.waiting = 0, set(), False, None
        self.life += 1

    def subscribe(self, topics: tuple[str, ...]) -> None:
        """Read these topics from now on."""
        self.topics, self.said = topics, False

    def _beat(self, epoch: int) -> None:
        topics = None if self.said and epoch else self.topics
        self.said, self.waiting = True, []
        self.world.shard.shares.beat(
            ShareBeat(
                group_id="g", member_id=self.id, epoch=epoch, topics=topics, client=("c", "/h")
            ),
            self.waiting.append,
        )

    def _take(self, answer: ShareBeatAnswer) -> None:
        if answer.error in JOIN_AGAIN:
            self.epoch, self.holds, self.said = 0, set(), False
        elif answer.error:
            assert answer.error in AGAIN, answer
            self.said = False
        else:
            assert answer.epoch > 0, answer
            self.epoch = answer.epoch
            if answer.assignment is not None:
                self.holds = {(t, n) for t, ns in answer.assignment.items() for n in ns}
                assert self.holds <= self.world.keeper.ever, "none keeps their states"
