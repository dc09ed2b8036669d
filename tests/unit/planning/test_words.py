"""Amounts and counts as people read them."""

from __future__ import annotations

import pytest

from spindle.planning.words import amount, counted


@pytest.mark.parametrize(
    ("count", "words", "told"),
    [
        (0, ("replica",), "0 replicas"),
        (1, ("replica",), "1 replica"),
        (2, ("replica",), "2 replicas"),
        (1, ("directory", "directories"), "1 directory"),
        (3, ("directory", "directories"), "3 directories"),
    ],
)
def test_one_is_not_many(count: int, words: tuple[str, ...], told: str) -> None:
    assert counted(count, *words) == told


def test_amounts_have_the_unit_that_suits_them() -> None:
    assert [amount(size) for size in (12, 2.5e6, 3e9, 1.26e12)] == [
        "12 B",
        "2.5 MB",
        "3.0 GB",
        "1.3 TB",
    ]
