"""Which partitions a plan may move: patterns of topics and partitions, as Kafka's tools have them.

A pattern of partitions is that of `kafka-get-offsets --topic-partitions`: a regular expression for
the topic and, behind the last colon, a number or a range without its upper end (`orders:0-12` is 0
to 11). Pure, and without arrays: the options of commands are read here. Called by those, and by
whatever makes a `ClusterModel`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from spindle.model.errors import Unusable

_RANGE: Final = re.compile(r"(\d+)|(\d*)-(\d*)", re.ASCII)
_END: Final = 1 << 31
_NAME_MAX: Final = 255
_FUTURE_SUFFIX: Final = len(".") + 32 + len("-future")


def is_movable(topic: str, partition: int) -> bool:
    """Whether Kafka can move a partition between directories (KAFKA-4893).

    The copy's directory is named after it, and a file system takes 255 bytes.
    """
    return len(f"{topic}-{partition}") + _FUTURE_SUFFIX <= _NAME_MAX


class PartitionPattern(NamedTuple):
    """Partitions from `first` on and before `end`, of topics whose whole name matches."""

    topic: str
    first: int = 0
    end: int = _END

    def has(self, partition: int) -> bool:
        """Whether a partition of such a topic is one of them."""
        return self.first <= partition < self.end

    def is_of(self, topic: str) -> bool:
        """Whether it is about a topic."""
        return re.fullmatch(self.topic, topic) is not None


def partition_pattern(text: str) -> PartitionPattern:
    """The pattern that a text is; Unusable says why it is none."""
    topic, colon, numbers = text.rpartition(":")
    if not colon:
        topic, numbers = text, "-"
    found = _RANGE.fullmatch(numbers)
    if found is None or not text:
        raise Unusable(
            f"{text!r}: write TOPIC:5, TOPIC:0-12 (0 to 11), TOPIC:5- or TOPIC:-12, and repeat the "
            "option for more partitions"
        )
    one, first, end = found.groups()
    low, high = int(one or first or 0), int(one) + 1 if one else int(end or _END)
    if low >= high:
        raise Unusable(
            f"{text!r} is no partition: a range is without its upper end (0-12 is 0 to 11)"
        )
    return topic_pattern(topic or ".*")._replace(first=low, end=high)


def topic_pattern(text: str) -> PartitionPattern:
    """All partitions of such topics; Unusable where the text is no regular expression."""
    try:
        re.compile(text)
    except re.error as error:
        raise Unusable(f"{text!r} is not a regular expression: {error}") from None
    return PartitionPattern(text)


@dataclass(frozen=True)
class Selection:
    """What may be moved: all but what is excluded, or (if anything is named) only what is named.

    Topics are regular expressions for a whole name; partitions are texts of `partition_pattern`.
    Unusable where one of them is none.
    """

    topics: tuple[str, ...] = ()
    exclude_topics: tuple[str, ...] = ()
    partitions: tuple[str, ...] = ()
    exclude_partitions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for option, text in self.patterns:
            try:
                _pattern(option, text)
            except Unusable as wrong:
                raise Unusable(f"{option} {wrong}") from None

    @property
    def patterns(self) -> list[tuple[str, str]]:
        """(the option that gives it, the text) of each pattern."""
        return [
            *(("--topics", text) for text in self.topics),
            *(("--exclude-topics", text) for text in self.exclude_topics),
            *(("--topic-partitions", text) for text in self.partitions),
            *(("--exclude-topic-partitions", text) for text in self.exclude_partitions),
        ]

    def excludes(self, topic: str, partition: int) -> bool:
        """Whether a partition is to stay as it is: its replicas, and its leader."""
        out = _at(self._excluded, topic, partition)
        return out or (bool(self._named) and not _at(self._named, topic, partition))

    def keeps(self, topic: str, partition: int) -> bool:
        """Whether its replicas stay where they are, also because Kafka cannot move them."""
        return self.excludes(topic, partition) or not is_movable(topic, partition)

    def may_keep(self, topic: str) -> bool:
        """Whether any partition of a topic may be kept: if not, `keeps` is false of all."""
        excluded = any(pattern.is_of(topic) for pattern in self._excluded)
        return excluded or bool(self._named) or not is_movable(topic, _END)

    def notes(self, there: Iterable[tuple[str, int]]) -> Iterator[str]:
        """The patterns that none of these partitions matches: likely a slip of the pen."""
        if not self.patterns:
            return
        numbers: dict[str, list[int]] = {}
        for topic, partition in there:
            numbers.setdefault(topic, []).append(partition)
        for option, text in self.patterns:
            pattern = _pattern(option, text)
            mine = (n for topic, ns in numbers.items() if pattern.is_of(topic) for n in ns)
            if not any(map(pattern.has, mine)):
                yield f"{option} {text} matches no partition of the cluster"

    @cached_property
    def _named(self) -> list[PartitionPattern]:
        return [*map(topic_pattern, self.topics), *map(partition_pattern, self.partitions)]

    @cached_property
    def _excluded(self) -> list[PartitionPattern]:
        topics, partitions = self.exclude_topics, self.exclude_partitions
        return [*map(topic_pattern, topics), *map(partition_pattern, partitions)]


EVERYTHING: Final = Selection()
"""Nothing is named and nothing is excluded."""


def _pattern(option: str, text: str) -> PartitionPattern:
    return partition_pattern(text) if option.endswith("partitions") else topic_pattern(text)


def _at(patterns: Iterable[PartitionPattern], topic: str, partition: int) -> bool:
    return any(pattern.has(partition) and pattern.is_of(topic) for pattern in patterns)
