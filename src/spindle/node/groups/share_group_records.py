"""Between a share group's records and those of `__consumer_offsets` (KIP-932).

Used by `node.groups.group_records`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from spindle.core.groups.consumer_values import Partitions
from spindle.core.groups.share_group_values import (
    Initialization,
    InitializationRecord,
    Named,
    NamedPartitions,
    ShareEpochRecord,
    ShareGroupRecord,
    ShareStanding,
    ShareStandingRecord,
    ShareSubscription,
    ShareSubscriptionRecord,
    ShareTargetEpochRecord,
    ShareTargetRecord,
)
from spindle.model.ids import ZERO_ID, TopicId
from spindle.wire import share_coordinator as wire
from spindle.wire import stored

_STABLE: Final = 0


def to_share_pair(record: ShareGroupRecord) -> tuple[bytes, bytes | None]:
    """A record's key and value as they are appended."""
    id = record.group_id
    if isinstance(record, ShareStandingRecord):
        return wire.encode_share_current(id, record.member_id, _current(record.value))
    if isinstance(record, ShareTargetRecord):
        target = None if record.value is None else stored.TargetMemberValue(_topics(record.value))
        return wire.encode_share_target(id, record.member_id, target)
    if isinstance(record, ShareSubscriptionRecord):
        return wire.encode_share_member(id, record.member_id, _member(record.value))
    if isinstance(record, InitializationRecord):
        return wire.encode_share_states(id, _states(record.value))
    if isinstance(record, ShareTargetEpochRecord):
        made = record.value and stored.TargetEpochValue(epoch=record.value[0], at=record.value[1])
        return wire.encode_share_target_epoch(id, made or None)
    group = record.value and stored.ConsumerGroupValue(
        epoch=record.value[0], topics_hash=record.value[1]
    )
    return wire.encode_share_group(id, group or None)


def from_share_wire(record: wire.StoredShareRecord) -> ShareGroupRecord:
    """A record as it was read."""
    key, value = record.key, record.value
    if isinstance(key, stored.ConsumerMemberKey):
        return _of_member(record.type_, key, value)
    if record.type_ is wire.ShareKeyType.STATES:
        assert value is None or isinstance(value, stored.ShareInitializationValue)
        return InitializationRecord(key.group, None if value is None else _read_states(value))
    if record.type_ is wire.ShareKeyType.TARGET_EPOCH:
        assert value is None or isinstance(value, stored.TargetEpochValue)
        return ShareTargetEpochRecord(key.group, None if value is None else (value.epoch, value.at))
    assert value is None or isinstance(value, stored.ConsumerGroupValue)
    return ShareEpochRecord(key.group, None if value is None else (value.epoch, value.topics_hash))


def _of_member(
    type_: wire.ShareKeyType, key: stored.ConsumerMemberKey, value: wire.ShareGroupValue | None
) -> ShareGroupRecord:
    group, member_id = key.group, key.member_id
    if type_ is wire.ShareKeyType.CURRENT:
        assert value is None or isinstance(value, stored.ShareCurrentValue)
        stands = value and ShareStanding(
            value.epoch, value.previous_epoch, _partitions(value.assigned)
        )
        return ShareStandingRecord(group, member_id, stands or None)
    if type_ is wire.ShareKeyType.TARGET:
        assert value is None or isinstance(value, stored.TargetMemberValue)
        target = None if value is None else _partitions(value.topics)
        return ShareTargetRecord(group, member_id, target)
    assert value is None or isinstance(value, stored.ShareMemberValue)
    said = value and ShareSubscription(
        value.rack_id, value.client_id, value.client_host, value.topics
    )
    return ShareSubscriptionRecord(group, member_id, said or None)


# --- to the wire --------------------------------------------------------------------------------


def _current(value: ShareStanding | None) -> stored.ShareCurrentValue | None:
    if value is None:
        return None
    return stored.ShareCurrentValue(
        epoch=value.epoch,
        previous_epoch=value.previous_epoch,
        state=_STABLE,
        assigned=_topics(value.assigned),
    )


def _topics(value: Partitions) -> tuple[stored.TopicPartitionsValue, ...]:
    return tuple(stored.TopicPartitionsValue(t, tuple(numbers)) for t, numbers in value.items())


def _member(value: ShareSubscription | None) -> stored.ShareMemberValue | None:
    if value is None:
        return None
    return stored.ShareMemberValue(
        rack_id=value.rack_id,
        client_id=value.client_id,
        client_host=value.client_host,
        topics=value.topics,
    )


def _states(value: Initialization | None) -> stored.ShareInitializationValue | None:
    if value is None:
        return None
    return stored.ShareInitializationValue(
        initializing=_named(value.initializing),
        initialized=_named(value.initialized),
        deleting=tuple(stored.NamedTopicValue(t, name) for t, name in value.deleting.items()),
    )


def _named(named: Named) -> tuple[stored.NamedPartitionsValue, ...]:
    return tuple(
        stored.NamedPartitionsValue(topic_id, each.topic, tuple(sorted(each.partitions)))
        for topic_id, each in named.items()
    )


# --- from the wire ------------------------------------------------------------------------------


def _partitions(
    topics: Iterable[stored.TopicPartitionsValue],
) -> dict[TopicId, tuple[int, ...]]:
    return {topic.topic_id or ZERO_ID: topic.partitions for topic in topics}


def _read_states(value: stored.ShareInitializationValue) -> Initialization:
    return Initialization(
        _read_named(value.initializing),
        _read_named(value.initialized),
        {topic.topic_id or ZERO_ID: topic.topic for topic in value.deleting},
    )


def _read_named(
    topics: Iterable[stored.NamedPartitionsValue],
) -> dict[TopicId, NamedPartitions]:
    return {
        topic.topic_id or ZERO_ID: NamedPartitions(topic.topic, frozenset(topic.partitions))
        for topic in topics
    }
