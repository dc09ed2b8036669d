"""A process that is cut off the network: nothing passes meanwhile, and nothing of it is lost."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Awaitable, Callable, Iterator

import pytest
from tests.support.waiting import eventually_async

from spindle.model.batches import Buffer
from spindle.runtime.isolation import NETWORK, IsolatingSelector, obey_signals
from spindle.runtime.net import Stream, scratch
from spindle.runtime.pulse import Pulse

pytestmark = pytest.mark.spec("T-02")
FRAME = b"\0\0\0\5hello"


@pytest.fixture(autouse=True)
def network() -> Iterator[None]:
    """Other tests of this process have theirs back."""
    yield
    NETWORK.is_cut = False


def on_a_loop(work: Callable[[], Awaitable[None]]) -> None:
    """Run something on a loop like a node's."""

    async def run() -> None:
        await work()

    loop = asyncio.SelectorEventLoop(IsolatingSelector(Pulse()))
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(run())


async def turns() -> None:
    """The loop looks often enough to have found whatever is there."""
    for _ in range(50):
        await asyncio.sleep(0)


def test_what_is_sent_while_the_network_is_cut_arrives_afterwards() -> None:
    async def run() -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            far = socket.create_connection(server.getsockname())
            near, _ = server.accept()
        frames: list[Buffer] = []
        loop = asyncio.get_running_loop()
        stream = Stream(near, loop, 1 << 20, scratch(), frames.extend, lambda reason: None)
        NETWORK.cut_off()
        far.sendall(FRAME)
        stream.send([FRAME])
        await turns()
        far.setblocking(False)
        with pytest.raises(BlockingIOError):
            far.recv(100)
        assert frames == []
        NETWORK.reconnect()

        async def has_arrived() -> bool:
            return bool(frames)

        await eventually_async(has_arrived, "the frame has arrived")
        assert bytes(frames[0]) == FRAME[4:]
        far.setblocking(True)
        assert far.recv(100) == FRAME
        stream.close("the test ends")
        far.close()

    on_a_loop(run)


def test_no_connection_is_accepted_while_the_network_is_cut_and_timers_go_on() -> None:
    async def run() -> None:
        accepted: list[socket.socket] = []
        with socket.create_server(("127.0.0.1", 0)) as server:
            loop = asyncio.get_running_loop()
            loop.add_reader(server.fileno(), lambda: accepted.append(server.accept()[0]))
            NETWORK.cut_off()
            with socket.create_connection(server.getsockname()):
                await turns()
                await asyncio.sleep(0.001)  # A timer: the loop wakes by itself.
                assert accepted == []
                NETWORK.reconnect()

                async def is_accepted() -> bool:
                    return bool(accepted)

                await eventually_async(is_accepted, "the connection is accepted")
            loop.remove_reader(server.fileno())
        accepted[0].close()

    on_a_loop(run)


def test_signals_cut_the_process_off_and_reconnect_it() -> None:
    async def run() -> None:
        obey_signals(asyncio.get_running_loop())
        for number, wanted in ((signal.SIGUSR1, True), (signal.SIGUSR2, False)):
            os.kill(os.getpid(), number)

            async def is_so(wanted: bool = wanted) -> bool:
                return NETWORK.is_cut is wanted

            await eventually_async(is_so, f"cut off: {wanted}")

    on_a_loop(run)
