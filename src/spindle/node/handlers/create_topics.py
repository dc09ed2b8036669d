"""CreateTopics (19), versions 2-7, both listeners.

Behaviour: each topic is created or gets an error of its own; all that are created are one batch of
the metadata log. On the broker listener the request is forwarded. Brokers themselves send it plain
to the controller, for internal topics and for topics made on first use.

Version notes: 4 allows -1 for the cluster's defaults, 5 answers with the counts and settings
(KIP-525), 7 with the topic's id.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from spindle.core.controller import topics
from spindle.model.errors import Error
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
    """Create topics."""
    check_patience(call)
    asked = [
        topics.NewTopic(
            name=topic.name,
            partitions=topic.num_partitions,
            replication=topic.replication_factor,
            assignments=tuple((a.partition_index, tuple(a.broker_ids)) for a in topic.assignments),
            configs={config.name: config.value for config in topic.configs},
        )
        for topic in call.body.topics
    ]
    out = controller.out
    controller.serve(
        call,
        lambda state: topics.create_topics(
            state, asked, out.rng, out.new_id, call.body.validate_only
        ),
        lambda answers: _respond(call, answers),
        refuse,
    )


def _respond(call: Call, answers: Sequence[topics.TopicAnswer]) -> Any:
    r = call.reply
    return make(r.CreateTopicsResponse, topics=tuple(_topic(call, answer) for answer in answers))


def _topic(call: Call, answer: topics.TopicAnswer) -> Any:
    r = call.reply
    settings = None
    if call.version >= 5 and answer.error is Error.NONE:
        settings = tuple(
            make(
                r.CreatableTopicConfigs,
                name=setting.name,
                value=setting.value,
                read_only=False,
                config_source=setting.source,
                is_sensitive=False,
            )
            for setting in answer.settings
        )
    return make(
        r.CreatableTopicResult,
        name=answer.name,
        topic_id=answer.topic_id,
        error_code=answer.error,
        error_message=answer.message,
        num_partitions=answer.partitions,
        replication_factor=answer.replication,
        configs=settings,
    )


def refuse(call: Call, error: Error, message: str) -> Any:
    """The same error for each topic."""
    return _respond(
        call,
        [
            topics.TopicAnswer(name=topic.name, error=error, message=message)
            for topic in call.body.topics
        ],
    )
