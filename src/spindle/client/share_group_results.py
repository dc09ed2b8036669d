"""What the AdminClient says of share groups (KIP-932): frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from spindle.client.cluster import Node
from spindle.model.ids import TopicPartition


class ShareGroupListing(NamedTuple):
    """A share group and its state: Empty, Stable or Dead."""

    group_id: str
    state: str


@dataclass(frozen=True, slots=True)
class ShareMemberDescription:
    """A member of a share group, and the partitions that it has."""

    member_id: str
    client_id: str
    host: str
    epoch: int
    rack: str | None
    topics: tuple[str, ...]
    assignment: tuple[TopicPartition, ...]


@dataclass(frozen=True, slots=True)
class ShareGroupDescription:
    """A share group: its state, its epochs, its members, and the broker that coordinates it."""

    group_id: str
    state: str
    coordinator: Node
    epoch: int
    assignment_epoch: int
    assignor: str
    members: tuple[ShareMemberDescription, ...]


class SharePartitionOffset(NamedTuple):
    """How far a group is in a partition. `lag`: records to be delivered; None where not known."""

    start: int
    leader_epoch: int
    lag: int | None
