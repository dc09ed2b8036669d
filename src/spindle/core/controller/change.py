"""How one partition changes: the one place where leaders are chosen and changes are put together.

A caller says what it wants (`PartitionTarget`): another ISR, other replicas, another directory, an
election. `change` completes a reassignment that this completes, elects a leader by the rules, keeps
the ISR from emptying (or moves its last members to the eligible leaders, KIP-966), and drafts one
PartitionChange record, or none where nothing would change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from spindle.core.controller.controller_state import Draft
from spindle.model import metadata_records as r
from spindle.model.ids import MIGRATING, NO_LEADER, DirectoryId, NodeId, PartitionId

Ids = tuple[NodeId, ...]

RECOVERED = 0
RECOVERING = 1


class Election(Enum):
    """How far an election may go."""

    ONLINE = "the leader stays if it can, else the first of the ISR"
    PREFERRED = "the first replica, if it is in the ISR"
    UNCLEAN = "as ONLINE, else any replica that is there: records may be lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionTarget:
    """What a partition should become; None leaves a thing as it is."""

    isr: Ids | None = None
    replicas: Ids | None = None
    removing: Ids | None = None
    adding: Ids | None = None
    recovery: int | None = None
    directories: Mapping[NodeId, DirectoryId] = field(default_factory=dict)
    """New places of replicas, by broker."""
    election: Election = Election.ONLINE
    barred: NodeId = NO_LEADER
    """This broker may not lead, whatever the registrations say."""
    unclean: NodeId = NO_LEADER
    """This broker came back without a clean shutdown: it may have lost what it had."""


@dataclass(slots=True)
class _Target:
    """A change in the making."""

    old: r.PartitionRegistration
    replicas: Ids
    isr: Ids
    removing: Ids
    adding: Ids
    directories: dict[NodeId, DirectoryId]
    elr: Ids = ()
    last_known_elr: Ids = ()
    leader: NodeId = NO_LEADER
    recovery: int = RECOVERED


def change(draft: Draft, id: PartitionId, wanted: PartitionTarget) -> r.PartitionChange | None:
    """Draft the record that makes a partition what is wanted; None where it is so already."""
    old = draft.partition(id)
    assert old is not None, f"a change of {id}, which does not exist"
    target = _target(draft, old, wanted)
    _complete_reassignment(target)
    _eligible_leaders(draft, target, wanted)
    _elect(draft, target, wanted)
    record = _record(draft, id, target)
    if record is not None:
        draft.add_change(id, old, record)
    return record


def _target(draft: Draft, old: r.PartitionRegistration, wanted: PartitionTarget) -> _Target:
    replicas = old.replicas if wanted.replicas is None else wanted.replicas
    known = len(old.directories) == len(old.replicas)
    directories = dict(
        zip(
            old.replicas, old.directories if known else [MIGRATING] * len(old.replicas), strict=True
        )
    )
    for replica in replicas:
        if replica not in directories:
            directories[replica] = draft.default_directory(replica)
    directories.update(wanted.directories)
    return _Target(
        old=old,
        replicas=replicas,
        isr=old.isr if wanted.isr is None else wanted.isr,
        removing=old.removing_replicas if wanted.removing is None else wanted.removing,
        adding=old.adding_replicas if wanted.adding is None else wanted.adding,
        directories=directories,
        elr=old.elr,
        last_known_elr=old.last_known_elr,
        recovery=old.leader_recovery_state if wanted.recovery is None else wanted.recovery,
    )


def _complete_reassignment(target: _Target) -> None:
    """End a reassignment once its newcomers are in the ISR (KIP-455).

    A replica that was there before and is dead does not hold it up, unless the partition is left
    with fewer replicas: then all that stay must be in the ISR, as with Apache Kafka 4.3.
    """
    if not target.removing and not target.adding:
        return
    replicas = without(target.replicas, *target.removing)
    isr = without(target.isr, *target.removing)
    newcomers = without(target.adding, *target.removing)
    awaited = replicas if len(newcomers) < len(target.removing) else newcomers
    if replicas and isr and set(awaited) <= set(isr):
        target.replicas, target.isr = replicas, isr
        target.removing = target.adding = ()


def _eligible_leaders(draft: Draft, target: _Target, wanted: PartitionTarget) -> None:
    """A replica that left an ISR too small to serve has all acknowledged records (KIP-966)."""
    if not draft.state.elr_enabled:
        target.elr = target.last_known_elr = ()
        return
    topic = draft.topic_name(target.old.topic_id)
    enough = min(draft.topic_settings(topic).whole("min.insync.replicas"), len(target.replicas))
    if len(target.isr) >= enough:
        target.elr = ()
        return
    known = dict.fromkeys((*target.old.elr, *target.old.isr))
    target.elr = tuple(
        b for b in known if b not in target.isr and b != wanted.unclean and b in target.replicas
    )


def _elect(draft: Draft, target: _Target, wanted: PartitionTarget) -> None:
    def acceptable(broker: NodeId) -> bool:
        return (
            broker != wanted.barred
            and broker != wanted.unclean
            and draft.is_active(broker)
            and draft.directory_is_online(broker, target.directories[broker])
        )

    def best(members: Ids) -> NodeId:
        order = [target.old.leader, *target.replicas]
        if wanted.election is Election.PREFERRED:
            order.insert(0, target.replicas[0])
        for broker in order:
            if broker in members and broker in target.replicas and acceptable(broker):
                return broker
        return NO_LEADER

    target.leader = best(target.isr)
    if target.leader == NO_LEADER:
        target.leader = best(target.elr)
        if target.leader != NO_LEADER:
            target.isr = (target.leader,)
            target.elr = without(target.elr, target.leader)
    if target.leader == NO_LEADER:
        _elect_at_a_loss(draft, target, wanted, acceptable)


def _elect_at_a_loss(
    draft: Draft, target: _Target, wanted: PartitionTarget, acceptable: Callable[[NodeId], bool]
) -> None:
    """The replicas that may lead although none of them surely has everything."""
    last = target.last_known_elr
    if draft.state.elr_enabled and not target.isr and not target.elr and len(last) == 1:
        chosen = next((b for b in last if b in target.replicas and acceptable(b)), NO_LEADER)
    elif wanted.election is Election.UNCLEAN:
        chosen = next((b for b in target.replicas if acceptable(b)), NO_LEADER)
    else:
        chosen = NO_LEADER
    if chosen != NO_LEADER:
        target.leader = chosen
        target.isr, target.elr = (chosen,), ()
        target.recovery = RECOVERING


def _record(draft: Draft, id: PartitionId, target: _Target) -> r.PartitionChange | None:
    """The record that says it; put together at once, as a dead disk asks for thousands."""
    old = target.old
    said: dict[str, Any] = {}
    elr_enabled = draft.state.elr_enabled
    # Without KIP-966 the last member stays in the ISR: it alone has all that was acknowledged.
    if target.isr != old.isr and (target.isr or elr_enabled):
        said["isr"] = target.isr
    if target.leader != old.leader:
        said["leader"] = target.leader
    elif any(b not in target.replicas for b in old.replicas) and old.leader != NO_LEADER:
        # A replica that leaves must notice that it is fenced off: the epoch rises.
        said["leader"] = old.leader
    if target.replicas != old.replicas:
        said["replicas"] = target.replicas
    if target.removing != old.removing_replicas:
        said["removing_replicas"] = target.removing
    if target.adding != old.adding_replicas:
        said["adding_replicas"] = target.adding
    if target.recovery != old.leader_recovery_state:
        said["leader_recovery_state"] = target.recovery
    directories = tuple(target.directories[b] for b in target.replicas)
    if draft.state.directories_supported and directories != (
        old.directories or (MIGRATING,) * len(old.replicas)
    ):
        said["directories"] = directories
    if target.elr != old.elr:
        said["elr"] = target.elr
    last = _last_known(target, said.get("isr"), elr_enabled)
    if last != old.last_known_elr:
        said["last_known_elr"] = last
    if not said:
        return None
    return r.PartitionChange(partition_id=id.partition, topic_id=id.topic_id, **said)


def _last_known(target: _Target, isr: Ids | None, elr_enabled: bool) -> Ids:
    """The leader when the ISR emptied; forgotten once there is a leader."""
    if target.leader != NO_LEADER:
        return ()
    if elr_enabled and isr == ():
        if target.old.leader != NO_LEADER:
            return (target.old.leader,)
        # Its leader went before KIP-966 was switched on, as the last of the ISR. Apache Kafka
        # notes that there was no leader, and then no replica may ever lead again.
        return target.old.isr if len(target.old.isr) == 1 else target.last_known_elr
    return target.last_known_elr


def without(ids: Ids, *gone: NodeId) -> Ids:
    """`ids` without some, order kept."""
    return tuple(id for id in ids if id not in gone)
