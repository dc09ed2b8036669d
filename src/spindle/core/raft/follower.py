"""The fetch loop of a node that does not lead: ask, append or cut or load a snapshot, ask again.

One thing at a time: nothing is fetched while the log is being written, so that what a fetch
acknowledges is durable. Belongs to `machine.Raft`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from spindle.core.raft.raft_io import RaftIO
from spindle.core.raft.raft_log import RaftLog
from spindle.core.raft.raft_values import NOBODY, FetchAnswer, FetchPosition, Heard, Silence, Timing
from spindle.core.raft.roles import LeaderState, Role
from spindle.model.errors import Error
from spindle.model.ids import NodeId
from spindle.model.offsets import OffsetAndEpoch
from spindle.model.outbox import Outbox, Timer

BACKOFF_DOUBLINGS_MAX = 3
"""Who looks for a new leader looks several times a second: brokers hear of it in no other way."""


class RaftMember(Protocol):
    """Our part in the quorum, as its fetch loop sees it: `machine.Raft`, which knows the roles."""

    world: RaftIO
    out: Outbox
    log: RaftLog
    timing: Timing
    role: Role
    stopping: bool

    @property
    def epoch(self) -> int:
        """The highest epoch seen."""

    @property
    def leader(self) -> NodeId:
        """Who leads it, or NOBODY."""

    def when_saved(self, then: Callable[[], None]) -> None:
        """Run `then` when all that we know of epochs and votes is durable."""

    def on_heard(self, heard: Heard | None) -> bool:
        """Somebody told us of an epoch or a leader; whether that changed ours."""

    def on_contact(self) -> None:
        """The leader has answered a fetch."""

    def on_leader_gone(self) -> None:
        """Nobody serves at the leader's address."""

    def return_to_leader(self) -> None:
        """The leader of our epoch answered although we had lost patience with it."""


class Follower:
    """Keeps our copy of the log like the leader's."""

    def __init__(self, raft: RaftMember) -> None:
        self._raft = raft
        self._asking = False
        self._asked = 0
        """Number of the fetch under way: an answer to an earlier one is only heard."""
        self._judging = False
        self._writing = False
        self._sleeping: Timer | None = None
        self._failures = 0
        self._idle: list[Callable[[], None]] = []

    def go(self) -> None:
        """Fetch, unless that is under way or not for us to do."""
        if self._may_ask():
            self._raft.when_saved(self._ask)

    def restart(self) -> None:
        """Fetch now, whatever failed or still is under way: there is somebody new to ask."""
        self._failures = 0
        self._asking = False
        self._asked += 1
        if self._sleeping is not None:
            self._sleeping.cancel()
            self._sleeping = None
        self.go()

    def when_idle(self, then: Callable[[], None]) -> None:
        """Run `then` when nothing is being done to the log by this loop."""
        if self._writing:
            self._idle.append(then)
        else:
            then()

    @property
    def writing(self) -> bool:
        """Whether the log is being written, by this loop or by the leader's side of us."""
        return self._writing

    def hold(self) -> None:
        """Somebody else (the leader's side of us) writes the log."""
        assert not self._writing
        self._writing = True

    def release(self) -> None:
        """That write is done."""
        self._written()

    def _may_ask(self) -> bool:
        busy = self._asking or self._judging or self._writing or self._sleeping is not None
        return not busy and not isinstance(self._raft.role, LeaderState) and not self._raft.stopping

    def _ask(self) -> None:
        if not self._may_ask():
            return
        self._asking = True
        self._asked += 1
        number = self._asked
        raft = self._raft
        # A leader that did not answer may be gone: from the second time on, every other time
        # somebody else is asked.
        source = raft.leader if self._failures % 2 or not self._failures else NOBODY
        log = raft.log
        position = FetchPosition(raft.epoch, log.end, log.last_epoch, log.start, log.high_watermark)
        raft.world.fetch(
            None if source == NOBODY else source,
            position,
            lambda a: self._on_answer(number, source, a),
        )

    def _on_answer(self, number: int, source: NodeId, answer: FetchAnswer | Silence) -> None:
        if number != self._asked:
            if isinstance(answer, FetchAnswer):
                self._raft.on_heard(answer.heard)
            return
        if answer is Silence.GONE and source == self._raft.leader != NOBODY:
            self._raft.on_leader_gone()
        # What the answer tells of leaders must not set off a fetch before it is used.
        self._judging = True
        accepted, news = self._judge(answer)
        self._judging = self._asking = False
        if accepted is not None:
            self._failures = 0
            self._use(accepted)
        elif news:
            self.restart()
        else:
            self._retry()

    def _judge(self, answer: FetchAnswer | Silence) -> tuple[FetchAnswer | None, bool]:
        """The answer if the leader of our epoch gave it; and whether it told anything new."""
        if isinstance(answer, Silence):
            return None, False
        raft = self._raft
        heard = answer.heard
        news = raft.on_heard(heard)
        leads = isinstance(raft.role, LeaderState)
        stale = heard.epoch != raft.epoch or heard.leader != raft.leader
        if heard.error != Error.NONE or stale or leads or raft.stopping:
            return None, news
        raft.return_to_leader()
        raft.on_contact()
        return answer, news

    def _use(self, answer: FetchAnswer) -> None:
        raft = self._raft
        if answer.snapshot is not None:
            self._load(answer.snapshot)
        elif answer.diverging is not None:
            self._cut(raft.log.cut_for(answer.diverging))
        elif answer.batches:
            self._append(answer)
        else:
            self._advance(answer.high_watermark)
            self.go()

    def _append(self, answer: FetchAnswer) -> None:
        raft = self._raft
        if answer.batches[0].base_offset != raft.log.end:
            raft.out.say(
                "error",
                "metadata fetch does not continue the log",
                offset=answer.batches[0].base_offset,
                end=raft.log.end,
            )
            self._retry()
            return
        self._writing = True

        def durable() -> None:
            raft.log.on_appended(answer.batches)
            self._advance(answer.high_watermark)
            self._written()

        raft.world.append(answer.batches, durable)

    def _cut(self, offset: int) -> None:
        raft = self._raft
        if offset < raft.log.high_watermark:
            raft.world.on_impossible(
                f"leader {raft.leader} of epoch {raft.epoch} wants the metadata log cut to "
                f"{offset}, but {raft.log.high_watermark} records are committed: a controller "
                "has lost its log; start it from a copy, or this node from an empty directory"
            )
            return
        self._writing = True

        def done() -> None:
            raft.log.on_truncated(offset)
            self._written()

        raft.world.truncate(offset, done)

    def _load(self, snapshot: OffsetAndEpoch) -> None:
        raft = self._raft
        if snapshot.offset < raft.log.high_watermark:
            self._retry()
            return
        self._writing = True

        def done(loaded: bool) -> None:
            if loaded:
                raft.log.on_reset(snapshot)
                raft.world.on_high_watermark()
                self._written()
            else:
                self._writing = False
                self._retry()
                self._run_idle()

        raft.world.load_snapshot(raft.leader, raft.epoch, snapshot, done)

    def _written(self) -> None:
        self._writing = False
        self._run_idle()
        self.go()

    def _run_idle(self) -> None:
        waiting, self._idle = self._idle, []
        for then in waiting:
            then()

    def _advance(self, high_watermark: int) -> None:
        log = self._raft.log
        first = log.leader_mark < 0 <= high_watermark
        log.leader_mark = max(log.leader_mark, high_watermark)
        offset = min(high_watermark, log.end)
        if offset > log.high_watermark or first:
            log.high_watermark = max(offset, log.high_watermark)
            self._raft.world.on_high_watermark()

    def _retry(self) -> None:
        """Try again, a little later each time."""
        self._failures += 1
        step = self._raft.timing.retry_backoff * (1 << min(self._failures, BACKOFF_DOUBLINGS_MAX))
        delay = min(step, self._raft.timing.backoff_max)
        self._sleeping = self._raft.out.after(delay, self._awake)

    def _awake(self) -> None:
        self._sleeping = None
        self.go()
