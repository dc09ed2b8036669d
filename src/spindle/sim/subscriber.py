"""A consumer of KIP-848: beats, owns what answers say, works, gives up before it says so, leaves.

It reads on in what it is to give up until it has committed that, and only then acknowledges. Its
answers get lost, it stops for longer than its session lasts and goes on as a zombie, it is started
again without a word, and it comes back into a static place. What it does with what it owns is in
`group_client`. Part of the workload; reports to the history what it believes to own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar, Final

from spindle.core.groups.consumer_values import (
    JOIN_EPOCH,
    LEAVE_EPOCH,
    STATIC_LEAVE_EPOCH,
    UNIFORM,
)
from spindle.model.errors import Error, PeerFailed
from spindle.model.ids import ZERO_ID, NodeId, PartitionId, TopicId
from spindle.model.outbox import Rng
from spindle.sim.group_client import GroupClient, GroupJob
from spindle.sim.script import BUSY, ELSEWHERE, GROUP, Steps
from spindle.sim.told_history import History
from spindle.sim.transactor import OUT
from spindle.sim.violation import Violation
from spindle.wire.codec import ErrorCode
from spindle.wire.messages.consumer_group_heartbeat_request import (
    ConsumerGroupHeartbeatRequest,
    TopicPartitions,
)
from spindle.wire.messages.consumer_group_heartbeat_response import (
    Assignment,
    ConsumerGroupHeartbeatResponse,
)

SESSION: Final = 3.0
BEAT: Final = 0.5
PATIENCE: Final = 2.0
"""S that a member waits for an answer, less than its session: what an answer says still holds."""
SETTINGS: Final = {
    "group.consumer.min.session.timeout.ms": str(int(SESSION * 1000)),
    "group.consumer.session.timeout.ms": str(int(SESSION * 1000)),
    "group.consumer.min.heartbeat.interval.ms": str(int(BEAT * 1000)),
    "group.consumer.heartbeat.interval.ms": str(int(BEAT * 1000)),
}
"""What brokers need for sessions that are as short as those of this workload."""
PATTERN: Final = "topic-.*"
JOIN_AGAIN: Final = frozenset(
    {Error.UNKNOWN_MEMBER_ID, Error.FENCED_MEMBER_EPOCH, Error.GROUP_ID_NOT_FOUND}
)
"""The last one: its group has become a classic one without it."""
LEFT: Final = frozenset(
    {
        Error.NONE,
        Error.UNKNOWN_MEMBER_ID,
        Error.FENCED_INSTANCE_ID,
        Error.GROUP_ID_NOT_FOUND,
    }
)
"""What a member hears that leaves, or that has left already."""


@dataclass(frozen=True, slots=True)
class SubscriberJob(GroupJob):
    """What a consumer of KIP-848 does."""

    restarts: float = 0.03
    """The share of its rounds after which its process is started again, without a word."""
    loses: float = 0.0
    """The share of answers to its heartbeats that never reach it."""
    by_pattern: bool = False
    assignor: str = UNIFORM


class Subscriber(GroupClient):
    """One consumer, and its producer."""

    COMMIT_VERSION: ClassVar = 9
    REFUSALS: ClassVar = OUT | {Error.STALE_MEMBER_EPOCH}

    def __init__(
        self,
        name: str,
        rng: Rng,
        brokers: dict[NodeId, tuple[str, int]],
        history: History,
        job: SubscriberJob,
    ) -> None:
        super().__init__(name, rng, brokers, history, job)
        self._job = job
        self._life = 0
        self._who = replace(self._who, member_id=f"{name}/0")
        self._owned: dict[PartitionId, None] = {}
        """What it may use, as far as it knows, and has not said that it gave up."""
        self._said: tuple[tuple[str, ...], tuple[PartitionId, ...]] | None = None
        """The topics and partitions that its coordinator has heard of; None: say all again."""
        self._asking_since: float | None = None
        """When it sent the first heartbeat since the last answer. Since then, and not before, it
        may have to give up what it has not heard of. As long as it joins, it owns nothing."""

    @property
    def waits_for(self) -> str:
        """What it has still to do before it has finished."""
        if self.history.groups.is_at_rest(self._group, self.targets()):
            return super().waits_for
        return f"{self._group} to rest, with each partition owned"

    def begin(self) -> None:
        """Look for topics, then work."""
        self.refresh_often()
        self.run(self._work())

    def _work(self) -> Steps[None]:
        job, groups = self._job, self.history.groups
        if job.transactional_id is not None:
            yield from self.identify()
        while not (self.draining and groups.is_at_rest(job.group, self.targets())):
            if not job.works_at(self.out.now, self.draining):
                yield from self._go_home()
                continue
            yield from self._beat()
            yield from self._place()
            yield from self._round()
            yield self.pausing(self.between(0.5, 1.5) * job.pause)
            if not self.draining:
                yield from self._live(self.out.rng.random())
        yield from self._leave(LEAVE_EPOCH)
        if job.transactional_id is not None:
            yield from self.identify()
        self.finished = True

    def _go_home(self) -> Steps[None]:
        """Its shift is over: another one may come in its place."""
        if self._who.generation >= 0:
            static = self._job.instance_id is not None and self.out.rng.random() < 0.7
            yield from self._leave(STATIC_LEAVE_EPOCH if static else LEAVE_EPOCH)
        yield self.pausing(self._job.pause)

    def _live(self, chance: float) -> Steps[None]:
        """What may come between two rounds: it leaves, its process ends, or it stops for long."""
        job = self._job
        if chance < job.leaves:
            static = job.instance_id is not None and self.out.rng.random() < 0.7
            yield from self._leave(STATIC_LEAVE_EPOCH if static else LEAVE_EPOCH)
            yield self.pausing(self.between(0.0, 0.5) * SESSION)
        elif chance < job.leaves + job.restarts:
            self._start_again()
        elif chance < job.leaves + job.restarts + job.sleeps:
            yield self.pausing(self.between(0.3, 3.0) * SESSION)
            # It has not heard that others own its partitions by now.
            yield from self._round()

    # --- membership -------------------------------------------------------------------------

    def _forget(self) -> None:
        """It owns nothing, and has to join."""
        self.history.groups.on_given_up(self._who, list(self._owned))
        self._who = replace(self._who, generation=-1)
        self._owned, self._positions, self._said = {}, {}, None

    def _start_again(self) -> None:
        """Another process, with an id of its own, is in its place."""
        self._forget()
        self._life += 1
        self._who = replace(self._who, member_id=f"{self.name}/{self._life}")

    def _out(self, error: ErrorCode) -> None:
        """A commit was refused: it is out, or only behind its group, which a beat will tell."""
        self.history.count(f"commits of members: {Error(error).name}")
        if error in JOIN_AGAIN:
            self._forget()
        elif error == Error.FENCED_INSTANCE_ID:
            self._start_again()

    def _beat(self) -> Steps[None]:
        """One heartbeat. Without an answer it goes on as before, and says all the next time."""
        key, who, coordinator_of = (
            (GROUP, self._group),
            self._who,
            self.history.groups.coordinator_of,
        )
        node = self._coordinators.get(key)
        if node is None:
            node = self._coordinators[key] = yield from self.find(*key)
        topics, owned = self._topics(), tuple(self._owned)
        request = self._request(topics, owned)
        if who.generation < 0:
            self.history.groups.on_place_asked(who, self.name, is_classic=False)
        before = coordinator_of(self._group)
        if who.generation < 0 or self._asking_since is None:
            self._asking_since = self.out.now
        answer = yield self.asking(node, request, PATIENCE)
        if who.generation < 0:
            self.history.groups.on_place_answered(who, self.name, self.out.now, is_classic=False)
        is_lost = isinstance(answer, PeerFailed) or self.out.rng.random() < self._job.loses
        if is_lost or answer.error_code in ELSEWHERE | BUSY:
            self._said = None
            if is_lost or answer.error_code in ELSEWHERE:
                self._coordinators.pop(key, None)
            return
        if answer.error_code != Error.NONE:
            yield from self._on_refused(Error(answer.error_code), answer)
            return
        self._said = (topics, owned)
        trusted = before == coordinator_of(self._group) and before[0] == node
        self._who = replace(who, generation=answer.member_epoch)
        self.history.count("heartbeats of members")
        sure_at = self._asking_since if trusted else None
        if trusted:
            self._asking_since = None
        yield from self._take(answer, sure_at)

    def _request(
        self, topics: tuple[str, ...], owned: tuple[PartitionId, ...]
    ) -> ConsumerGroupHeartbeatRequest:
        said, job, who = self._said, self._job, self._who
        is_full = said is None
        names = topics if said is None or said[0] != topics else None
        tells = said is None or said[1] != owned
        return ConsumerGroupHeartbeatRequest(
            group_id=job.group,
            member_id=who.member_id,
            member_epoch=who.generation if who.generation >= 0 else JOIN_EPOCH,
            instance_id=job.instance_id,
            rebalance_timeout_ms=int(SESSION * 1000) if is_full else -1,
            subscribed_topic_names=None if job.by_pattern else names,
            subscribed_topic_regex=PATTERN if job.by_pattern and is_full else None,
            server_assignor=job.assignor if is_full else None,
            topic_partitions=_encoded(owned) if tells else None,
        )

    def _topics(self) -> tuple[str, ...]:
        if self._job.by_pattern:
            return ()
        return tuple(sorted(self.by_name(self.targets())))

    def _on_refused(self, error: Error, answer: ConsumerGroupHeartbeatResponse) -> Steps[None]:
        self.history.count(f"members: {error.name}")
        if error in JOIN_AGAIN:
            self._forget()
        elif error is Error.FENCED_INSTANCE_ID:
            self._start_again()
        elif error is not Error.UNRELEASED_INSTANCE_ID or self._who.generation >= 0:
            raise Violation(f"{self.name}: a heartbeat: {error.name}: {answer.error_message}")
        yield self.retrying()

    def _take(self, answer: ConsumerGroupHeartbeatResponse, sure_at: float | None) -> Steps[None]:
        """Own what the answer says. What it does not say any more is worked off, then given up.

        `sure_at`: since when it is asking, if it is sure that the group's coordinator has answered.
        """
        groups, who = self.history.groups, self._who
        told = self._owned
        if answer.assignment is not None:
            told = _decoded(answer.assignment)
        lost = [id for id in self._owned if id not in told]
        groups.on_held(who, self.name, list(told), sure_at, self.out.now, SESSION)
        self._owned.update(told)
        if lost:
            self.history.count("partitions revoked", len(lost))
            read = [id for id in lost if id in self._positions and not self._is_deleted(id)]
            yield from self._work_on(read)
            if self._who.generation < 0:
                return  # Its commit was refused: it is out.
            groups.on_given_up(who, lost)
            self._owned = {id: None for id in self._owned if id not in lost}
            self._positions = {id: at for id, at in self._positions.items() if id in self._owned}

    def _place(self) -> Steps[None]:
        """Find out where to read on in what is new."""
        known = self.targets()
        new = [id for id in self._owned if id not in self._positions and id in known]
        if new:
            self._positions.update((yield from self.committed(new)))

    def _leave(self, epoch: int) -> Steps[None]:
        who = self._who
        is_member = who.generation >= 0
        self._start_again()
        if is_member:
            request = ConsumerGroupHeartbeatRequest(
                group_id=who.group,
                member_id=who.member_id,
                member_epoch=epoch,
                instance_id=who.instance_id,
            )
            answer, _, _ = yield from self.ask_coordinator(
                GROUP, who.group, request, lambda a: a.error_code
            )
            self.history.count(f"members leave: {Error(answer.error_code).name}")
            if answer.error_code not in LEFT:
                raise Violation(f"{self.name}: may not leave: {Error(answer.error_code).name}")


def _encoded(ids: Iterable[PartitionId]) -> list[TopicPartitions]:
    found: dict[TopicId, list[int]] = {}
    for id in ids:
        found.setdefault(id.topic_id, []).append(id.partition)
    return [TopicPartitions(topic_id=t, partitions=numbers) for t, numbers in found.items()]


def _decoded(assignment: Assignment) -> dict[PartitionId, None]:
    return {
        PartitionId(topic.topic_id or ZERO_ID, number): None
        for topic in assignment.topic_partitions
        for number in topic.partitions
    }
