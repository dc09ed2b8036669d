"""CreateTopics (19), versions 2-7, both listeners.

Behaviour: each topic is created or gets an error of its own; all that are created are one batch of
the metadata log, or several where they are many: a topic is never cut. More than 10,000 partitions
in one request are POLICY_VIOLATION (KAFKA-17870). On the broker listener the request is forwarded.
Brokers themselves send it plain to the controller, for internal topics and for topics made on first
use.

Version notes: 4 allows -1 for the cluster's defaults, 5 answers with the counts and settings
(KIP-525), 7 with the topic's id.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from spindle.core.controller import topics
from spindle.model.errors import Error
from spindle.node.controller_surveys import TopicTotals
from spindle.node.handlers._patience import check_timeout
from spindle.node.request_context import Later, RequestContext
from spindle.wire.messages.create_topics_request import CreatableTopic, CreateTopicsRequest
from spindle.wire.messages.create_topics_response import (
    CreatableTopicConfigs,
    CreatableTopicResult,
    CreateTopicsResponse,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller

STRICT_FROM: Final = 6
"""The version from which on changes over a client's quota are refused (KIP-599)."""


def on_broker(
    broker: Broker,
    request: CreateTopicsRequest,
    context: RequestContext[CreateTopicsResponse],
) -> Later:
    """Hand on to the controller."""
    return broker.forwarding.forward(context, partial(refuse, request, context), request.timeout_ms)


def on_controller(
    controller: Controller,
    request: CreateTopicsRequest,
    context: RequestContext[CreateTopicsResponse],
) -> Later:
    """Create topics."""
    check_timeout(request.timeout_ms)
    out = controller.out
    whole = context.survey.whole if isinstance(context.survey, TopicTotals) else None
    admit = partial(context.take_mutations, strict_from=STRICT_FROM)
    return controller.serve(
        context,
        lambda state: topics.create_topics(
            state,
            map(_asked, request.topics),
            out.rng,
            out.new_id,
            request.validate_only,
            whole,
            admit,
        ),
        _respond,
        partial(refuse, request, context),
    )


def _asked(topic: CreatableTopic) -> topics.CreatableTopic:
    return topics.CreatableTopic(
        name=topic.name,
        partitions=topic.num_partitions,
        replication=topic.replication_factor,
        assignments=tuple((a.partition_index, tuple(a.broker_ids)) for a in topic.assignments),
        configs={config.name: config.value for config in topic.configs},
    )


def _respond(answers: Sequence[topics.TopicAnswer]) -> CreateTopicsResponse:
    return CreateTopicsResponse(topics=tuple(map(_topic, answers)))


def _topic(answer: topics.TopicAnswer) -> CreatableTopicResult:
    settings = [
        CreatableTopicConfigs(name=s.name, value=s.value, config_source=s.source)
        for s in answer.settings
    ]
    return CreatableTopicResult(
        name=answer.name or "",
        topic_id=answer.topic_id,
        error_code=answer.error,
        error_message=answer.message,
        num_partitions=answer.partitions,
        replication_factor=answer.replication,
        configs=settings,
    )


def refuse(
    request: CreateTopicsRequest,
    context: RequestContext[CreateTopicsResponse],
    error: Error,
    message: str,
) -> CreateTopicsResponse:
    """The same error for each topic."""
    names = (topic.name for topic in request.topics)
    return _respond(topics.TopicAnswer.refused(names, error, message))
