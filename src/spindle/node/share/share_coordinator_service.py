"""The share coordinators of a broker: one for each partition of `__share_group_state` it leads.

Translates between the machine (`core.share`) and the replicas, has records deleted that no
coordinator needs any more, and knows no API.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from spindle.core.share.share_coordinator_shard import (
    ShareCoordinatorLimits,
    ShareCoordinatorShard,
)
from spindle.core.share.share_values import ShareRecord
from spindle.model.errors import Error
from spindle.model.feature_rules import SHARE_VERSION
from spindle.model.ids import PartitionId
from spindle.model.image import Delta
from spindle.node.broker_context import BrokerContext
from spindle.node.coordinating import Coordinating, LedPartition
from spindle.node.replicas.delayed_delete_records import DelayedDeleteRecords
from spindle.node.replicas.replica_manager import ReplicaManager
from spindle.node.share.share_state_loader import ShareStateLoader
from spindle.node.share.share_state_records import to_bytes
from spindle.node.topic_creation import SHARE_STATE_TOPIC, TopicCreation

_IN_COORDINATORS_WORDS: Final = {
    Error.UNKNOWN_TOPIC_OR_PARTITION: Error.COORDINATOR_NOT_AVAILABLE,
    Error.NOT_ENOUGH_REPLICAS: Error.COORDINATOR_NOT_AVAILABLE,
    Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND: Error.COORDINATOR_NOT_AVAILABLE,
    Error.REQUEST_TIMED_OUT: Error.COORDINATOR_NOT_AVAILABLE,
    Error.NOT_LEADER_OR_FOLLOWER: Error.NOT_COORDINATOR,
    Error.KAFKA_STORAGE_ERROR: Error.NOT_COORDINATOR,
    Error.FENCED_LEADER_EPOCH: Error.NOT_COORDINATOR,
}
"""What an append's error means to a leader; any other is UNKNOWN_SERVER_ERROR."""
DELETION_TIMEOUT: Final = 30.0


class ShareCoordinatorService(Coordinating[LedPartition[ShareCoordinatorShard]]):
    """The share coordinators by partition."""

    def __init__(
        self, context: BrokerContext, replicas: ReplicaManager, creation: TopicCreation
    ) -> None:
        super().__init__(context, replicas, creation, SHARE_STATE_TOPIC)
        self._replicas = replicas
        self._clocks_run = False

    @property
    def serves(self) -> bool:
        """Whether share groups are there: the cluster's share.version."""
        return self._context.image.features.get(SHARE_VERSION, 0) >= 1

    def coordinator(self, key: str) -> ShareCoordinatorShard:
        """The coordinator of a share partition, if it is here and ready; Refusal else."""
        return self._find(key).coordinator

    def on_metadata(self, delta: Delta) -> None:
        """Topics are gone: so are their states."""
        if delta.removed:
            for led in self.ready():
                led.coordinator.on_topics_deleted(delta.removed)

    def _lead(self, id: PartitionId) -> None:
        context, settings = self._context, self._context.settings
        coordinator = ShareCoordinatorShard(
            ShareCoordinatorLimits(
                settings.whole("share.coordinator.snapshot.update.records.per.snapshot"),
                settings.whole("share.coordinator.cold.partition.snapshot.interval.ms"),
            ),
            context.out,
            lambda records, then: self._append(id, records, then),
            lambda where: context.image.partition(where) is not None,
        )
        self._begin(
            id,
            LedPartition(coordinator),
            lambda then: ShareStateLoader(context, self._replicas, id, coordinator, then),
        )
        if not self._clocks_run:
            self._clocks_run = True
            self._snapshot_later()
            self._prune_later()

    def _append(
        self, id: PartitionId, records: list[ShareRecord], then: Callable[[int | Error], None]
    ) -> None:
        """Append; the error is in a coordinator's words. No timeout: what was given to the log
        will be committed, or the partition will have another leader."""

        def done(result: int | Error) -> None:
            if isinstance(result, Error):
                result = _IN_COORDINATORS_WORDS.get(result, Error.UNKNOWN_SERVER_ERROR)
            then(result)

        self._replicas.append(id, [to_bytes(record) for record in records], done)

    # --- time -----------------------------------------------------------------------------------

    def _snapshot_later(self) -> None:
        seconds = self._context.settings.seconds(
            "share.coordinator.cold.partition.snapshot.interval.ms"
        )
        self._context.out.after(seconds, self._snapshot)

    def _snapshot(self) -> None:
        for led in self.ready():
            led.coordinator.snapshot_cold()
        self._snapshot_later()

    def _prune_later(self) -> None:
        seconds = self._context.settings.seconds("share.coordinator.state.topic.prune.interval.ms")
        self._context.out.after(seconds, self._prune)

    def _prune(self) -> None:
        """Have records deleted that no coordinator needs any more."""
        offsets: dict[tuple[str, int], int] = {}
        for id, led in self._led.items():
            bounds = self._replicas.partitions.bounds(id)
            if led.loading is None and bounds is not None:
                start, mark, _ = bounds
                needed = min(led.coordinator.needed_from, mark)
                if needed > start:
                    offsets[SHARE_STATE_TOPIC, id.partition] = needed
        if offsets:
            deletion = DelayedDeleteRecords(self._replicas, None, lambda told: None)
            deletion.begin(offsets, DELETION_TIMEOUT)
        self._prune_later()
