"""Writes a transaction's marker into a partition that is led here (KIP-98).

Refuses markers of older producers and coordinators. A marker that comes again is appended again:
the first one may be on the leader alone, and is answered only when all in-sync replicas have it. On
`__consumer_offsets` the marker also makes the transaction's offsets count, or drops them. Called by
the handler of WriteTxnMarkers and by `markers` for our own coordinators.
"""

from __future__ import annotations

from collections.abc import Callable

from spindle.core.transactions.transaction_values import BUMPING, Ending
from spindle.model.batches import EndTransactionMarker
from spindle.model.errors import Error
from spindle.model.ids import TopicPartition
from spindle.model.outbox import Outbox
from spindle.node.groups.group_coordinator_service import GroupCoordinatorService
from spindle.node.replicas.hosted import HostedPartition
from spindle.node.replicas.replica_manager import ReplicaManager
from spindle.node.transactions.enlisting import Enlisting
from spindle.wire.control import end_transaction


class Marking:
    """The way of a marker into a partition, and the answers to those waiting for it."""

    def __init__(
        self,
        out: Outbox,
        replicas: ReplicaManager,
        groups: GroupCoordinatorService,
        enlisting: Enlisting,
    ) -> None:
        self._out = out
        self._replicas = replicas
        self._groups = groups
        self._enlisting = enlisting

    def write(
        self, partition: TopicPartition, ending: Ending, then: Callable[[Error], None]
    ) -> None:
        """Append the marker; `then` once all in-sync replicas have it, or with the error."""
        hosted = self._replicas.partitions.leader(*partition)
        if not isinstance(hosted, HostedPartition):
            then(hosted)
            return
        machine = hosted.partition
        producer_id, epoch = ending.producer
        bumped = ending.version >= BUMPING
        is_open = producer_id in machine.log.transactions.open
        error = machine.log.producers.check_marker(
            producer_id, epoch, ending.coordinator_epoch, bumped=bumped, is_open=is_open
        )
        if not error and not hosted.has_room:
            error = Error.KAFKA_STORAGE_ERROR
        if not error and len(machine.isr) < machine.required_isr:
            error = Error.NOT_ENOUGH_REPLICAS
        if error:
            then(error)
            return
        marker = EndTransactionMarker(ending.committed, ending.coordinator_epoch)
        batch = end_transaction(producer_id, epoch, marker, self._out.wall_ms)
        machine.assign(batch, marker)
        self._enlisting.on_marker(hosted.id, ending.producer, bumped)

        def written(error: Error) -> None:
            if not error:
                self._groups.on_marker(hosted.id, producer_id, batch.base_offset, ending.committed)
            then(error)

        hosted.delayed.at_mark.add(batch.next_offset, written)
        self._replicas.writes.append(hosted, [batch])
