"""A broker's transaction coordinators: one for each partition of `__transaction_state` it leads.

When leadership comes, the partition is read to its end and replayed; until then clients hear
COORDINATOR_LOAD_IN_PROGRESS. When it goes, its markers are left to the new coordinator. Translates
between the machine (`core.transactions`) and the replicas, and knows no API.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from spindle.core.groups.subscription import partition_for
from spindle.core.transactions.coordinator import Coordinator
from spindle.core.transactions.transaction import Transaction
from spindle.core.transactions.values import Ending, Limits, TransactionRecord
from spindle.model.errors import Error, Refusal
from spindle.model.features import TRANSACTION_VERSION
from spindle.model.ids import NodeId, PartitionId
from spindle.model.image import Delta, has_leader
from spindle.node.topic_creation import TRANSACTIONS_TOPIC
from spindle.node.transactions.enlisting import Enlisting
from spindle.node.transactions.loading import Load
from spindle.node.transactions.markers import Markers, Sending
from spindle.node.transactions.records import to_bytes

if TYPE_CHECKING:
    from spindle.node.broker import Broker

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


class _Led:
    """A partition that we lead: its coordinator, its endings under way, its loading."""

    def __init__(self, coordinator: Coordinator) -> None:
        self.coordinator = coordinator
        self.sendings: dict[Sending, None] = {}
        self.loading: Load | None = None


class Transactions:
    """The coordinators by partition, and the way to the right one."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._led: dict[PartitionId, _Led] = {}
        self._clocks_run = False
        self.markers = Markers(broker)
        self.enlisting = Enlisting(broker)
        broker.replicas.listeners.append(self.on_leading)

    @property
    def level(self) -> int:
        """The cluster's transaction.version."""
        return self._broker.image.features.get(TRANSACTION_VERSION, 0)

    # --- finding ----------------------------------------------------------------------------------

    def partition_of(self, transactional_id: str) -> PartitionId | None:
        """The partition that holds an id; None while `__transaction_state` is not there."""
        topic = self._broker.image.topic(TRANSACTIONS_TOPIC)
        if topic is None or not topic.partitions:
            return None
        return PartitionId(topic.topic_id, partition_for(transactional_id, len(topic.partitions)))

    def leader_for(self, transactional_id: str) -> NodeId | None:
        """Who coordinates an id; None if nobody does yet. Has the topic made if need be."""
        id = self.partition_of(transactional_id)
        if id is None:
            self._broker.topic_creation.want([TRANSACTIONS_TOPIC])
            return None
        state = self._broker.image.partition(id)
        if state is None or not has_leader(state) or not self._broker.image.is_alive(state.leader):
            return None
        return state.leader

    def coordinator(self, transactional_id: str) -> Coordinator:
        """The coordinator of an id, if it is here and ready; Refusal else."""
        id = self.partition_of(transactional_id)
        if id is None:
            raise Refusal(
                Error.COORDINATOR_NOT_AVAILABLE, f"{TRANSACTIONS_TOPIC} does not exist yet"
            )
        led = self._led.get(id)
        if led is None:
            raise Refusal(Error.NOT_COORDINATOR, f"{transactional_id} is coordinated elsewhere")
        if led.loading is not None:
            raise Refusal(Error.COORDINATOR_LOAD_IN_PROGRESS, f"reading {id}")
        led.coordinator.level = self.level
        return led.coordinator

    @property
    def is_loading(self) -> bool:
        """Whether any of our partitions is still being read."""
        return any(led.loading is not None for led in self._led.values())

    def all(self) -> Iterator[Transaction]:
        """All transactional ids that are coordinated here."""
        for led in self._led.values():
            if led.loading is None:
                yield from led.coordinator.transactions.values()

    # --- leading ----------------------------------------------------------------------------------

    def on_leading(self, id: PartitionId, leads: bool) -> None:
        """A partition begins or ceases to be led here (as `replicas` tells)."""
        if not leads:
            self._resign(id)
            return
        name = self._broker.image.name_of(id)
        if name is not None and name.topic == TRANSACTIONS_TOPIC:
            self._resign(id)
            self._lead(id)

    def on_metadata(self, delta: Delta) -> None:
        """Features or leaders have changed; what waits for a leader finds it by itself."""
        for led in self._led.values():
            led.coordinator.level = self.level

    def _lead(self, id: PartitionId) -> None:
        broker = self._broker
        coordinator = Coordinator(
            broker.replicas.leader_epoch(id),
            Limits(
                timeout_max=broker.settings["transaction.max.timeout.ms"],
                expiration=broker.settings["transactional.id.expiration.ms"],
            ),
            broker.out,
            lambda records, then: self._append(id, records, then),
            broker.producer_ids.take,
            lambda ending, then: self._send(led, ending, then),
        )
        coordinator.level = self.level
        led = _Led(coordinator)
        led.loading = Load(broker, id, coordinator, lambda: self._on_loaded(id, led))
        self._led[id] = led
        led.loading.start()
        if not self._clocks_run:
            self._clocks_run = True
            self._time_out()
            self._expire()

    def _on_loaded(self, id: PartitionId, led: _Led) -> None:
        assert led.loading is not None
        self._broker.out.say(
            "info",
            "transactions loaded",
            partition=id.partition,
            records=led.loading.records,
        )
        led.loading = None
        led.coordinator.on_loaded()

    def _resign(self, id: PartitionId) -> None:
        led = self._led.pop(id, None)
        if led is None:
            return
        if led.loading is not None:
            led.loading.stop()
        led.coordinator.close()
        for sending in tuple(led.sendings):
            self.markers.drop(sending)

    # --- what coordinators ask for ----------------------------------------------------------------

    def _send(self, led: _Led, ending: Ending, then: Callable[[Error], None]) -> None:
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
        self._broker.replicas.append(id, [to_bytes(record, level) for record in records], done)

    # --- time -------------------------------------------------------------------------------------

    def _time_out(self) -> None:
        self._broker.out.after(
            self._seconds("transaction.abort.timed.out.transaction.cleanup.interval.ms"),
            self._time_out,
        )
        for led in tuple(self._led.values()):
            if led.loading is None:
                led.coordinator.level = self.level
                led.coordinator.time_out()

    def _expire(self) -> None:
        self._broker.out.after(
            self._seconds("transaction.remove.expired.transaction.cleanup.interval.ms"),
            self._expire,
        )
        for led in tuple(self._led.values()):
            if led.loading is None:
                led.coordinator.expire()

    def _seconds(self, name: str) -> float:
        return float(self._broker.settings[name]) / 1000
