"""What the world of replicas is made of: answers that come later, and stand-ins."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tools.messages.entities import request_class, response_class
from tools.messages.frames import decode_response

from spindle.core.logdirs.events import (
    LogDamaged,
    LogEvent,
    LogJobFailed,
    LogStartMoved,
    LogTruncated,
)
from spindle.model.batches import Buffer
from spindle.model.errors import DiskFailed, LogFailed
from spindle.model.ids import PartitionId
from spindle.node.replicas.replica_manager import ReplicaManager
from spindle.wire.batch import records as records_of
from spindle.wire.batch import split


@dataclass
class Logs:
    """Stands for the node's log directories: remembers each call."""

    replicas: ReplicaManager
    disk_failures: list[DiskFailed] = field(default_factory=list)
    log_failures: list[tuple[PartitionId, LogFailed]] = field(default_factory=list)
    truncated: list[tuple[PartitionId, int]] = field(default_factory=list)
    starts: list[tuple[PartitionId, int]] = field(default_factory=list)
    answered: list[PartitionId] = field(default_factory=list)

    def post(self, event: LogEvent) -> None:
        match event:
            case LogJobFailed(failure):
                self.disk_failures.append(failure)
                if failure.errno == 5:
                    self.replicas.on_directory_failed(failure.directory)
            case LogDamaged(id, damage):
                self.log_failures.append((id, damage))
            case LogTruncated(id, offset):
                self.truncated.append((id, offset))
            case LogStartMoved(id, offset):
                self.starts.append((id, offset))

    def on_answered(self, id: PartitionId) -> None:
        self.answered.append(id)


class Answer:
    """An answer that is or will be there."""

    def __init__(self, key: int, version: int) -> None:
        self._class = response_class(key, version)
        self._key, self._version = key, version
        self.frames: list[list[Buffer]] = []

    def take(self, buffers: list[Buffer]) -> None:
        self.frames.append(buffers)

    @property
    def there(self) -> bool:
        return bool(self.frames)

    @property
    def entity(self) -> Any:
        assert len(self.frames) == 1, f"{len(self.frames)} answers"
        frame = b"".join(bytes(b) for b in self.frames[0])
        return decode_response(request_class(self._key, self._version), frame[4:])


def produced(answer: Answer) -> Any:
    """The one partition of a produce's answer."""
    return answer.entity.responses[0].partition_responses[0]


def fetched(answer: Answer) -> Any:
    """The one partition of a fetch's answer."""
    return answer.entity.responses[0].partitions[0]


def values_of(told: Any) -> list[bytes | None]:
    """The values in a fetched partition."""
    return [x.value for b in split(told.records or b"") for x in records_of(b)]
