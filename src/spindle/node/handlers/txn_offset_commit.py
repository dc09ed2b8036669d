"""TxnOffsetCommit (28), versions 0-5.

Behaviour: a producer commits a group's offsets in its transaction. They are written at once, and
count from the transaction's marker on (KIP-98); who asks for stable offsets is told to wait until
then. The transaction's coordinator must know of it: up to 4 it is asked, from 5 on it is told.

Version notes: 2 leader epochs; 3 the member for which the producer speaks, which is checked
(KIP-447); 4 TRANSACTION_ABORTABLE; 5 takes the place of AddOffsetsToTxn (KIP-890).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from spindle.core.groups.values import NO_GENERATION, Committed, Identity
from spindle.core.transactions.values import Producer
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicPartition
from spindle.node.calls import Call
from spindle.node.topic_creation import OFFSETS_TOPIC
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.broker import Broker

ADDS_FROM: Final = 5
ABORTABLE_FROM: Final = 4

_IN_A_GROUPS_WORDS: Final = {
    Error.CONCURRENT_TRANSACTIONS: Error.COORDINATOR_LOAD_IN_PROGRESS,
    Error.NETWORK_EXCEPTION: Error.COORDINATOR_LOAD_IN_PROGRESS,
    Error.NOT_ENOUGH_REPLICAS: Error.COORDINATOR_LOAD_IN_PROGRESS,
    Error.NOT_COORDINATOR: Error.COORDINATOR_LOAD_IN_PROGRESS,
    Error.COORDINATOR_NOT_AVAILABLE: Error.COORDINATOR_LOAD_IN_PROGRESS,
    Error.PRODUCER_FENCED: Error.INVALID_PRODUCER_EPOCH,
}
"""What the other coordinator's error means to a client who asks this one."""


def on_broker(broker: Broker, call: Call) -> None:
    """Commit offsets in a transaction."""
    body = call.body
    group_id = body.group_id
    broker.groups.named(group_id)  # Refuses where it is not here.
    id = broker.groups.partition_of(group_id)
    assert id is not None, "the topic is there where a coordinator is"
    producer = Producer(body.producer_id, body.producer_epoch)

    def enlisted(error: Error) -> None:
        if error is Error.TRANSACTION_ABORTABLE and call.version < ABORTABLE_FROM:
            error = Error.INVALID_TXN_STATE
        if error:
            call.answer(refuse(call, _IN_A_GROUPS_WORDS.get(error, error), ""))
            return
        try:
            _commit(broker, call, producer)
        except Refusal as refusal:
            call.answer(refuse(call, refusal.error, refusal.message))

    verifies = broker.settings.flag("transaction.partition.verification.enable")
    if not verifies and call.version < ADDS_FROM:
        enlisted(Error.NONE)
        return
    broker.transactions.enlisting.admit(
        id,
        TopicPartition(OFFSETS_TOPIC, id.partition),
        body.transactional_id,
        producer,
        call.version >= ADDS_FROM,
        enlisted,
    )


def _commit(broker: Broker, call: Call, producer: Producer) -> None:
    body = call.body
    who = Identity(
        group_id=body.group_id,
        generation=getattr(body, "generation_id", NO_GENERATION),
        member_id=getattr(body, "member_id", ""),
        instance_id=getattr(body, "group_instance_id", None),
    )
    offsets = {}
    for topic in body.topics:
        state = broker.image.topic(topic.name)
        for p in topic.partitions:
            if state is None or p.partition_index not in state.partitions:
                continue
            offsets[TopicPartition(topic.name, p.partition_index)] = Committed(
                offset=p.committed_offset,
                leader_epoch=getattr(p, "committed_leader_epoch", -1),
                metadata=p.committed_metadata or "",
                commit_ms=broker.out.wall_ms,
                topic_id=state.topic_id,
            )

    def then(errors: dict[TopicPartition, Error]) -> None:
        call.answer(
            _response(call, lambda where: errors.get(where, Error.UNKNOWN_TOPIC_OR_PARTITION))
        )

    broker.groups.coordinator(body.group_id).commit(who, offsets, then, producer)


def refuse(call: Call, error: Error, message: str) -> Any:
    """The error at every partition: there is no other place for it."""
    if error is Error.GROUP_ID_NOT_FOUND:
        error = Error.ILLEGAL_GENERATION
    return _response(call, lambda where: error)


def _response(call: Call, error_of: Any) -> Any:
    types = call.reply
    return make(
        types.TxnOffsetCommitResponse,
        topics=tuple(
            make(
                types.TxnOffsetCommitResponseTopic,
                name=topic.name,
                partitions=tuple(
                    make(
                        types.TxnOffsetCommitResponsePartition,
                        partition_index=p.partition_index,
                        error_code=error_of(TopicPartition(topic.name, p.partition_index)),
                    )
                    for p in topic.partitions
                ),
            )
            for topic in call.body.topics
        ),
    )
