"""A fetch on its way: what was asked, what was found for each partition, and the answer's form.

Values for `fetch_manager`, and the translation from and to Kafka's Fetch in all its versions
(4-18): topics by name up to 12 and by id from 13, sessions from 7, epochs from 9, divergence from
12, replica state with a broker epoch from 15, endpoints of new leaders from 16.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, NamedTuple, TypeAlias, TypeVar

from spindle.core.replica.fetch_sessions import Cursor, FetchSession, Key, Reader
from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.model.ids import Endpoint, NodeId, TopicId
from spindle.model.image import ClusterImage
from spindle.model.log_values import AbortedTransaction as Aborted
from spindle.model.offsets import OffsetAndEpoch
from spindle.node.replicas.hosted import HostedPartition
from spindle.node.request_context import RequestContext
from spindle.wire.codec import Message, Packed
from spindle.wire.messages.fetch_request import FetchRequest
from spindle.wire.messages.fetch_response import (
    DEFAULT_EPOCH_END_OFFSET,
    DEFAULT_LEADER_ID_AND_EPOCH,
    AbortedTransaction,
    EpochEndOffset,
    FetchableTopicResponse,
    FetchResponse,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
)

Reached: TypeAlias = Callable[[str, Iterable[NodeId]], Iterable[tuple[NodeId, Endpoint]]]
"""(listener, brokers) -> where its clients reach each of them."""

T = TypeVar("T")
M = TypeVar("M", bound=Message)

Steps: TypeAlias = Generator[None, None, T]
"""Work that rests now and then, so that others have their turn; what it returns."""
AT_ONCE: Final = 250
"""Partitions that one turn looks at, or answers, before others have theirs: some milliseconds."""

FOLLOWERS_SERVE_FROM: Final = 11
"""Version of Fetch from which a consumer knows that it may have reached a follower (KIP-392)."""
NO_REPLICA: Final = -1
CONSUMER = -1
DEBUGGER = -2
"""A consumer that looks for faults (kafka-replica-verification): it reads up to the log's end."""
READ_UNCOMMITTED = 0
"""An isolation level: all that is committed to the log."""
READ_COMMITTED = 1
"""An isolation level: nothing of undecided or aborted transactions."""
WAIT_MAX = 300.0
"""Seconds that a fetch may wait at most, whatever it asks for."""


@dataclass(slots=True, eq=False)
class FetchedPartition:
    """What was found for one cursor."""

    cursor: Cursor
    error: Error = Error.NONE
    hosted: HostedPartition | None = None
    preferred: NodeId = NO_REPLICA
    """The replica that a consumer should read instead (KIP-392)."""
    hint: tuple[int, int] | None = None
    """(leader, leader epoch), for a reader that came to the wrong broker."""
    mark: int = -1
    stable: int = -1
    start: int = -1
    limit: int = -1
    """The offset up to which this reader may read."""
    diverging: OffsetAndEpoch | None = None
    buffers: list[Buffer] = field(default_factory=list)
    size: int = 0
    aborted: tuple[Aborted, ...] | None = None
    """What was aborted among the records, for readers of committed ones."""

    @property
    def is_urgent(self) -> bool:
        """Whether it is worth an answer even without records."""
        return (
            self.error != Error.NONE or self.diverging is not None or self.preferred != NO_REPLICA
        )

    @property
    def is_news(self) -> bool:
        """Whether an incremental answer must name the partition."""
        return (
            self.size > 0
            or self.is_urgent
            or self.mark != self.cursor.mark_sent
            or self.start != self.cursor.start_sent
        )

    @property
    def stays_due(self) -> bool:
        """Whether the next answer must look at the partition again.

        News that alone is not worth an answer must not be forgotten: the high watermark and the
        log start come with the answer at the fetch's deadline.
        """
        return self.is_news or self.cursor.held or self.limit > self.cursor.offset


class FetchParams(NamedTuple):
    """What a request asks for as a whole."""

    replica: NodeId
    """A broker's id, CONSUMER or DEBUGGER."""
    broker_epoch: int
    deadline: float
    """When it is answered at the latest (s, monotonic)."""
    min_bytes: int
    max_bytes: int
    committed: bool
    """Nothing of undecided or aborted transactions."""
    rack: str = ""
    """Where a consumer is, if it says so: Fetch 11 and newer."""

    def is_stale(self, image: ClusterImage) -> bool:
        """Whether a follower asks for the process before the one that is registered."""
        registered = image.brokers.get(self.replica)
        return (
            self.broker_epoch >= 0
            and registered is not None
            and self.broker_epoch < registered.broker_epoch
        )

    @classmethod
    def of(cls, request: FetchRequest, version: int, now: float, max_bytes: int) -> FetchParams:
        """As a request says, within the broker's own limit of bytes."""
        state = request.replica_state
        replica = request.replica_id if version < 15 else state.replica_id
        committed = request.isolation_level == READ_COMMITTED
        return cls(
            replica,
            state.replica_epoch,
            now + min(max(request.max_wait_ms, 0) / 1000, WAIT_MAX),
            request.min_bytes,
            min(request.max_bytes, max_bytes),
            committed and replica == CONSUMER,
            request.rack_id if version >= FOLLOWERS_SERVE_FROM and replica < 0 else "",
        )


def charged(params: FetchParams, context: RequestContext[FetchResponse]) -> FetchParams:
    """What a client with a quota may fetch at once: no more than it could ever be given.

    What brokers fetch of each other is not charged.
    """
    assert context.charge is not None
    if params.replica >= 0:
        context.charge = None
        return params
    most = context.charge.fetch_most
    if most is None or most >= params.max_bytes:
        return params
    return params._replace(max_bytes=most, min_bytes=min(params.min_bytes, most))


@dataclass(slots=True, eq=False)
class FetchLook:
    """One look at a reader's partitions: what it has found, and what it may still take."""

    left: int
    """Bytes that it may still take."""
    some: bool = False
    """Whether it has taken any, or has asked for some."""
    reading: int = 1
    """Reads that have not come back; the look itself counts as one."""
    outcomes: list[FetchedPartition] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class DelayedFetch:
    """One fetch request until it is answered."""

    request: FetchRequest
    context: RequestContext[FetchResponse]
    params: FetchParams
    _resume: Callable[[DelayedFetch], None]
    full: bool = True
    """Every partition belongs into the answer, not only those with news."""
    reader: Reader = field(default_factory=Reader)
    look: FetchLook = field(init=False)
    need: int = 0
    """Bytes of news that are worth an answer while it is parked."""
    news: int = 0
    """Bytes that have come since it was looked at."""
    is_fresh: bool = True
    """It has just come: a follower's offsets show what it has now."""
    is_parked: bool = False
    timed_out: bool = False

    @property
    def by_id(self) -> bool:
        """Whether topics have ids and no names."""
        return self.context.version >= 13

    def cursors(self) -> Iterator[tuple[Key, Cursor]]:
        """The partitions named in the request, as cursors (their ids are not resolved yet)."""
        by_id = self.by_id
        for topic in self.request.topics:
            name = topic.topic_id if by_id else topic.topic
            for p in topic.partitions:
                key = (name, p.partition)
                yield (
                    key,
                    Cursor(
                        key,
                        p.fetch_offset,
                        p.partition_max_bytes,
                        p.current_leader_epoch,
                        p.last_fetched_epoch,
                        p.log_start_offset,
                    ),
                )

    def forgotten(self) -> Iterator[Key]:
        """The partitions that an incremental request takes back."""
        by_id = self.by_id
        for topic in self.request.forgotten_topics_data:
            name = topic.topic_id if by_id else topic.topic
            for partition in topic.partitions:
                yield (name, partition)

    def is_patient(self, now: float) -> bool:
        """Whether it is a consumer's, and its time is not up yet."""
        return not (self.reader.follower or self.timed_out) and now < self.params.deadline

    def on_deadline(self) -> None:
        """It has waited for long enough."""
        self.timed_out = True
        self.resume()

    def resume(self) -> None:
        """Look again, if it waits."""
        if self.is_parked:
            self._resume(self)

    # --- the answer -----------------------------------------------------------------------------

    def respond(self, reached: Reached) -> Steps[FetchResponse]:
        """What was found, as an answer. `reached`: where leaders are, for a listener's clients."""
        topics: dict[TopicId | str | None, list[FetchedPartition]] = {}
        for outcome in self.look.outcomes:
            if self.full or outcome.is_news:
                topics.setdefault(outcome.cursor.key[0], []).append(outcome)
        leaders: dict[NodeId, None] = {}
        responses: _Array[FetchableTopicResponse] = _Array(self.context.version)
        for topic, found in topics.items():
            partitions: _Array[PartitionData] = _Array(self.context.version)
            for outcome in found:
                partitions.made.append(_told(outcome, leaders))
                if len(partitions.made) == AT_ONCE:
                    partitions.pack()
                    yield
            responses.made.append(_topic(topic, partitions.whole))
            responses.things += 1 + len(partitions.made)
            if responses.things >= AT_ONCE:
                responses.pack()
                yield
        session = self.reader if isinstance(self.reader, FetchSession) else None
        return FetchResponse(
            session_id=session.id if session is not None else 0,
            responses=responses.whole,
            node_endpoints=[
                NodeEndpoint(node_id=broker, host=at.host, port=at.port)
                for broker, at in reached(self.context.listener, leaders)
            ],
        )

    def refuse(self, error: Error) -> None:
        """Send an error that concerns the request as a whole."""
        self.context.answer(refusal(self.request, self.context, error))


def refusal(
    request: FetchRequest, context: RequestContext[FetchResponse], error: Error
) -> FetchResponse:
    """The answer to a fetch as a whole; before sessions came (7) each partition carries it."""
    if context.version >= 7:
        return FetchResponse(error_code=error)
    return FetchResponse(
        responses=[
            FetchableTopicResponse(
                topic=topic.topic,
                partitions=[
                    PartitionData(partition_index=p.partition, error_code=error, high_watermark=-1)
                    for p in topic.partitions
                ],
            )
            for topic in request.topics
        ]
    )


class _Array(Generic[M]):
    """An array of an answer: as it is while it is short, else as bytes already (S-08)."""

    __slots__ = ("_packed", "_version", "made", "things")

    def __init__(self, version: int) -> None:
        self.made: list[M] = []
        """Elements that are not bytes yet."""
        self.things = 0
        """How much they are worth, where they hold others."""
        self._packed: Packed | None = None
        self._version = version

    def pack(self) -> None:
        """Turn what there is into bytes."""
        self._packed = self._packed or Packed()
        self._packed.add_all(self.made, self._version)
        self.made, self.things = [], 0

    @property
    def whole(self) -> Sequence[M]:
        """All of its elements."""
        if self._packed is None:
            return self.made
        self.pack()
        return self._packed


def _topic(name: TopicId | str | None, found: Sequence[PartitionData]) -> FetchableTopicResponse:
    if isinstance(name, str):
        return FetchableTopicResponse(topic=name, partitions=found)
    return FetchableTopicResponse(topic_id=name, partitions=found)


def _told(outcome: FetchedPartition, leaders: dict[NodeId, None]) -> PartitionData:
    outcome.cursor.mark_sent, outcome.cursor.start_sent = outcome.mark, outcome.start
    diverging, current = DEFAULT_EPOCH_END_OFFSET, DEFAULT_LEADER_ID_AND_EPOCH
    if outcome.diverging is not None:
        offset, epoch = outcome.diverging
        diverging = EpochEndOffset(epoch=epoch, end_offset=offset)
    elif outcome.hint is not None:
        leader, epoch = outcome.hint
        current = LeaderIdAndEpoch(leader_id=leader, leader_epoch=epoch)
        leaders[leader] = None
    return PartitionData(
        partition_index=outcome.cursor.key[1],
        error_code=outcome.error,
        high_watermark=outcome.mark,
        last_stable_offset=outcome.stable,
        aborted_transactions=None
        if outcome.aborted is None
        else [
            AbortedTransaction(producer_id=a.producer_id, first_offset=a.first)
            for a in outcome.aborted
        ],
        log_start_offset=outcome.start,
        records=outcome.buffers,
        diverging_epoch=diverging,
        current_leader=current,
        preferred_read_replica=outcome.preferred,
    )
