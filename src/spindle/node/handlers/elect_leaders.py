"""ElectLeaders (43), versions 0-2, both listeners.

Behaviour: leadership goes back to the first replica (PREFERRED), or to whoever is there where
nobody with all records is (UNCLEAN). Without a list all partitions are meant, and those in no need
are not named in the answer. On the broker listener the request is forwarded.

Version notes: 1 adds the kind of election (KIP-460; before: PREFERRED) and an error for the whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from spindle.core.controller import elections
from spindle.core.controller.change import Election
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicPartition
from spindle.node.calls import Call
from spindle.node.handlers._patience import check_patience
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller

KINDS: Final = {0: Election.PREFERRED, 1: Election.UNCLEAN}


def on_broker(broker: Broker, call: Call) -> None:
    """Hand on to the controller."""
    broker.forwarding.forward(call, refuse)


def on_controller(controller: Controller, call: Call) -> None:
    """Elect leaders."""
    check_patience(call)
    number = getattr(call.body, "election_type", 0)
    kind = KINDS.get(number)
    if kind is None:
        raise Refusal(Error.INVALID_REQUEST, f"there is no election type {number}")
    asked = _asked(call)
    controller.serve(
        call,
        lambda state: elections.elect_leaders(state, kind, asked),
        lambda outcomes: _respond(call, Error.NONE, outcomes),
        refuse,
    )


def _asked(call: Call) -> list[TopicPartition] | None:
    if call.body.topic_partitions is None:
        return None
    return [
        TopicPartition(topic.topic, number)
        for topic in call.body.topic_partitions
        for number in topic.partitions
    ]


def _respond(call: Call, error: Error, outcomes: Mapping[TopicPartition, elections.Outcome]) -> Any:
    r = call.reply
    topics: dict[str, list[Any]] = {}
    for name, outcome in outcomes.items():
        topics.setdefault(name.topic, []).append(
            make(
                r.PartitionResult,
                partition_id=name.partition,
                error_code=outcome.error,
                error_message=outcome.message,
            )
        )
    return make(
        r.ElectLeadersResponse,
        error_code=error,
        replica_election_results=tuple(
            make(r.ReplicaElectionResult, topic=topic, partition_result=tuple(results))
            for topic, results in topics.items()
        ),
    )


def refuse(call: Call, error: Error, message: str) -> Any:
    """The error for the whole, and for each partition that was named."""
    outcome = elections.Outcome(error, message)
    return _respond(call, error, dict.fromkeys(_asked(call) or (), outcome))
