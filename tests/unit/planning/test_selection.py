"""Which partitions a plan may move: what a pattern means, what is refused, what wins."""

from __future__ import annotations

import numpy as np
import pytest

from spindle.model.errors import Unusable
from spindle.planning.cluster_model import PartitionNames, kept_of
from spindle.planning.selection import EVERYTHING, Selection, is_movable, partition_pattern


@pytest.mark.spec("V-04")
@pytest.mark.parametrize(
    ("text", "topic", "numbers"),
    [
        ("orders:5", "orders", [5]),
        ("orders:0-3", "orders", [0, 1, 2]),
        ("orders:4-", "orders", [4, 5]),
        ("orders:-2", "orders", [0, 1]),
        ("orders", "orders", [0, 1, 2, 3, 4, 5]),
        ("(?:a|o).*:1", "orders", [1]),
        (":3", "whatever", [3]),
    ],
)
def test_a_pattern_means_what_it_means_to_kafka_get_offsets(
    text: str, topic: str, numbers: list[int]
) -> None:
    pattern = partition_pattern(text)
    assert pattern.is_of(topic)
    assert [n for n in range(6) if pattern.has(n)] == numbers
    assert not partition_pattern("orders:5").is_of("orders-old"), "the whole name counts"


@pytest.mark.spec("V-04")
@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (("--topic-partitions", "orders:0,3"), "repeat the option for more partitions"),
        (("--topic-partitions", "orders:x"), "write TOPIC:5, TOPIC:0-12"),
        (("--topic-partitions", ""), "write TOPIC:5"),
        (("--topic-partitions", "orders:7-7"), "a range is without its upper end"),
        (("--exclude-topic-partitions", "orders:11-3"), "'orders:11-3' is no partition"),
        (("--exclude-topic-partitions", "(:3"), "'(' is not a regular expression"),
        (("--topics", "["), "'[' is not a regular expression"),
        (("--exclude-topics", "*"), "'*' is not a regular expression"),
    ],
)
def test_what_is_no_pattern_is_refused_by_the_option_and_its_text(
    asked: tuple[str, str], why: str
) -> None:
    option, text = asked
    options = ("--topics", "--exclude-topics", "--topic-partitions", "--exclude-topic-partitions")
    with pytest.raises(Unusable) as refused:
        Selection(*((text,) if option == name else () for name in options))
    assert str(refused.value).startswith(f"{option} ")
    assert why in str(refused.value)


@pytest.mark.spec("V-04")
def test_what_is_named_moves_and_what_is_excluded_stays_though_it_is_named() -> None:
    named = Selection(("whole",), ("old.*",), ("part:2-4", "old:1"), ("whole:0",))
    there = [(t, n) for t in ("old", "other", "part", "whole") for n in range(5)]
    moves = [name for name in there if not named.excludes(*name)]
    assert moves == [("part", 2), ("part", 3), *(("whole", n) for n in range(1, 5))]
    assert not any(EVERYTHING.excludes(*name) for name in there)


@pytest.mark.spec("V-04")
def test_a_cluster_keeps_what_is_excluded_and_what_kafka_cannot_move() -> None:
    long = "l" * (215 - len("-1"))
    assert is_movable(long, 1)
    assert not is_movable(long, 10)
    topics = ["a", long, "z"]
    names = PartitionNames(topics, np.array([0, 0, 1, 1, 2]), np.array([0, 1, 1, 10, 0]))
    for selection in (EVERYTHING, Selection(exclude_partitions=("a:1",)), Selection(("z",))):
        kept = kept_of(names, selection)
        assert kept is not None
        assert kept.tolist() == [selection.keeps(*names.name(n)) for n in range(5)]
    few = PartitionNames(["a"], np.array([0]), np.array([0]))
    assert kept_of(few, EVERYTHING) is None


@pytest.mark.spec("V-04")
def test_a_pattern_that_matches_nothing_is_named() -> None:
    asked = Selection(("orders",), ("log.*",), ("orders:0-2", "orders:9"), (":7",))
    assert list(asked.notes([("orders", n) for n in range(3)])) == [
        "--exclude-topics log.* matches no partition of the cluster",
        "--topic-partitions orders:9 matches no partition of the cluster",
        "--exclude-topic-partitions :7 matches no partition of the cluster",
    ]
