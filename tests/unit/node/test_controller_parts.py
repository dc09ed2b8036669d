"""The controller decides large requests in parts, with the answers of one decision (S-08)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from tests.support.controller_desk import ControllerDesk
from tests.support.desk import part, request

from spindle.model import metadata_records as r
from spindle.model.errors import Error
from spindle.node.parts import SIZE
from spindle.wire.apis import Key


def ask(desk: ControllerDesk, key: Key, version: int, **fields: Any) -> tuple[Any, list[int]]:
    """The answer, and the records of each batch that was written for it."""
    before = len(desk.quorum.batches)
    desk.send(request(key, version, timeout=5_000, **fields))
    desk.quorum.commit()
    desk.pass_time(0.1)
    (answer,) = desk.answers()
    return answer, [len(batch) for _, batch in desk.quorum.batches[before:]]


def new_topics(names: Iterable[str], partitions: int = 1) -> tuple[Any, ...]:
    return tuple(
        part(
            Key.CREATE_TOPICS,
            7,
            "CreatableTopic",
            name=name,
            num_partitions=partitions,
            replication_factor=1,
            assignments=(),
            configs=(),
        )
        for name in names
    )


def desk() -> ControllerDesk:
    desk = ControllerDesk()
    desk.start(1, 2)
    return desk


@pytest.mark.spec("S-08")
def test_topics_are_created_a_part_at_a_time() -> None:
    world = desk()
    names = [f"t{number}" for number in range(2_000)]
    asked = new_topics(["twice", *names, "twice"])
    answer, batches = ask(world, Key.CREATE_TOPICS, 7, topics=asked, validate_only=False)
    errors = {topic.name: topic.error_code for topic in answer.topics}
    assert errors == {**dict.fromkeys(names, Error.NONE), "twice": Error.INVALID_REQUEST}
    assert len(answer.topics) == len(errors)
    assert sum(batches) == 2 * len(names)
    assert max(batches) <= SIZE


@pytest.mark.spec("S-08")
def test_few_bytes_may_ask_for_many_partitions() -> None:
    asked = new_topics([f"t{number}" for number in range(20)], SIZE - 1)
    answer, batches = ask(desk(), Key.CREATE_TOPICS, 7, topics=asked, validate_only=False)
    assert {topic.error_code for topic in answer.topics} == {Error.NONE}
    assert batches == [SIZE] * 20


@pytest.mark.parametrize(("names", "partitions"), [(1, 10_001), (10_001, 1), (21, 500), (6_000, 1)])
def test_what_one_batch_cannot_hold_is_refused_as_a_whole(names: int, partitions: int) -> None:
    world = desk()
    asked = new_topics([f"t{number}" for number in range(names)], partitions)
    answer, batches = ask(world, Key.CREATE_TOPICS, 7, topics=asked, validate_only=False)
    assert [topic.error_code for topic in answer.topics] == [Error.POLICY_VIOLATION] * names
    assert batches == []


@pytest.mark.spec("S-08")
def test_topics_are_deleted_a_part_at_a_time() -> None:
    world = desk()
    names = [f"t{number}" for number in range(1_500)]
    ask(world, Key.CREATE_TOPICS, 7, topics=new_topics(names), validate_only=False)
    unknown = [f"a-name-without-a-topic-{number}" for number in range(5_000)]
    asked = (*names, *unknown, unknown[0])
    answer, batches = ask(world, Key.DELETE_TOPICS, 5, topic_names=asked)
    assert tuple(topic.name for topic in answer.responses) == asked[:-1], "one answer for both"
    assert [topic.error_code for topic in answer.responses] == [
        *[Error.NONE] * len(names),
        Error.INVALID_REQUEST,
        *[Error.UNKNOWN_TOPIC_OR_PARTITION] * (len(unknown) - 1),
    ]
    assert sum(batches) == len(names)
    assert max(batches) <= SIZE
    assert not world.quorum.metadata.image.topics


@pytest.mark.spec("S-08")
def test_partitions_are_added_a_part_at_a_time() -> None:
    world = desk()
    names = [f"t{number}" for number in range(30)]
    ask(world, Key.CREATE_TOPICS, 7, topics=new_topics(names), validate_only=False)

    def more(count: int, *names: str) -> tuple[Any, ...]:
        return tuple(
            part(Key.CREATE_PARTITIONS, 3, "CreatePartitionsTopic", name=name, count=count)
            for name in names
        )

    asked = (*more(101, *names), *more(5, "t0"))
    answer, batches = ask(world, Key.CREATE_PARTITIONS, 3, topics=asked, validate_only=False)
    errors = {topic.name: topic.error_code for topic in answer.results}
    assert errors == {**dict.fromkeys(names, Error.NONE), "t0": Error.INVALID_REQUEST}
    assert sum(batches) == 29 * 100
    assert max(batches) <= SIZE
    answer, batches = ask(
        world, Key.CREATE_PARTITIONS, 3, topics=more(500, *names), validate_only=False
    )
    assert {topic.error_code for topic in answer.results} == {Error.POLICY_VIOLATION}
    assert batches == []


@pytest.mark.spec("S-08")
def test_settings_are_changed_a_part_at_a_time() -> None:
    world = desk()
    names = [f"t{number}" for number in range(1_500)]
    ask(world, Key.CREATE_TOPICS, 7, topics=new_topics(names), validate_only=False)
    key = Key.INCREMENTAL_ALTER_CONFIGS
    config = part(key, 1, "AlterableConfig", name="retention.ms", config_operation=0, value="1000")
    resources = tuple(
        part(key, 1, "AlterConfigsResource", resource_type=2, resource_name=name, configs=(config,))
        for name in (*names, "t7")
    )
    before = len(world.quorum.batches)
    world.send(request(key, 1, resources=resources, validate_only=False))
    world.pass_time(0.1)
    (answer,) = world.answers()
    refused = [t.resource_name for t in answer.responses if t.error_code == Error.INVALID_REQUEST]
    assert refused == ["t7", "t7"], "it is named twice, in different parts"
    batches = [batch for _, batch in world.quorum.batches[before:]]
    assert sum(map(len, batches)) == len(names) - 1
    assert all(isinstance(record, r.DynamicConfig) for batch in batches for record in batch)
    assert max(map(len, batches)) <= SIZE


@pytest.mark.spec("S-08")
def test_leadership_lost_between_two_parts_ends_the_request() -> None:
    world = desk()
    asked = tuple(f"a-name-without-a-topic-{number}" for number in range(5_000))
    world.send(request(Key.DELETE_TOPICS, 5, timeout=5_000, topic_names=asked))
    for _ in range(14):  # It is read in steps, and looked at in parts.
        world.out.tick()
    assert not world.answers()
    world.resign()
    world.pass_time(0.1)
    (answer,) = world.answers()
    codes = [topic.error_code for topic in answer.responses]
    assert len(codes) == len(asked)
    assert codes[-1] == Error.NOT_CONTROLLER
