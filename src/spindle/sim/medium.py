"""Files and directories of a disk in memory: what programs see, apart from what is on the medium.

Changes wait between the two until they are synced; a crash keeps, by the luck of a seeded
`random.Random`, some of those that wait. Knows no path and no fault. Belongs to `memory_disk`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from spindle.model.outbox import Rng

SECTOR = 512
"""A write that a power cut tears is torn at a multiple of this many bytes."""


@dataclass(slots=True)
class Write:
    """A change of a file that is not on the medium yet. No data: cut or extended to `at`."""

    at: int
    data: bytes | None


@dataclass(slots=True, eq=False)
class FileNode:
    """A file: what programs see, and what is on the medium."""

    seen: bytearray = field(default_factory=bytearray)
    kept: bytearray = field(default_factory=bytearray)
    pending: list[Write] = field(default_factory=list)
    modified_ms: int = 0

    def change(self, change: Write) -> None:
        """What programs see now."""
        _apply(self.seen, change)
        self.pending.append(change)

    def sync(self) -> None:
        """All that waits reaches the medium."""
        for change in self.pending:
            _apply(self.kept, change)
        self.pending.clear()

    def crash(self, rng: Rng) -> None:
        """Keep what was synced and, by luck, some of the rest: a prefix, or pieces out of order."""
        in_order = rng.random() < 0.5
        reached = rng.randrange(len(self.pending) + 1)
        for index, change in enumerate(self.pending):
            last = index == reached
            if in_order and index > reached:
                break
            if not in_order and rng.random() < 0.5:
                continue
            if (last or not in_order) and change.data and rng.random() < 0.5:
                torn = rng.randrange(len(change.data) // SECTOR + 1) * SECTOR
                change = Write(change.at, change.data[:torn])
            elif last and in_order:
                break
            _apply(self.kept, change)
        self.pending.clear()
        self.seen = bytearray(self.kept)


@dataclass(slots=True, eq=False)
class DirNode:
    """A directory: names that programs see, names on the medium, changes in between in order."""

    seen: dict[str, Node] = field(default_factory=dict)
    kept: dict[str, Node] = field(default_factory=dict)
    pending: list[tuple[tuple[str, Node | None], ...]] = field(default_factory=list)

    def change(self, *entries: tuple[str, Node | None]) -> None:
        """Names that come (a node) and go (None), all of them or none."""
        _enter(self.seen, entries)
        self.pending.append(entries)

    def sync(self) -> None:
        """All that waits reaches the medium."""
        for entries in self.pending:
            _enter(self.kept, entries)
        self.pending.clear()

    def crash(self, rng: Rng) -> None:
        """Keep what was synced and, as a journal does, the first few changes after it."""
        for entries in self.pending[: rng.randrange(len(self.pending) + 1)]:
            _enter(self.kept, entries)
        self.pending.clear()
        self.seen = dict(self.kept)
        for node in self.seen.values():
            node.crash(rng)


Node = FileNode | DirNode


def _apply(data: bytearray, change: Write) -> None:
    if change.data is None:
        if change.at < len(data):
            del data[change.at :]
        else:
            data.extend(bytes(change.at - len(data)))
        return
    if change.at > len(data):
        data.extend(bytes(change.at - len(data)))
    data[change.at : change.at + len(change.data)] = change.data


def _enter(names: dict[str, Node], entries: tuple[tuple[str, Node | None], ...]) -> None:
    for name, node in entries:
        if node is None:
            names.pop(name, None)
        else:
            names[name] = node


def settle(node: Node) -> None:
    """Sync a node and all below it."""
    node.sync()
    if isinstance(node, DirNode):
        for child in node.seen.values():
            settle(child)


def size_of(node: Node) -> int:
    """Bytes of a node and all below it, as programs see it."""
    if isinstance(node, FileNode):
        return len(node.seen)
    return sum(map(size_of, node.seen.values()))
