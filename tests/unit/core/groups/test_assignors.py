"""Assignors of the coordinator: each partition once, loads even, and little moves (C-02, C-03)."""

from __future__ import annotations

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.core.groups.assignors import Assignable, Assigned, assign
from spindle.core.groups.consumer_values import RANGE, UNIFORM
from spindle.model.ids import TopicId

IDS = [uuid.UUID(int=n) for n in range(1, 5)]
NAMES = [f"m{n}" for n in range(6)]

COUNTS = st.fixed_dictionaries({topic_id: st.integers(1, 9) for topic_id in IDS})
SUBSCRIPTIONS = st.dictionaries(
    st.sampled_from(NAMES), st.frozensets(st.sampled_from(IDS)), min_size=1
)


def members(
    subscriptions: dict[str, frozenset[TopicId]], has: dict[str, Assigned] | None = None
) -> dict[str, Assignable]:
    return {
        name: Assignable(None, topics, (has or {}).get(name, {}))
        for name, topics in subscriptions.items()
    }


def check(
    made: dict[str, Assigned],
    subscriptions: dict[str, frozenset[TopicId]],
    counts: dict[TopicId, int],
) -> None:
    """Each subscribed partition has one owner, a subscriber."""
    given = [(t, n) for part in made.values() for t, numbers in part.items() for n in numbers]
    wanted = {t for topics in subscriptions.values() for t in topics}
    assert sorted(given) == sorted((t, n) for t in wanted for n in range(counts[t]))
    assert all(set(part) <= subscriptions[name] for name, part in made.items())


def size(part: Assigned) -> int:
    return sum(map(len, part.values()))


@pytest.mark.spec("C-02", "C-03")
@pytest.mark.parametrize("name", [UNIFORM, RANGE])
@given(subscriptions=SUBSCRIPTIONS, counts=COUNTS, later=SUBSCRIPTIONS)
def test_each_partition_has_one_subscriber(
    name: str,
    subscriptions: dict[str, frozenset[TopicId]],
    counts: dict[TopicId, int],
    later: dict[str, frozenset[TopicId]],
) -> None:
    made = assign(name, members(subscriptions), counts)
    check(made, subscriptions, counts)
    check(assign(name, members(later, made), counts), later, counts)


@pytest.mark.spec("C-02", "C-03")
@given(names=st.sets(st.sampled_from(NAMES), min_size=1), counts=COUNTS, change=st.data())
def test_uniform_is_even_and_sticky(
    names: set[str], counts: dict[TopicId, int], change: st.DataObject
) -> None:
    topics = frozenset(IDS)
    made = assign(UNIFORM, members(dict.fromkeys(names, topics)), counts)
    loads = [size(part) for part in made.values()]
    assert max(loads) - min(loads) <= 1
    assert assign(UNIFORM, members(dict.fromkeys(names, topics), made), counts) == made
    after = change.draw(st.sets(st.sampled_from(NAMES), min_size=1))
    again = assign(UNIFORM, members(dict.fromkeys(after, topics), made), counts)
    total = sum(counts.values())
    kept = sum(
        len(numbers & again[name].get(t, set()))
        for name in names & after
        for t, numbers in made[name].items()
    )
    least, more = divmod(total, len(after))
    stay = sorted((size(made[name]) for name in names & after), reverse=True)
    assert kept == sum(min(n, least + (place < more)) for place, n in enumerate(stay))


@pytest.mark.spec("C-03")
@given(subscriptions=SUBSCRIPTIONS, counts=COUNTS)
def test_no_subscriber_of_a_topic_has_two_partitions_more_than_another(
    subscriptions: dict[str, frozenset[TopicId]], counts: dict[TopicId, int]
) -> None:
    made = assign(UNIFORM, members(subscriptions), counts)
    for part in made.values():
        for topic_id in part:
            others = [n for n, topics in subscriptions.items() if topic_id in topics]
            assert size(part) <= min(size(made[other]) for other in others) + 1


@pytest.mark.spec("C-03")
def test_range_gives_neighbours_and_the_same_numbers_of_topics_of_one_size() -> None:
    counts = dict.fromkeys(IDS[:2], 3)
    made = assign(RANGE, members(dict.fromkeys(("a", "b"), frozenset(counts))), counts)
    first, second = IDS[:2]
    assert made == {"a": {first: {0, 1}, second: {0, 1}}, "b": {first: {2}, second: {2}}}


@pytest.mark.spec("C-03")
def test_range_keeps_static_members_in_their_places() -> None:
    topics, counts = frozenset(IDS[:1]), {IDS[0]: 3}
    before = {"x": Assignable("i2", topics, {}), "y": Assignable("i1", topics, {})}
    after = {"b": Assignable("i2", topics, {}), "a": Assignable("i1", topics, {})}
    assert assign(RANGE, before, counts) == {"y": {IDS[0]: {0, 1}}, "x": {IDS[0]: {2}}}
    assert assign(RANGE, after, counts) == {"a": {IDS[0]: {0, 1}}, "b": {IDS[0]: {2}}}
