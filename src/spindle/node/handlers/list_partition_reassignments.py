"""ListPartitionReassignments (46), version 0, both listeners.

Behaviour: the reassignments under way, of the partitions named or of all (KIP-455). On the broker
listener the request is forwarded.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from spindle.core.controller import reassignment
from spindle.core.controller.controller_state import ControllerResult, ControllerState
from spindle.model.errors import Error
from spindle.model.ids import TopicPartition, by_topic
from spindle.model.metadata_records import PartitionRegistration
from spindle.node.request_context import Later, RequestContext
from spindle.wire.messages.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
)
from spindle.wire.messages.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller

Ongoing = Sequence[tuple[TopicPartition, PartitionRegistration]]


def on_broker(
    broker: Broker,
    request: ListPartitionReassignmentsRequest,
    context: RequestContext[ListPartitionReassignmentsResponse],
) -> Later:
    """Hand on to the controller."""
    return broker.forwarding.forward(context, partial(refuse, request, context), request.timeout_ms)


def on_controller(
    controller: Controller,
    request: ListPartitionReassignmentsRequest,
    context: RequestContext[ListPartitionReassignmentsResponse],
) -> Later:
    """List reassignments."""
    topics = request.topics
    asked = None if topics is None else {t.name: tuple(t.partition_indexes) for t in topics}

    def decide(state: ControllerState) -> ControllerResult[Ongoing]:
        return ControllerResult((), list(reassignment.ongoing(state, asked)))

    return controller.serve(context, decide, _respond, partial(refuse, request, context))


def _respond(found: Ongoing) -> ListPartitionReassignmentsResponse:
    return ListPartitionReassignmentsResponse(
        topics=tuple(
            OngoingTopicReassignment(
                name=topic,
                partitions=tuple(
                    OngoingPartitionReassignment(
                        partition_index=number,
                        replicas=partition.replicas,
                        adding_replicas=partition.adding_replicas,
                        removing_replicas=partition.removing_replicas,
                    )
                    for number, partition in partitions
                ),
            )
            for topic, partitions in by_topic(found).items()
        )
    )


def refuse(
    request: ListPartitionReassignmentsRequest,
    context: RequestContext[ListPartitionReassignmentsResponse],
    error: Error,
    message: str,
) -> ListPartitionReassignmentsResponse:
    """No list."""
    return ListPartitionReassignmentsResponse(error_code=error, error_message=message)
