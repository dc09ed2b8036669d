"""The fetch loop of a node that does not lead: ask, append or cut or load a snapshot, ask again.

One thing at a time: nothing is fetched while the log is being written, so that what a fetch
acknowledges is durable. An answer goes to the continuation that asked, which judges it by what it
tells of epochs; belongs to `machine.Raft`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from spindle.core.raft.epoch_state import EpochState
from spindle.core.raft.raft_io import RaftIO
from spindle.core.raft.raft_log import RaftLog
from spindle.core.raft.raft_values import NO_NODE, FetchAnswer, FetchPosition, Silence, Timing
from spindle.core.raft.roles import LeaderState
from spindle.model.ids import NodeId
from spindle.model.offsets import OffsetAndEpoch
from spindle.model.outbox import Outbox, Timer
from spindle.model.quorum_voters import QuorumAt

BACKOFF_DOUBLINGS_MAX = 3
"""A node looks for a new leader several times a second: brokers hear of it in no other way."""


class Fetched(NamedTuple):
    """How a fetch ended. `source`: the leader that was asked; `NO_NODE`: another controller."""

    source: NodeId
    answer: FetchAnswer | Silence
    is_awaited: bool
    """Whether the loop waits for it. An answer to an earlier fetch only tells of epochs."""


Then: TypeAlias = Callable[[Fetched], None]


class Follower:
    """Keeps our copy of the log like the leader's."""

    def __init__(
        self, state: EpochState, log: RaftLog, timing: Timing, out: Outbox, io: RaftIO
    ) -> None:
        self._state = state
        self._log = log
        self._timing = timing
        self._out = out
        self._io = io
        self._asking = False
        self._asked = 0
        """Number of the fetch under way."""
        self._judging = False
        self._sleeping: Timer | None = None
        self._failures = 0

    def go(self, then: Then) -> None:
        """Fetch, unless that is under way or not for us to do.

        Each awaited answer that `then` gets is to be followed by `on_judged`.
        """
        if self._may_ask():
            self._state.when_saved(lambda: self._ask(then))

    def restart(self, then: Then) -> None:
        """Fetch now, whatever failed or still is under way: there is another node to ask."""
        self._failures = 0
        self._asking = False
        self._asked += 1
        if self._sleeping is not None:
            self._sleeping.cancel()
            self._sleeping = None
        self.go(then)

    def on_judged(self, accepted: FetchAnswer | None, news: bool, then: Then) -> None:
        """An awaited answer was judged: it is the leader's, or it had news, or it is of no use."""
        self._judging = self._asking = False
        if accepted is not None:
            self._failures = 0
            self._use(accepted, then)
        elif news:
            self.restart(then)
        else:
            self._retry(then)

    # --- asking -----------------------------------------------------------------------------

    def _may_ask(self) -> bool:
        state = self._state
        busy = self._asking or self._judging or self._log.lock.is_held or self._sleeping is not None
        return not busy and not isinstance(state.role, LeaderState) and not state.stopping

    def _ask(self, then: Then) -> None:
        if not self._may_ask():
            return
        self._asking = True
        self._asked += 1
        number = self._asked
        state, log = self._state, self._log
        # A leader that did not answer may be gone: from the second time on, every other fetch
        # goes to another controller.
        source = state.leader if self._failures % 2 or not self._failures else NO_NODE

        def on_answer(answer: FetchAnswer | Silence) -> None:
            is_awaited = number == self._asked
            # What the answer tells of leaders must not set off a fetch before it is used.
            self._judging = self._judging or is_awaited
            then(Fetched(source, answer, is_awaited))

        position = FetchPosition(
            state.epoch, log.end, log.last_epoch, log.start, log.high_watermark
        )
        self._io.fetch(None if source == NO_NODE else source, position, on_answer)

    def _retry(self, then: Then) -> None:
        self._failures += 1
        step = self._timing.retry_backoff * (1 << min(self._failures, BACKOFF_DOUBLINGS_MAX))

        def awake() -> None:
            self._sleeping = None
            self.go(then)

        self._sleeping = self._out.after(min(step, self._timing.backoff_max), awake)

    # --- using ------------------------------------------------------------------------------

    def _use(self, answer: FetchAnswer, then: Then) -> None:
        if answer.snapshot is not None:
            self._load(answer.snapshot, then)
        elif answer.diverging is not None:
            self._cut(self._log.cut_for(answer.diverging), then)
        elif answer.batches:
            self._append(answer, then)
        else:
            self._advance(answer.high_watermark)
            self.go(then)

    def _append(self, answer: FetchAnswer, then: Then) -> None:
        log = self._log
        if answer.batches[0].base_offset != log.end:
            self._out.say(
                "error",
                "metadata fetch does not continue the log",
                offset=answer.batches[0].base_offset,
                end=log.end,
            )
            self._retry(then)
            return
        log.lock.acquire()

        def durable() -> None:
            log.on_appended(answer.batches)
            self._advance(answer.high_watermark)
            self._written(then)

        self._io.append(answer.batches, durable)

    def _cut(self, offset: int, then: Then) -> None:
        log = self._log
        if offset < log.high_watermark:
            self._io.on_impossible(
                f"leader {self._state.leader} of epoch {self._state.epoch} wants the metadata log"
                f" cut to {offset}, but {log.high_watermark} records are committed: a controller"
                " has lost its log; start it from a copy, or this node from an empty directory"
            )
            return
        log.lock.acquire()

        def done() -> None:
            log.on_truncated(offset)
            self._written(then)

        self._io.truncate(offset, done)

    def _load(self, snapshot: OffsetAndEpoch, then: Then) -> None:
        log = self._log
        if snapshot.offset < log.high_watermark:
            self._retry(then)
            return
        log.lock.acquire()

        def done(quorum: QuorumAt | None) -> None:
            if quorum is not None:
                log.on_reset(snapshot, quorum)
                self._io.on_high_watermark()
                self._written(then)
            else:
                self._retry(then)
                log.lock.release()

        self._io.load_snapshot(self._state.leader, self._state.epoch, snapshot, done)

    def _written(self, then: Then) -> None:
        self._log.lock.release()
        self.go(then)

    def _advance(self, high_watermark: int) -> None:
        log = self._log
        first = log.leader_mark < 0 <= high_watermark
        log.leader_mark = max(log.leader_mark, high_watermark)
        offset = min(high_watermark, log.end)
        if offset > log.high_watermark or first:
            log.high_watermark = max(offset, log.high_watermark)
            self._io.on_high_watermark()
