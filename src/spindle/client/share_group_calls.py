"""Share groups (KIP-932): the part of the AdminClient that asks about them and changes them.

Each question goes to the broker that coordinates the group; where another one has taken over, it
is asked again. Called by `admin` alone.
"""

# ruff: noqa: ASYNC109 - a time limit is an option of every call (K113-26)
from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from typing import Final, TypeVar

from spindle.client.cluster import BACKOFF_FIRST_S, BACKOFF_LAST_S, Cluster, Node
from spindle.client.deadline import Deadline
from spindle.client.failures import Refused
from spindle.client.per_item import PerItem, Tasks
from spindle.client.share_group_results import (
    ShareGroupDescription,
    ShareGroupListing,
    ShareMemberDescription,
    SharePartitionOffset,
)
from spindle.client.topics import by_topic, not_answered, refused
from spindle.model.errors import Error
from spindle.model.ids import TopicPartition
from spindle.wire.messages.alter_share_group_offsets_request import (
    AlterShareGroupOffsetsRequest,
    AlterShareGroupOffsetsRequestPartition,
    AlterShareGroupOffsetsRequestTopic,
)
from spindle.wire.messages.delete_groups_request import DeleteGroupsRequest
from spindle.wire.messages.delete_share_group_offsets_request import (
    DeleteShareGroupOffsetsRequest,
    DeleteShareGroupOffsetsRequestTopic,
)
from spindle.wire.messages.describe_share_group_offsets_request import (
    DescribeShareGroupOffsetsRequest,
    DescribeShareGroupOffsetsRequestGroup,
)
from spindle.wire.messages.find_coordinator_request import FindCoordinatorRequest
from spindle.wire.messages.list_groups_request import ListGroupsRequest
from spindle.wire.messages.share_group_describe_request import ShareGroupDescribeRequest
from spindle.wire.messages.share_group_describe_response import DescribedGroup, Member

T = TypeVar("T")

_TYPE: Final = "share"
_NAMES_TYPES: Final = 5
"""Version of ListGroups from which it can be asked for groups of one type (KIP-848)."""
_MANY_KEYS: Final = 4
"""Version of FindCoordinator from which it takes several keys."""
_AGAIN: Final = frozenset(
    {
        Error.NOT_COORDINATOR,
        Error.COORDINATOR_NOT_AVAILABLE,
        Error.COORDINATOR_LOAD_IN_PROGRESS,
    }
)


async def _coordinator(cluster: Cluster, group_id: str, deadline: Deadline) -> Node:
    request = FindCoordinatorRequest(key_type=0, coordinator_keys=(group_id,))
    answer = await cluster.ask_any(request, deadline, since=_MANY_KEYS)
    for told in answer.coordinators:
        if told.error_code:
            words = told.error_message or ""
            raise refused(told.error_code, "FindCoordinator", group_id, words)
        return Node(told.node_id, told.host, told.port)
    raise not_answered("FindCoordinator", group_id)


async def _coordinated(
    cluster: Cluster,
    group_id: str,
    ask: Callable[[Node], Awaitable[T]],
    deadline: Deadline,
) -> T:
    """What the group's coordinator answers, asked again while it is another or not ready."""
    pause = BACKOFF_FIRST_S
    while True:
        try:
            return await ask(await _coordinator(cluster, group_id, deadline))
        except Refused as failure:
            if failure.error not in _AGAIN or deadline.left <= pause:
                raise
        await asyncio.sleep(pause)
        pause = min(pause * 2, BACKOFF_LAST_S)


# -- asking --------------------------------------------------------------------------------------


async def _list(
    cluster: Cluster, states: Iterable[str], deadline: Deadline
) -> list[ShareGroupListing]:
    await cluster.refresh(deadline)
    request = ListGroupsRequest(states_filter=tuple(states), types_filter=(_TYPE,))
    answers = [
        await cluster.ask_node(node_id, request, deadline, since=_NAMES_TYPES)
        for node_id in cluster.nodes
    ]
    return sorted(
        ShareGroupListing(group.group_id, group.group_state)
        for answer in answers
        for group in answer.groups
    )


async def _describe(
    cluster: Cluster,
    items: PerItem[str, ShareGroupDescription],
    group_id: str,
    deadline: Deadline,
) -> None:
    async def ask(node: Node) -> ShareGroupDescription:
        request = ShareGroupDescribeRequest(group_ids=(group_id,))
        answer = await cluster.ask_node(node.node_id, request, deadline)
        for group in answer.groups:
            if group.error_code:
                words = group.error_message or ""
                raise refused(group.error_code, "ShareGroupDescribe", group_id, words)
            return _group(group, node)
        raise not_answered("ShareGroupDescribe", group_id)

    items.answer(group_id, await _coordinated(cluster, group_id, ask, deadline))


def _group(told: DescribedGroup, node: Node) -> ShareGroupDescription:
    return ShareGroupDescription(
        told.group_id,
        told.group_state,
        node,
        told.group_epoch,
        told.assignment_epoch,
        told.assignor_name,
        tuple(map(_member, told.members)),
    )


def _member(told: Member) -> ShareMemberDescription:
    return ShareMemberDescription(
        told.member_id,
        told.client_id,
        told.client_host,
        told.member_epoch,
        told.rack_id,
        tuple(told.subscribed_topic_names),
        tuple(
            TopicPartition(topic.topic_name, number)
            for topic in told.assignment.topic_partitions
            for number in topic.partitions
        ),
    )


async def _offsets(
    cluster: Cluster, group_id: str, deadline: Deadline
) -> dict[TopicPartition, SharePartitionOffset]:
    async def ask(node: Node) -> dict[TopicPartition, SharePartitionOffset]:
        group = DescribeShareGroupOffsetsRequestGroup(group_id=group_id, topics=None)
        request = DescribeShareGroupOffsetsRequest(groups=(group,))
        answer = await cluster.ask_node(node.node_id, request, deadline)
        found: dict[TopicPartition, SharePartitionOffset] = {}
        for told in answer.groups:
            _check(told.error_code, "DescribeShareGroupOffsets", group_id, told.error_message)
            for topic in told.topics:
                for part in topic.partitions:
                    name = TopicPartition(topic.topic_name, part.partition_index)
                    api = "DescribeShareGroupOffsets"
                    _check(part.error_code, api, name, part.error_message)
                    if part.start_offset >= 0:
                        lag = None if part.lag < 0 else part.lag
                        found[name] = SharePartitionOffset(
                            part.start_offset, part.leader_epoch, lag
                        )
        return dict(sorted(found.items()))

    return await _coordinated(cluster, group_id, ask, deadline)


def _check(code: int, api: str, item: object, words: str | None) -> None:
    if code:
        raise refused(code, api, item, words or "")


# -- changing ------------------------------------------------------------------------------------


async def _alter(
    cluster: Cluster,
    items: PerItem[TopicPartition, None],
    group_id: str,
    offsets: Mapping[TopicPartition, int],
    deadline: Deadline,
) -> None:
    request = AlterShareGroupOffsetsRequest(
        group_id=group_id,
        topics=tuple(
            AlterShareGroupOffsetsRequestTopic(
                topic_name=topic,
                partitions=tuple(
                    AlterShareGroupOffsetsRequestPartition(
                        partition_index=number, start_offset=offsets[TopicPartition(topic, number)]
                    )
                    for number in numbers
                ),
            )
            for topic, numbers in by_topic(offsets).items()
        ),
    )
    answer = await _coordinated(
        cluster, group_id, lambda node: cluster.ask_node(node.node_id, request, deadline), deadline
    )
    for topic in answer.responses:
        for part in topic.partitions:
            name = TopicPartition(topic.topic_name, part.partition_index)
            _settle(
                items, name, "AlterShareGroupOffsets", (part.error_code, part.error_message or "")
            )
    items.fail_rest(offsets, not_answered("AlterShareGroupOffsets", group_id))


async def _delete_offsets(
    cluster: Cluster, items: PerItem[str, None], group_id: str, deadline: Deadline
) -> None:
    request = DeleteShareGroupOffsetsRequest(
        group_id=group_id,
        topics=tuple(DeleteShareGroupOffsetsRequestTopic(topic_name=name) for name in items),
    )
    answer = await _coordinated(
        cluster, group_id, lambda node: cluster.ask_node(node.node_id, request, deadline), deadline
    )
    for told in answer.responses:
        error = (told.error_code, told.error_message or "")
        _settle(items, told.topic_name, "DeleteShareGroupOffsets", error)
    items.fail_rest(items, not_answered("DeleteShareGroupOffsets", group_id))


async def _delete(
    cluster: Cluster, items: PerItem[str, None], group_id: str, deadline: Deadline
) -> None:
    async def ask(node: Node) -> None:
        request = DeleteGroupsRequest(groups_names=(group_id,))
        answer = await cluster.ask_node(node.node_id, request, deadline)
        for told in answer.results:
            _check(told.error_code, "DeleteGroups", group_id, None)

    await _coordinated(cluster, group_id, ask, deadline)
    items.answer(group_id, None)


def _settle(items: PerItem[T, None], item: T, api: str, error: tuple[int, str]) -> None:
    code, words = error
    if code:
        items.fail(item, refused(code, api, item, words))
    else:
        items.answer(item, None)


class ShareGroupCalls:
    """What an AdminClient can do with share groups."""

    _cluster: Cluster
    _tasks: Tasks

    async def list_share_groups(
        self, *, states: Iterable[str] = (), timeout: float | None = None
    ) -> list[ShareGroupListing]:
        """Share groups in these states (Empty, Stable, Dead), or in any; by their names."""
        return await _list(self._cluster, states, self._cluster.deadline(timeout))

    def describe_share_groups(
        self, group_ids: Iterable[str], *, timeout: float | None = None
    ) -> PerItem[str, ShareGroupDescription]:
        """Each group with its members; GROUP_ID_NOT_FOUND where it is none."""
        items: PerItem[str, ShareGroupDescription] = PerItem(group_ids)
        deadline = self._cluster.deadline(timeout)
        for group_id in items:
            work = partial(_describe, self._cluster, items, group_id, deadline)
            self._tasks.answer(items, (group_id,), work)
        return items

    async def list_share_group_offsets(
        self, group_id: str, *, timeout: float | None = None
    ) -> dict[TopicPartition, SharePartitionOffset]:
        """How far a group is in its partitions; those where it has not begun are left out."""
        return await _offsets(self._cluster, group_id, self._cluster.deadline(timeout))

    def alter_share_group_offsets(
        self,
        group_id: str,
        offsets: Mapping[TopicPartition, int],
        *,
        timeout: float | None = None,
    ) -> PerItem[TopicPartition, None]:
        """Have a group without members begin at other offsets; one that is not there is made."""
        items: PerItem[TopicPartition, None] = PerItem(offsets)
        deadline = self._cluster.deadline(timeout)
        work = partial(_alter, self._cluster, items, group_id, offsets, deadline)
        self._tasks.answer(items, items, work)
        return items

    def delete_share_group_offsets(
        self, group_id: str, topics: Iterable[str], *, timeout: float | None = None
    ) -> PerItem[str, None]:
        """Have a group without members forget how far it is in topics."""
        items: PerItem[str, None] = PerItem(topics)
        deadline = self._cluster.deadline(timeout)
        work = partial(_delete_offsets, self._cluster, items, group_id, deadline)
        self._tasks.answer(items, items, work)
        return items

    def delete_share_groups(
        self, group_ids: Iterable[str], *, timeout: float | None = None
    ) -> PerItem[str, None]:
        """Delete groups without members, and how far they are."""
        items: PerItem[str, None] = PerItem(group_ids)
        deadline = self._cluster.deadline(timeout)
        for group_id in items:
            work = partial(_delete, self._cluster, items, group_id, deadline)
            self._tasks.answer(items, (group_id,), work)
        return items
