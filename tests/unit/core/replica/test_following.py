"""The follower's side: where logs part, and what a conversation asks for."""

from __future__ import annotations

import random
import uuid

import pytest

from spindle.core.replica.fetch_session_handler import (
    FetchSessionHandler,
    Position,
    truncation_point,
)
from spindle.model.ids import PartitionId
from spindle.model.offsets import EpochHistory, EpochStart, OffsetAndEpoch

TOPIC = uuid.UUID(int=1000)


@pytest.mark.parametrize(
    ("mine", "end", "diverging", "expected"),
    [
        ([(0, 0), (2, 10)], 20, (15, 2), 15),
        ([(0, 0), (2, 10)], 20, (8, 1), 10),
        ([(0, 0), (2, 10)], 20, (5, 0), 5),
        ([(0, 0), (2, 10)], 20, (12, 0), 10),
        ([(2, 10)], 20, (8, 1), 8),
        ([(2, 10)], 20, (12, 1), 10),
        ([], 20, (12, 1), 12),
        ([], 20, (30, 1), 20),
    ],
)
def test_where_logs_part(
    mine: list[tuple[int, int]], end: int, diverging: tuple[int, int], expected: int
) -> None:
    history = EpochHistory(EpochStart(*e) for e in mine)
    assert truncation_point(history, end, OffsetAndEpoch(*diverging)) == expected


def test_two_histories_always_meet_at_their_common_prefix() -> None:
    """Cut by cut, a follower gets to where its log and its leader's are the same."""
    for seed in range(300):
        rng = random.Random(seed)
        common = [0] * rng.randint(0, 5) + [1] * rng.randint(0, 5)
        epochs = list(range(2, 9))
        rng.shuffle(epochs)
        theirs = common + [e for e in sorted(epochs[:3]) for _ in range(rng.randint(0, 4))]
        mine = common + [e for e in sorted(epochs[3:6]) for _ in range(rng.randint(0, 4))]
        for _ in range(10):
            if not mine:
                break
            told = history(theirs).end_of(mine[-1], len(theirs))
            if told.epoch < 0:
                # The leader of a newer epoch always knows one that is not older.
                leader = history(theirs)
                leader.assign(9, len(theirs))
                told = leader.end_of(mine[-1], len(theirs))
            if told.epoch == mine[-1] and told.offset >= len(mine):
                break
            point = truncation_point(history(mine), len(mine), told)
            assert point < len(mine)
            del mine[point:]
        assert mine == theirs[: len(mine)]
        assert len(mine) >= len(common)


def history(epochs: list[int]) -> EpochHistory:
    made = EpochHistory()
    for offset, epoch in enumerate(epochs):
        made.assign(epoch, offset)
    return made


def id(n: int) -> PartitionId:
    return PartitionId(TOPIC, n)


def at(offset: int) -> Position:
    return Position(offset, 0, 0, 0)


def test_a_session_sends_only_what_has_changed() -> None:
    talk = FetchSessionHandler()
    talk.want(id(0), at(5))
    talk.want(id(1), at(7))
    ask = talk.ask()
    assert (ask.session_id, ask.session_epoch) == (0, 0)
    assert ask.positions == {id(0): at(5), id(1): at(7)}
    talk.on_answer(99)
    assert talk.is_settled(id(0))
    talk.leave(id(0))
    talk.want(id(0), at(6))
    assert not talk.is_settled(id(0))
    ask = talk.ask()
    assert (ask.session_id, ask.session_epoch) == (99, 1)
    assert (ask.positions, ask.forgotten) == ({id(0): at(6)}, [])
    talk.on_answer(99)
    talk.leave(id(1))
    talk.leave(id(0))
    talk.want(id(0), at(6))
    ask = talk.ask()
    assert (ask.session_epoch, ask.positions, ask.forgotten) == (2, {}, [id(1)])


def test_a_lost_session_sends_everything_again() -> None:
    talk = FetchSessionHandler()
    talk.want(id(0), at(5))
    talk.want(id(1), at(7))
    talk.ask()
    talk.on_answer(99)
    talk.on_lost()
    ask = talk.ask()
    assert (ask.session_id, ask.session_epoch, len(ask.positions)) == (0, 0, 2)
    talk.want(id(1), at(8))
    talk.on_answer(0)
    assert talk.is_settled(id(0)), "an answer without a session is an answer"
    assert not talk.is_settled(id(1)), "it moved on after it was asked for"
    ask = talk.ask()
    assert (ask.session_id, ask.session_epoch) == (0, 0)
    assert ask.positions == {id(0): at(5), id(1): at(8)}


def test_a_partition_that_leaves_before_being_known_is_not_forgotten() -> None:
    talk = FetchSessionHandler()
    talk.want(id(0), at(5))
    talk.ask()
    talk.on_answer(99)
    talk.want(id(1), at(7))
    talk.leave(id(1))
    ask = talk.ask()
    assert (ask.positions, ask.forgotten) == ({}, [])
