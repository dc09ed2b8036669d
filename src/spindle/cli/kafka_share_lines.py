"""The tables and documents of `kafka-share-groups`, line by line as Kafka's tool prints them.

Functions of values. Called by `kafka_share_groups` alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from spindle.client.share_group_results import (
    ShareGroupDescription,
    ShareGroupListing,
    SharePartitionOffset,
)
from spindle.model.ids import TopicPartition

_LEAST: Final = 15
_COORDINATOR: Final = 25


def _widest(words: Sequence[str], least: int = _LEAST) -> int:
    return max([least, *map(len, words)])


def _row(cells: Sequence[object], widths: Sequence[int]) -> str:
    """Cells in columns; the last one is as broad as it is."""
    padded = [f"{cell!s:<{width}}" for cell, width in zip(cells[:-1], widths, strict=True)]
    return " ".join([*padded, str(cells[-1])])


def listing_lines(groups: Sequence[ShareGroupListing]) -> list[str]:
    """`--list --state`."""
    width = _widest([group.group_id for group in groups])
    return [_row(("GROUP", "STATE"), [width]), *(_row(group, [width]) for group in groups)]


def offset_lines(
    group: str, offsets: Mapping[TopicPartition, SharePartitionOffset], *, verbose: bool
) -> list[str]:
    """`--describe --offsets` of a group."""
    if not offsets:
        return ["", f"Share group '{group}' has no offset information."]
    widths = [_widest([group]), _widest([p.topic for p in offsets]), 10]
    widths += [13, 13] if verbose else [13]
    epoch = ["LEADER-EPOCH"] if verbose else []
    lines = [_row(["GROUP", "TOPIC", "PARTITION", *epoch, "START-OFFSET", "LAG"], widths)]
    for p, told in sorted(offsets.items()):
        epochs = [told.leader_epoch] if verbose else []
        lag = "-" if told.lag is None else told.lag
        lines.append(_row([group, p.topic, p.partition, *epochs, told.start, lag], widths))
    return ["", *lines]


def offsets_document(
    group: str, offsets: Mapping[TopicPartition, SharePartitionOffset]
) -> dict[str, object]:
    """The same as a document."""
    return {
        "group": group,
        "offsets": [
            {
                "topic": p.topic,
                "partition": p.partition,
                "leaderEpoch": told.leader_epoch,
                "startOffset": told.start,
                "lag": told.lag,
            }
            for p, told in sorted(offsets.items())
        ],
    }


def state_lines(group: ShareGroupDescription, *, verbose: bool) -> list[str]:
    """`--describe --state` of a group."""
    node = group.coordinator
    coordinator = f"{node.host}:{node.port}  ({node.node_id})"
    widths = [_widest([group.group_id]), _widest([coordinator], _COORDINATOR), _LEAST]
    head, cells = ["GROUP", "COORDINATOR (ID)", "STATE"], [group.group_id, coordinator, group.state]
    if verbose:
        widths += [12, 17]
        head += ["GROUP-EPOCH", "ASSIGNMENT-EPOCH"]
        cells += [str(group.epoch), str(group.assignment_epoch)]
    return [
        "",
        _row([*head, "#MEMBERS"], widths),
        _row([*cells, str(len(group.members))], widths),
    ]


def state_document(group: ShareGroupDescription) -> dict[str, object]:
    """The same as a document."""
    node = group.coordinator
    return {
        "group": group.group_id,
        "coordinator": {"id": node.node_id, "host": node.host, "port": node.port},
        "state": group.state,
        "groupEpoch": group.epoch,
        "assignmentEpoch": group.assignment_epoch,
        "assignor": group.assignor,
        "members": len(group.members),
    }


def member_lines(group: ShareGroupDescription, *, verbose: bool) -> list[str]:
    """`--describe --members` of a group."""
    members = sorted(group.members, key=lambda member: member.member_id)
    widths = [
        _widest([group.group_id]),
        _widest([member.member_id for member in members]),
        _widest([member.host for member in members]),
        _widest([member.client_id for member in members]),
        12,
        *([13] if verbose else []),
    ]
    epoch = ["MEMBER-EPOCH"] if verbose else []
    head = ["GROUP", "CONSUMER-ID", "HOST", "CLIENT-ID", "#PARTITIONS", *epoch, "ASSIGNMENT"]
    lines = ["", _row(head, widths)]
    for member in members:
        cells = [group.group_id, member.member_id, member.host, member.client_id]
        cells.append(str(len(member.assignment)))
        cells += [str(member.epoch)] if verbose else []
        lines.append(_row([*cells, assignment_text(member.assignment)], widths))
    return lines


def assignment_text(partitions: Sequence[TopicPartition]) -> str:
    """`topic:0,1;other:0`."""
    topics: dict[str, list[int]] = {}
    for topic, number in sorted(partitions):
        topics.setdefault(topic, []).append(number)
    return ";".join(f"{topic}:{','.join(map(str, numbers))}" for topic, numbers in topics.items())


def members_document(group: ShareGroupDescription) -> dict[str, object]:
    """The same as a document."""
    return {
        "group": group.group_id,
        "members": [
            {
                "memberId": member.member_id,
                "clientId": member.client_id,
                "host": member.host,
                "memberEpoch": member.epoch,
                "rack": member.rack,
                "topics": list(member.topics),
                "assignment": [
                    {"topic": p.topic, "partition": p.partition} for p in sorted(member.assignment)
                ],
            }
            for member in sorted(group.members, key=lambda member: member.member_id)
        ],
    }


def reset_lines(group: str, offsets: Mapping[TopicPartition, int]) -> list[str]:
    """`--reset-offsets`: where the group begins."""
    widths = [_widest([group]), _widest([p.topic for p in offsets]), 10]
    lines = ["", _row(("GROUP", "TOPIC", "PARTITION", "NEW-OFFSET"), widths)]
    lines += [_row((group, p.topic, p.partition, offset), widths) for p, offset in offsets.items()]
    return lines


def deleted_topic_lines(topics: Mapping[str, str | None]) -> list[str]:
    """`--delete-offsets`: what has become of each topic; None: it is done."""
    width = [_widest(list(topics))]
    told = {t: "Successful" if words is None else f"Error: {words}" for t, words in topics.items()}
    return ["", _row(("TOPIC", "STATUS"), width), *(_row(each, width) for each in told.items())]
