"""RepairReplica (30591, ours: KIP-589), version 0, broker listener.

Behaviour: one bad replica of this broker is tried again (action 1), or what is good of it is served
and the rest given up (action 2), which is done for a partition that no other broker has. The answer
tells in words what came of it.

Errors: UNKNOWN_TOPIC_OR_PARTITION, INVALID_REQUEST (it may not be done, as the text says),
KAFKA_STORAGE_ERROR.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicPartition
from spindle.node.logdirs.orders import RescueAction
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.repair_replica_request import RepairReplicaRequest
from spindle.wire.messages.repair_replica_response import RepairReplicaResponse

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker, request: RepairReplicaRequest, context: RequestContext[RepairReplicaResponse]
) -> Later:
    """Carry out what is wanted of a replica."""
    if request.action not in tuple(RescueAction):
        known = ", ".join(f"{action.value} {action.name}" for action in RescueAction)
        text = f"action {request.action} is not known; known are: {known}"
        raise Refusal(Error.INVALID_REQUEST, text)

    def done(words: str) -> None:
        context.answer(RepairReplicaResponse(outcome=words))

    def failed(words: str) -> None:
        context.answer(refuse(request, context, Error.KAFKA_STORAGE_ERROR, words))

    name = TopicPartition(request.topic, request.partition_index)
    broker.logs.orders.rescue.carry_out(name, RescueAction(request.action), done, failed)
    return LATER


def refuse(
    request: RepairReplicaRequest,
    context: RequestContext[RepairReplicaResponse],
    error: Error,
    message: str,
) -> RepairReplicaResponse:
    """It was not done."""
    return RepairReplicaResponse(error_code=error, error_message=message)
