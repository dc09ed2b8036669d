"""A network of byte-exact frames that delays, cuts and breaks: connections keep their order, as
TCP does; a cut swallows what is under way, and the asker's time-out ends it.

Belongs to the world. Knows lengths and APIs' numbers, not contents.
"""

from __future__ import annotations

import itertools
import struct
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from spindle.model.errors import PeerFailed, PeerGone
from spindle.model.outbox import FrameAnswered, FrameAsked, KnockAsked, Knocked
from spindle.sim.host import Host
from spindle.sim.timeline import Timeline

LATENCY = 0.0005
_API = struct.Struct(">hh")
"""How each request begins: the API's key and version."""


class _Place(NamedTuple):
    host: str
    listener: str


class _Pipe:
    """One connection: asked on one side, served on the other."""

    def __init__(self, id: int, source: Host, target: Host) -> None:
        self.id = id
        self.source, self.target = source, target
        self.lives = (source.life, target.life)
        self.open: deque[FrameAsked] = deque()
        self.there_free = 0.0
        self.back_free = 0.0
        self.swallowed = False
        """Something was lost in a cut: nothing arrives on this connection any more."""


class Net:
    """The listeners, the connections between them, and the faults."""

    def __init__(
        self,
        time: Timeline,
        hosts: Mapping[str, Host],
        feed: Callable[[Host, Callable[[], None]], None],
    ) -> None:
        """`hosts`: all by name; `feed`: lets something happen to a host's machine."""
        self._time, self._hosts, self._feed = time, hosts, feed
        self._places: dict[tuple[str, int], _Place] = {}
        self._pipes: dict[tuple[str, str, int, str], _Pipe] = {}
        self._by_id: dict[int, _Pipe] = {}
        self._ids = itertools.count(1)
        self.latency = LATENCY
        """Mean seconds that a frame is under way."""
        self.cuts: dict[tuple[str, str], None] = {}
        """(from, to) pairs between which nothing passes; one-way."""

    def listen(self, address: tuple[str, int], host: str, listener: str) -> None:
        """Have a host serve an address."""
        self._places[address] = _Place(host, listener)

    # --- what machines ask for -------------------------------------------------------------------

    def ask(self, source: Host, asked: FrameAsked) -> None:
        """A request leaves."""
        time = self._time
        key = (source.name, asked.host, asked.port, asked.channel)
        pipe = self._pipes.get(key)
        if pipe is None or pipe.lives[0] != source.life:  # the process before had that one
            pipe = self._connect(key, source)
        if pipe is None:
            time.after(self._delay(), self._refused, source, source.life, asked)
            return
        pipe.open.append(asked)
        time.after(asked.timeout, self._late, key, pipe, asked)
        pipe.there_free = max(pipe.there_free, time.now + self._delay())
        time.at(pipe.there_free, self._arrive, pipe, asked.frame[4:])

    def knock(self, source: Host, asked: KnockAsked) -> None:
        """A connection is tried. A process that is stopped in mid-air still has its system's."""
        place = self._places.get((asked.host, asked.port))
        name = place.host if place else ""
        target = self._hosts.get(name)
        outcome, delay = Knocked.OPENED, 2 * self._delay()
        if (source.name, name) in self.cuts or (name, source.name) in self.cuts:
            outcome, delay = Knocked.SILENT, asked.timeout
        elif target is None or target.machine is None:
            outcome = Knocked.REFUSED
        self._time.after(delay, self._knocked, source, source.life, asked, outcome)

    def answer(self, target: Host, answer: FrameAnswered) -> None:
        """An answer leaves."""
        pipe = self._by_id.get(answer.connection)
        if pipe is None or not answer.buffers:
            return
        frame = b"".join(bytes(buffer) for buffer in answer.buffers)[4:]
        pipe.back_free = max(pipe.back_free, self._time.now + self._delay())
        self._time.at(pipe.back_free, self._return, pipe, frame)

    def mute(self, connection: int, seconds: float) -> None:
        """The serving side reads nothing for a while; what is sent arrives after that."""
        pipe = self._by_id.get(connection)
        if pipe is not None:
            pipe.there_free = max(pipe.there_free, self._time.now + seconds)

    def close_connection(self, connection: int) -> None:
        """The serving side closes a connection."""
        pipe = self._by_id.get(connection)
        if pipe is not None:
            self._time.after(self._delay(), self._break, pipe, "closed by the other side")

    def host_gone(self, name: str) -> None:
        """A host is down: its connections break, after a while, for those at the other end."""
        for pipe in list(self._by_id.values()):
            if name in (pipe.source.name, pipe.target.name):
                self._time.after(self._delay(), self._break, pipe, "connection reset")

    # --- faults -------------------------------------------------------------------------------

    def break_some(self) -> None:
        """Break one of the connections, for both ends at once."""
        if self._by_id:
            pipes = list(self._by_id.values())
            self._break(pipes[self._time.rng.randrange(len(pipes))], "connection reset")

    def heal(self) -> None:
        """No more cuts and delays; connections that have lost something are reset."""
        self.cuts.clear()
        self.latency = LATENCY
        self.reset_swallowed()

    def reset_swallowed(self) -> None:
        """Connections that have lost something in a cut break at last."""
        for pipe in list(self._by_id.values()):
            if pipe.swallowed:
                self._time.after(self._delay(), self._break, pipe, "connection reset")

    # --- what happens -------------------------------------------------------------------------

    def _connect(self, key: tuple[str, str, int, str], source: Host) -> _Pipe | None:
        place = self._places.get((key[1], key[2]))
        target = self._hosts.get(place.host) if place else None
        if place is None or target is None or target.machine is None:
            return None
        pipe = _Pipe(next(self._ids), source, target)
        self._pipes[key] = pipe
        self._by_id[pipe.id] = pipe
        pipe.there_free = self._time.now + self._delay()
        self._time.at(pipe.there_free, self._accept, pipe, place.listener)
        return pipe

    def _accept(self, pipe: _Pipe, listener: str) -> None:
        machine = pipe.target.machine
        if self._alive(pipe) and machine is not None:
            self._feed(
                pipe.target, lambda: machine.on_connected(pipe.id, listener, pipe.source.name)
            )

    def _arrive(self, pipe: _Pipe, frame: bytes) -> None:
        machine = pipe.target.machine
        if not self._passes(pipe, pipe.source, pipe.target) or machine is None:
            return
        key, version = _API.unpack_from(frame)
        self._time.note("frame", pipe.source.name, pipe.target.name, key, version, len(frame))
        self._feed(pipe.target, lambda: machine.on_frame(pipe.id, frame))

    def _return(self, pipe: _Pipe, frame: bytes) -> None:
        machine = pipe.source.machine
        if not self._passes(pipe, pipe.target, pipe.source) or machine is None or not pipe.open:
            return
        asked = pipe.open.popleft()
        self._time.note("reply", pipe.target.name, pipe.source.name, len(frame))
        self._feed(pipe.source, lambda: machine.on_done(asked.ticket, frame))

    def _passes(self, pipe: _Pipe, source: Host, target: Host) -> bool:
        if (source.name, target.name) in self.cuts:
            pipe.swallowed = True
        return not pipe.swallowed and self._alive(pipe)

    def _alive(self, pipe: _Pipe) -> bool:
        return pipe.id in self._by_id and pipe.lives == (pipe.source.life, pipe.target.life)

    def _late(self, key: tuple[str, str, int, str], pipe: _Pipe, asked: FrameAsked) -> None:
        if any(open_ is asked for open_ in pipe.open):
            self._break(pipe, f"no reply within {asked.timeout:g} s", PeerFailed)

    def _knocked(self, source: Host, life: int, asked: KnockAsked, outcome: Knocked) -> None:
        machine = source.machine
        if machine is not None and source.life == life:
            self._feed(source, lambda: machine.on_done(asked.ticket, outcome))

    def _refused(self, source: Host, life: int, asked: FrameAsked) -> None:
        machine = source.machine
        if machine is not None and source.life == life:
            failed = PeerGone(f"{asked.host}:{asked.port}: connection refused")
            self._feed(source, lambda: machine.on_done(asked.ticket, failed))

    def _break(self, pipe: _Pipe, reason: str, failure: type[PeerFailed] = PeerGone) -> None:
        if self._by_id.pop(pipe.id, None) is None:
            return
        for key in [key for key, other in self._pipes.items() if other is pipe]:
            del self._pipes[key]
        machine = pipe.target.machine
        if machine is not None and pipe.target.life == pipe.lives[1]:
            self._feed(pipe.target, lambda: machine.on_disconnected(pipe.id))
        while pipe.open:
            asked = pipe.open.popleft()
            source = pipe.source.machine
            if source is not None and pipe.source.life == pipe.lives[0]:
                failed = failure(f"{asked.host}:{asked.port}: {reason}")
                self._feed(pipe.source, partial(source.on_done, asked.ticket, failed))

    def _delay(self) -> float:
        return self.latency * (0.5 + self._time.rng.random())
