"""ElectLeaders (43), versions 0-2, both listeners.

Behaviour: leadership goes back to the first replica (PREFERRED), or to any live replica where
none with all records is (UNCLEAN). Without a list all partitions are meant, and those in no need
are not named in the answer. On the broker listener the request is forwarded.

Version notes: 1 adds the kind of election (KIP-460; before: PREFERRED) and an error for the whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

from spindle.core.controller import elections
from spindle.core.controller.change import Election
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicPartition, by_topic
from spindle.node.handlers._patience import check_timeout
from spindle.node.request_context import Later, RequestContext
from spindle.wire.messages.elect_leaders_request import ElectLeadersRequest
from spindle.wire.messages.elect_leaders_response import (
    ElectLeadersResponse,
    PartitionResult,
    ReplicaElectionResult,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller

KINDS: Final = {0: Election.PREFERRED, 1: Election.UNCLEAN}


def on_broker(
    broker: Broker, request: ElectLeadersRequest, context: RequestContext[ElectLeadersResponse]
) -> Later:
    """Hand on to the controller."""
    return broker.forwarding.forward(context, partial(refuse, request, context), request.timeout_ms)


def on_controller(
    controller: Controller,
    request: ElectLeadersRequest,
    context: RequestContext[ElectLeadersResponse],
) -> Later:
    """Elect leaders."""
    check_timeout(request.timeout_ms)
    kind = KINDS.get(request.election_type)
    if kind is None:
        raise Refusal(Error.INVALID_REQUEST, f"there is no election type {request.election_type}")
    asked = _asked(request)
    return controller.serve(
        context,
        lambda state: elections.elect_leaders(state, kind, asked),
        lambda outcomes: _respond(Error.NONE, outcomes),
        partial(refuse, request, context),
    )


def _asked(request: ElectLeadersRequest) -> list[TopicPartition] | None:
    if request.topic_partitions is None:
        return None
    return [
        TopicPartition(topic.topic, number)
        for topic in request.topic_partitions
        for number in topic.partitions
    ]


def _respond(
    error: Error, outcomes: Mapping[TopicPartition, elections.ElectionOutcome]
) -> ElectLeadersResponse:
    return ElectLeadersResponse(
        error_code=error,
        replica_election_results=tuple(
            ReplicaElectionResult(
                topic=topic,
                partition_result=tuple(
                    PartitionResult(
                        partition_id=number, error_code=told.error, error_message=told.message
                    )
                    for number, told in results
                ),
            )
            for topic, results in by_topic(outcomes.items()).items()
        ),
    )


def refuse(
    request: ElectLeadersRequest,
    context: RequestContext[ElectLeadersResponse],
    error: Error,
    message: str,
) -> ElectLeadersResponse:
    """The error for the whole, and for each partition that was named."""
    outcome = elections.ElectionOutcome(error, message)
    return _respond(error, dict.fromkeys(_asked(request) or (), outcome))
