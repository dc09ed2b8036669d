"""Remembered directories survive a restart: each directory has a small file of the replicas that
are to come to it (B-09).

Knows JSON and jobs; `core.logdirs.remembered_directories` knows what an entry means. Belongs to
`logdirs`. Apache Kafka leaves plain files in a log directory's root alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Final, TypedDict

from spindle.core.logdirs.remembered_directories import RememberedDirectories, RememberedDirectory
from spindle.model.errors import DiskFailed, Failure
from spindle.model.ids import LogDir, TopicPartition, id_from_text, id_to_text
from spindle.model.jobs import (
    GetFile,
    PutFile,
    RemoveFile,
)
from spindle.model.outbox import Outbox
from spindle.node.logdirs.directories import Directories

FILE: Final = "spindle-wishes.json"
"""The name, and the key inside, are those of the first release that had such files."""
GATHER: Final = 0.05
"""Seconds in which changes are gathered for one write."""
PATIENCE: Final = 2.0
"""Seconds after which whoever waits for a write goes on without it: the disk may hang."""


class RememberedDirectoryFiles:
    """Reads the files once, writes them when entries change."""

    def __init__(
        self,
        out: Outbox,
        remembered: RememberedDirectories,
        directories: Directories,
    ) -> None:
        self._out = out
        self.remembered = remembered
        self._directories = directories
        self._dirty: dict[LogDir, None] = {}
        self._reading = 0
        self._writing = 0
        self._waiting: list[Callable[[], None]] = []

    @property
    def is_read(self) -> bool:
        """Whether all that was asked for has been read."""
        return self._reading == 0

    def read(self, path: LogDir) -> None:
        """Take up the entries from before the restart."""
        self._reading += 1
        self._out.run(GetFile(path, FILE), partial(self._on_read, path))

    def _on_read(self, path: LogDir, result: bytes | Failure | None) -> None:
        self._reading -= 1
        if isinstance(result, DiskFailed):
            self._directories.on_disk_failed(result)
        if not isinstance(result, bytes):
            return
        try:
            for name, entry in _decode(path, result):
                self.remembered.restore(name, entry)
        except (ValueError, KeyError, TypeError) as error:
            self._out.say(
                "warning",
                "remembered directories cannot be read",
                directory=path,
                reason=str(error),
            )

    def changed(self, path: LogDir) -> None:
        """The entries of a directory are others now: write them soon."""
        if not self._dirty:
            self._out.after(GATHER, self._write)
        self._dirty[path] = None

    def when_written(self, then: Callable[[], None]) -> None:
        """Run `then` once all changes are on disk: they outlive us from there on."""
        waits = [then]

        def once() -> None:
            if waits:
                waits.pop()()

        self._waiting.append(once)
        self._out.after(PATIENCE, once)
        self._look()

    def _look(self) -> None:
        if self._dirty or self._writing:
            return
        waiting, self._waiting = self._waiting, []
        for once in waiting:
            once()

    def _write(self) -> None:
        dirty, self._dirty = self._dirty, {}
        for path in dirty:
            remembered = self.remembered.in_directory(path, self._out.wall_ms)
            job = PutFile(path, FILE, _encode(remembered)) if remembered else RemoveFile(path, FILE)
            self._writing += 1
            self._out.run(job, self._on_written)

    def _on_written(self, result: Failure | None) -> None:
        self._writing -= 1
        if isinstance(result, DiskFailed):
            self._directories.on_disk_failed(result)
        self._look()


def _encode(remembered: list[tuple[TopicPartition, RememberedDirectory]]) -> bytes:
    rows = [
        {
            "topic": name.topic,
            "partition": name.partition,
            "id": None if entry.topic_id is None else id_to_text(entry.topic_id),
            "until": entry.until_ms,
        }
        for name, entry in remembered
    ]
    return json.dumps({"version": 1, "wishes": rows}).encode()


class _Row(TypedDict):
    topic: str
    partition: int
    id: str | None
    until: int


class _File(TypedDict):
    wishes: list[_Row]


def _decode(path: LogDir, data: bytes) -> list[tuple[TopicPartition, RememberedDirectory]]:
    document: _File = json.loads(data)
    return [
        (
            TopicPartition(str(row["topic"]), int(row["partition"])),
            RememberedDirectory(
                path, None if row["id"] is None else id_from_text(row["id"]), int(row["until"])
            ),
        )
        for row in document["wishes"]
    ]
