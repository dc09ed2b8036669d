"""Amounts and counts as people read them."""

from __future__ import annotations

import pytest

from spindle.cli import render
from spindle.planning.amounts import amount, counted, listed, told_apart


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
    assert [amount(size) for size in (12, 2355, 2.5 * 2**20, 3 << 30, 1.26 * 2**40)] == [
        "12 B",
        "2.3 KiB",
        "2.5 MiB",
        "3.0 GiB",
        "1.3 TiB",
    ]


def test_an_amount_is_in_a_unit_of_which_there_is_one_at_least() -> None:
    assert [amount(size) for size in (95 << 30, 1023 << 30, 1023.96 * 2**30, 5 << 50)] == [
        "95.0 GiB",
        "1023.0 GiB",
        "1.0 TiB",
        "5.0 PiB",
    ]


@pytest.mark.parametrize("count", [0, 1023, 1536, 1024**2 - 1, 5 << 30, 7 << 50])
def test_tables_and_sentences_have_the_same_units(count: int) -> None:
    assert render.size(count) == amount(count)


def test_amounts_that_are_compared_look_different_if_they_are() -> None:
    tib = 2**40
    assert told_apart(135 << 30, 120 << 30) == ["135.0 GiB", "120.0 GiB"]
    assert told_apart(1.31 * tib, 1.34 * tib, 1.31 * tib) == ["1.31 TiB", "1.34 TiB", "1.31 TiB"]
    assert told_apart(10**15 + 1, 10**15) == ["1000000000000001 B", "1000000000000000 B"]
    assert told_apart(5.0, 5.2) == ["5 B", "5 B"]


def test_a_long_list_is_cut_and_the_rest_counted() -> None:
    assert listed(["a", "b"]) == "a, b"
    assert listed(list("abcdefg")) == "a, b, c, d, e and 2 more"
