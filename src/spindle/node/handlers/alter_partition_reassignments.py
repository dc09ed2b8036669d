"""AlterPartitionReassignments (45), versions 0-1, both listeners.

Behaviour: starts, replaces or (null replicas) cancels the reassignment of partitions to brokers
(KIP-455); each gets an error of its own. On the broker listener the request is forwarded.

Version notes: 1 adds whether the number of replicas may change. A tagged field names the
directory of each new replica, by id, and the answer repeats what was taken into account (B-25).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from spindle.core.controller import reassignment
from spindle.core.controller.elections import ElectionOutcome
from spindle.model.errors import Error
from spindle.model.ids import TopicPartition
from spindle.node.handlers._patience import check_timeout
from spindle.node.request_context import Later, RequestContext
from spindle.wire.messages.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
)
from spindle.wire.messages.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
    ReassignablePartitionResponse,
    ReassignableTopicResponse,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller


def on_broker(
    broker: Broker,
    request: AlterPartitionReassignmentsRequest,
    context: RequestContext[AlterPartitionReassignmentsResponse],
) -> Later:
    """Hand on to the controller."""
    return broker.forwarding.forward(context, partial(refuse, request, context), request.timeout_ms)


def on_controller(
    controller: Controller,
    request: AlterPartitionReassignmentsRequest,
    context: RequestContext[AlterPartitionReassignmentsResponse],
) -> Later:
    """Start, replace or cancel reassignments."""
    check_timeout(request.timeout_ms)
    asked = [
        reassignment.TargetReplicas.of(
            TopicPartition(topic.name, p.partition_index), p.replicas, p.directories
        )
        for topic in request.topics
        for p in topic.partitions
    ]
    return controller.serve(
        context,
        lambda state: reassignment.alter(state, asked, request.allow_replication_factor_change),
        lambda outcomes: _respond(request, ElectionOutcome(), outcomes),
        partial(refuse, request, context),
    )


def _respond(
    request: AlterPartitionReassignmentsRequest,
    whole: ElectionOutcome,
    outcomes: Iterable[ElectionOutcome],
) -> AlterPartitionReassignmentsResponse:
    remaining = iter(outcomes)

    def partition_response(p: ReassignablePartition) -> ReassignablePartitionResponse:
        outcome = next(remaining)
        return ReassignablePartitionResponse(
            partition_index=p.partition_index,
            error_code=outcome.error,
            error_message=outcome.message,
            directories=p.directories if outcome.error is Error.NONE else (),
        )

    return AlterPartitionReassignmentsResponse(
        allow_replication_factor_change=request.allow_replication_factor_change,
        error_code=whole.error,
        error_message=whole.message,
        responses=tuple(
            ReassignableTopicResponse(
                name=topic.name, partitions=tuple(partition_response(p) for p in topic.partitions)
            )
            for topic in request.topics
        ),
    )


def refuse(
    request: AlterPartitionReassignmentsRequest,
    context: RequestContext[AlterPartitionReassignmentsResponse],
    error: Error,
    message: str,
) -> AlterPartitionReassignmentsResponse:
    """The error for the whole and for each partition."""
    count = sum(len(topic.partitions) for topic in request.topics)
    outcome = ElectionOutcome(error, message)
    return _respond(request, outcome, [outcome] * count)
