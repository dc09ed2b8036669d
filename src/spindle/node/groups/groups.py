"""The group coordinators of a broker: one for each partition of `__consumer_offsets` it leads.

When leadership comes, the partition is read to its end, a bounded step at a time, and replayed;
until then clients hear COORDINATOR_LOAD_IN_PROGRESS. When it goes, all who wait are sent to the
new coordinator. Translates between the machine (`core.groups`) and the replicas, and knows no API.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from spindle.core.groups.coordinator import Coordinator
from spindle.core.groups.subscription import partition_for
from spindle.core.groups.values import CoordinatorRecord, GroupView, Limits
from spindle.model.config import Settings
from spindle.model.errors import Error, Refusal
from spindle.model.ids import NodeId, PartitionId
from spindle.model.image import Delta, has_leader
from spindle.node.groups.loading import Load
from spindle.node.groups.records import to_bytes
from spindle.node.topic_creation import OFFSETS_TOPIC

if TYPE_CHECKING:
    from spindle.node.broker import Broker

APPEND_TIMEOUT: Final = 5.0
"""Seconds after which who waits for an append is told so; it may still be committed."""
EXPIRY_INTERVAL: Final = 600.0
"""Seconds between looks for expired offsets."""

_IN_COORDINATORS_WORDS: Final = {
    Error.UNKNOWN_TOPIC_OR_PARTITION: Error.COORDINATOR_NOT_AVAILABLE,
    Error.NOT_ENOUGH_REPLICAS: Error.COORDINATOR_NOT_AVAILABLE,
    Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND: Error.COORDINATOR_NOT_AVAILABLE,
    Error.REQUEST_TIMED_OUT: Error.COORDINATOR_NOT_AVAILABLE,
    Error.NOT_LEADER_OR_FOLLOWER: Error.NOT_COORDINATOR,
    Error.KAFKA_STORAGE_ERROR: Error.NOT_COORDINATOR,
    Error.FENCED_LEADER_EPOCH: Error.NOT_COORDINATOR,
    Error.INVALID_PRODUCER_EPOCH: Error.INVALID_PRODUCER_EPOCH,
}
"""What an append's error means to a group's client; any other is UNKNOWN_SERVER_ERROR."""


class _Led:
    """A partition that we lead: its coordinator, and its loading while that lasts."""

    def __init__(self, coordinator: Coordinator) -> None:
        self.coordinator = coordinator
        self.loading: Load | None = None
        self.markers: list[tuple[int, int, bool]] = []
        """Transactions that ended while we were loading: producer id, offset, committed."""


class Groups:
    """The coordinators by partition, and the way to the right one."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._led: dict[PartitionId, _Led] = {}
        self._expiry_runs = False
        broker.replicas.listeners.append(self.on_leading)

    # --- finding ----------------------------------------------------------------------------------

    def partition_of(self, group_id: str) -> PartitionId | None:
        """The partition that holds a group; None while `__consumer_offsets` is not there."""
        topic = self._broker.image.topic(OFFSETS_TOPIC)
        if topic is None or not topic.partitions:
            return None
        return PartitionId(topic.topic_id, partition_for(group_id, len(topic.partitions)))

    def leader_for(self, group_id: str) -> NodeId | None:
        """Who coordinates a group; None if nobody does yet. Has the topic made if need be."""
        id = self.partition_of(group_id)
        if id is None:
            self._broker.topic_creation.want([OFFSETS_TOPIC])
            return None
        state = self._broker.image.partition(id)
        if state is None or not has_leader(state) or not self._broker.image.is_alive(state.leader):
            return None
        return state.leader

    def coordinator(self, group_id: str) -> Coordinator:
        """The coordinator of a group, if it is here and ready; Refusal else."""
        id = self.partition_of(group_id)
        if id is None:
            raise Refusal(Error.COORDINATOR_NOT_AVAILABLE, f"{OFFSETS_TOPIC} does not exist yet")
        led = self._led.get(id)
        if led is None:
            raise Refusal(Error.NOT_COORDINATOR, f"group {group_id} is coordinated elsewhere")
        if led.loading is not None:
            raise Refusal(Error.COORDINATOR_LOAD_IN_PROGRESS, f"reading {id}")
        return led.coordinator

    @property
    def is_loading(self) -> bool:
        """Whether any of our partitions is still being read."""
        return any(led.loading is not None for led in self._led.values())

    def views(self) -> list[GroupView]:
        """All groups that are coordinated here."""
        return [
            view
            for led in self._led.values()
            if led.loading is None
            for view in led.coordinator.views()
        ]

    # --- leading ----------------------------------------------------------------------------------

    def on_leading(self, id: PartitionId, leads: bool) -> None:
        """A partition begins or ceases to be led here (as `replicas` tells)."""
        if not leads:
            self._resign(id)
            return
        name = self._broker.image.name_of(id)
        if name is not None and name.topic == OFFSETS_TOPIC:
            self._resign(id)
            self._lead(id)

    def on_metadata(self, delta: Delta) -> None:
        """Topics are gone: so are the offsets committed for them."""
        gone = [topic.name for topic in delta.removed.values() if topic.name != OFFSETS_TOPIC]
        if not gone:
            return
        for led in self._led.values():
            if led.loading is None:
                led.coordinator.on_topics_deleted(gone)

    def _lead(self, id: PartitionId) -> None:
        broker = self._broker
        coordinator = Coordinator(
            limits_from(broker.settings),
            broker.out,
            lambda records, then: self._append(id, records, then),
            lambda producer, records, then: self._append(id, records, then, producer),
        )
        led = _Led(coordinator)
        led.loading = Load(broker, id, coordinator, lambda: self._on_loaded(id, led))
        self._led[id] = led
        led.loading.start()
        if not self._expiry_runs:
            self._expiry_runs = True
            broker.out.after(EXPIRY_INTERVAL, self._expire)

    def _on_loaded(self, id: PartitionId, led: _Led) -> None:
        assert led.loading is not None
        self._broker.out.say(
            "info",
            "groups loaded",
            partition=id.partition,
            records=led.loading.records,
        )
        led.loading = None
        led.coordinator.on_loaded()
        for marker in led.markers:
            led.coordinator.on_marker(*marker)
        led.markers.clear()

    def on_marker(self, id: PartitionId, producer_id: int, at: int, committed: bool) -> None:
        """A transaction's marker is committed in a partition: its offsets count, if it has any."""
        led = self._led.get(id)
        if led is not None and led.loading is not None:
            led.markers.append((producer_id, at, committed))
        elif led is not None:
            led.coordinator.on_marker(producer_id, at, committed)

    def _resign(self, id: PartitionId) -> None:
        led = self._led.pop(id, None)
        if led is None:
            return
        if led.loading is not None:
            led.loading.stop()
        led.coordinator.close()

    # --- writing ----------------------------------------------------------------------------------

    def _append(
        self,
        id: PartitionId,
        records: list[CoordinatorRecord],
        then: Callable[[int | Error], None],
        producer: tuple[int, int] | None = None,
    ) -> None:
        """Append, perhaps in a producer's transaction; the error is in a coordinator's words.

        Who waits is told after `APPEND_TIMEOUT`; what is committed later still counts.
        """
        led = self._led.get(id)
        if led is None:
            then(Error.NOT_COORDINATOR)
            return
        waiting = [then]

        def late() -> None:
            waiting.pop()(Error.COORDINATOR_NOT_AVAILABLE)

        timer = self._broker.out.after(APPEND_TIMEOUT, late)

        def on_result(result: int | Error) -> None:
            timer.cancel()
            if waiting:
                waiting.pop()(_translated(result))
            elif not isinstance(result, Error):
                producer_id = None if producer is None else producer[0]
                led.coordinator.on_late(records, result, producer_id)

        data = [to_bytes(record) for record in records]
        self._broker.replicas.append(id, data, on_result, producer)

    def _expire(self) -> None:
        for led in tuple(self._led.values()):
            if led.loading is None:
                led.coordinator.expire()
        self._broker.out.after(EXPIRY_INTERVAL, self._expire)


def limits_from(settings: Settings) -> Limits:
    """The settings that groups obey."""
    return Limits(
        session_min=settings["group.min.session.timeout.ms"],
        session_max=settings["group.max.session.timeout.ms"],
        initial_delay=settings["group.initial.rebalance.delay.ms"],
        size_max=settings["group.max.size"],
        metadata_max=settings["offset.metadata.max.bytes"],
        retention=settings["offsets.retention.minutes"] * 60_000,
    )


def _translated(result: int | Error) -> int | Error:
    if not isinstance(result, Error):
        return result
    return _IN_COORDINATORS_WORDS.get(result, Error.UNKNOWN_SERVER_ERROR)
