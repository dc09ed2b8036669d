"""Fetch sessions (KIP-227): epochs, kinds of names, and which give way when there are too many."""

from __future__ import annotations

import random

import pytest

from spindle.core.replica.fetch_sessions import (
    EPOCH_MAX,
    EVICT_AFTER,
    Cursor,
    FetchSession,
    FetchSessionCache,
    Key,
)
from spindle.model.errors import Error


def cursors(count: int) -> dict[Key, Cursor]:
    return {("t", n): Cursor(("t", n), 0, 1000) for n in range(count)}


class Book:
    def __init__(self, limit: int) -> None:
        self.closed: list[int] = []
        self.sessions = FetchSessionCache(limit, lambda s: self.closed.append(s.id))
        self.rng = random.Random(1)

    def open(self, size: int = 1, follower: bool = False, now: float = 0.0) -> FetchSession | None:
        return self.sessions.open(cursors(size), False, follower, now, self.rng)


@pytest.mark.parametrize(
    ("id", "epoch", "by_id", "expected"),
    [
        (0, 1, False, None),
        (1, 1, False, Error.FETCH_SESSION_ID_NOT_FOUND),
        (0, 2, False, Error.INVALID_FETCH_SESSION_EPOCH),
        (0, 1, True, Error.FETCH_SESSION_TOPIC_ID_ERROR),
    ],
)
def test_an_incremental_request(id: int, epoch: int, by_id: bool, expected: Error | None) -> None:
    book = Book(10)
    session = book.open()
    assert session is not None
    found = book.sessions.take(session.id + id, epoch, by_id, 5.0)
    if expected is None:
        assert found is session
        assert (session.epoch, session.used_at) == (2, 5.0)
    else:
        assert found == expected
        assert session.epoch == 1


def test_epochs_wrap_to_one() -> None:
    session = Book(1).open()
    assert session is not None
    session.epoch = EPOCH_MAX
    session.next_epoch()
    assert session.epoch == 1


def test_no_room_for_an_equal() -> None:
    book = Book(2)
    assert book.open(3)
    assert book.open(3)
    assert book.open(3) is None
    assert book.open(2) is None
    assert book.closed == []


def test_larger_ones_and_followers_take_the_place_of_smaller_ones() -> None:
    book = Book(2)
    small, large = book.open(1), book.open(5)
    assert small is not None
    assert large is not None
    assert book.open(2) is not None
    assert book.closed == [small.id]
    follower = book.open(1, follower=True)
    assert follower is not None
    assert len(book.closed) == 2
    assert book.open(9) is not None
    assert book.closed[-1] == large.id
    assert book.open(1000) is not None
    assert follower.id not in book.closed


def test_unused_sessions_give_way_to_any_client() -> None:
    book = Book(1)
    old = book.open(9, follower=True)
    assert old is not None
    assert book.open(1, now=EVICT_AFTER) is None
    assert book.open(1, now=EVICT_AFTER + 1) is not None
    assert book.closed == [old.id]


def test_no_sessions_at_all() -> None:
    assert Book(0).open() is None


def test_closing() -> None:
    book = Book(1)
    session = book.open()
    assert session is not None
    book.sessions.close(session.id)
    book.sessions.close(session.id)
    assert book.closed == [session.id]
    assert len(book.sessions) == 0
