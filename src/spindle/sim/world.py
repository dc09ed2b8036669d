"""The rim's twin: virtual time, one seeded source of chance, hosts that run the real machines.

The only thing that moves time is the queue of events, ordered by (time, number): the same seed
gives the same run, byte for byte (`digest`). Carries out a machine's wishes as `runtime.driver`
does. Knows no Kafka: hosts are machines with an Outbox, directories, and names on a network.
"""

from __future__ import annotations

import hashlib
import heapq
import itertools
import random
from collections.abc import Callable
from typing import Any, Protocol

from spindle.model.ids import LogDir
from spindle.model.jobs import CopyBytes
from spindle.model.outbox import JobAsked, Ready, Said
from spindle.sim.net import Net
from spindle.storage.directory import Directory

WALL_START_MS = 1_800_000_000_000
"""Wall clock at the beginning of every simulation, in ms since 1970."""
SAID_MAX = 2000
"""Log lines kept for the report of a failing seed."""


class Machine(Protocol):
    """What a host runs: a node, or a client of the workload."""

    wake_at: float | None

    def set_time(self, now: float, wall_ms: int) -> None: ...
    def begin(self) -> None: ...
    def on_connected(self, connection: int, listener: str, host: str) -> None: ...
    def on_frame(self, connection: int, frame: Any) -> None: ...
    def on_disconnected(self, connection: int) -> None: ...
    def on_done(self, ticket: int, result: object) -> None: ...
    def on_time(self) -> None: ...
    def take(self) -> Ready | None: ...


class Host:
    """A machine that runs somewhere in the world. `life` grows with every start."""

    def __init__(self, name: str, directories: dict[LogDir, Directory]) -> None:
        self.name = name
        self.directories = directories
        self.machine: Machine | None = None
        self.life = 0
        self.halted: str | None = None
        self.stopped = False
        self.lanes: dict[tuple[LogDir, LogDir], list[JobAsked]] = {}
        self.woken_for: float | None = None


class World:
    """Hosts, a network and time. `delay_ms` says how long a disk's group of jobs takes."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.rng = random.Random(seed)
        self.now = 0.0
        self.events = 0
        self.net = Net(self)
        self.hosts: dict[str, Host] = {}
        self.checks: list[Callable[[], None]] = []
        self.said: list[tuple[float, str, Said]] = []
        self.job_seconds = 0.0002
        self.slow: dict[LogDir, float] = {}
        """Extra seconds that a directory's jobs take; `inf`: it hangs."""
        self._heap: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self._numbers = itertools.count()
        self._digest = hashlib.blake2b(digest_size=16)

    # --- time -------------------------------------------------------------------------------

    @property
    def wall_ms(self) -> int:
        """The wall clock."""
        return WALL_START_MS + int(self.now * 1000)

    @property
    def digest(self) -> str:
        """A fingerprint of all that has happened."""
        return self._digest.hexdigest()

    def at(self, when: float, then: Callable[..., None], *args: Any) -> None:
        """Have something happen at a time."""
        heapq.heappush(self._heap, (max(when, self.now), next(self._numbers), then, args))

    def after(self, delay: float, then: Callable[..., None], *args: Any) -> None:
        """Have something happen `delay` seconds from now."""
        self.at(self.now + delay, then, *args)

    def run(self, until: float, done: Callable[[], bool] = lambda: False) -> bool:
        """Let time pass until `done()` or the time is reached; whether `done()`."""
        while self._heap and self._heap[0][0] <= until:
            if done():
                return True
            self.now, _, then, args = heapq.heappop(self._heap)
            self.events += 1
            then(*args)
            for check in self.checks:
                check()
        if done():
            return True
        self.now = max(self.now, until)
        return False

    def note(self, *what: object) -> None:
        """Make something part of the run's fingerprint."""
        self._digest.update(f"{self.now:.9f} {what}\n".encode())

    # --- hosts ------------------------------------------------------------------------------

    def start(self, host: Host, machine: Machine) -> None:
        """Run a machine on a host which is down."""
        assert host.machine is None, f"{host.name} runs already"
        self.hosts[host.name] = host
        host.life += 1
        host.machine = machine
        host.halted, host.stopped = None, False
        host.lanes.clear()
        host.woken_for = None
        self.note("start", host.name)
        self.feed(host, machine.begin)

    def kill(self, host: Host) -> None:
        """End a host at once: what was queued for its disks is never done."""
        if host.machine is None:
            return
        host.machine = None
        host.life += 1
        self.note("kill", host.name)
        self.net.host_gone(host.name)

    def feed(self, host: Host, happened: Callable[[], None]) -> None:
        """Let something happen to a host's machine; then carry out what it wishes."""
        machine = host.machine
        if machine is None:
            return
        machine.set_time(self.now, self.wall_ms)
        happened()
        self._pump(host)

    def _pump(self, host: Host) -> None:
        while host.machine is not None and (ready := host.machine.take()) is not None:
            self._carry_out(host, ready)
        machine = host.machine
        if machine is None or machine.wake_at is None or machine.wake_at == host.woken_for:
            return
        host.woken_for = machine.wake_at
        self.at(machine.wake_at, self._wake, host, host.life, machine.wake_at)

    def _wake(self, host: Host, life: int, at: float) -> None:
        if host.life != life or host.machine is None or host.woken_for != at:
            return
        host.woken_for = None
        self.feed(host, host.machine.on_time)

    def _carry_out(self, host: Host, ready: Ready) -> None:
        for asked in ready.jobs:
            self._queue(host, asked)
        for frame in ready.frames:
            self.net.ask(host, frame)
        for answer in ready.answers:
            self.net.answer(host, answer)
        for connection in ready.closes:
            self.net.hang_up(connection)
        for said in ready.said:
            self.said.append((self.now, host.name, said))
            del self.said[:-SAID_MAX]
        if ready.halt is not None or ready.stopped:
            host.halted, host.stopped = ready.halt, ready.stopped
            self.kill(host)

    # --- disks ------------------------------------------------------------------------------

    def _queue(self, host: Host, asked: JobAsked) -> None:
        job = asked.job
        lane = (job.source if isinstance(job, CopyBytes) else job.directory, job.directory)
        waiting = host.lanes.setdefault(lane, [])
        waiting.append(asked)
        if len(waiting) == 1:
            self._work(host, lane)

    def _work(self, host: Host, lane: tuple[LogDir, LogDir]) -> None:
        seconds = self.job_seconds * (0.5 + self.rng.random())
        seconds += max(self.slow.get(directory, 0.0) for directory in lane)
        if seconds < float("inf"):
            self.after(seconds, self._run_group, host, host.life, lane)

    def _run_group(self, host: Host, life: int, lane: tuple[LogDir, LogDir]) -> None:
        if host.life != life or host.machine is None:
            return
        group = list(host.lanes[lane])
        results = host.directories[lane[1]].run_group([asked.job for asked in group])
        self.note("jobs", host.name, lane[1], [type(asked.job).__name__ for asked in group])
        del host.lanes[lane][: len(group)]
        if host.lanes[lane]:
            self._work(host, lane)
        machine = host.machine

        def tell() -> None:
            for asked, result in zip(group, results, strict=True):
                machine.on_done(asked.ticket, result)

        self.feed(host, tell)
