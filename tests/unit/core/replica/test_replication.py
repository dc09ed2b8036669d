"""Three machines exchange batches in memory under random leader changes, ISR changes and delays.

Nothing that was committed (below a leader's high watermark) may be lost or change, and once the
disturbances end, all logs must become the same.
"""

from __future__ import annotations

import random
import uuid
from dataclasses import replace

import pytest
from tests.support.amounts import cases

from spindle.core.replica.fetch_session_handler import truncation_point
from spindle.core.replica.isr import PendingIsrChange
from spindle.core.replica.partition import (
    Partition,
    PartitionFollower,
    PartitionLeader,
    ReplicaRules,
)
from spindle.model import metadata_records as r
from spindle.model.batches import NO_PRODUCER, RecordBatch
from spindle.model.errors import Error, Refusal
from spindle.model.log_values import LoadedLog, LogKey
from spindle.model.offsets import EpochHistory, EpochStart

TOPIC = uuid.UUID(int=1000)

NODES = (1, 2, 3)
LAG = 5.0


def batch(unique: int, count: int) -> RecordBatch:
    """A batch with a timestamp that no other has."""
    return RecordBatch(0, count - 1, -1, 0, unique, unique, NO_PRODUCER, -1, -1, count, b"")


def repeat(machine: Partition, proposal: PendingIsrChange) -> None:
    if isinstance(machine.role, PartitionLeader):
        machine.role.repeat(proposal)


class Replica:
    """A machine and its log; appends are written when the test says."""

    def __init__(self, node: int, min_isr: int) -> None:
        self.node = node
        self.rules = ReplicaRules(min_isr=min_isr, lag_max=LAG)
        self.log: list[RecordBatch] = []
        self.pending: list[RecordBatch] = []
        self.told: tuple[int, int] | None = None
        """(leader epoch, high watermark) that came with what is pending."""
        self.seen = 0
        self.machine = self.load(0)

    def load(self, stable: int) -> Partition:
        return Partition.load(self.node, self.rules, self.loaded(stable))

    def loaded(self, stable: int = 0) -> LoadedLog:
        epochs = EpochHistory()
        for b in self.log:
            epochs.assign(b.leader_epoch, b.base_offset)
        end = self.log[-1].next_offset if self.log else 0
        entries: tuple[EpochStart, ...] = epochs.entries
        return LoadedLog(LogKey("t", 0), TOPIC, 0, end, stable, 0, entries)

    def restart(self, seen: int) -> None:
        self.pending.clear()
        self.seen = seen
        self.machine = self.load(self.machine.log.high_watermark)

    def write(self, now: float) -> None:
        if self.pending:
            self.log.append(self.pending.pop(0))
            self.machine.on_appended(self.log[-1].next_offset, now)
            if not self.pending and self.told is not None:
                epoch, mark = self.told
                self.told = None
                if epoch == self.machine.leader_epoch:
                    self.machine.on_leader_mark(mark)


class Cluster:
    """The replicas, and a controller with a log of states that each hears of in its own time."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.min_isr = self.rng.choice((1, 1, 2))
        self.now = 0.0
        self.fenced: set[int] = set()
        self.states = [
            r.PartitionRegistration(
                partition_id=0,
                topic_id=TOPIC,
                replicas=NODES,
                isr=NODES,
                leader=1,
                leader_epoch=0,
                partition_epoch=0,
            )
        ]
        self.replicas = {n: Replica(n, self.min_isr) for n in NODES}
        self.proposals: list[tuple[int, PendingIsrChange]] = []
        self.committed: dict[int, int] = {}
        """Offset -> the batch that is there, for all that was ever below a leader's mark."""
        self.unique = 0

    @property
    def state(self) -> r.PartitionRegistration:
        return self.states[-1]

    def eligible(self) -> dict[int, int | None]:
        return {n: None if n in self.fenced else 1 for n in NODES}

    # --- what may happen ------------------------------------------------------------------------

    def produce(self, replica: Replica) -> None:
        if replica.machine.leads and len(replica.pending) < 5:
            self.unique += 1
            new = batch(self.unique, self.rng.randint(1, 3))
            replica.machine.assign(new)
            replica.pending.append(new)

    def write(self, replica: Replica) -> None:
        replica.write(self.now)

    def hear(self, replica: Replica) -> None:
        """The next state of the metadata reaches a node."""
        if replica.seen < len(self.states):
            state = self.states[replica.seen]
            replica.seen += 1
            replica.machine.on_assignment(state, self.eligible(), self.now)

    def fetch(self, replica: Replica) -> None:
        """A follower fetches once and takes what comes."""
        role = replica.machine.role
        if not isinstance(role, PartitionFollower) or role.leader not in NODES or replica.pending:
            return
        leader, machine = self.replicas[role.leader], replica.machine
        if (
            not leader.machine.leads
            or leader.machine.check_epoch(machine.leader_epoch) != Error.NONE
        ):
            return
        last = machine.log.last_epoch
        if last >= 0:
            try:
                diverging = leader.machine.log.divergence(machine.log.end, last)
            except Refusal:
                pytest.fail("a follower's epoch is never unknown to a leader")
            if diverging is not None:
                self.cut(replica, truncation_point(machine.log.epochs, machine.log.end, diverging))
                return
        assert machine.log.end <= leader.machine.log.next
        epoch = None if replica.node in self.fenced else 1
        leader.machine.on_follower_fetch(replica.node, machine.log.end, 0, epoch or 0, self.now)
        mark = leader.machine.log.high_watermark
        if self.rng.random() < 0.1:
            return  # The answer is lost.
        sent = [b for b in leader.log if b.base_offset >= machine.log.end]
        for one in sent[: self.rng.randint(0, 5)]:
            copy = replace(one)
            machine.accept(copy)
            replica.pending.append(copy)
        if replica.pending:
            replica.told = (machine.leader_epoch, mark)
        else:
            machine.on_leader_mark(mark)

    def cut(self, replica: Replica, point: int) -> None:
        assert point < replica.machine.log.end, "a cut must cut"
        assert all(b.next_offset <= point or b.base_offset >= point for b in replica.log)
        replica.log = [b for b in replica.log if b.next_offset <= point]
        replica.machine.on_cut(replica.loaded())

    def tick(self, replica: Replica) -> None:
        self.now += self.rng.random() * LAG / 4
        replica.machine.on_time(self.now)

    def propose(self, replica: Replica) -> None:
        proposal = replica.machine.take_proposal()
        if proposal is not None:
            self.proposals.append((replica.node, proposal))

    def decide(self, replica: Replica) -> None:
        """The controller takes a proposal; its answer may be lost."""
        if not self.proposals:
            return
        node, proposal = self.proposals.pop(self.rng.randrange(len(self.proposals)))
        machine = self.replicas[node].machine
        lost = self.rng.random() < 0.2
        if (proposal.leader_epoch, proposal.partition_epoch) != (
            self.state.leader_epoch,
            self.state.partition_epoch,
        ):
            if lost:
                repeat(machine, proposal)
            return  # The metadata decides.
        if any(n in self.fenced for n in proposal.isr):
            machine.on_isr_refused(proposal, self.now)
            return
        self.states.append(merge(self.state, isr=proposal.isr))
        if lost:
            repeat(machine, proposal)
        else:
            machine.on_isr_committed(proposal, proposal.isr, self.state.partition_epoch, self.now)

    def elect(self, replica: Replica) -> None:
        """Another member of the ISR leads."""
        isr = [n for n in self.state.isr if n not in self.fenced]
        if isr:
            leader = self.rng.choice(isr)
            self.states.append(merge(self.state, leader=leader))

    def fence(self, replica: Replica) -> None:
        """A broker is fenced: it leaves the ISR (unless it is the last) and leadership."""
        node = replica.node
        if node in self.fenced:
            self.fenced.discard(node)
            if self.state.leader < 0 and node in self.state.isr:
                self.states.append(merge(self.state, leader=node))
        else:
            isr = tuple(n for n in self.state.isr if n != node)
            self.fenced.add(node)
            leader = next((n for n in isr if n not in self.fenced), -1)
            change = isr or self.state.isr
            if self.state.leader == node:
                self.states.append(merge(self.state, isr=change, leader=leader))
            elif change != self.state.isr:
                self.states.append(merge(self.state, isr=change))
        for one in self.replicas.values():
            one.machine.on_eligible(self.eligible(), self.now)

    def restart(self, replica: Replica) -> None:
        """A process ends and starts: what was not written is gone, and it is fenced meanwhile."""
        if replica.node not in self.fenced:
            self.fence(replica)
        replica.restart(len(self.states) - 1)

    # --- what must hold ---------------------------------------------------------------------------

    def check(self) -> None:
        for replica in self.replicas.values():
            machine = replica.machine
            assert machine.log.high_watermark <= machine.log.end <= machine.log.next
            assert machine.log.end == (replica.log[-1].next_offset if replica.log else 0)
            role = machine.role
            if machine.leads or (isinstance(role, PartitionFollower) and role.finishing):
                for b in replica.log:
                    if b.next_offset <= machine.log.high_watermark:
                        known = self.committed.setdefault(b.base_offset, b.base_timestamp)
                        assert known == b.base_timestamp, "what was committed has changed"
        for replica in self.replicas.values():
            for b in replica.log:
                if b.next_offset <= replica.machine.log.high_watermark:
                    assert self.committed.get(b.base_offset) == b.base_timestamp
        leader = self.state.leader
        if leader >= 0 and self.knows_it_leads(self.replicas[leader].machine):
            held = {b.base_offset: b.base_timestamp for b in self.replicas[leader].log}
            assert self.committed.items() <= held.items(), "a leader lacks what was committed"

    def knows_it_leads(self, machine: Partition) -> bool:
        return machine.leads and machine.leader_epoch == self.state.leader_epoch

    def run(self, steps: int) -> None:
        actions = (
            [self.produce] * 16
            + [self.write] * 30
            + [self.fetch] * 40
            + [self.hear] * 24
            + [self.propose] * 12
            + [self.decide] * 12
            + [self.tick] * 3
            + [self.elect, self.fence, self.fence, self.restart]
        )
        for _ in range(steps):
            self.rng.choice(actions)(self.replicas[self.rng.choice(NODES)])
            self.check()

    def heal(self) -> None:
        """All replicas are well again: they must come to the same log, all of it committed."""
        for node in sorted(self.fenced):
            self.fence(self.replicas[node])
        if self.state.leader < 0:
            self.states.append(merge(self.state, leader=self.state.isr[0]))
        for _ in range(400):
            for action in (self.hear, self.write, self.fetch, self.propose, self.decide, self.tick):
                for replica in self.replicas.values():
                    action(replica)
            self.check()
        logs = [
            [(b.base_offset, b.leader_epoch, b.base_timestamp) for b in one.log]
            for one in self.replicas.values()
        ]
        assert logs[0] == logs[1] == logs[2]
        for replica in self.replicas.values():
            assert (
                replica.machine.log.high_watermark
                == replica.machine.log.end
                == replica.machine.log.next
            )
        assert set(self.state.isr) == set(NODES)


def merge(
    state: r.PartitionRegistration, isr: tuple[int, ...] | None = None, leader: int = -2
) -> r.PartitionRegistration:
    return replace(
        state,
        isr=state.isr if isr is None else isr,
        leader=state.leader if leader == -2 else leader,
        leader_epoch=state.leader_epoch + (leader != -2),
        partition_epoch=state.partition_epoch + 1,
    )


@pytest.mark.parametrize("seed", range(cases(120)))
def test_what_is_committed_stays_and_all_converge(seed: int) -> None:
    cluster = Cluster(seed)
    cluster.run(1500)
    cluster.heal()


def test_the_runs_do_commit_truncate_and_change_isrs() -> None:
    """The property above would hold for machines that do nothing; these do something."""
    committed = changed = led = 0
    for seed in range(20):
        cluster = Cluster(seed)
        cluster.run(1500)
        committed += len(cluster.committed)
        changed += len({s.isr for s in cluster.states}) > 2
        led += cluster.state.leader_epoch
    assert committed > 150
    assert changed > 10
    assert led > 50
