"""Directory wishes survive a restart: a small file in each directory that is wished for (B-09).

Knows JSON and jobs; what a wish means is `core.logdirs.wishes`'s. Belongs to `logdirs`. Apache
Kafka leaves plain files in a log directory's root alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Final, TypedDict

from spindle.core.logdirs.wishes import Wish, Wishes
from spindle.model.errors import DiskFailed, Failure
from spindle.model.ids import LogDir, TopicPartition, id_from_text, id_to_text
from spindle.model.jobs import (
    GetFile,
    PutFile,
    RemoveFile,
)
from spindle.model.outbox import Outbox

FILE: Final = "spindle-wishes.json"
GATHER: Final = 0.05
"""Seconds in which changes are gathered for one write."""
PATIENCE: Final = 2.0
"""Seconds after which whoever waits for a write goes on without it: the disk may hang."""


class WishFiles:
    """Reads the files once, writes them when wishes change."""

    def __init__(
        self, out: Outbox, wishes: Wishes, on_disk_failed: Callable[[DiskFailed], None]
    ) -> None:
        self._out = out
        self.wishes = wishes
        self._on_disk_failed = on_disk_failed
        self._dirty: dict[LogDir, None] = {}
        self._reading = 0
        self._writing = 0
        self._waiting: list[Callable[[], None]] = []

    @property
    def is_read(self) -> bool:
        """Whether all that was asked for has been read."""
        return self._reading == 0

    def read(self, path: LogDir) -> None:
        """Take up the wishes of before."""
        self._reading += 1
        self._out.run(GetFile(path, FILE), partial(self._on_read, path))

    def _on_read(self, path: LogDir, result: bytes | Failure | None) -> None:
        self._reading -= 1
        if isinstance(result, DiskFailed):
            self._on_disk_failed(result)
        if not isinstance(result, bytes):
            return
        try:
            for name, wish in _decode(path, result):
                self.wishes.restore(name, wish)
        except (ValueError, KeyError, TypeError) as error:
            self._out.say("warning", "wishes cannot be read", directory=path, why=str(error))

    def changed(self, path: LogDir) -> None:
        """The wishes for a directory are others now: write them soon."""
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
            wishes = self.wishes.in_directory(path, self._out.wall_ms)
            job = PutFile(path, FILE, _encode(wishes)) if wishes else RemoveFile(path, FILE)
            self._writing += 1
            self._out.run(job, self._on_written)

    def _on_written(self, result: Failure | None) -> None:
        self._writing -= 1
        if isinstance(result, DiskFailed):
            self._on_disk_failed(result)
        self._look()


def _encode(wishes: list[tuple[TopicPartition, Wish]]) -> bytes:
    rows = [
        {
            "topic": name.topic,
            "partition": name.partition,
            "id": None if wish.topic_id is None else id_to_text(wish.topic_id),
            "until": wish.until_ms,
        }
        for name, wish in wishes
    ]
    return json.dumps({"version": 1, "wishes": rows}).encode()


class _WishRow(TypedDict):
    topic: str
    partition: int
    id: str | None
    until: int


class _WishFile(TypedDict):
    wishes: list[_WishRow]


def _decode(path: LogDir, data: bytes) -> list[tuple[TopicPartition, Wish]]:
    document: _WishFile = json.loads(data)
    return [
        (
            TopicPartition(str(row["topic"]), int(row["partition"])),
            Wish(path, None if row["id"] is None else id_from_text(row["id"]), int(row["until"])),
        )
        for row in document["wishes"]
    ]
