"""What parts of this package need of others that stand above them, or of their callers' values.

`state_changes` knows the fetchers that copy from leaders only as a `FetcherPort`, which `bind`
gives it; what a coordinator appends is a `CoordinatorRecord`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from spindle.model.ids import NodeId
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
    """The orders that the fetchers take: what to copy from leaders (`ReplicaFetcherManager`)."""

    def follow(self, hosted: HostedPartition) -> None:
        """A partition follows its leader from now on."""

    def leave(self, hosted: HostedPartition) -> None:
        """A partition follows no leader any more."""

    def on_brokers(self, brokers: Iterable[NodeId]) -> None:
        """Registrations have changed."""

    def close(self) -> None:
        """Copy nothing any more."""
