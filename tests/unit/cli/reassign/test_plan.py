"""The JSON of plans."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.cli.reassign.reassignment_plan import (
    ANY,
    parse_brokers,
    parse_plan,
    parse_topics,
    plan_json,
)
from spindle.client.results import Replica
from spindle.model.errors import Unusable
from spindle.model.ids import TopicPartition


@st.composite
def plans(draw: st.DrawFn) -> dict[TopicPartition, dict[int, str]]:
    """Partitions with their brokers and the directory of each."""
    names = draw(
        st.lists(
            st.builds(TopicPartition, st.text("ab-.9", min_size=1), st.integers(0, 99)),
            min_size=1,
            max_size=5,
            unique=True,
        )
    )
    directories = st.sampled_from([ANY, "/d1", "/d2/ä"])
    return {
        name: draw(st.dictionaries(st.integers(0, 9), directories, min_size=1, max_size=4))
        for name in names
    }


@given(plans())
def test_what_is_written_is_read_again(plan: dict[TopicPartition, dict[int, str]]) -> None:
    replicas = {name: tuple(brokers) for name, brokers in plan.items()}
    directories = {
        Replica(*name, broker): directory
        for name, brokers in plan.items()
        for broker, directory in brokers.items()
        if directory != ANY
    }
    read = parse_plan(plan_json(replicas, directories))
    assert read.replicas == replicas
    assert read.directories == directories


def test_a_plan_without_directories_or_version_is_a_plan() -> None:
    plan = parse_plan('{"partitions":[{"topic":"t","partition":0,"replicas":[2,1]}]}')
    assert plan.replicas == {TopicPartition("t", 0): (2, 1)}
    assert plan.directories == {}
    assert plan.topics == ["t"]


def entry(**fields: object) -> str:
    plain = {"topic": "t", "partition": 0, "replicas": [1, 2], **fields}
    return json.dumps({"version": 1, "partitions": [plain]})


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not a valid JSON"),
        ("[]", "not a valid JSON object"),
        ("{}", 'no list of objects named "partitions"'),
        ('{"partitions":[1]}', 'no list of objects named "partitions"'),
        ('{"version":2,"partitions":[]}', "Not supported version field value 2"),
        ('{"partitions":[]}', "list cannot be empty"),
        (entry(topic=""), 'no "topic" text'),
        (entry(topic=7), 'no "topic" text'),
        (entry(partition="0"), 'no "partition" number'),
        (entry(partition=-1), 'no "partition" number'),
        (entry(partition=True), 'no "partition" number'),
        (entry(replicas=None), 'no list named "replicas"'),
        (entry(replicas=[]), "Partition replica list cannot be empty"),
        (entry(replicas=["1"]), "'1' is not a broker id"),
        (entry(replicas=[1, 1]), "t-0 contains multiple entries for 1"),
        (
            entry(log_dirs=["any"]),
            r"Size of replicas list \[1, 2\] is different from size of log dirs list \[any\]"
            " for partition t-0",
        ),
        (entry(log_dirs=["any", 3]), "3 is not a path"),
        (entry(log_dirs="/d1"), 'no list named "log_dirs"'),
    ],
)
def test_what_is_wrong_with_a_plan_is_said(text: str, says: str) -> None:
    with pytest.raises(Unusable, match=says):
        parse_plan(text)


def test_a_partition_twice_is_refused() -> None:
    twice = json.loads(entry())
    twice["partitions"] *= 2
    with pytest.raises(Unusable, match="contains duplicate topic partitions: t-0"):
        parse_plan(json.dumps(twice))


def test_topics_to_move() -> None:
    assert parse_topics('{"version":1,"topics":[{"topic":"b"},{"topic":"a"}]}') == ["b", "a"]
    with pytest.raises(Unusable, match="contains duplicate entries: a"):
        parse_topics('{"topics":[{"topic":"a"},{"topic":"a"}]}')
    with pytest.raises(Unusable, match="name at least one"):
        parse_topics('{"topics":[]}')


def test_broker_lists() -> None:
    assert parse_brokers("3, 1,2") == [3, 1, 2]
    assert parse_brokers("") == []
    with pytest.raises(Unusable, match="'x' is not a broker id"):
        parse_brokers("1,x")
    with pytest.raises(Unusable, match="Broker list contains duplicate entries: 1"):
        parse_brokers("1,2,1")
