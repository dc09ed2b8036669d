"""Partitions that take part in a transaction from now on, or are asked whether they do.

All partitions of a request take part in a producer's transaction, or none: what a large request
adds is added by its first part, and the others get the same answer. Knows no messages; the handler
of AddPartitionsToTxn makes the values and tells the results.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from spindle.core.transactions.transaction_values import ProducerIdAndEpoch
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicPartition
from spindle.model.image import ClusterImage
from spindle.node.topology import exists
from spindle.node.transactions.transaction_coordinator_service import TransactionCoordinatorService

Results: TypeAlias = dict[TopicPartition, Error]


class RequestedTransaction(NamedTuple):
    """One transaction of a request, and its partitions."""

    name: str
    producer: ProducerIdAndEpoch
    partitions: list[TopicPartition]
    verifies: bool
    """Nothing is added: the answer tells whether they take part (KIP-890)."""


class WholeAddition:
    """All partitions that a request served in parts adds to one transaction."""

    __slots__ = ("error", "partitions", "some_unknown")

    def __init__(self) -> None:
        self.partitions: list[TopicPartition] = []
        self.some_unknown = False
        self.error: Error | None = None
        """What became of them, once that is known."""

    def add(self, image: ClusterImage, partitions: list[TopicPartition]) -> None:
        """Take in those of one part."""
        self.partitions += partitions
        self.some_unknown = self.some_unknown or not all(exists(image, p) for p in partitions)


def take_part(
    transactions: TransactionCoordinatorService,
    image: ClusterImage,
    asked: RequestedTransaction,
    whole: WholeAddition | None,
    bumps: bool,
    then: Callable[[Results], None],
) -> None:
    """Have partitions take part, or find out whether they do; `then` gets an error for each.

    `whole`: what the request adds of which this is a part. `bumps`: the producer's epoch is
    raised at the end of each transaction.
    """
    try:
        if asked.verifies:
            coordinator = transactions.coordinator(asked.name)
            coordinator.verify(asked.name, asked.producer, asked.partitions, then)
        else:
            _add(transactions, image, asked, whole, bumps, then)
    except Refusal as refusal:
        then(dict.fromkeys(asked.partitions, refusal.error))


def _add(
    transactions: TransactionCoordinatorService,
    image: ClusterImage,
    asked: RequestedTransaction,
    whole: WholeAddition | None,
    bumps: bool,
    then: Callable[[Results], None],
) -> None:
    def added(error: Error) -> None:
        if whole is not None:
            whole.error = error
        then(dict.fromkeys(asked.partitions, error))

    if whole is not None and whole.error is not None:
        added(whole.error)
        return
    coordinator = transactions.coordinator(asked.name)
    unknown = {p for p in asked.partitions if not exists(image, p)}
    if unknown or (whole is not None and whole.some_unknown):
        then(
            {
                p: Error.UNKNOWN_TOPIC_OR_PARTITION
                if p in unknown
                else Error.OPERATION_NOT_ATTEMPTED
                for p in asked.partitions
            }
        )
        return
    partitions = asked.partitions if whole is None else whole.partitions
    coordinator.add(asked.name, asked.producer, partitions, bumps, added)
