"""What becomes of a replica when disk and metadata are compared: the catch-up table (K858-12).

Pure. The node asks for each replica that the metadata gives to this broker, at start and whenever
the metadata changes; KIP-858 "Replica management" and KIP-113 "restart" are the sources.

`better_copy` names the other broker that has more of a partition than a damaged copy, or may have
(KIP-966, B-28). Those that are down count, too: bringing one back loses nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from spindle.model.ids import LOST, NO_LEADER, UNASSIGNED, DirectoryId, NodeId, TopicPartition
from spindle.model.log_values import LoadedLog
from spindle.model.metadata_records import PartitionRegistration
from spindle.model.offsets import EpochHistory


class ReconcileAction(Enum):
    """What to do with the replica's logs."""

    SERVE = "serve the log that is there"
    CREATE = "create it where the metadata says"
    PLACE = "create it where there is room"
    PROMOTE = "the future log is all there is: it becomes the current one"
    OFFLINE = "its log may lie in an offline directory: wait for that"


@dataclass(slots=True)
class ReplicaSituation:
    """Where a replica's logs are (online directories only), and what the metadata says."""

    current: DirectoryId | None
    future: DirectoryId | None
    assigned: DirectoryId
    online: Sequence[DirectoryId]
    any_offline: bool
    """A configured directory cannot be used."""
    is_new: bool
    """The partition came to this broker after the process had begun."""


@dataclass(frozen=True, slots=True)
class ReconcileDecision:
    """The action; and whether a move to the future log's directory goes on."""

    action: ReconcileAction
    move: bool = False


def decide(s: ReplicaSituation) -> ReconcileDecision:
    """The table. What the metadata should say follows from where the log then is."""
    if s.current is not None:
        return ReconcileDecision(ReconcileAction.SERVE, move=s.future is not None)
    if s.future is not None:
        # K113-16, K113-17: only where nothing is hidden in a bad directory.
        return ReconcileDecision(
            ReconcileAction.OFFLINE if s.any_offline else ReconcileAction.PROMOTE
        )
    if s.assigned == UNASSIGNED:
        return ReconcileDecision(ReconcileAction.PLACE)
    if s.assigned in s.online:
        may_be_hidden = s.any_offline and not s.is_new
        return ReconcileDecision(
            ReconcileAction.OFFLINE if may_be_hidden else ReconcileAction.CREATE
        )
    return ReconcileDecision(ReconcileAction.OFFLINE if s.any_offline else ReconcileAction.PLACE)


def agreed_end(one: LoadedLog, other: LoadedLog) -> int:
    """The offset up to which two copies of a partition hold the same records, by their epochs.

    0 where their histories have no epoch in common.
    """
    mine, theirs = EpochHistory(one.epochs), EpochHistory(other.epochs)
    common = {e.epoch for e in mine.entries} & {e.epoch for e in theirs.entries}
    if not common:
        return 0
    epoch = max(common)
    return min(mine.end_of(epoch, one.end).offset, theirs.end_of(epoch, other.end).offset)


def is_better(one: LoadedLog, other: LoadedLog) -> bool:
    """Whether `one` holds all that `other` does, and more (B-02, B-03)."""
    return one.end > other.end and one.start <= other.start and agreed_end(one, other) == other.end


def rank_copy(log: LoadedLog) -> tuple[int, int]:
    """Sort key: the copy with the newest epoch is best, then the longest."""
    return (log.epochs[-1].epoch if log.epochs else -1, log.end)


def better_copy(state: PartitionRegistration, me: NodeId, name: TopicPartition) -> str | None:
    """The brokers that have more than `me` of a partition, or may have, in words; None: no broker.

    For a partition that no other broker leads.
    """
    others = [b for b in (*state.isr, *state.elr) if b != me]
    last = [b for b in state.last_known_elr if b != NO_LEADER]
    if others:
        return f"{_brokers(others, 'has', 'have')} more of {name}: bring it back"
    if me in (*state.isr, *state.elr, *last):
        return None
    if last:
        return f"broker {last[0]} led {name} last and has more of it: bring it back"
    # Apache Kafka's controller can lose track of the last leader (`_last_known`).
    # A replica without a directory was assigned before directories were known: it may be there.
    lost = {b for b, d in zip(state.replicas, state.directories, strict=False) if d == LOST}
    online = [b for b in state.replicas if b != me and b not in lost]
    if not online:
        return None
    return (
        f"{_brokers(online, 'may have', 'may have')} more of {name}, which no broker is known to "
        "have led last: bring one back and have it elected uncleanly"
    )


def _brokers(ids: Sequence[NodeId], has: str, have: str) -> str:
    """`broker 2 has`, `brokers 2, 3 have`."""
    named = ", ".join(map(str, ids))
    return f"broker {named} {has}" if len(ids) == 1 else f"brokers {named} {have}"
