"""What AlterReplicaLogDirs asks of one replica: a move, a wish for later, or nothing (K113-01).

Decides by where the replica is; carries out nothing itself. Called by the API's handler.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from spindle.model.errors import Error
from spindle.model.ids import LogDir, PartitionId, TopicPartition
from spindle.node.logdirs.places import Stage

if TYPE_CHECKING:
    from spindle.node.logdirs.logdirs import LogDirs

NAME_MAX: Final = 255
FUTURE_SUFFIX_LENGTH: Final = len("." + "0" * 32 + "-future")


def alter(logs: LogDirs, name: TopicPartition, path: LogDir) -> Error:
    """Have a replica moved to a directory, or created there later (K113-01, -08 to -11)."""
    if len(f"{name}".encode()) + FUTURE_SUFFIX_LENGTH > NAME_MAX:
        return Error.INVALID_TOPIC_EXCEPTION
    if path not in logs.directories.all:
        return Error.LOG_DIR_NOT_FOUND
    if not logs.directories.is_online(path):
        return Error.KAFKA_STORAGE_ERROR
    id = logs.broker.image.resolve(name)
    found = logs.places.all.get(id) if id is not None else None
    move = logs.moves.of(found.id) if found is not None else None
    here = found is not None and (
        found.directory == path or (move is not None and move.target == path)
    )
    if not here and logs.directories.is_cordoned(path):
        return Error.INVALID_REPLICA_ASSIGNMENT
    if found is not None and found.stage is Stage.OFFLINE:
        return Error.KAFKA_STORAGE_ERROR
    if found is None or found.stage is Stage.CREATING:
        return _remember(logs, name, id, path)
    if found.directory == path:
        logs.moves.cancel(found.id)
    elif move is None or move.target != path:
        logs.moves.begin(found, path)
    return Error.NONE


def _remember(logs: LogDirs, name: TopicPartition, id: PartitionId | None, path: LogDir) -> Error:
    topic_id = id.topic_id if id is not None else None
    logs.places.wishes.remember(name, path, topic_id, logs.broker.out.wall_ms)
    logs.wish_files.changed(path)
    if id is None or logs.broker.image.partition(id) is None:
        return Error.UNKNOWN_TOPIC_OR_PARTITION
    return Error.REPLICA_NOT_AVAILABLE
