"""The group coordinators of a broker: one for each partition of `__consumer_offsets` it leads.

Translates between the machine (`core.groups`) and the replicas, and knows no API.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from spindle.core.groups.coordinator_shard import GroupCoordinatorShard
from spindle.core.groups.group_values import CoordinatorRecord, GroupLimits, GroupView
from spindle.core.groups.share_group import ShareStates
from spindle.model.errors import Error, Refusal
from spindle.model.feature_rules import GROUP_VERSION, SHARE_VERSION
from spindle.model.ids import PartitionId
from spindle.model.image import Delta
from spindle.model.settings.typed_settings import Settings
from spindle.node.broker_context import BrokerContext
from spindle.node.coordinating import Coordinating, CoordinatorPartitions, LedPartition
from spindle.node.groups.group_loader import GroupLoader
from spindle.node.groups.group_records import to_bytes
from spindle.node.groups.group_surroundings import GroupSurroundings
from spindle.node.topic_creation import OFFSETS_TOPIC, TopicCreation

APPEND_TIMEOUT: Final = 5.0
"""Seconds after which a client that waits for an append gets a time-out; it may still commit."""
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


class _LedGroupPartition(LedPartition[GroupCoordinatorShard]):
    """A partition that we lead."""

    def __init__(self, coordinator: GroupCoordinatorShard) -> None:
        super().__init__(coordinator)
        self.markers: list[tuple[int, int, bool]] = []
        """Transactions that ended while we were loading: producer id, offset, committed."""
        self.gone: list[str] = []
        """Topics that were deleted while we were loading."""


class GroupCoordinatorService(Coordinating[_LedGroupPartition]):
    """The group coordinators by partition."""

    def __init__(
        self,
        context: BrokerContext,
        partitions: CoordinatorPartitions,
        creation: TopicCreation,
        states: ShareStates,
    ) -> None:
        """`states`: the ways to the share coordinator."""
        self._states = states
        super().__init__(context, partitions, creation, OFFSETS_TOPIC)
        self._expiry_runs = False
        self._around = GroupSurroundings(context)

    @property
    def serves_consumers(self) -> bool:
        """Whether groups of KIP-848 are there: the cluster's group.version, and this broker's
        group.coordinator.rebalance.protocols."""
        context = self._context
        return context.image.features.get(
            GROUP_VERSION, 0
        ) >= 1 and "consumer" in context.settings.names("group.coordinator.rebalance.protocols")

    @property
    def serves_shares(self) -> bool:
        """Whether share groups are there: the cluster's share.version (KIP-932)."""
        return self._context.image.features.get(SHARE_VERSION, 0) >= 1

    @property
    def assignors(self) -> tuple[str, ...]:
        """The assignors of consumer groups; the first one is taken where none is asked for."""
        return self._around.limits("").assignors

    def coordinator(self, group_id: str) -> GroupCoordinatorShard:
        """The coordinator of a group, if it is here and ready; Refusal else."""
        return self._find(group_id).coordinator

    def named(self, group_id: str) -> GroupCoordinatorShard:
        """The same, for requests in which a group must have a name: INVALID_GROUP_ID anywhere."""
        if not group_id:
            raise Refusal(Error.INVALID_GROUP_ID, "an empty group id")
        return self.coordinator(group_id)

    def views(self) -> list[GroupView]:
        """All groups that are coordinated here."""
        return [view for led in self.ready() for view in led.coordinator.views()]

    # --- leading ----------------------------------------------------------------------------------

    def on_metadata(self, delta: Delta) -> None:
        """Topics are gone: so are the offsets committed for them. Groups hear of all changes."""
        changed = self._around.on_metadata(delta)
        if changed:
            for led in self.ready():
                led.coordinator.consumers.on_topics_changed(changed)
                led.coordinator.shares.on_topics_changed(changed)
                if delta.removed:
                    led.coordinator.shares.on_topics_deleted(delta.removed)
        gone = [topic.name for topic in delta.removed.values() if topic.name != OFFSETS_TOPIC]
        if not gone:
            return
        for led in self._led.values():
            if led.loading is not None:
                led.gone += gone
            else:
                led.coordinator.on_topics_deleted(gone)

    def _lead(self, id: PartitionId) -> None:
        context = self._context
        coordinator = GroupCoordinatorShard(
            limits_from(context.settings),
            context.out,
            lambda records, then: self._append(id, records, then),
            lambda producer, records, then: self._append(id, records, then, producer),
            lambda records, then: self._append_surely(id, records, then),
            self._around,
            self._states,
        )
        self._begin(
            id,
            _LedGroupPartition(coordinator),
            lambda then: GroupLoader(context, self._partitions, id, coordinator, then),
        )
        if not self._expiry_runs:
            self._expiry_runs = True
            context.out.after(EXPIRY_INTERVAL, self._expire)

    def _on_loaded(self, id: PartitionId, led: _LedGroupPartition) -> None:
        super()._on_loaded(id, led)
        for marker in led.markers:
            led.coordinator.on_marker(*marker)
        led.markers.clear()
        led.coordinator.on_topics_deleted(led.gone)
        led.gone.clear()

    def on_marker(self, id: PartitionId, producer_id: int, at: int, committed: bool) -> None:
        """A transaction's marker is committed in a partition: its offsets count, if it has any."""
        led = self._led.get(id)
        if led is not None and led.loading is not None:
            led.markers.append((producer_id, at, committed))
        elif led is not None:
            led.coordinator.on_marker(producer_id, at, committed)

    # --- writing ----------------------------------------------------------------------------------

    def _append(
        self,
        id: PartitionId,
        records: list[CoordinatorRecord],
        then: Callable[[int | Error], None],
        producer: tuple[int, int] | None = None,
    ) -> None:
        """Append, perhaps in a producer's transaction; the error is in a coordinator's words.

        A waiting client gets an answer after `APPEND_TIMEOUT`; a later commit still counts.
        """
        led = self._led.get(id)
        if led is None:
            then(Error.NOT_COORDINATOR)
            return
        waiting = [then]

        def late() -> None:
            waiting.pop()(Error.COORDINATOR_NOT_AVAILABLE)

        timer = self._context.out.after(APPEND_TIMEOUT, late)

        def on_result(result: int | Error) -> None:
            timer.cancel()
            if waiting:
                waiting.pop()(_translated(result))
            elif not isinstance(result, Error):
                producer_id = None if producer is None else producer[0]
                led.coordinator.on_late(records, result, producer_id)

        data = [to_bytes(record) for record in records]
        self._partitions.append(id, data, on_result, producer)

    def _append_surely(
        self, id: PartitionId, records: list[CoordinatorRecord], then: Callable[[int | Error], None]
    ) -> None:
        """Append; the answer is what has become of it, however long that takes."""
        if id not in self._led:
            then(Error.NOT_COORDINATOR)
            return
        data = [to_bytes(record) for record in records]
        self._partitions.append(id, data, lambda result: then(_translated(result)))

    def _expire(self) -> None:
        for led in self.ready():
            led.coordinator.expire()
        self._context.out.after(EXPIRY_INTERVAL, self._expire)


def limits_from(settings: Settings) -> GroupLimits:
    """The settings that groups obey."""
    return GroupLimits(
        session_min=settings.whole("group.min.session.timeout.ms"),
        session_max=settings.whole("group.max.session.timeout.ms"),
        initial_delay=settings.whole("group.initial.rebalance.delay.ms"),
        size_max=settings.whole("group.max.size"),
        metadata_max=settings.whole("offset.metadata.max.bytes"),
        retention=settings.whole("offsets.retention.minutes") * 60_000,
    )


def _translated(result: int | Error) -> int | Error:
    if not isinstance(result, Error):
        return result
    return _IN_COORDINATORS_WORDS.get(result, Error.UNKNOWN_SERVER_ERROR)
