"""The states of a classic group and what each input means in each of them: one table.

    Empty --join--> PreparingRebalance --all joined--> CompletingRebalance --leader synced--> Stable
      ^                  |        ^                        |                                   |
      +---no member left-+        +------ join, leave, expiry, failed store -------------------+

Any state may end in Dead, when the group is deleted or its coordinator moves. Used by
`core.groups.group` alone; the tests walk the whole table.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Final

from spindle.model.errors import Error


class GroupState(Enum):
    """Where a group stands; values are the names that clients see."""

    EMPTY = "Empty"
    PREPARING = "PreparingRebalance"
    COMPLETING = "CompletingRebalance"
    STABLE = "Stable"
    DEAD = "Dead"


class GroupInput(Enum):
    """What can happen to a group. "Same" and "changed" speak of a member's metadata."""

    NEW_MEMBER = auto()
    """A client without an id, or with one it was promised."""
    STATIC_RETURN = auto()
    """A known static member comes without its id (KIP-345)."""
    FOLLOWER_SAME = auto()
    LEADER_SAME = auto()
    MEMBER_CHANGED = auto()
    SYNC = auto()
    HEARTBEAT = auto()
    COMMIT = auto()
    """A member commits offsets in the current generation."""
    MEMBER_GONE = auto()
    """It left, or its session ran out."""
    DELETE = auto()


class GroupStep(Enum):
    """What the group does, where it does not refuse."""

    ACCEPT = auto()
    """Do it; the state stays."""
    WAIT = auto()
    """The answer comes when the phase completes (which it may do at once)."""
    REPEAT = auto()
    """Tell the current generation again."""
    REBALANCE = auto()
    """Begin a new generation."""


LEGAL: Final[dict[GroupState, tuple[GroupState, ...]]] = {
    GroupState.EMPTY: (GroupState.PREPARING, GroupState.DEAD),
    GroupState.PREPARING: (GroupState.EMPTY, GroupState.COMPLETING, GroupState.DEAD),
    GroupState.COMPLETING: (GroupState.STABLE, GroupState.PREPARING, GroupState.DEAD),
    GroupState.STABLE: (GroupState.PREPARING, GroupState.DEAD),
    GroupState.DEAD: (),
}
"""From each state, where a group may go."""

_E, _P, _C, _S, _D = (
    GroupState.EMPTY,
    GroupState.PREPARING,
    GroupState.COMPLETING,
    GroupState.STABLE,
    GroupState.DEAD,
)
_I = GroupInput

TABLE: Final[dict[tuple[GroupState, GroupInput], GroupStep | Error]] = {
    (_E, _I.NEW_MEMBER): GroupStep.REBALANCE,
    (_P, _I.NEW_MEMBER): GroupStep.WAIT,
    (_C, _I.NEW_MEMBER): GroupStep.REBALANCE,
    (_S, _I.NEW_MEMBER): GroupStep.REBALANCE,
    (_D, _I.NEW_MEMBER): Error.COORDINATOR_NOT_AVAILABLE,
    #
    (_E, _I.STATIC_RETURN): Error.UNKNOWN_MEMBER_ID,
    (_P, _I.STATIC_RETURN): GroupStep.WAIT,
    (_C, _I.STATIC_RETURN): GroupStep.REBALANCE,
    (_S, _I.STATIC_RETURN): GroupStep.REPEAT,
    (_D, _I.STATIC_RETURN): Error.COORDINATOR_NOT_AVAILABLE,
    #
    (_E, _I.FOLLOWER_SAME): Error.UNKNOWN_MEMBER_ID,
    (_P, _I.FOLLOWER_SAME): GroupStep.WAIT,
    # The answer to its first join was lost.
    (_C, _I.FOLLOWER_SAME): GroupStep.REPEAT,
    (_S, _I.FOLLOWER_SAME): GroupStep.REPEAT,
    (_D, _I.FOLLOWER_SAME): Error.COORDINATOR_NOT_AVAILABLE,
    #
    (_E, _I.LEADER_SAME): Error.UNKNOWN_MEMBER_ID,
    (_P, _I.LEADER_SAME): GroupStep.WAIT,
    (_C, _I.LEADER_SAME): GroupStep.REPEAT,
    # A leader that joins again has seen topics change.
    (_S, _I.LEADER_SAME): GroupStep.REBALANCE,
    (_D, _I.LEADER_SAME): Error.COORDINATOR_NOT_AVAILABLE,
    #
    (_E, _I.MEMBER_CHANGED): Error.UNKNOWN_MEMBER_ID,
    (_P, _I.MEMBER_CHANGED): GroupStep.WAIT,
    (_C, _I.MEMBER_CHANGED): GroupStep.REBALANCE,
    (_S, _I.MEMBER_CHANGED): GroupStep.REBALANCE,
    (_D, _I.MEMBER_CHANGED): Error.COORDINATOR_NOT_AVAILABLE,
    #
    (_E, _I.SYNC): Error.UNKNOWN_MEMBER_ID,
    (_P, _I.SYNC): Error.REBALANCE_IN_PROGRESS,
    (_C, _I.SYNC): GroupStep.WAIT,
    (_S, _I.SYNC): GroupStep.REPEAT,
    (_D, _I.SYNC): Error.COORDINATOR_NOT_AVAILABLE,
    #
    (_E, _I.HEARTBEAT): Error.UNKNOWN_MEMBER_ID,
    (_P, _I.HEARTBEAT): Error.REBALANCE_IN_PROGRESS,
    # Members may begin to beat as soon as they have joined.
    (_C, _I.HEARTBEAT): GroupStep.ACCEPT,
    (_S, _I.HEARTBEAT): GroupStep.ACCEPT,
    (_D, _I.HEARTBEAT): Error.COORDINATOR_NOT_AVAILABLE,
    #
    (_E, _I.COMMIT): Error.UNKNOWN_MEMBER_ID,
    # Its heartbeat will tell it to join again; until then its partitions are its own.
    (_P, _I.COMMIT): GroupStep.ACCEPT,
    (_C, _I.COMMIT): Error.REBALANCE_IN_PROGRESS,
    (_S, _I.COMMIT): GroupStep.ACCEPT,
    (_D, _I.COMMIT): Error.COORDINATOR_NOT_AVAILABLE,
    #
    (_E, _I.MEMBER_GONE): Error.UNKNOWN_MEMBER_ID,
    (_P, _I.MEMBER_GONE): GroupStep.WAIT,
    (_C, _I.MEMBER_GONE): GroupStep.REBALANCE,
    (_S, _I.MEMBER_GONE): GroupStep.REBALANCE,
    (_D, _I.MEMBER_GONE): Error.COORDINATOR_NOT_AVAILABLE,
    #
    (_E, _I.DELETE): GroupStep.ACCEPT,
    (_P, _I.DELETE): Error.NON_EMPTY_GROUP,
    (_C, _I.DELETE): Error.NON_EMPTY_GROUP,
    (_S, _I.DELETE): Error.NON_EMPTY_GROUP,
    (_D, _I.DELETE): Error.GROUP_ID_NOT_FOUND,
}
