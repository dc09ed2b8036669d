"""Hashes of topics are Apache Kafka's: the vectors are what its library (hash4j's XXH3) gave."""

from __future__ import annotations

import uuid

import pytest

from spindle.core.groups.topic_hashes import group_hash, topic_hash

pytestmark = pytest.mark.spec("C-03")
ID = uuid.UUID(bytes=(1).to_bytes(8, "big") + (-2).to_bytes(8, "big", signed=True))


def test_a_group_has_the_hash_of_its_topics_in_the_order_of_their_names() -> None:
    assert group_hash({"b": -5, "a": 77}) == -9133586421775671387


def test_topics_that_are_not_there_do_not_count() -> None:
    assert group_hash({"a": 77, "b": -5, "gone": 0}) == group_hash({"a": 77, "b": -5})
    assert group_hash({"gone": 0}) == group_hash({}) == 0


@pytest.mark.parametrize(
    ("name", "racks"),
    [("u", [(), (), ()]), ("t", [(), ()]), ("t", [(), (), ("r",)]), ("t", [("r",), (), ()])],
)
def test_a_topics_hash_changes_with_what_assignments_depend_on(
    name: str, racks: list[tuple[str, ...]]
) -> None:
    base = topic_hash("t", ID, [(), (), ()])
    assert topic_hash(name, ID, racks) != base
    assert topic_hash("t", uuid.UUID(int=5), [(), (), ()]) != base
    assert topic_hash("t", ID, [("b", "a")]) == topic_hash("t", ID, [("a", "b")])
