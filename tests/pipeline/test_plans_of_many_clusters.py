"""What every plan keeps, on ten made-up clusters beyond those of the unit tests."""

from __future__ import annotations

from itertools import product
from typing import Final

import pytest
from tests.support.amounts import beyond
from tests.unit.planning import many

SEEDS: Final = (*range(100, 110), *beyond(range(110, 130)))
"""Pinned: a failure names its seed, and `python -m tests.unit.planning.many` repeats it."""


@pytest.mark.spec("P-04")
@pytest.mark.parametrize("seed", SEEDS)
def test_every_plan_keeps_the_rules(seed: int) -> None:
    for between, rates in product((True, False), repeat=2):
        many.check(seed, between, rates)
