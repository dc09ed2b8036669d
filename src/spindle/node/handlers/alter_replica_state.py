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
from typing import TYPE_CHECKING, Any

from spindle.core.controller import replica_states
from spindle.core.controller.replica_states import Named
from spindle.model.errors import Error
from spindle.model.ids import TopicPartition
from spindle.node.calls import Call
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.controller import Controller


def on_controller(controller: Controller, call: Call) -> None:
    """Record what became of replicas."""
    body = call.body
    named = [
        Named(TopicPartition(topic.name, index), topic.topic_id)
        for topic in body.topics
        for index in topic.partitions
    ]

    def respond(errors: Sequence[Error]) -> Any:
        controller.out.say(
            "info",
            "replica states are altered",
            broker=body.broker_id,
            state=body.new_state,
            replicas=len(named),
            refused=sum(error != Error.NONE for error in errors),
            reason=body.reason,
        )
        return _respond(call, errors)

    controller.serve(
        call,
        lambda state: replica_states.alter(
            state,
            body.broker_id,
            body.broker_epoch,
            body.new_state,
            named,
            damaged=body.damaged,
        ),
        respond,
        refuse,
    )


def _respond(call: Call, errors: Sequence[Error]) -> Any:
    r = call.reply
    remaining = iter(errors)
    topics = tuple(
        make(
            r.TopicData,
            name=topic.name,
            partitions=tuple(
                make(r.PartitionData, partition_index=index, error_code=next(remaining))
                for index in topic.partitions
            ),
        )
        for topic in call.body.topics
    )
    return make(r.AlterReplicaStateResponse, error_code=Error.NONE, topics=topics)


def refuse(call: Call, error: Error, message: str) -> Any:
    """Nothing was recorded."""
    return make(call.reply.AlterReplicaStateResponse, error_code=error, error_message=message)
