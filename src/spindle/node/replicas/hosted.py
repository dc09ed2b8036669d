"""One partition that this broker hosts: its machine, its log's place, and who waits for it.

Binds `core.replica` to a log: runs the log's jobs where the log lives now, holds them back while
the log changes its directory, and counts the writes under way. Owned by `replicas`; used by the
readers, the fetchers and the handlers, which get it from there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeVar

from spindle.core.replica.fetch_sessions import Cursor, Reader
from spindle.core.replica.partition import Partition, ReplicaRules
from spindle.core.replica.quota import NOTHING, Throttled
from spindle.core.replica.tail import Tail, TailBudget
from spindle.core.replica.waiting import OffsetWaiters
from spindle.model.batches import RecordBatch
from spindle.model.errors import Error, Failure
from spindle.model.ids import LogDir, PartitionId, TopicPartition
from spindle.model.jobs import Append, Appended, Job
from spindle.model.log_values import LogKey
from spindle.model.outbox import Outbox
from spindle.model.settings.setting import MAX_LONG
from spindle.node.replicas.packing import Packing

R = TypeVar("R")


class _Held(NamedTuple):
    """A job that is held back."""

    begin: Callable[[], None]
    fail: Callable[[Failure], None]
    writes: bool


@dataclass(slots=True, frozen=True)
class TopicRules:
    """A topic's settings that matter on the way of each record. `rules` is the machine's share."""

    rules: ReplicaRules
    max_message_bytes: int = 1048588
    packing: Packing | None = None
    """How clients' batches are compressed (compression.type); None: as they come."""
    append_time: bool = False
    """The broker's clock stamps the batches (message.timestamp.type=LogAppendTime)."""
    oldest_ms: int = MAX_LONG
    newest_ms: int = 3_600_000
    """How far producers' timestamps may lie behind our clock, and ahead of it."""
    compact: bool = False
    delete: bool = True
    """What cleanup.policy names."""
    throttled_as_leader: Throttled = NOTHING
    throttled_as_follower: Throttled = NOTHING
    """Which of our replicas are copied at most as fast as the broker's throttles allow (KIP-73)."""
    sync: bool = False
    """Each append waits for fsync (flush.messages=1)."""


class HostedPartition:
    """A hosted partition. `partition` tells its state; the rest is how it is tied to the world."""

    __slots__ = (
        "_frozen",
        "_held",
        "_on_frozen",
        "_on_idle",
        "_out",
        "at_end",
        "at_mark",
        "at_start",
        "directory",
        "full",
        "gone",
        "id",
        "key",
        "name",
        "partition",
        "resting",
        "size",
        "tail",
        "topic",
        "watchers",
        "writing",
    )

    def __init__(
        self,
        out: Outbox,
        id: PartitionId,
        name: TopicPartition,
        directory: LogDir,
        partition: Partition,
        topic: TopicRules,
        budget: TailBudget,
        size: int,
    ) -> None:
        self._out = out
        self.id = id
        self.name = name
        self.key = LogKey(name.topic, name.partition)
        self.directory = directory
        self.partition = partition
        self.topic = topic
        self.tail = Tail(budget)
        self.size = size
        """Bytes of the log, as the last append told."""
        self.gone = False
        """Not hosted any more, or replaced by a newer object; nothing may use it."""
        self.full = False
        """Its disk has no room: nothing is appended until the log is mended."""
        self.resting = False
        """Its disk had no room: appends are tried again in a while.

        Until then its leader refuses what producers had under way behind the append that failed.
        To find a gap in their sequence numbers instead would have clients take a new producer
        epoch and send again what was written.
        """
        self.watchers: dict[Reader, Cursor] = {}
        self.at_end = OffsetWaiters()
        """Promises that wait for the log end (acks=1)."""
        self.at_mark = OffsetWaiters()
        """Promises that wait for the high watermark (acks=all)."""
        self.at_start = OffsetWaiters()
        """Promises that wait for the low watermark (DeleteRecords)."""
        self.writing = 0
        """Writes given to the log that have not come back."""
        self._frozen = False
        self._held: list[_Held] = []
        self._on_frozen: Callable[[], None] | None = None
        self._on_idle: list[Callable[[], None]] = []

    # --- jobs -------------------------------------------------------------------------------

    def run(self, job: Callable[[LogDir], Job[R]], then: Callable[[R | Failure], None]) -> None:
        """Have a job done where the log lives; held back while the log is being moved.

        `job` makes it, once its directory is known.
        """
        if self._frozen:
            self._held.append(_Held(partial(self.run, job, then), then, False))
        else:
            self._out.run(job(self.directory), then)

    def write(self, job: Callable[[LogDir], Job[R]], then: Callable[[R | Failure], None]) -> None:
        """The same for a job that changes the log."""
        if self._frozen:
            self._held.append(_Held(partial(self.write, job, then), then, True))
            return
        self.writing += 1
        self._out.run(job(self.directory), partial(self._written, then))

    def append(
        self, batches: list[RecordBatch], now_ms: int, then: Callable[[Appended | Failure], None]
    ) -> None:
        """Write batches at the log's end: `write`, made at once, as it is done most often."""
        if self._frozen:
            self._held.append(_Held(partial(self.append, batches, now_ms, then), then, True))
            return
        self.writing += 1
        job = Append(self.directory, self.key, batches, now_ms, self.topic.sync)
        self._out.run(job, partial(self._written, then))

    def _written(self, then: Callable[[R | Failure], None], result: R | Failure) -> None:
        self.writing -= 1
        then(result)
        if self.writing == 0 and (self._on_idle or self._on_frozen is not None):
            self._tell_still()

    @property
    def has_room(self) -> bool:
        """Whether it takes appends, as far as its disk's room is known."""
        return not self.full and not self.resting

    # --- stillness --------------------------------------------------------------------------

    def when_idle(self, then: Callable[[], None]) -> None:
        """Call `then` once no write is under way or held back: at once if none is."""
        self._on_idle.append(then)
        self._tell_still()

    def freeze(self, then: Callable[[], None]) -> None:
        """Begin no job until `thaw`; call `then` once none that writes is under way."""
        assert not self._frozen, f"{self.name} is frozen already"
        self._frozen = True
        self._on_frozen = then
        self._tell_still()

    def _tell_still(self) -> None:
        if self.writing == 0 and self._on_frozen is not None:
            then, self._on_frozen = self._on_frozen, None
            then()
        while self._on_idle and self.writing == 0 and not any(held.writes for held in self._held):
            self._on_idle.pop(0)()

    def thaw(self, directory: LogDir) -> None:
        """Go on, in this directory, with what was held back."""
        self.directory = directory
        self._frozen = False
        self._on_frozen = None
        held, self._held = self._held, []
        for each in held:
            each.begin()
        self._tell_still()

    def settle_starts(self) -> None:
        """Release who waits for a deletion on all replicas, as far as it has come."""
        if self.at_start and self.partition.leads:
            for then in self.at_start.take_reached(self.partition.low_watermark):
                then(Error.NONE)

    def close(self) -> None:
        """Its directory is about to be closed: begin no job any more."""
        self._frozen = True
        self._on_frozen = None

    def give_up(self, failure: Failure) -> None:
        """The log is lost: what was held back fails."""
        self._frozen = False
        self._on_frozen = None
        held, self._held = self._held, []
        for each in held:
            each.fail(failure)
        self._on_idle.clear()
