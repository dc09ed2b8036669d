"""The states of a classic group and what each input means in each of them: one table.

    Empty --join--> PreparingRebalance --all joined--> CompletingRebalance --leader synced--> Stable
      ^                  |        ^                        |                                   |
      +---nobody left----+        +------ join, leave, expiry, failed store -------------------+

Any state may end in Dead, when the group is deleted or its coordinator moves. Used by
`core.groups.group` alone; the tests walk the whole table.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Final

from spindle.model.errors import Error


class State(Enum):
    """Where a group stands; values are the names that clients see."""

    EMPTY = "Empty"
    PREPARING = "PreparingRebalance"
    COMPLETING = "CompletingRebalance"
    STABLE = "Stable"
    DEAD = "Dead"


class Input(Enum):
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


class Step(Enum):
    """What the group does, where it does not refuse."""

    ACCEPT = auto()
    """Do it; the state stays."""
    WAIT = auto()
    """The answer comes when the phase completes (which it may do at once)."""
    REPEAT = auto()
    """Tell the current generation again."""
    REBALANCE = auto()
    """Begin a new generation."""


LEGAL: Final[dict[State, tuple[State, ...]]] = {
    State.EMPTY: (State.PREPARING, State.DEAD),
    State.PREPARING: (State.EMPTY, State.COMPLETING, State.DEAD),
    State.COMPLETING: (State.STABLE, State.PREPARING, State.DEAD),
    State.STABLE: (State.PREPARING, State.DEAD),
    State.DEAD: (),
}
"""From each state, where a group may go."""

_E, _P, _C, _S, _D = State.EMPTY, State.PREPARING, State.COMPLETING, State.STABLE, State.DEAD
_I = Input

TABLE: Final[dict[tuple[State, Input], Step | Error]] = {
    (_E, _I.NEW_MEMBER): Step.REBALANCE,
    (_P, _I.NEW_MEMBER): Step.WAIT,
    (_C, _I.NEW_MEMBER): Step.REBALANCE,
    (_S, _I.NEW_MEMBER): Step.REBALANCE,
    (_D, _I.NEW_MEMBER): Error.COORDINATOR_NOT_AVAILABLE,
    #
    (_E, _I.STATIC_RETURN): Error.UNKNOWN_MEMBER_ID,
    (_P, _I.STATIC_RETURN): Step.WAIT,
    (_C, _I.STATIC_RETURN): Step.REBALANCE,
    (_S, _I.STATIC_RETURN): Step.REPEAT,
    (_D, _I.STATIC_RETURN): Error.COORDINATOR_NOT_AVAILABLE,
    #
    (_E, _I.FOLLOWER_SAME): Error.UNKNOWN_MEMBER_ID,
    (_P, _I.FOLLOWER_SAME): Step.WAIT,
    # The answer to its first join was lost.
    (_C, _I.FOLLOWER_SAME): Step.REPEAT,
    (_S, _I.FOLLOWER_SAME): Step.REPEAT,
    (_D, _I.FOLLOWER_SAME): Error.COORDINATOR_NOT_AVAILABLE,
    #
    (_E, _I.LEADER_SAME): Error.UNKNOWN_MEMBER_ID,
    (_P, _I.LEADER_SAME): Step.WAIT,
    (_C, _I.LEADER_SAME): Step.REPEAT,
    # A leader that joins again has seen topics change.
    (_S, _I.LEADER_SAME): Step.REBALANCE,
    (_D, _I.LEADER_SAME): Error.COORDINATOR_NOT_AVAILABLE,
    #
    (_E, _I.MEMBER_CHANGED): Error.UNKNOWN_MEMBER_ID,
    (_P, _I.MEMBER_CHANGED): Step.WAIT,
    (_C, _I.MEMBER_CHANGED): Step.REBALANCE,
    (_S, _I.MEMBER_CHANGED): Step.REBALANCE,
    (_D, _I.MEMBER_CHANGED): Error.COORDINATOR_NOT_AVAILABLE,
    #
    (_E, _I.SYNC): Error.UNKNOWN_MEMBER_ID,
    (_P, _I.SYNC): Error.REBALANCE_IN_PROGRESS,
    (_C, _I.SYNC): Step.WAIT,
    (_S, _I.SYNC): Step.REPEAT,
    (_D, _I.SYNC): Error.COORDINATOR_NOT_AVAILABLE,
    #
    (_E, _I.HEARTBEAT): Error.UNKNOWN_MEMBER_ID,
    (_P, _I.HEARTBEAT): Error.REBALANCE_IN_PROGRESS,
    # Members may begin to beat as soon as they have joined.
    (_C, _I.HEARTBEAT): Step.ACCEPT,
    (_S, _I.HEARTBEAT): Step.ACCEPT,
    (_D, _I.HEARTBEAT): Error.COORDINATOR_NOT_AVAILABLE,
    #
    (_E, _I.COMMIT): Error.UNKNOWN_MEMBER_ID,
    # Its heartbeat will tell it to join again; until then its partitions are its own.
    (_P, _I.COMMIT): Step.ACCEPT,
    (_C, _I.COMMIT): Error.REBALANCE_IN_PROGRESS,
    (_S, _I.COMMIT): Step.ACCEPT,
    (_D, _I.COMMIT): Error.COORDINATOR_NOT_AVAILABLE,
    #
    (_E, _I.MEMBER_GONE): Error.UNKNOWN_MEMBER_ID,
    (_P, _I.MEMBER_GONE): Step.WAIT,
    (_C, _I.MEMBER_GONE): Step.REBALANCE,
    (_S, _I.MEMBER_GONE): Step.REBALANCE,
    (_D, _I.MEMBER_GONE): Error.COORDINATOR_NOT_AVAILABLE,
    #
    (_E, _I.DELETE): Step.ACCEPT,
    (_P, _I.DELETE): Error.NON_EMPTY_GROUP,
    (_C, _I.DELETE): Error.NON_EMPTY_GROUP,
    (_S, _I.DELETE): Error.NON_EMPTY_GROUP,
    (_D, _I.DELETE): Error.GROUP_ID_NOT_FOUND,
}
