"""What is wrong with a heartbeat by itself, before its group is asked (KIP-848)."""

from __future__ import annotations

from collections.abc import Sequence

from spindle.core.groups.consumer_values import (
    JOIN_EPOCH,
    LEAVE_EPOCH,
    STATIC_LEAVE_EPOCH,
    ConsumerBeat,
)
from spindle.model.errors import Error, Refusal


def check_beat(beat: ConsumerBeat, version: int, assignors: Sequence[str]) -> None:
    """Refusal INVALID_REQUEST or UNSUPPORTED_ASSIGNOR.

    From version 1 on members make their ids themselves (KIP-1082).
    """
    needs_id = version >= 1 or beat.epoch > JOIN_EPOCH or beat.epoch == LEAVE_EPOCH
    if needs_id and not beat.member_id.strip():
        raise _wrong("MemberId can't be empty.")
    if not beat.group_id.strip():
        raise _wrong("GroupId can't be empty.")
    if beat.instance_id is not None and not beat.instance_id.strip():
        raise _wrong("InstanceId can't be empty.")
    if beat.rack_id is not None and not beat.rack_id.strip():
        raise _wrong("RackId can't be empty.")
    if beat.epoch == JOIN_EPOCH:
        _check_join(beat)
    elif beat.epoch == STATIC_LEAVE_EPOCH and beat.instance_id is None:
        raise _wrong("InstanceId can't be null.")
    elif beat.epoch < STATIC_LEAVE_EPOCH:
        raise _wrong("MemberEpoch is invalid.")
    if beat.assignor is not None and beat.assignor not in assignors:
        raise Refusal(
            Error.UNSUPPORTED_ASSIGNOR,
            f"ServerAssignor {beat.assignor} is not supported. "
            f"Supported assignors: {', '.join(assignors)}.",
        )


def _check_join(beat: ConsumerBeat) -> None:
    if beat.rebalance_timeout == -1:
        raise _wrong("RebalanceTimeoutMs must be provided in first request.")
    if beat.owned is None or beat.owned:
        raise _wrong("TopicPartitions must be empty when (re-)joining.")
    if beat.topics is None and beat.regex is None:
        raise _wrong(
            "Either SubscribedTopicNames or SubscribedTopicRegex must be non-null when "
            "(re-)joining."
        )


def _wrong(message: str) -> Refusal:
    return Refusal(Error.INVALID_REQUEST, message)
