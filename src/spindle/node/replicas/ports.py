"""The narrow ways between the parts of this room, and out of it: who may tell whom what.

`Replicas` is the `HostedPartitions` of its workers (`isr_changes`, `writes`, `readers`), which
report to it. It knows whoever copies from leaders and whoever owns the logs' places only as
`FetcherPort` and `LogPlacementPort`: both stand above it, and the composition root binds them
(`Replicas.bind`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from spindle.model.errors import DiskFailed, Error, Failure, LogFailed
from spindle.model.ids import LogDir, NodeId, PartitionId, TopicId
from spindle.model.log_values import LogKey
from spindle.node.replicas.hosted import HostedPartition


class CoordinatorRecord(Protocol):
    """What a coordinator writes: one record of its log. No value: a tombstone."""

    @property
    def key(self) -> bytes | None:
        """The record's key."""

    @property
    def value(self) -> bytes | None:
        """The record's value."""


class LogPlacementPort(Protocol):
    """Who owns the place of logs is told what becomes of them here (`LogDirs`)."""

    def on_disk_failed(self, failure: DiskFailed) -> None:
        """A job was answered so."""

    def on_log_failed(self, id: PartitionId, failure: LogFailed) -> None:
        """One log is damaged or gone."""

    def on_crowded(self, id: PartitionId) -> None:
        """A log cannot take more, its disk is full."""

    def on_truncated(self, id: PartitionId, offset: int) -> None:
        """A log was cut back to `offset`."""

    def on_start_moved(self, id: PartitionId, offset: int) -> None:
        """A log begins at `offset` now."""

    def on_shortened(self, path: LogDir, key: LogKey) -> None:
        """A log has set segments aside, which are to be unlinked."""


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

    @property
    def logs(self) -> LogPlacementPort:
        """Who owns the place of logs."""

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
