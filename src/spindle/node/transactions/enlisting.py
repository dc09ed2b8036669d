"""Asks the coordinator whether a partition takes part in a transaction, or has it take part.

KIP-890: no transactional batch is appended to a partition of which the coordinator does not know,
or nobody would ever end it there. Clients that do not say so themselves (Produce from 12, offset
commits from 5) have the partition added. While a producer's first batch waits for the answer, its
later ones wait behind it. Used by the handlers of Produce and TxnOffsetCommit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol

from spindle.core.transactions.coordinator import Coordinator
from spindle.core.transactions.values import Producer
from spindle.model.errors import Error, PeerFailed, Refusal
from spindle.model.ids import NodeId, PartitionId, TopicPartition
from spindle.node.site import Site
from spindle.wire.apis import Key
from spindle.wire.entities import make, request_types

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
    """Who coordinates which transactional id: `Transactions`, which we belong to."""

    def leader_for(self, key: str) -> NodeId | None:
        """The broker that does; None if nobody does yet."""

    def coordinator(self, transactional_id: str) -> Coordinator:
        """The coordinator, if it is here and ready; Refusal else."""


class _Queue:
    """The batches of one producer that wait in one partition."""

    def __init__(self) -> None:
        self.waiting: list[Then] = []
        self.ended = False
        """A marker was written meanwhile: what was asked for is over."""


class Enlisting:
    """The questions under way."""

    def __init__(self, site: Site, coordinators: Coordinators) -> None:
        self._site = site
        self._coordinators = coordinators
        self._queues: dict[tuple[PartitionId, int], _Queue] = {}

    def admit(
        self,
        id: PartitionId,
        where: TopicPartition,
        transactional_id: str,
        producer: Producer,
        adds: bool,
        then: Then,
    ) -> None:
        """Run `then` when a batch of this producer may be appended, in the order of coming.

        With the coordinator's error where it may not. `adds`: have the partition take part.
        """
        key = (id, producer.producer_id)
        queue = self._queues.get(key)
        if queue is not None:
            if len(queue.waiting) >= WAITING_MAX:
                then(Error.NOT_ENOUGH_REPLICAS)
            else:
                queue.waiting.append(then)
            return
        queue = self._queues[key] = _Queue()
        queue.waiting.append(then)

        def answered(error: Error) -> None:
            del self._queues[key]
            if queue.ended and not error:
                error = Error.INVALID_TXN_STATE
            for waiting in queue.waiting:
                waiting(error)

        self.ask(transactional_id, producer, where, adds, answered)

    def is_waiting(self, id: PartitionId, producer_id: int) -> bool:
        """Whether batches of a producer wait for an answer in a partition."""
        return (id, producer_id) in self._queues

    def on_marker(self, id: PartitionId, producer_id: int) -> None:
        """A producer's transaction ends in a partition."""
        queue = self._queues.get((id, producer_id))
        if queue is not None:
            queue.ended = True

    # --- asking ---------------------------------------------------------------------------------

    def ask(
        self,
        transactional_id: str,
        producer: Producer,
        where: TopicPartition,
        adds: bool,
        then: Then,
        tries: int = BUSY_TRIES,
    ) -> None:
        """Ask the coordinator of a transactional id, for a while again if it is busy."""

        def answered(error: Error) -> None:
            if error == Error.CONCURRENT_TRANSACTIONS and tries > 1:
                self._site.out.after(
                    BUSY_RETRY,
                    lambda: self.ask(transactional_id, producer, where, adds, then, tries - 1),
                )
            else:
                then(error)

        leader = self._coordinators.leader_for(transactional_id)
        if leader is None:
            then(Error.COORDINATOR_NOT_AVAILABLE)
        elif leader == self._site.node_id:
            self._ask_here(transactional_id, producer, where, adds, answered)
        else:
            endpoint = self._site.address(leader)
            if endpoint is None:
                then(Error.COORDINATOR_NOT_AVAILABLE)
                return
            request = _request(transactional_id, producer, where, adds)
            self._site.peers.ask(
                *endpoint, CHANNEL, request, lambda reply: answered(_error(reply)), TIMEOUT
            )

    def _ask_here(
        self,
        transactional_id: str,
        producer: Producer,
        where: TopicPartition,
        adds: bool,
        then: Then,
    ) -> None:
        try:
            coordinator = self._coordinators.coordinator(transactional_id)
            if adds:
                coordinator.add(transactional_id, producer, [where], True, then)
                return
            error = coordinator.verify(transactional_id, producer, [where])[where]
        except Refusal as refusal:
            error = refusal.error
        then(error)


def _request(transactional_id: str, producer: Producer, where: TopicPartition, adds: bool) -> Any:
    types = request_types(Key.ADD_PARTITIONS_TO_TXN, VERSION)
    topic = make(types.AddPartitionsToTxnTopic, name=where.topic, partitions=(where.partition,))
    transaction = make(
        types.AddPartitionsToTxnTransaction,
        transactional_id=transactional_id,
        producer_id=producer.producer_id,
        producer_epoch=producer.epoch,
        verify_only=not adds,
        topics=(topic,),
    )
    return make(types.AddPartitionsToTxnRequest, transactions=(transaction,))


def _error(reply: Any) -> Error:
    if isinstance(reply, PeerFailed):
        return Error.NETWORK_EXCEPTION
    if reply.error_code != Error.NONE:
        return Error(reply.error_code)
    for transaction in reply.results_by_transaction:
        for topic in transaction.topic_results:
            for partition in topic.results_by_partition:
                return Error(partition.partition_error_code)
    return Error.UNKNOWN_SERVER_ERROR
