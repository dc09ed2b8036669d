"""AlterPartition: a leader proposes a new ISR (KIP-497, KIP-841, KIP-903).

The checks stand in the order of Apache Kafka's controller; which error wins decides what a leader
does next. Called by the AlterPartition handler.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spindle.core.controller.change import RECOVERED, RECOVERING, PartitionTarget, change
from spindle.core.controller.controller_state import ControllerResult, ControllerState, Draft
from spindle.core.controller.elections import allowed_election
from spindle.model import metadata_records as r
from spindle.model.errors import Error
from spindle.model.ids import NO_LEADER, NodeId, PartitionId

ANY_EPOCH = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class IsrProposal:
    """A leader's proposal for a partition. `isr` pairs each member with its broker epoch, or -1."""

    partition: PartitionId
    leader_epoch: int
    partition_epoch: int
    isr: tuple[tuple[NodeId, int], ...]
    recovery: int = RECOVERED


@dataclass(frozen=True, slots=True)
class IsrAnswer:
    """The partition after the change, or the error."""

    partition: PartitionId
    error: Error
    state: r.PartitionRegistration | None = None


def alter_partitions(
    state: ControllerState, broker: NodeId, epoch: int, proposals: Sequence[IsrProposal]
) -> ControllerResult[list[IsrAnswer]]:
    """Take over each proposal that holds. Refusal STALE_BROKER_EPOCH for all of them at once.

    NEW_LEADER_ELECTED comes with a record: the new ISR completed a reassignment that takes the
    proposer's leadership away.
    """
    state.check_broker_epoch(broker, epoch)
    draft = Draft(state)
    answers = [_alter(draft, broker, proposal) for proposal in proposals]
    return draft.decision(answers, atomic=False)


def _alter(draft: Draft, broker: NodeId, proposal: IsrProposal) -> IsrAnswer:
    id = proposal.partition
    error = check(draft, broker, proposal)
    if error is not Error.NONE:
        return IsrAnswer(id, error)
    change(
        draft,
        id,
        PartitionTarget(
            isr=tuple(member for member, _ in proposal.isr),
            recovery=proposal.recovery,
            election=allowed_election(draft, draft.topic_name(id.topic_id)),
        ),
    )
    after = draft.partition(id)
    assert after is not None
    if after.leader not in (broker, NO_LEADER):
        return IsrAnswer(id, Error.NEW_LEADER_ELECTED)
    return IsrAnswer(id, Error.NONE, after)


def check(draft: Draft, broker: NodeId, proposal: IsrProposal) -> Error:
    """The first thing that is wrong with a proposal."""
    if proposal.partition.topic_id not in draft.state.image.topics:
        return Error.UNKNOWN_TOPIC_ID
    partition = draft.partition(proposal.partition)
    if partition is None:
        return Error.UNKNOWN_TOPIC_OR_PARTITION
    if (
        proposal.leader_epoch > partition.leader_epoch
        or proposal.partition_epoch > partition.partition_epoch
    ):
        return Error.NOT_CONTROLLER  # it knows more than we do: another controller decides by now
    if proposal.leader_epoch < partition.leader_epoch:
        return Error.FENCED_LEADER_EPOCH
    if broker != partition.leader:
        return Error.INVALID_REQUEST
    if proposal.partition_epoch < partition.partition_epoch:
        return Error.INVALID_UPDATE_VERSION
    members = [member for member, _ in proposal.isr]
    if len(set(members)) != len(members) or not set(members) <= set(partition.replicas):
        return Error.INVALID_REQUEST
    if broker not in members:
        return Error.INVALID_REQUEST
    if proposal.recovery not in (RECOVERED, RECOVERING):
        return Error.INVALID_REQUEST
    if proposal.recovery == RECOVERING and (
        len(members) > 1 or partition.leader_recovery_state == RECOVERED
    ):
        return Error.INVALID_REQUEST
    if not all(_eligible(draft, partition, *member) for member in proposal.isr):
        return Error.INELIGIBLE_REPLICA
    return Error.NONE


def _eligible(draft: Draft, partition: r.PartitionRegistration, member: NodeId, epoch: int) -> bool:
    registration = draft.broker(member)
    return (
        registration is not None
        and draft.is_active(member)
        and epoch in (ANY_EPOCH, registration.broker_epoch)
        # A replica on a dead disk can acknowledge nothing: it would hold the others up (B-01).
        and draft.directory_is_online(member, draft.state.image.directory_of(partition, member))
    )
