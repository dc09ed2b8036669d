"""Where replicas that are not here yet shall be created: remembered directory wishes (K113-10).

A wish is bound to the topic's id where that is known, expires, and gives way when its directory
cannot be used (B-09). Pure; kept by the node, read by placement.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from spindle.model.ids import LogDir, TopicId, TopicPartition

LIFETIME_MS: Final = 24 * 3600 * 1000
WISHES_MAX: Final = 100_000


@dataclass(frozen=True, slots=True)
class Wish:
    """A directory for one replica. `topic_id` is None while the topic is not known here."""

    directory: LogDir
    topic_id: TopicId | None
    until_ms: int


class Wishes:
    """All wishes of a broker, by partition; the oldest goes when there are too many."""

    def __init__(self) -> None:
        self._wishes: dict[TopicPartition, Wish] = {}

    def __len__(self) -> int:
        return len(self._wishes)

    def remember(
        self, name: TopicPartition, directory: LogDir, topic_id: TopicId | None, now_ms: int
    ) -> None:
        """The newest wish for a partition counts."""
        self._wishes.pop(name, None)
        if len(self._wishes) >= WISHES_MAX:
            del self._wishes[next(iter(self._wishes))]
        self._wishes[name] = Wish(directory, topic_id, now_ms + LIFETIME_MS)

    def of(self, name: TopicPartition, topic_id: TopicId, now_ms: int) -> LogDir | None:
        """The directory wished for a replica of this very topic, or None."""
        wish = self._wishes.get(name)
        if wish is None:
            return None
        if wish.until_ms <= now_ms or wish.topic_id not in (None, topic_id):
            del self._wishes[name]
            return None
        return wish.directory

    def forget(self, name: TopicPartition) -> LogDir | None:
        """The replica exists now; the directory that was wished for, if any."""
        wish = self._wishes.pop(name, None)
        return wish.directory if wish is not None else None

    def in_directory(self, directory: LogDir, now_ms: int) -> list[tuple[TopicPartition, Wish]]:
        """The wishes for a directory that have not expired, for its file."""
        return [
            (name, wish)
            for name, wish in self._wishes.items()
            if wish.directory == directory and wish.until_ms > now_ms
        ]

    def restore(self, name: TopicPartition, wish: Wish) -> None:
        """A wish from before a restart; a newer one for the same partition stands.

        A crash may have left an older one in the file of another directory.
        """
        known = self._wishes.get(name)
        if known is None and len(self._wishes) >= WISHES_MAX:
            return
        if known is None or known.until_ms < wish.until_ms:
            self._wishes[name] = wish
