"""A real driver with real sockets; in the place of the node stands one that answers each request
with as many bytes as it asks for.
"""

from __future__ import annotations

import asyncio
import random
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, cast

from spindle.model.activity import Activity
from spindle.model.config import node_config
from spindle.model.kafka_principal import ANONYMOUS, KafkaPrincipal
from spindle.model.outbox import Outbox, Ready
from spindle.model.settings.typed_settings import Settings
from spindle.node.node import Node
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
                "listener.security.protocol.map": (
                    "CLIENTS:PLAINTEXT,BROKERS:PLAINTEXT,CONTROLLER:PLAINTEXT"
                ),
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
        self.principals: list[KafkaPrincipal] = []
        """Of the connections that came."""
        self.rate: float | None = None
        """The new connections a second that an address may open."""
        self.seen = 0
        self.queued = 0

    def set_time(self, now: float, wall_ms: int) -> None:
        pass

    def begin(self) -> None:
        pass

    def connection_rate(self, host: str) -> float | None:
        return self.rate

    def first_frames(self, listener: str) -> int | None:
        return None

    def on_connected(
        self, connection: int, listener: str, host: str, principal: KafkaPrincipal = ANONYMOUS
    ) -> None:
        self.principals.append(principal)

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
    driver = Driver(cast("Node", machine), {}, lambda path: Activity(), descriptors, Pulse())
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
