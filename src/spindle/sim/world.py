"""The rim's twin: virtual time, one seeded source of chance, hosts that run the real machines.

The only thing that moves time is the queue of events, ordered by (time, number): the same seed
gives the same run, byte for byte (`digest`). Carries out a machine's effects as `runtime.driver`
does. Knows no Kafka: hosts are machines with an Outbox, directories, and names on a network.
"""

from __future__ import annotations

import hashlib
import heapq
import itertools
import random
from collections import deque
from collections.abc import Callable
from typing import TypeVarTuple

from spindle.model.activity import Abandon, Activity, Observe
from spindle.model.ids import LogDir
from spindle.model.jobs import (
    BesideJob,
    Job,
)
from spindle.model.outbox import JobAsked, Ready, Said
from spindle.sim.host import Host, Lane, Machine
from spindle.sim.memory_disk import PowerCut
from spindle.sim.sim_network import Net

Ts = TypeVarTuple("Ts")
WALL_START_MS = 1_800_000_000_000
"""Wall clock at the beginning of every simulation, in ms since 1970."""
SAID_MAX = 2000
"""Log lines kept for the report of a failing seed."""
FOREVER = float("inf")


class World:
    """Hosts, a network and time."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.rng = random.Random(seed)
        self.now = 0.0
        self.events = 0
        self.net = Net(self)
        self.hosts: dict[str, Host] = {}
        self.watchers: list[Callable[[Host], None]] = []
        """Called with a host after each thing that has happened to it and to its disks."""
        self.on_ended: Callable[[Host], None] = lambda host: None
        """Called with a host whose machine has halted or stopped by itself."""
        self.on_power_cut: Callable[[Host], None] = lambda host: None
        """Called with a host whose power went during one of its disk's calls."""
        self.on_jobs: Callable[[Host, list[Job[object]], list[object]], None] = (
            lambda host, jobs, done: None
        )
        """Called with a group of jobs that was carried out, with the results."""
        self.trace: Callable[[str], None] | None = None
        """Given a line for each thing that happens."""
        self.said: deque[tuple[float, str, Said]] = deque(maxlen=SAID_MAX)
        self.job_seconds = 0.0002
        """Mean seconds that a group of jobs takes."""
        self.slow: dict[LogDir, float] = {}
        """Extra seconds that a directory's jobs take; FOREVER: it hangs."""
        self._heap: list[tuple[float, int, Callable[..., None], tuple[object, ...]]] = []
        self._numbers = itertools.count()
        self._digest = hashlib.blake2b(digest_size=16)

    # --- time -------------------------------------------------------------------------------

    @property
    def wall_ms(self) -> int:
        """The wall clock, as a host without skew shows it."""
        return WALL_START_MS + int(self.now * 1000)

    @property
    def digest(self) -> str:
        """A fingerprint of all that has happened."""
        return self._digest.hexdigest()

    def at(self, when: float, then: Callable[[*Ts], None], *args: *Ts) -> None:
        """Have something happen at a time."""
        heapq.heappush(self._heap, (max(when, self.now), next(self._numbers), then, args))

    def after(self, delay: float, then: Callable[[*Ts], None], *args: *Ts) -> None:
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
        if done():
            return True
        self.now = max(self.now, until)
        return False

    def note(self, *what: object) -> None:
        """Make something part of the run's fingerprint, and of its trace."""
        line = f"{self.now:.9f} {what}"
        self._digest.update(line.encode())
        if self.trace is not None:
            self.tell(" ".join(map(str, what)))

    def tell(self, line: str) -> None:
        """Make something part of the trace alone."""
        if self.trace is not None:
            self.trace(f"{self.now:12.6f}  {line}")

    # --- hosts ------------------------------------------------------------------------------

    def start(self, host: Host, machine: Machine) -> None:
        """Run a machine on a host which is down."""
        assert host.machine is None, f"{host.name} runs already"
        self.hosts[host.name] = host
        host.life += 1
        host.machine = machine
        host.halted, host.stopped = None, False
        host.lanes.clear()
        host.stuck.clear()
        host.begun.clear()
        host.worked.clear()
        host.woken_for = host.frozen = None
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

    def freeze(self, host: Host) -> None:
        """Stop a host's process in mid-air: whatever comes waits, and time passes it by."""
        self.note("freeze", host.name)
        host.frozen = []

    def thaw(self, host: Host) -> None:
        """Let it go on: all that has come happens to it now, one after the other."""
        if host.frozen is None:
            return
        self.note("thaw", host.name, len(host.frozen))
        life, waiting = host.life, host.frozen
        host.frozen = None
        for happened in waiting:
            if host.life == life:
                self.feed(host, happened)

    def feed(self, host: Host, happened: Callable[[], None]) -> None:
        """Let something happen to a host's machine; then carry out what it asks for."""
        machine = host.machine
        if machine is None:
            return
        if host.frozen is not None:
            host.frozen.append(happened)
            return
        machine.set_time(self.now, self.wall_ms + host.skew_ms)
        happened()
        self._pump(host)
        for watch in self.watchers:
            watch(host)

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
            if self.trace is not None:
                words = " ".join(f"{k}={v}" for k, v in said.fields.items())
                self.tell(f"{host.name} {said.level}: {said.event} {words}")
        if ready.halt is not None or ready.stopped:
            host.halted, host.stopped = ready.halt, ready.stopped
            self.note("halt" if ready.halt else "stop", host.name, ready.halt or "")
            self.kill(host)
            self.on_ended(host)

    # --- disks ------------------------------------------------------------------------------

    def unhang(self, directory: LogDir) -> None:
        """A directory that was slow, or hung, is well: what waited for it goes on."""
        self.slow.pop(directory, None)
        for host in self.hosts.values():
            for lane in [lane for lane in host.stuck if directory in lane]:
                del host.stuck[lane]
                self._work(host, lane)

    def _observe(self, host: Host, life: int, asked: JobAsked) -> None:
        if host.life != life or host.machine is None:
            return
        machine, path = host.machine, asked.job.directory
        own, now = (path, path), self.now
        busy = now - host.begun[own] if host.lanes.get(own) else 0.0
        others = [lane for lane, jobs in host.lanes.items() if jobs and lane != own]
        copies = [now - host.begun[lane] for lane in others if path in lane]
        calls, seconds = host.worked.pop(path, (0, 0.0))
        seen = Activity(busy, "write", max(copies, default=0.0), calls, 0, seconds)
        self.feed(host, lambda: machine.on_done(asked.ticket, seen))

    def _abandoned(self, host: Host, life: int, asked: JobAsked) -> None:
        machine = host.machine
        if host.life == life and machine is not None:
            self.feed(host, lambda: machine.on_done(asked.ticket, None))

    def _queue(self, host: Host, asked: JobAsked) -> None:
        job = asked.job
        if isinstance(job, Observe):
            self.after(0.0, self._observe, host, host.life, asked)
            return
        if isinstance(job, Abandon):
            host.directories[job.directory].abandon()
            self.after(0.0, self._abandoned, host, host.life, asked)
            return
        lane = job.lane if isinstance(job, BesideJob) else (job.directory, job.directory)
        waiting = host.lanes.setdefault(lane, [])
        waiting.append(asked)
        if len(waiting) == 1:
            self._work(host, lane)

    def _work(self, host: Host, lane: Lane) -> None:
        host.begun[lane] = self.now
        seconds = self.job_seconds * (0.5 + self.rng.random())
        seconds += max(self.slow.get(directory, 0.0) for directory in lane)
        if seconds < FOREVER:
            self.after(seconds, self._run_group, host, host.life, lane)
        else:
            host.stuck[lane] = None

    def _run_group(self, host: Host, life: int, lane: Lane) -> None:
        if host.life != life or host.machine is None:
            return
        group = list(host.lanes[lane])
        jobs = [asked.job for asked in group]
        self.note("jobs", host.name, lane[1], [type(job).__name__ for job in jobs])
        try:
            results = host.directories[lane[1]].run_group(jobs)
        except PowerCut:
            self.on_power_cut(host)
            return
        self.on_jobs(host, jobs, results)
        if lane[0] == lane[1]:
            groups, seconds = host.worked.get(lane[0], (0, 0.0))
            host.worked[lane[0]] = (groups + 1, seconds + self.now - host.begun[lane])
        del host.lanes[lane][: len(group)]
        if host.lanes[lane]:
            self._work(host, lane)
        machine = host.machine

        def tell() -> None:
            for asked, result in zip(group, results, strict=True):
                machine.on_done(asked.ticket, result)

        self.feed(host, tell)
