"""Listening sockets: which connections are accepted, and what happens without room for more (S-08).

A node without free descriptors does not spin: it stops accepting for a while and says so once.
The last descriptors are kept for the listeners of brokers and controllers, and for files. At a
limit the connection that has been quiet for longest makes room; while the loop is busy, newcomers
get a share of it. Knows connections, not requests.
"""

from __future__ import annotations

import asyncio
import errno
import resource
import socket
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Final, NamedTuple

import structlog

from spindle.core.quotas.connection_rates import ConnectionRates
from spindle.core.quotas.sampled_rate import Windows
from spindle.model.config import NodeConfig
from spindle.model.errors import Unusable
from spindle.model.ids import Endpoint
from spindle.model.settings.setting import MAX_INT
from spindle.runtime.net import listen

log = structlog.get_logger("spindle.runtime.doors")

MAX_CONNECTIONS: Final = "max.connections"
CREATION_RATE: Final = "max.connection.creation.rate"
ACCEPT_AT_ONCE: Final = 64
"""Connections taken before the loop serves those that are there."""
PAUSE_SECONDS: Final = 1.0
"""How long a listener rests after it could not accept."""
SAY_SECONDS: Final = 10.0
"""The least time between two lines about connections that were refused."""
TURNED_AWAY_MOST: Final = 100
"""Connections that wait to be closed, because too many came from their address (KIP-612)."""
BUSY: Final = 0.9
"""From this share of its time on an event loop counts as busy: newcomers get a share of it."""
REQUESTS_PER_NEWCOMER: Final = 20
NEWCOMERS_PER_SECOND: Final = 10.0
"""Of a busy loop newcomers get one entry for each so many requests, and so many entries a second.

To let one in and see it off costs as much as some requests: clients that come and go without end
would take the loop from the others."""
NEWCOMERS_WAIT: Final = 0.05
"""How long (s) a listener rests whose newcomers have had their share; they wait in its backlog."""
RESERVE_SHARE: Final = 4
RESERVE_MAX: Final = 1024
"""A quarter of all descriptors, this many at most, are not for clients."""
_GONE: Final = frozenset({errno.ECONNABORTED, errno.EPROTO, errno.EPERM, errno.ENETDOWN})
"""The connection was no more when we came to accept it; the next one may be."""


class ConnectionLimits:
    """How many connections a node takes; settings that change while it runs count at once."""

    def __init__(
        self,
        config: NodeConfig,
        descriptors: int,
        rate_of_host: Callable[[str], float | None] = lambda host: None,
    ) -> None:
        """`descriptors`: how many files and sockets the process may have open. `rate_of_host`: the
        new connections that an address may open in a second; None: as many as it likes."""
        self.rate_of_host = rate_of_host
        self.descriptors = descriptors
        self._settings = settings = config.settings
        self.receive_buffer = settings.whole("socket.receive.buffer.bytes")
        self.send_buffer = settings.whole("socket.send.buffer.bytes")
        """Bytes that the system keeps for a client that does not read; -1: as much as it likes."""
        protected = set(config.quorum.listeners)
        clients = [e.name for e in config.listeners if e.name not in protected]
        if len(clients) > 1:
            protected.add(config.inter_broker_listener)
        self.protected = frozenset(protected)
        """Listeners on which brokers and controllers come, and no clients."""
        self.windows = Windows(
            settings.whole("quota.window.num"), float(settings.whole("quota.window.size.seconds"))
        )
        self._of_listeners: dict[str, tuple[int, int, int]] = {}
        """(connections, their rate, the version of the settings that say so)."""
        self._overrides: tuple[str, dict[str, int]] = ("", {})
        self.of_host("")  # Whether the overrides can be read.

    @property
    def for_clients(self) -> int:
        """A descriptor with this number or a higher one is not for a client.

        The system always gives the lowest that is free: so its number says how many are in use.
        """
        return self.descriptors - min(self.descriptors // RESERVE_SHARE, RESERVE_MAX)

    @property
    def connections(self) -> int:
        """Of all listeners together."""
        return self._settings.whole(MAX_CONNECTIONS)

    def of_listener(self, name: str) -> int:
        """Of one listener."""
        return self._own(name)[0]

    def rate_of(self, listener: str) -> float:
        """New connections a second by one listener; inf: as many as come."""
        return _rate(self._own(listener)[1])

    @property
    def rate(self) -> float:
        """New connections a second by all listeners of clients; inf: as many as come."""
        return _rate(self._settings.whole(CREATION_RATE))

    def _own(self, listener: str) -> tuple[int, int, int]:
        """What is said of one listener alone; what is said of all is no bound of each."""
        found = self._of_listeners.get(listener)
        version = self._settings.version
        if found is None or found[2] != version:
            prefix, given = f"listener.name.{listener.lower()}.", self._settings
            own = given.of_listener(listener)
            connections, rate = (
                own.whole(name)
                if prefix + name in given.given or prefix + name in given.dynamic
                else MAX_INT
                for name in (MAX_CONNECTIONS, CREATION_RATE)
            )
            found = self._of_listeners[listener] = connections, rate, version
        return found

    def of_host(self, host: str) -> int:
        """From one address."""
        text = self._settings.word("max.connections.per.ip.overrides")
        if self._overrides[0] != text:
            self._overrides = text, _overrides(text)
        return self._overrides[1].get(host, self._settings.whole("max.connections.per.ip"))


def _rate(value: int) -> float:
    return inf if value == MAX_INT else float(value)


def _overrides(text: str) -> dict[str, int]:
    """`host:count,host:count`; Unusable where it is not."""
    found = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        host, _, count = part.rpartition(":")
        try:
            found[str(socket.getaddrinfo(host, None)[0][4][0])] = int(count)
        except (OSError, ValueError):
            raise Unusable(
                f"max.connections.per.ip.overrides: {part!r} is not address:number"
            ) from None
    return found


def raise_descriptors() -> int:
    """Raise this process's limit of descriptors as far as it may; the limit it has now."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        except (OSError, ValueError) as error:  # macOS tells of more than it gives
            log.warning(
                "the limit of open files could not be raised", limit=soft, reason=str(error)
            )
            return soft
    return hard


@dataclass(slots=True, eq=False)
class _Door:
    sock: socket.socket
    name: str
    open: int = 0
    refused: int = 0
    silent_until: float = 0.0
    resume: asyncio.TimerHandle | None = None


class NewcomersShare:
    """How many new connections may come in, so that those that are there keep a busy loop (S-08).

    Pure: its caller passes the time, how busy the loop is, and how many requests came so far.
    """

    def __init__(self) -> None:
        self._allowance = float(ACCEPT_AT_ONCE)
        self._at = 0.0
        self._requests = 0

    def take(self, now: float, busy: float, requests: int) -> bool:
        """Whether one more may come in now (s); it then has."""
        more = (requests - self._requests) / REQUESTS_PER_NEWCOMER
        more += (now - self._at) * NEWCOMERS_PER_SECOND
        self._allowance = min(self._allowance + more, float(ACCEPT_AT_ONCE))
        self._at, self._requests = now, requests
        if busy < BUSY:
            return True
        if self._allowance < 1.0:
            return False
        self._allowance -= 1.0
        return True


class Bustle(NamedTuple):
    """What goes on behind the doors."""

    busy: Callable[[], float]
    """The share of its time in which the event loop lately had something to do that could not have
    waited, from 0 to 1."""
    requests: Callable[[], int]
    """How many requests have come so far."""


LetIn = Callable[[socket.socket, str, str], None]


class Doors:
    """All listeners of a node.

    `let_in(socket, listener, host)` is given each connection that may stay; tell `left` when it has
    gone. `make_room()` closes a connection that can be spared, and says whether there was one.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        limits: ConnectionLimits,
        let_in: LetIn,
        make_room: Callable[[], bool],
        bustle: Bustle,
    ) -> None:
        self._loop = loop
        self._bustle = bustle
        self._newcomers = NewcomersShare()
        self._limits = limits
        self._let_in = let_in
        self._make_room = make_room
        self._doors: dict[str, _Door] = {}
        self._rates = ConnectionRates(limits.windows)
        self._turned_away: dict[socket.socket, asyncio.TimerHandle] = {}
        self._hosts: Counter[str] = Counter()

    def open(self, endpoint: Endpoint) -> int:
        """Listen on an endpoint; the port had, also where 0 was asked."""
        sock = listen(endpoint.host, endpoint.port, self._limits.receive_buffer)
        door = _Door(sock, endpoint.name)
        self._doors[endpoint.name] = door
        self._loop.add_reader(sock.fileno(), self._accept, door)
        port: int = sock.getsockname()[1]
        return port

    def close(self) -> None:
        """Listen no longer."""
        doors, self._doors = self._doors, {}
        for client, timer in self._turned_away.items():
            timer.cancel()
            client.close()
        self._turned_away.clear()
        for door in doors.values():
            if door.resume is not None:
                door.resume.cancel()
            self._loop.remove_reader(door.sock.fileno())
            door.sock.close()

    def left(self, listener: str, host: str) -> None:
        """A connection from this host has gone."""
        if listener in self._doors:
            self._doors[listener].open -= 1
        self._hosts[host] -= 1
        if self._hosts[host] <= 0:
            del self._hosts[host]

    def is_protected(self, listener: str) -> bool:
        """Whether brokers and controllers come on a listener, and clients do not."""
        return listener in self._limits.protected

    # --- accepting ----------------------------------------------------------------------------

    def _accept(self, door: _Door) -> None:
        for _ in range(ACCEPT_AT_ONCE):
            if not self._has_time_for(door):
                self._rest(door, NEWCOMERS_WAIT)
                return
            try:
                client, address = door.sock.accept()
            except (BlockingIOError, InterruptedError):
                return
            except OSError as error:
                if error.errno in _GONE:
                    continue
                if not self._make_room():
                    self._pause(door, error)
                return
            host = address[0]
            rest = self._rest_of(door)
            if self._turns_away(door, client, host):
                continue
            why = self._refusal(door, host, client.fileno())
            if why is None:
                self._hosts[host] += 1
                door.open += 1
                if (size := self._limits.send_buffer) >= 0:
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, size)
                self._let_in(client, door.name, host)
            else:
                client.close()
                self._refused(door, host, why)
            if rest > 0.0:
                self._rest(door, rest)
                return

    def _rest_of(self, door: _Door) -> float:
        """For how long (s) the listener accepts nothing after this one, which came too soon."""
        limits, now = self._limits, self._loop.time()
        of_node = inf if door.name in limits.protected else limits.rate
        return self._rates.on_accepted(door.name, limits.rate_of(door.name), of_node, now)

    def _turns_away(self, door: _Door, client: socket.socket, host: str) -> bool:
        """Whether too many come from this address. It is closed after a while: else it is back."""
        rate, now = self._limits.rate_of_host(host), self._loop.time()
        if rate is None or (wait := self._rates.on_host(host, rate, now)) <= 0.0:
            return False
        self._rates.take_back(door.name, now)
        if len(self._turned_away) >= TURNED_AWAY_MOST:
            client.close()
        else:
            timer = self._loop.call_later(wait, self._close, client)
            self._turned_away[client] = timer
        self._refused(door, host, f"connection_creation_rate of this address is {rate:g}")
        return True

    def _close(self, client: socket.socket) -> None:
        del self._turned_away[client]
        client.close()

    def _has_time_for(self, door: _Door) -> bool:
        """Whether the loop has time for one more by this door, if one is there."""
        if door.name in self._limits.protected:
            return True
        bustle = self._bustle
        return self._newcomers.take(self._loop.time(), bustle.busy(), bustle.requests())

    def _refusal(self, door: _Door, host: str, descriptor: int) -> str | None:
        limits = self._limits
        if self._hosts[host] >= (most := limits.of_host(host)):
            return f"max.connections.per.ip is {most}"
        if door.open >= (most := limits.of_listener(door.name)):
            return f"{MAX_CONNECTIONS} of this listener is {most}"
        protected = door.name in limits.protected
        if self._hosts.total() >= limits.connections:
            why = f"{MAX_CONNECTIONS} is {limits.connections}"
        elif not protected and descriptor >= limits.for_clients:
            why = f"{limits.for_clients} of {limits.descriptors} descriptors are in use"
        else:
            return None
        return None if self._make_room() or protected else f"{why} and no connection is quiet"

    def _refused(self, door: _Door, host: str, why: str) -> None:
        door.refused += 1
        now = self._loop.time()
        if now >= door.silent_until:
            door.silent_until = now + SAY_SECONDS
            log.warning(
                "connections are refused",
                listener=door.name,
                host=host,
                reason=why,
                so_far=door.refused,
            )

    def _rest(self, door: _Door, seconds: float) -> None:
        self._loop.remove_reader(door.sock.fileno())
        door.resume = self._loop.call_later(seconds, self._resume, door)

    def _pause(self, door: _Door, error: OSError) -> None:
        self._rest(door, PAUSE_SECONDS)
        now = self._loop.time()
        if now >= door.silent_until:
            door.silent_until = now + SAY_SECONDS
            log.warning(
                "no connection can be accepted now: clients wait for a free file descriptor",
                listener=door.name,
                reason=error.strerror,
                descriptors=self._limits.descriptors,
            )

    def _resume(self, door: _Door) -> None:
        door.resume = None
        self._loop.add_reader(door.sock.fileno(), self._accept, door)
