"""Drives a node: gives it the time and what happened, and carries out what it asks for, in order.

The one place where the driver's law stands (see model.outbox): jobs, then frames, then answers of
one Ready, Readies in the order taken. Its twin in virtual time is `spindle.sim.world`. Whatever is
raised here is a bug and ends the node (N-05): nothing is asked of a machine that may be half
changed, and the controller hears of it from the rim.
"""

from __future__ import annotations

import asyncio
import itertools
import socket
import time
from collections.abc import Callable, Iterator
from typing import Final

import structlog

from spindle.model.activity import Activity
from spindle.model.batches import Buffer
from spindle.model.errors import Unusable
from spindle.model.ids import Endpoint, LogDir
from spindle.model.kafka_principal import KafkaPrincipal
from spindle.model.log_levels import LOGGERS
from spindle.model.outbox import FrameAnswered, Ready
from spindle.model.statistics import Sample
from spindle.node.node import Node
from spindle.runtime.crowd import Crowd
from spindle.runtime.disks import DiskLanes, named
from spindle.runtime.doors import Bustle, ConnectionLimits
from spindle.runtime.entrances import Entrances, certificates_of
from spindle.runtime.farewell import take_leave
from spindle.runtime.handshakes import Handshakes
from spindle.runtime.links import links_of
from spindle.runtime.net import UNSENT_MAX, Stream, scratch
from spindle.runtime.outgoing import OutgoingConnections
from spindle.runtime.pulse import Pulse
from spindle.runtime.request_times import RequestTimes
from spindle.runtime.tls_stream import stream_of
from spindle.storage.directory import LogDirectory
from spindle.wire.framing import SPEAKS_TLS

log = structlog.get_logger("spindle.runtime.driver")
node_logs = {name: structlog.get_logger(name) for name in LOGGERS}

REFUSED_SECONDS: Final = 1.0
"""How long, under strain, one that was refused waits until we hang up: else it is back at once."""


class Halted(Exception):
    """The node stopped itself at once; the text says why (K858-11)."""


class Bug(Halted):
    """The node was stopped by a fault of Spindle's own; its traceback is in the log (N-05)."""


class Driver:
    """Runs one node on this event loop until it stops or halts."""

    def __init__(
        self,
        node: Node,
        directories: dict[LogDir, LogDirectory],
        observe: Callable[[LogDir], Activity],
        descriptors: int,
        pulse: Pulse,
    ) -> None:
        """`descriptors`: how many files and sockets the process may have open. `pulse`: of this
        loop."""
        self._node = node
        self._loop = asyncio.get_running_loop()
        self._pulse = pulse
        settings = node.config.settings
        self._limit: int = settings.whole("socket.request.max.bytes")
        self._disks = DiskLanes(directories, self._loop, self._on_done, observe)
        self._scratch = scratch()
        idle = settings.seconds("connections.max.idle.ms")
        certificates = certificates_of(node.config)
        links = links_of(node.config, certificates)
        self._peers = OutgoingConnections(
            self._loop, self._limit, self._scratch, self._on_reply, idle, links
        )
        times = RequestTimes(lambda id: _is_follower(node, id))
        self._crowd = Crowd(self._loop, settings, times, pulse.on_spared)
        limits = ConnectionLimits(node.config, descriptors, node.connection_rate)
        bustle = Bustle(lambda: pulse.pressed, lambda: self._crowd.requests)
        handshakes = Handshakes(self._loop, certificates, self._let_in, settings)
        self._doors = Entrances(
            self._loop, limits, handshakes, self._let_in, self._crowd.make_room, bustle
        )
        self._ids = itertools.count(1)
        self._wake: asyncio.TimerHandle | None = None
        self._ended: asyncio.Future[Exception | None] = self._loop.create_future()
        node.out.carry_out = self._carry_out
        node.out.stopwatch = time.perf_counter

    # --- life -------------------------------------------------------------------------------

    def bind(self, endpoints: tuple[Endpoint, ...]) -> dict[str, int]:
        """Listen on all endpoints; the ports had (by listener name), also where 0 was asked."""
        return {endpoint.name: self._doors.open(endpoint) for endpoint in endpoints}

    async def run(self) -> None:
        """Start the node and drive it to its end.

        Halted if it stopped itself, Bug if a bug did, Unusable if it cannot run as configured.
        """
        self._loop.set_exception_handler(self._on_loop_error)
        self._feed(self._node.begin)
        try:
            ending = await self._ended
            if ending is not None:
                self._hang_up("the node has halted")
                await self._take_leave()
                raise ending
        finally:
            self._hang_up("the node has stopped")
            self._disks.end()
            self._loop.set_exception_handler(None)

    def shut_down(self) -> None:
        """Have the node stop cleanly (controlled shutdown, flush, close)."""
        self._feed(self._node.shut_down)

    def _hang_up(self, why: str) -> None:
        if self._wake is not None:
            self._wake.cancel()
        self._doors.close()
        self._peers.close()
        self._crowd.close(why)

    async def _take_leave(self) -> None:
        try:
            words = self._node.last_words()
            if words is not None:
                said = await take_leave(words, self._limit, self._peers.links)
                log.info("halt report", node=self._node.config.node_id, outcome=said)
        except Exception:
            # After a bug nothing is certain, this included; the node ends all the same.
            log.exception("a bug: the node could not report its halt to the controller")

    def statistics(self) -> Iterator[Sample]:
        """Figures of the rim: requests and their times, the loop, certificates."""
        yield from self._crowd.times.statistics()
        yield from self._pulse.statistics()
        yield from self._doors.statistics()

    # --- bugs -------------------------------------------------------------------------------

    def _on_bug(self, bug: BaseException) -> None:
        log.error("a bug: the node stops", exc_info=bug)
        if not self._ended.done():
            self._ended.set_result(Bug(f"a bug of Spindle: {named(bug)}"))

    def _on_loop_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        """An exception that a callback or a task did not catch."""
        bug = context.get("exception")
        if isinstance(bug, BaseException):
            self._on_bug(bug)
        else:
            log.warning("the event loop reported an error", reason=context["message"])

    # --- what happens -----------------------------------------------------------------------

    def _feed(self, happened: Callable[[], None]) -> None:
        if self._ended.done():
            return
        try:
            self._pulse.on_input()
            self._node.out.busy = self._pulse.busy
            self._node.set_time(self._loop.time(), time.time_ns() // 1_000_000)
            happened()
            self._pump()
            self._pulse.on_worked_off()
        except Exception as bug:
            self._on_bug(bug)

    def _let_in(
        self, client: socket.socket, listener: str, host: str, principal: KafkaPrincipal
    ) -> None:
        id = next(self._ids)
        first = self._node.first_frames(listener)
        stream = stream_of(client)(
            client,
            self._loop,
            self._limit if first is None else min(first, self._limit),
            self._scratch,
            lambda frames: self._on_frames(id, frames),
            lambda reason: self._on_closed(id, reason),
            lambda more: self._crowd.on_kept(id, more),
            UNSENT_MAX,
            self._crowd.backlog.add,
        )
        self._crowd.add(id, stream, listener, host, self._doors.is_protected(listener))
        self._feed(lambda: self._node.on_connected(id, listener, host, principal))

    def _on_frames(self, id: int, frames: Iterator[Buffer]) -> None:
        def all_of_them() -> None:
            for frame in frames:
                self._crowd.times.on_frame(id, frame)
                self._crowd.on_frame(id, len(frame))
                self._node.on_frame(id, frame)
                if self._node.out.interrupts:
                    return

        self._feed(all_of_them)

    def _on_closed(self, id: int, reason: str) -> None:
        self._doors.left(*self._crowd.remove(id), reason == SPEAKS_TLS)
        if reason not in ("closed by the other side", "closed by us"):
            log.debug("connection closed", connection=id, reason=reason)
        self._feed(lambda: self._node.on_disconnected(id))

    def _on_done(self, results: list[tuple[int, object]]) -> None:
        def all_of_them() -> None:
            for ticket, result in results:
                self._node.on_done(ticket, result)

        self._feed(all_of_them)

    def _on_reply(self, ticket: int, result: object) -> None:
        self._feed(lambda: self._node.on_done(ticket, result))

    def _on_time(self) -> None:
        self._wake = None
        self._feed(self._node.on_time)

    # --- what is asked for ---------------------------------------------------------------------

    def _pump(self) -> None:
        while (ready := self._node.take()) is not None:
            self._carry_out(ready)
        self._crowd.on_queued(self._node.queued)
        wake_at = self._node.wake_at
        if wake_at is not None and (self._wake is None or wake_at < self._wake.when()):
            # One that is set too early stays: a call for nothing costs less than to set it again.
            if self._wake is not None:
                self._wake.cancel()
            self._wake = self._loop.call_at(wake_at, self._on_time)

    def _carry_out(self, ready: Ready) -> None:
        for job in ready.jobs:
            self._disks.put(job)
        for frame in ready.frames:
            self._peers.send(frame)
        for knock in ready.knocks:
            self._peers.knock(knock)
        self._answer(ready.answers)
        for connection in ready.trusted:
            stream = self._crowd.get(connection)
            if stream is not None:
                stream.take_frames(self._limit)
        for connection, seconds in ready.mutes:
            self._crowd.mute(connection, seconds)
        for connection in ready.closes:
            stream = self._crowd.get(connection)
            if stream is not None:
                stream.close_after_sending(REFUSED_SECONDS * self._node.out.strain)
        for said in ready.log_lines:
            getattr(node_logs[said.logger], said.level)(said.event, **said.fields)
        if self._ended.done():
            return
        if ready.halt is not None:
            kind = Unusable if ready.unusable else Halted
            self._ended.set_result(kind(ready.halt))
        elif ready.stopped:
            self._ended.set_result(None)

    def _answer(self, answers: list[FrameAnswered]) -> None:
        """All answers of a connection leave together: each send is a call of the system."""
        answered: dict[int, Stream] = {}
        for answer in answers:
            id = answer.connection
            stream = answered.get(id) or self._crowd.get(id)
            if stream is not None:
                stream.add(answer.buffers)
                answered[id] = stream
        for stream in answered.values():
            stream.flush()
        for answer in answers:
            if answer.connection in answered:
                self._crowd.on_answered(answer.connection)


def _is_follower(node: Node, connection: int) -> bool:
    """Whether a connection's fetches are those of a broker's follower."""
    broker = node.broker
    return broker is not None and connection in broker.replicas.writes.stats.followers
