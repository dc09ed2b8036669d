"""Clients that send far ahead get a part of each turn, on a clock of the test's own (S-08)."""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any, cast

import pytest

from spindle.model.batches import Buffer
from spindle.runtime.backlog import LEAST_SECONDS, SHARE, Backlog
from spindle.runtime.net import FRAMES_AT_ONCE, Stream, scratch

pytestmark = pytest.mark.spec("S-08")
FRAME = b"\0\0\0\5hello"
STEP = LEAST_SECONDS / 5
"""How long (s) the test lets it take to hand something on."""


class Turns:
    """A loop whose turns the test makes, and its clock."""

    def __init__(self) -> None:
        self.now = 100.0
        self.soon: deque[Callable[[], None]] = deque()
        self.took: list[float] = []
        loop = cast("asyncio.AbstractEventLoop", self)
        self.requests = 0
        self.backlog = Backlog(loop, lambda: self.requests, self.took.append, lambda: self.now)
        self.handed_on: list[int] = []

    def call_soon(self, then: Callable[[], None]) -> None:
        self.soon.append(then)

    def turn(self, others: float = 0.0, requests: int = 0) -> list[int]:
        """What is handed on in one turn, of which others with requests took so long (s)."""
        self.now += others
        self.requests += requests
        before = len(self.handed_on)
        for _ in range(len(self.soon)):
            self.soon.popleft()()
        return self.handed_on[before:]

    def hand_on(self, number: int, seconds: float = STEP) -> None:
        self.now += seconds
        self.handed_on.append(number)


def test_they_share_a_part_of_the_turn_in_the_order_in_which_they_came() -> None:
    turns = Turns()
    for number in range(12):
        turns.backlog.add(partial(turns.hand_on, number))
    assert turns.turn() == [0, 1, 2, 3, 4]
    assert turns.turn() == [5, 6, 7, 8, 9]
    assert turns.turn() == [10, 11]
    assert not turns.soon, "an empty backlog asks for no turn"
    assert turns.took == pytest.approx([5 * STEP, 5 * STEP, 2 * STEP])


def test_the_longer_the_others_took_the_longer_is_their_part() -> None:
    turns = Turns()
    for number in range(100):
        turns.backlog.add(partial(turns.hand_on, number))
    others = 40 * LEAST_SECONDS
    part = others * SHARE
    assert len(turns.turn(others, requests=50)) == pytest.approx(part / STEP, abs=1)


def test_each_gets_no_more_than_a_request_of_the_others() -> None:
    turns = Turns()
    for number in range(100):
        turns.backlog.add(partial(turns.hand_on, number))
    others = 40 * LEAST_SECONDS
    part = 100 * others / 1_000
    assert len(turns.turn(others, requests=1_000)) == pytest.approx(part / STEP, abs=1)


def test_one_at_least_gets_its_turn_and_each_only_one() -> None:
    turns = Turns()

    def again(number: int) -> None:
        turns.hand_on(number, 3 * LEAST_SECONDS)
        turns.backlog.add(partial(again, number))

    turns.backlog.add(partial(again, 1))
    turns.backlog.add(partial(again, 2))
    assert [turns.turn() for _ in range(4)] == [[1], [2], [1], [2]]


def test_what_asks_again_alone_has_one_turn_of_each() -> None:
    turns = Turns()

    def again() -> None:
        turns.hand_on(1, 0.0)
        turns.backlog.add(again)

    turns.backlog.add(again)
    assert [turns.turn() for _ in range(3)] == [[1], [1], [1]]
    assert len(turns.soon) == 1


def test_a_client_that_waits_for_its_answers_is_not_held_up_by_those_that_do_not() -> None:
    """Twenty have sent a thousand requests each; one sends its next when it has its answer."""
    handled: list[str] = []
    now = 0.0

    def take(name: str, then: Callable[[], Any], frames: Iterator[Buffer]) -> None:
        nonlocal now
        for _ in frames:
            now += STEP
            handled.append(name)
            then()

    async def run() -> None:
        loop = asyncio.get_running_loop()
        backlog = Backlog(loop, lambda: len(handled), lambda seconds: None, lambda: now)

        def stream(name: str, then: Callable[[], Any], near: socket.socket) -> Stream:
            taking = partial(take, name, then)
            return Stream(
                near, loop, 1 << 20, scratch(), taking, lambda reason: None, later=backlog.add
            )

        pairs = [connected() for _ in range(21)]
        for _, far in pairs[1:]:
            far.sendall(FRAME * 1_000)
        polite = pairs[0][1]
        polite.sendall(FRAME)
        streams = [stream("greedy", lambda: None, near) for near, _ in pairs[1:]]
        streams.append(stream("polite", partial(polite.sendall, FRAME), pairs[0][0]))
        while handled.count("polite") < 50:
            await asyncio.sleep(0)
        for each in streams:
            each.close("the test is over")
        for _, far in pairs:
            far.close()

    asyncio.run(run())
    at = [place for place, name in enumerate(handled) if name == "polite"]
    between = [later - earlier - 1 for earlier, later in pairwise(at[1:])]
    assert max(between) < LEAST_SECONDS / STEP + FRAMES_AT_ONCE
    assert min(between) > 0, "the greedy ones have their part"


def connected() -> tuple[socket.socket, socket.socket]:
    """Both ends of a connection."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        far = socket.create_connection(server.getsockname())
        return server.accept()[0], far
