"""ShareGroupHeartbeat, ShareGroupDescribe and AlterShareGroupOffsets in a broker's handlers."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.desk import part
from tests.support.group_broker import GroupBroker

from spindle.model import metadata_records as r
from spindle.model.errors import Error
from spindle.wire.apis import Key

pytestmark = pytest.mark.spec("C-04")


@pytest.fixture
def broker() -> GroupBroker:
    broker = GroupBroker()
    broker.image.apply(r.FeatureLevel(name="share.version", level=1))
    return broker


def joined(broker: GroupBroker, member_id: str) -> Any:
    return broker.ask(
        Key.SHARE_GROUP_HEARTBEAT,
        1,
        group_id="g",
        member_id=member_id,
        member_epoch=0,
        rack_id=None,
        subscribed_topic_names=("t",),
    )


def described(broker: GroupBroker, group_id: str) -> Any:
    (group,) = broker.ask(
        Key.SHARE_GROUP_DESCRIBE, 1, group_ids=(group_id,), include_authorized_operations=False
    ).groups
    return group


def test_a_first_member_finds_the_epoch_that_apache_kafka_begins_with(broker: GroupBroker) -> None:
    answer = joined(broker, "m")
    assert (answer.error_code, answer.member_epoch) == (Error.NONE, 2)
    group = described(broker, "g")
    assert (group.group_state, group.group_epoch, group.assignment_epoch) == ("Stable", 2, 2)


def test_what_a_cluster_without_share_groups_says(broker: GroupBroker) -> None:
    broker.image.apply(r.FeatureLevel(name="share.version", level=0))
    for answer in (joined(broker, "m"), described(broker, "g")):
        assert (answer.error_code, answer.error_message) == (Error.UNSUPPORTED_VERSION, None)


@pytest.mark.parametrize(("size", "error"), [(36, Error.NONE), (37, Error.INVALID_REQUEST)])
def test_a_members_id_has_the_size_of_a_uuid_at_most(
    broker: GroupBroker, size: int, error: Error
) -> None:
    assert joined(broker, "m" * size).error_code == error


def test_offsets_of_unknown_topics_alone_make_no_group(broker: GroupBroker) -> None:
    for names in ((), ("unknown",)):
        key = Key.ALTER_SHARE_GROUP_OFFSETS
        partition = part(key, 0, "AlterShareGroupOffsetsRequestPartition", start_offset=0)
        topics = tuple(
            part(
                key,
                0,
                "AlterShareGroupOffsetsRequestTopic",
                topic_name=name,
                partitions=(partition,),
            )
            for name in names
        )
        answer = broker.ask(key, 0, group_id="g", topics=topics)
        assert answer.error_code == Error.NONE
        told = [p.error_code for topic in answer.responses for p in topic.partitions]
        assert told == [Error.UNKNOWN_TOPIC_OR_PARTITION] * len(names)
        assert described(broker, "g").error_code == Error.GROUP_ID_NOT_FOUND


def altered(broker: GroupBroker, start: int) -> Any:
    key = Key.ALTER_SHARE_GROUP_OFFSETS
    partition = part(key, 0, "AlterShareGroupOffsetsRequestPartition", start_offset=start)
    topic = part(
        key, 0, "AlterShareGroupOffsetsRequestTopic", topic_name="t", partitions=(partition,)
    )
    return broker.ask(key, 0, group_id="g", topics=(topic,))


def test_other_offsets_leave_the_epoch_of_a_group_as_it_is(broker: GroupBroker) -> None:
    joined(broker, "m")
    leaving = broker.ask(
        Key.SHARE_GROUP_HEARTBEAT, 1, group_id="g", member_id="m", member_epoch=-1, rack_id=None
    )
    assert leaving.error_code == Error.NONE
    epoch = described(broker, "g").group_epoch
    for start in (0, 1):
        assert altered(broker, start).error_code == Error.NONE
        assert described(broker, "g").group_epoch == epoch


def test_offsets_of_a_group_with_members_stay(broker: GroupBroker) -> None:
    joined(broker, "m")
    assert altered(broker, 0).error_code == Error.NON_EMPTY_GROUP
