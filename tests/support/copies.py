"""What the copies of a partition hold, read from their files: every record at its offset."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from spindle.wire import batch as codec
from tests.support.local import Local
from tests.support.waiting import eventually


class Entry(NamedTuple):
    """A record, or a transaction's marker, as a copy has it."""

    key: bytes | None
    value: bytes | None
    epoch: int
    producer: tuple[int, int]
    attributes: int


Copy = dict[int, Entry]


def _files(folder: Path) -> dict[str, tuple[int, int]]:
    """Which files, and how long, the log has."""
    return {p.name: (p.stat().st_ino, p.stat().st_size) for p in folder.glob("*.log")}


def copy_of(folder: Path) -> Copy | None:
    """All records of a log, by offset; compaction may leave batches without any.

    None where an offset is there twice, as between two files that are just changed for one.
    """
    found: Copy = {}
    for file in sorted(folder.glob("*.log")):
        for batch in codec.split(file.read_bytes(), partial=True):
            codec.check(batch)
            producer = (batch.producer_id, batch.producer_epoch)
            flags = batch.attributes & 0x3F  # Whether it was cleaned is a copy's own affair.
            for record in codec.records(batch):
                if record.offset in found:
                    return None
                found[record.offset] = Entry(
                    record.key, record.value, batch.leader_epoch, producer, flags
                )
    return found


def folders(cluster: Local, topic: str) -> list[Path]:
    """Where the copies of partition 0 lie; each broker has one."""
    found = []
    for node in cluster.brokers:
        (folder,) = (d / f"{topic}-0" for d in node.log_dirs if (d / f"{topic}-0").is_dir())
        found.append(folder)
    return found


def until_equal(cluster: Local, topic: str, *, compacted: bool) -> None:
    """Wait until the copies end at the same offset; then they hold the same.

    `compacted`: each copy may have thrown away superseded records that others still have.
    """

    def together() -> list[Copy] | None:
        there = folders(cluster, topic)
        before = [_files(folder) for folder in there]
        copies = [copy_of(folder) for folder in there]
        if [_files(folder) for folder in there] != before:
            return None  # The cleaner has changed files while they were read.
        doubled = [folder for folder, copy in zip(there, copies, strict=True) if copy is None]
        assert not doubled, f"an offset twice in {doubled}"
        whole = [copy for copy in copies if copy is not None]
        return whole if len({max(copy) for copy in whole}) == 1 else None

    first, *others = eventually(together, f"the copies of {topic} are equally long", 60)
    for other in others:
        if compacted:
            both = first.keys() & other.keys()
            assert {at: first[at] for at in both} == {at: other[at] for at in both}
            assert _latest(first) == _latest(other)
        else:
            assert first == other


def _latest(copy: Copy) -> dict[bytes | None, bytes]:
    """The last value of each key that has one."""
    found = {entry.key: entry.value for _, entry in sorted(copy.items())}
    return {key: value for key, value in found.items() if value is not None}
