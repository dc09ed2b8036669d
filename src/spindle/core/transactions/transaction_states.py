"""The states of a transactional id and what each input means in each of them: one table.

    Empty --partition added--> Ongoing --end, decided--> PrepareCommit --marked--> CompleteCommit
      ^                        ^  |  |                                                   |
      |                        |  |  +-- end, or fenced --> PrepareAbort --> CompleteAbort
      +-- new epoch -----------+--+------ partition added -------------------------------+

PrepareEpochFence and Dead are on no disk: the one is an abort that the coordinator itself has
begun and not yet written, the other an id that is about to be forgotten. While anything is being
written, each request gets CONCURRENT_TRANSACTIONS. Used by
`core.transactions.transaction_coordinator_shard`.
"""

from __future__ import annotations

from enum import Enum, IntEnum, auto
from typing import Final

from spindle.model.errors import Error


class TransactionState(IntEnum):
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


class TransactionInput(Enum):
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
    """The id was unused for long."""


class TransactionStep(Enum):
    """What is done, where it is not refused."""

    NOTHING = auto()
    ACCEPT = auto()
    """It is so already, or may be looked up."""
    NEW_EPOCH = auto()
    FENCE = auto()
    """Abort in a new epoch, so that the old producer cannot go on; the client asks again."""
    ADD = auto()
    PREPARE_COMMIT = auto()
    PREPARE_ABORT = auto()
    COMPLETE = auto()
    BURY = auto()


_E, _O = TransactionState.EMPTY, TransactionState.ONGOING
_PC, _PA = TransactionState.PREPARE_COMMIT, TransactionState.PREPARE_ABORT
_CC, _CA = TransactionState.COMPLETE_COMMIT, TransactionState.COMPLETE_ABORT
_BUSY: Final = Error.CONCURRENT_TRANSACTIONS
_WRONG: Final = Error.INVALID_TXN_STATE
_FENCED: Final = Error.PRODUCER_FENCED
_I = TransactionInput

_ROWS: Final[dict[TransactionInput, dict[TransactionState, TransactionStep | Error]]] = {
    _I.INIT: {
        _E: TransactionStep.NEW_EPOCH,
        _O: TransactionStep.FENCE,
        _PC: _BUSY,
        _PA: _BUSY,
        _CC: TransactionStep.NEW_EPOCH,
        _CA: TransactionStep.NEW_EPOCH,
    },
    _I.ADD: {
        _E: TransactionStep.ADD,
        _O: TransactionStep.ADD,
        _PC: _BUSY,
        _PA: _BUSY,
        _CC: TransactionStep.ADD,
        _CA: TransactionStep.ADD,
    },
    _I.VERIFY: {
        _E: TransactionStep.ACCEPT,
        _O: TransactionStep.ACCEPT,
        _PC: _BUSY,
        _PA: _BUSY,
        _CC: TransactionStep.ACCEPT,
        _CA: TransactionStep.ACCEPT,
    },
    _I.COMMIT: {
        _E: _WRONG,
        _O: TransactionStep.PREPARE_COMMIT,
        _PC: _BUSY,
        _PA: _WRONG,
        _CC: TransactionStep.ACCEPT,
        _CA: _WRONG,
    },
    _I.ABORT: {
        _E: _WRONG,
        _O: TransactionStep.PREPARE_ABORT,
        _PC: _WRONG,
        _PA: _BUSY,
        _CC: _WRONG,
        _CA: TransactionStep.ACCEPT,
    },
    # What is decided already gave this epoch: its owner ends the transaction after it.
    _I.COMMIT_BUMPING: {
        _E: _WRONG,
        _O: TransactionStep.PREPARE_COMMIT,
        _PC: _BUSY,
        _PA: _BUSY,
        _CC: _WRONG,
        _CA: _WRONG,
    },
    # Without a partition, too: the producer wants the next epoch after an error.
    _I.ABORT_BUMPING: {
        _E: TransactionStep.PREPARE_ABORT,
        _O: TransactionStep.PREPARE_ABORT,
        _PC: _BUSY,
        _PA: _BUSY,
        _CC: TransactionStep.PREPARE_ABORT,
        _CA: TransactionStep.PREPARE_ABORT,
    },
    _I.COMMIT_REPEATED: {
        _E: _FENCED,
        _O: _FENCED,
        _PC: _BUSY,
        _PA: _WRONG,
        _CC: TransactionStep.ACCEPT,
        _CA: _WRONG,
    },
    _I.ABORT_REPEATED: {
        _E: _FENCED,
        _O: _FENCED,
        _PC: _WRONG,
        _PA: _BUSY,
        _CC: _WRONG,
        _CA: TransactionStep.ACCEPT,
    },
    _I.TIMEOUT: {
        _E: TransactionStep.NOTHING,
        _O: TransactionStep.FENCE,
        _PC: TransactionStep.NOTHING,
        _PA: TransactionStep.NOTHING,
        _CC: TransactionStep.NOTHING,
        _CA: TransactionStep.NOTHING,
    },
    _I.MARKED: {
        _E: TransactionStep.NOTHING,
        _O: TransactionStep.NOTHING,
        _PC: TransactionStep.COMPLETE,
        _PA: TransactionStep.COMPLETE,
        _CC: TransactionStep.NOTHING,
        _CA: TransactionStep.NOTHING,
    },
    _I.EXPIRE: {
        _E: TransactionStep.BURY,
        _O: TransactionStep.NOTHING,
        _PC: TransactionStep.NOTHING,
        _PA: TransactionStep.NOTHING,
        _CC: TransactionStep.BURY,
        _CA: TransactionStep.BURY,
    },
}
_SILENT: Final = (_I.TIMEOUT, _I.MARKED, _I.EXPIRE)
_PASSING: Final = (TransactionState.DEAD, TransactionState.PREPARE_EPOCH_FENCE)

TABLE: Final[dict[tuple[TransactionState, TransactionInput], TransactionStep | Error]] = {
    **{(state, what): step for what, row in _ROWS.items() for state, step in row.items()},
    **{
        (state, what): TransactionStep.NOTHING if what in _SILENT else _BUSY
        for state in _PASSING
        for what in TransactionInput
    },
}
"""Every pair."""
