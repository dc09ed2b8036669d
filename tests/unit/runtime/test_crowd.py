"""Connections without manners: which are closed, what is kept (S-08).

A real driver with real sockets.
"""

from __future__ import annotations

import asyncio
import struct
from contextlib import suppress
from typing import Any

import pytest
from tests.support.echo_node import MIB, running
from tests.support.waiting import eventually_async

from spindle.runtime import crowd, driver

pytestmark = pytest.mark.usefixtures("only_idle_time")


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection counts as stuck after a second, not after ten."""
    monkeypatch.setattr(crowd, "STUCK_SECONDS", 1.0)


@pytest.mark.spec("S-08")
def test_unfinished_frames_are_bounded_and_others_go_on() -> None:
    async def run() -> None:
        loop = asyncio.get_running_loop()
        async with running(queued_max_request_bytes=str(MIB)) as node:
            good = await node.connect()
            hostile = [await node.connect() for _ in range(8)]
            for link in hostile:
                with suppress(ConnectionError):
                    await loop.sock_sendall(link, struct.pack(">i", 50 * MIB) + bytes(600_000))

            async def gone() -> bool:
                return sum([await node.is_closed(link) for link in hostile]) >= 7

            await eventually_async(gone, "clients that hold too much are closed", 30, 0.1)
            assert await node.asks(good)

    asyncio.run(run())


@pytest.mark.spec("S-08")
def test_what_a_few_hold_keeps_no_other_client_waiting() -> None:
    """They stop between the mark at which reading stops and the one at which it goes on."""

    async def run() -> None:
        loop = asyncio.get_running_loop()
        async with running(queued_max_request_bytes=str(4 * MIB)) as node:
            good = await node.connect()
            hostile = [await node.connect() for _ in range(6)]
            for link in hostile:
                await loop.sock_sendall(link, struct.pack(">i", 50 * MIB) + bytes(540 << 10))

            async def crowded() -> bool:
                return node.driver._crowd._memory.over

            await eventually_async(crowded, "there is no room for more", 20, 0.01)
            assert await node.asks(good)
            assert node.driver._crowd._memory.over, "it was served beside them, not after them"

            async def gone() -> bool:
                assert await node.asks(good)
                return not node.driver._crowd._memory.over

            await eventually_async(gone, "there is room again", 30, 0.1)
            left = sum([not await node.is_closed(link) for link in hostile])
            assert 1 <= left < 6, "no more are closed than must be"

    asyncio.run(run())


@pytest.mark.spec("S-08")
def test_a_frame_as_large_as_all_that_may_be_kept_is_read() -> None:
    async def run() -> None:
        limits: dict[str, Any] = {
            "queued_max_request_bytes": str(2 * MIB),
            "socket_request_max_bytes": str(2 * MIB),
        }
        async with running(**limits) as node:
            link = await node.connect()
            frame = struct.pack(">iq", 2 * MIB, 4) + bytes(2 * MIB - 8)
            loop = asyncio.get_running_loop()
            await loop.sock_sendall(link, frame)
            assert len(await loop.sock_recv(link, 4)) == 4

    asyncio.run(run())


@pytest.mark.spec("S-08")
def test_a_client_that_fills_the_threads_waits_alone() -> None:
    async def run() -> None:
        loop = asyncio.get_running_loop()
        async with running(queued_max_requests="1") as node:
            good, hostile = await node.connect(), await node.connect()
            node.machine.answers = False
            await loop.sock_sendall(hostile, struct.pack(">iq", 8, 4))

            async def seen() -> bool:
                return node.machine.seen == 1

            await eventually_async(seen, "it is seen", 20, 0.01)
            node.machine.queued, node.machine.answers = 1, True
            assert await node.asks(good)
            await loop.sock_sendall(hostile, struct.pack(">iq", 8, 4))
            assert await node.asks(good)
            assert node.machine.seen == 3, "the other one has a request that waits for a thread"

    asyncio.run(run())


@pytest.mark.spec("S-08")
def test_a_client_that_reads_no_answers_is_closed_and_asks_no_more() -> None:
    async def run() -> None:
        loop = asyncio.get_running_loop()
        async with running(queued_max_request_bytes=str(8 * MIB)) as node:
            good, greedy = await node.connect(), await node.connect()
            # The loop asks for a gigabyte: past a megabyte unsent, no request is read.
            await loop.sock_sendall(greedy, struct.pack(">iq", 8, 12 * MIB) * 80)

            async def gone() -> bool:
                assert node.machine.seen < 30
                greedy_seen = node.driver._crowd._members
                return len(greedy_seen) == 1

            await eventually_async(gone, "the greedy one is closed", 30, 0.1)
            assert await node.asks(good, 3 * MIB)

    asyncio.run(run())


@pytest.mark.spec("S-08")
def test_requests_without_an_answer_are_bounded() -> None:
    async def run() -> None:
        loop = asyncio.get_running_loop()
        async with running(queued_max_request_bytes=str(MIB)) as node:
            node.machine.answers = False
            broker = await node.connect("BROKERS")
            clients = [await node.connect() for _ in range(10)]
            frame = struct.pack(">iq", 300_000, 4) + bytes(300_000 - 8)
            sending = [asyncio.create_task(loop.sock_sendall(link, frame)) for link in clients]

            async def full() -> bool:
                return node.machine.seen >= 3

            await eventually_async(full, "the limit is reached", 20, 0.02)
            node.machine.answers = True
            assert await node.asks(broker), "brokers are served all the same"
            assert node.machine.seen <= 5
            for task in sending:
                task.cancel()

    asyncio.run(run())


@pytest.mark.spec("S-08")
def test_a_client_that_holds_little_is_not_closed_for_those_that_hold_much() -> None:
    async def run() -> None:
        loop = asyncio.get_running_loop()
        async with running(queued_max_request_bytes=str(4 * MIB)) as node:
            slow = await node.connect()
            await loop.sock_sendall(slow, struct.pack(">i", 50 * MIB) + bytes(10_000))
            await asyncio.sleep(0.2)  # It is stuck for longer than those that come now.
            hostile = [await node.connect() for _ in range(6)]
            for link in hostile:
                await loop.sock_sendall(link, struct.pack(">i", 50 * MIB) + bytes(540 << 10))

            async def relieved() -> bool:
                return any([await node.is_closed(link) for link in hostile])

            await eventually_async(relieved, "one of the clients that hold much is closed", 30, 0.1)
            assert not await node.is_closed(slow)

    asyncio.run(run())


@pytest.mark.spec("S-08")
@pytest.mark.parametrize("strained", [False, True])
def test_under_strain_one_that_is_refused_waits_until_we_hang_up(strained: bool) -> None:
    async def run() -> None:
        loop = asyncio.get_running_loop()
        async with running() as node:
            good, refused = await node.connect(), await node.connect()

            def refuse(connection: int, frame: Any) -> None:
                node.machine.seen += 1
                node.machine.out.busy = 1.0 if strained else 0.5
                node.machine.out.close_connection(connection)

            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(node.machine, "on_frame", refuse)
                patch.setattr(driver, "REFUSED_SECONDS", 1.0 if strained else 600.0)
                began = loop.time()
                await loop.sock_sendall(refused, struct.pack(">iq", 8, 4) * 2)

                async def gone() -> bool:
                    return await node.is_closed(refused)

                await eventually_async(gone, "we hang up", 20, 0.01)
                waited = loop.time() - began
            assert waited >= 0.9 or not strained
            assert node.machine.seen == 1, "nothing more is read of it"
            assert await node.asks(good)

    asyncio.run(run())


@pytest.mark.spec("S-07")
def test_a_client_that_is_held_back_is_not_read_and_others_are() -> None:
    async def run() -> None:
        loop = asyncio.get_running_loop()
        async with running() as node:
            held, other = await node.connect(), await node.connect()
            assert await node.asks(held)
            id = list(node.driver._crowd._members)[-1]  # It has asked last.
            node.driver._crowd.mute(id, 600.0)
            node.driver._crowd.mute(id, 1.0)
            node.driver._crowd.mute(99, 1.0)  # It has left.
            seen = node.machine.seen
            for link in (held, other):
                await loop.sock_sendall(link, struct.pack(">iq", 8, 4))
            async with asyncio.timeout(20):
                assert len(await loop.sock_recv(other, 4)) == 4
            assert node.machine.seen == seen + 1
            node.driver._crowd._unmute(id, node.driver._crowd._members[id].muted_until)
            async with asyncio.timeout(20):
                assert len(await loop.sock_recv(held, 4)) == 4

    asyncio.run(run())
