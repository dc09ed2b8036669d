"""Ids and their texts; the reserved directory ids as Apache Kafka ships them."""

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.model.ids import (
    LOST,
    MIGRATING,
    UNASSIGNED,
    TopicPartition,
    by_topic,
    id_from_text,
    id_to_text,
    is_reserved,
)


@given(st.uuids(version=4))
def test_an_id_comes_back_from_its_text(value: uuid.UUID) -> None:
    text = id_to_text(value)
    assert len(text) == 22
    assert id_from_text(text) == value


@pytest.mark.parametrize("text", ["", "short", "A" * 21, "A" * 23, "!" * 22])
def test_a_text_that_is_no_id_is_named(text: str) -> None:
    with pytest.raises(ValueError, match="is not a base64 id of 22 characters"):
        id_from_text(text)


@pytest.mark.spec("K858-02")
def test_reserved_ids_are_those_of_apache_kafka_4() -> None:
    assert id_to_text(MIGRATING) == "AAAAAAAAAAAAAAAAAAAAAA"
    assert id_to_text(UNASSIGNED) == "AAAAAAAAAAAAAAAAAAAAAQ"
    assert id_to_text(LOST) == "AAAAAAAAAAAAAAAAAAAAAg"
    assert all(is_reserved(uuid.UUID(int=n)) for n in range(100))
    assert not is_reserved(uuid.UUID(int=100))


def test_values_of_partitions_come_by_topic_in_the_order_given() -> None:
    values = [(TopicPartition("b", 2), "x"), (TopicPartition("a", 0), "y")]
    values.append((TopicPartition("b", 1), "z"))
    assert by_topic(values) == {"b": [(2, "x"), (1, "z")], "a": [(0, "y")]}
    assert list(by_topic(values)) == ["b", "a"]
    assert by_topic([]) == {}
