"""Share sessions: which partitions a member of a share group asks a leader for (KIP-932).

A session belongs to a member of a group and to the connection at which it began. Pure; driven by
`node.share.share_partition_manager`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from spindle.model.errors import Error, Refusal
from spindle.model.ids import PartitionId

INITIAL: Final = 0
FINAL: Final = -1
EPOCH_MAX: Final = (1 << 31) - 1


class ShareMemberKey(NamedTuple):
    """A member of a group."""

    group_id: str
    member_id: str


class ShareSession:
    """One session. `epoch`: the one that its next request must have."""

    __slots__ = ("connection", "epoch", "key", "partitions")

    def __init__(
        self, key: ShareMemberKey, connection: int, partitions: Iterable[PartitionId]
    ) -> None:
        self.key = key
        self.connection = connection
        self.epoch = 1
        self.partitions = dict.fromkeys(partitions)

    def rotated(self) -> list[PartitionId]:
        """The partitions, with another one first in each epoch: none starves."""
        names = list(self.partitions)
        first = self.epoch % len(names) if names else 0
        return names[first:] + names[:first]


class ShareSessions:
    """The sessions of a broker."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._all: dict[ShareMemberKey, ShareSession] = {}

    def __len__(self) -> int:
        return len(self._all)

    @property
    def partitions(self) -> int:
        """Partitions in all of them."""
        return sum(len(session.partitions) for session in self._all.values())

    def open(
        self, key: ShareMemberKey, connection: int, partitions: Iterable[PartitionId]
    ) -> ShareSession:
        """A session begins, in place of an older one; Refusal SHARE_SESSION_LIMIT_REACHED."""
        self._all.pop(key, None)
        if len(self._all) >= self._most:
            raise Refusal(
                Error.SHARE_SESSION_LIMIT_REACHED,
                "The limit of share sessions has been reached: group.share.max.share.sessions",
            )
        session = self._all[key] = ShareSession(key, connection, partitions)
        return session

    def take(self, key: ShareMemberKey, epoch: int) -> ShareSession:
        """The session of a request; Refusal SHARE_SESSION_NOT_FOUND, INVALID_SHARE_SESSION_EPOCH.

        `epoch` FINAL: it ends.
        """
        session = self._all.get(key)
        if session is None:
            raise Refusal(Error.SHARE_SESSION_NOT_FOUND, "The share session was not found.")
        if epoch == FINAL:
            del self._all[key]
        elif epoch != session.epoch:
            raise Refusal(Error.INVALID_SHARE_SESSION_EPOCH, "The share session epoch is invalid.")
        else:
            session.epoch = 1 if session.epoch == EPOCH_MAX else session.epoch + 1
        return session

    def on_disconnected(self, connection: int) -> list[ShareSession]:
        """A client has gone, and its sessions with it."""
        gone = [each for each in self._all.values() if each.connection == connection]
        for session in gone:
            del self._all[session.key]
        return gone

    def has_group(self, group_id: str) -> bool:
        """Whether any member of a group has a session."""
        return any(key.group_id == group_id for key in self._all)
