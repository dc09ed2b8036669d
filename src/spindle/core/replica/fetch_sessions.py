"""The readers of this broker and their positions: cursors, and the fetch sessions that keep them.

KIP-227, the server's side: a full fetch may open a session, later requests name only what has
changed. A reader keeps the cursors that may have news in `due`, so that an answer costs what has
changed and not what is subscribed. Pure; the node's readers feed it and answer the requests.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from spindle.model.errors import Error
from spindle.model.ids import TopicId
from spindle.model.outbox import Rng

INITIAL: Final = 0
FINAL: Final = -1
EPOCH_MAX: Final = (1 << 31) - 1
EVICT_AFTER: Final = 120.0
"""Seconds after which an unused session gives way to any other."""

Key: TypeAlias = tuple[TopicId | str | None, int]
"""A partition as the reader names it: by topic id, or by name in old versions."""


@dataclass(slots=True, eq=False)
class Cursor:
    """One partition that a reader reads, and from where."""

    key: Key
    offset: int
    max_bytes: int
    leader_epoch: int = -1
    last_epoch: int = -1
    start: int = -1
    """The reader's own log start, if it is a follower."""
    held: bool = False
    """A throttle keeps its records back: what is written there is no news now (KIP-73)."""
    mark_sent: int = -1
    start_sent: int = -1
    watching: Any = None
    """The hosted partition that reports news to the reader; the node's business."""


@dataclass(slots=True, eq=False)
class Reader:
    """Some cursors, in the order in which they are served, and those that may have news."""

    cursors: dict[Key, Cursor] = field(default_factory=dict)
    due: dict[Key, Cursor] = field(default_factory=dict)
    follower: bool = False
    """The reader is a replica: its fetch offsets show what it has."""
    to_end: bool = False
    """Reads up to the log's end: a replica, or a consumer that looks for faults (replica id -2)."""
    parked: Any = None
    """The fetch that waits for news; the node's business."""
    committed: bool = False
    """Reads only where all transactions are decided, as its last request said."""


@dataclass(slots=True, eq=False)
class FetchSession(Reader):
    """A reader that is remembered between its requests."""

    id: int = 0
    epoch: int = 1
    """What the next request must carry."""
    by_id: bool = True
    used_at: float = 0.0

    def next_epoch(self) -> None:
        """A request was taken."""
        self.epoch = 1 if self.epoch == EPOCH_MAX else self.epoch + 1


class FetchSessionCache:
    """All fetch sessions of a broker, at most `limit`; it calls `on_closed` at every end."""

    def __init__(self, limit: int, on_closed: Callable[[FetchSession], None]) -> None:
        self._limit = limit
        self._on_closed = on_closed
        self._by_id: dict[int, FetchSession] = {}

    def __len__(self) -> int:
        return len(self._by_id)

    def open(
        self, cursors: dict[Key, Cursor], by_id: bool, follower: bool, now: float, rng: Rng
    ) -> FetchSession | None:
        """Remember a reader from now on; None where there is no room for it."""
        if not self._make_room(len(cursors), follower, now):
            return None
        id = 0
        while id == 0 or id in self._by_id:
            id = rng.getrandbits(31)
        session = FetchSession(
            cursors, dict(cursors), follower, id=id, epoch=1, by_id=by_id, used_at=now
        )
        self._by_id[id] = session
        return session

    def take(self, id: int, epoch: int, by_id: bool, now: float) -> FetchSession | Error:
        """The session of an incremental request, ready for its next epoch; or the error."""
        session = self._by_id.get(id)
        if session is None:
            return Error.FETCH_SESSION_ID_NOT_FOUND
        if session.epoch != epoch:
            return Error.INVALID_FETCH_SESSION_EPOCH
        if session.by_id != by_id:
            return Error.FETCH_SESSION_TOPIC_ID_ERROR
        session.next_epoch()
        session.used_at = now
        return session

    def close(self, id: int) -> None:
        """Forget a session, if it is there."""
        session = self._by_id.pop(id, None)
        if session is not None:
            self._on_closed(session)

    def expire(self, now: float) -> None:
        """Close the sessions that no client has used for long.

        Their clients are gone, or will open another session.
        """
        for session in [s for s in self._by_id.values() if now - s.used_at > EVICT_AFTER]:
            self.close(session.id)

    def followers(self) -> list[FetchSession]:
        """The sessions of followers."""
        return [s for s in self._by_id.values() if s.follower]

    def _make_room(self, size: int, follower: bool, now: float) -> bool:
        if len(self._by_id) < self._limit:
            return True
        if not self._by_id:
            return False
        oldest = min(self._by_id.values(), key=lambda s: s.used_at)
        if now - oldest.used_at > EVICT_AFTER:
            self.close(oldest.id)
            return True
        # A session saves most where it is large: followers first, then by size.
        least = min(self._by_id.values(), key=lambda s: (s.follower, len(s.cursors)))
        if (least.follower, len(least.cursors)) < (follower, size):
            self.close(least.id)
            return True
        return False
