"""Connections without end: which get in, and what happens at a limit (S-08).

A real driver with real sockets.
"""

from __future__ import annotations

import asyncio
import errno
import os
import socket
from typing import Any, cast

import pytest
from tests.support.echo_node import Echo, Running, running
from tests.support.waiting import eventually_async

from spindle.model.errors import Unusable
from spindle.runtime import crowd
from spindle.runtime.doors import ACCEPT_AT_ONCE, Bustle, ConnectionLimits, Doors, NewcomersShare

pytestmark = pytest.mark.usefixtures("only_idle_time")


@pytest.mark.spec("S-08")
def test_at_the_limit_the_quietest_connection_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crowd, "QUIET_SECONDS", 600.0)

    async def run() -> None:
        async with running(max_connections="3") as node:
            first, second, third = [await node.connect() for _ in range(3)]
            for link in (second, third, first):
                assert await node.asks(link)
            # No connection has been quiet for long: the newcomer goes.
            newcomer = await node.connect()
            assert not await node.asks(newcomer)
            for link in (second, third, first):
                assert await node.asks(link)
            assert await node.asks(third)
            assert await node.asks(first)
            monkeypatch.setattr(crowd, "QUIET_SECONDS", 0.0)
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
        there = {int(name) for name in os.listdir("/proc/self/fd")}
        used = max(there) + 1
        # What the test itself has open, and a quarter more, is beyond what clients may have.
        async with running(descriptors=(used + 8) * 4 // 3) as node:
            got_in = []
            for _ in range(60 + used - len(there)):  # Numbers between those come first.
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


@pytest.mark.spec("S-07", "S-08")
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
        ConnectionLimits(config, 1024)


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
            loop,
            ConnectionLimits(Echo().config, 1024),
            lambda sock, *_: let_in.append(sock),
            lambda: False,
            Bustle(lambda: 0.0, lambda: 0),
        )
        endpoint = Echo().config.listeners[0]
        port = doors.open(endpoint)
        door = doors._doors[endpoint.name]
        full = Full(door.sock)
        door.sock = cast("socket.socket", full)
        link = socket.create_connection(("127.0.0.1", port))
        await asyncio.sleep(0.5)
        assert 2 <= full.asked <= 15, "it tries again now and then"
        full.full = False

        async def accepted() -> bool:
            return bool(let_in)

        await eventually_async(accepted, "the client that waited is let in", 20)
        doors.close()
        link.close()
        let_in[0].close()

    asyncio.run(run())
    said = capfd.readouterr()
    assert (said.out + said.err).count("no connection can be accepted now") == 1


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
            loop,
            ConnectionLimits(config, 1024),
            lambda sock, *_: let_in.append(sock),
            lambda: False,
            Bustle(lambda: 0.0, lambda: 0),
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


def let_in(share: NewcomersShare, now: float, busy: float, requests: int, come: int = 1000) -> int:
    """How many of those that come get in."""
    return sum(share.take(now, busy, requests) for _ in range(come))


@pytest.mark.spec("S-08")
def test_newcomers_get_a_share_of_a_busy_loop() -> None:
    share = NewcomersShare()
    assert let_in(share, 100.0, 0.5, 0) == 1000, "a loop that has time lets all in"
    assert let_in(share, 100.0, 0.95, 0) == ACCEPT_AT_ONCE
    assert let_in(share, 101.0, 0.95, 0) == 10, "so many a second, if nothing is asked for at all"
    assert let_in(share, 101.0, 1.0, 400) == 20, "one for each twenty requests"
    assert let_in(share, 200.0, 1.0, 9000) == ACCEPT_AT_ONCE, "what is not used is not saved up"
    assert let_in(share, 200.0, 0.8, 9000) == 1000


@pytest.mark.spec("S-08")
def test_a_busy_listener_lets_all_in_one_after_another_and_brokers_at_once() -> None:
    async def run() -> None:
        loop, config = asyncio.get_running_loop(), Echo().config
        came: list[str] = []

        def take(sock: socket.socket, listener: str, host: str) -> None:
            sock.close()
            came.append(listener)

        bustle = Bustle(lambda: 1.0, lambda: 0)
        doors = Doors(loop, ConnectionLimits(config, 1024), take, lambda: False, bustle)
        clients, brokers = config.listeners
        ports = {end.name: doors.open(end) for end in (clients, brokers)}
        more = 5
        links = [
            socket.create_connection(("127.0.0.1", ports[clients.name]))
            for _ in range(ACCEPT_AT_ONCE + more)
        ]
        links.append(socket.create_connection(("127.0.0.1", ports[brokers.name])))

        async def all_in() -> bool:
            return len(came) == ACCEPT_AT_ONCE + more + 1

        await eventually_async(all_in, "all are let in", 20)
        assert came.index(brokers.name) <= ACCEPT_AT_ONCE
        doors.close()
        for link in links:
            link.close()

    asyncio.run(run())


@pytest.mark.spec("S-07")
def test_an_address_that_comes_too_often_is_turned_away() -> None:
    async def run() -> None:
        async with running() as node:
            node.machine.rate = 1.0
            links = [await node.connect() for _ in range(15)]

            async def served() -> int:
                return sum([await node.asks(link) for link in links[:10]])

            assert await served() == 10

            async def gone() -> bool:
                return all([await node.is_closed(link) for link in links[10:]])

            await eventually_async(gone, "those that are too many are closed", 20, 0.05)
            node.machine.rate = None
            assert await node.asks(await node.connect())

    asyncio.run(run())


@pytest.mark.spec("S-07")
def test_a_listener_over_its_rate_rests_and_goes_on() -> None:
    async def run() -> None:
        async with running(listener_name_clients_max_connection_creation_rate="5") as node:
            links = [await node.connect() for _ in range(54)]
            doors = node.driver._doors.doors
            assert await node.asks(links[50])

            async def rests() -> bool:
                return doors._doors["CLIENTS"].resume is not None

            await eventually_async(rests, "it accepts nothing for a while", 20, 0.01)
            assert await node.asks(await node.connect("BROKERS"))
            assert await node.asks(links[53]), "its turn has come"

    asyncio.run(run())
