"""A share partition at its leader: its machine, its state at the coordinator, its timers.

The state is read first; what members do is answered once it is kept there. A coordinator that knows
a younger leader or a younger state ends it: it is read again when a member asks again. Made by
`node.share.share_partition_manager`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple

from spindle.core.share.record_runs import DeliveryChange
from spindle.core.share.share_partition import (
    Acknowledgement,
    Acquisition,
    SharePartition,
)
from spindle.core.share.share_values import (
    UNINITIALIZED,
    ShareOutcome,
    SharePartitionKey,
    ShareState,
    ShareWrite,
    StateBatch,
)
from spindle.model.errors import Error, Failure, Refusal
from spindle.model.jobs import FindOffset, FoundOffset
from spindle.model.outbox import Outbox, Timer
from spindle.model.settings.group_settings import BY_DURATION, reset_seconds
from spindle.node.replicas.hosted import HostedPartition
from spindle.node.share.share_persister import SharePersister
from spindle.node.share.share_settings import ShareSettings

_IN_LEADERS_WORDS: Final = {
    Error.NOT_COORDINATOR: Error.COORDINATOR_NOT_AVAILABLE,
    Error.COORDINATOR_LOAD_IN_PROGRESS: Error.COORDINATOR_NOT_AVAILABLE,
    Error.NETWORK_EXCEPTION: Error.COORDINATOR_NOT_AVAILABLE,
    Error.FENCED_LEADER_EPOCH: Error.NOT_LEADER_OR_FOLLOWER,
    Error.FENCED_STATE_EPOCH: Error.NOT_LEADER_OR_FOLLOWER,
}
"""What a coordinator's error means to a member; any other is as it is."""
_FATAL: Final = (
    Error.FENCED_LEADER_EPOCH,
    Error.FENCED_STATE_EPOCH,
    Error.GROUP_ID_NOT_FOUND,
    Error.UNKNOWN_TOPIC_OR_PARTITION,
    Error.INVALID_REQUEST,
)

Settled = Callable[[Error, str | None], None]


class SharedWays(NamedTuple):
    """What share partitions of a broker share. `over`: one is not to be used any more."""

    out: Outbox
    persister: SharePersister
    over: Callable[[SharedPartition], None]


class SharedPartition:
    """One share partition that is led here."""

    def __init__(
        self,
        key: SharePartitionKey,
        hosted: HostedPartition,
        ways: SharedWays,
        settings: Callable[[], ShareSettings],
    ) -> None:
        self.key = key
        self.hosted = hosted
        self.error = Error.NONE
        """Why it is over."""
        self.machine: SharePartition | None = None
        """None while its state is being read."""
        self._ways = ways
        self._epoch = hosted.partition.leader_epoch
        self._settings = settings
        self._state_epoch = 0
        self._waiting: dict[Callable[[], None], None] = {}
        self._queue: dict[Callable[[], None], None] | None = None
        """What waits until a fetch has read from the log; None: no fetch does."""
        self._timer: Timer | None = None
        self._watch: tuple[int, int] | None = None

    def start(self) -> None:
        """Read the state."""
        self._ways.persister.read(self.key, self._epoch, self._on_read)

    @property
    def is_led(self) -> bool:
        """Whether this is still the leader that began it."""
        machine = self.hosted.partition
        return not self.hosted.gone and machine.leads and machine.leader_epoch == self._epoch

    def stop(self, error: Error) -> None:
        """It is over; those that wait look again and find out."""
        if self.error:
            return
        self.error = error
        if self._timer is not None:
            self._timer.cancel()
        self._forget_watch()
        self._ways.over(self)
        self._wake()

    # --- its beginning --------------------------------------------------------------------------

    def _on_read(self, outcome: ShareOutcome) -> None:
        if self.error:
            return
        if outcome.error or outcome.state is None:
            self.stop(_IN_LEADERS_WORDS.get(outcome.error, outcome.error))
        elif outcome.state.start_offset != UNINITIALIZED:
            self._begin(outcome.state, outcome.state.start_offset)
        else:
            self._find_start(partial(self._begin, outcome.state))

    def _begin(self, state: ShareState, start: int) -> None:
        if self.error:
            return
        self._state_epoch = state.state_epoch
        self.machine = SharePartition(self._settings().limits, start, state.batches)
        self.machine.on_log_start(self.hosted.partition.log.start)
        self._wake()

    def _find_start(self, then: Callable[[int], None]) -> None:
        """Where a group begins that has no offset yet (share.auto.offset.reset)."""
        reset, log = self._settings().reset, self.hosted.partition.log
        if reset == "earliest":
            then(log.start)
        elif not reset.startswith(BY_DURATION):
            then(log.high_watermark)
        else:
            since = self._ways.out.wall_ms - int(reset_seconds(reset) * 1000)

            def found(result: FoundOffset | Failure) -> None:
                if isinstance(result, Failure):
                    self.stop(Error.KAFKA_STORAGE_ERROR)
                else:
                    then(log.high_watermark if result.offset < 0 else result.offset)

            job = partial(
                FindOffset, key=self.hosted.key, timestamp=since, limit=log.high_watermark
            )
            self.hosted.jobs.run(job, found)

    # --- members --------------------------------------------------------------------------------

    def ready(self) -> SharePartition | None:
        """The machine with what holds now, or None: its state is being read."""
        machine = self.machine
        if machine is not None:
            machine.limits = self._settings().limits
            machine.on_log_start(self.hosted.partition.log.start)
        return machine

    def acquire(
        self,
        ask: Acquisition,
        batches: Sequence[tuple[int, int]],
        aborted: Sequence[int],
        offset: int,
    ) -> list[StateBatch]:
        """Hand out what is free of these batches of the log, read from `offset` on."""
        machine = self.machine
        assert machine is not None
        found = machine.acquire(ask, batches, self._ways.out.now, aborted, offset)
        self._arm()
        return found

    def take_back(self, handed: Sequence[StateBatch]) -> None:
        """Records that were handed out just now do not leave: they are free, as they were."""
        if self.machine is not None:
            self.machine.take_back(handed)
            self._arm()

    def acknowledge(self, member: str, said: Sequence[Acknowledgement], then: Settled) -> None:
        """A member says what has become of records; `then` once that is kept."""
        machine = self.ready()
        if machine is None:
            then(Error.INVALID_RECORD_STATE, "no records of the partition are acquired")
            return
        try:
            change = machine.acknowledge(member, said, self._ways.out.now)
        except Refusal as refusal:
            then(refusal.error, refusal.message)
            return
        self._arm()
        self._keep(change, then)

    def release(self, member: str, then: Settled) -> None:
        """A member has gone: what it has comes back."""
        machine = self.machine
        self._keep(None if machine is None else machine.release(member), then)

    def _keep(self, change: DeliveryChange | None, then: Settled) -> None:
        if change is None:
            then(Error.NONE, None)
            return
        write = ShareWrite(
            self._state_epoch, self._epoch, change.start, change.complete, change.batches
        )

        def told(outcome: ShareOutcome) -> None:
            error = outcome.error
            if self.machine is not None:
                self.machine.on_written(change, error)
                self._arm()
            if error in _FATAL:
                self.stop(_IN_LEADERS_WORDS.get(error, error))
            then(_IN_LEADERS_WORDS.get(error, error), outcome.message)
            self._wake()

        self._ways.persister.write(self.key, write, told)

    # --- waiting --------------------------------------------------------------------------------

    def wait(self, then: Callable[[], None]) -> None:
        """Have `then` called whenever records may be free, until `leave`."""
        self._waiting[then] = None
        if self._watch is None and not self.error:
            mark = self.hosted.partition.log.high_watermark
            self._watch = self.hosted.delayed.at_mark.add(mark + 1, self._on_mark)

    def leave(self, then: Callable[[], None]) -> None:
        """It need not be called any more."""
        if self._queue is not None:
            self._queue.pop(then, None)
        self._waiting.pop(then, None)
        if not self._waiting:
            self._forget_watch()

    def _forget_watch(self) -> None:
        if self._watch is not None:
            self.hosted.delayed.at_mark.discard(self._watch)
            self._watch = None

    def _on_mark(self, error: Error) -> None:
        self._watch = None
        if error:
            self.stop(error)
        else:
            self._wake()

    def _wake(self) -> None:
        for then in tuple(self._waiting):
            self._waiting.pop(then, None)
            then()

    # --- turns ----------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether a fetch reads from the log."""
        return self._queue is not None

    def begin_reading(self) -> None:
        """A fetch reads from the log, until `done`: no other one may."""
        assert self._queue is None, f"two fetches read {self.key}"
        self._queue = {}

    def wait_turn(self, then: Callable[[], None]) -> None:
        """Have `then` called once what is being read was read, until `leave`."""
        assert self._queue is not None, f"no fetch reads {self.key}"
        self._queue[then] = None

    def done(self) -> None:
        """Records were read: the next fetch may read. None are free by that."""
        queue, self._queue = self._queue, None
        for then in tuple(queue or ()):
            then()

    # --- time -----------------------------------------------------------------------------------

    def _arm(self) -> None:
        """Have a timer for the lock that ends next."""
        at = None if self.machine is None or self.error else self.machine.deadline
        if self._timer is not None:
            if at is not None and self._timer.at == at:
                return
            self._timer.cancel()
            self._timer = None
        if at is not None:
            self._timer = self._ways.out.at(at, self._on_time)

    def _on_time(self) -> None:
        self._timer = None
        assert self.machine is not None
        change = self.machine.on_time(self._ways.out.now)
        self._arm()
        self._keep(change, lambda error, message: None)
        self._wake()
