"""The collector's looks stay short: what lives is put aside, and looked at when it is calm."""

from __future__ import annotations

import gc
import subprocess
import sys

import pytest
from tests.support.processes import tied

from spindle.runtime.memory import CALM, GARBAGE_MAX, LOOKS_MAX, WORST, YOUNG_OBJECTS, Keeping

BUSY = CALM + 0.1
SHOW = """
import gc
from spindle.runtime.memory import Keeping, settle
gc.disable()
settle()
gc.callbacks.append(Keeping().on_look)
kept = [[n] for n in range(400_000)]
print(len(gc.get_objects()), gc.get_threshold()[2] > 400_000, gc.isenabled())
"""


class Collector:
    """Counts what it is asked for."""

    def __init__(self) -> None:
        self.kept = self.all = 0
        self.keeping = Keeping(self._keep, self._look_at_all)

    def _keep(self) -> None:
        self.kept += 1

    def _look_at_all(self) -> None:
        self.all += 1

    def look(self, generation: int, collected: int = 0) -> None:
        """One look."""
        for phase in ("start", "stop"):
            info = {"generation": generation, "collected": collected, "uncollectable": 0}
            self.keeping.on_look(phase, info)


@pytest.mark.spec("S-08")
def test_what_outlives_two_looks_is_put_aside() -> None:
    collector = Collector()
    collector.look(0)
    assert collector.kept == 0
    collector.look(1)
    assert collector.kept == 1


@pytest.mark.spec("S-08")
def test_however_much_lives_a_look_sees_little_of_it() -> None:
    shown = subprocess.run(
        tied([sys.executable, "-c", SHOW]), capture_output=True, text=True, check=True
    )
    looked_at, never, looks = shown.stdout.split()
    assert int(looked_at) < 4 * YOUNG_OBJECTS
    assert never == looks == "True"


def test_without_garbage_nothing_that_was_put_aside_is_looked_at() -> None:
    collector = Collector()
    for _ in range(LOOKS_MAX - 1):
        collector.look(1)
    collector.keeping.tidy(0.0)
    assert collector.all == 0


def test_after_very_many_looks_everything_is_looked_at_once() -> None:
    collector = Collector()
    for _ in range(LOOKS_MAX):
        collector.look(1)
    collector.keeping.tidy(BUSY)
    assert collector.all == 0
    collector.keeping.tidy(CALM)
    collector.keeping.tidy(CALM)
    assert collector.all == 1


def test_much_garbage_has_everything_looked_at_when_it_is_calm() -> None:
    collector = Collector()
    collector.look(0, GARBAGE_MAX + 1)
    collector.keeping.tidy(BUSY)
    assert collector.all == 0
    collector.keeping.tidy(CALM)
    assert collector.all == 1


def test_very_much_garbage_does_not_wait_for_calm() -> None:
    collector = Collector()
    collector.look(0, WORST * GARBAGE_MAX + 1)
    collector.keeping.tidy(1.0)
    assert collector.all == 1


def test_everything_means_what_was_put_aside() -> None:
    class Link:
        pass

    died: list[bool] = []

    class Watched(Link):
        def __del__(self) -> None:
            died.append(True)

    one, other = Watched(), Link()
    one.other, other.other = other, one  # type: ignore[attr-defined]
    gc.collect()
    gc.freeze()
    del one, other
    gc.collect()
    assert not died
    keeping = Keeping()
    keeping.on_look("stop", {"generation": 0, "collected": GARBAGE_MAX + 1, "uncollectable": 0})
    keeping.tidy(0.0)
    gc.unfreeze()
    assert died
