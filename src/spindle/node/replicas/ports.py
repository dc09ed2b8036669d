"""The narrow ways between the parts of this room, and out of it: who may tell whom what.

`ReplicaManager` is the `HostedPartitions` of `isr_changes`, `writes` and `fetch_manager`, which
report to it. It knows those who copy from leaders only as `FetcherPort`, and posts what
becomes of logs as events (`core/logdirs/events`): `ReplicaManager.bind` is told both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from spindle.core.logdirs.events import LogEvent
from spindle.model.errors import Error, Failure
from spindle.model.ids import NodeId, PartitionId, TopicId
from spindle.node.replicas.hosted import HostedPartition


class CoordinatorRecord(Protocol):
    """What a coordinator writes: one record of its log. No value: a tombstone."""

    @property
    def key(self) -> bytes | None:
        """The record's key."""

    @property
    def value(self) -> bytes | None:
        """The record's value."""


class FetcherPort(Protocol):
    """Who copies from leaders is told what is to be copied (`Fetchers`)."""

    def follow(self, hosted: HostedPartition) -> None:
        """A partition follows its leader from now on."""

    def leave(self, hosted: HostedPartition) -> None:
        """A partition follows nobody any more."""

    def on_brokers(self, brokers: Iterable[NodeId]) -> None:
        """Registrations have changed."""

    def close(self) -> None:
        """Copy nothing any more."""


class HostedPartitions(Protocol):
    """Which partitions are here, and what follows from what its workers find (`Replicas`)."""

    post: Callable[[LogEvent], None]
    """Hears what becomes of logs."""

    def find(self, id: PartitionId) -> HostedPartition | None:
        """A hosted partition."""

    def locate(self, topic: str | TopicId | None, partition: int) -> HostedPartition | Error:
        """The same as a client names it, or the error that tells why there is none."""

    def leader_hint(self, topic: str | TopicId | None, partition: int) -> tuple[NodeId, int] | None:
        """(leader, leader epoch) as the metadata has it; None: nobody leads."""

    def settle(self, hosted: HostedPartition, before: int) -> None:
        """The high watermark stood at `before`, and something happened."""

    def disappoint(self, hosted: HostedPartition, error: Error) -> None:
        """What is waited for will not be."""

    def resume(self, hosted: HostedPartition) -> None:
        """A log has been mended."""

    def on_failure(self, hosted: HostedPartition, failure: Failure) -> None:
        """A job on the partition's log failed."""
