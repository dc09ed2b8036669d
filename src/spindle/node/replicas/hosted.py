"""One partition that this broker hosts: its machine, its log's jobs, and what waits for it.

Binds `core.replica` to a log. Made by `ReplicaManager`; the fetches, the fetchers and the handlers
get it from `HostedPartitions`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from spindle.core.replica.fetch_sessions import Cursor, Reader
from spindle.core.replica.partition import Offline, Partition
from spindle.core.replica.tail import Tail
from spindle.core.replica.waiting import DelayedOperations
from spindle.model.errors import Error
from spindle.model.ids import LogDir, PartitionId, TopicPartition
from spindle.model.log_values import LogKey
from spindle.node.replicas.log_jobs import LogJobs
from spindle.node.replicas.topic_rules import TopicRules


@dataclass(slots=True, eq=False)
class HostedPartition:
    """A hosted partition. `partition` has its state; the rest ties it to the broker."""

    id: PartitionId
    name: TopicPartition
    jobs: LogJobs
    partition: Partition
    topic: TopicRules
    tail: Tail
    size: int
    """Bytes of the log, as the last append reported."""
    gone: bool = False
    """Not hosted any more, or replaced by a newer object; nothing may use it."""
    full: bool = False
    """Its disk has no room: nothing is appended until the log is mended."""
    resting: bool = False
    """Its disk had no room: appends are tried again in a while.

    Until then its leader refuses what producers had under way behind the append that failed.
    To find a gap in their sequence numbers instead would have clients take a new producer
    epoch and send again what was written.
    """
    cutting: int = 0
    """Cuts of its log under way. It may not lead before they are done: it would know producers'
    batches that are gone, and give offsets behind them."""
    watchers: dict[Reader, Cursor] = field(default_factory=dict)
    delayed: DelayedOperations = field(default_factory=DelayedOperations)

    @property
    def key(self) -> LogKey:
        """The log's name in any directory."""
        return self.jobs.key

    @property
    def directory(self) -> LogDir:
        """Where the log lives now."""
        return self.jobs.directory

    @property
    def is_offline(self) -> bool:
        """Whether its log cannot serve."""
        return isinstance(self.partition.role, Offline)

    @property
    def marks(self) -> tuple[int, int, int]:
        """(high watermark, last stable offset, log start), as far as they are known."""
        log = self.partition.log
        return log.high_watermark, log.stable, log.start

    @property
    def has_room(self) -> bool:
        """Whether it takes appends, as far as its disk's room is known."""
        return not self.full and not self.resting

    def settle_starts(self) -> None:
        """Release the deletions that wait for all replicas, as far as those have come."""
        at_start = self.delayed.at_start
        if at_start and self.partition.leads:
            for then in at_start.take_reached(self.partition.low_watermark):
                then(Error.NONE)
