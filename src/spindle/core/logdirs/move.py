"""A replica's move between two log directories: THE table (KIP-113, KIP-858; K113-03, K858-16).

The future log chases the current one. The broker reports the target to the controller first. Once
the broker's own committed image names the target, the broker makes all but the last moments
durable. Then it blocks appends, copies the rest, renames the source `-delete`, and gives the future
log the plain name. A crash between the two renames leaves a future log alone, which the next start
promotes (K113-16), and so does a power cut before the second one is on the medium: there are never
two current logs, and never none without a complete future log. If the target dies between the
renames, the source gets its name back.

Pure. The node's `moves` feeds inputs and carries out the effects that come back.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Final, NamedTuple

from spindle.model.ids import LogDir, PartitionId, TopicPartition
from spindle.model.log_values import LogKey


class LogDirMoveState(Enum):
    """Where a move is. FREEZING to RESTORING are the swap: appends are blocked."""

    PREPARING = "the future log is being made"
    WANTED = "waits for a slot"
    COPYING = "copies"
    CAUGHT_UP = "has caught up; the broker asks the controller for the target"
    ASSIGNING = "waits for the answer of the controller"
    SETTLING = "metadata names the target; makes durable all but the last moments"
    FREEZING = "waits for writes in progress"
    DRAINING = "appends blocked; copies the rest"
    DISCARDING = "the source is renamed -delete"
    PROMOTING = "the future log gets the plain name"
    RESTORING = "the target died in the swap: the source gets its name back"
    DONE = "serves from the target"
    ABANDONED = "given up"


class MoveInput(Enum):
    """What can happen to a move."""

    PREPARED = "future log made"
    SLOT = "slot free"
    COPIED = "piece copied"
    CAUGHT = "copied to the end"
    SENT = "controller asked"
    ASSIGNED = "image names target"
    SETTLED = "little is left"
    UNASSIGNED = "image names another"
    FROZEN = "no write in progress"
    DISCARDED = "source renamed"
    PROMOTED = "future renamed"
    RESTORED = "source has its name back"
    STUCK = "cannot go on"
    DAMAGED = "source has a damaged batch"
    SOURCE_FAILED = "source failed"
    TARGET_FAILED = "target failed"
    CANCELLED = "cancelled"
    REDIRECTED = "redirected"
    GONE = "replica gone"
    LEADER_CHANGED = "leader changed"
    TRUNCATED = "current log cut"
    START_MOVED = "log start moved"


class MoveEffect(Enum):
    """What the node is to do."""

    COPY = "copy the next piece"
    ASSIGN = "assign the target at the controller"
    SETTLE = "copy what came meanwhile, make it durable"
    FREEZE = "block appends"
    THAW = "unblock appends, in the source"
    DISCARD = "rename the source -delete"
    PROMOTE = "rename the future log"
    FINISH = "serve from the target"
    DROP_FUTURE = "discard the future log"
    KEEP_FUTURE = "set the future log aside for a while, for a move that is repeated"
    DROP_TARGET = "discard the log that was promoted"
    DROP_SOURCE = "discard the log that got its name back"
    REPORT = "the log is damaged: heal it from another replica, or report it to the operator"
    CORRECT = "have the metadata say where the current log is"
    RESTORE = "give the source its name back"
    STRAND = "the source cannot get its name back: the replica is offline"
    AGAIN = "move once more when this is done"


class Row(NamedTuple):
    """What an input leads to."""

    next: LogDirMoveState
    effects: tuple[MoveEffect, ...] = ()


S, I, W = LogDirMoveState, MoveInput, MoveEffect  # noqa: E741

BEFORE_SWAP: Final = (S.PREPARING, S.WANTED, S.COPYING, S.CAUGHT_UP, S.ASSIGNING, S.SETTLING)
BLOCKED: Final = (S.FREEZING, S.DRAINING)
RENAMING: Final = (S.DISCARDING, S.PROMOTING)
ENDED: Final = frozenset({S.DONE, S.ABANDONED})
PROMISED: Final = frozenset(
    {S.CAUGHT_UP, S.ASSIGNING, S.SETTLING, S.FREEZING, S.DRAINING, S.DISCARDING, S.PROMOTING}
)
"""States in which the metadata should name the target: no correction may be sent (B-05)."""


def _table() -> dict[tuple[LogDirMoveState, MoveInput], Row]:
    t: dict[tuple[LogDirMoveState, MoveInput], Row] = {}
    # What every move can hear at any time without consequence of its own: each piece begins with
    # a comparison of both logs (cuts and raised starts are followed there, K113-13), and the image
    # is asked, not remembered.
    for state in S:
        for harmless in (I.LEADER_CHANGED, I.TRUNCATED, I.START_MOVED, I.UNASSIGNED, I.ASSIGNED):
            t[state, harmless] = Row(state)
    # The way.
    t[S.PREPARING, I.PREPARED] = Row(S.WANTED)
    t[S.WANTED, I.SLOT] = Row(S.COPYING, (W.COPY,))
    t[S.COPYING, I.COPIED] = Row(S.COPYING, (W.COPY,))
    t[S.COPYING, I.CAUGHT] = Row(S.CAUGHT_UP, (W.ASSIGN, W.COPY))
    for state in (S.CAUGHT_UP, S.ASSIGNING):
        t[state, I.COPIED] = t[state, I.CAUGHT] = Row(state, (W.COPY,))
        t[state, I.SENT] = Row(S.ASSIGNING)
        t[state, I.ASSIGNED] = Row(S.SETTLING, (W.SETTLE,))
    t[S.SETTLING, I.COPIED] = t[S.SETTLING, I.CAUGHT] = Row(S.SETTLING, (W.SETTLE,))
    t[S.SETTLING, I.SETTLED] = Row(S.FREEZING, (W.FREEZE,))
    t[S.FREEZING, I.FROZEN] = Row(S.DRAINING, (W.COPY,))
    t[S.DRAINING, I.COPIED] = Row(S.DRAINING, (W.COPY,))
    t[S.DRAINING, I.CAUGHT] = Row(S.DISCARDING, (W.DISCARD,))
    t[S.DISCARDING, I.DISCARDED] = Row(S.PROMOTING, (W.PROMOTE,))
    t[S.PROMOTING, I.PROMOTED] = Row(S.DONE, (W.FINISH, W.CORRECT))
    # A piece that was under way when appends were blocked; a repeated request to the controller.
    t[S.FREEZING, I.COPIED] = t[S.FREEZING, I.CAUGHT] = Row(S.FREEZING)
    for state in (S.SETTLING, *BLOCKED, *RENAMING, S.RESTORING):
        t[state, I.SENT] = Row(state)
    # The metadata was changed back before the swap: tell the controller again.
    t[S.SETTLING, I.UNASSIGNED] = Row(S.CAUGHT_UP, (W.ASSIGN, W.COPY))
    for state in BLOCKED:
        t[state, I.UNASSIGNED] = Row(S.CAUGHT_UP, (W.THAW, W.ASSIGN, W.COPY))
    # Ends before the point of no return: the current log stays the truth.
    for state in (*BEFORE_SWAP, *BLOCKED):
        thaw = (W.THAW,) if state in BLOCKED else ()
        for stop in (I.CANCELLED, I.REDIRECTED):
            t[state, stop] = Row(S.ABANDONED, (*thaw, W.KEEP_FUTURE, W.CORRECT))
        t[state, I.STUCK] = Row(S.ABANDONED, (*thaw, W.DROP_FUTURE, W.CORRECT))
        t[state, I.DAMAGED] = Row(S.ABANDONED, (*thaw, W.DROP_FUTURE, W.CORRECT, W.REPORT))
        t[state, I.TARGET_FAILED] = Row(S.ABANDONED, (*thaw, W.CORRECT))
        # The future log stays on disk (K113-17); LOST if the metadata names the target (K858-16).
        t[state, I.SOURCE_FAILED] = Row(S.ABANDONED, (W.CORRECT,))
        t[state, I.GONE] = Row(S.ABANDONED, (W.DROP_FUTURE,))
    # After it: the future log is complete and on the medium, so only it counts.
    for state in RENAMING:
        t[state, I.CANCELLED] = t[state, I.REDIRECTED] = Row(state, (W.AGAIN,))
    t[S.DISCARDING, I.GONE] = Row(S.ABANDONED, (W.DROP_FUTURE,))
    t[S.PROMOTING, I.GONE] = Row(S.ABANDONED, (W.DROP_TARGET,))
    t[S.DISCARDING, I.SOURCE_FAILED] = Row(S.PROMOTING, (W.PROMOTE,))
    t[S.PROMOTING, I.SOURCE_FAILED] = Row(S.PROMOTING)
    t[S.PROMOTING, I.DISCARDED] = Row(S.PROMOTING)
    t[S.DISCARDING, I.STUCK] = Row(S.ABANDONED, (W.THAW, W.DROP_FUTURE, W.CORRECT))
    # The target is lost between the two renames: all records are in the renamed source.
    t[S.DISCARDING, I.TARGET_FAILED] = Row(S.RESTORING)
    t[S.RESTORING, I.DISCARDED] = Row(S.RESTORING, (W.RESTORE,))
    t[S.PROMOTING, I.TARGET_FAILED] = Row(S.RESTORING, (W.RESTORE,))
    t[S.PROMOTING, I.STUCK] = Row(S.RESTORING, (W.DROP_FUTURE, W.RESTORE))
    t[S.RESTORING, I.RESTORED] = Row(S.ABANDONED, (W.THAW, W.CORRECT))
    t[S.RESTORING, I.STUCK] = Row(S.ABANDONED, (W.STRAND, W.CORRECT))
    t[S.RESTORING, I.SOURCE_FAILED] = Row(S.ABANDONED, (W.CORRECT,))
    t[S.RESTORING, I.TARGET_FAILED] = Row(S.RESTORING)
    t[S.RESTORING, I.GONE] = Row(S.ABANDONED, (W.DROP_SOURCE,))
    t[S.RESTORING, I.CANCELLED] = t[S.RESTORING, I.REDIRECTED] = Row(S.RESTORING, (W.AGAIN,))
    # It is over: late answers change nothing.
    for state in ENDED:
        for late in I:
            t[state, late] = Row(state)
    return t


TABLE: Final[Mapping[tuple[LogDirMoveState, MoveInput], Row]] = MappingProxyType(_table())
"""All pairs that can occur; any other pair is a bug in Spindle."""


class LogDirMove:
    """One move: which replica, from where to where, how far. Changes by `feed` alone."""

    __slots__ = ("copied", "end", "id", "name", "share", "size", "source", "state", "target")

    def __init__(
        self, id: PartitionId, name: TopicPartition, source: LogDir, target: LogDir
    ) -> None:
        assert source != target, f"{name} is in {source} already"
        self.id = id
        self.name = name
        self.source = source
        self.target = target
        self.state = LogDirMoveState.PREPARING
        self.end = 0
        """Where the future log ends."""
        self.size = 0
        """Bytes of the future log."""
        self.copied = 0
        """Bytes that were copied, in this run of the process."""
        self.share = 1.0
        """The share of its time that it copied of late; it left the rest to the clients (B-32)."""

    @property
    def current_key(self) -> LogKey:
        """The plain log."""
        return LogKey(self.name.topic, self.name.partition)

    @property
    def future_key(self) -> LogKey:
        """The log that is being made."""
        return LogKey(self.name.topic, self.name.partition, future=True)

    @property
    def ended(self) -> bool:
        """Nothing more will happen."""
        return self.state in ENDED

    @property
    def promised(self) -> bool:
        """The metadata should name the target."""
        return self.state in PROMISED

    @property
    def follows(self) -> bool:
        """The future log chases the current one: pieces are copied as records come."""
        return self.state in (S.COPYING, S.CAUGHT_UP, S.ASSIGNING, S.SETTLING, S.DRAINING)

    def feed(self, happened: MoveInput) -> tuple[MoveEffect, ...]:
        """Something happened; what to do now, in this order."""
        row = TABLE.get((self.state, happened))
        assert row is not None, f"{self.name}: {happened.name} cannot come while {self.state.name}"
        self.state = row.next
        return row.effects
