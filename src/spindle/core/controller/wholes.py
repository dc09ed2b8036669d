"""What the parts of one request have in common, when it is decided in parts (S-08).

Apache Kafka decides a request at once, in one batch of 10,000 records at most, and refuses one that
needs more before it changes anything. So do those that decide in parts: these look at all things of
a request before the first part is decided. Called by `topics` and by the handlers of such requests.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from spindle.core.controller.controller_state import ControllerState, check_records
from spindle.model.errors import Error, Refusal
from spindle.model.ids import METADATA_TOPIC, TopicId

PARTITIONS_MAX: Final = 10_000
"""New partitions of one CreateTopics, as in Apache Kafka (KAFKA-17870)."""
GONE_TOGETHER: Final = 4
"""Partitions that are forgotten in the time that one topic takes by itself."""


class NewTopics:
    """All topics of a CreateTopics."""

    def __init__(self) -> None:
        self.named: Counter[str] = Counter()
        self.told: set[str] = set()
        """Of the names that come twice: those that are answered."""
        self._partitions: dict[str, int] = {}
        self._total = 0
        self._records = 0
        self._largest = 0
        """Things that one topic names by hand: what is refused anyway must not be read whole."""

    def add(
        self, state: ControllerState, name: str, partitions: int, assigned: int, settings: int
    ) -> None:
        """Count one: its partitions (-1: the default number), those by hand, and its settings."""
        self.named[name] += 1
        self._largest = max(self._largest, assigned, settings)
        if self.named[name] > 1 or name == METADATA_TOPIC:
            self._total -= self._partitions.pop(name, 0)  # It is refused, whatever it asks for.
            return
        count = assigned
        if not count:
            default = state.settings.whole("num.partitions")
            count = default if partitions == -1 else max(partitions, 0)
        self._partitions[name] = count
        self._total += count
        if name not in state.image.topic_ids and count:
            self._records += 1 + count + settings

    def check(self, parts: bool) -> None:
        """Refusal POLICY_VIOLATION where all together is too much.

        `parts`: of several, so that none of them alone shows how many records they need.
        """
        if self._total > PARTITIONS_MAX:
            raise Refusal(
                Error.POLICY_VIOLATION,
                f"Excessively large number of partitions per request: {self._total}, more than"
                f" {PARTITIONS_MAX}; ask for less at a time.",
            )
        check_records(self._largest)
        if parts:
            check_records(self._records)


class MoreOfTopics:
    """All topics of a CreatePartitions."""

    def __init__(self) -> None:
        self.named: Counter[str] = Counter()
        self.told: set[str] = set()
        """Of the names that come twice: those that are answered."""
        self._records = 0
        self._largest = 0
        """Partitions that are assigned by hand in one topic."""

    def add(self, state: ControllerState, name: str, count: int, assigned: int) -> None:
        """Count one, which is to have so many partitions: those that it assigns by hand, too."""
        self.named[name] += 1
        self._largest = max(self._largest, assigned)
        known = state.image.topic(name)
        if known is not None and self.named[name] == 1:
            self._records += max(count - len(known.partitions), 0)

    def check(self, parts: bool) -> None:
        """Refusal POLICY_VIOLATION where all together is too much."""
        check_records(self._largest)
        if parts:
            check_records(self._records)
        check_records(len(self.named))  # Apache Kafka's list of results has the same limit.


def one_way(name: str | None, topic_id: TopicId | None) -> str | TopicId | None:
    """The one way in which a topic is named; None for both or neither."""
    if topic_id is None:
        return name
    return topic_id if name is None else None


class GoneTopics:
    """All topics of a DeleteTopics. What is named twice is not deleted, as in Apache Kafka."""

    def __init__(self) -> None:
        self.names: Counter[str] = Counter()
        self.ids: Counter[TopicId] = Counter()
        self.told: set[str | TopicId] = set()
        """Of what comes twice: what is answered."""
        self._records = 0

    def add(self, state: ControllerState, asked: str | TopicId) -> None:
        """Count one."""
        if isinstance(asked, str):
            self.names[asked] += 1
            times, known = self.names[asked], asked in state.image.topic_ids
        else:
            self.ids[asked] += 1
            times, known = self.ids[asked], asked in state.image.topics
        if known and times <= 2:
            self._records += 1 if times == 1 else -1

    @staticmethod
    def work(state: ControllerState, name: str | None, id: TopicId | None) -> int:
        """How much work the deletion of a topic is, in topics that are not there."""
        image = state.image
        topic = image.topic(name) if name is not None else image.topics.get(id) if id else None
        return 1 if topic is None else 1 + len(topic.partitions) // GONE_TOGETHER

    def comes_twice(self, asked: str | TopicId) -> bool:
        """Whether the request has this very name or id more than once."""
        return (self.names[asked] if isinstance(asked, str) else self.ids[asked]) > 1

    def check(self) -> None:
        """Refusal POLICY_VIOLATION where all together is too much."""
        check_records(self._records)
