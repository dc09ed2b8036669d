"""One replica of a partition on this broker: its role, its epochs, its offsets, its ISR.

    state     | metadata names me leader | metadata names another, or none | the log or disk failed
    ----------+--------------------------+---------------------------------+-----------------------
    Following | Leading                  | Following                       | Offline
    Leading   | Leading                  | Following                       | Offline
    Offline   | Offline                  | Offline                         | Offline

Offline is left only by a new `Partition`, made once its log serves again. Offsets of the log:
`start` <= `high_watermark` <= `end` (written) <= `next` (assigned to batches under way).

Pure: asks for nothing itself. The node's replicas feed it, write what it has given offsets to,
send the proposals it makes and compare `high_watermark` before and after.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final, TypeAlias

from spindle.core.replica.isr import FollowerProgress, Followers, PendingIsrChange
from spindle.core.replica.ongoing_transactions import OngoingTransactions
from spindle.core.replica.producer_state_manager import ProducerStateManager
from spindle.model import metadata_records as r
from spindle.model.batches import NO_PRODUCER, TRANSACTIONAL, EndTransactionMarker, RecordBatch
from spindle.model.errors import Error, Refusal
from spindle.model.ids import NO_LEADER, NodeId
from spindle.model.log_values import LoadedLog
from spindle.model.offsets import EpochHistory, OffsetAndEpoch

NO_EPOCH: Final = -1


@dataclass(slots=True)
class PartitionLeader:
    """I give offsets, count who has followed, and move the high watermark."""

    epoch_start: int
    """The log's end when this epoch began: nobody joins the ISR below it."""
    followers: Followers
    proposal: PendingIsrChange | None = None
    """The ISR that I want the controller to commit; both bind me until it answers."""
    sent: bool = False


@dataclass(slots=True)
class PartitionFollower:
    """I copy the leader's log (or wait for one: NO_LEADER)."""

    leader: NodeId = NO_LEADER


@dataclass(slots=True)
class Offline:
    """My log cannot serve; `error` is what clients are told."""

    error: Error = Error.KAFKA_STORAGE_ERROR


Role: TypeAlias = PartitionLeader | PartitionFollower | Offline


class RoleChange(Enum):
    """What a new state of the metadata made of a replica."""

    NOTHING = auto()
    ISR = auto()
    LEADS = auto()
    """It leads now, or leads in a new epoch."""
    FOLLOWS = auto()
    """It follows somebody else, or in a new epoch."""


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
    start: int
    end: int
    next: int
    high_watermark: int
    epochs: EpochHistory
    producers: ProducerStateManager
    transactions: OngoingTransactions
    role: Role = field(default_factory=PartitionFollower)
    leader_epoch: int = NO_EPOCH
    partition_epoch: int = NO_EPOCH
    replicas: tuple[NodeId, ...] = ()
    isr: tuple[NodeId, ...] = ()
    _eligible: Mapping[NodeId, int | None] = field(default_factory=dict)
    _proposals: int = 0

    @classmethod
    def load(cls, node: NodeId, rules: ReplicaRules, log: LoadedLog) -> Partition:
        """A replica whose log was found, or made, as told."""
        return cls(
            node,
            rules,
            log.start,
            log.end,
            log.end,
            min(max(log.stable, log.start), log.end),
            EpochHistory(log.epochs),
            ProducerStateManager(log.producers),
            OngoingTransactions(log.producers, log.end),
        )

    # --- asking -----------------------------------------------------------------------------

    @property
    def leads(self) -> bool:
        """Whether it gives offsets."""
        return type(self.role) is PartitionLeader

    def has_begun(self, producer_id: int, epoch: int) -> bool:
        """Whether the transaction that a producer writes in this epoch is open here already.

        One of an earlier epoch still waits for its marker: a record of the next transaction that
        was let in before it would be taken for one of its own (KIP-890).
        """
        return producer_id in self.transactions.open and (
            self.producers.epoch_of(producer_id) >= epoch
        )

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
    def stable(self) -> int:
        """The last stable offset: below it no transaction is undecided, and all is committed."""
        return self.transactions.stable(self.high_watermark)

    @property
    def has_proposal(self) -> bool:
        """Whether there is a proposal to be sent."""
        role = self.role
        return isinstance(role, PartitionLeader) and role.proposal is not None and not role.sent

    @property
    def low_watermark(self) -> int:
        """The lowest log start of all replicas that can be waited for (leader only)."""
        assert isinstance(self.role, PartitionLeader), (
            "only a leader knows the other replicas' starts"
        )
        return self.role.followers.low_mark(self.start, self._eligible)

    @property
    def last_epoch(self) -> int:
        """The leader epoch of the last record, or -1."""
        return self.epochs.epoch_at(self.next - 1) if self.next > self.start else NO_EPOCH

    def check_epoch(self, epoch: int) -> Error:
        """Whether a request that names this leader epoch (-1: none) may be served."""
        if epoch == NO_EPOCH or epoch == self.leader_epoch:
            return Error.NONE
        if epoch < self.leader_epoch:
            return Error.FENCED_LEADER_EPOCH
        return Error.UNKNOWN_LEADER_EPOCH

    def divergence(self, offset: int, last_epoch: int) -> OffsetAndEpoch | None:
        """Where a log that ends at `offset` with a record of `last_epoch` parts from mine.

        None: nowhere. Refusal OFFSET_OUT_OF_RANGE where I know nothing of that epoch (KIP-595's
        rule for fetches, KIP-320).
        """
        mine = self.epochs.end_of(last_epoch, self.end)
        if mine.epoch == NO_EPOCH:
            raise Refusal(
                Error.OFFSET_OUT_OF_RANGE,
                f"leader epoch {last_epoch} is unknown here; the latest is {self.epochs.latest}",
            )
        if mine.epoch < last_epoch or mine.offset < offset:
            return mine
        return None

    # --- metadata -----------------------------------------------------------------------------

    def on_assignment(
        self, state: r.PartitionRegistration, eligible: Mapping[NodeId, int | None], now: float
    ) -> RoleChange:
        """The metadata's state of the partition, and who may be in its ISR (broker -> epoch)."""
        if isinstance(self.role, Offline) or state.leader_epoch < self.leader_epoch:
            return RoleChange.NOTHING
        if state.leader == self.node:
            return self._lead(state, eligible, now)
        return self._follow(state)

    def _lead(
        self, state: r.PartitionRegistration, eligible: Mapping[NodeId, int | None], now: float
    ) -> RoleChange:
        role, new_epoch = self.role, state.leader_epoch > self.leader_epoch
        others = tuple(b for b in state.replicas if b != self.node)
        if not isinstance(role, PartitionLeader):
            role = self.role = PartitionLeader(self.next, Followers(others, state.isr, now))
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
            role.epoch_start = self.next
            self.leader_epoch = state.leader_epoch
            if state.leader_epoch > self.epochs.latest:
                # Also without records: followers with other epochs must be told where they part.
                self.epochs.assign(state.leader_epoch, self.next)
        self.on_eligible(eligible, now)
        return RoleChange.LEADS if new_epoch else RoleChange.ISR

    def _follow(self, state: r.PartitionRegistration) -> RoleChange:
        follows = isinstance(self.role, PartitionFollower) and self.role.leader == state.leader
        if follows and state.leader_epoch == self.leader_epoch:
            change = RoleChange.ISR
        else:
            self.role = PartitionFollower(state.leader)
            change = RoleChange.FOLLOWS
        self.leader_epoch = state.leader_epoch
        self.partition_epoch = state.partition_epoch
        self.replicas = state.replicas
        self.isr = state.isr
        return change

    def on_eligible(self, eligible: Mapping[NodeId, int | None], now: float) -> None:
        """Who may join the ISR now (and under which registration), as the metadata has it."""
        self._eligible = eligible
        if isinstance(self.role, PartitionLeader):
            self.role.followers.set_eligible(eligible)
            self._advance(self.role, now)
            self._consider_all(self.role)

    def on_rules(self, now: float) -> None:
        """The settings in `rules` have changed."""
        if isinstance(self.role, PartitionLeader):
            self._advance(self.role, now)

    def on_failed(self, error: Error = Error.KAFKA_STORAGE_ERROR) -> None:
        """The log or its disk cannot serve any more."""
        self.role = Offline(error)

    # --- leading --------------------------------------------------------------------------------

    def assign(self, batch: RecordBatch, marker: EndTransactionMarker | None = None) -> None:
        """Give a batch its offsets and its epoch, and remember its producer.

        `marker`: what a control batch of a producer says.
        """
        assert isinstance(self.role, PartitionLeader), "only a leader gives offsets"
        batch.base_offset = self.next
        batch.leader_epoch = self.leader_epoch
        self.next = batch.next_offset
        if batch.producer_id != NO_PRODUCER:
            self._note_producer(batch, marker)
        if self.epochs.latest != self.leader_epoch:
            self.epochs.assign(self.leader_epoch, batch.base_offset)

    def _note_producer(self, batch: RecordBatch, marker: EndTransactionMarker | None) -> None:
        self.producers.note(batch, marker)
        if marker is not None:
            self.transactions.end(batch.producer_id, batch.last_offset, marker.committed)
        elif batch.attributes & TRANSACTIONAL:
            self.transactions.begin(batch.producer_id, batch.base_offset)
        self.producers.make_room(self.transactions.open)

    def on_appended(self, end: int, now: float) -> None:
        """All that was given to the log up to `end` is written."""
        assert end <= self.next, f"{end} was written, {self.next} was assigned"
        before, self.end = self.end, max(self.end, end)
        if isinstance(self.role, PartitionLeader):
            self.role.followers.on_leader_end(before, now)
            self._advance(self.role, now)

    def on_follower_fetch(
        self, broker: NodeId, offset: int, start: int, broker_epoch: int, now: float
    ) -> None:
        """A follower asks for what comes from `offset` on: it has written all below."""
        role = self.role
        assert isinstance(role, PartitionLeader), "only a leader is followed"
        progress = role.followers.by_broker[broker]
        progress.on_fetch(offset, start, broker_epoch, self.end, now)
        if broker not in self.isr and role.proposal is None:
            self._consider(role, progress)
        if offset > self.high_watermark:
            self._advance(role, now)

    def _consider_all(self, role: PartitionLeader) -> None:
        # A follower that has everything is silent in its session: nothing new is told of it when
        # it becomes eligible, so what it told before must do.
        for broker, progress in role.followers.by_broker.items():
            if broker not in self.isr and role.proposal is None and progress.end >= self.end:
                self._consider(role, progress)

    def _consider(self, role: PartitionLeader, progress: FollowerProgress) -> None:
        if (
            progress.eligible
            and progress.end >= self.high_watermark
            and progress.end >= role.epoch_start
        ):
            self._propose(role, (*self.isr, progress.broker))

    def on_time(self, now: float) -> None:
        """Time has passed: drop from the ISR who has not kept up."""
        role = self.role
        if not isinstance(role, PartitionLeader):
            return
        self._advance(role, now)
        self._consider_all(role)
        if role.proposal is None:
            lagging = role.followers.lagging(self.isr, self.end, now, self.rules.lag_max)
            if lagging:
                self._propose(role, tuple(b for b in self.isr if b not in lagging))

    def _propose(self, role: PartitionLeader, isr: tuple[NodeId, ...]) -> None:
        self._proposals += 1
        epochs = tuple(self._broker_epoch(role, b) for b in isr)
        role.sent = False
        role.proposal = PendingIsrChange(
            self.leader_epoch, self.partition_epoch, isr, epochs, self._proposals
        )

    def _broker_epoch(self, role: PartitionLeader, broker: NodeId) -> int:
        told = -1 if broker == self.node else role.followers.by_broker[broker].broker_epoch
        if told >= 0:
            return told
        known = self._eligible.get(broker)
        return -1 if known is None else known

    def take_proposal(self) -> PendingIsrChange | None:
        """An ISR to ask the controller for, once."""
        role = self.role
        if not isinstance(role, PartitionLeader) or role.proposal is None or role.sent:
            return None
        role.sent = True
        return role.proposal

    def repeat(self, proposal: PendingIsrChange) -> None:
        """The controller could not be asked: a proposal that still stands is to be sent again."""
        if isinstance(self.role, PartitionLeader) and self.role.proposal is proposal:
            self.role.sent = False

    def on_isr_committed(
        self, proposal: PendingIsrChange, isr: tuple[NodeId, ...], partition_epoch: int, now: float
    ) -> None:
        """The controller has committed a proposal; its answer came before the metadata."""
        role = self.role
        if not isinstance(role, PartitionLeader) or role.proposal is not proposal:
            return
        if partition_epoch > self.partition_epoch:
            self.partition_epoch = partition_epoch
            self.isr = isr
        role.proposal = None
        self._advance(role, now)
        self._consider_all(role)

    def on_isr_refused(self, proposal: PendingIsrChange, now: float) -> None:
        """The controller has not committed a proposal, and never will.

        It is not repeated at once: the controller knows something that is still to get here.
        """
        if isinstance(self.role, PartitionLeader) and self.role.proposal is proposal:
            self.role.proposal = None
            self._advance(self.role, now)

    def _advance(self, role: PartitionLeader, now: float) -> None:
        if len(self.isr) < self.required_isr:
            return  # KIP-966: what too few replicas hold is not committed.
        maximal = self.maximal_isr if role.proposal is not None else frozenset(self.isr)
        mark = role.followers.mark(maximal, self.end, now, self.rules.lag_max)
        if mark > self.high_watermark:
            self.high_watermark = mark

    # --- following --------------------------------------------------------------------------------

    def accept(self, batch: RecordBatch, marker: EndTransactionMarker | None = None) -> None:
        """A batch of the leader's goes to the log's end, with the offsets it carries."""
        assert isinstance(self.role, PartitionFollower), "only a follower takes given offsets"
        assert batch.base_offset >= self.next, f"{batch.base_offset} lies before {self.next}"
        self.epochs.assign(batch.leader_epoch, batch.base_offset)
        self.next = batch.next_offset
        if batch.producer_id != NO_PRODUCER:
            self._note_producer(batch, marker)

    def on_leader_mark(self, mark: int) -> None:
        """The leader's high watermark: mine, as far as my log reaches."""
        if isinstance(self.role, PartitionFollower):
            self.high_watermark = max(self.high_watermark, min(mark, self.end))

    # --- the log was changed ---------------------------------------------------------------------

    def on_cut(self, log: LoadedLog) -> None:
        """The log was truncated, or began anew: this is what is left."""
        self.start, self.end, self.next = log.start, log.end, log.end
        self.high_watermark = min(max(self.high_watermark, log.start), log.end)
        self.epochs = EpochHistory(log.epochs)
        self.producers = ProducerStateManager(log.producers)
        self.transactions = OngoingTransactions(log.producers, log.end)
        if isinstance(self.role, PartitionLeader):
            # What it had given offsets to and could not write: its epoch begins without it.
            self.role.epoch_start = min(self.role.epoch_start, log.end)
            if self.leader_epoch > self.epochs.latest:
                self.epochs.assign(self.leader_epoch, log.end)

    def on_start_moved(self, start: int) -> None:
        """The log begins at `start` now."""
        if start > self.start:
            self.start = start
            self.high_watermark = max(self.high_watermark, start)
            self.epochs.truncate_start(start)
