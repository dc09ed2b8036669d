"""A plan as kafka-reassign-partitions reads it."""

from __future__ import annotations

import pytest

from spindle.planning.load import PlannedMove
from spindle.planning.reassignment_json import reassignment

REPLICAS = {("t", 0): (1, 2, 3), ("t", 1): (2, 1), ("u", 0): (3,)}


@pytest.mark.spec("P-06")
def test_replicas_keep_their_brokers_and_only_what_moves_names_a_directory() -> None:
    moves = [PlannedMove(2, "t", 1, "/a", "/b", 5), PlannedMove(1, "t", 0, "/a", "/b", 5),
             PlannedMove(3, "t", 0, "/c", "/d", 5)]  # fmt: skip
    assert reassignment(moves, REPLICAS) == {
        "version": 1,
        "partitions": [
            {
                "topic": "t",
                "partition": 0,
                "replicas": [1, 2, 3],
                "log_dirs": ["/b", "any", "/d"],
            },
            {"topic": "t", "partition": 1, "replicas": [2, 1], "log_dirs": ["/b", "any"]},
        ],
    }


def test_of_a_replica_that_moves_twice_the_last_place_counts() -> None:
    moves = [PlannedMove(3, "u", 0, "/a", "/b", 5), PlannedMove(3, "u", 0, "/b", "/c", 5)]
    document = reassignment(moves, REPLICAS)
    assert document["partitions"] == [
        {"topic": "u", "partition": 0, "replicas": [3], "log_dirs": ["/c"]}
    ]


def test_nothing_to_move_is_a_document_too() -> None:
    assert reassignment([], REPLICAS) == {"version": 1, "partitions": []}


@pytest.mark.spec("P-06")
def test_a_broker_that_takes_over_stands_where_the_other_stood() -> None:
    moves = [PlannedMove(1, "t", 0, "/a", "/b", 5, 4), PlannedMove(3, "t", 0, "/a", "/c", 5),
             PlannedMove(4, "t", 0, "/b", "/d", 5)]  # fmt: skip
    assert reassignment(moves, REPLICAS)["partitions"] == [
        {"topic": "t", "partition": 0, "replicas": [4, 2, 3], "log_dirs": ["/d", "any", "/c"]}
    ]
