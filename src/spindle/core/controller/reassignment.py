"""Reassignments between brokers: AlterPartitionReassignments, ListPartitionReassignments (KIP-455).

The replicas of a partition under way are the target, then those that will leave, by their ids. It
ends by itself when a leader's AlterPartition brings the last newcomer into the ISR (`change`). A
directory may be chosen for each new replica (B-25): the broker then creates it there at once
(B-08).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from spindle.core.controller.change import Election, PartitionTarget, change, without
from spindle.core.controller.controller_state import ControllerResult, ControllerState, Draft
from spindle.core.controller.elections import ElectionOutcome, allowed_election
from spindle.core.controller.topics import check_assignment
from spindle.model import metadata_records as r
from spindle.model.errors import Error, Refusal
from spindle.model.ids import DirectoryId, NodeId, PartitionId, TopicPartition, is_reserved


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetReplicas:
    """The replicas that a partition is to have; None ends the reassignment under way.

    `directories` names the place of new replicas, by broker, where it matters.
    """

    partition: TopicPartition
    replicas: tuple[NodeId, ...] | None
    directories: Mapping[NodeId, DirectoryId] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        partition: TopicPartition,
        replicas: Sequence[NodeId] | None,
        directories: Sequence[DirectoryId | None],
    ) -> TargetReplicas:
        """Those of a request, with a directory or None for each replica, or with none at all."""
        brokers = () if replicas is None else tuple(replicas)
        if directories and len(directories) != len(brokers):
            raise Refusal(
                Error.INVALID_REQUEST,
                f"partition {partition.partition} has {len(brokers)} replica(s) and"
                f" {len(directories)} directories: name one for each, or none",
            )
        named = zip(brokers, directories, strict=False)
        places = {broker: directory for broker, directory in named if directory is not None}
        target = None if replicas is None else brokers
        return cls(partition=partition, replicas=target, directories=places)


def alter(
    state: ControllerState, asked: Sequence[TargetReplicas], allow_replication_change: bool = True
) -> ControllerResult[list[ElectionOutcome]]:
    """Start, replace or cancel reassignments; one outcome for each, in order."""
    draft = Draft(state)
    outcomes = []
    for reassignment in asked:
        try:
            _alter(draft, reassignment, allow_replication_change)
            outcomes.append(ElectionOutcome())
        except Refusal as refusal:
            outcomes.append(ElectionOutcome(refusal.error, refusal.message))
    return draft.decision(outcomes, atomic=False)


def _alter(draft: Draft, asked: TargetReplicas, allow_replication_change: bool) -> None:
    name = asked.partition
    id = draft.state.image.resolve(name)
    partition = draft.partition(id) if id is not None else None
    if id is None or partition is None:
        raise Refusal(Error.UNKNOWN_TOPIC_OR_PARTITION, f"there is no partition {name}")
    if asked.replicas is None:
        _cancel(draft, name, id, partition)
    else:
        _start(draft, asked, asked.replicas, id, partition, allow_replication_change)


def _start(
    draft: Draft,
    asked: TargetReplicas,
    target: tuple[NodeId, ...],
    id: PartitionId,
    partition: r.PartitionRegistration,
    allow_replication_change: bool,
) -> None:
    check_assignment(draft, target, None)
    if not allow_replication_change:
        now = len(without(partition.replicas, *partition.removing_replicas))
        if len(target) != now:
            raise Refusal(
                Error.INVALID_REPLICATION_FACTOR,
                f"The replication factor is changed from {now} to {len(target)}",
            )
    places = _checked_places(draft, asked, target, partition)
    # Seen from what was there before any reassignment. A newcomer of an earlier one that is not
    # wanted any more is both adding and removing: it goes whichever way this ends, and until then
    # it keeps its place in the ISR, where it may be the only one.
    before = without(partition.replicas, *partition.adding_replicas)
    leaving = tuple(sorted(without(partition.replicas, *target)))
    merged = (*target, *leaving)
    change(
        draft,
        id,
        PartitionTarget(
            replicas=merged,
            removing=leaving,
            adding=tuple(sorted(without(merged, *before))),
            directories=places,
            election=_election(draft, id),
        ),
    )


def _checked_places(
    draft: Draft,
    asked: TargetReplicas,
    target: tuple[NodeId, ...],
    partition: r.PartitionRegistration,
) -> dict[NodeId, DirectoryId]:
    places = {}
    for broker, directory in asked.directories.items():
        if broker not in target or is_reserved(directory):
            continue
        registration = draft.broker(broker)
        assert registration is not None, "the assignment was checked"
        if directory not in registration.log_dirs:
            raise Refusal(
                Error.LOG_DIR_NOT_FOUND,
                f"{asked.partition}: broker {broker} has no online directory {directory}",
            )
        if broker not in partition.replicas:
            places[broker] = directory
    return places


def _cancel(
    draft: Draft, name: TopicPartition, id: PartitionId, partition: r.PartitionRegistration
) -> None:
    if not partition.adding_replicas and not partition.removing_replicas:
        raise Refusal(Error.NO_REASSIGNMENT_IN_PROGRESS, f"{name} is not being reassigned")
    replicas = without(partition.replicas, *partition.adding_replicas)
    isr = without(partition.isr, *partition.adding_replicas)
    election = _election(draft, id)
    if not isr and election is not Election.UNCLEAN:
        raise Refusal(
            Error.INVALID_REPLICA_ASSIGNMENT,
            f"Unable to revert partition assignment for {name.topic}:{name.partition} because it"
            " would require an unclean leader election.",
        )
    change(
        draft,
        id,
        PartitionTarget(replicas=replicas, isr=isr, removing=(), adding=(), election=election),
    )


def _election(draft: Draft, id: PartitionId) -> Election:
    return allowed_election(draft, draft.topic_name(id.topic_id))


def ongoing(
    state: ControllerState, asked: Mapping[str, Sequence[int]] | None = None
) -> Iterator[tuple[TopicPartition, r.PartitionRegistration]]:
    """The reassignments under way, of these partitions or of all, by topic and number."""
    if asked is None:
        names = sorted(
            name for id in state.reassigning if (name := state.image.name_of(id)) is not None
        )
    else:
        names = [TopicPartition(topic, i) for topic, numbers in asked.items() for i in numbers]
    for name in names:
        id = state.image.resolve(name)
        partition = state.image.partition(id) if id is not None else None
        if partition is not None and id in state.reassigning:
            yield name, partition
