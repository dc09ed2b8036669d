"""The replicas that this broker hosts: their data, their roles, and everybody who waits for them.

`logdirs` owns where logs are and tells here which may be used; what happens with the records in
them is decided here: appends, reads, ISR and high watermark, truncation, parked requests. Handlers
and the group coordinator call; `readers` serves fetches, `fetchers` copies from other leaders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial

from spindle.core.logdirs.events import LogDamaged, LogEvent, LogJobFailed
from spindle.core.replica.partition import (
    Offline,
    Partition,
    PartitionFollower,
    ReplicaRules,
    RoleChange,
)
from spindle.core.replica.quota import Throttled, throttled_replicas
from spindle.core.replica.tail import TailBudget
from spindle.model import metadata_records as r
from spindle.model.batches import NO_PRODUCER, TRANSACTIONAL, Record
from spindle.model.errors import DiskFailed, Error, Failure, LogFailed
from spindle.model.ids import NO_LEADER, LogDir, NodeId, PartitionId, TopicId, TopicPartition
from spindle.model.image import TOPIC_RESOURCE, Delta
from spindle.model.jobs import LogStart, Read, ReadResult
from spindle.model.log_values import LoadedLog, LogKey
from spindle.model.settings.typed_settings import TopicSettings
from spindle.node.broker_context import BrokerContext, PerTopic
from spindle.node.replicas.checking import Checking
from spindle.node.replicas.fetch_manager import FetchManager
from spindle.node.replicas.hosted import HostedPartition, TopicRules
from spindle.node.replicas.isr_changes import IsrChanges
from spindle.node.replicas.packing import packing_of
from spindle.node.replicas.ports import CoordinatorRecord, FetcherPort
from spindle.node.replicas.purgatory import Purgatory
from spindle.node.replicas.throttling import ReplicationThrottle
from spindle.node.replicas.writes import Writes
from spindle.wire.batch import build

PRODUCER_SWEEP: float = 600.0
"""Seconds between looks for idempotent producers that have expired."""


class ReplicaManager:
    """All partitions hosted here, by id."""

    followers: FetcherPort
    post: Callable[[LogEvent], None]
    """Hears what becomes of logs. Both stand above us: `bind` tells who they are."""

    def __init__(self, context: BrokerContext) -> None:
        self._context = context
        self.out = context.out
        self.hosted: dict[PartitionId, HostedPartition] = {}
        self.lost: dict[PartitionId, Error] = {}
        """Replicas that should be here but whose log never became usable."""
        self.listeners: list[Callable[[PartitionId, bool], None]] = []
        """Told whenever a partition begins (True) or ceases (False) to be led here.

        Also when it begins once more in a younger epoch: another broker may have led in between.
        """
        self.checking = Checking(context.out)
        self.parking = Purgatory(self.out)
        self._budget = TailBudget()
        self._rules = PerTopic(context, self._read)
        self._closed = False
        self._isr = IsrChanges(context, self)
        self.readers = FetchManager(context, self, self.parking)
        self.fetch_throttle = ReplicationThrottle(context, "follower")
        self.writes = Writes(context.out, self, self.readers)
        self.out.after(self._lag_max / 2, self._on_isr_time)
        self.out.after(PRODUCER_SWEEP, self._on_producer_time)

    def bind(self, followers: FetcherPort, post: Callable[[LogEvent], None]) -> None:
        """Who is to hear of what happens here: told once, before anything does."""
        self.followers = followers
        self.post = post

    # --- asking -----------------------------------------------------------------------------

    @property
    def served_at(self) -> float:
        """When records were last appended to a log or read from one, for whomever."""
        return max(self.writes.at, self.readers.at)

    def find(self, id: PartitionId) -> HostedPartition | None:
        """A hosted partition."""
        return self.hosted.get(id)

    def locate(self, topic: str | TopicId | None, partition: int) -> HostedPartition | Error:
        """A hosted partition as a client names it, or the error that tells why there is none."""
        image = self._context.image
        unknown = Error.UNKNOWN_TOPIC_OR_PARTITION
        if isinstance(topic, str):
            topic_id = image.topic_ids.get(topic)
        else:
            topic_id = topic if topic in image.topics else None
            unknown = Error.UNKNOWN_TOPIC_ID
        if topic_id is None:
            return unknown
        id = PartitionId(topic_id, partition)
        hosted = self.hosted.get(id)
        if hosted is not None:
            return hosted
        if image.partition(id) is None:
            return Error.UNKNOWN_TOPIC_OR_PARTITION
        return self.lost.get(id, Error.NOT_LEADER_OR_FOLLOWER)

    def leader(self, topic: str | TopicId | None, partition: int) -> HostedPartition | Error:
        """The same, if it is led here."""
        hosted = self.locate(topic, partition)
        if not isinstance(hosted, HostedPartition) or hosted.partition.leads:
            return hosted
        role = hosted.partition.role
        return role.error if isinstance(role, Offline) else Error.NOT_LEADER_OR_FOLLOWER

    def leader_hint(self, topic: str | TopicId | None, partition: int) -> tuple[NodeId, int] | None:
        """(leader, leader epoch) of a partition as the metadata has it; None: nobody leads."""
        topic_id = self._context.image.topic_ids.get(topic) if isinstance(topic, str) else topic
        if topic_id is None:
            return None
        state = self._context.image.partition(PartitionId(topic_id, partition))
        if state is None or state.leader == NO_LEADER:
            return None
        return state.leader, state.leader_epoch

    def is_leader(self, id: PartitionId) -> bool:
        """Whether we lead a partition and its log may be used."""
        hosted = self.hosted.get(id)
        return hosted is not None and hosted.partition.leads

    def leader_epoch(self, id: PartitionId) -> int:
        """The leader epoch that a hosted partition is in, or -1."""
        hosted = self.hosted.get(id)
        return -1 if hosted is None else hosted.partition.leader_epoch

    def bounds(self, id: PartitionId) -> tuple[int, int, int] | None:
        """(log start, high watermark, log end) of a hosted partition that is not offline."""
        hosted = self.hosted.get(id)
        if hosted is None or isinstance(hosted.partition.role, Offline):
            return None
        p = hosted.partition
        return p.start, p.high_watermark, p.end

    def high_watermarks(self, directory: LogDir) -> dict[LogKey, int]:
        """The high watermarks of all current logs in a directory, for its checkpoint."""
        return {h.key: h.partition.high_watermark for h in self.in_directory(directory)}

    def log_ends(self, directory: LogDir) -> dict[PartitionId, int]:
        """Where the logs that serve from a directory end, as far as they are written."""
        return {h.id: h.partition.end for h in self.in_directory(directory)}

    def in_directory(self, directory: LogDir) -> Iterator[HostedPartition]:
        """The partitions that serve from a directory."""
        for hosted in self.hosted.values():
            if hosted.directory == directory and not isinstance(hosted.partition.role, Offline):
                yield hosted

    # --- from logdirs -------------------------------------------------------------------------

    def on_log_ready(
        self, id: PartitionId, name: TopicPartition, directory: LogDir, log: LoadedLog
    ) -> None:
        """A current log exists and may be used; it takes the place of any earlier one."""
        before, state = self.hosted.get(id), self._context.image.partition(id)
        if before is not None:
            self._drop(before, Error.NOT_LEADER_OR_FOLLOWER)
            if state is not None and state.leader_epoch == before.partition.leader_epoch:
                # It was away for a moment: what was committed in this epoch has been read.
                log = replace(log, stable=max(log.stable, before.partition.high_watermark))
        self.lost.pop(id, None)
        topic = self._rules.of(name.topic)
        machine = Partition.load(self._context.node_id, topic.rules, log)
        self._forget_producers(machine)
        hosted = HostedPartition(
            self.out, id, name, directory, machine, topic, self._budget, log.size
        )
        self.hosted[id] = hosted
        if self._closed:
            hosted.close()
        if state is not None:
            self._assign(hosted, state)

    def on_log_gone(self, id: PartitionId) -> None:
        """The topic was deleted, or the partition reassigned away."""
        self.lost.pop(id, None)
        if id in self.hosted:
            known = self._context.image.partition(id) is not None
            error = Error.NOT_LEADER_OR_FOLLOWER if known else Error.UNKNOWN_TOPIC_OR_PARTITION
            self._drop(self.hosted.pop(id), error)

    def on_directory_failed(self, directory: LogDir) -> None:
        """Every partition that serves from there goes offline, and whoever waits is told."""
        for hosted in list(self.in_directory(directory)):
            self.fail(hosted, Error.KAFKA_STORAGE_ERROR)

    def on_replica_failed(self, id: PartitionId, error: Error) -> None:
        """One replica is offline, whether its log was ever usable or not."""
        hosted = self.hosted.get(id)
        if hosted is None:
            self.lost[id] = error
        else:
            self.fail(hosted, error)

    def freeze(self, id: PartitionId, then: Callable[[], None]) -> None:
        """Begin no more jobs on a log; `then` once no write is under way. Requests wait."""
        if not self._closed:  # Then all is still, and what comes next is for the next start.
            self.hosted[id].freeze(then)

    def thaw(self, id: PartitionId, directory: LogDir, log: LoadedLog | None) -> None:
        """Jobs go on. The current log lives in `directory` now; `log` if it is another one."""
        hosted = self.hosted.get(id)
        if self._closed or hosted is None or isinstance(hosted.partition.role, Offline):
            return
        if log is not None:
            end = hosted.partition.end
            assert log.end == end, f"{hosted.name}: the promoted log ends at {log.end}, not {end}"
            hosted.size = log.size
        hosted.thaw(directory)

    def close(self) -> None:
        """This broker stops: ask nothing more of the logs. Whoever waits will find others."""
        self._closed = True
        self.followers.close()
        for hosted in self.hosted.values():
            hosted.close()

    def on_start(self, hosted: HostedPartition, moved: LogStart) -> None:
        """Retention has worked on a log: it may begin somewhere else now."""
        self.writes.on_start(hosted, moved)

    # --- from the metadata --------------------------------------------------------------------

    def on_metadata(self, delta: Delta) -> None:
        """Leaders, ISRs, brokers or settings have changed."""
        image = self._context.image
        if delta.configs:
            self._refresh_rules(delta)
        for id in delta.partitions:
            hosted, state = self.hosted.get(id), image.partition(id)
            if hosted is not None and state is not None:
                self._assign(hosted, state)
        for topic_id in delta.removed:
            for id in [id for id in self.lost if id.topic_id == topic_id]:
                del self.lost[id]
        if delta.brokers:
            self._on_brokers(delta)
            self.followers.on_brokers(delta.brokers)

    def _on_brokers(self, delta: Delta) -> None:
        # A broker or one of its directories came or went: who may hold back a high watermark
        # changes with it, and nobody shall wait for a replica that cannot come (B-01).
        for hosted in self.hosted.values():
            if hosted.partition.leads and not delta.brokers.keys().isdisjoint(
                hosted.partition.replicas
            ):
                state = self._context.image.partition(hosted.id)
                if state is not None:
                    before = hosted.partition.high_watermark
                    hosted.partition.on_eligible(self._eligible(state), self.out.now)
                    self.settle(hosted, before)

    def _assign(self, hosted: HostedPartition, state: r.PartitionRegistration) -> None:
        machine = hosted.partition
        led, before = machine.leads, machine.high_watermark
        change = machine.on_assignment(state, self._eligible(state), self.out.now)
        if change is RoleChange.FOLLOWS:
            hosted.tail.clear()
            if led:
                self.disappoint(hosted, Error.NOT_LEADER_OR_FOLLOWER)
            self.followers.follow(hosted)
        elif change is RoleChange.LEADS:
            self.followers.leave(hosted)
            self.readers.on_leading()
        if change in (RoleChange.FOLLOWS, RoleChange.LEADS):
            self.readers.on_changed(hosted)
        if change is RoleChange.LEADS or machine.leads != led:
            self._tell(hosted.id, machine.leads)
        self.settle(hosted, before)

    def _eligible(self, state: r.PartitionRegistration) -> dict[NodeId, int | None]:
        image = self._context.image
        return {
            broker: image.brokers[broker].broker_epoch
            if image.is_active(broker)
            and image.directory_is_online(broker, image.directory_of(state, broker))
            else None
            for broker in state.replicas
        }

    def _tell(self, id: PartitionId, leads: bool) -> None:
        for listener in self.listeners:
            listener(id, leads)

    # --- settings -----------------------------------------------------------------------------

    @property
    def _lag_max(self) -> float:
        return self._context.settings.seconds("replica.lag.time.max.ms")

    def _read(self, settings: TopicSettings) -> TopicRules:
        return TopicRules(
            ReplicaRules(settings.whole("min.insync.replicas"), self._lag_max),
            max_message_bytes=settings.whole("max.message.bytes"),
            packing=packing_of(settings),
            append_time=settings.word("message.timestamp.type") == "LogAppendTime",
            oldest_ms=settings.whole("message.timestamp.before.max.ms"),
            newest_ms=settings.whole("message.timestamp.after.max.ms"),
            compact="compact" in settings.names("cleanup.policy"),
            delete="delete" in settings.names("cleanup.policy"),
            throttled_as_leader=self._throttled(settings, "leader"),
            throttled_as_follower=self._throttled(settings, "follower"),
            sync=settings.whole("flush.messages") == 1,
        )

    def _throttled(self, settings: TopicSettings, side: str) -> Throttled:
        named = settings.names(f"{side}.replication.throttled.replicas")
        return throttled_replicas(named, self._context.node_id)

    def _refresh_rules(self, delta: Delta) -> None:
        names = {name for kind, name in delta.configs if kind == TOPIC_RESOURCE}
        everyone = any(kind != TOPIC_RESOURCE for kind, _ in delta.configs)
        for hosted in self.hosted.values():
            if everyone or hosted.name.topic in names:
                before = hosted.partition.high_watermark
                hosted.topic = self._rules.of(hosted.name.topic)
                hosted.partition.rules = hosted.topic.rules
                hosted.partition.on_rules(self.out.now)
                self.settle(hosted, before)

    # --- what a change of state means for those who wait ----------------------------------------

    def settle(self, hosted: HostedPartition, before: int) -> None:
        """The high watermark stood at `before`, something happened: release who waited for it."""
        machine = hosted.partition
        if machine.high_watermark > before:
            for then in hosted.at_mark.take_reached(machine.high_watermark):
                then(Error.NONE)
            self.readers.on_mark(hosted, before)
        if machine.has_proposal:
            self._isr.offer(hosted)

    def fail(self, hosted: HostedPartition, error: Error) -> None:
        """A partition cannot serve any more: it goes offline, and whoever waits is told."""
        if isinstance(hosted.partition.role, Offline):
            return
        led = hosted.partition.leads
        hosted.partition.on_failed(error)
        self._part(hosted, error)
        if led:
            self._tell(hosted.id, False)

    def resume(self, hosted: HostedPartition) -> None:
        """A log has been mended: followers fetch on."""
        if isinstance(hosted.partition.role, PartitionFollower):
            self.followers.follow(hosted)

    def _drop(self, hosted: HostedPartition, error: Error) -> None:
        self.fail(hosted, error)
        hosted.gone = True

    def _part(self, hosted: HostedPartition, error: Error) -> None:
        hosted.tail.clear()
        self.followers.leave(hosted)
        hosted.give_up(LogFailed(hosted.directory, str(hosted.key), "the partition is offline"))
        self.disappoint(hosted, error)
        self.readers.on_changed(hosted)

    def disappoint(self, hosted: HostedPartition, error: Error) -> None:
        """Tell all that wait for records, or for a deletion, that it will not be."""
        for waiters in (hosted.at_end, hosted.at_mark, hosted.at_start):
            for then in waiters.take_all():
                then(error)

    def on_failure(self, hosted: HostedPartition, failure: Failure) -> None:
        """A job on the partition's log failed: it goes offline, and `logdirs` is told why."""
        if isinstance(hosted.partition.role, Offline):
            return
        self.fail(hosted, Error.KAFKA_STORAGE_ERROR)
        if isinstance(failure, DiskFailed):
            self.post(LogJobFailed(failure))
        else:
            assert isinstance(failure, LogFailed), f"a log's job cannot fail with {failure!r}"
            self.post(LogDamaged(hosted.id, failure))

    # --- time -----------------------------------------------------------------------------------

    def _on_isr_time(self) -> None:
        self.out.after(self._lag_max / 2, self._on_isr_time)
        for hosted in self.hosted.values():
            if hosted.partition.leads:
                before = hosted.partition.high_watermark
                hosted.partition.on_time(self.out.now)
                self.settle(hosted, before)

    def _on_producer_time(self) -> None:
        self.out.after(PRODUCER_SWEEP, self._on_producer_time)
        for hosted in self.hosted.values():
            self._forget_producers(hosted.partition)

    def _forget_producers(self, machine: Partition) -> None:
        before = self.out.wall_ms - self._context.settings.whole("producer.id.expiration.ms")
        machine.producers.expire(before, machine.transactions.open)

    # --- for coordinators -------------------------------------------------------------------------

    def append(
        self,
        id: PartitionId,
        records: Iterable[CoordinatorRecord],
        then: Callable[[int | Error], None],
        producer: tuple[int, int] | None = None,
    ) -> None:
        """Append key/value pairs as one batch with acks=all.

        `then` gets the first offset once all in-sync replicas have it, or the error. `producer`
        (id, epoch): in its transaction.
        """
        hosted = self.hosted.get(id)
        if hosted is None or not hosted.partition.leads:
            then(self.lost.get(id, Error.NOT_LEADER_OR_FOLLOWER))
            return
        machine = hosted.partition
        if not hosted.has_room:
            then(Error.KAFKA_STORAGE_ERROR)
            return
        if len(machine.isr) < machine.required_isr:
            then(Error.NOT_ENOUGH_REPLICAS)
            return
        now = self.out.wall_ms
        producer_id, epoch = producer or (NO_PRODUCER, -1)
        if epoch < machine.producers.epoch_of(producer_id):
            then(Error.INVALID_PRODUCER_EPOCH)
            return
        batch = build(
            (Record(n, now, x.key, x.value) for n, x in enumerate(records)),
            attributes=0 if producer is None else TRANSACTIONAL,
            producer_id=producer_id,
            producer_epoch=epoch,
        )
        machine.assign(batch)
        base = batch.base_offset
        hosted.at_mark.add(
            batch.next_offset, lambda error: then(base if error == Error.NONE else error)
        )
        self.writes.append(hosted, [batch])

    def read(
        self,
        id: PartitionId,
        offset: int,
        max_bytes: int,
        then: Callable[[ReadResult | Error], None],
    ) -> None:
        """Read whole batches up to the log's end (what a new coordinator must replay)."""
        hosted = self.hosted.get(id)
        if hosted is None or isinstance(hosted.partition.role, Offline):
            then(self.lost.get(id, Error.NOT_LEADER_OR_FOLLOWER))
            return
        job = partial(
            Read, key=hosted.key, offset=offset, limit=hosted.partition.end, max_bytes=max_bytes
        )

        def on_read(result: ReadResult | Failure) -> None:
            if isinstance(result, Failure):
                self.on_failure(hosted, result)
                then(Error.KAFKA_STORAGE_ERROR)
            else:
                then(result)

        hosted.run(job, on_read)
