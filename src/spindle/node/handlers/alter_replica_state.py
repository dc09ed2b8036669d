"""AlterReplicaState (30589, ours: KIP-589), version 0, controller listener.

Behaviour: a broker says that single replicas of its went offline (state 1), or that bad copies were
replaced (state 2). What is wrong with the request as a whole is answered at once; what follows for
each replica is decided, and answered once it is committed: leadership and ISR move, the replica's
directory becomes LOST, or UNASSIGNED until the broker says which.

Errors: STALE_BROKER_EPOCH, UNKNOWN_EVENT_TYPE, NOT_CONTROLLER, UNSUPPORTED_VERSION; for a replica
UNKNOWN_TOPIC_OR_PARTITION, NOT_LEADER_OR_FOLLOWER.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from spindle.core.controller import replica_states
from spindle.core.controller.replica_states import Named
from spindle.model.errors import Error
from spindle.model.ids import TopicPartition
from spindle.node.request_context import Later, RequestContext
from spindle.wire.messages.alter_replica_state_request import AlterReplicaStateRequest
from spindle.wire.messages.alter_replica_state_response import (
    AlterReplicaStateResponse,
    PartitionData,
    TopicData,
)

if TYPE_CHECKING:
    from spindle.node.controller import Controller


def on_controller(
    controller: Controller,
    request: AlterReplicaStateRequest,
    context: RequestContext[AlterReplicaStateResponse],
) -> Later:
    """Record what became of replicas."""
    named = [
        Named(TopicPartition(topic.name, index), topic.topic_id)
        for topic in request.topics
        for index in topic.partitions
    ]

    def respond(errors: Sequence[Error]) -> AlterReplicaStateResponse:
        controller.out.say(
            "info",
            "replica states changed",
            broker=request.broker_id,
            state=request.new_state,
            replicas=len(named),
            refused=sum(error != Error.NONE for error in errors),
            reason=request.reason,
        )
        return _respond(request, errors)

    return controller.serve(
        context,
        lambda state: replica_states.alter(
            state,
            request.broker_id,
            request.broker_epoch,
            request.new_state,
            named,
            damaged=request.damaged,
        ),
        respond,
        partial(refuse, request, context),
    )


def _respond(
    request: AlterReplicaStateRequest, errors: Sequence[Error]
) -> AlterReplicaStateResponse:
    remaining = iter(errors)
    return AlterReplicaStateResponse(
        topics=tuple(
            TopicData(
                name=topic.name,
                partitions=tuple(
                    PartitionData(partition_index=index, error_code=next(remaining))
                    for index in topic.partitions
                ),
            )
            for topic in request.topics
        )
    )


def refuse(
    request: AlterReplicaStateRequest,
    context: RequestContext[AlterReplicaStateResponse],
    error: Error,
    message: str,
) -> AlterReplicaStateResponse:
    """Nothing was recorded."""
    return AlterReplicaStateResponse(error_code=error, error_message=message)
