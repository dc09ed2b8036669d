"""Names on disk: directories of logs, files inside them, files of a log directory's root.

Pure: opens nothing. The rules are Apache Kafka's (facts of 4.3); KIP-113 calls the future log's
suffix `.move`, what shipped is `-future`. Called by the rest of the storage room and by tools.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final, NamedTuple

from spindle.model.ids import METADATA_TOPIC
from spindle.model.log_values import LogKey

NAME_MAX: Final = 255
"""Bytes that a file system allows for a name."""

LOCK: Final = ".lock"
META_PROPERTIES: Final = "meta.properties"
BOOTSTRAP: Final = "bootstrap.checkpoint"
METADATA_FOLDER: Final = f"{METADATA_TOPIC}-0"
FIRST_QUORUM: Final = "00000000000000000000-0000000000.checkpoint"
"""The voters with which a dynamic quorum begins (KIP-853)."""
RECOVERY_POINTS: Final = "recovery-point-offset-checkpoint"
LOG_STARTS: Final = "log-start-offset-checkpoint"
HIGH_WATERMARKS: Final = "replication-offset-checkpoint"
CLEANER_OFFSETS: Final = "cleaner-offset-checkpoint"
CLEAN_SHUTDOWN: Final = ".kafka_cleanshutdown"

PARTITION_METADATA: Final = "partition.metadata"
LEADER_EPOCHS: Final = "leader-epoch-checkpoint"
KEPT: Final = "move-kept"
"""Spindle's, in a `-delete` directory: a move may resume from it. Apache Kafka just deletes it."""

BAD: Final = "replica-bad"
"""Spindle's: the log is damaged, and is not served (KIP-589). Apache Kafka ignores it."""

LOG: Final = ".log"
INDEX: Final = ".index"
TIME_INDEX: Final = ".timeindex"
TXN_INDEX: Final = ".txnindex"
SNAPSHOT: Final = ".snapshot"
TEMPORARY: Final = ".tmp"
CLEANED: Final = ".cleaned"
SWAP: Final = ".swap"
DELETED: Final = ".deleted"
ASIDE: Final = ".aside"
"""What was in the place of a checkpoint, and is none."""
CUT: Final = ".cut"
"""Bytes that were cut from the metadata log with good batches among them. Nothing reads it."""

_REMOTE_CACHE: Final = "remote-log-index-cache"
_SUFFIXED = re.compile(r"^(?P<base>\S+-\S+)\.\S+-(?P<suffix>delete|future|stray)$")
_SEGMENT_FILE = re.compile(r"^(?P<offset>[0-9]{20})(?P<kind>\.(?:log|index|timeindex|txnindex))$")
_SNAPSHOT_FILE = re.compile(r"^(?P<offset>[0-9]{20})\.snapshot$")
_MISSING = re.compile(r"^missing-(?P<first>[0-9]{20})-(?P<next>[0-9]{20})\.deleted$")
_UNBROKEN = re.compile(r"^unbroken-(?P<offset>[0-9]{20})\.deleted$")


class EntryKind(Enum):
    """What a sub-directory of a log directory is, by its name."""

    CURRENT = "current"
    FUTURE = "future"
    DELETE = "delete"
    STRAY = "stray"
    FOREIGN = "foreign"
    """Not a log's (`lost+found`, ...): the broker leaves it alone and reports it (B-15)."""


class Parsed(NamedTuple):
    """A sub-directory's name, understood; `key` for current and future logs only."""

    kind: EntryKind
    key: LogKey | None = None


def parse_directory(name: str) -> Parsed:
    """What the sub-directory `name` of a log directory is."""
    if name == _REMOTE_CACHE:
        return Parsed(EntryKind.FOREIGN)
    suffixed = _SUFFIXED.match(name)
    if suffixed is not None:
        kind = EntryKind(suffixed["suffix"])
        if kind is not EntryKind.FUTURE:
            return Parsed(kind)
        key = _partition_of(suffixed["base"], future=True)
        return Parsed(EntryKind.FOREIGN) if key is None else Parsed(kind, key)
    key = _partition_of(name, future=False)
    return Parsed(EntryKind.FOREIGN) if key is None else Parsed(EntryKind.CURRENT, key)


def _partition_of(name: str, future: bool) -> LogKey | None:
    topic, dash, number = name.rpartition("-")
    if not dash or not topic or not (number.isascii() and number.isdigit()):
        return None
    if number != str(int(number)):
        return None
    return LogKey(topic, int(number), future)


def directory_name(key: LogKey, unique: str = "") -> str:
    """The name of a log's directory. `unique`: 32 hex digits, for a future log only."""
    plain = f"{key.topic}-{key.partition}"
    if not key.future:
        return plain
    assert unique, "a future log's name carries a unique part"
    return f"{plain}.{unique}-future"


def fits(key: LogKey) -> bool:
    """Whether the file system can hold this log's directory name: a future's is never cut."""
    unique = "0" * 32 if key.future else ""
    return len(directory_name(key, unique).encode()) <= NAME_MAX


def discarded_name(key: LogKey, unique: str, suffix: str) -> str:
    """The name of a log that waits for its end (`delete`) or for a decision (`stray`).

    The topic's part is cut where the whole would be longer than a file system allows.
    """
    assert suffix in ("delete", "stray")
    tail = f"-{key.partition}.{unique}-{suffix}"
    return key.topic[: NAME_MAX - len(tail)] + tail


def is_discarded(name: str) -> bool:
    """Whether `name` is a `-delete` or `-stray` directory: all that may be purged."""
    return "/" not in name and parse_directory(name).kind in (EntryKind.DELETE, EntryKind.STRAY)


def partition_of_discarded(name: str) -> int | None:
    """The partition of a `-delete` or `-stray` directory, by its name; the topic's may be cut."""
    found = _SUFFIXED.match(name)
    key = _partition_of(found["base"], future=False) if found is not None else None
    return None if key is None else key.partition


def is_metadata(key: LogKey) -> bool:
    """Whether this is the log of the controllers' quorum."""
    return key.topic == METADATA_TOPIC


def segment_file(offset: int, kind: str = LOG) -> str:
    """The name of a segment's file: its base offset in 20 digits, and what it holds."""
    return f"{offset:020d}{kind}"


class SegmentFile(NamedTuple):
    """A file of a segment by its name."""

    offset: int
    kind: str


def parse_segment_file(name: str) -> SegmentFile | None:
    """A segment's base offset and the kind of file, or None where it is none."""
    found = _SEGMENT_FILE.match(name)
    return None if found is None else SegmentFile(int(found["offset"]), found["kind"])


def unbroken_file(offset: int) -> str:
    """Spindle's: from `offset` on no offset is missing between segments (see `unbroken`)."""
    return f"unbroken-{offset:020d}{DELETED}"


def parse_unbroken(name: str) -> int | None:
    """The offset that such a name has, or None where it is none."""
    found = _UNBROKEN.match(name)
    return None if found is None else int(found["offset"])


def missing_file(gap: tuple[int, int]) -> str:
    """Spindle's: missing offsets, the first and the next that is there (see `unbroken`)."""
    return f"missing-{gap[0]:020d}-{gap[1]:020d}{DELETED}"


def parse_missing(name: str) -> tuple[int, int] | None:
    """The offsets that such a name has, or None where it is none."""
    found = _MISSING.match(name)
    return None if found is None else (int(found["first"]), int(found["next"]))


def is_set_aside(name: str) -> bool:
    """Whether a file in a log's directory waits to be unlinked."""
    ours = parse_unbroken(name) is not None or parse_missing(name) is not None
    return name.endswith(DELETED) and not ours


def parse_snapshot(name: str) -> int | None:
    """The offset of a producer snapshot, or None where the name is not one."""
    found = _SNAPSHOT_FILE.match(name)
    return None if found is None else int(found["offset"])
