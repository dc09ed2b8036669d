"""Copies partitions from their leaders: one conversation with each broker that leads some of them.

A `LeaderFetcher` asks one broker for all that we follow of it, in one incremental fetch session,
writes what comes and asks on: a fetch acknowledges only what is written. A partition whose write
takes long, or that has met an error, is left out meanwhile and holds up no other. Told by
`replicas` what follows whom; knows the records only as batches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from spindle.core.replica.fetch_session_handler import (
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

_SESSION_ERRORS: Final = frozenset(
    {
        Error.FETCH_SESSION_ID_NOT_FOUND,
        Error.INVALID_FETCH_SESSION_EPOCH,
        Error.FETCH_SESSION_TOPIC_ID_ERROR,
    }
)


class Followed:
    """One partition that we follow, under one leader and epoch."""

    __slots__ = ("failures", "hosted", "in_sync", "source")

    def __init__(self, hosted: HostedPartition, source: LeaderFetcher) -> None:
        self.hosted = hosted
        self.source = source
        self.failures = 0
        self.in_sync = False
        """Its log reached the leader's high watermark when it was fetched last."""

    @property
    def is_throttled(self) -> bool:
        """Whether what comes of it counts towards the throttle (KIP-73)."""
        return self.hosted.name.partition in self.hosted.topic.throttled_as_follower

    @property
    def position(self) -> Position:
        """Where its log stands: all below is written."""
        machine = self.hosted.partition
        return Position(machine.end, machine.leader_epoch, machine.last_epoch, machine.start)


class ReplicaFetcherManager:
    """All that this broker follows."""

    def __init__(self, context: BrokerContext, replicas: ReplicaManager) -> None:
        self.context = context
        self.replicas = replicas
        self.listeners: list[Callable[[PartitionId], None]] = []
        """Told whenever a leader has answered the first fetch for a log of ours."""
        self._followed: dict[PartitionId, Followed] = {}
        self.sources: dict[NodeId, LeaderFetcher] = {}
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
        followed = self._followed[hosted.id] = Followed(hosted, source)
        source.followed[hosted.id] = source.unanswered[hosted.id] = followed
        hosted.when_idle(lambda: source.begin(followed))

    def leave(self, hosted: HostedPartition) -> None:
        """A partition follows nobody any more."""
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

    def has_answered(self, id: PartitionId) -> bool:
        """Whether the leader has answered a fetch of ours since we have this log of a partition."""
        followed = self._followed.get(id)
        return followed is not None and id not in followed.source.unanswered

    def is_current(self, followed: Followed) -> bool:
        """Whether a partition is still followed as it was then."""
        return self._followed.get(followed.hosted.id) is followed

    @property
    def backoff_max(self) -> float:
        """Seconds between attempts at most."""
        return self.context.settings.seconds("replica.fetch.backoff.ms")


class LeaderFetcher:
    """The conversation with one leader: one request at a time."""

    def __init__(self, fetchers: ReplicaFetcherManager, node: NodeId) -> None:
        self.node = node
        self.followed: dict[PartitionId, Followed] = {}
        self.unanswered: dict[PartitionId, Followed] = {}
        """Those of whose log the leader may not know yet how far it goes."""
        self._fetchers = fetchers
        self._context = fetchers.context
        self._replicas = fetchers.replicas
        self._out = fetchers.context.out
        self._conversation = FetchSessionHandler()
        self._writing: dict[PartitionId, None] = {}
        self._held: dict[PartitionId, Followed] = {}
        """Throttled and out of sync: not fetched until the rate allows it (KIP-73)."""
        self._throttle = fetchers.replicas.fetch_throttle
        self._asking = False
        self._closed = False
        self._timer: Timer | None = None
        self._failures = 0

    # --- who takes part ---------------------------------------------------------------------------

    def begin(self, followed: Followed) -> None:
        """A partition's log is still: fetch what comes after it."""
        if not self._fetchers.is_current(followed) or followed.hosted.full:
            return  # It is followed again once the log is mended.
        machine = followed.hosted.partition
        if machine.last_epoch < 0 and machine.high_watermark < machine.end:
            # Without epochs nobody can tell where we part: what was not committed goes (KIP-101).
            self._cut(followed, machine.high_watermark)
        else:
            self._want(followed)

    def leave(self, id: PartitionId) -> None:
        """A partition takes part no more."""
        del self.followed[id]
        self.unanswered.pop(id, None)
        self._held.pop(id, None)
        self._conversation.leave(id)
        self._written(id)

    def close(self) -> None:
        """Nobody is followed here; an answer that is still to come is ignored."""
        self._closed = True
        self._set_timer(None)

    def on_registered(self) -> None:
        """The broker has registered, or its registration has changed."""
        self._failures = 0
        self._kick()

    def _want(self, followed: Followed) -> None:
        if self._fetchers.is_current(followed):
            self._conversation.want(followed.hosted.id, followed.position)
            self._kick()

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
        self._timer = None if delay is None else self._out.after(delay, self._on_time)

    def _on_time(self) -> None:
        self._timer = None
        self._writing.clear()  # Whoever is still writing has used up the others' patience.
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
            return  # Its registration will wake us.
        request = fetch_requests.fetch(self._context, self._conversation.ask())
        version = fetch_requests.fetch_version(self._context.level)
        wait = self._context.settings.seconds("replica.fetch.wait.max.ms")
        self._asking = True
        self._context.peers.ask(
            *address, CHANNEL, request, version, self._on_answer, wait + ANSWER_TIMEOUT
        )

    def _hold_back(self) -> None:
        """Leave out what is throttled and behind while too much has come; else take it in again."""
        if not self._throttle.is_exceeded:
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
        self._conversation.on_answer(answer.session_id)
        for topic in answer.responses:
            for told in topic.partitions:
                id = PartitionId(topic.topic_id or ZERO_ID, told.partition_index)
                followed = self.followed.get(id)
                if followed is not None and self._conversation.is_settled(id):
                    self._take(followed, told)
        for followed in list(self.unanswered.values()):
            # Nothing was told of it, for what it has is what its leader knows already.
            if self._conversation.is_settled(followed.hosted.id):
                self._on_known(followed)
        if self._writing:
            self._set_timer(PATIENCE)
        else:
            self._send()

    def _on_trouble(self, answer: FetchResponse | PeerFailed) -> None:
        self._conversation.on_lost()
        if not isinstance(answer, PeerFailed) and answer.error_code in _SESSION_ERRORS:
            self._send()
            return
        why = str(answer) if isinstance(answer, PeerFailed) else f"error {answer.error_code}"
        if self._failures == 0:
            self._out.say("warning", "leader does not answer fetches", broker=self.node, reason=why)
        self._failures += 1
        self._set_timer(self._delay(self._failures))

    def _delay(self, failures: int) -> float:
        return float(min(RETRY_FIRST * 2 ** min(failures - 1, 16), self._fetchers.backoff_max))

    # --- taking what came ---------------------------------------------------------------------

    def _take(self, followed: Followed, told: PartitionData) -> None:
        error = told.error_code
        if error == Error.OFFSET_OUT_OF_RANGE:
            self._conversation.leave(followed.hosted.id)
            fetch_requests.LogBoundsRequest(self._context, self.node, followed.hosted).ask(
                lambda bounds: self._on_bounds(followed, bounds)
            )
            return
        if error != Error.NONE:
            # Who has lost the disk of thousands is not asked again and again: metadata follows.
            lost = error == Error.KAFKA_STORAGE_ERROR
            self._back_off(followed, getattr(error, "name", f"error {error}"), long=lost)
            return
        diverging = told.diverging_epoch
        if diverging.end_offset >= 0 and diverging.epoch >= 0:
            self._on_diverging(followed, OffsetAndEpoch(diverging.end_offset, diverging.epoch))
            return
        followed.failures = 0
        self._on_known(followed)
        if told.records:
            self._on_records(followed, told)
        else:
            followed.in_sync = followed.hosted.partition.end >= told.high_watermark
            self._on_marks(followed, told.high_watermark, told.log_start_offset)

    def _on_known(self, followed: Followed) -> None:
        """The leader has heard from where we fetch, and took it."""
        if self.unanswered.pop(followed.hosted.id, None) is not None:
            for listener in self._fetchers.listeners:
                listener(followed.hosted.id)

    def _on_diverging(self, followed: Followed, diverging: OffsetAndEpoch) -> None:
        machine = followed.hosted.partition
        point = truncation_point(machine.epochs, machine.end, diverging)
        if point >= machine.end:
            self._back_off(followed, f"it parts from us at {diverging}, beyond our log")
            return
        self._out.say(
            "info",
            "log truncated to its leader's",
            partition=str(followed.hosted.name),
            offset=point,
            end=machine.end,
            epoch=machine.leader_epoch,
        )
        self._cut(followed, point)

    def _on_bounds(self, followed: Followed, bounds: tuple[int, int] | str) -> None:
        if not self._fetchers.is_current(followed):
            return
        if isinstance(bounds, str):
            self._back_off(followed, bounds)
            return
        start, end = bounds
        machine = followed.hosted.partition
        self._out.say(
            "warning",
            "fetch offset outside the leader's log",
            partition=str(followed.hosted.name),
            offset=machine.end,
            leader_start=start,
            leader_end=end,
        )
        if machine.start <= end < machine.end:
            self._cut(followed, end)
        elif end < machine.end or start > machine.end:
            # Nothing that we have is the leader's.
            self._reset(followed, start, lambda: self._on_written(followed))
        else:
            self._back_off(followed, "the leader's bounds hold our offset by now")

    def _cut(self, followed: Followed, point: int) -> None:
        id = followed.hosted.id
        self._conversation.leave(id)
        self._writing[id] = None
        self._replicas.writes.truncate(followed.hosted, point, lambda: self._on_written(followed))

    def _reset(self, followed: Followed, offset: int, then: Callable[[], None]) -> None:
        id = followed.hosted.id
        self._conversation.leave(id)
        self._writing[id] = None
        self._replicas.writes.reset(followed.hosted, offset, then)

    def _on_records(self, followed: Followed, told: PartitionData) -> None:
        hosted = followed.hosted
        machine = hosted.partition
        try:
            batches = self._batches(followed, one_buffer(told.records or b""))
        except (Corrupt, Refusal) as error:
            self._back_off(followed, str(error))
            return
        if not batches:
            self._on_marks(followed, told.high_watermark, told.log_start_offset)
        elif batches[0].base_offset >= machine.next:
            self._append(followed, batches, told)
        elif machine.end > machine.start:
            self._back_off(followed, f"a batch at {batches[0].base_offset} overlaps our end")
        else:
            # An empty log whose start lies inside a batch begins where the batch does. To ask
            # again from there would be outside of the leader's log.
            self._reset(
                followed,
                batches[0].base_offset,
                lambda: self._append_if_current(followed, batches, told),
            )

    def _append_if_current(
        self, followed: Followed, batches: list[RecordBatch], told: PartitionData
    ) -> None:
        if self._fetchers.is_current(followed):
            self._append(followed, batches, told)

    def _append(self, followed: Followed, batches: list[RecordBatch], told: PartitionData) -> None:
        hosted = followed.hosted
        self._conversation.leave(hosted.id)
        self._writing[hosted.id] = None
        for batch in batches:
            hosted.partition.accept(batch, marker_of(batch) if batch.is_control else None)
        mark, start = told.high_watermark, told.log_start_offset
        followed.in_sync = batches[-1].next_offset >= mark

        def on_appended() -> None:
            if self._fetchers.is_current(followed) and not self._on_marks(followed, mark, start):
                self._on_written(followed)

        self._replicas.writes.append(hosted, batches, on_appended)

    def _batches(self, followed: Followed, records: Buffer) -> list[RecordBatch]:
        expected = followed.hosted.partition.next
        if followed.is_throttled:
            self._throttle.record(len(records))
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

    def _on_marks(self, followed: Followed, mark: int, start: int) -> bool:
        """What the leader knows of its log; whether ours is now written to follow its start."""
        replicas, hosted = self._replicas, followed.hosted
        machine = hosted.partition
        before = machine.high_watermark
        machine.on_leader_mark(mark)
        if machine.high_watermark != before:
            replicas.settle(hosted, before)
        if machine.start < start <= machine.high_watermark:
            # The leader may wait to hear of it (DeleteRecords): the next fetch tells it.
            self._conversation.leave(hosted.id)
            self._writing[hosted.id] = None
            replicas.writes.move_start(hosted, start, lambda: self._on_written(followed))
            return True
        return False

    def _on_written(self, followed: Followed) -> None:
        if not self._fetchers.is_current(followed):
            return
        self._conversation.want(followed.hosted.id, followed.position)
        self._written(followed.hosted.id)

    def _back_off(self, followed: Followed, why: str, *, long: bool = False) -> None:
        self._conversation.leave(followed.hosted.id)
        followed.failures += 1
        if followed.failures in (1, 10):
            # The first is everyday: metadata reaches the brokers one after the other.
            self._out.say(
                "debug" if followed.failures == 1 else "warning",
                "partition cannot be fetched",
                partition=str(followed.hosted.name),
                leader=self.node,
                epoch=followed.hosted.partition.leader_epoch,
                reason=why,
            )
        delay = self._fetchers.backoff_max if long else self._delay(followed.failures)
        self._out.after(delay, lambda: self._want(followed))
