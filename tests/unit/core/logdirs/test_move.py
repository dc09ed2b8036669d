"""The table of a move: every pair of state and input, the way through, and all ways out."""

from __future__ import annotations

import uuid

import pytest

from spindle.core.logdirs.move import (
    ENDED,
    PROMISED,
    TABLE,
    LogDirMove,
    LogDirMoveState,
    MoveEffect,
    MoveInput,
)
from spindle.model.ids import PartitionId, TopicPartition

S, I, W = LogDirMoveState, MoveInput, MoveEffect  # noqa: E741

BEFORE_SWAP = [S.PREPARING, S.WANTED, S.COPYING, S.CAUGHT_UP, S.ASSIGNING, S.SETTLING]
BLOCKED = [S.FREEZING, S.DRAINING]
COMMITTED = [S.DISCARDING, S.PROMOTING]

NEVER = {
    # Answers to what was not asked in that state: a bug if they come.
    I.PREPARED: set(S) - {S.PREPARING} - ENDED,
    I.SLOT: set(S) - {S.WANTED} - ENDED,
    I.COPIED: {S.PREPARING, S.WANTED, S.DISCARDING, S.PROMOTING, S.RESTORING},
    I.CAUGHT: {S.PREPARING, S.WANTED, S.DISCARDING, S.PROMOTING, S.RESTORING},
    I.SENT: {S.PREPARING, S.WANTED, S.COPYING},
    I.SETTLED: set(S) - {S.SETTLING} - ENDED,
    I.DAMAGED: {S.DISCARDING, S.PROMOTING, S.RESTORING},
    I.FROZEN: set(S) - {S.FREEZING} - ENDED,
    I.DISCARDED: set(S) - {S.DISCARDING, S.PROMOTING, S.RESTORING} - ENDED,
    I.RESTORED: set(S) - {S.RESTORING} - ENDED,
    I.PROMOTED: set(S) - {S.PROMOTING} - ENDED,
}


def move(state: LogDirMoveState) -> LogDirMove:
    made = LogDirMove(PartitionId(uuid.UUID(int=500), 0), TopicPartition("t", 0), "/d1", "/d2")
    made.state = state
    return made


@pytest.mark.parametrize("state", S, ids=lambda s: s.name)
@pytest.mark.parametrize("happened", I, ids=lambda i: i.name)
def test_every_pair_is_defined_or_is_a_bug(state: LogDirMoveState, happened: MoveInput) -> None:
    if state in NEVER.get(happened, set()):
        with pytest.raises(AssertionError, match="cannot come"):
            move(state).feed(happened)
    else:
        machine = move(state)
        assert machine.feed(happened) == TABLE[state, happened].effects
        assert machine.state is TABLE[state, happened].next


def walk(*inputs: MoveInput) -> tuple[LogDirMove, list[tuple[MoveEffect, ...]]]:
    machine = move(S.PREPARING)
    return machine, [machine.feed(i) for i in inputs]


def test_the_whole_way_tells_the_controller_first_and_renames_the_source_first() -> None:
    machine, effects = walk(
        I.PREPARED,
        I.SLOT,
        I.COPIED,
        I.CAUGHT,
        I.SENT,
        I.COPIED,
        I.ASSIGNED,
        I.SETTLED,
        I.FROZEN,
        I.COPIED,
        I.CAUGHT,
        I.DISCARDED,
        I.PROMOTED,
    )
    assert machine.state is S.DONE
    flat = [w for some in effects for w in some if w is not W.COPY]
    assert flat == [W.ASSIGN, W.SETTLE, W.FREEZE, W.DISCARD, W.PROMOTE, W.FINISH, W.CORRECT]


@pytest.mark.parametrize("state", [S.CAUGHT_UP, S.ASSIGNING])
def test_nothing_is_swapped_before_the_image_names_the_target(state: LogDirMoveState) -> None:
    machine = move(state)
    for happened in (I.COPIED, I.CAUGHT, I.SENT, I.UNASSIGNED, I.LEADER_CHANGED, I.TRUNCATED):
        assert W.FREEZE not in machine.feed(happened)
        assert machine.state in (S.CAUGHT_UP, S.ASSIGNING)
    assert machine.feed(I.ASSIGNED) == (W.SETTLE,)


def test_appends_are_blocked_only_when_little_is_left() -> None:
    for (state, happened), row in TABLE.items():
        if row.next is S.FREEZING and state is not S.FREEZING:
            assert (state, happened, row.effects) == (S.SETTLING, I.SETTLED, (W.FREEZE,))
    machine = move(S.SETTLING)
    assert machine.feed(I.COPIED) == machine.feed(I.CAUGHT) == (W.SETTLE,)
    assert machine.feed(I.UNASSIGNED) == (W.ASSIGN, W.COPY)
    assert machine.state is S.CAUGHT_UP


@pytest.mark.parametrize("state", BEFORE_SWAP + BLOCKED)
@pytest.mark.parametrize("stop", [I.CANCELLED, I.REDIRECTED, I.STUCK, I.DAMAGED])
def test_given_up_before_the_swap_no_future_log_is_left(
    state: LogDirMoveState, stop: MoveInput
) -> None:
    machine = move(state)
    effects = machine.feed(stop)
    assert machine.state is S.ABANDONED
    asked_for = stop in (I.CANCELLED, I.REDIRECTED)
    assert (W.KEEP_FUTURE in effects) == asked_for
    assert (W.DROP_FUTURE in effects) != asked_for
    assert (W.REPORT in effects) == (stop is I.DAMAGED)
    assert W.CORRECT in effects
    assert (W.THAW in effects) == (state in BLOCKED)


@pytest.mark.parametrize("state", COMMITTED)
@pytest.mark.parametrize("stop", [I.CANCELLED, I.REDIRECTED])
def test_too_late_to_stop_it_goes_through_and_moves_once_more(
    state: LogDirMoveState, stop: MoveInput
) -> None:
    machine = move(state)
    assert machine.feed(stop) == (W.AGAIN,)
    assert machine.state is state


@pytest.mark.parametrize("state", BEFORE_SWAP + BLOCKED)
def test_source_lost_before_the_swap_leaves_the_copy_on_disk(state: LogDirMoveState) -> None:
    machine = move(state)
    assert machine.feed(I.SOURCE_FAILED) == (W.CORRECT,)
    assert machine.state is S.ABANDONED


def test_source_lost_while_it_is_renamed_goes_on_with_the_complete_copy() -> None:
    machine = move(S.DISCARDING)
    assert machine.feed(I.SOURCE_FAILED) == (W.PROMOTE,)
    assert machine.feed(I.DISCARDED) == ()
    assert machine.feed(I.PROMOTED) == (W.FINISH, W.CORRECT)


@pytest.mark.parametrize("state", BEFORE_SWAP + BLOCKED)
def test_target_lost_before_the_swap_the_source_serves_on(state: LogDirMoveState) -> None:
    machine = move(state)
    effects = machine.feed(I.TARGET_FAILED)
    assert machine.state is S.ABANDONED
    assert W.DROP_FUTURE not in effects
    assert (W.THAW in effects) == (state in BLOCKED)
    assert effects[-1] is W.CORRECT


def test_target_lost_between_the_renames_the_source_gets_its_name_back() -> None:
    machine = move(S.DISCARDING)
    assert machine.feed(I.TARGET_FAILED) == ()
    assert machine.feed(I.DISCARDED) == (W.RESTORE,)
    assert machine.feed(I.RESTORED) == (W.THAW, W.CORRECT)
    assert machine.state is S.ABANDONED
    machine = move(S.PROMOTING)
    assert machine.feed(I.TARGET_FAILED) == (W.RESTORE,)
    assert machine.feed(I.STUCK) == (W.STRAND, W.CORRECT)
    assert machine.state is S.ABANDONED


def test_promotion_that_does_not_work_gives_the_source_its_name_back() -> None:
    machine = move(S.PROMOTING)
    assert machine.feed(I.STUCK) == (W.DROP_FUTURE, W.RESTORE)
    assert machine.feed(I.CANCELLED) == (W.AGAIN,)
    assert machine.feed(I.GONE) == (W.DROP_SOURCE,)


@pytest.mark.parametrize("state", [*BEFORE_SWAP, *BLOCKED, S.DISCARDING])
def test_replica_gone_the_copy_goes_too(state: LogDirMoveState) -> None:
    machine = move(state)
    assert machine.feed(I.GONE) == (W.DROP_FUTURE,)
    assert machine.state is S.ABANDONED


def test_replica_gone_while_promoted_the_promoted_log_goes() -> None:
    assert move(S.PROMOTING).feed(I.GONE) == (W.DROP_TARGET,)


@pytest.mark.parametrize("state", BLOCKED)
def test_metadata_changed_back_before_the_swap_appends_go_on(state: LogDirMoveState) -> None:
    machine = move(state)
    assert machine.feed(I.UNASSIGNED)[0] is W.THAW
    assert machine.state is S.CAUGHT_UP


@pytest.mark.parametrize("state", [S.DONE, S.ABANDONED])
def test_what_comes_late_changes_nothing(state: LogDirMoveState) -> None:
    machine = move(state)
    for happened in I:
        assert machine.feed(happened) == ()
        assert machine.state is state


@pytest.mark.spec("K113-13")
@pytest.mark.parametrize("state", list(LogDirMoveState))
def test_a_cut_asks_nothing_of_a_move_as_each_piece_begins_with_a_comparison(
    state: LogDirMoveState,
) -> None:
    for happened in (I.TRUNCATED, I.START_MOVED):
        machine = move(state)
        assert machine.feed(happened) == ()
        assert machine.state is state


def test_appends_blocked_are_always_unblocked_in_the_end() -> None:
    # From any state with appends blocked, every row either stays blocked, or thaws, or finishes,
    # or the replica itself is gone or lost (which ends the blocking too).
    blocked = {*BLOCKED, *COMMITTED, S.RESTORING}
    ends = {I.GONE, I.SOURCE_FAILED}
    for (state, happened), row in TABLE.items():
        if state in blocked and row.next not in blocked and happened not in ends:
            assert {W.THAW, W.FINISH, W.STRAND} & set(row.effects), (state, happened)


def test_promises_begin_when_caught_up_and_end_with_the_move() -> None:
    assert set(S) - PROMISED == {S.PREPARING, S.WANTED, S.COPYING, S.RESTORING, *ENDED}


def test_move_to_its_own_directory_is_a_bug() -> None:
    with pytest.raises(AssertionError, match="already"):
        LogDirMove(PartitionId(uuid.UUID(int=500), 0), TopicPartition("t", 0), "/d1", "/d1")
