"""Copies of situations: as good as another run of the same events, and not tied to the original."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import pytest

from spindle.sim.exhaustive.situation import Choice, ExplorationBounds, Situation
from spindle.sim.exhaustive.situation_copy import copied
from spindle.sim.exhaustive.state_space import replay

WIDE = ExplorationBounds(
    moves=2, cancels=1, failures=1, restarts=1, losses=1, elections=1, produces=1
)


@pytest.mark.parametrize("seed", range(6))
def test_a_copy_goes_on_as_another_run_does(seed: int) -> None:
    rng = random.Random(seed)
    situation = Situation(WIDE)
    path: tuple[Choice, ...] = ()
    for _ in range(40):
        before = situation.digest()
        copy = copied(situation)
        assert copy.digest() == before
        choice: Choice = rng.choice(situation.choices())
        path = (*path, choice)
        copy.take(choice)
        assert situation.digest() == before, f"{choice} has changed the original, too"
        situation = copy
    assert situation.digest() == replay(WIDE, path).digest()


@dataclass(slots=True)
class Counting:
    """Something with state, and a continuation that changes it."""

    count: int = 0
    steps: list[Callable[[], object]] = field(default_factory=list)

    def more(self) -> None:
        """A step."""
        self.count += 1


def test_functions_of_a_scope_share_their_variables_in_the_copy_and_not_with_the_original() -> None:
    thing, total = Counting(), 0

    def add(amount: int) -> None:
        nonlocal total
        total += amount

    thing.steps = [thing.more, partial(add, 2), lambda: add(3), lambda: total]
    copy = copied(thing)
    told = [step() for step in copy.steps]
    assert (copy.count, told[-1]) == (1, 5)
    assert (thing.count, total, thing.steps[-1]()) == (0, 0, 0)


def test_what_refers_to_itself_and_what_is_met_twice_stays_so() -> None:
    inner: list[object] = []
    inner.append(inner)
    first, second, itself = copied((inner, inner, {"inner": inner}))
    assert first is second is itself["inner"] is first[0]
    assert first is not inner
    values = ("a", 1, (2.5, b"c"))
    assert copied(values) is values


def test_what_no_rule_can_copy_is_refused() -> None:
    with pytest.raises(TypeError, match="no rule says how to copy a list_iterator"):
        copied([iter([1])])
