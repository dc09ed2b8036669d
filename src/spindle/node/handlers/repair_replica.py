"""RepairReplica (30591, ours: KIP-589), version 0, broker listener.

Behaviour: one bad replica of this broker is tried again (action 1), or what is good of it is served
and the rest given up (action 2), which is done for a partition that nobody else has. The answer
tells in words what came of it.

Errors: UNKNOWN_TOPIC_OR_PARTITION, INVALID_REQUEST (it may not be done, as the text says),
KAFKA_STORAGE_ERROR.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicPartition
from spindle.node.calls import Call
from spindle.node.logdirs.rescue import Action
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(broker: Broker, call: Call) -> None:
    """Carry out what is wanted of a replica."""
    body = call.body
    if body.action not in tuple(Action):
        known = ", ".join(f"{action.value} {action.name}" for action in Action)
        text = f"action {body.action} is not known; known are: {known}"
        raise Refusal(Error.INVALID_REQUEST, text)
    name = TopicPartition(body.topic, body.partition_index)
    failed = partial(_answer, call, Error.KAFKA_STORAGE_ERROR)
    broker.logs.rescue.carry_out(
        name, Action(body.action), partial(_answer, call, Error.NONE), failed
    )


def _answer(call: Call, error: Error, words: str) -> None:
    if error != Error.NONE:
        call.answer(refuse(call, error, words))
    else:
        call.answer(make(call.reply.RepairReplicaResponse, error_code=error, outcome=words))


def refuse(call: Call, error: Error, message: str) -> Any:
    """It was not done."""
    t = call.reply
    return make(t.RepairReplicaResponse, error_code=error, error_message=message, outcome="")
