"""Whether a group's coordinator may take offsets into a transaction: its own coordinator says so.

Asks through `enlisting`, and puts the answer into the words that a client of a group's coordinator
knows. Called by the handler of TxnOffsetCommit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from spindle.core.transactions.transaction_values import ProducerIdAndEpoch
from spindle.model.errors import Error
from spindle.model.ids import PartitionId, TopicPartition
from spindle.node.topic_creation import OFFSETS_TOPIC
from spindle.node.transactions.enlisting import Enlisting

_IN_A_GROUPS_WORDS: Final = {
    Error.CONCURRENT_TRANSACTIONS: Error.COORDINATOR_LOAD_IN_PROGRESS,
    Error.NETWORK_EXCEPTION: Error.COORDINATOR_LOAD_IN_PROGRESS,
    Error.NOT_ENOUGH_REPLICAS: Error.COORDINATOR_LOAD_IN_PROGRESS,
    Error.NOT_COORDINATOR: Error.COORDINATOR_LOAD_IN_PROGRESS,
    Error.COORDINATOR_NOT_AVAILABLE: Error.COORDINATOR_LOAD_IN_PROGRESS,
    Error.PRODUCER_FENCED: Error.INVALID_PRODUCER_EPOCH,
}
"""What the other coordinator's error means to a client of this one."""


def admit_offsets(
    enlisting: Enlisting,
    id: PartitionId,
    transactional_id: str,
    producer: ProducerIdAndEpoch,
    adds: bool,
    then: Callable[[Error], None],
) -> None:
    """Run `then` with NONE when offsets may be written to a partition of `__consumer_offsets`, else
    with the error. `adds`: have the partition take part."""
    where = TopicPartition(OFFSETS_TOPIC, id.partition)
    enlisting.admit(
        id,
        where,
        transactional_id,
        producer,
        adds,
        lambda error: then(_IN_A_GROUPS_WORDS.get(error, error)),
    )
