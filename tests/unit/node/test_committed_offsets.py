"""What a request for a group's offsets gets: by names and ids, in which order, and how often."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from tests.support.cluster_image import add_topic, three_brokers, topic_id

from spindle.core.groups.group_values import Committed
from spindle.model.errors import Error
from spindle.model.ids import TopicPartition
from spindle.node.groups.committed_offsets import FetchedTopic, GroupOffsets

KNOWN = {
    TopicPartition("a", 0): Committed(offset=5, commit_ms=1),
    TopicPartition("gone", 1): Committed(offset=7, commit_ms=1),
}


def group(stable: bool = False) -> GroupOffsets:
    """A group with an offset of a-0 and of gone-1; one of a-1 waits for its transaction."""
    waiting = {TopicPartition("a", 1)}
    coordinator: Any = SimpleNamespace(
        offsets=SimpleNamespace(pending=SimpleNamespace(of=lambda group_id: waiting)),
        fetch=lambda group_id, names: {
            name: KNOWN.get(name) for name in (KNOWN if names is None else names)
        },
    )
    return GroupOffsets(coordinator, "g", stable)


def offsets(topics: list[FetchedTopic]) -> list[tuple[str, list[tuple[int, int]]]]:
    return [(t.name, [(n, told.committed.offset) for n, told in t.offsets]) for t in topics]


def test_what_is_asked_for_twice_by_name_comes_once() -> None:
    asked = [("b", (2,)), ("a", (1, 0, 1)), ("none", ()), ("b", (2, 3))]
    assert offsets(group().by_name(asked)) == [
        ("b", [(2, -1), (3, -1)]),
        ("a", [(1, -1), (0, 5)]),
        ("none", []),
    ]


def test_without_names_all_that_have_an_offset_come() -> None:
    assert offsets(group().by_name(None)) == [("a", [(0, 5)]), ("gone", [(1, 7)])]


def test_by_id_what_is_not_there_comes_last() -> None:
    image = three_brokers()
    id = add_topic(image, "a", (1,))
    gone, found = topic_id("gone"), group().by_id(image, [(topic_id("gone"), (1,)), (id, (0, 0))])
    assert [(t.topic_id, len(t.offsets)) for t in found] == [(id, 2), (gone, 1)]
    assert [told.committed.offset for _, told in found[0].offsets] == [5, 5]
    assert found[1].offsets[0][1].error is Error.UNKNOWN_TOPIC_ID


def test_without_ids_only_topics_that_have_one_come() -> None:
    image = three_brokers()
    id = add_topic(image, "a", (1,))
    (topic,) = group().by_id(image, None)
    assert (topic.topic_id, offsets([topic])) == (id, [("a", [(0, 5)])])


def test_a_stable_offset_that_a_transaction_may_change_is_not_known_yet() -> None:
    (topic,) = group(stable=True).by_name([("a", (0, 1))])
    errors = [told.error for _, told in topic.offsets]
    assert errors == [Error.NONE, Error.UNSTABLE_OFFSET_COMMIT]
