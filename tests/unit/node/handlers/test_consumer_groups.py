"""ConsumerGroupHeartbeat, ConsumerGroupDescribe and their neighbours in a broker's handlers."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from kio.schema.consumer_group_heartbeat.v1.request import TopicPartitions
from kio.schema.offset_fetch.v9.request import OffsetFetchRequestGroup
from tests.support.group_broker import GroupBroker
from tools.messages.entities import ms

from spindle.model import metadata_records as r
from spindle.model.errors import Error
from spindle.model.ids import PartitionId
from spindle.wire.apis import Key

pytestmark = pytest.mark.spec("C-02", "C-03")


def group_broker(setting: str, value: str) -> GroupBroker:
    settings: dict[str, Any] = {setting: value}
    return GroupBroker(**settings)


@pytest.fixture
def broker() -> GroupBroker:
    broker = group_broker("group.consumer.assignment.interval.ms", "0")
    broker.image.apply(r.FeatureLevel(name="group.version", level=1))
    return broker


def beat(broker: GroupBroker, epoch: int, version: int = 1, **fields: Any) -> Any:
    asked: dict[str, Any] = {"group_id": "g", "member_id": "m", "member_epoch": epoch}
    if epoch == 0:
        asked |= {
            "rebalance_timeout": ms(60_000),
            "subscribed_topic_names": ("t",),
            "topic_partitions": (),
        }
    return broker.ask(Key.CONSUMER_GROUP_HEARTBEAT, version, **(asked | fields))


def described(broker: GroupBroker) -> Any:
    (group,) = broker.ask(
        Key.CONSUMER_GROUP_DESCRIBE, 1, group_ids=("g",), include_authorized_operations=True
    ).groups
    return group


def test_a_member_joins_is_described_and_leaves(broker: GroupBroker) -> None:
    answer = beat(broker, 0)
    assert (answer.error_code, answer.member_epoch) == (Error.NONE, 2)
    assert answer.heartbeat_interval == timedelta(seconds=5)
    (topic,) = answer.assignment.topic_partitions
    assert tuple(topic.partitions) == (0, 1)
    assert beat(broker, 2).assignment is None
    group = described(broker)
    assert (group.group_state, group.group_epoch, group.assignment_epoch) == ("Stable", 2, 2)
    assert group.assignor_name == "uniform"
    (member,) = group.members
    assert (member.member_id, member.member_type, tuple(member.subscribed_topic_names)) == (
        "m", 1, ("t",),
    )  # fmt: skip
    assert member.subscribed_topic_regex == ""
    assert [t.topic_name for t in member.assignment.topic_partitions] == ["t"]
    assert [tuple(t.partitions) for t in member.target_assignment.topic_partitions] == [(0, 1)]
    assert beat(broker, -1).member_epoch == -1
    assert described(broker).group_state == "Empty"


def test_what_a_cluster_without_the_feature_says(broker: GroupBroker) -> None:
    broker.image.apply(r.FeatureLevel(name="group.version", level=0))
    for answer in (beat(broker, 0), described(broker)):
        assert (answer.error_code, answer.error_message) == (Error.UNSUPPORTED_VERSION, None)


def test_a_broker_without_the_protocol_refuses_it() -> None:
    broker = group_broker("group.coordinator.rebalance.protocols", "classic")
    broker.image.apply(r.FeatureLevel(name="group.version", level=1))
    answer = beat(broker, 0)
    assert answer.error_code == Error.UNSUPPORTED_VERSION
    assert answer.error_message is None


@pytest.mark.parametrize(
    ("epoch", "fields", "error"),
    [
        (0, {"group_id": ""}, Error.INVALID_REQUEST),
        (0, {"member_id": ""}, Error.INVALID_REQUEST),
        (0, {"instance_id": ""}, Error.INVALID_REQUEST),
        (0, {"rack_id": ""}, Error.INVALID_REQUEST),
        (0, {"rebalance_timeout": ms(-1)}, Error.INVALID_REQUEST),
        (0, {"topic_partitions": None}, Error.INVALID_REQUEST),
        (0, {"subscribed_topic_names": None}, Error.INVALID_REQUEST),
        (0, {"server_assignor": "sticky"}, Error.UNSUPPORTED_ASSIGNOR),
        (0, {"subscribed_topic_regex": "("}, Error.INVALID_REGULAR_EXPRESSION),
        (-2, {}, Error.INVALID_REQUEST),
        (-3, {}, Error.INVALID_REQUEST),
        (1, {}, Error.GROUP_ID_NOT_FOUND),
    ],
)
def test_wrong_heartbeats_are_refused_with_a_reason(
    broker: GroupBroker, epoch: int, fields: dict[str, Any], error: Error
) -> None:
    answer = beat(broker, epoch, **fields)
    assert answer.error_code == error
    assert answer.error_message


def test_before_version_1_a_member_may_be_given_its_id(broker: GroupBroker) -> None:
    answer = beat(broker, 0, version=0, member_id="")
    assert (answer.error_code, len(answer.member_id)) == (Error.NONE, 22)


def test_groups_are_listed_by_type_and_not_described_as_classic_ones(broker: GroupBroker) -> None:
    beat(broker, 0)
    for types, names in (((), ["g"]), (("Consumer",), ["g"]), (("classic",), [])):
        told = broker.ask(Key.LIST_GROUPS, 5, types_filter=types).groups
        assert [g.group_id for g in told] == names
        assert all((g.group_type, g.protocol_type) == ("consumer", "consumer") for g in told)
    (told,) = broker.ask(Key.DESCRIBE_GROUPS, 6, groups=("g",)).groups
    assert (told.error_code, told.group_state) == (Error.GROUP_ID_NOT_FOUND, "Dead")
    assert "is not a classic group" in told.error_message


def test_new_partitions_come_with_the_metadata_and_settings_with_the_group(
    broker: GroupBroker,
) -> None:
    beat(broker, 0)
    topic = broker.image.topic("t")
    assert topic is not None
    broker.image.delta = type(broker.image.delta)()
    part = topic.partitions[0]
    topic.partitions[2] = part
    broker.image.delta.partitions[PartitionId(topic.topic_id, 2)] = None
    broker.groups.on_metadata(broker.image.delta)
    answer = beat(broker, 2)
    assert answer.member_epoch == 3
    for name, value in (("consumer.heartbeat.interval.ms", "6000"), ("other", "1")):
        broker.image.apply(
            r.DynamicConfig(resource_type=32, resource_name="g", key=name, value=value)
        )
    assert beat(broker, 3).heartbeat_interval == timedelta(seconds=6)


def test_owned_partitions_are_heard(broker: GroupBroker) -> None:
    beat(broker, 0)
    beat(broker, 0, member_id="n")
    topic = broker.image.topic("t")
    assert topic is not None
    numbers: Any = (0, 1)
    owned = TopicPartitions(topic_id=topic.topic_id, partitions=numbers)
    told = beat(broker, 2, topic_partitions=(owned,))
    (kept,) = told.assignment.topic_partitions
    assert len(kept.partitions) == 1
    assert beat(broker, 2, topic_partitions=(kept,)).member_epoch == 3


def test_offsets_are_committed_and_fetched_in_the_members_epoch(broker: GroupBroker) -> None:
    beat(broker, 0)
    (group,) = broker.ask(
        Key.OFFSET_FETCH, 9, groups=(fetch_group(member_id="m", member_epoch=7),)
    ).groups
    assert group.error_code == Error.STALE_MEMBER_EPOCH
    (group,) = broker.ask(
        Key.OFFSET_FETCH, 9, groups=(fetch_group(member_id="m", member_epoch=2),)
    ).groups
    assert group.error_code == Error.NONE


def fetch_group(**fields: Any) -> Any:
    group: dict[str, Any] = {"group_id": "g", "topics": None, **fields}
    return OffsetFetchRequestGroup(**group)
