"""The jobs of directories in virtual time: lanes, groups, slow disks and disks that hang.

Each lane of a host does one group of jobs at a time, as the thread of a directory does. Belongs to
`world`, which queues what machines ask for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from spindle.model.activity import Abandon, Activity, Observe
from spindle.model.ids import LogDir
from spindle.model.jobs import BesideJob, Job
from spindle.model.outbox import JobAsked
from spindle.sim.host import Host, Lane
from spindle.sim.memory_disk import PowerCut
from spindle.sim.timeline import Timeline

FOREVER = float("inf")


class DiskWork:
    """The directories of all hosts. `feed`: lets something happen to a host's machine."""

    def __init__(
        self,
        time: Timeline,
        hosts: Mapping[str, Host],
        feed: Callable[[Host, Callable[[], None]], None],
    ) -> None:
        self._time, self._hosts, self._feed = time, hosts, feed
        self.job_seconds = 0.0002
        """Mean seconds that a group of jobs takes."""
        self.slow: dict[LogDir, float] = {}
        """Extra seconds that a directory's jobs take; FOREVER: it hangs."""
        self.on_power_cut: Callable[[Host], None] = lambda host: None
        """Called with a host whose power went during one of its disk's calls."""
        self.on_jobs: Callable[[Host, list[Job[object]], list[object]], None] = (
            lambda host, jobs, done: None
        )
        """Called with a group of jobs that was carried out, with the results."""

    def unhang(self, directory: LogDir) -> None:
        """A directory that was slow, or hung, is well: what waited for it goes on."""
        self.slow.pop(directory, None)
        for host in self._hosts.values():
            for lane in [lane for lane in host.work.stuck if directory in lane]:
                del host.work.stuck[lane]
                self._work(host, lane)

    def _observe(self, host: Host, life: int, asked: JobAsked) -> None:
        if host.life != life or host.machine is None:
            return
        machine, path = host.machine, asked.job.directory
        own, now = (path, path), self._time.now
        busy = now - host.work.begun[own] if host.work.lanes.get(own) else 0.0
        others = [lane for lane, jobs in host.work.lanes.items() if jobs and lane != own]
        copies = [now - host.work.begun[lane] for lane in others if path in lane]
        calls, seconds = host.work.worked.pop(path, (0, 0.0))
        seen = Activity(busy, "write", max(copies, default=0.0), calls, 0, seconds)
        self._feed(host, lambda: machine.on_done(asked.ticket, seen))

    def _abandoned(self, host: Host, life: int, asked: JobAsked) -> None:
        machine = host.machine
        if host.life == life and machine is not None:
            self._feed(host, lambda: machine.on_done(asked.ticket, None))

    def queue(self, host: Host, asked: JobAsked) -> None:
        """Have a job done in its lane, after those that wait there."""
        job = asked.job
        if isinstance(job, Observe):
            self._time.after(0.0, self._observe, host, host.life, asked)
            return
        if isinstance(job, Abandon):
            host.directories[job.directory].abandon()
            self._time.after(0.0, self._abandoned, host, host.life, asked)
            return
        lane = job.lane if isinstance(job, BesideJob) else (job.directory, job.directory)
        waiting = host.work.lanes.setdefault(lane, [])
        waiting.append(asked)
        if len(waiting) == 1:
            self._work(host, lane)

    def _work(self, host: Host, lane: Lane) -> None:
        host.work.begun[lane] = self._time.now
        seconds = self.job_seconds * (0.5 + self._time.rng.random())
        seconds += max(self.slow.get(directory, 0.0) for directory in lane)
        if seconds < FOREVER:
            self._time.after(seconds, self._run_group, host, host.life, lane)
        else:
            host.work.stuck[lane] = None

    def _run_group(self, host: Host, life: int, lane: Lane) -> None:
        if host.life != life or host.machine is None:
            return
        group = list(host.work.lanes[lane])
        jobs = [asked.job for asked in group]
        self._time.note("jobs", host.name, lane[1], [type(job).__name__ for job in jobs])
        try:
            results = host.directories[lane[1]].run_group(jobs)
        except PowerCut:
            self.on_power_cut(host)
            return
        self.on_jobs(host, jobs, results)
        if lane[0] == lane[1]:
            groups, seconds = host.work.worked.get(lane[0], (0, 0.0))
            host.work.worked[lane[0]] = (
                groups + 1,
                seconds + self._time.now - host.work.begun[lane],
            )
        del host.work.lanes[lane][: len(group)]
        if host.work.lanes[lane]:
            self._work(host, lane)
        machine = host.machine

        def tell() -> None:
            for asked, result in zip(group, results, strict=True):
                machine.on_done(asked.ticket, result)

        self._feed(host, tell)
