"""AssignReplicasToDirs (73), version 0, controller listener.

Behaviour: a broker says in which of its directories replicas live (KIP-858, K858-07). Each
assignment is recorded or gets an error of its own; LOST, or a directory that is not online, makes
the replica offline. STALE_BROKER_EPOCH and UNSUPPORTED_VERSION for the whole request.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from spindle.core.controller import directories
from spindle.model.errors import Error
from spindle.model.ids import MIGRATING, ZERO_ID, PartitionId
from spindle.node.request_context import Later, RequestContext
from spindle.wire.messages import assign_replicas_to_dirs_request as asking
from spindle.wire.messages.assign_replicas_to_dirs_request import AssignReplicasToDirsRequest
from spindle.wire.messages.assign_replicas_to_dirs_response import (
    AssignReplicasToDirsResponse,
    DirectoryData,
    PartitionData,
    TopicData,
)

if TYPE_CHECKING:
    from spindle.node.controller import Controller


def on_controller(
    controller: Controller,
    request: AssignReplicasToDirsRequest,
    context: RequestContext[AssignReplicasToDirsResponse],
) -> Later:
    """Record where replicas live."""
    assignments = [
        directories.Assignment(
            directory.id_ or MIGRATING, PartitionId(topic.topic_id or ZERO_ID, p.partition_index)
        )
        for directory in request.directories
        for topic in directory.topics
        for p in topic.partitions
    ]
    return controller.serve(
        context,
        lambda state: directories.assign(
            state, request.broker_id, request.broker_epoch, assignments
        ),
        lambda errors: _respond(request, errors),
        partial(refuse, request, context),
    )


def _respond(
    request: AssignReplicasToDirsRequest, errors: Sequence[Error]
) -> AssignReplicasToDirsResponse:
    remaining = iter(errors)

    def topic_data(topic: asking.TopicData) -> TopicData:
        partitions = tuple(
            PartitionData(partition_index=p.partition_index, error_code=next(remaining))
            for p in topic.partitions
        )
        return TopicData(topic_id=topic.topic_id, partitions=partitions)

    return AssignReplicasToDirsResponse(
        directories=tuple(
            DirectoryData(id_=d.id_, topics=tuple(map(topic_data, d.topics)))
            for d in request.directories
        )
    )


def refuse(
    request: AssignReplicasToDirsRequest,
    context: RequestContext[AssignReplicasToDirsResponse],
    error: Error,
    message: str,
) -> AssignReplicasToDirsResponse:
    """Nothing was recorded."""
    return AssignReplicasToDirsResponse(error_code=error)
