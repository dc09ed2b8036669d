"""Where replicas that are not here yet are to be created: remembered directories (K113-10).

An entry is bound to the topic's id where that is known, expires, and gives way when its
directory cannot be used (B-09). Pure; kept by the node, read by placement.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from spindle.model.ids import LogDir, TopicId, TopicPartition

LIFETIME_MS: Final = 24 * 3600 * 1000
ENTRIES_MAX: Final = 100_000


@dataclass(frozen=True, slots=True)
class RememberedDirectory:
    """A directory for one replica. `topic_id` is None while the topic is not known here."""

    directory: LogDir
    topic_id: TopicId | None
    until_ms: int


class RememberedDirectories:
    """All entries of a broker, by partition; the oldest goes when there are too many."""

    def __init__(self) -> None:
        self._remembered: dict[TopicPartition, RememberedDirectory] = {}

    def __len__(self) -> int:
        return len(self._remembered)

    def remember(
        self, name: TopicPartition, directory: LogDir, topic_id: TopicId | None, now_ms: int
    ) -> None:
        """The newest directory for a partition counts."""
        self._remembered.pop(name, None)
        if len(self._remembered) >= ENTRIES_MAX:
            del self._remembered[next(iter(self._remembered))]
        self._remembered[name] = RememberedDirectory(directory, topic_id, now_ms + LIFETIME_MS)

    def of(self, name: TopicPartition, topic_id: TopicId, now_ms: int) -> LogDir | None:
        """The directory remembered for a replica of this very topic, or None."""
        remembered = self._remembered.get(name)
        if remembered is None:
            return None
        if remembered.until_ms <= now_ms or remembered.topic_id not in (None, topic_id):
            del self._remembered[name]
            return None
        return remembered.directory

    def forget(self, name: TopicPartition) -> LogDir | None:
        """The replica exists now; the directory that was remembered for it, if any."""
        remembered = self._remembered.pop(name, None)
        return remembered.directory if remembered is not None else None

    def in_directory(
        self, directory: LogDir, now_ms: int
    ) -> list[tuple[TopicPartition, RememberedDirectory]]:
        """The entries of a directory that have not expired, for its file."""
        return [
            (name, remembered)
            for name, remembered in self._remembered.items()
            if remembered.directory == directory and remembered.until_ms > now_ms
        ]

    def restore(self, name: TopicPartition, remembered: RememberedDirectory) -> None:
        """An entry from before a restart; a newer one for the same partition stands.

        A crash may have left an older one in the file of another directory.
        """
        known = self._remembered.get(name)
        if known is None and len(self._remembered) >= ENTRIES_MAX:
            return
        if known is None or known.until_ms < remembered.until_ms:
            self._remembered[name] = remembered
