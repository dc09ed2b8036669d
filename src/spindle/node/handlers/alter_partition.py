"""AlterPartition (56), versions 2-3, controller listener.

Behaviour: a leader proposes the ISR of its partitions; each gets the new state or an error of its
own. Checks and their order are in `core.controller.isr_proposals`. STALE_BROKER_EPOCH for the whole
request.

Version notes: 2 names topics by id, 3 pairs each member with its broker epoch (KIP-903).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from spindle.core.controller import isr_proposals
from spindle.model.errors import Error
from spindle.model.ids import ZERO_ID, PartitionId
from spindle.node.request_context import Later, RequestContext
from spindle.wire.messages import alter_partition_request as asking
from spindle.wire.messages.alter_partition_request import AlterPartitionRequest
from spindle.wire.messages.alter_partition_response import (
    AlterPartitionResponse,
    PartitionData,
    TopicData,
)

if TYPE_CHECKING:
    from spindle.node.controller import Controller


def on_controller(
    controller: Controller,
    request: AlterPartitionRequest,
    context: RequestContext[AlterPartitionResponse],
) -> Later:
    """Take over what holds."""
    proposals = [
        isr_proposals.IsrProposal(
            partition=PartitionId(topic.topic_id or ZERO_ID, p.partition_index),
            leader_epoch=p.leader_epoch,
            partition_epoch=p.partition_epoch,
            isr=_members(context.version, p),
            recovery=p.leader_recovery_state,
        )
        for topic in request.topics
        for p in topic.partitions
    ]
    return controller.serve(
        context,
        lambda state: isr_proposals.alter_partitions(
            state, request.broker_id, request.broker_epoch, proposals
        ),
        lambda answers: _respond(request, answers),
        partial(refuse, request, context),
    )


def _members(version: int, partition: asking.PartitionData) -> tuple[tuple[int, int], ...]:
    if version < 3:
        return tuple((member, isr_proposals.ANY_EPOCH) for member in partition.new_isr)
    return tuple((m.broker_id, m.broker_epoch) for m in partition.new_isr_with_epochs)


def _respond(
    request: AlterPartitionRequest, answers: Sequence[isr_proposals.IsrAnswer]
) -> AlterPartitionResponse:
    remaining = iter(answers)
    topics = []
    for topic in request.topics:
        partitions = tuple(_partition(next(remaining)) for _ in topic.partitions)
        topics.append(TopicData(topic_id=topic.topic_id, partitions=partitions))
    return AlterPartitionResponse(topics=tuple(topics))


def _partition(answer: isr_proposals.IsrAnswer) -> PartitionData:
    index, state = answer.partition.partition, answer.state
    if state is None:
        return PartitionData(partition_index=index, error_code=answer.error)
    return PartitionData(
        partition_index=index,
        leader_id=state.leader,
        leader_epoch=state.leader_epoch,
        isr=state.isr,
        leader_recovery_state=state.leader_recovery_state,
        partition_epoch=state.partition_epoch,
    )


def refuse(
    request: AlterPartitionRequest,
    context: RequestContext[AlterPartitionResponse],
    error: Error,
    message: str,
) -> AlterPartitionResponse:
    """Nothing was taken over."""
    return AlterPartitionResponse(error_code=error)
