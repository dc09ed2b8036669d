"""The states of a transactional id and what each input means in each of them: one table.

    Empty --partition added--> Ongoing --end, decided--> PrepareCommit --marked--> CompleteCommit
      ^                        ^  |  |                                                   |
      |                        |  |  +-- end, or fenced --> PrepareAbort --> CompleteAbort
      +-- new epoch -----------+--+------ partition added -------------------------------+

PrepareEpochFence and Dead are on nobody's disk: the one is an abort that the coordinator itself has
begun and not yet written, the other an id that is about to be forgotten. While anything is being
written, whatever comes is told CONCURRENT_TRANSACTIONS. Used by `core.transactions.coordinator`.
"""

from __future__ import annotations

from enum import Enum, IntEnum, auto
from typing import Final

from spindle.model.errors import Error


class State(IntEnum):
    """Where a transactional id stands; the numbers are those of its records."""

    EMPTY = 0
    ONGOING = 1
    PREPARE_COMMIT = 2
    PREPARE_ABORT = 3
    COMPLETE_COMMIT = 4
    COMPLETE_ABORT = 5
    DEAD = 6
    PREPARE_EPOCH_FENCE = 7

    @property
    def title(self) -> str:
        """As clients see it."""
        return "".join(word.capitalize() for word in self.name.split("_"))


class Input(Enum):
    """What can happen to a transactional id."""

    INIT = auto()
    """A producer begins, or wants a new epoch."""
    ADD = auto()
    VERIFY = auto()
    """A broker asks whether a partition takes part (KIP-890)."""
    COMMIT = auto()
    ABORT = auto()
    """The end as clients up to EndTxn 4 ask for it: the epoch stays."""
    COMMIT_BUMPING = auto()
    ABORT_BUMPING = auto()
    """The end as clients from EndTxn 5 on ask for it: each transaction has its epoch (KIP-890)."""
    COMMIT_REPEATED = auto()
    ABORT_REPEATED = auto()
    """The same again, with the epoch that has been left."""
    TIMEOUT = auto()
    """The transaction has been open for too long."""
    MARKED = auto()
    """All partitions have their marker."""
    EXPIRE = auto()
    """Nobody has used the id for long."""


class Step(Enum):
    """What is done, where it is not refused."""

    NOTHING = auto()
    ACCEPT = auto()
    """It is so already, or may be looked up."""
    NEW_EPOCH = auto()
    FENCE = auto()
    """Abort in a new epoch, so that the old producer cannot go on; who asked comes again."""
    ADD = auto()
    PREPARE_COMMIT = auto()
    PREPARE_ABORT = auto()
    COMPLETE = auto()
    BURY = auto()


_E, _O = State.EMPTY, State.ONGOING
_PC, _PA = State.PREPARE_COMMIT, State.PREPARE_ABORT
_CC, _CA = State.COMPLETE_COMMIT, State.COMPLETE_ABORT
_BUSY: Final = Error.CONCURRENT_TRANSACTIONS
_WRONG: Final = Error.INVALID_TXN_STATE
_FENCED: Final = Error.PRODUCER_FENCED
_I = Input

_ROWS: Final[dict[Input, dict[State, Step | Error]]] = {
    _I.INIT: {
        _E: Step.NEW_EPOCH,
        _O: Step.FENCE,
        _PC: _BUSY,
        _PA: _BUSY,
        _CC: Step.NEW_EPOCH,
        _CA: Step.NEW_EPOCH,
    },
    _I.ADD: {_E: Step.ADD, _O: Step.ADD, _PC: _BUSY, _PA: _BUSY, _CC: Step.ADD, _CA: Step.ADD},
    _I.VERIFY: {
        _E: Step.ACCEPT,
        _O: Step.ACCEPT,
        _PC: _BUSY,
        _PA: _BUSY,
        _CC: Step.ACCEPT,
        _CA: Step.ACCEPT,
    },
    _I.COMMIT: {
        _E: _WRONG,
        _O: Step.PREPARE_COMMIT,
        _PC: _BUSY,
        _PA: _WRONG,
        _CC: Step.ACCEPT,
        _CA: _WRONG,
    },
    _I.ABORT: {
        _E: _WRONG,
        _O: Step.PREPARE_ABORT,
        _PC: _WRONG,
        _PA: _BUSY,
        _CC: _WRONG,
        _CA: Step.ACCEPT,
    },
    # What is decided already gave this epoch: its owner ends the transaction after it.
    _I.COMMIT_BUMPING: {
        _E: _WRONG,
        _O: Step.PREPARE_COMMIT,
        _PC: _BUSY,
        _PA: _BUSY,
        _CC: _WRONG,
        _CA: _WRONG,
    },
    # Without a partition, too: the producer wants the next epoch after an error.
    _I.ABORT_BUMPING: {
        _E: Step.PREPARE_ABORT,
        _O: Step.PREPARE_ABORT,
        _PC: _BUSY,
        _PA: _BUSY,
        _CC: Step.PREPARE_ABORT,
        _CA: Step.PREPARE_ABORT,
    },
    _I.COMMIT_REPEATED: {
        _E: _FENCED,
        _O: _FENCED,
        _PC: _BUSY,
        _PA: _WRONG,
        _CC: Step.ACCEPT,
        _CA: _WRONG,
    },
    _I.ABORT_REPEATED: {
        _E: _FENCED,
        _O: _FENCED,
        _PC: _WRONG,
        _PA: _BUSY,
        _CC: _WRONG,
        _CA: Step.ACCEPT,
    },
    _I.TIMEOUT: {
        _E: Step.NOTHING,
        _O: Step.FENCE,
        _PC: Step.NOTHING,
        _PA: Step.NOTHING,
        _CC: Step.NOTHING,
        _CA: Step.NOTHING,
    },
    _I.MARKED: {
        _E: Step.NOTHING,
        _O: Step.NOTHING,
        _PC: Step.COMPLETE,
        _PA: Step.COMPLETE,
        _CC: Step.NOTHING,
        _CA: Step.NOTHING,
    },
    _I.EXPIRE: {
        _E: Step.BURY,
        _O: Step.NOTHING,
        _PC: Step.NOTHING,
        _PA: Step.NOTHING,
        _CC: Step.BURY,
        _CA: Step.BURY,
    },
}
_SILENT: Final = (_I.TIMEOUT, _I.MARKED, _I.EXPIRE)
_PASSING: Final = (State.DEAD, State.PREPARE_EPOCH_FENCE)

TABLE: Final[dict[tuple[State, Input], Step | Error]] = {
    **{(state, what): step for what, row in _ROWS.items() for state, step in row.items()},
    **{
        (state, what): Step.NOTHING if what in _SILENT else _BUSY
        for state in _PASSING
        for what in Input
    },
}
"""Every pair."""
