"""A group's offsets are committed in a transaction, whose own coordinator says whether they may be.

Asks through `enlisting`, and puts the answer into the words that a client of a group's coordinator
knows. Knows no messages. Called by the handler of TxnOffsetCommit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from spindle.core.groups.group_values import Committed, MemberIdentity
from spindle.core.transactions.transaction_values import ProducerIdAndEpoch
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicPartition
from spindle.node.groups.group_coordinator_service import GroupCoordinatorService
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


class TransactionalCommit(NamedTuple):
    """A producer's request to commit a group's offsets in its transaction."""

    who: MemberIdentity
    transactional_id: str
    producer: ProducerIdAndEpoch
    offsets: Callable[[], dict[TopicPartition, Committed]]
    """What is committed, once it may be."""
    adds: bool
    """The partition of the group takes part from now on (KIP-890)."""
    takes_abortable: bool
    """Its client knows the error TRANSACTION_ABORTABLE."""


def commit_offsets(
    groups: GroupCoordinatorService,
    enlisting: Enlisting,
    asked: TransactionalCommit,
    verifies: bool,
    then: Callable[[dict[TopicPartition, Error]], None],
    refused: Callable[[Refusal], None],
) -> None:
    """Commit offsets once the transaction's coordinator agrees; an error for each partition.

    `verifies`: it is asked even where nothing is added. `refused` gets why nothing is committed.
    Refusal where the group is not coordinated here.
    """
    group_id = asked.who.group_id
    groups.named(group_id)
    id = groups.partition_of(group_id)
    assert id is not None, "the topic is there where a coordinator is"

    def admitted(error: Error) -> None:
        try:
            if error:
                raise Refusal(_in_a_groups_words(error, asked.takes_abortable))
            coordinator = groups.coordinator(group_id)
            coordinator.commit(asked.who, asked.offsets(), then, asked.producer, refuse=refused)
        except Refusal as refusal:
            refused(refusal)

    if not verifies and not asked.adds:
        admitted(Error.NONE)
        return
    where = TopicPartition(OFFSETS_TOPIC, id.partition)
    enlisting.admit(id, where, asked.transactional_id, asked.producer, asked.adds, admitted)


def _in_a_groups_words(error: Error, takes_abortable: bool) -> Error:
    if error is Error.TRANSACTION_ABORTABLE and not takes_abortable:
        return Error.INVALID_TXN_STATE
    return _IN_A_GROUPS_WORDS.get(error, error)
