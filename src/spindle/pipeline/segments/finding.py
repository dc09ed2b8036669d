"""What lies on disks, and how it is cut into pieces to be read in parallel.

Looks at names, sizes and indexes, never at a whole segment. What cannot be listed becomes a
`Trouble`, since the disk may be failing; what vanishes meanwhile is left out, since a broker may be
at work. Called by `source`; paths are those of the machine that reads.
"""

from __future__ import annotations

import glob
import os
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from spindle.model.errors import Unusable
from spindle.pipeline.segments.walking import Piece
from spindle.storage import layout
from spindle.storage.layout import EntryKind
from spindle.storage.scan import HEADER_SIZE, MAGIC, OVERHEAD

_TIME_ENTRY: Final = 12
_INDEX: Final = np.dtype([("offset", ">i4"), ("position", ">i4")])
_FRONT: Final = struct.Struct(">qi4xb6xi")
_SUFFIXED: Final = re.compile(r"^(?P<topic>\S+)-(?P<partition>\d+)(?:\.\S+)?-[A-Za-z]+$")
"""A log's copy that waits for its end, or was set aside by hand (`-bad`, `-old`)."""
OTHER: Final = "other"
"""The kind of copies whose suffix is not Kafka's."""


@dataclass(frozen=True, slots=True)
class SegmentFilter:
    """What is wanted. Offsets and times (ms) from the first on and before the second; None: any.

    `kinds`: which logs count: current, future, delete, stray, other.
    """

    topics: frozenset[str] | None = None
    partitions: frozenset[int] | None = None
    kinds: frozenset[str] = frozenset({"current"})
    first_offset: int | None = None
    end_offset: int | None = None
    first_time: int | None = None
    end_time: int | None = None


@dataclass(frozen=True, slots=True)
class SegmentedLog:
    """A partition's log in a directory. `name`: of its own directory below `disk`."""

    disk: str
    name: str
    topic: str
    partition: int
    kind: str

    @property
    def path(self) -> str:
        """Its directory."""
        return f"{self.disk}/{self.name}"


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a segment of a log. `inode`: of the file when it was looked at."""

    log: SegmentedLog
    piece: Piece
    inode: int

    @property
    def path(self) -> str:
        """The segment's file."""
        return f"{self.log.path}/{layout.segment_file(self.piece.base)}"

    @property
    def size(self) -> int:
        """Bytes to be read."""
        return self.piece.end - self.piece.start


@dataclass(frozen=True, slots=True)
class Trouble:
    """What could not even be listed: a disk, or a log on it."""

    disk: str
    log: SegmentedLog | None
    error: str


@dataclass(slots=True)
class FoundSegments:
    """All parts and troubles."""

    parts: list[Part] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)


def find(paths: list[str], bounds: SegmentFilter, split: int) -> FoundSegments:
    """Everything below `paths` that is within bounds, in parts of about `split` bytes.

    A path is a log directory, a directory of one log, or a pattern of either. Unusable where
    nothing is there.
    """
    found = FoundSegments()
    for disk in _existing(paths):
        try:
            logs = list(_logs(disk))
        except OSError as error:
            found.troubles.append(Trouble(disk, None, f"cannot be listed: {error.strerror}"))
            continue
        for log in logs:
            if _wanted(log, bounds):
                _add(found, log, bounds, split)
    return found


def _existing(paths: list[str]) -> list[str]:
    there: list[str] = []
    for path in paths:
        matches = sorted(glob.glob(path)) if glob.has_magic(path) else [path]
        matches = [os.path.abspath(p) for p in matches if _may_be_there(p)]
        if not matches:
            raise Unusable(
                f"there is no log directory {path}: name a directory of Kafka's log.dirs, one of a"
                " partition in it, or a pattern; it must be visible where Spark's workers run"
            )
        there += matches
    return list(dict.fromkeys(there))


def _may_be_there(path: str) -> bool:
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True  # A dead disk: reported as such.
    return True


def _logs(disk: str) -> Iterator[SegmentedLog]:
    """The logs of a log directory, or the one whose directory this is."""
    folder, name = os.path.split(disk)
    own = _log(folder, name)
    with os.scandir(disk) as entries:
        names = sorted(e.name for e in entries if e.is_dir() or (own and e.name.endswith(".log")))
    if own is not None and any(layout.parse_segment_file(n) for n in names):
        yield own
        return
    for name in names:
        log = _log(disk, name)
        if log is not None:
            yield log


def _log(disk: str, name: str) -> SegmentedLog | None:
    kind, key = layout.parse_directory(name)
    if key is not None:
        return SegmentedLog(disk, name, key.topic, key.partition, kind.value)
    suffixed = _SUFFIXED.match(name)
    if suffixed is None:
        return None
    known = OTHER if kind is EntryKind.FOREIGN else kind.value
    return SegmentedLog(disk, name, suffixed["topic"], int(suffixed["partition"]), known)


def _wanted(log: SegmentedLog, bounds: SegmentFilter) -> bool:
    return (
        log.kind in bounds.kinds
        and (bounds.topics is None or log.topic in bounds.topics)
        and (bounds.partitions is None or log.partition in bounds.partitions)
    )


def _add(found: FoundSegments, log: SegmentedLog, bounds: SegmentFilter, split: int) -> None:
    try:
        with os.scandir(log.path) as entries:
            names = [e.name for e in entries]
    except FileNotFoundError:
        return  # Moved or deleted by its broker just now.
    except OSError as error:
        found.troubles.append(Trouble(log.disk, log, f"cannot be listed: {error.strerror}"))
        return
    segments = sorted(
        s.offset for s in map(layout.parse_segment_file, names) if s and s.kind == layout.LOG
    )
    for number, base in enumerate(segments):
        following = segments[number + 1] if number + 1 < len(segments) else None
        if _outside(log, base, following, bounds):
            continue
        path = f"{log.path}/{layout.segment_file(base)}"
        try:
            state = os.stat(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            text = f"{layout.segment_file(base)}: {error.strerror}"
            found.troubles.append(Trouble(log.disk, log, text))
            continue
        pieces = _pieces(path, base, state.st_size, following, bounds, split)
        found.parts += [Part(log, piece, state.st_ino) for piece in pieces]


def _outside(log: SegmentedLog, base: int, following: int | None, bounds: SegmentFilter) -> bool:
    """Whether a segment's name, or its time index, says that it has nothing that is wanted."""
    if bounds.end_offset is not None and base >= bounds.end_offset:
        return True
    if following is None:
        return False
    if bounds.first_offset is not None and following <= bounds.first_offset:
        return True
    if bounds.first_time is None:
        return False
    newest = _newest(f"{log.path}/{layout.segment_file(base, layout.TIME_INDEX)}")
    return newest is not None and newest < bounds.first_time


def _newest(path: str) -> int | None:
    """The last timestamp (ms) of a sealed segment's time index; None where it does not say."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size == 0 or size % _TIME_ENTRY:
                return None
            file.seek(size - _TIME_ENTRY)
            (newest,) = struct.unpack(">q4x", file.read(_TIME_ENTRY))
    except (OSError, struct.error):
        return None
    return int(newest) if newest > 0 else None


def _pieces(
    path: str, base: int, size: int, following: int | None, bounds: SegmentFilter, split: int
) -> list[Piece]:
    """A segment in pieces that begin where batches do, as its index says and their headers."""
    cuts = [(0, base)]
    if size > split or (bounds.first_offset is not None and size > HEADER_SIZE):
        cuts = _cuts(path, base, size, bounds, split)
    ends = [*cuts[1:], (size, following)]
    return [
        Piece(base, start, end, first, after, tail=following is None and end == size)
        for (start, first), (end, after) in zip(cuts, ends, strict=True)
        if end > start and not _beyond(first, after, bounds)
    ]


def _beyond(first: int, after: int | None, bounds: SegmentFilter) -> bool:
    below = bounds.first_offset is not None and after is not None and after <= bounds.first_offset
    return below or (bounds.end_offset is not None and first >= bounds.end_offset)


def _cuts(
    path: str, base: int, size: int, bounds: SegmentFilter, split: int
) -> list[tuple[int, int]]:
    """(position, base offset) of the batches that pieces begin with."""
    entries = _index(path.removesuffix(layout.LOG) + layout.INDEX, size)
    positions = entries["position"].astype(np.int64)
    wanted = list(range(split, size, split))
    if bounds.first_offset is not None:
        behind = int(np.searchsorted(base + entries["offset"], bounds.first_offset, "right"))
        if behind:
            wanted.append(int(positions[behind - 1]))
    numbers = np.searchsorted(positions, np.array(sorted(wanted), np.int64))
    cuts = [(0, base)]
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return cuts
    try:
        for number in dict.fromkeys(numbers.tolist()):
            if number < len(positions) and positions[number] > cuts[-1][0]:
                at, limit = int(positions[number]), base + int(entries["offset"][number])
                first = _first_offset(file, at, size, cuts[-1][1], limit)
                if first is not None:
                    cuts.append((at, first))
    finally:
        os.close(file)
    return cuts


def _index(path: str, size: int) -> npt.NDArray[np.void]:
    """The entries of an offset index; none where it is missing or no good."""
    try:
        with open(path, "rb") as file:
            # An active segment's index may be preallocated: zeros behind its last entry.
            data = file.read(min(os.fstat(file.fileno()).st_size, size // HEADER_SIZE * 8 + 8))
    except OSError:
        return np.empty(0, _INDEX)
    entries = np.frombuffer(data[: len(data) // 8 * 8], _INDEX)
    positions = entries["position"].astype(np.int64)
    blank = np.flatnonzero(positions <= 0)
    good = entries[: int(blank[blank > 0][0])] if np.any(blank > 0) else entries
    good = good[good["position"] > 0]
    steps = np.diff(good["position"].astype(np.int64)), np.diff(good["offset"].astype(np.int64))
    if len(good) and (np.any(steps[0] <= 0) or np.any(steps[1] <= 0)):
        return np.empty(0, _INDEX)
    return good


def _first_offset(file: int, at: int, size: int, before: int, limit: int) -> int | None:
    """The base offset of the batch that begins at `at`, if one does."""
    try:
        front = os.pread(file, _FRONT.size, at)
    except OSError:
        return None
    if len(front) < _FRONT.size:
        return None
    base, length, magic, delta = _FRONT.unpack(front)
    good = (
        magic == MAGIC
        and HEADER_SIZE <= length + OVERHEAD <= size - at
        and delta >= 0
        and before < base <= limit
    )
    return int(base) if good else None
