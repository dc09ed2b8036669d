"""The assignors that run in the coordinator: `uniform` and `range` (KIP-848).

Pure functions of members, their subscriptions and what they have so far. Neither minds racks, as
Apache Kafka 4.3's. No partition is given twice, and each one that a member subscribes to is given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from spindle.core.groups.consumer_values import RANGE, UNIFORM, Partitions
from spindle.model.ids import TopicId

ROUNDS_MAX: Final = 16
"""Rounds of balancing where subscriptions differ; each about halves what is out of balance."""

Assigned = dict[TopicId, set[int]]


@dataclass(frozen=True, slots=True)
class Assignable:
    """A member: the topics that it subscribes to and that exist, and what it has so far."""

    instance_id: str | None
    topics: frozenset[TopicId]
    has: Partitions


def assign(
    name: str, members: Mapping[str, Assignable], counts: Mapping[TopicId, int]
) -> dict[str, Assigned]:
    """What each member is to have. `counts`: the partitions of each topic."""
    if not members:
        return {}
    if name == RANGE:
        return _range(members, counts)
    assert name == UNIFORM, f"{name} is no assignor"
    first = next(iter(members.values())).topics
    if all(member.topics == first for member in members.values()):
        return _uniform(members, counts, first)
    return _Balance(members, counts).made()


# --- range --------------------------------------------------------------------------------------


def _range(members: Mapping[str, Assignable], counts: Mapping[TopicId, int]) -> dict[str, Assigned]:
    """Of each topic, neighbouring partitions; the same numbers of topics of the same size."""
    # Static members first: they keep their places when others come and go.
    order = sorted(
        members, key=lambda id: (members[id].instance_id is None, members[id].instance_id or id)
    )
    made: dict[str, Assigned] = {member_id: {} for member_id in order}
    for topic_id in _topics(members):
        subscribers = [id for id in order if topic_id in members[id].topics]
        each, more = divmod(counts[topic_id], len(subscribers))
        begin = 0
        for place, member_id in enumerate(subscribers):
            end = begin + each + (place < more)
            if begin < end:
                made[member_id][topic_id] = set(range(begin, end))
            begin = end
    return made


def _topics(members: Mapping[str, Assignable]) -> list[TopicId]:
    found = {topic_id for member in members.values() for topic_id in member.topics}
    return sorted(found)


# --- uniform, all subscribe to the same -----------------------------------------------------------


def _uniform(
    members: Mapping[str, Assignable], counts: Mapping[TopicId, int], topics: frozenset[TopicId]
) -> dict[str, Assigned]:
    """Members differ by one partition at most; each keeps what it may."""
    total = sum(counts[topic_id] for topic_id in topics)
    least, more = divmod(total, len(members))
    made: dict[str, Assigned] = {}
    given: dict[TopicId, set[int]] = {topic_id: set() for topic_id in topics}
    kept = {id: _kept(member, counts) for id, member in members.items()}
    # Those that have most keep one more: fewer partitions move.
    order = sorted(members, key=lambda id: (-len(kept[id]), id))
    room: dict[str, int] = {}
    for place, member_id in enumerate(order):
        quota = least + (place < more)
        made[member_id] = {}
        for topic_id, number in kept[member_id][:quota]:
            if number not in given[topic_id]:
                given[topic_id].add(number)
                made[member_id].setdefault(topic_id, set()).add(number)
        room[member_id] = quota - sum(map(len, made[member_id].values()))
    free = [(t, n) for t in sorted(topics) for n in range(counts[t]) if n not in given[t]]
    for member_id in sorted(room):
        took, free = free[: room[member_id]], free[room[member_id] :]
        for topic_id, number in took:
            made[member_id].setdefault(topic_id, set()).add(number)
    assert not free, f"{len(free)} partitions are left over"
    return made


def _kept(member: Assignable, counts: Mapping[TopicId, int]) -> list[tuple[TopicId, int]]:
    """What a member has of what it may still have."""
    return [
        (topic_id, number)
        for topic_id in sorted(member.has)
        if topic_id in member.topics
        for number in sorted(member.has[topic_id])
        if number < counts[topic_id]
    ]


# --- uniform, subscriptions differ ----------------------------------------------------------------


class _Balance:
    """Everything stays where it is; the rest goes to those that have least; then loads even out."""

    def __init__(self, members: Mapping[str, Assignable], counts: Mapping[TopicId, int]) -> None:
        self._counts = counts
        self._owners: dict[TopicId, dict[int, str]] = {}
        self._load = dict.fromkeys(sorted(members), 0)
        self._subscribers = {
            topic_id: [id for id in self._load if topic_id in members[id].topics]
            for topic_id in _topics(members)
        }
        # The topics with most partitions for each subscriber leave least choice: they come first.
        self._order = sorted(
            self._subscribers,
            key=lambda t: (-counts[t] / len(self._subscribers[t]), len(self._subscribers[t]), t),
        )
        for topic_id in self._order:
            self._owners[topic_id] = {}
        for member_id in self._load:
            for topic_id, number in _kept(members[member_id], counts):
                if number not in self._owners[topic_id]:
                    self._give(topic_id, number, member_id)

    def made(self) -> dict[str, Assigned]:
        for topic_id in self._order:
            for number in range(self._counts[topic_id]):
                if number not in self._owners[topic_id]:
                    self._give(topic_id, number, self._least(topic_id))
        for _ in range(ROUNDS_MAX):
            changes = [self._even_out(topic_id) for topic_id in self._order]
            if not any(changes):
                break
        found: dict[str, Assigned] = {member_id: {} for member_id in self._load}
        for topic_id, owners in self._owners.items():
            for number, member_id in owners.items():
                found[member_id].setdefault(topic_id, set()).add(number)
        return found

    def _least(self, topic_id: TopicId) -> str:
        return min(self._subscribers[topic_id], key=lambda id: self._load[id])

    def _give(self, topic_id: TopicId, number: int, member_id: str) -> None:
        before = self._owners[topic_id].get(number)
        if before is not None:
            self._load[before] -= 1
        self._owners[topic_id][number] = member_id
        self._load[member_id] += 1

    def _even_out(self, topic_id: TopicId) -> bool:
        """Hand partitions of a topic to subscribers that have two or more less."""
        changed = False
        for number, owner in sorted(self._owners[topic_id].items()):
            least = self._least(topic_id)
            if self._load[owner] > self._load[least] + 1:
                self._give(topic_id, number, least)
                changed = True
        return changed
