"""The metadata log's bookkeeping: what a leader says to a fetch, and where a follower cuts."""

from __future__ import annotations

import pytest
from tests.unit.core.raft.quorum_disk import batch

from spindle.core.raft.raft_log import RaftLog
from spindle.core.raft.raft_values import FetchVerdict
from spindle.model.errors import Error
from spindle.model.offsets import EpochStart, OffsetAndEpoch
from spindle.model.quorum_voters import QuorumAt

GOOD = FetchVerdict()


def log() -> RaftLog:
    """Epoch 1 from 0, epoch 3 from 10, epoch 4 from 20, end 30."""
    return RaftLog(0, 30, [EpochStart(1, 0), EpochStart(3, 10), EpochStart(4, 20)])


def diverging(offset: int, epoch: int) -> FetchVerdict:
    return FetchVerdict(diverging=OffsetAndEpoch(offset, epoch))


@pytest.mark.parametrize(
    ("offset", "epoch", "verdict"),
    [
        (0, 0, GOOD),
        (5, 1, GOOD),
        (10, 1, GOOD),
        (15, 3, GOOD),
        (30, 4, GOOD),
        (11, 1, diverging(10, 1)),
        (15, 2, diverging(10, 1)),
        (25, 3, diverging(20, 3)),
        (31, 4, diverging(30, 4)),
        (31, 9, diverging(30, 4)),
        (-1, 0, FetchVerdict(error=Error.INVALID_REQUEST)),
        (5, -1, FetchVerdict(error=Error.INVALID_REQUEST)),
    ],
)
def test_a_log_continues_ours_or_diverges_somewhere(
    offset: int, epoch: int, verdict: FetchVerdict
) -> None:
    assert log().judge(offset, epoch) == verdict


def test_a_reader_that_begins_at_nothing_is_sent_to_the_snapshot() -> None:
    ours = log()
    ours.high_watermark = 30
    ours.on_snapshot(OffsetAndEpoch(15, 3))
    assert ours.judge(0, 0) == FetchVerdict(snapshot=OffsetAndEpoch(15, 3))
    assert ours.judge(5, 1) == GOOD


def test_a_reader_behind_the_log_start_is_sent_to_the_newest_snapshot() -> None:
    ours = log()
    ours.high_watermark = 30
    ours.on_snapshot(OffsetAndEpoch(12, 3))
    ours.on_snapshot(OffsetAndEpoch(25, 4))
    ours.on_start_moved(OffsetAndEpoch(12, 3))
    newest = FetchVerdict(snapshot=OffsetAndEpoch(25, 4))
    assert ours.judge(11, 3) == newest
    assert ours.judge(12, 1) == newest  # Its last record is not the one before our first.
    assert ours.judge(12, 3) == GOOD
    assert ours.judge(14, 1) == newest


def test_an_empty_log_after_a_snapshot_goes_on_from_its_end() -> None:
    ours = RaftLog(12, 12, (), OffsetAndEpoch(12, 3))
    assert ours.last == (12, 3)
    assert ours.high_watermark == 12
    assert ours.judge(12, 3) == GOOD
    ours.on_appended([batch(12, 5, 2)])
    assert ours.last == (14, 5)
    assert ours.judge(12, 3) == GOOD
    assert ours.judge(14, 5) == GOOD


@pytest.mark.parametrize(
    ("theirs", "cut"),
    [
        (OffsetAndEpoch(25, 4), 25),
        (OffsetAndEpoch(40, 4), 30),
        (OffsetAndEpoch(15, 3), 15),
        (OffsetAndEpoch(25, 3), 20),
        (OffsetAndEpoch(18, 2), 10),
    ],
)
def test_a_follower_cuts_to_what_both_have(theirs: OffsetAndEpoch, cut: int) -> None:
    assert log().cut_for(theirs) == cut


def test_a_reset_forgets_the_past() -> None:
    ours = log()
    ours.on_reset(OffsetAndEpoch(100, 7), QuorumAt())
    assert (ours.start, ours.end, ours.high_watermark) == (100, 100, 100)
    assert ours.epochs.entries == ()
    assert ours.last_epoch == 7


def test_a_batch_that_does_not_continue_the_log_is_a_bug() -> None:
    with pytest.raises(AssertionError, match="does not continue 30"):
        log().on_appended([batch(31, 4)])
