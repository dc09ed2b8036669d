"""AlterReplicaState (KIP-589): a broker says that single replicas of its went offline, or are back.

For a replica that is bad on a good disk (K589-02). Apache Kafka never shipped the RPC; what the
metadata records is what AssignReplicasToDirs would record, so that its brokers understand it: the
replica's directory becomes LOST, and on its return UNASSIGNED until the broker says which. Called
by the handler of AlterReplicaState.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

from spindle.core.controller.controller_state import ControllerResult, ControllerState, Draft
from spindle.core.controller.directories import Assignment, assign_one
from spindle.model.errors import Error, Refusal
from spindle.model.ids import LOST, UNASSIGNED, NodeId, TopicId, TopicPartition


class ReplicaState(IntEnum):
    """What a replica has become, by its number on the wire."""

    OFFLINE = 1
    ONLINE = 2
    """The KIP's future work: the copy was replaced and is good again (K589-04)."""


class Named(NamedTuple):
    """A replica as a broker names it; with the topic's id, one made again is not meant."""

    partition: TopicPartition
    topic_id: TopicId | None = None


def alter(
    state: ControllerState,
    broker: NodeId,
    epoch: int,
    new_state: int,
    replicas: Sequence[Named],
    *,
    damaged: bool = False,
) -> ControllerResult[list[Error]]:
    """One error code for each replica, in order.

    `damaged`: those that went offline have lost records, and are no eligible leaders (KIP-966).

    Refusals: STALE_BROKER_EPOCH (the process that said so is gone: nothing changes),
    UNKNOWN_EVENT_TYPE, UNSUPPORTED_VERSION below metadata.version 17.
    """
    state.check_broker_epoch(broker, epoch)
    if new_state not in tuple(ReplicaState):
        raise Refusal(Error.UNKNOWN_EVENT_TYPE, f"there is no replica state {new_state}")
    if not state.directories_supported:
        raise Refusal(
            Error.UNSUPPORTED_VERSION, "this metadata.version knows no directories: upgrade it"
        )
    draft = Draft(state)
    errors = [_alter(draft, broker, ReplicaState(new_state), name, damaged) for name in replicas]
    return draft.decision(errors, atomic=False)


def _alter(
    draft: Draft, broker: NodeId, new_state: ReplicaState, named: Named, damaged: bool
) -> Error:
    id = draft.state.image.resolve(named.partition)
    partition = draft.partition(id) if id is not None else None
    if id is None or partition is None or named.topic_id not in (None, id.topic_id):
        return Error.UNKNOWN_TOPIC_OR_PARTITION
    if broker not in partition.replicas:
        return Error.NOT_LEADER_OR_FOLLOWER
    if new_state is ReplicaState.OFFLINE:
        return assign_one(draft, broker, Assignment(LOST, id, damaged))
    if draft.state.image.directory_of(partition, broker) != LOST:
        return Error.NONE  # it has been assigned meanwhile
    return assign_one(draft, broker, Assignment(UNASSIGNED, id))
