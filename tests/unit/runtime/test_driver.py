"""What the driver does with a bug: the node stops, its machine is not asked again (N-05)."""

from __future__ import annotations

import asyncio
import random
import socket
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from spindle.model.config import node_config
from spindle.model.errors import Unusable
from spindle.model.ids import Endpoint
from spindle.model.outbox import Outbox, Ready
from spindle.node.node import Node
from spindle.runtime.driver import Bug, Driver, Halted
from spindle.runtime.pulse import Pulse

CONFIG = node_config(
    {"node.id": "1", "controller.quorum.voters": "1@127.0.0.1:1", "process.roles": "broker"}
)


class Machine:
    """In the place of a node: does what a test wants when it begins, or when a frame comes."""

    def __init__(
        self, begin: Callable[[Machine], None], on_frame: Callable[[], None] = lambda: None
    ) -> None:
        self.config = CONFIG
        self.out = Outbox(random.Random(1))
        self._begin, self._on_frame = begin, on_frame
        self.asked: list[str] = []
        self.queued = 0

    def set_time(self, now: float, wall_ms: int) -> None:
        self.out.now, self.out.wall_ms = now, wall_ms

    def begin(self) -> None:
        self._begin(self)

    def first_frames(self, listener: str) -> int | None:
        return None

    def connection_rate(self, host: str) -> float | None:
        return None

    def on_connected(self, connection: int, listener: str, host: str, principal: object) -> None:
        self.asked.append("connected")

    def on_disconnected(self, connection: int) -> None:
        self.asked.append("disconnected")

    def on_frame(self, connection: int, frame: Any) -> None:
        self.asked.append("frame")
        self._on_frame()

    def on_done(self, ticket: int, result: Any) -> None:
        self.asked.append("done")
        self.out.done(ticket, result)

    def on_time(self) -> None:
        self.out.tick()

    def take(self) -> Ready | None:
        return self.out.take()

    @property
    def wake_at(self) -> float | None:
        return self.out.wake_at

    def last_words(self) -> None:
        self.asked.append("last words")


def impossible(*_: object) -> None:
    raise AssertionError("the promoted log ends at 7")


def ending(machine: Machine, then: Callable[[Driver], Any] = lambda driver: None) -> Exception:
    """How the driver of a machine ends."""

    async def run() -> Exception:
        driver = Driver(
            cast("Node", machine), {}, lambda path: cast("Any", SimpleNamespace()), 1024, Pulse()
        )
        then(driver)
        with pytest.raises((Halted, Unusable)) as caught:
            await asyncio.wait_for(driver.run(), 30)
        return caught.value

    return asyncio.run(run())


@pytest.mark.spec("N-05")
@pytest.mark.parametrize(
    "begin",
    [
        impossible,
        lambda machine: machine.out.after(0.0, impossible),
        lambda machine: machine.out.ask("127.0.0.1", 1, "x", lambda n: b"", 5.0, impossible),
        lambda machine: asyncio.get_running_loop().call_soon(impossible),
    ],
    ids=["an input", "a timer", "an answer", "a callback of the loop"],
)
def test_a_bug_stops_the_node_and_names_its_cause(
    begin: Callable[[Machine], None], capfd: pytest.CaptureFixture[str]
) -> None:
    machine = Machine(begin)
    bug = ending(machine)
    assert isinstance(bug, Bug)
    assert "AssertionError: the promoted log ends at 7 (" in str(bug)
    assert "test_driver.py:" in str(bug)
    said = capfd.readouterr()
    assert "Traceback" in said.out + said.err


@pytest.mark.spec("N-05")
def test_after_a_bug_the_machine_hears_of_nothing_more() -> None:
    link = socket.socket()

    def connect(driver: Driver) -> None:
        ports = driver.bind((Endpoint("A", "127.0.0.1", 0, 0),))
        link.connect(("127.0.0.1", ports["A"]))
        link.sendall(b"\0\0\0\4aaaa\0\0\0\4bbbb\0\0\0\4cccc")

    machine = Machine(lambda machine: None, impossible)
    with link:
        assert isinstance(ending(machine, connect), Bug)
        assert machine.asked == ["connected", "frame", "last words"]
        link.settimeout(10)
        try:
            assert link.recv(1) == b"", "the connection is closed"
        except ConnectionResetError:
            pass  # Closed with unread bytes.


def test_a_host_whose_name_is_none_is_a_peer_that_does_not_answer() -> None:
    def begin(machine: Machine) -> None:
        def answered(result: object) -> None:
            machine.out.halt(str(result))

        machine.out.ask("a" * 70, 1, "x", lambda n: b"", 5.0, answered)

    halted = ending(Machine(begin))
    assert not isinstance(halted, Bug), halted


@pytest.mark.parametrize(("unusable", "kind"), [(False, Halted), (True, Unusable)])
def test_a_node_that_halts_says_why(unusable: bool, kind: type[Exception]) -> None:
    found = ending(Machine(lambda machine: machine.out.halt("no more", unusable=unusable)))
    assert (type(found), str(found)) == (kind, "no more")
