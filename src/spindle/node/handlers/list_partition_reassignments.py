"""ListPartitionReassignments (46), version 0, both listeners.

Behaviour: the reassignments under way, of the partitions named or of all (KIP-455). On the broker
listener the request is forwarded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from spindle.core.controller import reassignment
from spindle.core.controller.state import Decision, State
from spindle.model.errors import Error
from spindle.model.ids import TopicPartition
from spindle.model.records import Partition
from spindle.node.calls import Call
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller

Ongoing = Sequence[tuple[TopicPartition, Partition]]


def on_broker(broker: Broker, call: Call) -> None:
    """Hand on to the controller."""
    broker.forwarding.forward(call, refuse)


def on_controller(controller: Controller, call: Call) -> None:
    """List reassignments."""
    topics = call.body.topics
    asked = None if topics is None else {t.name: tuple(t.partition_indexes) for t in topics}

    def decide(state: State) -> Decision[Ongoing]:
        return Decision((), list(reassignment.ongoing(state, asked)))

    controller.serve(call, decide, lambda found: _respond(call, Error.NONE, None, found), refuse)


def _respond(call: Call, error: Error, message: str | None, found: Ongoing) -> Any:
    r = call.reply
    topics: dict[str, list[Any]] = {}
    for name, partition in found:
        topics.setdefault(name.topic, []).append(
            make(
                r.OngoingPartitionReassignment,
                partition_index=name.partition,
                replicas=partition.replicas,
                adding_replicas=partition.adding_replicas,
                removing_replicas=partition.removing_replicas,
            )
        )
    return make(
        r.ListPartitionReassignmentsResponse,
        error_code=error,
        error_message=message,
        topics=tuple(
            make(r.OngoingTopicReassignment, name=topic, partitions=tuple(partitions))
            for topic, partitions in topics.items()
        ),
    )


def refuse(call: Call, error: Error, message: str) -> Any:
    """No list."""
    return _respond(call, error, message, ())
