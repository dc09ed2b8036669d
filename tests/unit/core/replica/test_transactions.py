"""Which transactions of a partition are open, up to where all is decided, what was aborted."""

from __future__ import annotations

from spindle.core.replica.ongoing_transactions import ABORTED_KEPT, OngoingTransactions


def test_of_several_that_have_ended_the_first_holds_the_stable_offset() -> None:
    known = OngoingTransactions()
    known.begin(1, 0)
    known.begin(2, 5)
    known.end(1, 8, True)
    known.end(2, 9, True)
    assert known.stable(7) == 0
    assert known.stable(8) == 0, "the marker itself is not below the mark"
    assert known.stable(9) == 5
    assert known.stable(10) == 10


def test_a_transaction_begins_with_its_first_batch() -> None:
    known = OngoingTransactions()
    known.begin(1, 3)
    known.begin(1, 6)
    assert known.open == {1: 3}
    assert known.stable(9) == 3


def test_an_aborted_one_reaches_from_its_first_record_to_its_marker() -> None:
    known = OngoingTransactions()
    known.begin(1, 3)
    known.end(1, 6, False)
    (entry,) = known.aborted(0, 10) or ()
    assert (entry.first, entry.last) == (3, 6)
    assert known.aborted(6, 10) == (entry,)
    assert known.aborted(7, 10) == ()
    assert known.aborted(0, 4) == (entry,)
    assert known.aborted(0, 3) == ()


def test_the_log_tells_of_those_that_are_not_remembered() -> None:
    known = OngoingTransactions()
    for n in range(ABORTED_KEPT + 1):
        known.begin(1, 2 * n)
        known.end(1, 2 * n + 1, False)
    assert known.aborted(1, 10) is None
    assert len(known.aborted(2, 1 << 60) or ()) == ABORTED_KEPT
