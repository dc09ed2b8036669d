"""What follows from a change of a partition's state, for all that waits for it.

The high watermark moves, a log fails, a leader comes or goes: this module releases or refuses the
requests that wait, wakes fetches, sends proposals to the controller, and calls the listeners and
the log directories. Decides nothing itself. Called by all parts of this package that change a
partition.
"""

from __future__ import annotations

from collections.abc import Callable

from spindle.core.logdirs.events import LogDamaged, LogEvent, LogJobFailed
from spindle.core.replica.partition import Advance, PartitionFollower, RoleChange
from spindle.model.errors import DiskFailed, Error, Failure, LogFailed
from spindle.model.ids import PartitionId
from spindle.node.broker_context import BrokerContext
from spindle.node.replicas.alter_partition_manager import AlterPartitionManager, IsrChanges
from spindle.node.replicas.fetch_purgatory import FetchPurgatory
from spindle.node.replicas.hosted import HostedPartition
from spindle.node.replicas.ports import FetcherPort


class StateChanges:
    """Where changes of hosted partitions are reported."""

    followers: FetcherPort
    post: Callable[[LogEvent], None]
    """Takes the events of logs. Both stand above this package: `bind` sets them."""

    def __init__(self, context: BrokerContext, fetches: FetchPurgatory) -> None:
        self._fetches = fetches
        self._isr = AlterPartitionManager(context)
        self.listeners: list[Callable[[PartitionId, bool], None]] = []
        """Called whenever a partition begins (True) or ceases (False) to be led here.

        Also when it begins once more in a younger epoch: another broker may have led in between.
        """

    @property
    def isr_changes(self) -> IsrChanges:
        """How this broker has changed ISRs."""
        return self._isr.changes

    def bind(self, followers: FetcherPort, post: Callable[[LogEvent], None]) -> None:
        """Set the listeners to what happens here: once, before anything happens."""
        self.followers = followers
        self.post = post

    def settle(self, hosted: HostedPartition, advance: Advance | None) -> None:
        """Release what waited for an advance; a proposal leaves for the controller."""
        if advance is None:
            return
        if advance.mark > advance.before:
            for then in hosted.delayed.at_mark.take_reached(hosted.partition.log.high_watermark):
                then(Error.NONE)
            self._fetches.on_mark(hosted, advance.before)
        if advance.proposes:
            self._isr.submit(hosted, self.settle)

    def on_role(self, hosted: HostedPartition, change: RoleChange, led: bool) -> None:
        """The metadata has given a partition its role; `led`: it was led here before."""
        if change is RoleChange.FOLLOWS:
            hosted.tail.clear()
            _refuse(hosted)
            self.followers.follow(hosted)
        elif change is RoleChange.LEADS:
            self.followers.leave(hosted)
        if change in (RoleChange.FOLLOWS, RoleChange.LEADS):
            self._fetches.on_changed(hosted)
        if change is RoleChange.LEADS or hosted.partition.leads != led:
            self._tell(hosted.id, hosted.partition.leads)

    def wake(self, hosted: HostedPartition) -> None:
        """All fetches that wait at a partition are answered now."""
        self._fetches.on_changed(hosted)

    def _tell(self, id: PartitionId, leads: bool) -> None:
        for listener in self.listeners:
            listener(id, leads)

    def fail(self, hosted: HostedPartition, error: Error) -> None:
        """A partition cannot serve any more: it goes offline; all that waits for it is refused."""
        if hosted.is_offline:
            return
        led = hosted.partition.leads
        hosted.partition.on_failed(error)
        hosted.tail.clear()
        self.followers.leave(hosted)
        failure = LogFailed(hosted.directory, str(hosted.key), "the partition is offline")
        hosted.jobs.give_up(failure)
        hosted.delayed.fail(error)
        self._fetches.on_failed(hosted)
        if led:
            self._tell(hosted.id, False)

    def resume(self, hosted: HostedPartition) -> None:
        """A log has been mended: followers fetch on."""
        if isinstance(hosted.partition.role, PartitionFollower):
            self.followers.follow(hosted)

    def on_failure(self, hosted: HostedPartition, failure: Failure) -> None:
        """A job on the partition's log failed: it goes offline, and `logdirs` gets the reason."""
        if hosted.is_offline:
            return
        self.fail(hosted, Error.KAFKA_STORAGE_ERROR)
        if isinstance(failure, DiskFailed):
            self.post(LogJobFailed(failure))
        else:
            assert isinstance(failure, LogFailed), f"a log's job cannot fail with {failure!r}"
            self.post(LogDamaged(hosted.id, failure))


def _refuse(hosted: HostedPartition) -> None:
    """Another leads now, or none: answer what waits, but for what will be committed all the same.

    To deny what is in the log costs a producer its place in its sequence: after a restart the log
    knows each producer's last batch alone, and several may be under way.
    """
    role = hosted.partition.role
    if isinstance(role, PartitionFollower) and role.finishing:
        hosted.delayed.fail_deletions(Error.NOT_LEADER_OR_FOLLOWER)
    else:
        hosted.delayed.fail(Error.NOT_LEADER_OR_FOLLOWER)
