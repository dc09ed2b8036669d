"""What a leader makes of what the others have."""

from __future__ import annotations

from spindle.core.raft.leading import OBSERVER_SILENT, OBSERVERS_MAX, LeaderProgress
from spindle.model.quorum_voters import Voters, static_voters


def static(*ids: int) -> Voters:
    """Voters that a configuration names."""
    return static_voters((id, "h", 1) for id in ids)


def three() -> LeaderProgress:
    """Node 1 leads 2 and 3; its epoch starts at 10."""
    term = LeaderProgress(1, 5, static(1, 2, 3), now=0.0)
    term.start = 10
    term.on_local_end(20, 0)
    return term


def test_what_a_majority_has_is_committed() -> None:
    term = three()
    assert term.committed() is None
    term.on_fetch(2, 15, 20, 1.0, 1)
    assert term.committed() == 15
    term.on_fetch(3, 18, 20, 1.0, 1)
    assert term.committed() == 18


def test_older_epochs_are_committed_only_with_a_record_of_the_own_epoch() -> None:
    term = three()
    term.on_fetch(2, 10, 20, 1.0, 1)
    assert term.committed() is None
    term.on_fetch(2, 11, 20, 1.0, 1)
    assert term.committed() == 11


def test_our_own_copy_counts_as_one_and_only_when_durable() -> None:
    term = three()
    term.on_local_end(12, 0)
    term.on_fetch(2, 20, 20, 1.0, 1)
    assert term.committed() == 12


def test_observers_count_for_nothing() -> None:
    term = three()
    term.on_fetch(50, 20, 20, 1.0, 1)
    assert term.committed() is None
    assert term.observers[50].end == 20


def test_a_quorum_of_one_is_always_in_touch_with_itself() -> None:
    alone = LeaderProgress(1, 5, static(1), now=0.0)
    assert alone.heard_by_majority_at() == float("inf")
    term = three()
    assert term.heard_by_majority_at() == 0.0
    term.on_fetch(3, 11, 20, 7.0, 1)
    assert term.heard_by_majority_at() == 7.0
    assert term.silent_since(6.0) == [2]


def test_successors_are_those_with_the_longest_logs_first() -> None:
    term = three()
    term.on_fetch(3, 18, 20, 1.0, 1)
    term.on_fetch(2, 11, 20, 1.0, 1)
    assert term.successors() == (3, 2)


def test_a_replica_that_has_what_was_there_a_fetch_ago_has_caught_up() -> None:
    term = three()
    term.on_fetch(2, 15, 20, 1.0, 1000)
    assert term.voters[2].last_caught_up_ms == -1
    term.on_fetch(2, 20, 25, 2.0, 2000)
    assert term.voters[2].last_caught_up_ms == 1000
    term.on_fetch(2, 25, 25, 3.0, 3000)
    assert term.voters[2].last_caught_up_ms == 3000


def test_observers_are_limited_and_the_silent_ones_forgotten() -> None:
    term = three()
    for id in range(100, 100 + OBSERVERS_MAX):
        term.on_fetch(id, 1, 20, 1.0, 1)
    term.on_fetch(99, 1, 20, 2.0, 1)
    assert 99 not in term.observers
    term.on_fetch(99, 1, 20, 2.0 + OBSERVER_SILENT, 1)
    assert list(term.observers) == [99]


def test_half_of_an_even_number_is_no_majority() -> None:
    term = LeaderProgress(1, 5, static(1, 2, 3, 4), now=0.0)
    term.start = 10
    term.on_local_end(20, 0)
    term.on_fetch(2, 20, 20, 1.0, 1)
    assert term.committed() is None
    term.on_fetch(3, 15, 20, 1.0, 1)
    assert term.committed() == 15
