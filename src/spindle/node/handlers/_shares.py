"""What handlers of share groups have in common: what is asked, by whom, with what rights."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from spindle.core.share.share_partition import Acknowledgement
from spindle.core.share.share_sessions import ShareMemberKey
from spindle.model.acl import AclOperation, AclResourceType
from spindle.model.errors import Error, Refusal
from spindle.model.ids import ZERO_ID, PartitionId, TopicId
from spindle.node.authorization.permits import Permits
from spindle.wire.messages.share_fetch_request import AcknowledgementBatch, ShareFetchRequest

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def check_shares(broker: Broker) -> None:
    """Refusal UNSUPPORTED_VERSION where the cluster has no share groups."""
    if not broker.groups.serves_shares:
        raise Refusal(Error.UNSUPPORTED_VERSION, "The cluster's share.version is 0.")


def speaker(group_id: str | None, member_id: str | None) -> ShareMemberKey:
    """The member that a request is of; Refusal INVALID_REQUEST."""
    if not group_id or not member_id:
        raise Refusal(Error.INVALID_REQUEST, "GroupId and MemberId can't be empty.")
    return ShareMemberKey(group_id, member_id)


def partition_of(topic_id: TopicId | None, number: int) -> PartitionId:
    """A partition as a request names it."""
    return PartitionId(topic_id or ZERO_ID, number)


def readable(broker: Broker, permits: Permits) -> Callable[[PartitionId], Error]:
    """Why a client may not read a partition: it is not there, or it has no right to."""

    def refused(id: PartitionId) -> Error:
        topic = broker.image.topics.get(id.topic_id)
        if topic is None:
            return Error.UNKNOWN_TOPIC_ID
        if not permits.may(AclOperation.READ, AclResourceType.TOPIC, topic.name):
            return Error.TOPIC_AUTHORIZATION_FAILED
        return Error.NONE

    return refused


def leader_of(broker: Broker, id: PartitionId, error: Error) -> tuple[int, int]:
    """(leader, leader epoch), for a member that came to the wrong broker; else (-1, -1)."""
    if error not in (Error.NOT_LEADER_OR_FOLLOWER, Error.FENCED_LEADER_EPOCH):
        return -1, -1
    return broker.replicas.partitions.leader_hint(id.topic_id, id.partition) or (-1, -1)


def fetched(
    request: ShareFetchRequest,
) -> tuple[list[PartitionId], dict[PartitionId, list[Acknowledgement]]]:
    """The partitions, and what is said of them: in one walk, for a large request is read by it."""
    named: list[PartitionId] = []
    said: dict[PartitionId, list[Acknowledgement]] = {}
    for topic in request.topics:
        for p in topic.partitions:
            id = partition_of(topic.topic_id, p.partition_index)
            named.append(id)
            if p.acknowledgement_batches:
                said[id] = _said(p.acknowledgement_batches)
    return named, said


def _said(batches: Iterable[AcknowledgementBatch]) -> list[Acknowledgement]:
    """What is said of the records of one partition."""
    return [
        Acknowledgement(b.first_offset, b.last_offset, tuple(b.acknowledge_types)) for b in batches
    ]
