"""A broker's transaction coordinators: one for each partition of `__transaction_state` it leads.

When leadership goes, its markers are left to the new coordinator. Translates between the machine
(`core.transactions`) and the replicas, and knows no API.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from spindle.core.transactions.transaction import Transaction
from spindle.core.transactions.transaction_coordinator_shard import TransactionCoordinatorShard
from spindle.core.transactions.transaction_values import (
    Ending,
    TransactionLimits,
    TransactionRecord,
)
from spindle.model.errors import Error
from spindle.model.feature_rules import TRANSACTION_VERSION
from spindle.model.ids import PartitionId
from spindle.model.image import Delta
from spindle.node.broker_context import BrokerContext
from spindle.node.coordinating import Coordinating, LedPartition
from spindle.node.groups.group_coordinator_service import GroupCoordinatorService
from spindle.node.replicas.replica_manager import ReplicaManager
from spindle.node.topic_creation import TRANSACTIONS_TOPIC, TopicCreation
from spindle.node.transactions.enlisting import Enlisting
from spindle.node.transactions.markers import Markers, Sending
from spindle.node.transactions.marking import Marking
from spindle.node.transactions.producer_id_manager import ProducerIdManager
from spindle.node.transactions.transaction_loader import TransactionLoader
from spindle.node.transactions.transaction_records import to_bytes

_IN_COORDINATORS_WORDS: Final = {
    Error.UNKNOWN_TOPIC_OR_PARTITION: Error.COORDINATOR_NOT_AVAILABLE,
    Error.NOT_ENOUGH_REPLICAS: Error.COORDINATOR_NOT_AVAILABLE,
    Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND: Error.COORDINATOR_NOT_AVAILABLE,
    Error.REQUEST_TIMED_OUT: Error.COORDINATOR_NOT_AVAILABLE,
    Error.NOT_LEADER_OR_FOLLOWER: Error.NOT_COORDINATOR,
    Error.KAFKA_STORAGE_ERROR: Error.NOT_COORDINATOR,
    Error.FENCED_LEADER_EPOCH: Error.NOT_COORDINATOR,
}
"""What an append's error means to a transaction's client; any other is UNKNOWN_SERVER_ERROR."""


class _LedTransactionPartition(LedPartition[TransactionCoordinatorShard]):
    """A partition that we lead."""

    def __init__(self, coordinator: TransactionCoordinatorShard) -> None:
        super().__init__(coordinator)
        self.sendings: dict[Sending, None] = {}
        """Its endings under way."""


class TransactionCoordinatorService(Coordinating[_LedTransactionPartition]):
    """The transaction coordinators by partition."""

    def __init__(
        self,
        context: BrokerContext,
        replicas: ReplicaManager,
        groups: GroupCoordinatorService,
        creation: TopicCreation,
        producer_ids: ProducerIdManager,
    ) -> None:
        """`groups`: notified of markers, as transactions commit offsets, too."""
        super().__init__(context, replicas, creation, TRANSACTIONS_TOPIC)
        self._replicas = replicas
        self._producer_ids = producer_ids
        self._clocks_run = False
        self.enlisting = Enlisting(context, self)
        self.marking = Marking(context.out, replicas, groups, self.enlisting)
        self.markers = Markers(context, self.marking)

    @property
    def level(self) -> int:
        """The cluster's transaction.version."""
        return self._context.image.features.get(TRANSACTION_VERSION, 0)

    def coordinator(self, transactional_id: str) -> TransactionCoordinatorShard:
        """The coordinator of an id, if it is here and ready; Refusal else."""
        coordinator = self._find(transactional_id).coordinator
        coordinator.level = self.level
        return coordinator

    def is_outdone(self, key: str, id: PartitionId, producer_id: int) -> bool:
        """Whether a partition has a marker of a younger coordinator than the one known here.

        Markers have the epoch in which their coordinator led: that of the newest one for this
        producer is above the epoch that our metadata has.
        """
        place, hosted = self.partition_of(key), self._replicas.partitions.hosted.get(id)
        state = None if place is None else self._context.image.partition(place)
        if state is None or hosted is None:
            return False
        return hosted.partition.log.producers.coordinator_of(producer_id) > state.leader_epoch

    def all(self) -> Iterator[Transaction]:
        """All transactional ids that are coordinated here."""
        for led in self.ready():
            yield from led.coordinator.transactions.values()

    def on_metadata(self, delta: Delta) -> None:
        """Features or leaders have changed; what waits for a leader finds it by itself."""
        for led in self._led.values():
            led.coordinator.level = self.level

    def _lead(self, id: PartitionId) -> None:
        context = self._context
        coordinator = TransactionCoordinatorShard(
            self._replicas.partitions.leader_epoch(id),
            TransactionLimits(
                timeout_max=context.settings.whole("transaction.max.timeout.ms"),
                expiration=context.settings.whole("transactional.id.expiration.ms"),
            ),
            context.out,
            lambda records, then: self._append(id, records, then),
            self._producer_ids.take,
            lambda ending, then: self._send(led, ending, then),
        )
        coordinator.level = self.level
        led = _LedTransactionPartition(coordinator)
        self._begin(
            id, led, lambda then: TransactionLoader(context, self._replicas, id, coordinator, then)
        )
        if not self._clocks_run:
            self._clocks_run = True
            self._time_out()
            self._expire()

    def _resign(self, id: PartitionId) -> _LedTransactionPartition | None:
        led = super()._resign(id)
        for sending in tuple(led.sendings) if led is not None else ():
            self.markers.drop(sending)
        return led

    # --- what coordinators ask for ----------------------------------------------------------------

    def _send(
        self, led: _LedTransactionPartition, ending: Ending, then: Callable[[Error], None]
    ) -> None:
        def settled(error: Error) -> None:
            for known in [s for s in led.sendings if s.ending is ending]:
                del led.sendings[known]
            then(error)

        sending = self.markers.send(ending, settled)
        if sending.left:
            led.sendings[sending] = None

    def _append(
        self, id: PartitionId, records: list[TransactionRecord], then: Callable[[Error], None]
    ) -> None:
        """Append; the error is in a coordinator's words. No timeout: what was given to the log
        will be committed, or the partition will have another leader."""

        def done(result: int | Error) -> None:
            if isinstance(result, Error):
                then(_IN_COORDINATORS_WORDS.get(result, Error.UNKNOWN_SERVER_ERROR))
            else:
                then(Error.NONE)

        level = self.level
        self._replicas.append(id, [to_bytes(record, level) for record in records], done)

    # --- time -------------------------------------------------------------------------------------

    def _time_out(self) -> None:
        self._context.out.after(
            self._context.settings.seconds(
                "transaction.abort.timed.out.transaction.cleanup.interval.ms"
            ),
            self._time_out,
        )
        for led in self.ready():
            led.coordinator.level = self.level
            led.coordinator.time_out()

    def _expire(self) -> None:
        self._context.out.after(
            self._context.settings.seconds(
                "transaction.remove.expired.transaction.cleanup.interval.ms"
            ),
            self._expire,
        )
        for led in self.ready():
            led.coordinator.expire()
