"""Log directories as the controller sees them (KIP-858): assigned, offline, cordoned.

A directory that fails takes its replicas out of ISR and leadership in one decision, without a
request that lists them (K858-10). Called by `brokers` (heartbeats) and by the AssignReplicasToDirs
handler.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spindle.core.controller.change import PartitionTarget, change, without
from spindle.core.controller.controller_state import ControllerResult, ControllerState, Draft
from spindle.core.controller.elections import allowed_election, remove_broker
from spindle.model import metadata_records as r
from spindle.model.errors import Error, Refusal
from spindle.model.ids import NO_LEADER, DirectoryId, NodeId, PartitionId


def take_offline(
    draft: Draft, registration: r.RegisterBroker, offline: Sequence[DirectoryId]
) -> None:
    """Draft what follows from directories that a broker calls offline, as far as it is news.

    Ids which are not registered as online are passed over (K858-05). A broker that has no directory
    left is fenced: its registration cannot say "none".
    """
    broker = registration.broker_id
    lost = [d for d in registration.log_dirs if d in offline]
    if not lost:
        return
    left = tuple(d for d in registration.log_dirs if d not in offline)
    hit = [
        id
        for id, partition in draft.hosted(broker)
        if draft.state.image.directory_of(partition, broker) in lost
        and (broker in partition.isr or partition.leader == broker)
    ]
    remove_broker(draft, broker, hit)
    if left:
        draft.add(
            r.BrokerRegistrationChange(
                broker_id=broker, broker_epoch=registration.broker_epoch, log_dirs=left
            )
        )
    elif not registration.fenced:
        rest = [id for id, p in draft.hosted(broker) if broker in p.isr or p.leader == broker]
        remove_broker(draft, broker, [id for id in rest if id not in set(hit)])
        draft.add(
            r.BrokerRegistrationChange(
                broker_id=broker, broker_epoch=registration.broker_epoch, fenced=1
            )
        )


def cordon(
    draft: Draft, registration: r.RegisterBroker, cordoned: Sequence[DirectoryId] | None
) -> None:
    """Draft a change of the directories that take no new replica (KIP-1066)."""
    if cordoned is None or not draft.state.cordons_supported:
        return
    if registration.cordoned_log_dirs != tuple(cordoned):
        draft.add(
            r.BrokerRegistrationChange(
                broker_id=registration.broker_id,
                broker_epoch=registration.broker_epoch,
                cordoned_log_dirs=tuple(cordoned),
            )
        )


@dataclass(frozen=True, slots=True)
class Assignment:
    """A broker says: this replica of mine lives in that directory."""

    directory: DirectoryId
    partition: PartitionId
    damaged: bool = False
    """It is offline, and whatever it still has is not to be counted on."""


def assign(
    state: ControllerState, broker: NodeId, epoch: int, assignments: Sequence[Assignment]
) -> ControllerResult[list[Error]]:
    """AssignReplicasToDirs (K858-07): one error code for each assignment, in order.

    A directory that is not online makes the replica offline. Refusals: UNSUPPORTED_VERSION below
    metadata.version 17, STALE_BROKER_EPOCH.
    """
    if not state.directories_supported:
        raise Refusal(
            Error.UNSUPPORTED_VERSION, "this metadata.version knows no directories: upgrade it"
        )
    state.check_broker_epoch(broker, epoch)
    draft = Draft(state)
    errors = [assign_one(draft, broker, assignment) for assignment in assignments]
    return draft.decision(errors, atomic=False)


def assign_one(draft: Draft, broker: NodeId, assignment: Assignment) -> Error:
    """Draft what follows from one assignment; its error code."""
    id = assignment.partition
    if id.topic_id not in draft.state.image.topics:
        return Error.UNKNOWN_TOPIC_ID
    partition = draft.partition(id)
    if partition is None:
        return Error.UNKNOWN_TOPIC_OR_PARTITION
    if broker not in partition.replicas:
        return Error.NOT_LEADER_OR_FOLLOWER
    place = {broker: assignment.directory}
    if not draft.directory_is_online(broker, assignment.directory):
        election = allowed_election(draft, draft.topic_name(id.topic_id))
        isr = without(partition.isr, broker)
        # The last one with the records stays eligible: what can be saved is in its copy.
        unclean = broker if assignment.damaged and isr else NO_LEADER
        change(
            draft,
            id,
            PartitionTarget(
                directories=place, isr=isr, barred=broker, unclean=unclean, election=election
            ),
        )
    elif partition.leader == NO_LEADER:
        # The replica may have been offline and be the one that can lead again.
        election = allowed_election(draft, draft.topic_name(id.topic_id))
        change(draft, id, PartitionTarget(directories=place, election=election))
    else:
        change(draft, id, PartitionTarget(directories=place))
    return Error.NONE
