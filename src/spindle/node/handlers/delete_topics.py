"""DeleteTopics (20), versions 1-6, both listeners.

Behaviour: each topic is deleted or gets an error of its own: UNKNOWN_TOPIC_OR_PARTITION for a name,
UNKNOWN_TOPIC_ID for an id, INVALID_REQUEST for one that is named by both, by neither, or twice:
then it is not deleted, and has one answer. On the broker listener the request is forwarded.

Version notes: 3 knows TOPIC_DELETION_DISABLED (before: INVALID_REQUEST), 5 answers with messages, 6
names topics by id as well (KIP-516).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from spindle.core.controller import topics
from spindle.model.errors import Error
from spindle.model.ids import TopicId
from spindle.node.controller_surveys import DeletionTotals
from spindle.node.handlers._patience import check_timeout
from spindle.node.request_context import Later, RequestContext
from spindle.wire.messages.delete_topics_request import DeleteTopicsRequest
from spindle.wire.messages.delete_topics_response import DeletableTopicResult, DeleteTopicsResponse

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller

STRICT_FROM: Final = 5
"""The version from which on changes over a client's quota are refused (KIP-599)."""


def on_broker(
    broker: Broker, request: DeleteTopicsRequest, context: RequestContext[DeleteTopicsResponse]
) -> Later:
    """Hand on to the controller."""
    return broker.forwarding.forward(context, partial(refuse, request, context), request.timeout_ms)


def on_controller(
    controller: Controller,
    request: DeleteTopicsRequest,
    context: RequestContext[DeleteTopicsResponse],
) -> Later:
    """Delete topics."""
    check_timeout(request.timeout_ms)
    asked, unclear = topics.clearly_named(_named(request, context.version))
    whole = context.survey.whole if isinstance(context.survey, DeletionTotals) else None
    admit = partial(context.take_mutations, strict_from=STRICT_FROM)
    return controller.serve(
        context,
        lambda state: topics.delete_topics(state, asked, whole, admit),
        lambda answers: _respond([*unclear, *answers]),
        partial(refuse, request, context),
    )


def _named(request: DeleteTopicsRequest, version: int) -> list[tuple[str | None, TopicId | None]]:
    if version < 6:
        return [(name, None) for name in request.topic_names]
    return [(topic.name, topic.topic_id) for topic in request.topics]


def _respond(answers: Sequence[topics.TopicAnswer]) -> DeleteTopicsResponse:
    return DeleteTopicsResponse(
        responses=tuple(
            DeletableTopicResult(
                name=answer.name,
                topic_id=answer.topic_id,
                error_code=answer.error,
                error_message=answer.message,
            )
            for answer in answers
        )
    )


def refuse(
    request: DeleteTopicsRequest,
    context: RequestContext[DeleteTopicsResponse],
    error: Error,
    message: str,
) -> DeleteTopicsResponse:
    """The same error for each topic."""
    if error is Error.TOPIC_DELETION_DISABLED and context.version < 3:
        error = Error.INVALID_REQUEST
    return _respond(
        [
            topics.TopicAnswer(name=name, topic_id=topic_id, error=error, message=message)
            for name, topic_id in _named(request, context.version)
        ]
    )
