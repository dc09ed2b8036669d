"""Between a consumer group's records and those of `__consumer_offsets` (KIP-848).

Used by `node.groups.group_records`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from spindle.core.groups.consumer_values import (
    ClassicTerms,
    ConsumerRecord,
    CurrentAssignment,
    CurrentRecord,
    EpochRecord,
    Held,
    MemberState,
    OldTopicsRecord,
    Partitions,
    RegexRecord,
    ResolvedRegex,
    Subscription,
    SubscriptionRecord,
    TargetEpochRecord,
    TargetRecord,
)
from spindle.model.ids import ZERO_ID, TopicId
from spindle.wire import consumer_coordinator as wire
from spindle.wire import stored

_STATES: Final = {int(state): state for state in MemberState}


def to_pair(record: ConsumerRecord) -> tuple[bytes, bytes | None]:
    """A record's key and value as they are appended."""
    id = record.group_id
    if isinstance(record, CurrentRecord):
        return wire.encode_current(id, record.member_id, _current(record.value))
    if isinstance(record, TargetRecord):
        return wire.encode_target(id, record.member_id, _target(record.value))
    if isinstance(record, SubscriptionRecord):
        return wire.encode_member(id, record.member_id, _subscription(record.value))
    if isinstance(record, RegexRecord):
        return wire.encode_regex(id, record.regex, _regex(record.value))
    if isinstance(record, OldTopicsRecord):
        assert not record.is_there, "it is only ever removed"
        return wire.encode_no_old_topics(id)
    if isinstance(record, TargetEpochRecord):
        target = record.value and stored.TargetEpochValue(epoch=record.value[0], at=record.value[1])
        return wire.encode_target_epoch(id, target or None)
    group = record.value and stored.ConsumerGroupValue(
        epoch=record.value[0], topics_hash=record.value[1]
    )
    return wire.encode_group(id, group or None)


def from_wire(record: wire.ConsumerRecord) -> ConsumerRecord:
    """A record as it was read."""
    key, value = record.key, record.value
    if isinstance(key, stored.RegularExpressionKey):
        assert value is None or isinstance(value, stored.RegularExpressionValue)
        found = value and ResolvedRegex(frozenset(value.topics), value.version, value.at)
        return RegexRecord(key.group, key.regex, found or None)
    if isinstance(key, stored.ConsumerMemberKey):
        return _of_member(record.type_, key, value)
    if record.type_ is wire.ConsumerKeyType.OLD_TOPICS:
        return OldTopicsRecord(key.group, record.has_value)
    if record.type_ is wire.ConsumerKeyType.TARGET_EPOCH:
        assert value is None or isinstance(value, stored.TargetEpochValue)
        return TargetEpochRecord(key.group, None if value is None else (value.epoch, value.at))
    assert value is None or isinstance(value, stored.ConsumerGroupValue)
    return EpochRecord(key.group, None if value is None else (value.epoch, value.topics_hash))


def _of_member(
    type_: wire.ConsumerKeyType, key: stored.ConsumerMemberKey, value: wire.Value | None
) -> ConsumerRecord:
    if type_ is wire.ConsumerKeyType.CURRENT:
        assert value is None or isinstance(value, stored.CurrentMemberValue)
        return CurrentRecord(key.group, key.member_id, None if value is None else _stands(value))
    if type_ is wire.ConsumerKeyType.TARGET:
        assert value is None or isinstance(value, stored.TargetMemberValue)
        target = None
        if value is not None:
            target = {topic.topic_id or ZERO_ID: topic.partitions for topic in value.topics}
        return TargetRecord(key.group, key.member_id, target)
    assert value is None or isinstance(value, stored.ConsumerMemberValue)
    return SubscriptionRecord(key.group, key.member_id, None if value is None else _says(value))


# --- to the wire --------------------------------------------------------------------------------


def _current(value: CurrentAssignment | None) -> stored.CurrentMemberValue | None:
    if value is None:
        return None
    return stored.CurrentMemberValue(
        epoch=value.epoch,
        previous_epoch=value.previous_epoch,
        state=value.state,
        assigned=_held(value.assigned),
        revoking=_held(value.revoking),
    )


def _held(held: Held) -> tuple[stored.HeldPartitionsValue, ...]:
    return tuple(
        stored.HeldPartitionsValue(
            topic_id, tuple(sorted(numbers)), tuple(numbers[n] for n in sorted(numbers))
        )
        for topic_id, numbers in held.items()
    )


def _target(value: Partitions | None) -> stored.TargetMemberValue | None:
    if value is None:
        return None
    return stored.TargetMemberValue(
        tuple(stored.TopicPartitionsValue(t, tuple(numbers)) for t, numbers in value.items())
    )


def _subscription(value: Subscription | None) -> stored.ConsumerMemberValue | None:
    if value is None:
        return None
    return stored.ConsumerMemberValue(
        instance_id=value.instance_id,
        rack_id=value.rack_id,
        client_id=value.client_id,
        client_host=value.client_host,
        topics=value.topics,
        regex=value.regex,
        rebalance_timeout=value.rebalance_timeout,
        assignor=value.assignor,
        classic=None
        if value.classic is None
        else stored.ClassicMember(
            value.classic.session_timeout,
            tuple(stored.ClassicProtocol(*each) for each in value.classic.protocols),
        ),
    )


def _regex(value: ResolvedRegex | None) -> stored.RegularExpressionValue | None:
    if value is None:
        return None
    return stored.RegularExpressionValue(
        topics=tuple(sorted(value.topics)), version=value.version, at=value.at_ms
    )


# --- from the wire ------------------------------------------------------------------------------


def _stands(value: stored.CurrentMemberValue) -> CurrentAssignment:
    return CurrentAssignment(
        value.epoch,
        value.previous_epoch,
        _STATES.get(value.state, MemberState.UNKNOWN),
        _with_epochs(value.assigned, value.epoch),
        _with_epochs(value.revoking, value.epoch),
    )


def _with_epochs(
    topics: Iterable[stored.HeldPartitionsValue], epoch: int
) -> dict[TopicId, dict[int, int]]:
    """Before 4.3 there are no epochs: the member's own stands for each."""
    found: dict[TopicId, dict[int, int]] = {}
    for topic in topics:
        epochs = topic.epochs
        if epochs is None or len(epochs) != len(topic.partitions):
            epochs = (epoch,) * len(topic.partitions)
        found[topic.topic_id or ZERO_ID] = dict(zip(topic.partitions, epochs, strict=True))
    return found


def _says(value: stored.ConsumerMemberValue) -> Subscription:
    classic = value.classic
    return Subscription(
        value.instance_id,
        value.rack_id,
        value.client_id,
        value.client_host,
        value.rebalance_timeout,
        value.topics,
        value.regex,
        value.assignor,
        None
        if classic is None
        else ClassicTerms(
            classic.session_timeout, tuple((p.name, p.metadata) for p in classic.protocols)
        ),
    )
