"""Sends the markers of decided transactions to the leaders of their partitions, until all have one.

One request at a time to each broker, with all that waits for it; what cannot be written now (no
leader, too few replicas, a disk) is tried again. A partition that is gone needs no marker. Called
by `node.transactions`; knows no coordinator but by the continuation of an ending.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from spindle.core.transactions.transaction_values import Ending
from spindle.model.errors import Error, PeerFailed
from spindle.model.ids import NodeId, PartitionId, TopicPartition
from spindle.model.image import has_leader
from spindle.model.outbox import Timer
from spindle.node.broker_context import BrokerContext
from spindle.node.transactions.marking import Marking
from spindle.wire.codec import ErrorCode
from spindle.wire.messages.write_txn_markers_request import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from spindle.wire.messages.write_txn_markers_response import WriteTxnMarkersResponse

CHANNEL: Final = "transaction-markers"
RETRY: Final = 0.1
"""Seconds before what could not be written is sent again."""
TIMEOUT: Final = 30.0
ENDINGS_MAX: Final = 200
"""Endings in one request."""
VERSIONED_FROM: Final = 30
"""A broker that serves this metadata.version (4.3-IV0) knows version 2 of the request.

Version 1 does not say that the epoch was bumped: a marker that comes late may end the transaction
after its own. So the target's registration counts, and not the cluster's level.
"""

_FINAL: Final = (Error.INVALID_PRODUCER_EPOCH, Error.TRANSACTION_COORDINATOR_FENCED)
"""A younger coordinator or producer has been there: not ours to decide any more."""


class Sending:
    """An ending on its way; `left` are the partitions without their marker."""

    __slots__ = ("_then", "ending", "left", "waiting")

    def __init__(self, ending: Ending, then: Callable[[Error], None]) -> None:
        self.ending = ending
        self.left = dict.fromkeys(ending.partitions)
        self.waiting = dict.fromkeys(ending.partitions, 0.0)
        """Those of `left` that are not under way, and before when (s) they are not to be sent."""
        self._then: Callable[[Error], None] | None = then

    def settle(self, error: Error = Error.NONE) -> None:
        """All partitions have their marker, or nothing more is sent."""
        then, self._then = self._then, None
        self.left.clear()
        self.waiting.clear()
        if then is not None:
            then(error)


class Markers:
    """All endings on their way."""

    def __init__(self, context: BrokerContext, marking: Marking) -> None:
        self._context = context
        self._marking = marking
        self._sendings: dict[Sending, None] = {}
        self._asking: dict[NodeId, None] = {}
        self._timer: Timer | None = None

    def __len__(self) -> int:
        return len(self._sendings)

    def send(self, ending: Ending, then: Callable[[Error], None]) -> Sending:
        """Have every partition marked; `then` runs when all are, or with what forbids it."""
        sending = Sending(ending, then)
        self._sendings[sending] = None
        self._settle(sending)
        self._go_on_after(0.0)
        return sending

    def drop(self, sending: Sending) -> None:
        """Its coordinator is another broker's now."""
        self._sendings.pop(sending, None)
        sending.left.clear()
        sending.waiting.clear()

    # --- sending --------------------------------------------------------------------------------

    def _go_on_after(self, delay: float) -> None:
        """Look again so many seconds from now at the latest."""
        if self._timer is not None:
            if self._timer.at <= self._context.out.now + delay:
                return
            self._timer.cancel()
        self._timer = self._context.out.after(delay, self._go_on)

    def _go_on(self) -> None:
        self._timer = None
        for node, shares in self._due().items():
            if node == self._context.node_id:
                for sending, partitions in shares.items():
                    for partition in partitions:
                        self._write(sending, partition)
            elif node not in self._asking:
                self._ask(node, dict(list(shares.items())[:ENDINGS_MAX]))
        now = self._context.out.now
        waits = [at - now for sending in self._sendings for at in sending.waiting.values()]
        if waits:
            # What is due still has no leader, or one that we are asking.
            self._go_on_after(min((wait for wait in waits if wait > 0), default=RETRY))

    def _due(self) -> dict[NodeId, dict[Sending, list[TopicPartition]]]:
        """What waits, by the broker that leads it."""
        due: dict[NodeId, dict[Sending, list[TopicPartition]]] = {}
        image = self._context.image
        for sending in tuple(self._sendings):
            for partition, at in tuple(sending.waiting.items()):
                if at > self._context.out.now:
                    continue
                topic_id = image.topic_ids.get(partition.topic)
                state = None
                if topic_id is not None:
                    state = image.partition(PartitionId(topic_id, partition.partition))
                if state is None:
                    self._done(sending, partition)  # Deleted: it has no reader any more.
                elif has_leader(state):
                    due.setdefault(state.leader, {}).setdefault(sending, []).append(partition)
        return due

    def _write(self, sending: Sending, partition: TopicPartition) -> None:
        sending.waiting.pop(partition, None)
        self._marking.write(
            partition,
            sending.ending,
            lambda error: self._on_result(sending, partition, error),
        )

    def _ask(self, node: NodeId, shares: dict[Sending, list[TopicPartition]]) -> None:
        where = self._context.address(node)
        if where is None:
            return
        version = 2 if self._context.highest_level(node) >= VERSIONED_FROM else 1
        for sending, partitions in shares.items():
            for partition in partitions:
                sending.waiting.pop(partition, None)
        markers = tuple(_marker(s.ending, p) for s, p in shares.items())
        self._asking[node] = None
        self._context.peers.ask(
            *where,
            CHANNEL,
            WriteTxnMarkersRequest(markers=markers),
            version,
            lambda answer: self._on_answer(node, shares, answer),
            TIMEOUT,
        )

    # --- answers --------------------------------------------------------------------------------

    def _on_answer(
        self,
        node: NodeId,
        shares: dict[Sending, list[TopicPartition]],
        answer: WriteTxnMarkersResponse | PeerFailed,
    ) -> None:
        del self._asking[node]
        told: dict[tuple[int, TopicPartition], ErrorCode] = {}
        if isinstance(answer, PeerFailed):
            self._context.out.say("debug", "transaction markers not sent", broker=node)
        else:
            for marker in answer.markers:
                for topic in marker.topics:
                    for p in topic.partitions:
                        where = TopicPartition(topic.name, p.partition_index)
                        told[marker.producer_id, where] = p.error_code
        for sending, partitions in shares.items():
            producer_id = sending.ending.producer.producer_id
            for partition in partitions:
                error = told.get((producer_id, partition), Error.NETWORK_EXCEPTION)
                self._on_result(sending, partition, error)
        self._go_on_after(0.0)

    def _on_result(self, sending: Sending, partition: TopicPartition, error: ErrorCode) -> None:
        if partition not in sending.left:
            return
        if error == Error.NONE:
            self._done(sending, partition)
        elif error in _FINAL:
            self._sendings.pop(sending, None)
            sending.settle(Error(error))
        else:
            sending.waiting[partition] = self._context.out.now + RETRY
            self._go_on_after(RETRY)

    def _done(self, sending: Sending, partition: TopicPartition) -> None:
        sending.left.pop(partition, None)
        sending.waiting.pop(partition, None)
        self._settle(sending)

    def _settle(self, sending: Sending) -> None:
        if not sending.left and sending in self._sendings:
            del self._sendings[sending]
            sending.settle()


def _marker(ending: Ending, partitions: list[TopicPartition]) -> WritableTxnMarker:
    topics: dict[str, list[int]] = {}
    for topic, partition in partitions:
        topics.setdefault(topic, []).append(partition)
    return WritableTxnMarker(
        producer_id=ending.producer.producer_id,
        producer_epoch=ending.producer.epoch,
        transaction_result=ending.committed,
        topics=tuple(
            WritableTxnMarkerTopic(name=name, partition_indexes=tuple(numbers))
            for name, numbers in topics.items()
        ),
        coordinator_epoch=ending.coordinator_epoch,
        transaction_version=ending.version,
    )
