"""DescribeCluster on a broker, and DescribeTopicPartitions with its pages."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.cluster_image import add_topic, lose_directory, three_brokers
from tests.support.desk import Desk, part

from spindle.model import metadata_records as r
from spindle.model.errors import Error
from spindle.model.image import ClusterImage
from spindle.model.outbox import Outbox
from spindle.node.handlers import BROKER
from spindle.node.slices import Slices
from spindle.wire.apis import Key


def desk_of(image: ClusterImage) -> Desk:
    out = Outbox(random.Random(1))
    slices = Slices(out, "/d1")
    target = SimpleNamespace(image=image, cluster_id="cluster", node_id=1, slices=slices)
    return Desk(BROKER, target, out)


# --- DescribeCluster ------------------------------------------------------------------------------


@pytest.mark.parametrize("version", range(3))
def test_the_cluster_as_a_broker_knows_it(version: int) -> None:
    image = three_brokers()
    image.apply(r.BrokerRegistrationChange(broker_id=1, broker_epoch=10, fenced=1))
    answer = desk_of(image).ask(Key.DESCRIBE_CLUSTER, version, endpoint_type=1)
    assert (answer.error_code, answer.cluster_id, answer.controller_id) == (0, "cluster", 2)
    assert [(b.broker_id, b.host, b.rack) for b in answer.brokers] == [
        (2, "host2", "rack2"),
        (3, "host3", "rack3"),
    ]
    assert answer.cluster_authorized_operations == -(1 << 31)


def test_fenced_brokers_on_demand() -> None:
    image = three_brokers()
    image.apply(r.BrokerRegistrationChange(broker_id=3, broker_epoch=30, fenced=1))
    answer = desk_of(image).ask(
        Key.DESCRIBE_CLUSTER, 2, endpoint_type=1, include_fenced_brokers=True
    )
    assert [(b.broker_id, b.is_fenced) for b in answer.brokers] == [
        (1, False),
        (2, False),
        (3, True),
    ]


@pytest.mark.parametrize(
    ("kind", "error"),
    [(2, Error.MISMATCHED_ENDPOINT_TYPE), (7, Error.UNSUPPORTED_ENDPOINT_TYPE)],
)
def test_a_broker_tells_of_brokers_alone(kind: int, error: Error) -> None:
    answer = desk_of(three_brokers()).ask(Key.DESCRIBE_CLUSTER, 1, endpoint_type=kind)
    assert (answer.error_code, answer.brokers) == (error, ())
    assert answer.error_message


# --- DescribeTopicPartitions ----------------------------------------------------------------------


def describe(
    image: ClusterImage, *names: str, limit: int = 2_000, cursor: tuple[str, int] | None = None
) -> Any:
    key = Key.DESCRIBE_TOPIC_PARTITIONS
    return desk_of(image).ask(
        key,
        0,
        topics=tuple(part(key, 0, "TopicRequest", name=name) for name in names),
        response_partition_limit=limit,
        cursor=None
        if cursor is None
        else part(key, 0, "Cursor", topic_name=cursor[0], partition_index=cursor[1]),
    )


def partitions_of(answer: Any) -> dict[str, list[int]]:
    return {t.name: [p.partition_index for p in t.partitions] for t in answer.topics}


def test_partitions_in_full() -> None:
    image = three_brokers()
    id = add_topic(image, "t", (1, 2), isr=(1,))
    image.apply(r.PartitionChange(partition_id=0, topic_id=id, elr=(2,), last_known_elr=(3,)))
    lose_directory(image, 2, 0)
    (topic,) = describe(image, "t").topics
    assert (topic.error_code, topic.topic_id, topic.is_internal) == (Error.NONE, id, False)
    (p,) = topic.partitions
    assert (p.error_code, p.leader_id, p.leader_epoch) == (Error.NONE, 1, 3)
    assert (p.replica_nodes, p.isr_nodes, p.offline_replicas) == ((1, 2), (1,), (2,))
    assert (p.eligible_leader_replicas, p.last_known_elr) == ((2,), (3,))


def test_all_topics_in_the_order_of_their_names_and_none_is_made() -> None:
    image = three_brokers()
    add_topic(image, "b", (1,))
    add_topic(image, "a", (1,))
    assert list(partitions_of(describe(image))) == ["a", "b"]
    answer = describe(image, "new", "b", "b", "..")
    assert [(t.name, t.error_code) for t in answer.topics] == [
        ("..", Error.INVALID_TOPIC_EXCEPTION),
        ("b", Error.NONE),
        ("new", Error.UNKNOWN_TOPIC_OR_PARTITION),
    ]


def test_pages_together_are_everything_once() -> None:
    image = three_brokers()
    add_topic(image, "a", *[(1,)] * 5)
    add_topic(image, "b", *[(1,)] * 2)
    add_topic(image, "c", *[(1,)] * 3)
    pages, cursor = [], None
    while True:
        answer = describe(image, limit=2, cursor=cursor)
        pages.append(partitions_of(answer))
        if answer.next_cursor is None:
            break
        cursor = (answer.next_cursor.topic_name, answer.next_cursor.partition_index)
    assert pages == [
        {"a": [0, 1]},
        {"a": [2, 3]},
        {"a": [4], "b": [0]},
        {"b": [1], "c": [0]},
        {"c": [1, 2]},
    ]


def test_a_cursor_at_a_topic_that_is_gone_goes_on_with_the_next() -> None:
    image = three_brokers()
    add_topic(image, "a", (1,))
    add_topic(image, "c", (1,), (1,))
    assert partitions_of(describe(image, cursor=("b", 7))) == {"c": [0, 1]}


def test_a_negative_cursor_is_refused() -> None:
    image = three_brokers()
    add_topic(image, "a", (1,))
    (topic,) = describe(image, "a", cursor=("a", -1)).topics
    assert topic.error_code == Error.INVALID_REQUEST
