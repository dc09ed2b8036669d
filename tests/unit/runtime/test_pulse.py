"""How busy a loop is, and its longest turn: counted on a clock of the test's own (S-08)."""

from __future__ import annotations

import asyncio

import pytest

from spindle.runtime.pulse import LONGEST_SECONDS, Pulse, PulseSelector

IDLE = "kafka_network_socketserver_networkprocessoravgidlepercent"
TURN, INPUT = "spindle_eventloop_longestturnseconds", "spindle_eventloop_longestinputseconds"


class Clock:
    """Goes on when the test says."""

    def __init__(self) -> None:
        self.now = 100.0
        self.used = 10.0
        self.pulse = Pulse(lambda: self.now, lambda: self.used)

    def work(self, seconds: float) -> None:
        self.now += seconds
        self.pulse.on_asleep()

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.pulse.on_awake()

    def take_in(self, seconds: float, of_a_processor: float) -> None:
        self.pulse.on_input()
        self.now += seconds
        self.used += of_a_processor
        self.pulse.on_worked_off()

    def figure(self, name: str) -> float:
        return {sample.name: sample.value for sample in self.pulse.statistics()}[name]


@pytest.mark.spec("S-08")
def test_it_tells_the_share_of_the_time_in_which_the_loop_worked() -> None:
    clock = Clock()
    assert clock.figure(IDLE) == 1.0
    for _ in range(100):
        clock.work(0.003)
        clock.sleep(0.001)
    assert clock.pulse.busy == pytest.approx(0.75)
    assert clock.figure(IDLE) == pytest.approx(0.25)
    for _ in range(100):
        clock.work(0.0)
        clock.sleep(0.01)
    assert clock.pulse.busy == 0.0


@pytest.mark.spec("S-08")
def test_what_could_have_waited_does_not_press_the_loop() -> None:
    clock = Clock()
    for _ in range(100):
        clock.pulse.on_spared(0.002)
        clock.work(0.003)
        clock.sleep(0.001)
    assert clock.pulse.busy == pytest.approx(0.75)
    assert clock.pulse.pressed == pytest.approx(0.25)
    for _ in range(100):
        clock.work(0.003)
        clock.sleep(0.001)
    assert clock.pulse.pressed == clock.pulse.busy == pytest.approx(0.75)


@pytest.mark.spec("S-08")
def test_the_longest_are_remembered_for_a_while() -> None:
    clock = Clock()
    clock.work(0.2)
    clock.take_in(0.1, 0.04)
    clock.sleep(0.1)
    clock.work(0.1)
    clock.take_in(0.02, 0.01)
    clock.take_in(0.004, 0.004)
    longest = (pytest.approx(0.2), pytest.approx(0.04))
    assert (clock.figure(TURN), clock.figure(INPUT)) == longest
    clock.sleep(LONGEST_SECONDS)
    assert (clock.figure(TURN), clock.figure(INPUT)) == longest
    clock.work(0.1)
    clock.sleep(LONGEST_SECONDS)
    assert clock.figure(TURN) == pytest.approx(0.1)
    assert clock.figure(INPUT) == 0.0


def test_a_loop_tells_it() -> None:
    told = []

    class Listening(Pulse):
        def on_asleep(self) -> None:
            told.append("asleep")

        def on_awake(self) -> None:
            told.append("awake")

    with asyncio.Runner(
        loop_factory=lambda: asyncio.SelectorEventLoop(PulseSelector(Listening()))
    ) as runner:
        runner.run(asyncio.sleep(0.01))
    assert told[:4] == ["asleep", "awake"] * 2
