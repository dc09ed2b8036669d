"""DeleteTopics (20), versions 1-6, both listeners.

Behaviour: each topic is deleted or gets an error of its own: UNKNOWN_TOPIC_OR_PARTITION for a name,
UNKNOWN_TOPIC_ID for an id, INVALID_REQUEST for one that is named by both, by neither, or twice. On
the broker listener the request is forwarded.

Version notes: 3 knows TOPIC_DELETION_DISABLED (before: INVALID_REQUEST), 5 answers with messages, 6
names topics by id as well (KIP-516).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from spindle.core.controller import topics
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicId
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
    """Delete topics."""
    check_patience(call)
    asked: list[str | TopicId] = []
    for name, topic_id in _named(call):
        if name is not None and topic_id is None:
            asked.append(name)
        elif topic_id is not None and name is None:
            asked.append(topic_id)
        else:
            raise Refusal(Error.INVALID_REQUEST, "a topic is named by its name or else by its id")
    controller.serve(
        call,
        lambda state: topics.delete_topics(state, asked),
        lambda answers: _respond(call, answers),
        refuse,
    )


def _named(call: Call) -> list[tuple[str | None, TopicId | None]]:
    if call.version < 6:
        return [(name, None) for name in call.body.topic_names]
    return [(topic.name, topic.topic_id) for topic in call.body.topics]


def _respond(call: Call, answers: Sequence[topics.TopicAnswer]) -> Any:
    r = call.reply
    return make(
        r.DeleteTopicsResponse,
        responses=tuple(
            make(
                r.DeletableTopicResult,
                name=answer.name,
                topic_id=answer.topic_id,
                error_code=answer.error,
                error_message=answer.message,
            )
            for answer in answers
        ),
    )


def refuse(call: Call, error: Error, message: str) -> Any:
    """The same error for each topic."""
    if error is Error.TOPIC_DELETION_DISABLED and call.version < 3:
        error = Error.INVALID_REQUEST
    return _respond(
        call,
        [
            topics.TopicAnswer(name=name, topic_id=topic_id, error=error, message=message)
            for name, topic_id in _named(call)
        ],
    )
