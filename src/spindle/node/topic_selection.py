"""Which topics an answer is about, and what it says of those that are not there.

Knows the committed metadata, and no message. Called by the handlers of Metadata, which finds what a
client names, and of DescribeTopicPartitions, which goes through the topics a page at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

from spindle.model.errors import Error
from spindle.model.ids import ZERO_ID, TopicId, TopicPartition
from spindle.model.image import ClusterImage, TopicState
from spindle.model.metadata_records import PartitionRegistration
from spindle.node.slices import ONE, REST, REST_AFTER, Pause
from spindle.node.topic_creation import IN_FLIGHT_MAX, is_legal

PAGE_MAX: Final = 2_000
"""Partitions in one page, whatever the client allows; a topic that is not there counts as one."""


class AbsentTopic(NamedTuple):
    """A topic that has no description, as it was asked for."""

    error: Error
    name: str | None
    topic_id: TopicId | None = None


def absent(name: str) -> AbsentTopic:
    """A name that no topic has: INVALID_TOPIC_EXCEPTION where none can have it."""
    legal = is_legal(name)
    error = Error.UNKNOWN_TOPIC_OR_PARTITION if legal else Error.INVALID_TOPIC_EXCEPTION
    return AbsentTopic(error, name)


class FoundTopic(NamedTuple):
    """A topic, and those of its partitions that the answer has."""

    state: TopicState
    partitions: Sequence[PartitionRegistration]


Selected: TypeAlias = FoundTopic | AbsentTopic | Pause


def is_by_id(name: str | None, topic_id: TopicId | None) -> bool:
    """Whether a topic is named by its id, or not at all.

    An id counts also beside a name: Java's AdminClient sends an empty one with it.
    """
    return name is None or bool(topic_id)


class NamedTopics:
    """The topics that one request names. `wanted`: names of those that are to be created."""

    def __init__(self, image: ClusterImage, creates: bool, takes_ids: bool = True) -> None:
        """`creates`: what is not there may be created. `takes_ids`: a client may use ids yet."""
        self.wanted: dict[str, None] = {}
        self._image = image
        self._creates = creates
        self._takes_ids = takes_ids
        self._told: set[TopicId] = set()

    def topics(
        self, asked: Iterable[tuple[str | None, TopicId | None]] | None
    ) -> Iterator[Selected]:
        """The topics of these names or, without one, ids; None: all.

        One that is named again is left out, else few bytes could ask for gigabytes.
        """
        if asked is None:
            for state in list(self._image.topics.values()):
                yield FoundTopic(state, list(state.partitions.values()))
            return
        for name, topic_id in asked:
            if not self._takes_ids and is_by_id(name, topic_id):
                # The name is never null in the answers of versions that take no ids.
                yield AbsentTopic(Error.INVALID_REQUEST, name or "", topic_id)
            else:
                yield self._find(name, topic_id)

    def _find(self, name: str | None, topic_id: TopicId | None) -> Selected:
        if name is None or topic_id:
            state = self._image.topics.get(topic_id or ZERO_ID)
        else:
            state = self._image.topic(name)
        if state is not None:
            if state.topic_id in self._told:
                return ONE
            self._told.add(state.topic_id)
            return FoundTopic(state, list(state.partitions.values()))
        if name is None or topic_id:
            return AbsentTopic(Error.UNKNOWN_TOPIC_ID, None, topic_id)
        missing = absent(name)
        if (
            self._creates
            and missing.error is Error.UNKNOWN_TOPIC_OR_PARTITION
            and len(self.wanted) < IN_FLIGHT_MAX
        ):
            self.wanted[name] = None
        return missing


class TopicPage:
    """One page in the making: the first of the names, as many as it may have.

    `next`: the partition at which the page after it begins, once `topics` has come to its end.
    """

    def __init__(
        self,
        image: ClusterImage,
        names: Iterable[str] | None,
        start: TopicPartition | None,
        partitions_max: int,
    ) -> None:
        """`names`: None for all topics. `start`: where the page begins; None: at the first."""
        self.next: TopicPartition | None = None
        self._image = image
        self._names = names
        self._start = start or TopicPartition("", 0)
        self._left = min(max(partitions_max, 1), PAGE_MAX)

    def topics(self) -> Iterator[Selected]:
        """The topics of the page in the order of their names, with rests."""
        asked = list(self._image.topic_ids) if self._names is None else self._names
        names: list[str] = []
        for _ in _least(asked, self._start.topic, self._left + 1, names):
            yield REST
        for name in names:
            first = self._start.partition if name == self._start.topic else 0
            if self._left <= 0:
                self.next = TopicPartition(name, first)
                return
            state = self._image.topic(name)
            if state is None:
                self._left -= 1  # A page is bounded, whatever is asked for.
                yield absent(name)
                continue
            rest = [state.partitions[i] for i in sorted(state.partitions) if i >= first]
            yield FoundTopic(state, rest[: self._left])
            if len(rest) > self._left:
                self.next = TopicPartition(name, rest[self._left].partition_id)
                return
            self._left -= len(rest)


def _least(asked: Iterable[str], start: str, count: int, found: list[str]) -> Iterator[None]:
    """Put the first `count` of the names from `start` on into `found`; rests now and then."""
    left = iter(asked)
    while some := list(islice(left, REST_AFTER)):
        found[:] = sorted({*found, *(name for name in some if name >= start)})[:count]
        yield
