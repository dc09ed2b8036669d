"""The Disk port: all that storage may ask of a file system, in a dozen verbs that may fail.

Two twins implement it: `runtime.os_disk` (the operating system) and `sim.memory_disk` (memory,
seeded faults, crashes that lose what was not synced). Every verb raises OSError and nothing else;
paths are absolute. No implementation maps files into memory: a fault there would kill the process
(B-14).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

from spindle.model.batches import Buffer
from spindle.model.copying_jobs import FULL_PACE, CopyPace
from spindle.model.log_values import Usage


class Seen(Protocol):
    """Looks at bytes on their way; what it raises ends the copy. It keeps none of them.

    Plain state: another process may copy, with one of its own, so the caller learns nothing from it
    but what it raises.
    """

    def feed(self, part: Buffer) -> None:
        """The next bytes, before they are written."""

    def finish(self) -> None:
        """All bytes that were asked for have passed."""


class Unseen:
    """The bytes are not looked at."""

    def feed(self, part: Buffer) -> None:
        """Nothing."""

    def finish(self) -> None:
        """Nothing."""


UNSEEN: Final = Unseen()


class CopyOptions(NamedTuple):
    """How a copy spares others.

    `growing`: appends to the source go on meanwhile, and must not wait for the copy.
    `pace`: in which parts it works, and how long it rests in between.
    """

    growing: bool = False
    pace: CopyPace = FULL_PACE


AT_ONCE: Final = CopyOptions()
"""Spares no other work."""


class Stat(NamedTuple):
    """Size in bytes, time of the last change in ms since 1970, and what it is."""

    size: int
    modified_ms: int
    is_directory: bool


class File(Protocol):
    """An open file. Position is always given: a file has no cursor."""

    def size(self) -> int:
        """Bytes in the file now."""

    def read(self, offset: int, length: int) -> bytes:
        """Up to `length` bytes from `offset`; fewer only at the end of the file."""

    def lend(self, offset: int, length: int) -> Buffer:
        """What `read` gives, to be looked at only: its memory may be used again afterwards."""

    def write(self, offset: int, buffers: Sequence[Buffer]) -> int:
        """Write all buffers one after the other from `offset`; the bytes written (all of them)."""

    def truncate(self, size: int) -> None:
        """Cut or extend (with zeros) to `size`."""

    def sync(self) -> None:
        """Return when all that was written is on the medium (fdatasync)."""

    def close(self) -> None:
        """Let go of it; further use is a bug."""


class Disk(Protocol):
    """A file system as storage sees it."""

    def open(self, path: str, create: bool = False) -> File:
        """Open for reading and writing; `create` makes it if it is missing."""

    def list(self, path: str) -> list[str]:
        """Names in a directory, sorted."""

    def stat(self, path: str) -> Stat | None:
        """What is known of a path, or None where there is nothing."""

    def make_dir(self, path: str) -> None:
        """Make a directory. OSError ENOENT without a parent, EEXIST where the name is taken."""

    def make_dirs(self, path: str) -> None:
        """Make a directory, parents too; no error if it is there. Only where a disk is formatted:

        a directory that is merely not mounted must not be made on the file system below it.
        """

    def rename(self, source: str, target: str) -> None:
        """Rename atomically; a file at `target` gives way."""

    def remove(self, path: str) -> None:
        """Unlink a file, or an empty directory."""

    def sync_dir(self, path: str) -> None:
        """Return when the directory's entries are on the medium."""

    def copy(
        self,
        source: File,
        start: int,
        target: File,
        at: int,
        length: int,
        seen: Seen = UNSEEN,
        manner: CopyOptions = AT_ONCE,
    ) -> int:
        """Copy bytes, past the page cache if it can; fewer than asked for only at the file's end.

        `seen` gets all of them, in order, each before it is written; the end too, if all were
        there.
        """

    def usage(self, path: str) -> Usage:
        """Bytes of the file system under `path`, and its device."""

    def lock(self, path: str) -> File:
        """Open and lock a file against other processes; OSError EAGAIN if another holds it."""
