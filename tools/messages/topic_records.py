"""Tables of the records of the coordinators' topics and of control batches.

Pure data over `wire.stored`; `recording` makes readers and writers of it. Field order is wire
order. The versions of a key are its types: 0 and 1 an offset, 2 a classic group, 3 to 8 and 16
what there is of a consumer group, 10 to 15 of a share group. Those of `__share_group_state`
begin with 0 again.
"""

from __future__ import annotations

from typing import Final

from spindle.model import quorum_voters
from spindle.model.ids import Endpoint, VersionRange
from spindle.wire import stored
from spindle.wire.making import bare_id
from tools.messages.declare import F, layout
from tools.messages.layout import Layout
from tools.messages.recording import Recorded

_OFFSET_KEY: Final = (F("group", "string"), F("topic", "string"), F("partition", "int32"))
_OFFSET_FIELDS: Final = (
    F("offset", "int64"),
    F("leader_epoch", "int32", since=3),
    F("metadata", "string"),
    F("commit_timestamp", "int64"),
    F("expire_timestamp", "int64", since=1, until=1),
    F("topic_id", "uuid", since=4, tag=0),
)
_MEMBER_FIELDS: Final = (
    F("member_id", "string"),
    F("instance_id", "?string", since=3),
    F("client_id", "string"),
    F("client_host", "string"),
    F("rebalance_timeout", "int32", since=1),
    F("session_timeout", "int32"),
    F("subscription", "bytes"),
    F("assignment", "bytes"),
)


def _group_value(version: int) -> Layout:
    flexible = version >= 4
    member = layout(
        "MemberMetadata", version, _MEMBER_FIELDS, cls=stored.GroupMember, flexible=flexible
    )
    fields = (
        F("protocol_type", "string"),
        F("generation", "int32"),
        F("protocol", "?string"),
        F("leader", "?string"),
        F("state_timestamp", "int64", since=2),
        F("members", "[]", of=member),
    )
    return layout("GroupMetadataValue", version, fields, cls=stored.GroupValue, flexible=flexible)


_TARGET: Final = layout(
    "TopicPartition",
    0,
    (F("topic_id", "uuid"), F("partitions", "[]int32")),
    cls=stored.TopicPartitionsValue,
)
_HELD: Final = layout(
    "TopicPartitions",
    0,
    (
        F("topic_id", "uuid"),
        F("partitions", "[]int32"),
        F("epochs", "?[]int32", tag=0),
    ),
    cls=stored.HeldPartitionsValue,
)
_CLASSIC_PROTOCOL: Final = layout(
    "ClassicProtocol",
    0,
    (F("name", "string"), F("metadata", "bytes")),
    cls=stored.ClassicProtocol,
)
_CLASSIC_MEMBER: Final = layout(
    "ClassicMemberMetadata",
    0,
    (F("session_timeout", "int32"), F("protocols", "[]", of=_CLASSIC_PROTOCOL)),
    cls=stored.ClassicMember,
)
_GROUP_NAME: Final = (F("group", "string"),)
_MEMBER_NAME: Final = (*_GROUP_NAME, F("member_id", "string"))
_REGEX_NAME: Final = (*_GROUP_NAME, F("regex", "string"))
_CONSUMER_KEYS: Final = (
    ("ConsumerGroupMetadataKey", 3, _GROUP_NAME, stored.ConsumerGroupKey),
    ("ConsumerGroupPartitionMetadataKey", 4, _GROUP_NAME, stored.ConsumerGroupKey),
    ("ConsumerGroupMemberMetadataKey", 5, _MEMBER_NAME, stored.ConsumerMemberKey),
    ("ConsumerGroupTargetAssignmentMetadataKey", 6, _GROUP_NAME, stored.ConsumerGroupKey),
    ("ConsumerGroupTargetAssignmentMemberKey", 7, _MEMBER_NAME, stored.ConsumerMemberKey),
    ("ConsumerGroupCurrentMemberAssignmentKey", 8, _MEMBER_NAME, stored.ConsumerMemberKey),
    ("ConsumerGroupRegularExpressionKey", 16, _REGEX_NAME, stored.RegularExpressionKey),
)
_CONSUMER_VALUES: Final = (
    (
        "ConsumerGroupMetadataValue",
        (F("epoch", "int32"), F("topics_hash", "int64", tag=0)),
        stored.ConsumerGroupValue,
    ),
    (
        "ConsumerGroupMemberMetadataValue",
        (
            F("instance_id", "?string"),
            F("rack_id", "?string"),
            F("client_id", "string"),
            F("client_host", "string"),
            F("topics", "[]string"),
            F("regex", "?string"),
            F("rebalance_timeout", "int32"),
            F("assignor", "?string"),
            F("classic", "?", of=_CLASSIC_MEMBER, tag=0),
        ),
        stored.ConsumerMemberValue,
    ),
    (
        "ConsumerGroupTargetAssignmentMetadataValue",
        (F("epoch", "int32"), F("at", "int64", tag=0)),
        stored.TargetEpochValue,
    ),
    (
        "ConsumerGroupTargetAssignmentMemberValue",
        (F("topics", "[]", of=_TARGET),),
        stored.TargetMemberValue,
    ),
    (
        "ConsumerGroupCurrentMemberAssignmentValue",
        (
            F("epoch", "int32"),
            F("previous_epoch", "int32"),
            F("state", "int8"),
            F("assigned", "[]", of=_HELD),
            F("revoking", "[]", of=_HELD),
        ),
        stored.CurrentMemberValue,
    ),
    (
        "ConsumerGroupRegularExpressionValue",
        (F("topics", "[]string"), F("version", "int64"), F("at", "int64")),
        stored.RegularExpressionValue,
    ),
)
"""What there was in type 4 is never read: whether there is such a record is all that counts."""

_NAMED: Final = layout(
    "TopicPartitionsInfo",
    0,
    (F("topic_id", "uuid"), F("topic", "string"), F("partitions", "[]int32")),
    cls=stored.NamedPartitionsValue,
)
_NAMED_TOPIC: Final = layout(
    "TopicInfo", 0, (F("topic_id", "uuid"), F("topic", "string")), cls=stored.NamedTopicValue
)
_SHARE_BATCH: Final = layout(
    "StateBatch",
    0,
    (F("first", "int64"), F("last", "int64"), F("state", "int8"), F("count", "int16")),
    cls=stored.ShareBatchValue,
)
_SHARE_STATE_NAME: Final = (*_GROUP_NAME, F("topic_id", "uuid"), F("partition", "int32"))
_SHARE_KEYS: Final = (
    ("ShareGroupMemberMetadataKey", 10, _MEMBER_NAME, stored.ConsumerMemberKey),
    ("ShareGroupMetadataKey", 11, _GROUP_NAME, stored.ConsumerGroupKey),
    ("ShareGroupTargetAssignmentMetadataKey", 12, _GROUP_NAME, stored.ConsumerGroupKey),
    ("ShareGroupTargetAssignmentMemberKey", 13, _MEMBER_NAME, stored.ConsumerMemberKey),
    ("ShareGroupCurrentMemberAssignmentKey", 14, _MEMBER_NAME, stored.ConsumerMemberKey),
    ("ShareGroupStatePartitionMetadataKey", 15, _GROUP_NAME, stored.ConsumerGroupKey),
    ("ShareSnapshotKey", 0, _SHARE_STATE_NAME, stored.ShareStateKey),
    ("ShareUpdateKey", 1, _SHARE_STATE_NAME, stored.ShareStateKey),
)
_SHARE_VALUES: Final = (
    (
        "ShareGroupMemberMetadataValue",
        (
            F("rack_id", "?string"),
            F("client_id", "string"),
            F("client_host", "string"),
            F("topics", "[]string"),
        ),
        stored.ShareMemberValue,
    ),
    (
        "ShareGroupMetadataValue",
        (F("epoch", "int32"), F("topics_hash", "int64")),
        stored.ConsumerGroupValue,
    ),
    (
        "ShareGroupTargetAssignmentMetadataValue",
        (F("epoch", "int32"), F("at", "int64", tag=0)),
        stored.TargetEpochValue,
    ),
    (
        "ShareGroupTargetAssignmentMemberValue",
        (F("topics", "[]", of=_TARGET),),
        stored.TargetMemberValue,
    ),
    (
        "ShareGroupCurrentMemberAssignmentValue",
        (
            F("epoch", "int32"),
            F("previous_epoch", "int32"),
            F("state", "int8"),
            F("assigned", "[]", of=_TARGET),
        ),
        stored.ShareCurrentValue,
    ),
    (
        "ShareGroupStatePartitionMetadataValue",
        (
            F("initializing", "[]", of=_NAMED),
            F("initialized", "[]", of=_NAMED),
            F("deleting", "[]", of=_NAMED_TOPIC),
        ),
        stored.ShareInitializationValue,
    ),
    (
        "ShareSnapshotValue",
        (
            F("snapshot_epoch", "int32"),
            F("state_epoch", "int32"),
            F("leader_epoch", "int32"),
            F("start_offset", "int64"),
            F("complete", "int32", tag=0, default=-1),
            F("created_ms", "int64"),
            F("written_ms", "int64"),
            F("batches", "[]", of=_SHARE_BATCH),
        ),
        stored.ShareSnapshotValue,
    ),
    (
        "ShareUpdateValue",
        (
            F("snapshot_epoch", "int32"),
            F("leader_epoch", "int32"),
            F("start_offset", "int64"),
            F("complete", "int32", tag=0, default=-1),
            F("batches", "[]", of=_SHARE_BATCH),
        ),
        stored.ShareUpdateValue,
    ),
)


_BEFORE: Final = (
    F("producer_id", "int64"),
    F("previous_producer_id", "int64", since=1, tag=0, default=-1),
    F("next_producer_id", "int64", since=1, tag=1, default=-1),
    F("producer_epoch", "int16"),
    F("next_producer_epoch", "int16", since=1, tag=3, default=-1),
    F("timeout", "int32"),
    F("status", "int8"),
)
_BEHIND: Final = (
    F("updated", "int64"),
    F("started", "int64"),
    F("client_version", "int16", since=1, tag=2, default=0),
)


def _transaction_value(version: int) -> Layout:
    return layout(
        "TransactionLogValue",
        version,
        (
            *_BEFORE,
            F(
                "partitions",
                "?[]",
                of=layout(
                    "PartitionsSchema",
                    version,
                    (F("topic", "string"), F("partitions", "[]int32")),
                    cls=stored.TransactionPartitions,
                    flexible=version >= 1,
                ),
            ),
            *_BEHIND,
        ),
        cls=stored.TransactionValue,
        flexible=version >= 1,
    )


_VERSION: Final = F("", "int16", get="0")
_BARE: Final = layout("Voter", 0, (F("id", "int32", get="e"),), build=bare_id)


# Version 1 adds directory ids, which Apache Kafka 4.3 does not write either.
_WITH_DIRECTORY: Final = layout(
    "Voter", 1, (F("id", "int32"), F("directory_id", "id")), build=bare_id
)
_ENDPOINT: Final = layout(
    "Endpoint", 0, (F("name", "string"), F("host", "string"), F("port", "uint16")), build=Endpoint
)
_SUPPORTED: Final = layout(
    "KRaftVersionFeature", 0, (F("min", "int16"), F("max", "int16")), build=VersionRange
)
_VOTER: Final = layout(
    "Voter",
    0,
    (
        F("id", "int32"),
        F("directory_id", "id"),
        F("endpoints", "[]", of=_ENDPOINT),
        F("supported", "", of=_SUPPORTED),
    ),
    cls=quorum_voters.Voter,
)


def _leader_change(version: int, voter: Layout) -> Layout:
    return layout(
        "LeaderChange",
        version,
        (
            _VERSION,
            F("leader", "int32"),
            F("voters", "[]", of=voter),
            F("granting", "[]", of=voter),
        ),
        cls=stored.LeaderChange,
    )


def _control(name: str, value: type, *fields: F) -> Recorded:
    return Recorded(name, {0: layout(name, 0, (_VERSION, *fields), cls=value)}, (0,))


def topic_records() -> list[Recorded]:
    """Keys and values of the coordinators' records."""

    def of(name: str, layouts: list[Layout], first: int = 0) -> Recorded:
        by_version = dict(enumerate(layouts, first))
        return Recorded(name, by_version, tuple(by_version))

    offsets = [
        layout("OffsetCommitKey", v, _OFFSET_KEY, cls=stored.OffsetKey, flexible=False)
        for v in (0, 1)
    ]
    group = layout("GroupMetadataKey", 2, _OFFSET_KEY[:1], cls=stored.GroupKey, flexible=False)
    values = [
        layout("OffsetCommitValue", v, _OFFSET_FIELDS, cls=stored.OffsetValue, flexible=v >= 4)
        for v in range(5)
    ]
    name = (F("transactional_id", "string"),)
    transaction = layout("TransactionLogKey", 0, name, cls=stored.TransactionKey, flexible=False)
    return [
        of("OffsetCommitKey", offsets),
        of("GroupMetadataKey", [group], 2),
        of("OffsetCommitValue", values),
        of("GroupMetadataValue", [_group_value(v) for v in range(5)]),
        *(
            of(name, [layout(name, type_, fields, cls=cls, flexible=False)], type_)
            for name, type_, fields, cls in (*_CONSUMER_KEYS, *_SHARE_KEYS)
        ),
        *(
            of(name, [layout(name, 0, fields, cls=cls)])
            for name, fields, cls in (*_CONSUMER_VALUES, *_SHARE_VALUES)
        ),
        of("TransactionLogKey", [transaction]),
        of("TransactionLogValue", [_transaction_value(v) for v in range(2)]),
    ]


def control_records() -> list[Recorded]:
    """What control batches say of the quorum and of snapshots."""
    changes = {0: _leader_change(0, _BARE), 1: _leader_change(1, _WITH_DIRECTORY)}
    return [
        Recorded("LeaderChange", changes, (0,)),
        _control("SnapshotHeader", stored.SnapshotHeader, F("last_timestamp", "int64")),
        _control("SnapshotFooter", stored.SnapshotFooter),
        _control("KRaftVersion", quorum_voters.KRaftVersion, F("level", "int16")),
        _control("Voters", quorum_voters.Voters, F("voters", "[]", of=_VOTER)),
    ]
