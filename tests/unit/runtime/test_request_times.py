"""How many requests were answered and how long they took: by API, version and kind of reader."""

from __future__ import annotations

import pytest

from spindle.runtime.request_times import WINDOW_SECONDS, RequestTimer, RequestTimes
from spindle.wire.apis import Key


class Clock:
    """A clock that is set by hand (s)."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Times:
    """Request times with their figures by (name, request, quantile or version)."""

    def __init__(self, *followers: int) -> None:
        self.clock = Clock()
        self.times = RequestTimes(lambda id: id in followers, self.clock)

    def ask(self, connection: int, key: int, version: int = 0) -> None:
        self.times.on_frame(connection, key.to_bytes(2, "big") + version.to_bytes(2, "big") + b"x")

    def figures(self) -> dict[tuple[str, ...], float]:
        return {
            (s.name.rpartition("_")[2], *s.labels.values()): s.value
            for s in self.times.statistics()
        }


def test_answers_belong_to_requests_in_their_order() -> None:
    times_of = Times()
    times_of.ask(1, Key.PRODUCE, 9)
    times_of.clock.now = 0.1
    times_of.ask(1, Key.METADATA, 12)
    times_of.ask(2, Key.PRODUCE, 9)
    times_of.clock.now = 0.3
    times_of.times.on_answered(1)
    times_of.times.on_answered(1)
    figures = times_of.figures()
    assert figures["total", "Produce", "9"] == figures["total", "Metadata", "12"] == 1
    assert figures["count", "Produce"] == 1
    assert figures["sum", "Produce"] == pytest.approx(300)
    assert figures["sum", "Metadata"] == pytest.approx(200)
    times_of.times.on_answered(2)
    assert times_of.figures()["total", "Produce", "9"] == 2


def test_followers_fetches_are_apart() -> None:
    times_of = Times(7)
    for connection in (1, 7):
        times_of.ask(connection, Key.FETCH, 17)
        times_of.times.on_answered(connection)
    figures = times_of.figures()
    assert figures["total", "Fetch", "17"] == 2
    assert figures["count", "FetchConsumer"] == figures["count", "FetchFollower"] == 1


def test_what_no_api_has_sent_is_not_shown_and_a_gone_connection_is_forgotten() -> None:
    times_of = Times()
    times_of.ask(1, 999)
    times_of.times.on_frame(1, b"\0")
    times_of.times.on_answered(1)
    times_of.ask(2, Key.METADATA)
    times_of.times.on_closed(2)
    times_of.times.on_closed(3)
    assert times_of.figures() == {}


@pytest.mark.parametrize("seconds", [0.0, 1e-6, 3e-6, 4e-6, 5.5e-5, 0.00123, 0.5, 7.0, 290.0])
def test_a_quantile_is_right_to_an_eighth(seconds: float) -> None:
    timer = RequestTimer()
    for _ in range(100):
        timer.add(seconds)
    shares = dict(timer.quantiles())
    assert shares["0.50"] == shares["0.999"] == pytest.approx(seconds * 1000, rel=0.126, abs=0.001)


def test_quantiles_are_in_order_and_of_late() -> None:
    timer = RequestTimer()
    for _ in range(98):
        timer.add(0.001)
    timer.add(0.1)
    timer.add(1.0)
    shares = dict(timer.quantiles())
    assert shares["0.98"] == pytest.approx(1, rel=0.13)
    assert shares["0.99"] == pytest.approx(100, rel=0.13)
    assert shares["0.999"] == pytest.approx(1000, rel=0.13)
    timer.roll()
    timer.add(0.001)
    assert dict(timer.quantiles())["0.999"] == pytest.approx(1000, rel=0.13)
    timer.roll()
    assert dict(timer.quantiles())["0.999"] == pytest.approx(1, rel=0.13)
    timer.roll()
    assert list(timer.quantiles()) == []
    assert timer.count == 101


def test_windows_end_by_the_clock() -> None:
    times_of = Times()
    times_of.ask(1, Key.METADATA)
    times_of.times.on_answered(1)
    assert ("totaltimems", "Metadata", "0.99") in times_of.figures()
    for _ in range(2):
        times_of.clock.now += WINDOW_SECONDS
        figures = times_of.figures()
    assert ("totaltimems", "Metadata", "0.99") not in figures
    assert figures["count", "Metadata"] == 1
