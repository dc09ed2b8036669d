"""AlterPartitionReassignments (45), versions 0-1, both listeners.

Behaviour: starts, replaces or (null replicas) cancels the reassignment of partitions to brokers
(KIP-455); each gets an error of its own. On the broker listener the request is forwarded.

Version notes: 1 adds whether the number of replicas may change.
"""

from __future__ import annotations

from typing import Any

from spindle.core.controller import reassignment
from spindle.model.errors import Error
from spindle.model.ids import TopicPartition
from spindle.node.calls import Call
from spindle.wire.entities import make


def on_broker(broker: Any, call: Call) -> None:
    """Hand on to the controller."""
    broker.forwarding.forward(call, refuse)


def on_controller(controller: Any, call: Call) -> None:
    """Start, replace or cancel reassignments."""
    asked = [
        reassignment.Reassignment(
            partition=TopicPartition(topic.name, p.partition_index),
            replicas=None if p.replicas is None else tuple(p.replicas),
        )
        for topic in call.body.topics
        for p in topic.partitions
    ]
    allow = getattr(call.body, "allow_replication_factor_change", True)
    controller.serve(
        call,
        lambda state: reassignment.alter(state, asked, allow),
        lambda outcomes: _respond(call, Error.NONE, None, [(o.error, o.message) for o in outcomes]),
        refuse,
    )


def _respond(
    call: Call, error: Error, message: str | None, outcomes: list[tuple[Error, str | None]]
) -> Any:
    r = call.reply
    remaining = iter(outcomes)

    def partition_response(index: int) -> Any:
        code, text = next(remaining)
        return make(
            r.ReassignablePartitionResponse,
            partition_index=index,
            error_code=code,
            error_message=text,
        )

    return make(
        r.AlterPartitionReassignmentsResponse,
        allow_replication_factor_change=getattr(call.body, "allow_replication_factor_change", True),
        error_code=error,
        error_message=message,
        responses=tuple(
            make(
                r.ReassignableTopicResponse,
                name=topic.name,
                partitions=tuple(partition_response(p.partition_index) for p in topic.partitions),
            )
            for topic in call.body.topics
        ),
    )


def refuse(call: Call, error: Error, message: str) -> Any:
    """The error for the whole and for each partition."""
    count = sum(len(topic.partitions) for topic in call.body.topics)
    return _respond(call, error, message, [(error, message)] * count)
