"""The machine of one replica: its table of states, the high watermark, the ISR."""

from __future__ import annotations

import uuid
from dataclasses import replace

import pytest

from spindle.core.replica.isr import PendingIsrChange
from spindle.core.replica.partition import (
    Advance,
    Offline,
    Partition,
    PartitionFollower,
    PartitionLeader,
    ReplicaRules,
    RoleChange,
)
from spindle.model import metadata_records as r
from spindle.model.batches import (
    CONTROL,
    NO_PRODUCER,
    TRANSACTIONAL,
    EndTransactionMarker,
    RecordBatch,
)
from spindle.model.errors import Error, Refusal
from spindle.model.log_values import LoadedLog, LogKey
from spindle.model.offsets import EpochStart, OffsetAndEpoch

TOPIC = uuid.UUID(int=1000)

ALIVE: dict[int, int | None] = {1: 11, 2: 12, 3: 13}
STATE = r.PartitionRegistration(
    partition_id=0,
    topic_id=TOPIC,
    replicas=(1, 2, 3),
    isr=(1, 2, 3),
    leader=1,
    leader_epoch=4,
    partition_epoch=10,
)


def loaded(end: int = 0, stable: int = 0, epochs: tuple[EpochStart, ...] = ()) -> LoadedLog:
    return LoadedLog(LogKey("t", 0), TOPIC, 0, end, stable, 0, epochs)


def machine(end: int = 0, min_isr: int = 1) -> Partition:
    epochs = (EpochStart(3, 0),) if end else ()
    return Partition.load(1, ReplicaRules(min_isr, 10.0), loaded(end, 0, epochs))


def leading(end: int = 0, min_isr: int = 1, **changes: object) -> Partition:
    partition = machine(end, min_isr)
    state = replace(STATE, **changes)  # type: ignore[arg-type]
    assert partition.on_assignment(state, ALIVE, 0.0)[0] is RoleChange.LEADS
    return partition


def append(partition: Partition, count: int = 1, now: float = 0.0) -> None:
    partition.assign(RecordBatch(0, count - 1, -1, 0, 1, 1, NO_PRODUCER, -1, -1, count, b""))
    partition.on_appended(partition.log.next, now)


def repeat(partition: Partition, proposal: PendingIsrChange) -> None:
    assert isinstance(partition.role, PartitionLeader)
    partition.role.repeat(proposal)


def fetch(partition: Partition, broker: int, offset: int, now: float = 0.0) -> None:
    partition.on_follower_fetch(broker, offset, 0, ALIVE[broker] or 0, now)


@pytest.mark.parametrize("role", [PartitionFollower, PartitionLeader, Offline])
@pytest.mark.parametrize(
    ("leader", "expected"),
    [(1, PartitionLeader), (2, PartitionFollower), (-1, PartitionFollower), (None, Offline)],
)
def test_the_table_of_states(role: type, leader: int | None, expected: type) -> None:
    partition = machine()
    if role is PartitionLeader:
        partition.on_assignment(STATE, ALIVE, 0.0)
    elif role is Offline:
        partition.on_failed()
        expected = Offline
    if leader is None:
        partition.on_failed()
    else:
        state = replace(STATE, leader=leader, leader_epoch=5, partition_epoch=11)
        partition.on_assignment(state, ALIVE, 0.0)
    assert type(partition.role) is expected


def test_the_high_watermark_is_what_the_whole_isr_has() -> None:
    partition = leading()
    append(partition, 3)
    fetch(partition, 2, 3)
    assert partition.log.high_watermark == 0
    fetch(partition, 3, 2)
    assert partition.log.high_watermark == 2
    fetch(partition, 3, 3)
    assert partition.log.high_watermark == 3


def test_what_is_under_way_does_not_count() -> None:
    partition = leading(replicas=(1,), isr=(1,))
    partition.assign(RecordBatch(0, 0, -1, 0, 1, 1, NO_PRODUCER, -1, -1, 1, b""))
    assert (partition.log.next, partition.log.end, partition.log.high_watermark) == (1, 0, 0)
    partition.on_appended(1, 0.0)
    assert partition.log.high_watermark == 1


def test_below_min_isr_the_mark_stands_still() -> None:
    partition = leading(min_isr=2, isr=(1,))
    append(partition)
    assert partition.log.high_watermark == 0
    state = replace(STATE, isr=(1, 2), partition_epoch=11)
    partition.on_assignment(state, ALIVE, 0.0)
    assert partition.log.high_watermark == 0
    fetch(partition, 2, 1)
    assert partition.log.high_watermark == 1
    partition.on_rules(ReplicaRules(min_isr=3), 0.0)
    append(partition)
    fetch(partition, 2, 2)
    assert partition.log.high_watermark == 1
    partition.on_rules(ReplicaRules(min_isr=1), 0.0)
    assert partition.log.high_watermark == 2


def test_min_isr_above_the_replicas_means_all_of_them() -> None:
    assert leading(min_isr=5, replicas=(1, 2), isr=(1, 2)).required_isr == 2


def test_a_replica_that_joins_has_reached_the_mark_and_the_epochs_start() -> None:
    partition = leading(end=5, isr=(1,))
    assert partition.log.high_watermark == 5
    fetch(partition, 2, 4)
    assert partition.take_proposal() is None
    append(partition)
    fetch(partition, 2, 5)
    assert partition.take_proposal() is None, "the mark is at 6"
    fetch(partition, 2, 6)
    proposal = partition.take_proposal()
    assert proposal is not None
    assert (proposal.isr, proposal.broker_epochs) == ((1, 2), (11, 12))
    assert partition.take_proposal() is None, "one at a time"
    append(partition)
    assert partition.log.high_watermark == 6, "a proposed member is waited for"
    partition.on_isr_committed(proposal, (1, 2), 11, 0.0)
    assert partition.isr == (1, 2)
    fetch(partition, 2, 7)
    assert partition.log.high_watermark == 7


def test_a_replica_that_lacks_what_the_leader_began_with_does_not_join() -> None:
    """It may have the high watermark and still miss what an earlier leader has acknowledged."""
    partition = leading(end=5, isr=(1, 2))
    assert partition.log.high_watermark == 0
    fetch(partition, 3, 4)
    assert partition.take_proposal() is None
    fetch(partition, 3, 5)
    assert partition.take_proposal() is not None


def test_each_epoch_begins_at_the_end_that_its_leader_has_then() -> None:
    partition = leading(isr=(1, 2))
    append(partition, 3)
    state = replace(STATE, isr=(1, 2), leader_epoch=5, partition_epoch=11)
    assert partition.on_assignment(state, ALIVE, 0.0)[0] is RoleChange.LEADS
    fetch(partition, 3, 2)
    assert partition.take_proposal() is None
    fetch(partition, 3, 3)
    assert partition.take_proposal() is not None


def test_the_answer_to_an_earlier_proposal_does_not_release_the_present_one() -> None:
    partition = leading(isr=(1,))
    fetch(partition, 2, 0)
    first = partition.take_proposal()
    assert first is not None
    partition.on_assignment(replace(STATE, isr=(1, 3), partition_epoch=11), ALIVE, 0.0)
    second = partition.take_proposal()
    assert second is not None
    partition.on_isr_committed(first, (1, 2), 11, 0.0)
    assert isinstance(partition.role, PartitionLeader)
    assert partition.role.proposal is second
    partition.on_isr_committed(second, (1, 3, 2), 12, 0.0)
    assert partition.isr == (1, 3, 2)


@pytest.mark.spec("B-01")
def test_b01_no_write_waits_for_a_replica_that_cannot_join() -> None:
    partition = leading(isr=(1, 3))
    fetch(partition, 2, 0)
    proposal = partition.take_proposal()
    assert proposal is not None
    append(partition)
    fetch(partition, 3, 1)
    assert partition.log.high_watermark == 0
    partition.on_isr_refused(proposal, 0.0)
    assert partition.log.high_watermark == 0, "it was caught up until the append, and may join"
    partition.on_eligible({**ALIVE, 2: None}, 0.0)
    assert partition.log.high_watermark == 1


def test_a_joiner_that_stays_behind_is_waited_for_no_longer_than_the_lag() -> None:
    partition = leading(isr=(1, 3))
    fetch(partition, 2, 0)
    partition.on_isr_refused(partition.take_proposal(), 0.0)  # type: ignore[arg-type]
    append(partition)
    fetch(partition, 3, 1)
    partition.on_time(9.0)
    assert partition.log.high_watermark == 0
    partition.on_time(11.0)
    assert partition.log.high_watermark == 1


def test_an_old_registration_does_not_join() -> None:
    partition = leading(isr=(1,))
    partition.on_follower_fetch(2, 0, 0, 7, 0.0)
    assert partition.take_proposal() is None
    partition.on_follower_fetch(2, 0, 0, 12, 0.0)
    assert partition.take_proposal() is not None


def test_a_replica_that_becomes_eligible_joins_without_another_fetch() -> None:
    """A follower that has everything names the partition no more in its fetch session."""
    partition = leading(isr=(1,))
    partition.on_eligible({**ALIVE, 2: None}, 0.0)
    fetch(partition, 2, 0)
    assert partition.take_proposal() is None
    partition.on_eligible(ALIVE, 1.0)
    proposal = partition.take_proposal()
    assert proposal is not None
    assert proposal.isr == (1, 2)
    partition.on_isr_refused(proposal, 1.0)
    assert partition.take_proposal() is None, "not at once"
    partition.on_time(2.0)
    assert partition.take_proposal() is not None


def test_a_replica_that_lags_leaves() -> None:
    partition = leading()
    append(partition)
    fetch(partition, 2, 1, 5.0)
    partition.on_time(9.0)
    assert partition.take_proposal() is None
    partition.on_time(10.5)
    proposal = partition.take_proposal()
    assert proposal is not None
    assert proposal.isr == (1, 2)
    assert partition.log.high_watermark == 0, "until it is committed, the old ISR binds"
    partition.on_isr_committed(proposal, (1, 2), 11, 11.0)
    assert partition.log.high_watermark == 1


def test_an_idle_partition_keeps_its_isr() -> None:
    partition = leading()
    for broker in (2, 3):
        fetch(partition, broker, 0, 1.0)
    partition.on_time(1000.0)
    assert partition.take_proposal() is None
    append(partition, now=1000.0)
    partition.on_time(1001.0)
    assert partition.take_proposal() is None, "they had all there was a second ago"
    partition.on_time(1011.0)
    assert partition.take_proposal() is not None


def test_a_proposal_is_void_once_the_metadata_has_moved() -> None:
    partition = leading(isr=(1,))
    fetch(partition, 2, 0)
    proposal = partition.take_proposal()
    assert proposal is not None
    partition.on_assignment(replace(STATE, isr=(1, 3), partition_epoch=11), ALIVE, 0.0)
    partition.on_isr_committed(proposal, (1, 2), 11, 0.0)
    assert partition.isr == (1, 3)
    repeat(partition, proposal)
    again = partition.take_proposal()
    assert again is not None
    assert (again.isr, again.partition_epoch) == ((1, 3, 2), 11)
    assert again.broker_epochs == (11, 13, 12)


def test_a_repeated_proposal_is_the_same() -> None:
    partition = leading(isr=(1,))
    fetch(partition, 2, 0)
    proposal = partition.take_proposal()
    assert proposal is not None
    repeat(partition, proposal)
    assert partition.take_proposal() is proposal


def test_an_older_state_changes_nothing() -> None:
    partition = leading()
    old = replace(STATE, leader=2, leader_epoch=3, partition_epoch=9)
    assert partition.on_assignment(old, ALIVE, 0.0)[0] is RoleChange.NOTHING
    assert partition.leads


def test_a_new_leader_tells_where_logs_part_before_it_has_written() -> None:
    partition = leading(end=5)
    assert partition.log.divergence(5, 3) is None
    assert partition.log.divergence(7, 3) == OffsetAndEpoch(5, 3)
    assert partition.log.divergence(5, 4) is None
    with pytest.raises(Refusal) as caught:
        partition.log.divergence(5, 9)
    assert caught.value.error == Error.OFFSET_OUT_OF_RANGE


@pytest.mark.parametrize(
    ("epoch", "expected"),
    [
        (-1, Error.NONE),
        (4, Error.NONE),
        (3, Error.FENCED_LEADER_EPOCH),
        (5, Error.UNKNOWN_LEADER_EPOCH),
    ],
)
def test_epochs_of_requests(epoch: int, expected: Error) -> None:
    assert leading().check_epoch(epoch) == expected


def test_a_followers_mark_is_its_leaders_as_far_as_it_has_the_records() -> None:
    partition = machine(end=5)
    partition.on_assignment(replace(STATE, leader=2), ALIVE, 0.0)
    partition.on_leader_mark(3)
    assert partition.log.high_watermark == 3
    partition.on_leader_mark(9)
    assert partition.log.high_watermark == 5
    partition.on_leader_mark(2)
    assert partition.log.high_watermark == 5
    partition.on_cut(loaded(4, 0, (EpochStart(3, 0),)))
    assert (partition.log.end, partition.log.next, partition.log.high_watermark) == (4, 4, 4)


def test_a_cut_takes_the_epochs_of_what_is_gone() -> None:
    partition = machine(end=5)
    partition.on_assignment(replace(STATE, leader=2), ALIVE, 0.0)
    partition.accept(RecordBatch(5, 0, 4, 0, 1, 1, NO_PRODUCER, -1, -1, 1, b""))
    partition.on_appended(6, 0.0)
    assert partition.log.epochs.latest == 4
    partition.on_cut(loaded(5, 0, (EpochStart(3, 0),)))
    assert partition.log.epochs.latest == 3


def test_a_leaders_cut_takes_its_epochs_beginning_back_with_it() -> None:
    partition = machine(end=5)
    partition.on_assignment(replace(STATE, leader=2), ALIVE, 0.0)
    partition.accept(RecordBatch(5, 0, 4, 0, 1, 1, NO_PRODUCER, -1, -1, 1, b""))
    partition.on_assignment(replace(STATE, leader_epoch=STATE.leader_epoch + 1), ALIVE, 0.0)
    assert isinstance(partition.role, PartitionLeader)
    assert partition.role.epoch_start == 6
    partition.on_cut(loaded(5, 0, (EpochStart(3, 0),)))
    assert partition.role.epoch_start == 5
    assert partition.log.epochs.end_of(3, 5).offset == 5
    assert partition.log.epochs.latest == partition.leader_epoch


def test_the_low_watermark_waits_for_the_living_only() -> None:
    partition = leading()
    partition.on_follower_fetch(2, 0, 0, 12, 0.0)
    partition.log.start = 7
    assert partition.low_watermark == -1, "broker 3 has not reported anything"
    partition.on_eligible({**ALIVE, 3: None}, 0.0)
    assert partition.low_watermark == 0
    partition.on_follower_fetch(2, 0, 7, 12, 0.0)
    assert partition.low_watermark == 7


def test_a_reassignment_completed_by_an_isr_change_is_taken_from_the_metadata() -> None:
    partition = leading(replicas=(1, 2, 3), isr=(1, 2))
    append(partition)
    fetch(partition, 3, 1)
    proposal = partition.take_proposal()
    assert proposal is not None
    partition.on_isr_committed(proposal, (1, 3), 11, 0.0)
    state = replace(STATE, replicas=(1, 3), isr=(1, 3), partition_epoch=11)
    partition.on_assignment(state, ALIVE, 0.0)
    assert partition.replicas == (1, 3)
    with pytest.raises(KeyError):
        fetch(partition, 2, 1)


def test_the_next_transaction_does_not_begin_before_the_marker_of_the_one_before() -> None:
    """KIP-890: the producer writes in its next epoch as soon as the outcome is decided."""
    partition = leading()

    def write(epoch: int, sequence: int, marker: EndTransactionMarker | None = None) -> None:
        flags = TRANSACTIONAL | (CONTROL if marker else 0)
        batch = RecordBatch(0, 0, -1, flags, 1, 1, 7, epoch, sequence, 1, b"")
        partition.assign(batch, marker)

    assert not partition.log.has_begun(7, 3)
    write(3, 0)
    assert partition.log.has_begun(7, 3)
    assert not partition.log.has_begun(7, 4)
    write(4, -1, EndTransactionMarker(True, 0))
    assert not partition.log.has_begun(7, 4)
    write(4, 0)
    assert partition.log.has_begun(7, 4)


def test_a_proposed_replica_binds_the_mark_however_far_behind() -> None:
    partition = leading(isr=(1, 2))
    fetch(partition, 3, 0)
    assert isinstance(partition.role, PartitionLeader)
    assert partition.role.has_proposal
    append(partition)
    fetch(partition, 2, 1, now=100.0)
    assert partition.log.high_watermark == 0
    fetch(partition, 3, 1, now=100.0)
    assert partition.log.high_watermark == 1


def test_metadata_that_tells_nothing_new_leaves_the_proposal() -> None:
    partition = leading(isr=(1, 2))
    fetch(partition, 3, 0)
    proposal = partition.take_proposal()
    assert proposal is not None
    assert partition.on_assignment(replace(STATE, isr=(1, 2)), ALIVE, 1.0)[0] is RoleChange.ISR
    assert partition.maximal_isr == {1, 2, 3}
    partition.on_isr_committed(proposal, (1, 2, 3), 11, 1.0)
    assert partition.isr == (1, 2, 3)


def test_what_is_cut_takes_its_transactions_along() -> None:
    partition = leading()
    partition.assign(RecordBatch(0, 0, -1, TRANSACTIONAL, 1, 1, 7, 0, 0, 1, b""))
    partition.on_appended(1, 0.0)
    assert partition.log.transactions.open == {7: 0}
    partition.on_cut(loaded(0))
    assert partition.log.transactions.open == {}


def test_a_batch_that_was_cut_is_no_duplicate_when_it_comes_again() -> None:
    """Its leader would answer with an offset that other records have by now."""
    partition = leading()
    batch = RecordBatch(0, 0, -1, 0, 1, 1, 7, 0, 0, 1, b"")
    partition.assign(batch)
    partition.on_appended(1, 0.0)
    assert partition.log.producers.check(batch) is not None
    partition.on_cut(loaded(0))
    assert partition.log.producers.check(batch) is None


def test_an_input_tells_what_it_has_moved() -> None:
    partition = leading(isr=(1, 2))
    partition.assign(RecordBatch(0, 2, -1, 0, 1, 1, NO_PRODUCER, -1, -1, 3, b""))
    assert partition.on_appended(3, 0.0) is None, "its followers have nothing yet"
    assert partition.on_follower_fetch(2, 2, 0, 12, 0.0) == Advance(0, 2, False)
    assert partition.on_follower_fetch(2, 2, 0, 12, 0.0) is None
    assert partition.on_follower_fetch(3, 3, 0, 13, 0.0) == Advance(2, 2, True), "it may join"
    proposal = partition.take_proposal()
    assert proposal is not None
    assert partition.on_follower_fetch(2, 3, 0, 12, 0.0) == Advance(2, 3, False), "it is sent"
    assert partition.on_isr_refused(proposal, 0.0) is None
    assert partition.on_time(1.0) == Advance(3, 3, True), "it is proposed again"
    assert partition.on_rules(ReplicaRules(min_isr=2), 1.0) == Advance(3, 3, True)


def test_a_follower_tells_how_far_its_leaders_mark_has_moved_it() -> None:
    partition = machine(end=5)
    partition.on_assignment(replace(STATE, leader=2), ALIVE, 0.0)
    assert partition.on_leader_mark(3) == Advance(0, 3, False)
    assert partition.on_leader_mark(2) is None
    assert partition.on_leader_mark(9) == Advance(3, 5, False)
