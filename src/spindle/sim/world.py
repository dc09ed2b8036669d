"""The rim's twin: hosts that run the real machines, in virtual time.

Carries out a machine's effects as `runtime.driver` does: jobs go to `disk_work`, frames to
`sim_network`, and what happens next is decided by the `timeline`. Knows no Kafka: hosts are
machines with an Outbox, directories, and names on a network.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from spindle.model.outbox import LogLine, Ready
from spindle.sim.disk_work import DiskWork
from spindle.sim.host import Host, Machine
from spindle.sim.sim_network import Net
from spindle.sim.timeline import Timeline

SAID_MAX = 2000
"""Log lines kept for the report of a failing seed."""


class World:
    """Hosts, a network and time."""

    def __init__(self, seed: int) -> None:
        self.time = Timeline(seed)
        self.hosts: dict[str, Host] = {}
        self.net = Net(self.time, self.hosts, self.feed)
        self.disks = DiskWork(self.time, self.hosts, self.feed)
        self.watchers: list[Callable[[Host], None]] = []
        """Called with a host after each thing that has happened to it and to its disks."""
        self.on_ended: Callable[[Host], None] = lambda host: None
        """Called with a host whose machine has halted or stopped by itself."""
        self.said: deque[tuple[float, str, LogLine]] = deque(maxlen=SAID_MAX)

    def start(self, host: Host, machine: Machine) -> None:
        """Run a machine on a host which is down."""
        assert host.machine is None, f"{host.name} runs already"
        self.hosts[host.name] = host
        host.life += 1
        host.machine = machine
        host.halted, host.stopped = None, False
        host.work.clear()
        host.woken_for = host.frozen = None
        self.time.note("start", host.name)
        self.feed(host, machine.begin)

    def kill(self, host: Host) -> None:
        """End a host at once: what was queued for its disks is never done."""
        if host.machine is None:
            return
        host.machine = None
        host.life += 1
        self.time.note("kill", host.name)
        self.net.host_gone(host.name)

    def freeze(self, host: Host) -> None:
        """Stop a host's process (SIGSTOP): whatever comes for it waits."""
        self.time.note("freeze", host.name)
        host.frozen = []

    def thaw(self, host: Host) -> None:
        """Let the process go on: all that has come meanwhile happens now, in its order."""
        if host.frozen is None:
            return
        self.time.note("thaw", host.name, len(host.frozen))
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
        machine.set_time(self.time.now, self.time.wall_ms + host.skew_ms)
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
        self.time.at(machine.wake_at, self._wake, host, host.life, machine.wake_at)

    def _wake(self, host: Host, life: int, at: float) -> None:
        if host.life != life or host.machine is None or host.woken_for != at:
            return
        host.woken_for = None
        self.feed(host, host.machine.on_time)

    def _carry_out(self, host: Host, ready: Ready) -> None:
        for asked in ready.jobs:
            self.disks.queue(host, asked)
        for frame in ready.frames:
            self.net.ask(host, frame)
        for knock in ready.knocks:
            self.net.knock(host, knock)
        for answer in ready.answers:
            self.net.answer(host, answer)
        for connection, seconds in ready.mutes:
            self.net.mute(connection, seconds)
        for connection in ready.closes:
            self.net.close_connection(connection)
        for said in ready.log_lines:
            self.said.append((self.time.now, host.name, said))
            if self.time.trace is not None:
                words = " ".join(f"{k}={v}" for k, v in said.fields.items())
                self.time.tell(f"{host.name} {said.level}: {said.event} {words}")
        if ready.halt is not None or ready.stopped:
            host.halted, host.stopped = ready.halt, ready.stopped
            self.time.note("halt" if ready.halt else "stop", host.name, ready.halt or "")
            self.kill(host)
            self.on_ended(host)
