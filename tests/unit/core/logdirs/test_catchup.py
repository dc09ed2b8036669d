"""The catch-up table, each row as a case, and the comparison of copies."""

from __future__ import annotations

import uuid

import pytest

from spindle.core.logdirs.reconciliation import (
    ReconcileAction,
    ReconcileDecision,
    ReplicaSituation,
    agreed_end,
    decide,
    is_better,
    rank_copy,
)
from spindle.model.ids import LOST, MIGRATING, UNASSIGNED
from spindle.model.log_values import LoadedLog, LogKey
from spindle.model.offsets import EpochStart

A, B = uuid.UUID(int=1001), uuid.UUID(int=1002)
UNKNOWN = uuid.UUID(int=1099)


def case(
    current: uuid.UUID | None,
    future: uuid.UUID | None,
    assigned: uuid.UUID,
    *,
    offline: bool = False,
    new: bool = False,
) -> ReconcileDecision:
    return decide(ReplicaSituation(current, future, assigned, (A, B), offline, new))


@pytest.mark.parametrize("assigned", [UNASSIGNED, MIGRATING, LOST, UNKNOWN, A, B])
@pytest.mark.parametrize("offline", [False, True])
def test_a_log_that_is_there_serves_whatever_the_metadata_says(
    assigned: uuid.UUID, offline: bool
) -> None:
    assert case(A, None, assigned, offline=offline) == ReconcileDecision(ReconcileAction.SERVE)


@pytest.mark.parametrize("assigned", [A, B, UNASSIGNED, LOST])
def test_a_future_log_beside_it_goes_on_wherever_the_metadata_points(assigned: uuid.UUID) -> None:
    assert case(A, B, assigned) == ReconcileDecision(ReconcileAction.SERVE, move=True)
    assert case(A, B, assigned, offline=True) == ReconcileDecision(ReconcileAction.SERVE, move=True)


@pytest.mark.parametrize("offline", [False, True])
def test_unassigned_and_missing_is_placed(offline: bool) -> None:
    assert case(None, None, UNASSIGNED, offline=offline).action is ReconcileAction.PLACE


@pytest.mark.parametrize("new", [False, True])
def test_assigned_online_and_missing_is_created_there(new: bool) -> None:
    assert case(None, None, A, new=new).action is ReconcileAction.CREATE


def test_assigned_online_and_missing_with_a_bad_directory_may_be_hidden_there() -> None:
    assert case(None, None, A, offline=True).action is ReconcileAction.OFFLINE
    assert case(None, None, A, offline=True, new=True).action is ReconcileAction.CREATE


@pytest.mark.parametrize("assigned", [LOST, MIGRATING, UNKNOWN])
def test_lost_or_unknown_is_placed_again_only_if_nothing_is_hidden(assigned: uuid.UUID) -> None:
    assert case(None, None, assigned).action is ReconcileAction.PLACE
    assert case(None, None, assigned, offline=True).action is ReconcileAction.OFFLINE


@pytest.mark.parametrize("assigned", [A, B, UNASSIGNED, LOST, UNKNOWN])
def test_future_log_alone_is_promoted_only_if_nothing_is_hidden(assigned: uuid.UUID) -> None:
    assert case(None, B, assigned).action is ReconcileAction.PROMOTE
    assert case(None, B, assigned, offline=True).action is ReconcileAction.OFFLINE


def log(start: int, end: int, *epochs: tuple[int, int]) -> LoadedLog:
    starts = tuple(EpochStart(*e) for e in epochs)
    return LoadedLog(LogKey("t", 0), uuid.UUID(int=500), start, end, 0, 0, starts)


def test_two_copies_agree_up_to_the_shorter_end_of_their_last_common_epoch() -> None:
    assert agreed_end(log(0, 50, (1, 0)), log(0, 30, (1, 0))) == 30
    assert agreed_end(log(0, 50, (1, 0), (2, 20)), log(0, 30, (1, 0))) == 20
    assert agreed_end(log(0, 50, (1, 0), (3, 20)), log(0, 60, (1, 0), (2, 25))) == 20
    assert agreed_end(log(0, 50, (1, 0)), log(0, 30, (2, 0))) == 0
    assert agreed_end(log(0, 0), log(0, 30, (2, 0))) == 0


@pytest.mark.spec("B-02")
def test_the_better_copy_has_all_of_the_other_and_more() -> None:
    short, long = log(0, 30, (1, 0)), log(0, 50, (1, 0))
    assert is_better(long, short)
    assert not is_better(short, long)
    assert not is_better(long, long)
    # Longer, but of another history: the shorter one was cut after a leader's change.
    assert not is_better(log(0, 50, (1, 0)), log(0, 30, (1, 0), (2, 20)))
    # Longer at the end, but it begins later.
    assert not is_better(log(10, 50, (1, 10)), short)


def test_the_newest_epoch_ranks_before_the_longest() -> None:
    copies = [
        log(0, 90, (1, 0)),
        log(0, 40, (1, 0), (2, 30)),
        log(0, 50, (1, 0), (2, 30)),
        log(0, 0),
    ]
    assert max(copies, key=rank_copy) is copies[2]
    assert min(copies, key=rank_copy) is copies[3]
