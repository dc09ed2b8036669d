"""AssignReplicasToDirs (73), version 0, controller listener.

Behaviour: a broker says in which of its directories replicas live (KIP-858, K858-07). Each
assignment is recorded or gets an error of its own; LOST, or a directory that is not online, makes
the replica offline. STALE_BROKER_EPOCH and UNSUPPORTED_VERSION for the whole request.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from spindle.core.controller import directories
from spindle.model.errors import Error
from spindle.model.ids import MIGRATING, ZERO_ID, PartitionId
from spindle.node.calls import Call
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.controller import Controller


def on_controller(controller: Controller, call: Call) -> None:
    """Record where replicas live."""
    body = call.body
    assignments = [
        directories.Assignment(
            directory.id_ or MIGRATING, PartitionId(topic.topic_id or ZERO_ID, p.partition_index)
        )
        for directory in body.directories
        for topic in directory.topics
        for p in topic.partitions
    ]
    controller.serve(
        call,
        lambda state: directories.assign(state, body.broker_id, body.broker_epoch, assignments),
        lambda errors: _respond(call, errors),
        refuse,
    )


def _respond(call: Call, errors: Sequence[Error]) -> Any:
    r = call.reply
    remaining = iter(errors)

    def topic_data(topic: Any) -> Any:
        partitions = tuple(
            make(r.PartitionData, partition_index=p.partition_index, error_code=next(remaining))
            for p in topic.partitions
        )
        return make(r.TopicData, topic_id=topic.topic_id, partitions=partitions)

    answered = tuple(
        make(r.DirectoryData, id_=d.id_, topics=tuple(topic_data(t) for t in d.topics))
        for d in call.body.directories
    )
    return make(r.AssignReplicasToDirsResponse, error_code=Error.NONE, directories=answered)


def refuse(call: Call, error: Error, message: str) -> Any:
    """Nothing was recorded."""
    return make(call.reply.AssignReplicasToDirsResponse, error_code=error, directories=())
