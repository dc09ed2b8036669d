"""What AlterReplicaLogDirs asks of one replica: a move, a directory to remember, or nothing.

Decides by where the replica is; carries out nothing itself. Called by the API's handler.
"""

from __future__ import annotations

from typing import Final

from spindle.model.errors import Error
from spindle.model.ids import LogDir, PartitionId, TopicPartition
from spindle.node.broker_context import BrokerContext
from spindle.node.logdirs.alter_log_dirs_manager import AlterLogDirsManager
from spindle.node.logdirs.awaited import Answer
from spindle.node.logdirs.directories import Directories
from spindle.node.logdirs.placement_registry import ReplicaPlacementRegistry, Stage
from spindle.node.logdirs.remembered_directory_files import RememberedDirectoryFiles

NAME_MAX: Final = 255
FUTURE_SUFFIX_LENGTH: Final = len("." + "0" * 32 + "-future")


class Altering:
    """Carries such orders to whom they concern."""

    def __init__(
        self,
        context: BrokerContext,
        directories: Directories,
        places: ReplicaPlacementRegistry,
        moves: AlterLogDirsManager,
        remembered_files: RememberedDirectoryFiles,
    ) -> None:
        self._context = context
        self._directories = directories
        self._places = places
        self._moves = moves
        self._remembered_files = remembered_files

    def alter(self, name: TopicPartition, path: LogDir, then: Answer) -> None:
        """Have a replica moved to a directory, or created there later (K113-01, -08 to -11).

        `then` is told once what was decided is on disk: at once, where there is nothing to do.
        """
        error = self._refusal(name, path)
        if error is not Error.NONE:
            then(error)
            return
        id = self._context.image.resolve(name)
        found = self._places.all.get(id) if id is not None else None
        if found is None or found.stage is Stage.CREATING:
            self._remember(name, id, path, then)
        else:
            self._moves.order(found, path, then)

    def _refusal(self, name: TopicPartition, path: LogDir) -> Error:
        """Why this cannot be done, whatever else comes of it; NONE if it can."""
        if len(f"{name}".encode()) + FUTURE_SUFFIX_LENGTH > NAME_MAX:
            return Error.INVALID_TOPIC_EXCEPTION
        if path not in self._directories.all:
            return Error.LOG_DIR_NOT_FOUND
        if not self._directories.is_online(path):
            return Error.KAFKA_STORAGE_ERROR
        id = self._context.image.resolve(name)
        found = self._places.all.get(id) if id is not None else None
        move = self._moves.under_way.of(found.id) if found is not None else None
        here = found is not None and (
            found.directory == path or (move is not None and move.target == path)
        )
        if not here and self._directories.is_cordoned(path):
            return Error.INVALID_REPLICA_ASSIGNMENT
        if found is not None and found.stage is Stage.OFFLINE:
            return Error.KAFKA_STORAGE_ERROR
        return Error.NONE

    def _remember(
        self, name: TopicPartition, id: PartitionId | None, path: LogDir, then: Answer
    ) -> None:
        topic_id = id.topic_id if id is not None else None
        remembered = self._remembered_files.remembered
        former = remembered.forget(name)
        remembered.remember(name, path, topic_id, self._context.out.wall_ms)
        self._remembered_files.changed(path)
        if former is not None and former != path:
            self._remembered_files.changed(former)
        known = id is not None and self._context.image.partition(id) is not None
        error = Error.REPLICA_NOT_AVAILABLE if known else Error.UNKNOWN_TOPIC_OR_PARTITION
        self._remembered_files.when_written(lambda: then(error))
