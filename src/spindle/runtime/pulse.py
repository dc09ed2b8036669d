"""How busy a node's event loop is, and how long it keeps others waiting (S-08).

One turn of the loop serves each connection that is ready once; one input is one thing that a node
gets: a request, the results of jobs, a timer. A turn is measured by the clock, an input by the
processor time that it took: so it is the same on a machine that others use. Knows neither
connections nor requests.
"""

from __future__ import annotations

import selectors
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import monotonic, thread_time
from typing import Final

from spindle.model.metric_tables import node_figures as of
from spindle.model.statistics import Sample

WINDOW_SECONDS: Final = 0.25
"""Over so long it is found how busy the loop is."""
LONGEST_SECONDS: Final = 60.0
"""The longest turn and input are those of the last one to two such times."""
LONG_SECONDS: Final = 0.005
"""An input that took less is not worth a look at the processor's clock."""
CLOSE_SECONDS: Final = 0.005
"""So far the processor time of an input may be overstated, but to no more than the input took: to
read its clock is a call of the system, too slow for each input."""


class _Longest:
    """The longest of what took place lately."""

    def __init__(self, now: float) -> None:
        self._until = now + LONGEST_SECONDS
        self._now = self._before = 0.0

    def note(self, seconds: float) -> None:
        if seconds > self._now:
            self._now = seconds

    def get(self, now: float) -> float:
        self.roll(now)
        return max(self._now, self._before)

    def roll(self, now: float) -> None:
        if now >= self._until:
            self._until = now + LONGEST_SECONDS
            self._before, self._now = self._now, 0.0


@dataclass(slots=True)
class _Window:
    """How long (s) the loop slept since some time, and worked on what could have waited."""

    begun: float
    slept: float = 0.0
    spared: float = 0.0


class Pulse:
    """Figures of one loop: tell it when the loop falls asleep, wakes, and has worked off an input.

    `busy` is the share of its time in which the loop lately had something to do, from 0 to 1.
    `pressed` is the same without the time of what could have waited (see `backlog`).
    """

    def __init__(
        self, clock: Callable[[], float] = monotonic, used: Callable[[], float] = thread_time
    ) -> None:
        """`used`: seconds of a processor that the loop's thread has used."""
        self._clock, self._used = clock, used
        now = clock()
        self.busy = self.pressed = 0.0
        self._asleep_at = self._awake_at = now
        self._window = _Window(now)
        self._input_at = self._read_at = now
        self._used_before = used()
        self._turns, self._inputs = _Longest(now), _Longest(now)

    def on_asleep(self) -> None:
        """A turn has ended: the loop waits until something happens."""
        self._asleep_at = now = self._clock()
        self._turns.note(now - self._awake_at)

    def on_awake(self) -> None:
        """Something has happened: a turn begins."""
        self._awake_at = now = self._clock()
        window = self._window
        window.slept += now - self._asleep_at
        if (took := now - window.begun) >= WINDOW_SECONDS:
            self.busy = 1.0 - window.slept / took
            self.pressed = max(0.0, self.busy - window.spared / took)
            self._window = _Window(now)
            self._turns.roll(now)
            self._inputs.roll(now)

    def on_spared(self, seconds: float) -> None:
        """The loop had time for what could have waited, so long."""
        self._window.spared += seconds

    def on_input(self) -> None:
        """An input has come."""
        self._input_at = now = self._clock()
        if now - self._read_at > CLOSE_SECONDS:
            self._used_before, self._read_at = self._used(), now

    def on_worked_off(self) -> None:
        """It has been worked off."""
        if (took := self._clock() - self._input_at) > LONG_SECONDS:
            self._inputs.note(min(took, self._used() - self._used_before))

    def statistics(self) -> Iterator[Sample]:
        """Its figures, under Kafka's names where it has any."""
        now = self._clock()
        yield of.LOOP_IDLE.of(1.0 - self.busy)
        yield of.HANDLER_IDLE.of(1.0 - self.busy)
        yield of.LONGEST_TURN.of(self._turns.get(now))
        yield of.LONGEST_INPUT.of(self._inputs.get(now))


class PulseSelector(selectors.DefaultSelector):
    """What an event loop sleeps in; tells a Pulse when it does."""

    def __init__(self, pulse: Pulse) -> None:
        super().__init__()
        self._pulse = pulse

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Wait until something is ready."""
        self._pulse.on_asleep()
        ready = self.wait(timeout)
        self._pulse.on_awake()
        return ready

    def wait(self, timeout: float | None) -> list[tuple[selectors.SelectorKey, int]]:
        """What `select` is without the Pulse."""
        return super().select(timeout)
