"""CreateTopics, CreatePartitions, DeleteTopics."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from tests.unit.core.controller.kit import Cluster

from spindle.core.controller import controller_state as state_module
from spindle.core.controller import topics
from spindle.core.controller.topics import CreatableTopic, MorePartitions, TopicAnswer
from spindle.core.controller.wholes import GoneTopics
from spindle.model import metadata_records as r
from spindle.model.errors import Error, Refusal
from spindle.model.ids import TopicPartition
from spindle.model.image import TOPIC_RESOURCE


def scene(**settings: str) -> Cluster:
    cluster = Cluster(settings={name.replace("_", "."): v for name, v in settings.items()})
    cluster.start(1, 2, 3)
    return cluster


def create(
    cluster: Cluster, *asked: CreatableTopic, validate_only: bool = False
) -> list[TopicAnswer]:
    return cluster.take(
        topics.create_topics(cluster.state, asked, cluster.rng, cluster.new_id, validate_only)
    )


def created(cluster: Cluster, **fields: Any) -> TopicAnswer:
    return create(cluster, CreatableTopic(**{"name": "t", **fields}))[0]


def by_hand(*replicas: tuple[int, ...]) -> tuple[tuple[int, tuple[int, ...]], ...]:
    return tuple(enumerate(replicas))


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"name": ""}, Error.INVALID_TOPIC_EXCEPTION),
        ({"name": "."}, Error.INVALID_TOPIC_EXCEPTION),
        ({"name": ".."}, Error.INVALID_TOPIC_EXCEPTION),
        ({"name": "a b"}, Error.INVALID_TOPIC_EXCEPTION),
        ({"name": "ä"}, Error.INVALID_TOPIC_EXCEPTION),
        ({"name": "x" * 250}, Error.INVALID_TOPIC_EXCEPTION),
        ({"name": "x" * 249}, Error.NONE),
        ({"name": "__cluster_metadata"}, Error.INVALID_REQUEST),
        ({"name": "here.already"}, Error.TOPIC_ALREADY_EXISTS),
        ({"name": "here_already"}, Error.INVALID_TOPIC_EXCEPTION),
        ({"partitions": 0}, Error.INVALID_PARTITIONS),
        ({"partitions": -2}, Error.INVALID_PARTITIONS),
        ({"partitions": -1}, Error.NONE),
        ({"replication": 0}, Error.INVALID_REPLICATION_FACTOR),
        ({"replication": -2, "partitions": 0}, Error.INVALID_REPLICATION_FACTOR),
        ({"replication": 5}, Error.INVALID_REPLICATION_FACTOR),
        ({"assignments": by_hand((1,)), "replication": 1}, Error.INVALID_REQUEST),
        ({"assignments": by_hand((1,)), "partitions": 1}, Error.INVALID_REQUEST),
        ({"assignments": by_hand(())}, Error.INVALID_REPLICA_ASSIGNMENT),
        ({"assignments": by_hand((1, 9))}, Error.INVALID_REPLICA_ASSIGNMENT),
        ({"assignments": by_hand((1, 1))}, Error.INVALID_REPLICA_ASSIGNMENT),
        ({"assignments": by_hand((1, 2), (3,))}, Error.INVALID_REPLICA_ASSIGNMENT),
        ({"assignments": ((0, (1,)), (0, (2,)))}, Error.INVALID_REPLICA_ASSIGNMENT),
        ({"assignments": ((0, (1,)), (2, (2,)))}, Error.INVALID_REPLICA_ASSIGNMENT),
        ({"assignments": by_hand((4,))}, Error.INVALID_REPLICA_ASSIGNMENT),
        ({"assignments": by_hand((4, 1))}, Error.NONE),
        ({"configs": {"retention.ms": "-2"}}, Error.INVALID_CONFIG),
        ({"configs": {"retention.msec": "1"}}, Error.INVALID_CONFIG),
        ({"configs": {"retention.ms": None}}, Error.INVALID_CONFIG),
    ],
)
def test_create_topics_checks(fields: dict[str, Any], error: Error) -> None:
    cluster = scene()
    cluster.register(4)
    cluster.topic("here.already", (1,))
    assert created(cluster, **fields).error is error
    assert bool(cluster.last) == (error is Error.NONE)


def test_a_created_topic_in_full() -> None:
    cluster = scene(num_partitions="2", default_replication_factor="3")
    answer = created(cluster, configs={"retention.ms": "1000"})
    assert (answer.partitions, answer.replication) == (2, 3)
    assert [type(x) for x in cluster.last] == [
        r.Topic,
        r.DynamicConfig,
        r.PartitionRegistration,
        r.PartitionRegistration,
    ]
    topic = cluster.image.topic("t")
    assert topic is not None
    assert topic.topic_id == answer.topic_id
    for partition in topic.partitions.values():
        assert partition.isr == partition.replicas
        assert partition.leader == partition.replicas[0]
        assert (partition.leader_epoch, partition.partition_epoch) == (0, 0)
    settings = {s.name: (s.value, s.source) for s in answer.settings}
    assert settings["retention.ms"] == ("1000", 1)
    assert settings["segment.bytes"] == ("1073741824", 5)


def test_settings_of_a_topic_name_their_source() -> None:
    cluster = scene(log_segment_bytes="2000")
    cluster.state.replay(
        r.DynamicConfig(resource_type=4, resource_name="", key="log.retention.ms", value="77"), 50
    )
    settings = {s.name: (s.value, s.source) for s in created(cluster).settings}
    assert settings["segment.bytes"] == ("2000", 4)
    assert settings["retention.ms"] == ("77", 3)


def test_the_isr_holds_the_replicas_that_are_there() -> None:
    cluster = scene()
    cluster.beat(1, want_fence=True)
    created(cluster, assignments=by_hand((1, 2, 3)))
    state = cluster.partition("t")
    assert (state.isr, state.leader) == ((2, 3), 2)


def test_one_request_is_one_batch_and_topics_fail_alone() -> None:
    cluster = scene()
    asked = [CreatableTopic(name=n) for n in ("a.b", "a_b", "twice", "twice", "")]
    answers = create(cluster, *asked)
    assert [(a.name, a.error) for a in answers] == [
        ("a.b", Error.NONE),
        ("a_b", Error.INVALID_TOPIC_EXCEPTION),
        ("twice", Error.INVALID_REQUEST),
        ("", Error.INVALID_TOPIC_EXCEPTION),
    ]
    assert list(cluster.image.topic_ids) == ["a.b"]


def test_too_much_for_one_batch_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_module, "BATCH_RECORDS_MAX", 10)
    cluster = scene()
    with pytest.raises(Refusal) as refused:
        create(
            cluster, CreatableTopic(name="a", partitions=6), CreatableTopic(name="b", partitions=6)
        )
    assert refused.value.error is Error.POLICY_VIOLATION
    assert not cluster.image.topics


def test_validating_writes_nothing() -> None:
    cluster = scene()
    assert create(cluster, CreatableTopic(name="t"), validate_only=True)[0].error is Error.NONE
    assert cluster.last == ()


def test_all_brokers_fenced() -> None:
    cluster = Cluster()
    assert created(cluster).error is Error.INVALID_REPLICATION_FACTOR
    cluster.register(1)
    assert created(cluster).error is Error.INVALID_REPLICATION_FACTOR


def test_brokers_on_their_way_out_get_no_lone_partition() -> None:
    cluster = Cluster()
    cluster.start(1, 2)
    cluster.topic("held", (1, 2), (2, 1))
    cluster.beat(1, want_shut_down=True)
    assert cluster.image.brokers[1].in_controlled_shutdown
    cluster.beat(2, want_fence=True)
    assert created(cluster).error is Error.INVALID_REPLICATION_FACTOR


# --- CreatePartitions ---------------------------------------------------------------------------


def more(cluster: Cluster, *asked: MorePartitions, validate_only: bool = False) -> list[Error]:
    decision = topics.create_partitions(cluster.state, asked, cluster.rng, validate_only)
    return [answer.error for answer in cluster.take(decision)]


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"name": "nothing"}, Error.UNKNOWN_TOPIC_OR_PARTITION),
        ({"count": 1}, Error.INVALID_PARTITIONS),
        ({"count": 0}, Error.INVALID_PARTITIONS),
        ({"assignments": ()}, Error.INVALID_REPLICA_ASSIGNMENT),
        ({"assignments": ((1,), (2,))}, Error.INVALID_REPLICA_ASSIGNMENT),
        ({"assignments": ((1, 9), (2, 3))}, Error.INVALID_REPLICA_ASSIGNMENT),
        ({"assignments": ((4, 5), (2, 3))}, Error.INVALID_REPLICA_ASSIGNMENT),
        ({"assignments": ((1, 2), (2, 3))}, Error.NONE),
        ({}, Error.NONE),
    ],
)
def test_create_partitions(fields: dict[str, Any], error: Error) -> None:
    cluster = scene()
    cluster.register(4)
    cluster.register(5)
    cluster.topic("t", (1, 2))
    asked = MorePartitions(**{"name": "t", "count": 3, **fields})
    assert more(cluster, asked) == [error]
    topic = cluster.image.topic("t")
    assert topic is not None
    assert list(topic.partitions) == ([0, 1, 2] if error is Error.NONE else [0])
    assert all(len(p.replicas) == 2 for p in topic.partitions.values())


def test_create_partitions_once_and_only_if_meant() -> None:
    cluster = scene()
    cluster.topic("t", (1, 2))
    asked = MorePartitions(name="t", count=2)
    assert more(cluster, asked, asked) == [Error.INVALID_REQUEST]
    assert more(cluster, asked, validate_only=True) == [Error.NONE]
    assert cluster.last == ()


# --- DeleteTopics -------------------------------------------------------------------------------


def test_delete_topics_by_name_and_id() -> None:
    cluster = scene()
    cluster.topic("a.b", (1,), configs={"retention.ms": "5"})
    cluster.topic("c", (2,))
    a, c, unknown = cluster.id("a.b").topic_id, cluster.id("c").topic_id, uuid.UUID(int=77)
    answers = cluster.take(topics.delete_topics(cluster.state, ["a.b", c, "nothing", unknown]))
    assert [(x.name, x.topic_id, x.error) for x in answers] == [
        ("a.b", a, Error.NONE),
        ("c", c, Error.NONE),
        ("nothing", None, Error.UNKNOWN_TOPIC_OR_PARTITION),
        (None, unknown, Error.UNKNOWN_TOPIC_ID),
    ]
    assert cluster.last == (r.RemoveTopic(topic_id=a), r.RemoveTopic(topic_id=c))
    assert not cluster.image.topics
    assert not cluster.image.config(TOPIC_RESOURCE, "a.b")
    assert cluster.image.resolve(TopicPartition("a.b", 0)) is None
    assert created(cluster, name="a_b").error is Error.NONE, "no collision with what is gone"


@pytest.mark.spec("S-08")
@pytest.mark.parametrize("parted", [False, True])
def test_what_a_request_names_twice_is_not_deleted(parted: bool) -> None:
    """As in Apache Kafka 4.3: one answer for both, and the others are deleted."""
    cluster = scene()
    for name in "abcd":
        cluster.topic(name, (1,))
    b, c, d = (cluster.id(name).topic_id for name in "bcd")
    asked: list[str | uuid.UUID] = ["a", b, "c", "a", b, c, "d", "a"]
    whole = GoneTopics()
    for one in asked:
        whole.add(cluster.state, one)
    size = 1 if parted else len(asked)
    answers = [
        answer
        for start in range(0, len(asked), size)
        for answer in cluster.take(
            topics.delete_topics(
                cluster.state, asked[start : start + size], whole if parted else None
            )
        )
    ]
    assert [(x.name, x.topic_id, x.error) for x in answers] == [
        ("a", None, Error.INVALID_REQUEST),
        (None, b, Error.INVALID_REQUEST),
        ("c", c, Error.INVALID_REQUEST),
        ("d", d, Error.NONE),
    ]
    assert sorted(cluster.image.topic_ids) == ["a", "b", "c"]


def test_deletion_may_be_forbidden() -> None:
    cluster = scene(delete_topic_enable="false")
    with pytest.raises(Refusal) as refused:
        topics.delete_topics(cluster.state, ["t"])
    assert refused.value.error is Error.TOPIC_DELETION_DISABLED


@pytest.mark.spec("S-08")
@pytest.mark.parametrize(
    "asked",
    [
        [CreatableTopic(name="t", partitions=10_001)],
        [
            CreatableTopic(name="t", partitions=9_999),
            CreatableTopic(name="u"),
            CreatableTopic(name="v"),
        ],
        [CreatableTopic(name=f"t{number}") for number in range(10_001)],
        [CreatableTopic(name="t", assignments=by_hand(*[(1,)] * 10_001))],
    ],
    ids=["one", "three", "many", "by hand"],
)
def test_more_than_10_000_partitions_are_refused_before_any_is_placed(
    asked: list[CreatableTopic],
) -> None:
    with pytest.raises(Refusal) as refused:
        create(scene(), *asked)
    assert refused.value.error is Error.POLICY_VIOLATION
    assert "Excessively large number of partitions per request" in refused.value.message


def test_what_is_refused_anyhow_counts_for_nothing() -> None:
    """As in Apache Kafka: names that come twice, and numbers of partitions that are none."""
    twice = CreatableTopic(name="t", partitions=10_001)
    answers = create(scene(), twice, twice, CreatableTopic(name="u", partitions=-5))
    assert [a.error for a in answers] == [Error.INVALID_REQUEST, Error.INVALID_PARTITIONS]


def test_more_than_10_000_new_partitions_of_a_topic_are_refused() -> None:
    cluster = scene()
    create(cluster, CreatableTopic(name="t"))
    more = [MorePartitions(name="t", count=10_002)]
    with pytest.raises(Refusal) as refused:
        topics.create_partitions(cluster.state, more, cluster.rng)
    assert refused.value.error is Error.POLICY_VIOLATION


class Name(str):
    """A name that counts how often it is compared."""

    __slots__ = ()
    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Name.compared += 1
        return str.__eq__(self, other)


def test_names_are_not_compared_with_all_the_others() -> None:
    cluster = scene()
    names = [Name(f"t/{number}") for number in range(1_000)]
    Name.compared = 0
    create(cluster, *(CreatableTopic(name=name) for name in names))
    cluster.take(
        topics.create_partitions(
            cluster.state, [MorePartitions(name=name, count=2) for name in names], cluster.rng
        )
    )
    assert Name.compared < 50 * len(names)


def test_a_topic_is_named_by_its_name_or_else_by_its_id() -> None:
    id = uuid.UUID(int=500)
    asked = [("a", None), (None, id), ("b", id), (None, None)]
    clear, unclear = topics.clearly_named(asked)
    assert clear == ["a", id]
    assert [(answer.name, answer.topic_id) for answer in unclear] == [("b", id), (None, None)]
    assert {answer.error for answer in unclear} == {Error.INVALID_REQUEST}
