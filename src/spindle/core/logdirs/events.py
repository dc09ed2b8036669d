"""What happens in the log directories and to the logs in them, as values.

Posting one is the only way up from a part to the whole: the part that posts an event knows none of
the parts that receive it. `node/logdirs/log_dir_manager` has the table of the receivers, with their
order, and the loop that delivers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from spindle.model.errors import DiskFailed, LogFailed
from spindle.model.ids import LogDir, PartitionId
from spindle.model.log_values import LogKey


class LogJobFailed(NamedTuple):
    """A job was answered that its disk failed."""

    failure: DiskFailed


class LogDamaged(NamedTuple):
    """One log is damaged or gone."""

    id: PartitionId
    failure: LogFailed


class LogCrowded(NamedTuple):
    """A log cannot take more: its disk is full."""

    id: PartitionId


class LogTruncated(NamedTuple):
    """A log was cut back to `offset`."""

    id: PartitionId
    offset: int


class LogStartMoved(NamedTuple):
    """A log begins at `offset` now."""

    id: PartitionId
    offset: int


class LogShortened(NamedTuple):
    """A log has set segments aside, which are to be unlinked."""

    path: LogDir
    key: LogKey


LogEvent: TypeAlias = (
    LogJobFailed | LogDamaged | LogCrowded | LogTruncated | LogStartMoved | LogShortened
)
"""What the parts that work with the records of hosted logs post."""


class DirectoryFailed(NamedTuple):
    """A directory is lost."""

    path: LogDir


class DirectoryFull(NamedTuple):
    """A directory has no room."""

    path: LogDir


class DirectoryHasRoom(NamedTuple):
    """A full directory has room again."""

    path: LogDir


class DirectoryPaceChanged(NamedTuple):
    """A directory has become slow, or is slow no longer."""

    path: LogDir


class DirectoryDoubted(NamedTuple):
    """A job has failed in a directory a moment ago, though the directory has not."""

    path: LogDir
    why: str


class DirectoryReopened(NamedTuple):
    """A failed directory is open again; the cluster does not know it yet."""

    path: LogDir


class CopySetAside(NamedTuple):
    """A copy of a move is no future log any more, or cannot be made so."""

    id: PartitionId


class LogsCompared(NamedTuple):
    """Every log found was compared with the metadata of this registration."""


class ReplicaAdded(NamedTuple):
    """The metadata gives this broker a replica that it did not have."""

    id: PartitionId


class ReplicaServed(NamedTuple):
    """A replica serves, perhaps again."""

    id: PartitionId


class ReplicaUnserved(NamedTuple):
    """A replica's log could not be made or loaded, on a directory that is well."""

    id: PartitionId
    failure: LogFailed


class ReplicaChanged(NamedTuple):
    """A replica's log is somewhere, or nowhere, or is named elsewhere."""

    id: PartitionId


class ReplicaRemoved(NamedTuple):
    """A replica is not this broker's any more."""

    id: PartitionId


LogDirEvent: TypeAlias = (
    DirectoryFailed
    | DirectoryFull
    | DirectoryHasRoom
    | DirectoryPaceChanged
    | DirectoryDoubted
    | DirectoryReopened
    | CopySetAside
    | LogsCompared
    | ReplicaAdded
    | ReplicaServed
    | ReplicaUnserved
    | ReplicaChanged
    | ReplicaRemoved
    | LogEvent
)
Post: TypeAlias = Callable[[LogDirEvent], None]
"""Receives events."""


class EventQueue:
    """Delivers events one after the other, in the order in which they were posted."""

    def __init__(self, deliver: Post) -> None:
        self._deliver = deliver
        self._waiting: deque[LogDirEvent] = deque()
        self._is_delivering = False

    def post(self, event: LogDirEvent) -> None:
        """Something has happened.

        Outside of a delivery it is delivered before this returns; what comes of a delivery waits
        until that is over.
        """
        self._waiting.append(event)
        if self._is_delivering:
            return
        self._is_delivering = True
        while self._waiting:
            self._deliver(self._waiting.popleft())
        self._is_delivering = False
