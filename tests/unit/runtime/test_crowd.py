"""Connections without end or manners: who gets in, who is closed, what is kept (S-08).

A real driver with real sockets; in the place of the node stands one that answers each request with
as many bytes as it asks for.
"""

from __future__ import annotations

import asyncio
import errno
import random
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any, cast

import pytest
from tests.support.waiting import eventually_async

from spindle.model.activity import Activity
from spindle.model.config import node_config
from spindle.model.errors import Unusable
from spindle.model.outbox import Outbox, Ready
from spindle.model.settings.values import Settings
from spindle.node.node import Node
from spindle.runtime.doors import Doors, Limits
from spindle.runtime.driver import Driver
from spindle.runtime.pulse import Pulse

MIB = 1 << 20


class Echo:
    """A node that answers a frame `n` (8 bytes, big-endian, then anything) with n bytes."""

    def __init__(self, **settings: str) -> None:
        room = settings.pop("queued_max_request_bytes", None)
        config = node_config(
            {
                "node.id": "1",
                "process.roles": "broker",
                "controller.quorum.voters": "9@127.0.0.1:1",
                "listeners": "CLIENTS://127.0.0.1:0,BROKERS://127.0.0.1:0",
                "inter.broker.listener.name": "BROKERS",
                "listener.security.protocol.map": "CLIENTS:PLAINTEXT,BROKERS:PLAINTEXT",
                **{name.replace("_", "."): value for name, value in settings.items()},
            }
        )
        if room is not None:  # Less than a node is started with: it is soon full.
            given = {**config.settings.given, "queued.max.request.bytes": room}
            config = replace(config, settings=Settings(given))
        self.config = config
        self.out = Outbox(random.Random(1))
        self.wake_at = None
        self.answers = True
        self.seen = 0
        self.queued = 0

    def set_time(self, now: float, wall_ms: int) -> None:
        pass

    def begin(self) -> None:
        pass

    def on_connected(self, connection: int, listener: str, host: str) -> None:
        pass

    def on_disconnected(self, connection: int) -> None:
        pass

    def on_frame(self, connection: int, frame: Any) -> None:
        self.seen += 1
        if self.answers:
            self.out.answer(connection, [bytes(struct.unpack_from(">q", frame)[0])])

    def take(self) -> Ready | None:
        return self.out.take()

    def shut_down(self) -> None:
        self.out.stop()

    def last_words(self) -> None:
        return None


class Running:
    """A driver that serves, and connections to it."""

    def __init__(self, machine: Echo, driver: Driver, ports: dict[str, int]) -> None:
        self.machine, self.driver, self.ports = machine, driver, ports
        self.links: list[socket.socket] = []

    async def connect(self, listener: str = "CLIENTS") -> socket.socket:
        link = socket.socket()
        link.setblocking(False)
        self.links.append(link)
        address = ("127.0.0.1", self.ports[listener])
        await asyncio.get_running_loop().sock_connect(link, address)
        return link

    async def asks(self, link: socket.socket, size: int = 4) -> bool:
        """Whether a request is answered; False if the connection is closed."""
        loop = asyncio.get_running_loop()
        try:
            await loop.sock_sendall(link, struct.pack(">iq", 8, size))
            left = size
            async with asyncio.timeout(20):
                while left and (chunk := await loop.sock_recv(link, min(left, MIB))):
                    left -= len(chunk)
        except ConnectionError:
            return False
        return left == 0

    async def is_closed(self, link: socket.socket) -> bool:
        """Whether the other side has hung up."""
        try:
            return link.recv(1, socket.MSG_PEEK) == b""
        except BlockingIOError:
            return False
        except ConnectionError:
            return True


@asynccontextmanager
async def running(descriptors: int = 1024, **settings: str) -> AsyncIterator[Running]:
    machine = Echo(**settings)
    driver = Driver(cast(Node, machine), {}, lambda path: Activity(), descriptors, Pulse())
    ports = driver.bind(machine.config.listeners)
    task = asyncio.create_task(driver.run())
    served = Running(machine, driver, ports)
    try:
        yield served
    finally:
        for link in served.links:
            link.close()
        driver.shut_down()
        await task


@pytest.mark.spec("S-08")
def test_at_the_limit_the_quietest_connection_makes_room() -> None:
    async def run() -> None:
        async with running(max_connections="3") as node:
            first, second, third = [await node.connect() for _ in range(3)]
            for link in (second, third, first):
                assert await node.asks(link)
            # Nobody has been quiet for long: the newcomer goes.
            newcomer = await node.connect()
            assert not await node.asks(newcomer)
            for link in (second, third, first):
                assert await node.asks(link)
            await asyncio.sleep(1.1)  # what quiet means
            assert await node.asks(third)
            assert await node.asks(first)
            newcomer = await node.connect()
            assert await node.asks(newcomer)
            assert await node.is_closed(second)
            assert await node.asks(first)
            assert await node.asks(third)

    asyncio.run(run())


@pytest.mark.spec("S-08")
def test_brokers_come_in_where_clients_do_not() -> None:
    async def run() -> None:
        async with running(max_connections="2") as node:
            links = [await node.connect() for _ in range(2)]
            for link in links:
                assert await node.asks(link)
            refused = await node.connect()
            assert not await node.asks(refused)
            brokers = [await node.connect("BROKERS") for _ in range(3)]
            for link in brokers:
                assert await node.asks(link)

    asyncio.run(run())


@pytest.mark.spec("S-08")
def test_the_last_descriptors_are_not_for_clients(capfd: pytest.CaptureFixture[str]) -> None:
    async def run() -> None:
        links = []
        with socket.socket() as probe:
            used = probe.fileno()
        # What the test itself has open, and a quarter more, is beyond what clients may have.
        async with running(descriptors=(used + 8) * 4 // 3) as node:
            got_in = []
            for _ in range(60):
                link = await node.connect()
                links.append(link)
                got_in.append(await node.asks(link))
            assert got_in[0]
            assert not got_in[-1]
            assert got_in.count(False) > 20
            assert await node.asks(await node.connect("BROKERS"))
        said = capfd.readouterr()
        assert (said.out + said.err).count("connections are refused") == 1

    asyncio.run(run())


@pytest.mark.spec("S-08")
@pytest.mark.parametrize("overrides", ["", "127.0.0.1:4"])
def test_connections_from_one_address(overrides: str) -> None:
    async def run() -> None:
        limits: dict[str, Any] = {
            "max_connections_per_ip": "2",
            "max_connections_per_ip_overrides": overrides,
        }
        async with running(**limits) as node:
            got_in = [await node.asks(await node.connect()) for _ in range(6)]
            assert got_in.count(True) == (4 if overrides else 2)
            node.links[0].close()
            await eventually_async(
                lambda: connects(node), "another may come once one has gone", 20, 0.1
            )

    async def connects(node: Running) -> bool:
        return await node.asks(await node.connect())

    asyncio.run(run())


def test_overrides_that_cannot_be_read_are_refused() -> None:
    config = Echo(max_connections_per_ip_overrides="127.0.0.1:many").config
    with pytest.raises(Unusable, match=r"'127.0.0.1:many' is not address:number"):
        Limits(config, 1024)


@pytest.mark.spec("S-08", "N-02")
def test_idle_connections_are_closed_each_listener_by_its_own_time() -> None:
    async def run() -> None:
        idle: dict[str, Any] = {
            "connections_max_idle_ms": "600000",
            "listener_name_clients_connections_max_idle_ms": "1500",
        }
        async with running(**idle) as node:
            left, busy, broker = [await node.connect(n) for n in ("CLIENTS",) * 2 + ("BROKERS",)]

            async def closed() -> bool:
                assert await node.asks(busy)
                return await node.is_closed(left)

            await eventually_async(closed, "the idle connection is closed", 20, 0.2)
            assert await node.asks(busy)
            assert await node.asks(broker)

    asyncio.run(run())


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

            await eventually_async(gone, "those who hold too much are closed", 30, 0.1)
            assert await node.asks(good)

    asyncio.run(run())


@pytest.mark.spec("S-08")
def test_what_a_few_hold_keeps_nobody_else_waiting() -> None:
    """They stop between the mark at which reading stops and the one at which it goes on."""

    async def run() -> None:
        loop = asyncio.get_running_loop()
        async with running(queued_max_request_bytes=str(4 * MIB)) as node:
            good = await node.connect()
            hostile = [await node.connect() for _ in range(6)]
            for link in hostile:
                await loop.sock_sendall(link, struct.pack(">i", 50 * MIB) + bytes(540 << 10))

            async def crowded() -> bool:
                return node.driver._crowd._over

            await eventually_async(crowded, "there is no room for more", 20, 0.01)
            assert await node.asks(good)
            assert node.driver._crowd._over, "it was served beside them, not after them"

            async def gone() -> bool:
                assert await node.asks(good)
                return not node.driver._crowd._over

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
def test_who_fills_the_threads_waits_alone() -> None:
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
def test_who_reads_no_answers_is_closed_and_asks_no_more() -> None:
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
def test_without_descriptors_a_listener_rests_and_says_so_once(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spindle.runtime.doors.PAUSE_SECONDS", 0.05)

    class Full:
        """A listening socket of a process that has no descriptor left, and then has one."""

        def __init__(self, sock: socket.socket) -> None:
            self._sock = sock
            self.asked = 0
            self.full = True

        def __getattr__(self, name: str) -> Any:
            return getattr(self._sock, name)

        def accept(self) -> Any:
            self.asked += 1
            if self.full:
                raise OSError(errno.EMFILE, "Too many open files")
            return self._sock.accept()

    async def run() -> None:
        loop = asyncio.get_running_loop()
        let_in: list[socket.socket] = []
        doors = Doors(
            loop, Limits(Echo().config, 1024), lambda sock, *_: let_in.append(sock), lambda: False
        )
        endpoint = Echo().config.listeners[0]
        port = doors.open(endpoint)
        door = doors._doors[endpoint.name]
        full = Full(door.sock)
        door.sock = cast(socket.socket, full)
        link = socket.create_connection(("127.0.0.1", port))
        await asyncio.sleep(0.5)
        assert 2 <= full.asked <= 15, "it tries again now and then"
        full.full = False

        async def accepted() -> bool:
            return bool(let_in)

        await eventually_async(accepted, "who waited is let in", 20)
        doors.close()
        link.close()
        let_in[0].close()

    asyncio.run(run())
    said = capfd.readouterr()
    assert (said.out + said.err).count("no connection can be accepted for now") == 1


@pytest.mark.spec("S-08")
@pytest.mark.parametrize(("size", "kept"), [("20000", 40_000), ("200000", 400_000)])
def test_a_clients_socket_has_the_buffers_that_are_set(size: str, kept: int) -> None:
    """Linux reports twice what was asked for; what a client does not read stays within it."""

    async def run() -> None:
        config = Echo(
            socket_send_buffer_bytes=size, socket_receive_buffer_bytes=str(int(size) + 1000)
        ).config
        let_in: list[socket.socket] = []
        loop = asyncio.get_running_loop()
        doors = Doors(
            loop, Limits(config, 1024), lambda sock, *_: let_in.append(sock), lambda: False
        )
        port = doors.open(config.listeners[0])
        with socket.create_connection(("127.0.0.1", port)):

            async def accepted() -> bool:
                return bool(let_in)

            await eventually_async(accepted, "the client is let in", 20)
            (taken,) = let_in
            assert taken.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) == kept
            assert taken.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF) == kept + 2000
            taken.close()
        doors.close()

    asyncio.run(run())


@pytest.mark.spec("S-08")
def test_who_holds_little_is_not_closed_for_those_who_hold_much() -> None:
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

            await eventually_async(relieved, "one of those who hold much is closed", 30, 0.1)
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
                node.machine.out.hang_up(connection)

            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(node.machine, "on_frame", refuse)
                began = loop.time()
                await loop.sock_sendall(refused, struct.pack(">iq", 8, 4) * 2)

                async def gone() -> bool:
                    return await node.is_closed(refused)

                await eventually_async(gone, "we hang up", 20, 0.01)
                waited = loop.time() - began
            assert waited >= 0.9 if strained else waited < 0.9
            assert node.machine.seen == 1, "nothing more is read of it"
            assert await node.asks(good)

    asyncio.run(run())
