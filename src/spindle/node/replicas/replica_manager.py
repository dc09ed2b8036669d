"""The replicas that this broker hosts: they come and go, take roles, and are written to.

`logdirs` owns where logs are and says which of them serve; the metadata says which replica
leads. What serves the replicas is composed here: `partitions` to look them up, `writes` to change
their logs, `fetches` to read them, `changes` for all that waits. Handlers and coordinators call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from spindle.core.logdirs.events import LogEvent
from spindle.core.replica.partition import Partition, RoleChange
from spindle.core.replica.tail import Tail, TailBudget
from spindle.model import metadata_records as r
from spindle.model.batches import NO_PRODUCER, TRANSACTIONAL, Record
from spindle.model.errors import Error, Failure
from spindle.model.ids import LogDir, NodeId, PartitionId, TopicPartition
from spindle.model.image import TOPIC_RESOURCE, Delta
from spindle.model.jobs import Read, ReadResult
from spindle.model.log_values import LoadedLog, LogKey
from spindle.node.broker_context import BrokerContext, PerTopic
from spindle.node.replicas.checking import Checking
from spindle.node.replicas.fetch_manager import FetchManager
from spindle.node.replicas.fetch_purgatory import FetchPurgatory
from spindle.node.replicas.hosted import HostedPartition
from spindle.node.replicas.hosted_partitions import HostedPartitions
from spindle.node.replicas.log_jobs import LogJobs
from spindle.node.replicas.ports import CoordinatorRecord, FetcherPort
from spindle.node.replicas.purgatory import Purgatory
from spindle.node.replicas.state_changes import StateChanges
from spindle.node.replicas.topic_rules import TopicRules
from spindle.node.replicas.writes import Writes
from spindle.wire.batch import build

PRODUCER_SWEEP: float = 600.0
"""Seconds between looks for idempotent producers that have expired."""


class ReplicaManager:
    """The life of the partitions hosted here."""

    def __init__(self, context: BrokerContext) -> None:
        self._context = context
        self.out = context.out
        self.partitions = HostedPartitions(context)
        self.checking = Checking(context.out)
        self.purgatory = Purgatory(self.out)
        fetch_purgatory = FetchPurgatory(self.out, self.purgatory)
        self.changes = StateChanges(context, fetch_purgatory)
        self.listeners = self.changes.listeners
        self.writes = Writes(self.out, fetch_purgatory, self.changes)
        self.writes.cut = self._on_cut
        self.fetches = FetchManager(
            context, self.partitions, fetch_purgatory, self.changes, self.writes.stats
        )
        self.partitions.successors.on_released = self._on_released
        self._budget = TailBudget()
        self._rules = PerTopic(
            context, lambda settings: TopicRules.read(settings, self._lag_max, context.node_id)
        )
        self._closed = False
        self.out.after(self._lag_max / 2, self._on_isr_time)
        self.out.after(PRODUCER_SWEEP, self._on_producer_time)

    def bind(self, followers: FetcherPort, post: Callable[[LogEvent], None]) -> None:
        """Set the listeners to what happens here: once, before anything happens."""
        self.changes.bind(followers, post)

    @property
    def served_at(self) -> float:
        """When records were last appended to a log or read from one, for any client."""
        return max(self.writes.at, self.fetches.at)

    # --- from logdirs -------------------------------------------------------------------------

    def on_log_ready(
        self, id: PartitionId, name: TopicPartition, directory: LogDir, log: LoadedLog
    ) -> None:
        """A current log exists and may be used; it takes the place of any earlier one."""
        before, state = self.partitions.find(id), self._context.image.partition(id)
        if before is not None:
            self._drop(before, Error.NOT_LEADER_OR_FOLLOWER)
            if state is not None and state.leader_epoch == before.partition.leader_epoch:
                # It was away for a moment: what was committed in this epoch has been read.
                log = replace(log, stable=max(log.stable, before.partition.log.high_watermark))
        self.partitions.lost.pop(id, None)
        topic = self._rules.of(name.topic)
        machine = Partition.load(self._context.node_id, topic.rules, log)
        self._forget_producers(machine)
        jobs = LogJobs(self.out, directory, LogKey(name.topic, name.partition))
        hosted = HostedPartition(id, name, jobs, machine, topic, Tail(self._budget), log.size)
        self.partitions.hosted[id] = hosted
        if self._closed:
            jobs.close()
        if state is not None:
            self._assign(hosted, state)
        self.partitions.successors.on_changed((id,))

    def on_log_gone(self, id: PartitionId) -> None:
        """The topic was deleted, or the partition reassigned away."""
        self.partitions.lost.pop(id, None)
        hosted = self.partitions.hosted.pop(id, None)
        if hosted is not None:
            known = self._context.image.partition(id) is not None
            error = Error.NOT_LEADER_OR_FOLLOWER if known else Error.UNKNOWN_TOPIC_OR_PARTITION
            self._drop(hosted, error)
        self.partitions.successors.on_changed((id,))

    def on_directory_failed(self, directory: LogDir) -> None:
        """Every partition that serves from there goes offline; all that waits for it is refused."""
        for hosted in list(self.partitions.in_directory(directory)):
            self.changes.fail(hosted, Error.KAFKA_STORAGE_ERROR)

    def on_replica_failed(self, id: PartitionId, error: Error) -> None:
        """One replica is offline, whether its log was ever usable or not."""
        hosted = self.partitions.find(id)
        if hosted is None:
            self.partitions.lost[id] = error
        else:
            self.changes.fail(hosted, error)

    def _on_released(self, id: PartitionId) -> None:
        hosted = self.partitions.find(id)
        if hosted is not None:
            self.changes.wake(hosted)

    def _drop(self, hosted: HostedPartition, error: Error) -> None:
        self.changes.fail(hosted, error)
        hosted.gone = True
        self.changes.wake(hosted)  # Consumers may wait there for the next leader.

    def freeze(self, id: PartitionId, then: Callable[[], None]) -> None:
        """Begin no more jobs on a log; `then` once no write is under way. Requests wait."""
        if not self._closed:  # Then all is still, and what comes next is for the next start.
            self.partitions.hosted[id].jobs.freeze(then)

    def thaw(self, id: PartitionId, directory: LogDir, log: LoadedLog | None) -> None:
        """Jobs go on. The current log lives in `directory` now; `log` if it is another one."""
        hosted = self.partitions.find(id)
        if self._closed or hosted is None or hosted.is_offline:
            return
        if log is not None:
            end = hosted.partition.log.end
            assert log.end == end, f"{hosted.name}: the promoted log ends at {log.end}, not {end}"
            hosted.size = log.size
        hosted.jobs.thaw(directory)

    def close(self) -> None:
        """This broker stops: ask nothing more of the logs. Those that wait will find others."""
        self._closed = True
        self.changes.followers.close()
        for hosted in self.partitions.hosted.values():
            hosted.jobs.close()

    # --- from the metadata --------------------------------------------------------------------

    def on_metadata(self, delta: Delta) -> None:
        """Leaders, ISRs, brokers or settings have changed."""
        image = self._context.image
        if delta.configs:
            self._refresh_rules(delta)
        for id in delta.partitions:
            hosted, state = self.partitions.find(id), image.partition(id)
            if hosted is not None and state is not None:
                self._assign(hosted, state)
        gone = [id for id in self.partitions.lost if id.topic_id in delta.removed]
        for id in gone:
            del self.partitions.lost[id]
        self.partitions.successors.on_changed((*delta.partitions, *gone))
        if delta.brokers:
            self._on_brokers(delta)
            self.changes.followers.on_brokers(delta.brokers)

    def _on_brokers(self, delta: Delta) -> None:
        # A broker or one of its directories came or went: what may hold back a high watermark
        # changes with it, and nothing waits for a replica that cannot come (B-01).
        for hosted in self.partitions.hosted.values():
            if hosted.partition.leads and not delta.brokers.keys().isdisjoint(
                hosted.partition.replicas
            ):
                state = self._context.image.partition(hosted.id)
                if state is not None:
                    eligible = self._eligible(state)
                    self.changes.settle(
                        hosted, hosted.partition.on_eligible(eligible, self.out.now)
                    )

    def _on_cut(self, hosted: HostedPartition) -> None:
        state = self._context.image.partition(hosted.id)
        if state is not None and not hosted.gone:
            self._assign(hosted, state)

    def _assign(self, hosted: HostedPartition, state: r.PartitionRegistration) -> None:
        if hosted.cutting and state.leader == self._context.node_id:
            return  # It takes up the role after the cut.
        machine, led = hosted.partition, hosted.partition.leads
        change, advance = machine.on_assignment(state, self._eligible(state), self.out.now)
        if change is RoleChange.LEADS:
            self.fetches.on_leading()
        self.changes.on_role(hosted, change, led)
        self.changes.settle(hosted, advance)

    def _eligible(self, state: r.PartitionRegistration) -> dict[NodeId, int | None]:
        image = self._context.image
        return {
            broker: image.brokers[broker].broker_epoch
            if image.is_active(broker)
            and image.directory_is_online(broker, image.directory_of(state, broker))
            else None
            for broker in state.replicas
        }

    # --- settings -----------------------------------------------------------------------------

    @property
    def _lag_max(self) -> float:
        return self._context.settings.seconds("replica.lag.time.max.ms")

    def _refresh_rules(self, delta: Delta) -> None:
        names = {name for kind, name in delta.configs if kind == TOPIC_RESOURCE}
        everyone = any(kind != TOPIC_RESOURCE for kind, _ in delta.configs)
        for hosted in self.partitions.hosted.values():
            if everyone or hosted.name.topic in names:
                hosted.topic = self._rules.of(hosted.name.topic)
                advance = hosted.partition.on_rules(hosted.topic.rules, self.out.now)
                self.changes.settle(hosted, advance)

    # --- time -----------------------------------------------------------------------------------

    def _on_isr_time(self) -> None:
        self.out.after(self._lag_max / 2, self._on_isr_time)
        for hosted in self.partitions.hosted.values():
            self.changes.settle(hosted, hosted.partition.on_time(self.out.now))

    def _on_producer_time(self) -> None:
        self.out.after(PRODUCER_SWEEP, self._on_producer_time)
        for hosted in self.partitions.hosted.values():
            self._forget_producers(hosted.partition)

    def _forget_producers(self, machine: Partition) -> None:
        before = self.out.wall_ms - self._context.settings.whole("producer.id.expiration.ms")
        machine.log.producers.expire(before, machine.log.transactions.open)

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
        hosted = self.partitions.find(id)
        if hosted is None or not hosted.partition.leads:
            then(self.partitions.lost.get(id, Error.NOT_LEADER_OR_FOLLOWER))
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
        if epoch < machine.log.producers.epoch_of(producer_id):
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
        hosted.delayed.at_mark.add(
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
        hosted = self.partitions.find(id)
        if hosted is None or hosted.is_offline:
            then(self.partitions.lost.get(id, Error.NOT_LEADER_OR_FOLLOWER))
            return
        job = partial(
            Read, key=hosted.key, offset=offset, limit=hosted.partition.log.end, max_bytes=max_bytes
        )

        def on_read(result: ReadResult | Failure) -> None:
            if isinstance(result, Failure):
                self.changes.on_failure(hosted, result)
                then(Error.KAFKA_STORAGE_ERROR)
            else:
                then(result)

        hosted.jobs.run(job, on_read)
