"""The batches in memory at the end of a log: what is found, and that the limits hold."""

from __future__ import annotations

import pytest

from spindle.core.replica import tail as tails
from spindle.core.replica.tail import Tail, TailBudget


def filled(count: int, size: int = 10, limit: int = 1000, budget: int = 10_000) -> Tail:
    tail = Tail(TailBudget(budget), limit)
    for n in range(count):
        tail.add(n * 2, n * 2 + 2, size, [bytes([n]) * size])
    return tail


def starts(found: tuple[list[bytes], int] | None) -> list[int] | None:
    return None if found is None else [b[0] for b in found[0]]


@pytest.mark.parametrize(
    ("offset", "limit", "max_bytes", "at_least_one", "expected"),
    [
        (0, 10, 100, True, [0, 1, 2, 3, 4]),
        (3, 10, 100, True, [1, 2, 3, 4]),
        (4, 7, 100, True, [2]),
        (4, 10, 25, True, [2, 3]),
        (4, 10, 5, True, [2]),
        (4, 10, 5, False, []),
        (10, 10, 100, True, []),
        (12, 12, 100, True, []),
    ],
)
def test_reading(
    offset: int, limit: int, max_bytes: int, at_least_one: bool, expected: list[int]
) -> None:
    found = filled(5).read(offset, limit, max_bytes, at_least_one)
    assert starts(found) == expected  # type: ignore[arg-type]
    assert found is not None
    assert found[1] == 10 * len(expected)


def test_what_was_dropped_must_be_read_from_disk() -> None:
    tail = filled(20, limit=50)
    assert tail.used == 50
    assert tail.read(0, 40, 1000, True) is None
    assert tail.read(29, 40, 1000, True) is None
    assert starts(tail.read(30, 40, 1000, True)) == [15, 16, 17, 18, 19]  # type: ignore[arg-type]


def test_an_empty_tail_knows_nothing() -> None:
    assert filled(0).read(0, 10, 100, True) is None


def test_a_gap_or_a_huge_batch_empties_it() -> None:
    tail = filled(3)
    tail.add(50, 51, 10, [b"x" * 10])
    assert tail.read(4, 60, 100, True) is None
    assert tail.used == 10
    tail.add(51, 52, 2000, [b"y" * 2000])
    assert tail.used == 0
    assert tail.read(50, 60, 100, True) is None


def test_all_tails_together_stay_in_their_budget() -> None:
    budget = TailBudget(100)
    tails = [Tail(budget, 80) for _ in range(5)]
    for n in range(200):
        tails[n % 5].add(n // 5, n // 5 + 1, 7, [b"z" * 7])
        assert budget.used == sum(t.used for t in tails) <= 100
    tails[2].clear()
    assert budget.used == sum(t.used for t in tails)
    assert tails[2].used == 0
    assert starts(tails[3].read(39, 40, 100, True)) == [ord("z")]  # type: ignore[arg-type]


def test_bytes_between_marks() -> None:
    tail = filled(5)
    assert tail.bytes_between(2, 8) == 30
    assert tail.bytes_between(0, 100) == 50
    assert tail.bytes_between(10, 10) == 0


def test_what_was_compacted_must_be_read_from_disk() -> None:
    tail = filled(5)
    tail.drop_below(5)
    assert tail.read(3, 10, 100, True) is None
    assert starts(tail.read(4, 10, 100, True)) == [2, 3, 4]  # type: ignore[arg-type]
    assert tail.used == 30
    tail.drop_below(100)
    assert tail.used == 0


@pytest.mark.spec("S-08")
def test_small_batches_are_bounded_in_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """To let go of two hundred thousand at once took a broker a fifth of a second."""
    monkeypatch.setattr(tails, "BROKER_BATCHES", 5)
    budget = TailBudget()
    first, second = Tail(budget), Tail(budget)
    for n in range(4):
        first.add(n, n + 1, 1, [b"a"])
        second.add(n, n + 1, 1, [b"b"])
    assert budget.used == 5
    assert first.read(1, 4, 100, True) is None
    assert first.read(2, 4, 100, True) == ([b"a", b"a"], 2)
    assert second.read(1, 4, 100, True) == ([b"b", b"b", b"b"], 3)
