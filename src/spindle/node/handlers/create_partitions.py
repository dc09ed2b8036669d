"""CreatePartitions (37), versions 0-3, both listeners.

Behaviour: topics get more partitions, placed by the controller or as the request says; each topic
gets an error of its own. On the broker listener the request is forwarded.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from spindle.core.controller import topics
from spindle.model.errors import Error
from spindle.node.controller_surveys import PartitionTotals
from spindle.node.handlers._patience import check_timeout
from spindle.node.request_context import Later, RequestContext
from spindle.wire.messages.create_partitions_request import (
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from spindle.wire.messages.create_partitions_response import (
    CreatePartitionsResponse,
    CreatePartitionsTopicResult,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller

STRICT_FROM: Final = 3
"""The version from which on changes over a client's quota are refused (KIP-599)."""


def on_broker(
    broker: Broker,
    request: CreatePartitionsRequest,
    context: RequestContext[CreatePartitionsResponse],
) -> Later:
    """Hand on to the controller."""
    return broker.forwarding.forward(context, partial(refuse, request, context), request.timeout_ms)


def on_controller(
    controller: Controller,
    request: CreatePartitionsRequest,
    context: RequestContext[CreatePartitionsResponse],
) -> Later:
    """Add partitions."""
    check_timeout(request.timeout_ms)
    whole = context.survey.whole if isinstance(context.survey, PartitionTotals) else None
    admit = partial(context.take_mutations, strict_from=STRICT_FROM)
    return controller.serve(
        context,
        lambda state: topics.create_partitions(
            state,
            map(_asked, request.topics),
            controller.out.rng,
            request.validate_only,
            whole,
            admit,
        ),
        _respond,
        partial(refuse, request, context),
    )


def _asked(topic: CreatePartitionsTopic) -> topics.MorePartitions:
    return topics.MorePartitions(
        name=topic.name,
        count=topic.count,
        assignments=(
            None
            if topic.assignments is None
            else tuple(tuple(a.broker_ids) for a in topic.assignments)
        ),
    )


def _respond(answers: Sequence[topics.TopicAnswer]) -> CreatePartitionsResponse:
    return CreatePartitionsResponse(
        results=tuple(
            CreatePartitionsTopicResult(
                name=answer.name or "", error_code=answer.error, error_message=answer.message
            )
            for answer in answers
        )
    )


def refuse(
    request: CreatePartitionsRequest,
    context: RequestContext[CreatePartitionsResponse],
    error: Error,
    message: str,
) -> CreatePartitionsResponse:
    """The same error for each topic."""
    names = (topic.name for topic in request.topics)
    return _respond(topics.TopicAnswer.refused(names, error, message))
