"""CreatePartitions (37), versions 0-3, both listeners.

Behaviour: topics get more partitions, placed by the controller or as the request says; each topic
gets an error of its own. On the broker listener the request is forwarded.
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
    """Add partitions."""
    check_patience(call)
    asked = [
        topics.MorePartitions(
            name=topic.name,
            count=topic.count,
            assignments=(
                None
                if topic.assignments is None
                else tuple(tuple(a.broker_ids) for a in topic.assignments)
            ),
        )
        for topic in call.body.topics
    ]
    controller.serve(
        call,
        lambda state: topics.create_partitions(
            state, asked, controller.out.rng, call.body.validate_only
        ),
        lambda answers: _respond(call, answers),
        refuse,
    )


def _respond(call: Call, answers: Sequence[topics.TopicAnswer]) -> Any:
    r = call.reply
    return make(
        r.CreatePartitionsResponse,
        results=tuple(
            make(
                r.CreatePartitionsTopicResult,
                name=answer.name,
                error_code=answer.error,
                error_message=answer.message,
            )
            for answer in answers
        ),
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
