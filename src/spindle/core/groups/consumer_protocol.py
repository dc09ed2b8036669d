"""What consumers of the classic protocol tell each other, as bytes (Kafka's ConsumerProtocol).

The coordinator of a consumer group of KIP-848 speaks for the leader, so it reads subscriptions and
assignments and writes assignments. Both begin with a version, int16; arrays have int32 counts,
strings int16 sizes, user data an int32 size. A version that is newer than `NEWEST` is read as that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

NEWEST: Final = 3
"""The newest version of both structures."""


class Malformed(Exception):
    """Bytes that are no subscription, or no assignment."""


@dataclass(frozen=True, slots=True)
class ConsumerSubscription:
    """What a member wants, and what it holds (from version 1 on) as the member of a generation
    (from version 2 on; -1: of none). `owned`: numbers by topic."""

    topics: tuple[str, ...]
    owned: Mapping[str, tuple[int, ...]]
    generation: int = -1
    rack_id: str | None = None


@dataclass(frozen=True, slots=True)
class ConsumerAssignment:
    """What a member is to have: numbers by topic, and what an assignor says to its like."""

    partitions: Mapping[str, tuple[int, ...]]
    user_data: bytes = b""


def read_subscription(data: bytes) -> ConsumerSubscription:
    """A subscription; Malformed."""
    reader = _ProtocolReader(data)
    version = reader.version()
    topics = tuple(reader.text() for _ in range(reader.count()))
    reader.user_data()
    owned = reader.partitions() if version >= 1 else {}
    generation = reader.whole(4) if version >= 2 else -1
    rack_id = reader.optional_text() if version >= 3 else None
    return ConsumerSubscription(topics, owned, generation, rack_id)


def read_assignment(data: bytes) -> ConsumerAssignment:
    """An assignment; Malformed."""
    reader = _ProtocolReader(data)
    reader.version()
    return ConsumerAssignment(reader.partitions(), reader.user_data())


def version_of(data: bytes) -> int:
    """The version of these bytes, `NEWEST` at most; Malformed."""
    return _ProtocolReader(data).version()


def write_assignment(partitions: Mapping[str, Collection[int]], version: int) -> bytes:
    """An assignment without user data."""
    out = [_whole(version, 2), _partitions(partitions.items()), _whole(-1, 4)]
    return b"".join(out)


def write_subscription(subscription: ConsumerSubscription, version: int = NEWEST) -> bytes:
    """A subscription without user data, as a consumer sends it."""
    topics = subscription.topics
    out = [_whole(version, 2), _whole(len(topics), 4), *map(_text, topics), _whole(-1, 4)]
    if version >= 1:
        out.append(_partitions(subscription.owned.items()))
    if version >= 2:
        out.append(_whole(subscription.generation, 4))
    if version >= 3:
        rack_id = subscription.rack_id
        out.append(_whole(-1, 2) if rack_id is None else _text(rack_id))
    return b"".join(out)


class _ProtocolReader:
    """Bytes from left to right."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def version(self) -> int:
        """The version with which both structures begin."""
        version = self.whole(2)
        if version < 0:
            raise Malformed(f"a version {version}")
        return min(version, NEWEST)

    def whole(self, size: int) -> int:
        """A signed number of so many bytes."""
        return int.from_bytes(self._take(size), "big", signed=True)

    def count(self) -> int:
        """The length of an array."""
        count = self.whole(4)
        if not 0 <= count <= len(self._data) - self._at:
            raise Malformed(f"an array of {count}")
        return count

    def text(self) -> str:
        """A string."""
        text = self.optional_text()
        if text is None:
            raise Malformed("a null where a text is due")
        return text

    def optional_text(self) -> str | None:
        """A string or null."""
        size = self.whole(2)
        if size < 0:
            return None
        try:
            return self._take(size).decode()
        except UnicodeDecodeError as error:
            raise Malformed("a text that is not UTF-8") from error

    def user_data(self) -> bytes:
        """Bytes; null is none."""
        size = self.whole(4)
        return b"" if size < 0 else self._take(size)

    def partitions(self) -> dict[str, tuple[int, ...]]:
        """Numbers of partitions by topic."""
        found: dict[str, tuple[int, ...]] = {}
        for _ in range(self.count()):
            topic = self.text()
            numbers = tuple(self.whole(4) for _ in range(self.count()))
            found[topic] = (*found.get(topic, ()), *numbers)
        return found

    def _take(self, size: int) -> bytes:
        taken = self._data[self._at : self._at + size]
        if len(taken) < size:
            raise Malformed(f"{len(taken)} bytes where {size} are due")
        self._at += size
        return taken


def _whole(value: int, size: int) -> bytes:
    return value.to_bytes(size, "big", signed=True)


def _text(text: str) -> bytes:
    data = text.encode()
    return _whole(len(data), 2) + data


def _partitions(topics: Iterable[tuple[str, Collection[int]]]) -> bytes:
    pairs = list(topics)
    out = [_whole(len(pairs), 4)]
    for topic, numbers in pairs:
        out += [_text(topic), _whole(len(numbers), 4), *(_whole(n, 4) for n in numbers)]
    return b"".join(out)
