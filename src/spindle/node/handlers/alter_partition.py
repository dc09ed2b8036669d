"""AlterPartition (56), versions 2-3, controller listener.

Behaviour: a leader proposes the ISR of its partitions; each gets the new state or an error of its
own. Checks and their order are in `core.controller.isr`. STALE_BROKER_EPOCH for the whole request.

Version notes: 2 names topics by id, 3 pairs each member with its broker epoch (KIP-903).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from spindle.core.controller import isr
from spindle.model.errors import Error
from spindle.model.ids import ZERO_ID, PartitionId
from spindle.node.calls import Call
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.controller import Controller


def on_controller(controller: Controller, call: Call) -> None:
    """Take over what holds."""
    body = call.body
    proposals = [
        isr.IsrProposal(
            partition=PartitionId(topic.topic_id or ZERO_ID, p.partition_index),
            leader_epoch=p.leader_epoch,
            partition_epoch=p.partition_epoch,
            isr=_members(call, p),
            recovery=p.leader_recovery_state,
        )
        for topic in body.topics
        for p in topic.partitions
    ]
    controller.serve(
        call,
        lambda state: isr.alter_partitions(state, body.broker_id, body.broker_epoch, proposals),
        lambda answers: _respond(call, answers),
        refuse,
    )


def _members(call: Call, partition: Any) -> tuple[tuple[int, int], ...]:
    if call.version < 3:
        return tuple((member, isr.ANY_EPOCH) for member in partition.new_isr)
    return tuple((m.broker_id, m.broker_epoch) for m in partition.new_isr_with_epochs)


def _respond(call: Call, answers: Sequence[isr.IsrAnswer]) -> Any:
    r = call.reply
    remaining = iter(answers)
    topics = []
    for topic in call.body.topics:
        partitions = tuple(_partition(r, next(remaining)) for _ in topic.partitions)
        topics.append(make(r.TopicData, topic_id=topic.topic_id, partitions=partitions))
    return make(r.AlterPartitionResponse, error_code=Error.NONE, topics=tuple(topics))


def _partition(r: Any, answer: isr.IsrAnswer) -> Any:
    index, state = answer.partition.partition, answer.state
    if state is None:
        return make(r.PartitionData, partition_index=index, error_code=answer.error)
    return make(
        r.PartitionData,
        partition_index=index,
        error_code=Error.NONE,
        leader_id=state.leader,
        leader_epoch=state.leader_epoch,
        isr=state.isr,
        leader_recovery_state=state.leader_recovery_state,
        partition_epoch=state.partition_epoch,
    )


def refuse(call: Call, error: Error, message: str) -> Any:
    """Nothing was taken over."""
    return make(call.reply.AlterPartitionResponse, error_code=error, topics=())
