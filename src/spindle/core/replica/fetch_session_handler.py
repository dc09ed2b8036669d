"""What a follower asks of its leader, and where it cuts its log when the two have parted.

`FetchSessionHandler` is the follower's side of a fetch session with one source broker (KIP-227):
which partitions to ask for, from where, and what of that the source does not know yet. Pure; driven
by the node's fetchers, one for each source broker.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from spindle.model.errors import Error
from spindle.model.ids import PartitionId
from spindle.model.offsets import EpochHistory, OffsetAndEpoch

INITIAL: Final = 0
EPOCH_MAX: Final = (1 << 31) - 1
SESSION_ERRORS: Final = frozenset(
    {
        Error.FETCH_SESSION_ID_NOT_FOUND,
        Error.INVALID_FETCH_SESSION_EPOCH,
        Error.FETCH_SESSION_TOPIC_ID_ERROR,
    }
)
"""After these the session is opened again, and no more is wrong."""


class Position(NamedTuple):
    """From where a follower fetches, and what it reports to the leader of its log."""

    offset: int
    leader_epoch: int
    last_epoch: int
    """The leader epoch of its last record, or -1."""
    start: int


def truncation_point(epochs: EpochHistory, end: int, diverging: OffsetAndEpoch) -> int:
    """Where a follower cuts its log (`epochs`, up to `end`) to become part of its leader's.

    `diverging`: the leader's largest epoch not above the follower's, and its end there. One cut
    may not be enough: the next fetch shows whether an older epoch parted as well (KIP-279).
    """
    mine = epochs.end_of(diverging.epoch, end)
    if mine.epoch < 0:
        return min(end, max(diverging.offset, 0))
    if mine.epoch == diverging.epoch:
        return min(end, mine.offset, diverging.offset)
    return min(end, mine.offset)


@dataclass(slots=True)
class Ask:
    """One fetch request: new or moved partitions, and those to forget."""

    session_id: int
    session_epoch: int
    positions: dict[PartitionId, Position]
    forgotten: list[PartitionId]


class FetchSessionHandler:
    """One fetch session with a source broker, seen from the follower.

    `wanted` is what should be fetched now; a partition whose answer is still being written, or
    that waits after an error, is left out, so that the source does not send it again.
    """

    __slots__ = ("_changed", "_epoch", "_id", "_known", "wanted")

    def __init__(self) -> None:
        self.wanted: dict[PartitionId, Position] = {}
        self._known: dict[PartitionId, Position] = {}
        self._changed: dict[PartitionId, None] = {}
        self._id = 0
        self._epoch = INITIAL

    def want(self, id: PartitionId, position: Position) -> None:
        """Fetch this partition from here on."""
        self.wanted[id] = position
        if self._known.get(id) == position:
            self._changed.pop(id, None)
        else:
            self._changed[id] = None

    def leave(self, id: PartitionId) -> None:
        """Do not fetch this partition for now."""
        self.wanted.pop(id, None)
        if id in self._known:
            self._changed[id] = None
        else:
            self._changed.pop(id, None)

    def ask(self) -> Ask:
        """The next request: the difference to what the source knows, or all of it."""
        if self._epoch == INITIAL:
            positions = dict(self.wanted)
            forgotten: list[PartitionId] = []
        else:
            positions = {id: self.wanted[id] for id in self._changed if id in self.wanted}
            forgotten = [id for id in self._changed if id not in self.wanted]
        ask = Ask(self._id, self._epoch, positions, forgotten)
        self._known = dict(self.wanted) if self._epoch == INITIAL else self._known
        self._known.update(positions)
        for id in forgotten:
            del self._known[id]
        self._changed.clear()
        return ask

    def on_answer(self, session_id: int) -> None:
        """The source has answered without a session error; 0: it keeps no session."""
        if session_id == 0:
            # It remembers nothing, so the next request names everything; this answer is good.
            self._id, self._epoch = 0, INITIAL
        elif self._epoch == INITIAL:
            self._id, self._epoch = session_id, 1
        else:
            self._epoch = 1 if self._epoch == EPOCH_MAX else self._epoch + 1

    def on_lost(self) -> None:
        """The session is gone (error, lost connection): the next request names every partition."""
        self._known.clear()
        self._changed = dict.fromkeys(self.wanted)
        self._id, self._epoch = 0, INITIAL

    def is_settled(self, id: PartitionId) -> bool:
        """Whether the source was asked for just what is wanted of this partition."""
        return id in self.wanted and id not in self._changed
