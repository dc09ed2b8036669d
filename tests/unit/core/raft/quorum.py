"""A quorum of machines in virtual time: worlds that save, write and send after seeded delays.

Nothing of the node is used: what is tested is `core.raft` alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tests.unit.core.raft.quorum_disk import Disk, batch, directory_of

from spindle.core.raft.machine import Raft
from spindle.core.raft.raft_log import RaftLog
from spindle.core.raft.raft_values import (
    NO_NODE,
    Ballot,
    ElectionState,
    FetchAnswer,
    FetchPosition,
    FetchVerdict,
    Silence,
    Timing,
    VoteAnswer,
)
from spindle.core.raft.voter_history import VoterHistory
from spindle.model.batches import RecordBatch
from spindle.model.errors import Error, Refusal
from spindle.model.feature_rules import KRAFT_LEVELS
from spindle.model.ids import ZERO_ID, NodeId
from spindle.model.offsets import OffsetAndEpoch
from spindle.model.outbox import Outbox
from spindle.model.quorum_voters import (
    DYNAMIC,
    QuorumAt,
    QuorumRecord,
    Voter,
    VoterKey,
    Voters,
    static_voters,
)

TIMING = Timing()
EPOCH_MS = 1_700_000_000_000
"""The time of day when virtual time begins."""


class FakeNode:
    """One node: a machine, its disk, and the `World` between it and the others."""

    def __init__(self, quorum: Quorum, me: NodeId, disk: Disk) -> None:
        self.quorum = quorum
        self.me = me
        self.disk = disk
        self.alive = True
        self.halted: str | None = None
        start = disk.snapshot.offset if disk.snapshot else 0
        static = static_voters((voter, "h", 1) for voter in quorum.voters)
        history = VoterHistory(static, quorum.read)
        if me in quorum.first.ids:
            history.restart(0, QuorumAt(DYNAMIC, quorum.first))
        log = RaftLog(start, start, (), disk.snapshot, history)
        log.on_appended(disk.batches)
        self.own = Voter(me, disk.directory, (), KRAFT_LEVELS)
        self._queue: list[RecordBatch] = []
        self._writing = False
        self.raft = Raft(self.own, TIMING, quorum.out, log, self, joins=quorum.joins)
        self.terms: list[int] = []
        """Epochs that this node has opened."""

    def append(self, *args: Any) -> None:
        """As a World: a leader's batches. As a leader: `lead_append`."""
        batches, then = args
        self._write(lambda: self.disk.batches.extend(batches), then)

    def lead_append(self, count: int = 1, records: tuple[QuorumRecord, ...] = ()) -> int:
        """Append records as the leader; the offset after them."""
        raft = self.raft
        assert raft.state.term is not None
        base = self._queue[-1].next_offset if self._queue else raft.log.end
        added = batch(base, raft.state.epoch, max(count, len(records)), bool(records))
        if records:
            self.quorum.said[added.base_offset, added.leader_epoch] = records
        self._queue.append(added)
        self._write_next()
        return added.next_offset

    def _write_next(self) -> None:
        if self._writing or not self._queue:
            return
        self._writing = True
        first = self._queue[0]
        self.raft.log.lock.acquire()

        def durable() -> None:
            del self._queue[:1]
            self.raft.on_local_append([first])
            self._writing = False
            self.quorum.wake()
            self._write_next()

        self._write(lambda: self.disk.batches.append(first), durable)

    def _write(self, change: Callable[[], None], then: Callable[[], None]) -> None:
        def done() -> None:
            if self.alive:
                change()
                then()

        self.quorum.at(self.quorum.rng.uniform(0.0001, 0.003), done)

    # --- World ------------------------------------------------------------------------------

    def save(self, state: ElectionState, then: Callable[[], None]) -> None:
        self.quorum.saves += 1
        self.quorum.at(0.001, lambda: self._saved(state, then))

    def _saved(self, state: ElectionState, then: Callable[[], None]) -> None:
        if self.alive:
            self.disk.state = state
            then()

    def ask_vote(
        self, voter: NodeId, ballot: Ballot, then: Callable[[VoteAnswer | None], None]
    ) -> None:
        assert ballot.pre_vote or self.disk.state == ElectionState(
            ballot.epoch, NO_NODE, *self.own.key
        )

        def ask(peer: FakeNode, answer: Callable[[VoteAnswer], None]) -> None:
            peer.raft.on_vote(ballot, answer, self._is_meant(peer))

        self._send(voter, ask, then)

    def _is_meant(self, peer: FakeNode) -> bool:
        """Whether a node is the voter of this number that we know."""
        known = self.raft.state.history.latest.find(peer.me)
        return known is None or known.is_of(peer.disk.directory)

    def begin_epoch(self, voter: NodeId, epoch: int, then: Callable[[Any], object]) -> None:
        assert self.disk.state == ElectionState(epoch, self.me, *self.own.key)

        def ask(peer: FakeNode, answer: Callable[[Any], None]) -> None:
            def durable(heard: Any) -> None:
                saved = peer.disk.state.epoch if peer.disk.state is not None else 0
                assert saved >= heard.epoch, "an epoch was sent that is not durable"
                answer(heard)

            peer.raft.on_begin_epoch(self.me, epoch, durable, self._is_meant(peer))

        self._send(voter, ask, then)

    def end_epoch(
        self,
        voter: NodeId,
        epoch: int,
        successors: tuple[NodeId, ...],
        then: Callable[[Any], object],
    ) -> None:
        self._send(
            voter, lambda p, answer: p.raft.on_end_epoch(self.me, epoch, successors, answer), then
        )

    def fetch(
        self,
        source: NodeId | None,
        position: FetchPosition,
        then: Callable[[FetchAnswer | Silence], None],
    ) -> None:
        kept = [b.next_offset for b in self.disk.batches]
        kept += [self.disk.snapshot.offset] if self.disk.snapshot is not None else []
        assert position.offset <= max(kept, default=0), "a fetch acknowledges what is not durable"
        assert not self.raft.log.lock.is_held, "its answer would be appended a second time"
        others = [v for v in self.quorum.servers if v != self.me]
        if source is None and not others:
            return
        target = source if source is not None else self.quorum.rng.choice(others)
        self._send(
            target,
            lambda p, answer: p.serve(self.own.key, position, answer),
            then,
            Silence.LATE,
            Silence.GONE,
        )

    def serve(
        self, replica: VoterKey, position: FetchPosition, answer: Callable[[FetchAnswer], None]
    ) -> None:
        """Answer a fetch, a little later where there is nothing new."""
        verdict = self.raft.leader_log.on_fetch(replica.id, position, replica.directory_id)

        def reply() -> None:
            now = self.raft.leader_log.judge_fetch(position)
            log = self.raft.log
            found = tuple(
                b for b in self.disk.batches if position.offset <= b.base_offset < log.end
            )
            good = now == FetchVerdict()
            answer(
                FetchAnswer(
                    self.raft.state.heard(now.error),
                    log.high_watermark,
                    now.diverging,
                    now.snapshot,
                    found if good else (),
                )
            )

        quiet = verdict == FetchVerdict() and self.raft.log.end <= position.offset
        if quiet and self.raft.log.high_watermark <= position.high_watermark:
            self.quorum.park(reply)
        else:
            reply()

    def truncate(self, offset: int, then: Callable[[], None]) -> None:
        def cut() -> None:
            self.disk.batches[:] = [b for b in self.disk.batches if b.next_offset <= offset]

        self._write(cut, then)

    def load_snapshot(
        self,
        source: NodeId,
        epoch: int,
        snapshot: OffsetAndEpoch,
        then: Callable[[QuorumAt | None], None],
    ) -> None:
        def load() -> None:
            self.disk.snapshot = snapshot
            self.disk.batches.clear()

        self._write(load, lambda: then(QuorumAt()))

    def lead(self, epoch: int, opening: tuple[QuorumRecord, ...]) -> None:
        self.terms.append(epoch)
        self.quorum.on_leader(epoch, self.me)
        self.raft.leader_log.on_epoch_opened(self.raft.log.end)
        self.lead_append(records=opening)

    def append_quorum(self, records: tuple[QuorumRecord, ...]) -> int:
        return self.lead_append(records=records) - 1

    def ask_levels(self, voter: Voter, then: Callable[[Any], None]) -> None:
        def ask(peer: FakeNode, answer: Callable[[Any], None]) -> None:
            answer(KRAFT_LEVELS)

        self._send(voter.id, ask, lambda found: then(found or Error.NETWORK_EXCEPTION))

    def update_voter(
        self, leader: NodeId, epoch: int, own: Voter, then: Callable[[Any], object]
    ) -> None:
        assert not self.raft.state.history.is_dynamic, "no endpoint changes here"

        def ask(peer: FakeNode, answer: Callable[[Any], None]) -> None:
            error = peer.raft.state.refuses_epoch(epoch)
            try:
                if error == Error.NONE:
                    peer.raft.changes.update(own)
            except Refusal as refusal:
                error = refusal.error
            answer(peer.raft.state.heard(error))

        self._send(leader, ask, then)

    def add_voter(self, leader: NodeId, own: Voter) -> None:
        self._send(leader, lambda peer, answer: peer.ask_change(own, answer), lambda _: None)

    def remove_voter(self, leader: NodeId, key: VoterKey) -> None:
        self._send(leader, lambda peer, answer: peer.ask_change(key, answer), lambda _: None)

    def ask_change(self, what: Voter | VoterKey, answer: Callable[[Refusal | None], None]) -> None:
        try:
            if isinstance(what, Voter):
                self.raft.changes.add(what, True, answer)
            else:
                self.raft.changes.remove(what, answer)
        except Refusal as refusal:
            answer(refusal)

    def on_change(self) -> None:
        if self.raft.state.term is None:
            del self._queue[1 if self._writing else 0 :]
        self.quorum.wake()

    def on_high_watermark(self) -> None:
        self.quorum.on_committed(self)

    def on_impossible(self, why: str) -> None:
        self.halted = why

    def _send(
        self,
        to: NodeId,
        serve: Callable[[Any, Any], None],
        then: Any,
        late: Silence | None = None,
        gone: Silence | None = None,
    ) -> None:
        q = self.quorum
        answered = [False]

        def back(answer: Any) -> None:
            if not answered[0] and self.alive:
                answered[0] = True
                then(answer)

        def arrive() -> None:
            peer = q.nodes.get(to)
            if to in q.closed or (self.me, to) in q.refused:
                q.deliver(to, self.me, lambda: back(gone))
            elif peer is not None and peer.alive and q.connected(self.me, to):
                serve(peer, lambda answer: q.deliver(to, self.me, lambda: back(answer)))

        if not self.alive:
            return  # The dead say nothing, not even farewell.
        q.deliver(self.me, to, arrive)
        q.at(2.0, lambda: back(late))
        q.on_close.setdefault(to, []).append(lambda: back(gone))


class Quorum:
    """Machines, the clock, the network between them, and what must always hold."""

    def __init__(
        self,
        voters: int,
        seed: int = 1,
        observers: int = 0,
        *,
        dynamic: bool = False,
        joins: bool | None = None,
        named_disks: bool = False,
    ) -> None:
        """`dynamic`: the log says which are voters, and begins with the first `voters`.

        `named_disks`: static voters have directory ids and tell their leader of them.
        """
        self.rng = random.Random(seed)
        self.out = Outbox(random.Random(seed + 1))
        self.joins = False if named_disks else joins
        named_disks = named_disks or dynamic
        named = tuple(range(1, voters + 1))
        self.voters = () if dynamic else named
        self.first = Voters(
            tuple(Voter(v, directory_of(v), (), KRAFT_LEVELS) for v in named if dynamic)
        )
        self.servers = tuple(range(1, voters + observers + 1)) if dynamic else self.voters
        self.loss = 0.0
        """The share of messages that are lost."""
        self.saves = 0
        self.said: dict[tuple[int, int], tuple[QuorumRecord, ...]] = {}
        """What control batches say, by their offset and epoch."""
        self.cut: set[frozenset[NodeId]] = set()
        self.closed: set[NodeId] = set()
        """Nodes whose processes are gone while their hosts are up: connections are refused."""
        self.refused: set[tuple[NodeId, NodeId]] = set()
        """(from, to): something between them refuses connections."""
        self.on_close: dict[NodeId, list[Callable[[], None]]] = {}
        self.leaders: dict[int, NodeId] = {}
        self.committed: list[RecordBatch] = []
        self._parked: list[Callable[[], None]] = []
        self.nodes: dict[NodeId, FakeNode] = {}
        for me in range(1, voters + observers + 1):
            self.nodes[me] = FakeNode(
                self, me, Disk(directory=directory_of(me) if named_disks else ZERO_ID)
            )
        for node in list(self.nodes.values()):
            node.raft.start(None)

    def read(self, found: RecordBatch) -> list[tuple[int, QuorumRecord]]:
        said = self.said[found.base_offset, found.leader_epoch]
        return list(enumerate(said, found.base_offset))

    # --- driving ----------------------------------------------------------------------------

    def at(self, delay: float, then: Callable[[], None]) -> None:
        """Something happens `delay` s from now."""
        self.out.after(delay, then)

    def deliver(self, source: NodeId, target: NodeId, then: Callable[[], None]) -> None:
        """A message travels, unless the link is cut."""
        lost = self.loss and self.rng.random() < self.loss
        if self.connected(source, target) and not lost:
            self.at(self.rng.uniform(0.0005, 0.02), then)

    def connected(self, a: NodeId, b: NodeId) -> bool:
        """Whether two nodes reach each other."""
        return frozenset((a, b)) not in self.cut

    def park(self, reply: Callable[[], None]) -> None:
        """Answer a waiting fetch at the next progress, or in half a second."""
        done = [False]

        def once() -> None:
            if not done[0]:
                done[0] = True
                reply()

        self._parked.append(once)
        self.at(0.5, once)

    def wake(self) -> None:
        """Progress somewhere."""
        parked, self._parked = self._parked, []
        for reply in parked:
            self.at(0, reply)

    def run(self, seconds: float, until: Callable[[], bool] = lambda: False) -> bool:
        """Let time pass, until something holds; whether it does."""
        end = self.out.now + seconds
        while not until():
            wake_at = self.out.wake_at
            if wake_at is None or wake_at > end:
                self.out.now = end
                return until()
            self.out.now = max(self.out.now, wake_at)
            self.out.wall_ms = EPOCH_MS + int(self.out.now * 1000)
            self.out.tick()
        return True

    def crash(self, me: NodeId) -> None:
        """A node stops; what it had not made durable is gone."""
        self.nodes[me].alive = False
        self.nodes[me].raft.shut_down(lambda: None)

    def kill(self, me: NodeId) -> None:
        """A node's process is killed: its connections are closed, and new ones refused."""
        self.crash(me)
        self.closed.add(me)
        for close_connection in self.on_close.pop(me, []):
            close_connection()

    def restart(self, me: NodeId) -> FakeNode:
        """A crashed node comes back with its disk."""
        self.closed.discard(me)
        disk = self.nodes[me].disk
        self.nodes[me] = node = FakeNode(self, me, disk)
        node.raft.start(disk.state)
        return node

    @property
    def leader(self) -> FakeNode | None:
        """The live node that leads the highest epoch, once that is open."""
        leading = [
            n
            for n in self.nodes.values()
            if n.alive and n.raft.state.term is not None and n.raft.state.term.start is not None
        ]
        return max(leading, key=lambda n: n.raft.state.epoch, default=None)

    def await_leader(self, seconds: float = 20.0) -> FakeNode:
        """Let time pass until a voter leads and the others follow."""

        def settled() -> bool:
            leader = self.leader
            return leader is not None and all(
                n.raft.state.leader == leader.me
                for n in self.nodes.values()
                if n.alive and self.connected(n.me, leader.me)
            )

        assert self.run(seconds, settled), "no voter came to lead"
        leader = self.leader
        assert leader is not None
        return leader

    # --- what must hold -----------------------------------------------------------------------

    def on_leader(self, epoch: int, me: NodeId) -> None:
        """One leader per epoch."""
        assert self.leaders.setdefault(epoch, me) == me, f"two leaders in epoch {epoch}"

    def on_committed(self, node: FakeNode) -> None:
        """What was committed once is committed everywhere, the same."""
        if node.disk.snapshot is not None:
            return
        mine = [b for b in node.disk.batches if b.next_offset <= node.raft.log.high_watermark]
        shorter, longer = sorted((mine, self.committed), key=len)
        assert [(b.base_offset, b.leader_epoch) for b in shorter] == [
            (b.base_offset, b.leader_epoch) for b in longer[: len(shorter)]
        ], f"node {node.me} has committed something else"
        if len(mine) > len(self.committed):
            self.committed = mine


def no_voter_leads(quorum: Quorum) -> bool:
    """Whether no live node leads or knows a leader."""
    return all(n.raft.state.leader == NO_NODE for n in quorum.nodes.values() if n.alive)
