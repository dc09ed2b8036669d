"""AlterPartitionReassignments (45), versions 0-1, both listeners.

Behaviour: starts, replaces or (null replicas) cancels the reassignment of partitions to brokers
(KIP-455); each gets an error of its own. On the broker listener the request is forwarded.

Version notes: 1 adds whether the number of replicas may change. A tagged field of ours names the
directory of each new replica, by id, and the answer repeats what was taken into account (B-25).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spindle.core.controller import reassignment
from spindle.model.errors import Error, Refusal
from spindle.model.ids import DirectoryId, NodeId, TopicPartition
from spindle.node.calls import Call
from spindle.node.handlers._patience import check_patience
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller


def on_broker(broker: Broker, call: Call) -> None:
    """Hand on to the controller."""
    broker.forwarding.forward(call, refuse)


def on_controller(controller: Controller, call: Call) -> None:
    """Start, replace or cancel reassignments."""
    check_patience(call)
    asked = [
        reassignment.Reassignment(
            partition=TopicPartition(topic.name, p.partition_index),
            replicas=None if p.replicas is None else tuple(p.replicas),
            directories=_places(p),
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


def _places(partition: Any) -> dict[NodeId, DirectoryId]:
    """The directories that are named, by broker."""
    brokers = partition.replicas or ()
    if partition.directories and len(partition.directories) != len(brokers):
        raise Refusal(
            Error.INVALID_REQUEST,
            f"partition {partition.partition_index} has {len(brokers)} replica(s) and"
            f" {len(partition.directories)} directories: name one for each, or none",
        )
    named = zip(brokers, partition.directories, strict=False)
    return {broker: directory for broker, directory in named if directory is not None}


def _respond(
    call: Call, error: Error, message: str | None, outcomes: list[tuple[Error, str | None]]
) -> Any:
    r = call.reply
    remaining = iter(outcomes)

    def partition_response(p: Any) -> Any:
        code, text = next(remaining)
        return make(
            r.ReassignablePartitionResponse,
            partition_index=p.partition_index,
            error_code=code,
            error_message=text,
            directories=p.directories if code == Error.NONE else (),
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
                partitions=tuple(partition_response(p) for p in topic.partitions),
            )
            for topic in call.body.topics
        ),
    )


def refuse(call: Call, error: Error, message: str) -> Any:
    """The error for the whole and for each partition."""
    count = sum(len(topic.partitions) for topic in call.body.topics)
    return _respond(call, error, message, [(error, message)] * count)
