"""Drives a node: gives it the time and what happened, and carries out what it wishes, in order.

The one place where the driver's law stands (see model.outbox): jobs, then frames, then answers of
one Ready, Readies in the order taken. Its twin in virtual time is `spindle.sim.world`.
"""

from __future__ import annotations

import asyncio
import itertools
import socket
import time
from collections.abc import Callable

import structlog

from spindle.model.activity import Activity
from spindle.model.batches import Buffer
from spindle.model.ids import Endpoint, LogDir
from spindle.model.outbox import Ready
from spindle.node.node import Node
from spindle.runtime.disks import Disks
from spindle.runtime.net import Stream, listen, scratch
from spindle.runtime.outgoing import Peers
from spindle.storage.directory import Directory

log = structlog.get_logger("spindle")


class Halted(Exception):
    """The node stopped itself at once; the text says why (K858-11)."""


class Driver:
    """Runs one node on this event loop until it stops or halts."""

    def __init__(
        self,
        node: Node,
        directories: dict[LogDir, Directory],
        observe: Callable[[LogDir], Activity],
    ) -> None:
        self._node = node
        self._loop = asyncio.get_running_loop()
        settings = node.config.settings
        self._limit: int = settings["socket.request.max.bytes"]
        self._in_flight_max: int = settings["queued.max.requests"]
        self._connections_max: int = settings["max.connections"]
        self._disks = Disks(directories, self._loop, self._on_done, observe)
        self._scratch = scratch()
        self._peers = Peers(self._loop, self._limit, self._scratch, self._on_reply)
        self._streams: dict[int, Stream] = {}
        self._in_flight: dict[int, int] = {}
        self._ids = itertools.count(1)
        self._listening: list[socket.socket] = []
        self._wake: asyncio.TimerHandle | None = None
        self._ended: asyncio.Future[None] = self._loop.create_future()
        node.out.carry_out = self._carry_out

    # --- life -------------------------------------------------------------------------------

    def bind(self, endpoints: tuple[Endpoint, ...]) -> dict[str, int]:
        """Listen on all endpoints; the ports had (by listener name), also where 0 was asked."""
        ports: dict[str, int] = {}
        for endpoint in endpoints:
            sock = listen(endpoint.host, endpoint.port)
            self._listening.append(sock)
            ports[endpoint.name] = sock.getsockname()[1]
            self._loop.add_reader(sock.fileno(), self._accept, sock, endpoint.name)
        return ports

    async def run(self) -> None:
        """Start the node and drive it to its end. Halted if it stopped itself."""
        self._feed(self._node.begin)
        try:
            await self._ended
        finally:
            self._close()

    def shut_down(self) -> None:
        """Have the node stop cleanly (controlled shutdown, flush, close)."""
        self._feed(self._node.shut_down)

    def _close(self) -> None:
        if self._wake is not None:
            self._wake.cancel()
        for sock in self._listening:
            self._loop.remove_reader(sock.fileno())
            sock.close()
        self._peers.close()
        for stream in list(self._streams.values()):
            stream.close("the node has stopped")
        self._disks.end()

    # --- what happens -----------------------------------------------------------------------

    def _feed(self, happened: Callable[[], None]) -> None:
        self._node.set_time(self._loop.time(), time.time_ns() // 1_000_000)
        try:
            happened()
        except Exception:
            # A bug of ours: this event is lost, the node goes on; the trace is what we need.
            log.exception("a bug: the node could not handle an event")
        self._pump()

    def _accept(self, sock: socket.socket, listener: str) -> None:
        try:
            client, address = sock.accept()
        except OSError as error:
            log.warning("could not accept a connection", listener=listener, error=str(error))
            return
        if len(self._streams) >= self._connections_max:
            client.close()
            log.warning("connection refused", listener=listener, max=self._connections_max)
            return
        id = next(self._ids)
        self._in_flight[id] = 0
        self._streams[id] = Stream(
            client,
            self._loop,
            self._limit,
            self._scratch,
            lambda frame: self._on_frame(id, frame),
            lambda reason: self._on_closed(id, reason),
        )
        self._feed(lambda: self._node.on_connected(id, listener, address[0]))

    def _on_frame(self, id: int, frame: Buffer) -> None:
        self._in_flight[id] += 1
        if self._in_flight[id] >= self._in_flight_max:
            self._streams[id].hold(True)
        self._feed(lambda: self._node.on_frame(id, frame))

    def _on_closed(self, id: int, reason: str) -> None:
        self._streams.pop(id, None)
        self._in_flight.pop(id, None)
        if reason not in ("closed by the other side", "closed by us"):
            log.debug("connection closed", connection=id, reason=reason)
        self._feed(lambda: self._node.on_disconnected(id))

    def _on_done(self, results: list[tuple[int, object]]) -> None:
        def all_of_them() -> None:
            for ticket, result in results:
                try:
                    self._node.on_done(ticket, result)
                except Exception:
                    log.exception("a bug: the node could not handle a result")

        self._feed(all_of_them)

    def _on_reply(self, ticket: int, result: object) -> None:
        self._feed(lambda: self._node.on_done(ticket, result))

    def _on_time(self) -> None:
        self._wake = None
        self._feed(self._node.on_time)

    # --- what is wished ---------------------------------------------------------------------

    def _pump(self) -> None:
        if self._ended.done():
            return
        while (ready := self._node.take()) is not None:
            self._carry_out(ready)
        wake_at = self._node.wake_at
        if self._wake is not None and self._wake.when() != wake_at:
            self._wake.cancel()
            self._wake = None
        if self._wake is None and wake_at is not None:
            self._wake = self._loop.call_at(wake_at, self._on_time)

    def _carry_out(self, ready: Ready) -> None:
        for job in ready.jobs:
            self._disks.put(job)
        for frame in ready.frames:
            self._peers.send(frame)
        for answer in ready.answers:
            stream = self._streams.get(answer.connection)
            if stream is not None:
                self._in_flight[answer.connection] -= 1
                stream.send(answer.buffers)
                if self._in_flight.get(answer.connection, 0) < self._in_flight_max:
                    stream.hold(False)
        for connection in ready.closes:
            if connection in self._streams:
                self._streams[connection].close_after_sending()
        for said in ready.said:
            getattr(log, said.level)(said.event, **said.fields)
        if ready.halt is not None and not self._ended.done():
            self._ended.set_exception(Halted(ready.halt))
        elif ready.stopped and not self._ended.done():
            self._ended.set_result(None)
