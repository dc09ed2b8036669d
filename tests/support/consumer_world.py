"""A consumer group of KIP-848 with topics, a clock and a log under the test's control."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from spindle.core.groups.consumer_values import (
    ConsumerBeat,
    ConsumerBeatAnswer,
    ConsumerLimits,
    Partitions,
    ShareGroupLimits,
)
from spindle.core.groups.coordinator_shard import GroupCoordinatorShard
from spindle.core.groups.group_values import CoordinatorRecord, GroupLimits
from spindle.core.groups.share_group import ErrorsThen, ShareStates
from spindle.core.groups.share_group_values import InitializeOrder
from spindle.core.groups.topic_hashes import topic_hash
from spindle.model.errors import Error
from spindle.model.ids import TopicId
from spindle.model.outbox import Outbox

AT_ONCE = ConsumerLimits(assignment_interval=0)


def topic_id_of(name: str) -> TopicId:
    """The id that a topic of this name has in tests."""
    return uuid.uuid5(uuid.NAMESPACE_DNS, name)


def share_states() -> ShareStates:
    """A share coordinator that does all at once and keeps nothing."""

    def initialize(order: InitializeOrder, then: ErrorsThen) -> None:
        then({(t, n): (Error.NONE, None) for t, numbers in order.offsets.items() for n in numbers})

    def delete(group_id: str, asked: Mapping[TopicId, Sequence[int]], then: ErrorsThen) -> None:
        then({(t, n): (Error.NONE, None) for t, numbers in asked.items() for n in numbers})

    return ShareStates(initialize, delete)


@dataclass
class FakeSurroundings:
    """Topics by name, each with its partitions."""

    topics: dict[str, int] = field(default_factory=dict)
    given: ConsumerLimits = AT_ONCE
    version: int = 1

    def limits(self, group_id: str) -> ConsumerLimits:
        return self.given

    def share_limits(self, group_id: str) -> ShareGroupLimits:
        return ShareGroupLimits(assignment_interval=0)

    def topic_names(self) -> Iterable[str]:
        return self.topics

    def topic_id(self, name: str) -> TopicId | None:
        return topic_id_of(name) if name in self.topics else None

    def topic_name(self, topic_id: TopicId) -> str | None:
        return next((name for name in self.topics if topic_id_of(name) == topic_id), None)

    def partition_count(self, topic_id: TopicId) -> int:
        name = self.topic_name(topic_id)
        assert name is not None
        return self.topics[name]

    def topic_hash(self, name: str) -> int:
        if name not in self.topics:
            return 0
        return topic_hash(name, topic_id_of(name), [()] * self.topics[name])


@dataclass
class ConsumerWorld:
    """A coordinator of one partition over a log that answers when the test lets it, or at once."""

    topics: dict[str, int] = field(default_factory=lambda: {"t": 4})
    limits: ConsumerLimits = AT_ONCE
    records: list[CoordinatorRecord] = field(default_factory=list)
    held: list[Callable[[int | Error | None], None]] | None = None
    error: Error | None = None

    def __post_init__(self) -> None:
        self.out = Outbox(random.Random(1))
        self.out.wall_ms = 1_000_000
        self.around = FakeSurroundings(self.topics, self.limits)
        self.shard = self.made()
        self.shard.on_loaded()

    def made(self) -> GroupCoordinatorShard:
        return GroupCoordinatorShard(
            GroupLimits(initial_delay=0),
            self.out,
            self.append,
            lambda producer, records, then: self.append(records, then),
            self.append,
            self.around,
            share_states(),
        )

    def append(self, records: list[CoordinatorRecord], then: Callable[[int | Error], None]) -> None:
        if self.error is not None:
            then(self.error)
            return

        def settle(error: int | Error | None) -> None:
            if isinstance(error, Error):
                then(error)
                return
            at = len(self.records)
            self.records.extend(records)
            then(at)

        if self.held is None:
            settle(None)
        else:
            self.held.append(settle)

    def reload(self) -> None:
        """Another coordinator replays the log; this one is closed."""
        self.shard.close()
        self.shard = self.made()
        for at, record in enumerate(self.records):
            self.shard.replay(record, at)
        self.shard.on_loaded()

    def wait(self, seconds: float) -> None:
        """Time passes, with every timer at its moment."""
        end = self.out.now + seconds
        while (at := self.out.wake_at) is not None and at <= end:
            self._set(max(at, self.out.now))
            self.out.tick()
        self._set(end)

    def _set(self, now: float) -> None:
        self.out.now, self.out.wall_ms = now, 1_000_000 + int(now * 1000)

    def ask(self, member_id: str, epoch: int, /, **fields: object) -> list[ConsumerBeatAnswer]:
        """A heartbeat; its answer, once it is there."""
        ask: dict[str, object] = {
            "group_id": "g",
            "member_id": member_id,
            "epoch": epoch,
            "client": ("c", "/h"),
        }
        if epoch == 0:
            ask |= {"rebalance_timeout": 60_000, "topics": ("t",), "owned": {}}
        answers: list[ConsumerBeatAnswer] = []
        beat = ConsumerBeat(**(ask | fields))  # type: ignore[arg-type]
        self.shard.consumers.beat(beat, answers.append)
        return answers

    def beat(self, member_id: str, epoch: int, /, **fields: object) -> ConsumerBeatAnswer:
        """The same where the answer comes at once."""
        (answer,) = self.ask(member_id, epoch, **fields)
        return answer


def numbers(partitions: Partitions | None, name: str = "t") -> list[int] | None:
    """The partitions of a topic in an assignment."""
    return None if partitions is None else sorted(partitions.get(topic_id_of(name), ()))
