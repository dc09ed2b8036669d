"""Asks the coordinator whether a partition takes part in a transaction, or has it take part.

KIP-890: no transactional batch is appended to a partition of which the coordinator does not know,
or it would never end there. Clients that do not say so themselves (Produce from 12, offset
commits from 5) have the partition added. While a producer's first batch waits for the answer, its
later ones wait behind it. A coordinator is not asked if the partition has a marker of a younger one
for that producer: this broker has not learned of that one yet, and the older one may take a
transaction that has ended for open. Used by the handlers of Produce and TxnOffsetCommit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, Protocol

from spindle.core.transactions.transaction_coordinator_shard import TransactionCoordinatorShard
from spindle.core.transactions.transaction_values import EPOCH_MAX, ProducerIdAndEpoch
from spindle.model.errors import Error, PeerFailed, Refusal
from spindle.model.ids import NodeId, PartitionId, TopicPartition
from spindle.node.broker_context import BrokerContext
from spindle.wire.messages.add_partitions_to_txn_request import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from spindle.wire.messages.add_partitions_to_txn_response import AddPartitionsToTxnResponse

CHANNEL: Final = "transaction-partitions"
VERSION: Final = 5
TIMEOUT: Final = 10.0
BUSY_RETRY: Final = 0.02
"""Seconds before a coordinator is asked again that is still ending the transaction before."""
BUSY_TRIES: Final = 25
WAITING_MAX: Final = 1_000
"""Batches of one producer that may wait in one partition."""

Then = Callable[[Error], None]


class Coordinators(Protocol):
    """The coordinators of transactional ids: `Transactions`, which we belong to."""

    def leader_for(self, key: str) -> NodeId | None:
        """The broker that coordinates; None if there is none yet."""

    def coordinator(self, transactional_id: str) -> TransactionCoordinatorShard:
        """The coordinator, if it is here and ready; Refusal else."""

    def is_outdone(self, key: str, id: PartitionId, producer_id: int) -> bool:
        """Whether a partition has a marker of a younger coordinator than the one known here."""


class _Queue:
    """The batches of one producer, in one epoch, that wait in one partition."""

    def __init__(self, adds: bool) -> None:
        self.adds = adds
        """The partition is added for them: their producer's epoch grows by each end (KIP-890)."""
        self.waiting: list[Then] = []

    def settle(self, error: Error) -> None:
        """All of them go on, or none."""
        for then in self.waiting:
            then(error)


class _Who(NamedTuple):
    """For whom an answer speaks: it says nothing of another epoch, or another transactional id."""

    transactional_id: str
    epoch: int


class Enlisting:
    """The questions under way."""

    def __init__(self, context: BrokerContext, coordinators: Coordinators) -> None:
        self._context = context
        self._coordinators = coordinators
        self._queues: dict[tuple[PartitionId, int], dict[_Who, _Queue]] = {}

    def admit(
        self,
        id: PartitionId,
        where: TopicPartition,
        transactional_id: str,
        producer: ProducerIdAndEpoch,
        adds: bool,
        then: Then,
    ) -> None:
        """Run `then` when a batch of this producer may be appended, in the order of coming.

        With the coordinator's error where it may not. `adds`: have the partition take part.
        """
        queues = self._queues.setdefault((id, producer.producer_id), {})
        who = _Who(transactional_id, producer.epoch)
        queue = queues.get(who)
        if queue is not None:
            if len(queue.waiting) >= WAITING_MAX:
                then(Error.NOT_ENOUGH_REPLICAS)
            else:
                queue.waiting.append(then)
            return
        queue = queues[who] = _Queue(adds)
        queue.waiting.append(then)

        def answered(error: Error) -> None:
            if self._take(id, producer.producer_id, who, queue):
                queue.settle(error)

        self._ask(id, transactional_id, producer, where, adds, answered)

    def is_waiting(self, id: PartitionId, producer_id: int) -> bool:
        """Whether batches of a producer wait for an answer in a partition."""
        return (id, producer_id) in self._queues

    def on_marker(self, id: PartitionId, producer: ProducerIdAndEpoch, bumped: bool) -> None:
        """A producer's transaction ends in a partition: what was asked for it is over.

        `bumped`: the marker has the epoch of the transaction that comes next (KIP-890), which may
        have asked already. Else it has that of the transaction that ends, or its coordinator does
        not say (WriteTxnMarkers 1, which has to do below 4.3-IV0): then a batch for which the
        partition is added tells.
        """
        for who, queue in tuple(self._queues.get((id, producer.producer_id), {}).items()):
            is_same = who.epoch == producer.epoch
            is_next = bumped or (queue.adds and who.epoch < EPOCH_MAX)
            if who.epoch < producer.epoch or (is_same and not is_next):
                self._take(id, producer.producer_id, who, queue)
                queue.settle(Error.INVALID_TXN_STATE if is_same else Error.INVALID_PRODUCER_EPOCH)

    def _take(self, id: PartitionId, producer_id: int, who: _Who, queue: _Queue) -> bool:
        """Take a queue out, unless a marker has; whether it was there."""
        queues = self._queues.get((id, producer_id), {})
        if queues.get(who) is not queue:
            return False
        del queues[who]
        if not queues:
            del self._queues[id, producer_id]
        return True

    # --- asking ---------------------------------------------------------------------------------

    def _ask(
        self,
        id: PartitionId,
        transactional_id: str,
        producer: ProducerIdAndEpoch,
        where: TopicPartition,
        adds: bool,
        then: Then,
        tries: int = BUSY_TRIES,
    ) -> None:
        """Ask the coordinator of a transactional id, for a while again if it is busy."""

        def answered(error: Error) -> None:
            if error == Error.CONCURRENT_TRANSACTIONS and tries > 1:
                self._context.out.after(
                    BUSY_RETRY,
                    lambda: self._ask(id, transactional_id, producer, where, adds, then, tries - 1),
                )
            else:
                then(error)

        leader = self._coordinators.leader_for(transactional_id)
        outdone = self._coordinators.is_outdone(transactional_id, id, producer.producer_id)
        if leader is None or outdone:
            then(Error.COORDINATOR_NOT_AVAILABLE)
        elif leader == self._context.node_id:
            self._ask_here(transactional_id, producer, where, adds, answered)
        else:
            endpoint = self._context.address(leader)
            if endpoint is None:
                then(Error.COORDINATOR_NOT_AVAILABLE)
                return
            request = _request(transactional_id, producer, where, adds)
            self._context.peers.ask(
                *endpoint, CHANNEL, request, VERSION, lambda reply: answered(_error(reply)), TIMEOUT
            )

    def _ask_here(
        self,
        transactional_id: str,
        producer: ProducerIdAndEpoch,
        where: TopicPartition,
        adds: bool,
        then: Then,
    ) -> None:
        try:
            coordinator = self._coordinators.coordinator(transactional_id)
            if adds:
                coordinator.add(transactional_id, producer, [where], True, then)
            else:
                coordinator.verify(
                    transactional_id, producer, [where], lambda told: then(told[where])
                )
        except Refusal as refusal:
            then(refusal.error)


def _request(
    transactional_id: str, producer: ProducerIdAndEpoch, where: TopicPartition, adds: bool
) -> AddPartitionsToTxnRequest:
    topic = AddPartitionsToTxnTopic(name=where.topic, partitions=(where.partition,))
    transaction = AddPartitionsToTxnTransaction(
        transactional_id=transactional_id,
        producer_id=producer.producer_id,
        producer_epoch=producer.epoch,
        verify_only=not adds,
        topics=(topic,),
    )
    return AddPartitionsToTxnRequest(transactions=(transaction,))


def _error(reply: AddPartitionsToTxnResponse | PeerFailed) -> Error:
    if isinstance(reply, PeerFailed):
        return Error.NETWORK_EXCEPTION
    if reply.error_code != Error.NONE:
        return Error(reply.error_code)
    for transaction in reply.results_by_transaction:
        for topic in transaction.topic_results:
            for partition in topic.results_by_partition:
                return Error(partition.partition_error_code)
    return Error.UNKNOWN_SERVER_ERROR
