"""Copies partitions from their leaders: one fetcher for each broker that leads some of them.

A `LeaderFetcher` asks one broker for all partitions that follow it here, in one incremental fetch
session. It asks again once it has written what came: a fetch acknowledges only what is written. A
`FollowedPartition` takes what comes for it. A partition whose write takes long, or that has met an
error, is left out meanwhile and holds up no other. The replicas say what follows which leader.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from spindle.core.replica.fetch_session_handler import (
    SESSION_ERRORS,
    FetchSessionHandler,
    Position,
    truncation_point,
)
from spindle.core.replica.partition import PartitionFollower
from spindle.model.batches import Buffer, RecordBatch
from spindle.model.errors import Corrupt, Error, PeerFailed, Refusal
from spindle.model.ids import NO_LEADER, ZERO_ID, NodeId, PartitionId
from spindle.model.offsets import OffsetAndEpoch
from spindle.model.outbox import Timer
from spindle.node.broker_context import BrokerContext
from spindle.node.replicas import fetch_requests
from spindle.node.replicas.hosted import HostedPartition
from spindle.node.replicas.replica_manager import ReplicaManager
from spindle.node.replicas.silent_leaders import SilentLeaders
from spindle.node.replicas.throttling import ReplicationThrottle
from spindle.wire.batch import check, split
from spindle.wire.codec import one_buffer
from spindle.wire.control import marker_of
from spindle.wire.messages.fetch_response import FetchResponse, PartitionData

CHANNEL: Final = "fetch"
RETRY_FIRST: Final = 0.05
"""Seconds until a partition or a source is tried again: doubled up to replica.fetch.backoff.ms."""
PATIENCE: Final = 0.1
"""Seconds that all partitions of a source wait for the slowest write of an answer."""
THROTTLED_LOOK: Final = 0.1
"""Seconds between looks at the throttle while nothing may be fetched."""
ANSWER_TIMEOUT: Final = 30.0
"""Seconds that a source may take beyond the wait it was asked for."""


class ReplicaFetcherManager:
    """All that this broker follows."""

    def __init__(self, context: BrokerContext, replicas: ReplicaManager) -> None:
        self.context = context
        self.replicas = replicas
        self.listeners: list[Callable[[PartitionId], None]] = []
        """Called whenever a leader has answered this broker's first fetch for a log."""
        self._followed: dict[PartitionId, FollowedPartition] = {}
        self.sources: dict[NodeId, LeaderFetcher] = {}
        self.throttle = ReplicationThrottle(context, "follower")
        self.silent = SilentLeaders(context.out, lambda: context.image)
        self._closed = False

    def follow(self, hosted: HostedPartition) -> None:
        """A partition follows its leader from now on (none: it waits for one)."""
        self.leave(hosted)
        role = hosted.partition.role
        assert isinstance(role, PartitionFollower), f"{hosted.name} follows no leader"
        if role.leader == NO_LEADER or self._closed:
            return
        assert role.leader != self.context.node_id, "a broker does not follow itself"
        source = self.sources.get(role.leader)
        if source is None:
            source = self.sources[role.leader] = LeaderFetcher(self, role.leader)
        followed = self._followed[hosted.id] = FollowedPartition(self, hosted, source)
        source.followed[hosted.id] = source.unanswered[hosted.id] = followed
        hosted.jobs.when_idle(followed.begin)

    def leave(self, hosted: HostedPartition) -> None:
        """A partition follows no leader any more."""
        followed = self._followed.get(hosted.id)
        if followed is None or followed.hosted is not hosted:
            return
        del self._followed[hosted.id]
        source = followed.source
        source.leave(hosted.id)
        if not source.followed:
            source.close()
            del self.sources[source.node]

    def close(self) -> None:
        """Copy nothing any more: this broker stops."""
        self._closed = True
        for followed in list(self._followed.values()):
            self.leave(followed.hosted)

    def on_brokers(self, brokers: Iterable[NodeId]) -> None:
        """Registrations have changed: a broker that could not be reached may be back."""
        for broker in brokers:
            source = self.sources.get(broker)
            if source is not None:
                source.on_registered()
        self.silent.on_brokers(brokers)

    @property
    def lag_max(self) -> int:
        """Records by which the follower that is furthest behind was so at its last fetch."""
        return max((followed.lag for followed in self._followed.values()), default=0)

    def has_answered(self, id: PartitionId) -> bool:
        """Whether the leader has answered a fetch since this broker has this log of a partition."""
        followed = self._followed.get(id)
        return followed is not None and id not in followed.source.unanswered

    def is_current(self, followed: FollowedPartition) -> bool:
        """Whether a partition is still followed as it was then."""
        return self._followed.get(followed.hosted.id) is followed

    @property
    def backoff_max(self) -> float:
        """Seconds between attempts at most."""
        return self.context.settings.seconds("replica.fetch.backoff.ms")

    def delay(self, failures: int) -> float:
        """Seconds until the next attempt, after so many that failed."""
        return float(min(RETRY_FIRST * 2 ** min(failures - 1, 16), self.backoff_max))


class LeaderFetcher:
    """The conversation with one leader: one request at a time."""

    def __init__(self, manager: ReplicaFetcherManager, node: NodeId) -> None:
        self.node = node
        self.followed: dict[PartitionId, FollowedPartition] = {}
        self.unanswered: dict[PartitionId, FollowedPartition] = {}
        """Those of whose log the leader may not know yet how far it goes."""
        self._manager = manager
        self._context = manager.context
        self._conversation = FetchSessionHandler()
        self._writing: dict[PartitionId, None] = {}
        self._held: dict[PartitionId, FollowedPartition] = {}
        """Throttled and out of sync: not fetched until the rate allows it (KIP-73)."""
        self._asking = False
        self._closed = False
        self._timer: Timer | None = None
        self._failures = 0

    # --- what takes part --------------------------------------------------------------------------

    def leave(self, id: PartitionId) -> None:
        """Fetch a partition no more."""
        del self.followed[id]
        self.unanswered.pop(id, None)
        self._held.pop(id, None)
        self._conversation.leave(id)
        self._written(id)

    def close(self) -> None:
        """Nothing is followed here; an answer that is still to come is ignored."""
        self._closed = True
        self._set_timer(None)

    def on_registered(self) -> None:
        """The broker has registered, or its registration has changed."""
        self._failures = 0
        self._kick()

    def want(self, followed: FollowedPartition) -> None:
        """A partition takes part in the next fetch."""
        self._conversation.want(followed.hosted.id, followed.position)
        self._kick()

    def leave_out(self, id: PartitionId) -> None:
        """A partition has met an error: it takes part again once it wants to."""
        self._conversation.leave(id)

    def wait_for(self, id: PartitionId) -> None:
        """A partition's log is being written: the next fetch waits for it, for a while."""
        self._conversation.leave(id)
        self._writing[id] = None

    def on_written(self, followed: FollowedPartition) -> None:
        """A partition's log is written, and says where it stands now."""
        self._conversation.want(followed.hosted.id, followed.position)
        self._written(followed.hosted.id)

    def _written(self, id: PartitionId) -> None:
        self._writing.pop(id, None)
        if not self._writing and not self._asking and not self._failures:
            self._send()

    # --- asking -------------------------------------------------------------------------------

    def _kick(self) -> None:
        troubled = self._failures > 0 and self._timer is not None
        if not self._asking and not self._writing and not troubled:
            self._set_timer(0.0)

    def _set_timer(self, delay: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if delay is None else self._context.out.after(delay, self._on_time)

    def _on_time(self) -> None:
        self._timer = None
        self._writing.clear()  # What is still being written has used up the others' patience.
        self._send()

    def _send(self) -> None:
        self._set_timer(None)
        if self._asking or self._closed:
            return
        self._hold_back()
        if not self._conversation.wanted:
            if self._held:
                self._set_timer(THROTTLED_LOOK)
            return
        address = self._context.address(self.node)
        if address is None:
            return  # Its registration wakes this fetcher.
        request = fetch_requests.fetch(self._context, self._conversation.ask())
        version = fetch_requests.fetch_version(self._context.level)
        wait = self._context.settings.seconds("replica.fetch.wait.max.ms")
        self._asking = True
        self._context.peers.ask(
            *address, CHANNEL, request, version, self._on_answer, wait + ANSWER_TIMEOUT
        )

    def _hold_back(self) -> None:
        """Leave out what is throttled and behind while too much has come; else take it in again."""
        if not self._manager.throttle.is_exceeded:
            held, self._held = self._held, {}
            for id, followed in held.items():
                self._conversation.want(id, followed.position)
            return
        for id in list(self._conversation.wanted):
            followed = self.followed[id]
            if followed.is_throttled and not followed.in_sync:
                self._held[id] = followed
                self._conversation.leave(id)

    def _on_answer(self, answer: FetchResponse | PeerFailed) -> None:
        self._asking = False
        if self._closed:
            return
        if isinstance(answer, PeerFailed) or answer.error_code != Error.NONE:
            self._on_trouble(answer)
            return
        self._failures = 0
        self._manager.silent.on_heard(self.node)
        self._conversation.on_answer(answer.session_id)
        for topic in answer.responses:
            for told in topic.partitions:
                id = PartitionId(topic.topic_id or ZERO_ID, told.partition_index)
                followed = self.followed.get(id)
                if followed is not None and self._conversation.is_settled(id):
                    followed.take(told)
        for followed in list(self.unanswered.values()):
            # The answer leaves it out: its leader knows already what it has.
            if self._conversation.is_settled(followed.hosted.id):
                followed.on_known()
        if self._writing:
            self._set_timer(PATIENCE)
        else:
            self._send()

    def _on_trouble(self, answer: FetchResponse | PeerFailed) -> None:
        self._conversation.on_lost()
        if not isinstance(answer, PeerFailed) and answer.error_code in SESSION_ERRORS:
            self._send()
            return
        self._manager.silent.on_silent(self.node)
        why = str(answer) if isinstance(answer, PeerFailed) else f"error {answer.error_code}"
        if self._failures == 0:
            self._context.out.say(
                "warning", "leader does not answer fetches", broker=self.node, reason=why
            )
        self._failures += 1
        self._set_timer(self._manager.delay(self._failures))


@dataclass(slots=True, eq=False)
class FollowedPartition:
    """One partition that this broker follows, under one leader and epoch."""

    _manager: ReplicaFetcherManager
    hosted: HostedPartition
    source: LeaderFetcher
    failures: int = 0
    in_sync: bool = False
    """Its log reached the leader's high watermark when it was fetched last."""
    lag: int = 0
    """Records that it had less than the leader's high watermark then."""

    @property
    def is_throttled(self) -> bool:
        """Whether what comes of it counts towards the throttle (KIP-73)."""
        return self.hosted.name.partition in self.hosted.topic.throttled_as_follower

    @property
    def position(self) -> Position:
        """Where its log stands: all below is written."""
        machine = self.hosted.partition
        log = machine.log
        return Position(log.end, machine.leader_epoch, log.last_epoch, log.start)

    @property
    def _is_current(self) -> bool:
        """Whether it is still followed as it was then."""
        return self._manager.is_current(self)

    def begin(self) -> None:
        """Its log is still: fetch what comes after it."""
        if not self._is_current or self.hosted.full:
            return  # It is followed again once the log is mended.
        log = self.hosted.partition.log
        if log.last_epoch < 0 and log.high_watermark < log.end:
            # Epochs would show where the logs part; without, cut what is not committed (KIP-101).
            self._cut(log.high_watermark)
        else:
            self._want()

    def _want(self) -> None:
        if self._is_current:
            self.source.want(self)

    # --- taking what came -----------------------------------------------------------------------

    def take(self, told: PartitionData) -> None:
        """What the leader has answered for it."""
        error = told.error_code
        if error == Error.OFFSET_OUT_OF_RANGE:
            self.source.leave_out(self.hosted.id)
            context, node = self._manager.context, self.source.node
            fetch_requests.LogBoundsRequest(context, node, self.hosted).ask(self._on_bounds)
            return
        if error != Error.NONE:
            # A leader that has lost the disk of thousands is not asked all the time: metadata
            # follows.
            lost = error == Error.KAFKA_STORAGE_ERROR
            self._back_off(getattr(error, "name", f"error {error}"), long=lost)
            return
        diverging = told.diverging_epoch
        if diverging.end_offset >= 0 and diverging.epoch >= 0:
            self._on_diverging(OffsetAndEpoch(diverging.end_offset, diverging.epoch))
            return
        self.failures = 0
        self.on_known()
        if told.records:
            self._on_records(told)
        else:
            self._note_lag(self.hosted.partition.log.end, told.high_watermark)
            self._on_marks(told.high_watermark, told.log_start_offset)

    def _note_lag(self, end: int, mark: int) -> None:
        self.lag = max(mark - end, 0)
        self.in_sync = self.lag == 0

    def on_known(self) -> None:
        """The leader has accepted the offset that this partition is fetched from."""
        if self.source.unanswered.pop(self.hosted.id, None) is not None:
            for listener in self._manager.listeners:
                listener(self.hosted.id)

    def _on_diverging(self, diverging: OffsetAndEpoch) -> None:
        machine, log = self.hosted.partition, self.hosted.partition.log
        point = truncation_point(log.epochs, log.end, diverging)
        if point >= log.end:
            self._back_off(f"it parts from us at {diverging}, beyond our log")
            return
        self._manager.context.out.say(
            "info",
            "log truncated to its leader's",
            partition=str(self.hosted.name),
            offset=point,
            end=log.end,
            epoch=machine.leader_epoch,
        )
        self._cut(point)

    def _on_bounds(self, bounds: tuple[int, int] | str) -> None:
        if not self._is_current:
            return
        if isinstance(bounds, str):
            self._back_off(bounds)
            return
        start, end = bounds
        log = self.hosted.partition.log
        self._manager.context.out.say(
            "warning",
            "fetch offset outside the leader's log",
            partition=str(self.hosted.name),
            offset=log.end,
            leader_start=start,
            leader_end=end,
        )
        if log.start <= end < log.end:
            self._cut(end)
        elif end < log.end or start > log.end:
            # Nothing in this log is the leader's.
            self._reset(start, self._on_written)
        else:
            self._back_off("the leader's bounds hold our offset by now")

    def _cut(self, point: int) -> None:
        self.source.wait_for(self.hosted.id)
        self._manager.replicas.writes.truncate(self.hosted, point, self._on_written)

    def _reset(self, offset: int, then: Callable[[], None]) -> None:
        self.source.wait_for(self.hosted.id)
        self._manager.replicas.writes.reset(self.hosted, offset, then)

    def _on_records(self, told: PartitionData) -> None:
        log = self.hosted.partition.log
        try:
            batches = self._batches(one_buffer(told.records or b""))
        except (Corrupt, Refusal) as error:
            self._back_off(str(error))
            return
        if not batches:
            self._on_marks(told.high_watermark, told.log_start_offset)
        elif batches[0].base_offset >= log.next:
            self._append(batches, told)
        elif log.end > log.start:
            self._back_off(f"a batch at {batches[0].base_offset} overlaps our end")
        else:
            # An empty log whose start lies inside a batch begins where the batch does. To ask
            # again from there would be outside of the leader's log.
            self._reset(batches[0].base_offset, lambda: self._append_if_current(batches, told))

    def _append_if_current(self, batches: list[RecordBatch], told: PartitionData) -> None:
        if self._is_current:
            self._append(batches, told)

    def _append(self, batches: list[RecordBatch], told: PartitionData) -> None:
        hosted = self.hosted
        self.source.wait_for(hosted.id)
        for batch in batches:
            hosted.partition.accept(batch, marker_of(batch) if batch.is_control else None)
        mark, start = told.high_watermark, told.log_start_offset
        self._note_lag(batches[-1].next_offset, mark)

        def on_appended() -> None:
            if self._is_current and not self._on_marks(mark, start):
                self._on_written()

        self._manager.replicas.writes.append(hosted, batches, on_appended)

    def _batches(self, records: Buffer) -> list[RecordBatch]:
        expected = self.hosted.partition.log.next
        if self.is_throttled:
            self._manager.throttle.record(len(records))
        batches: list[RecordBatch] = []
        end = 0
        for batch in split(records, partial=True):
            if batch.base_offset < end:
                raise Corrupt(f"offset {batch.base_offset} follows {end - 1}")
            end = batch.next_offset
            if end <= expected:
                continue
            check(batch)
            batches.append(batch)
            if batch.is_control:
                marker_of(batch)  # What is taken in later must be readable.
        return batches

    def _on_marks(self, mark: int, start: int) -> bool:
        """Take the leader's marks; whether a job now moves this log's start to the leader's."""
        replicas, hosted = self._manager.replicas, self.hosted
        log, advance = hosted.partition.log, hosted.partition.on_leader_mark(mark)
        if advance is not None:
            replicas.changes.settle(hosted, advance)
        if log.start < start <= log.high_watermark:
            # The leader may wait for this (DeleteRecords): the next fetch reports it.
            self.source.wait_for(hosted.id)
            replicas.writes.move_start(hosted, start, self._on_written)
            return True
        return False

    def _on_written(self) -> None:
        if self._is_current:
            self.source.on_written(self)

    def _back_off(self, why: str, *, long: bool = False) -> None:
        self.source.leave_out(self.hosted.id)
        self.failures += 1
        if self.failures in (1, 10):
            # The first is everyday: metadata reaches the brokers one after the other.
            self._manager.context.out.say(
                "debug" if self.failures == 1 else "warning",
                "partition cannot be fetched",
                partition=str(self.hosted.name),
                leader=self.source.node,
                epoch=self.hosted.partition.leader_epoch,
                reason=why,
            )
        delay = self._manager.backoff_max if long else self._manager.delay(self.failures)
        self._manager.context.out.after(delay, self._want)
