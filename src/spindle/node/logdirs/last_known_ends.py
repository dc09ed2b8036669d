"""How far the logs of failed directories had come: one that comes back shorter has lost records.

Noted when a directory fails, in a small file in each directory that still serves: a broker that is
restarted meanwhile knows, too (B-31). A log's entry goes once its replica serves again. Belongs to
`logdirs`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Final, TypedDict

from spindle.model.errors import DiskFailed, Failure
from spindle.model.ids import LogDir, PartitionId, id_from_text, id_to_text
from spindle.model.jobs import GetFile, PutFile, RemoveFile
from spindle.node.broker_context import BrokerContext
from spindle.node.logdirs.directories import Directories

FILE: Final = "spindle-log-ends.json"
GATHER: Final = 0.1
"""Seconds for which changes gather before they are written."""


class LastKnownEnds:
    """The log ends of replicas that do not serve."""

    def __init__(self, context: BrokerContext, directories: Directories) -> None:
        self._out = context.out
        self._directories = directories
        self._ends: dict[PartitionId, int] = {}
        self._written: set[LogDir] = set()
        """Directories that may have the file."""
        self._reading = 0
        self._due = False

    @property
    def is_read(self) -> bool:
        """Whether all that was asked for has been read."""
        return self._reading == 0

    def end_of(self, id: PartitionId) -> int:
        """Where a replica's log had ended at least, as far as is remembered; else 0."""
        return self._ends.get(id, 0)

    def read(self, path: LogDir) -> None:
        """Take up what a run before has noted in a directory."""
        self._reading += 1
        self._out.run(GetFile(path, FILE), partial(self._on_read, path))

    def _on_read(self, path: LogDir, result: bytes | Failure | None) -> None:
        self._reading -= 1
        if isinstance(result, DiskFailed):
            self._directories.on_disk_failed(result)
        if not isinstance(result, bytes):
            return
        self._written.add(path)
        try:
            found = _decode(result)
        except (ValueError, KeyError, TypeError) as error:
            self._out.say("warning", "log ends cannot be read", directory=path, reason=str(error))
            self._change()
            return
        for id, end in found.items():
            self._ends[id] = max(end, self.end_of(id))

    def note(self, ends: Mapping[PartitionId, int]) -> None:
        """These logs are in a directory that has just failed."""
        self._ends.update(ends)
        if ends:
            self._change()

    def forget(self, id: PartitionId) -> None:
        """A replica serves again, wherever its log is, or it is not ours any more."""
        if self._ends.pop(id, None) is not None:
            self._change()

    def _change(self) -> None:
        if not self._due:
            self._due = True
            self._out.after(GATHER, self._write)

    def _write(self) -> None:
        self._due = False
        data = _encode(self._ends)
        for directory in self._directories.online:
            path = directory.path
            if self._ends:
                self._written.add(path)
                self._out.run(PutFile(path, FILE, data), self._on_written)
            elif path in self._written:
                self._written.discard(path)
                self._out.run(RemoveFile(path, FILE), self._on_written)

    def _on_written(self, result: Failure | None) -> None:
        if isinstance(result, DiskFailed):
            self._directories.on_disk_failed(result)


def _encode(ends: Mapping[PartitionId, int]) -> bytes:
    rows = [
        {"id": id_to_text(id.topic_id), "partition": id.partition, "end": end}
        for id, end in ends.items()
    ]
    return json.dumps({"version": 1, "logs": rows}).encode()


class _RememberedRow(TypedDict):
    id: str
    partition: int
    end: int


class _RememberedFile(TypedDict):
    logs: list[_RememberedRow]


def _decode(data: bytes) -> dict[PartitionId, int]:
    document: _RememberedFile = json.loads(data)
    return {
        PartitionId(id_from_text(row["id"]), int(row["partition"])): int(row["end"])
        for row in document["logs"]
    }
