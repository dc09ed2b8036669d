"""One replica of a partition on this broker: its role, its epochs, its offsets, its ISR.

    state     | metadata names me leader | metadata names another, or none | the log or disk failed
    ----------+--------------------------+---------------------------------+-----------------------
    Following | Leading                  | Following                       | Offline
    Leading   | Leading                  | Following                       | Offline
    Offline   | Offline                  | Offline                         | Offline

Offline is left only by a new `Partition`, made once its log serves again.

Pure: asks for nothing itself. The node's replicas feed it and write what it has given offsets to.
An input that may move the high watermark or propose an ISR returns an `Advance`, by which they
release what waits and ask the controller.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple, TypeAlias

from spindle.core.replica.isr import FollowerProgress, Followers, PendingIsrChange
from spindle.core.replica.replica_log import NO_EPOCH, ReplicaLog
from spindle.model import metadata_records as r
from spindle.model.batches import EndTransactionMarker, RecordBatch
from spindle.model.errors import Error
from spindle.model.ids import NO_LEADER, NodeId
from spindle.model.log_values import LoadedLog


class Advance(NamedTuple):
    """What an input has moved, for all that waits for it."""

    before: int
    """The high watermark before."""
    mark: int
    """The high watermark now."""
    proposes: bool
    """A proposal for the ISR is to be sent to the controller."""


@dataclass(slots=True)
class PartitionLeader:
    """I give offsets, note how far the followers are, and move the high watermark."""

    epoch_start: int
    """The log's end when this epoch began: no replica joins the ISR below it."""
    followers: Followers
    proposal: PendingIsrChange | None = None
    """The ISR that I want the controller to commit; both bind me until it answers."""
    sent: bool = False

    @property
    def has_proposal(self) -> bool:
        """Whether there is a proposal to be sent."""
        return self.proposal is not None and not self.sent

    def advance(self, before: int, mark: int) -> Advance | None:
        """What has moved, if anything; the high watermark was at `before`, and is at `mark`."""
        proposes = self.has_proposal
        return Advance(before, mark, proposes) if proposes or mark > before else None

    def may_join(self, progress: FollowerProgress, high_watermark: int) -> bool:
        """Whether a follower may be proposed for the ISR."""
        return (
            progress.eligible
            and progress.end >= high_watermark
            and progress.end >= self.epoch_start
        )

    def repeat(self, proposal: PendingIsrChange) -> None:
        """The controller could not be asked: a proposal that still stands is to be sent again."""
        if self.proposal is proposal:
            self.sent = False


@dataclass(slots=True)
class PartitionFollower:
    """I copy the leader's log (or wait for one: NO_LEADER).

    `finishing`: I led as the only replica in sync and no other leads now, as where the last of a
    partition's brokers stops. What I gave offsets to is committed once it is written: a clean
    election can choose no other log.
    """

    leader: NodeId = NO_LEADER
    finishing: bool = False


@dataclass(slots=True)
class Offline:
    """My log cannot serve; `error` is what the broker answers clients."""

    error: Error = Error.KAFKA_STORAGE_ERROR


Role: TypeAlias = PartitionLeader | PartitionFollower | Offline


class RoleChange(Enum):
    """What a new state of the metadata made of a replica."""

    NOTHING = auto()
    ISR = auto()
    LEADS = auto()
    """It leads now, or leads in a new epoch."""
    FOLLOWS = auto()
    """It follows another broker, or in a new epoch."""


@dataclass(slots=True, frozen=True)
class ReplicaRules:
    """The settings that bind a replica. `lag_max` in s."""

    min_isr: int = 1
    lag_max: float = 30.0


@dataclass(slots=True)
class Partition:
    """A hosted replica. Made when its log is there; see the module for its states."""

    node: NodeId
    rules: ReplicaRules
    log: ReplicaLog
    role: Role = field(default_factory=PartitionFollower)
    leader_epoch: int = NO_EPOCH
    partition_epoch: int = NO_EPOCH
    replicas: tuple[NodeId, ...] = ()
    isr: tuple[NodeId, ...] = ()

    @classmethod
    def load(cls, node: NodeId, rules: ReplicaRules, log: LoadedLog) -> Partition:
        """A replica whose log the directory has loaded or made, as `log` describes it."""
        return cls(node, rules, ReplicaLog.load(log))

    # --- asking -----------------------------------------------------------------------------

    @property
    def leads(self) -> bool:
        """Whether it gives offsets."""
        return type(self.role) is PartitionLeader

    @property
    def required_isr(self) -> int:
        """The ISR size below which acks=all is refused and the high watermark stands still."""
        return min(self.rules.min_isr, max(len(self.replicas), 1))

    @property
    def maximal_isr(self) -> frozenset[NodeId]:
        """All that may be in the ISR now: the committed one and the proposed one."""
        proposal = self.role.proposal if isinstance(self.role, PartitionLeader) else None
        return frozenset(self.isr if proposal is None else (*self.isr, *proposal.isr))

    @property
    def low_watermark(self) -> int:
        """The lowest log start of all replicas that can be waited for (leader only)."""
        assert isinstance(self.role, PartitionLeader), (
            "only a leader knows the other replicas' starts"
        )
        return self.role.followers.low_mark(self.log.start)

    def check_epoch(self, epoch: int) -> Error:
        """Whether a request that names this leader epoch (-1: none) may be served."""
        if epoch == NO_EPOCH or epoch == self.leader_epoch:
            return Error.NONE
        if epoch < self.leader_epoch:
            return Error.FENCED_LEADER_EPOCH
        return Error.UNKNOWN_LEADER_EPOCH

    # --- metadata -----------------------------------------------------------------------------

    def on_assignment(
        self, state: r.PartitionRegistration, eligible: Mapping[NodeId, int | None], now: float
    ) -> tuple[RoleChange, Advance | None]:
        """The metadata's state of the partition, and what may be in its ISR (broker -> epoch)."""
        if isinstance(self.role, Offline) or state.leader_epoch < self.leader_epoch:
            return RoleChange.NOTHING, None
        if state.leader == self.node:
            change = self._lead(state, now)
            return change, self.on_eligible(eligible, now)
        return self._follow(state), None

    def _lead(self, state: r.PartitionRegistration, now: float) -> RoleChange:
        role, new_epoch = self.role, state.leader_epoch > self.leader_epoch
        others = tuple(b for b in state.replicas if b != self.node)
        if not isinstance(role, PartitionLeader):
            role = self.role = PartitionLeader(self.log.next, Followers(others, state.isr, now))
            new_epoch = True
        if new_epoch or state.partition_epoch >= self.partition_epoch:
            # An ISR may be known from the controller's answer before the metadata brings it,
            # and with it another replica set: a reassignment that it has completed.
            role.followers.assign(others, state.isr, now)
            self.replicas = state.replicas
        if new_epoch or state.partition_epoch > self.partition_epoch:
            # Whatever was proposed rests on an older state: the metadata has decided.
            role.proposal = None
            self.isr = state.isr
            self.partition_epoch = state.partition_epoch
        if new_epoch:
            role.epoch_start = self.log.next
            self.leader_epoch = state.leader_epoch
            if state.leader_epoch > self.log.epochs.latest:
                # Also without records: followers with other epochs must learn where they part.
                self.log.epochs.assign(state.leader_epoch, self.log.next)
        return RoleChange.LEADS if new_epoch else RoleChange.ISR

    def _follow(self, state: r.PartitionRegistration) -> RoleChange:
        follows = isinstance(self.role, PartitionFollower) and self.role.leader == state.leader
        if follows and state.leader_epoch == self.leader_epoch:
            change = RoleChange.ISR
        else:
            self.role = PartitionFollower(state.leader, _finishes(self, state))
            change = RoleChange.FOLLOWS
        self.leader_epoch = state.leader_epoch
        self.partition_epoch = state.partition_epoch
        self.replicas = state.replicas
        self.isr = state.isr
        return change

    def on_eligible(self, eligible: Mapping[NodeId, int | None], now: float) -> Advance | None:
        """The brokers that may join the ISR now (broker -> epoch), as the metadata has it."""
        role = self.role
        if not isinstance(role, PartitionLeader):
            return None
        before = self.log.high_watermark
        role.followers.set_eligible(eligible)
        self._move_mark(role, now)
        self._consider_all(role)
        return role.advance(before, self.log.high_watermark)

    def on_rules(self, rules: ReplicaRules, now: float) -> Advance | None:
        """The settings have changed."""
        self.rules = rules
        role, before = self.role, self.log.high_watermark
        if not isinstance(role, PartitionLeader):
            return None
        self._move_mark(role, now)
        return role.advance(before, self.log.high_watermark)

    def on_failed(self, error: Error = Error.KAFKA_STORAGE_ERROR) -> None:
        """The log or its disk cannot serve any more."""
        self.role = Offline(error)

    # --- leading --------------------------------------------------------------------------------

    def assign(self, batch: RecordBatch, marker: EndTransactionMarker | None = None) -> None:
        """Give a batch its offsets and its epoch; `marker` is what a control batch says."""
        assert isinstance(self.role, PartitionLeader), "only a leader gives offsets"
        log = self.log
        batch.base_offset = log.next
        batch.leader_epoch = self.leader_epoch
        log.add(batch, marker)
        if log.epochs.latest != self.leader_epoch:
            log.epochs.assign(self.leader_epoch, batch.base_offset)

    def on_appended(self, end: int, now: float) -> Advance | None:
        """All that was given to the log up to `end` is written."""
        log, role = self.log, self.role
        assert end <= log.next, f"{end} was written, {log.next} was assigned"
        before, log.end = log.end, max(log.end, end)
        mark = log.high_watermark
        if isinstance(role, PartitionFollower) and role.finishing:
            log.high_watermark = log.end
            return Advance(mark, log.end, False)
        if not isinstance(role, PartitionLeader):
            return None
        role.followers.on_leader_end(before, now)
        self._move_mark(role, now)
        return role.advance(mark, log.high_watermark)

    def on_follower_fetch(
        self, broker: NodeId, offset: int, start: int, broker_epoch: int, now: float
    ) -> Advance | None:
        """A follower asks for what comes from `offset` on: it has written all below."""
        role, before = self.role, self.log.high_watermark
        assert isinstance(role, PartitionLeader), "only a leader is followed"
        progress = role.followers.by_broker[broker]
        progress.on_fetch(offset, start, broker_epoch, self.log.end, now)
        if broker not in self.isr and role.proposal is None and role.may_join(progress, before):
            self._propose(role, (*self.isr, broker))
        if offset > before:
            self._move_mark(role, now)
        return role.advance(before, self.log.high_watermark)

    def _consider_all(self, role: PartitionLeader) -> None:
        # A follower that has everything is silent in its session: it reports nothing new when it
        # becomes eligible, so its last report has to do.
        log = self.log
        for broker, progress in role.followers.by_broker.items():
            if role.proposal is not None:
                return
            is_behind = broker in self.isr or progress.end < log.end
            if not is_behind and role.may_join(progress, log.high_watermark):
                self._propose(role, (*self.isr, broker))

    def on_time(self, now: float) -> Advance | None:
        """Time has passed: drop replicas from the ISR that have not kept up."""
        role, before = self.role, self.log.high_watermark
        if not isinstance(role, PartitionLeader):
            return None
        self._move_mark(role, now)
        self._consider_all(role)
        if role.proposal is None:
            lagging = role.followers.lagging(self.isr, self.log.end, now, self.rules.lag_max)
            if lagging:
                self._propose(role, tuple(b for b in self.isr if b not in lagging))
        return role.advance(before, self.log.high_watermark)

    def _propose(self, role: PartitionLeader, isr: tuple[NodeId, ...]) -> None:
        epochs = tuple(role.followers.epoch_of(b) for b in isr)
        role.sent = False
        role.proposal = PendingIsrChange(
            self.leader_epoch, self.partition_epoch, isr, epochs, self.isr
        )

    def take_proposal(self) -> PendingIsrChange | None:
        """An ISR to ask the controller for, once."""
        role = self.role
        if not isinstance(role, PartitionLeader) or not role.has_proposal:
            return None
        role.sent = True
        return role.proposal

    def on_isr_committed(
        self, proposal: PendingIsrChange, isr: tuple[NodeId, ...], partition_epoch: int, now: float
    ) -> Advance | None:
        """The controller has committed a proposal; its answer came before the metadata."""
        role, before = self.role, self.log.high_watermark
        if not isinstance(role, PartitionLeader) or role.proposal is not proposal:
            return None
        if partition_epoch > self.partition_epoch:
            self.partition_epoch = partition_epoch
            self.isr = isr
        role.proposal = None
        self._move_mark(role, now)
        self._consider_all(role)
        return role.advance(before, self.log.high_watermark)

    def on_isr_refused(self, proposal: PendingIsrChange, now: float) -> Advance | None:
        """The controller has not committed a proposal, and never will.

        It is not repeated at once: the controller knows something that is still to get here.
        """
        role, before = self.role, self.log.high_watermark
        if not isinstance(role, PartitionLeader) or role.proposal is not proposal:
            return None
        role.proposal = None
        self._move_mark(role, now)
        return role.advance(before, self.log.high_watermark)

    def _move_mark(self, role: PartitionLeader, now: float) -> None:
        if len(self.isr) < self.required_isr:
            return  # KIP-966: what too few replicas hold is not committed.
        maximal = self.maximal_isr if role.proposal is not None else frozenset(self.isr)
        mark = role.followers.mark(maximal, self.log.end, now, self.rules.lag_max)
        if mark > self.log.high_watermark:
            self.log.high_watermark = mark

    # --- following --------------------------------------------------------------------------------

    def accept(self, batch: RecordBatch, marker: EndTransactionMarker | None = None) -> None:
        """A batch of the leader's goes to the log's end, with the offsets it carries."""
        assert isinstance(self.role, PartitionFollower), "only a follower takes given offsets"
        log = self.log
        assert batch.base_offset >= log.next, f"{batch.base_offset} lies before {log.next}"
        log.epochs.assign(batch.leader_epoch, batch.base_offset)
        log.add(batch, marker)

    def on_leader_mark(self, mark: int) -> Advance | None:
        """The leader's high watermark: mine, as far as my log reaches."""
        log, before = self.log, self.log.high_watermark
        mark = min(mark, log.end)
        if not isinstance(self.role, PartitionFollower) or mark <= before:
            return None
        log.high_watermark = mark
        return Advance(before, mark, False)

    def on_cut(self, left: LoadedLog) -> None:
        """The log was truncated, or began again: this is what is left."""
        log = self.log
        log.on_cut(left)
        if isinstance(self.role, PartitionLeader):
            # What it had given offsets to and could not write: its epoch begins without it.
            self.role.epoch_start = min(self.role.epoch_start, log.end)
            if self.leader_epoch > log.epochs.latest:
                log.epochs.assign(self.leader_epoch, log.end)


def _finishes(machine: Partition, state: r.PartitionRegistration) -> bool:
    """Whether a replica that follows from now on commits what it has given offsets to."""
    alone = machine.leads and machine.maximal_isr == {machine.node} and machine.required_isr == 1
    return alone and state.leader == NO_LEADER
