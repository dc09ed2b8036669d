"""The empty group id: no group has it for its members, but offsets may be kept under it."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.desk import part
from tests.support.group_broker import GroupBroker
from tools.messages.entities import ms

from spindle.model.errors import Error
from spindle.model.metadata_records import FeatureLevel
from spindle.wire.apis import TABLE, Key

REFUSED = Error.INVALID_GROUP_ID


@pytest.fixture
def broker() -> GroupBroker:
    return GroupBroker()


def versions(key: Key) -> range:
    return range(TABLE[key].min, TABLE[key].max + 1)


def member(key: Key, version: int) -> dict[str, Any]:
    """What a member of the group with the empty name asks."""
    fields: dict[str, Any] = {"group_id": ""}
    if key in (Key.SYNC_GROUP, Key.HEARTBEAT):
        fields |= {"member_id": "m", "generation_id": 1}
        if key is Key.SYNC_GROUP and version >= 5:
            fields |= {"protocol_type": "consumer", "protocol_name": "range"}
    if key is Key.JOIN_GROUP:
        protocol = part(key, version, "JoinGroupRequestProtocol", name="range", metadata=b"m")
        fields |= {
            "member_id": "m",
            "session_timeout": ms(10_000),
            "rebalance_timeout": ms(10_000),
            "protocol_type": "consumer",
            "protocols": (protocol,),
        }
    if key is Key.LEAVE_GROUP and version < 3:
        fields["member_id"] = "m"
    elif key is Key.LEAVE_GROUP:
        leaving = part(key, version, "MemberIdentity", member_id="m", group_instance_id=None)
        fields["members"] = (leaving,)
    return fields


@pytest.mark.parametrize("leads", [True, False])
@pytest.mark.parametrize(
    "key", [Key.JOIN_GROUP, Key.SYNC_GROUP, Key.HEARTBEAT, Key.LEAVE_GROUP, Key.OFFSET_DELETE]
)
def test_it_is_refused_as_a_whole_and_anywhere(broker: GroupBroker, key: Key, leads: bool) -> None:
    broker.lead(leads)
    for version in versions(key):
        answer = broker.ask(key, version, **member(key, version))
        assert answer.error_code == REFUSED
        assert not getattr(answer, "members", ())


def commit(broker: GroupBroker, version: int, generation: int) -> Error:
    key = Key.OFFSET_COMMIT
    place = part(key, version, "OffsetCommitRequestPartition", partition_index=0)
    topic = part(key, version, "OffsetCommitRequestTopic", name="t", partitions=(place,))
    answer = broker.ask(
        key, version, group_id="", generation_id_or_member_epoch=generation, topics=(topic,)
    )
    return Error(answer.topics[0].partitions[0].error_code)


def test_consumers_that_assign_their_own_partitions_may_commit_under_it(
    broker: GroupBroker,
) -> None:
    assert commit(broker, 8, 1) == Error.ILLEGAL_GENERATION
    assert commit(broker, 9, 1) == Error.GROUP_ID_NOT_FOUND
    assert commit(broker, 8, -1) == Error.NONE
    assert commit(broker, 9, 1) == Error.UNKNOWN_MEMBER_ID
    (group,) = broker.ask(Key.DESCRIBE_GROUPS, 5, groups=("",)).groups
    assert (group.error_code, group.group_state) == (Error.NONE, "Empty")
    (result,) = broker.ask(Key.DELETE_GROUPS, 2, groups_names=("",)).results
    assert result.error_code == Error.NONE
    assert commit(broker, 9, 1) == Error.GROUP_ID_NOT_FOUND


@pytest.mark.parametrize("leads", [True, False])
@pytest.mark.parametrize("key", [Key.CONSUMER_GROUP_DESCRIBE, Key.SHARE_GROUP_DESCRIBE])
def test_it_is_refused_where_groups_are_described_by_kind(
    broker: GroupBroker, key: Key, leads: bool
) -> None:
    for feature in ("group.version", "share.version"):
        broker.image.apply(FeatureLevel(name=feature, level=1))
    broker.lead(leads)
    for version in versions(key):
        (group,) = broker.ask(
            key, version, group_ids=("",), include_authorized_operations=False
        ).groups
        assert group.error_code == REFUSED
