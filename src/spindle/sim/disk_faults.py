"""Faults of disks: errors, slowness, no room, flipped bits, blank disks in the place of others.

Belongs to `faults`, which says when each strikes.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from typing import Final

from spindle.model.errors import Corrupt, Refusal
from spindle.model.ids import LogDir
from spindle.sim.checks import Checks
from spindle.sim.log_judge import logs_in
from spindle.sim.open_faults import OpenFaults
from spindle.sim.process_faults import ProcessFaults
from spindle.sim.promises import Promises
from spindle.sim.sim_cluster import SimCluster, SimNode
from spindle.wire.batch import split

CRC_FROM: Final = 21
"""Bytes of a batch before those that its CRC covers."""
COMES_BACK: Final = 0.5
"""How often a disk that is well again comes back by itself, without a restart of its broker."""
ALL_VERBS: Final[tuple[str, ...]] = ()
SOME_VERBS: Final = (ALL_VERBS, ("write",), ("sync",), ("read",), ("rename",), ("open",))


class DiskFaults:
    """Each method strikes once; False: the promises spare the cluster this time."""

    def __init__(
        self,
        cluster: SimCluster,
        promises: Promises,
        checks: Checks,
        open_: OpenFaults,
        processes: ProcessFaults,
    ) -> None:
        self._cluster, self._promises, self._checks = cluster, promises, checks
        self._open, self._processes = open_, processes
        self._time, self._rng = cluster.world.time, cluster.world.time.rng
        self._work = cluster.world.disks

    def _some_directory(self) -> tuple[SimNode, LogDir]:
        member = self._open.some_member()
        return member, self._open.choose(list(member.directories))

    def _hurt(self, what: str, member: SimNode, path: LogDir, undo: Callable[[], None]) -> None:
        """A disk is sick for a while; then its broker is restarted, or it returns (B-13)."""
        self._time.note(what, path)
        self._checks.disks_hurt[member.host.name] = None
        self._checks.network_hurt = True
        self._promises.on_trouble(member)

        def well() -> None:
            undo()
            self._promises.on_relief(member)
            broker = member.broker
            comes_back = self._open.healing or self._rng.random() < COMES_BACK
            if broker is not None and broker.logs.offline and not comes_back:
                self._processes.restart(member)

        self._open.for_a_while(well)

    def error(self, times: int) -> bool:
        """Calls of a directory fail, `times` of them; -1: all until it is well."""
        member, path = self._some_directory()
        if not self._promises.may_end(member):
            return False
        verbs = SOME_VERBS[self._rng.randrange(len(SOME_VERBS))]
        after = self._rng.randrange(5)
        fault = member.disk.fail(f"{path}/", errno.EIO, *verbs, after=after, times=times)
        self._hurt(f"I/O error {verbs}", member, path, lambda: member.disk.mend(fault))
        return True

    def read_only(self) -> bool:
        """A directory refuses every change."""
        member, path = self._some_directory()
        if not self._promises.may_end(member):
            return False
        fault = member.disk.read_only(f"{path}/")
        self._hurt("read-only", member, path, lambda: member.disk.mend(fault))
        return True

    def slow(self, seconds: float) -> bool:
        """A directory's jobs take so much longer; FOREVER: it hangs."""
        member, path = self._some_directory()
        if path in self._work.slow or not self._promises.may_end(member):
            return False
        self._work.slow[path] = seconds
        self._hurt(f"slow by {seconds:g} s", member, path, lambda: self._work.unhang(path))
        return True

    def full(self) -> bool:
        """A directory has room for little more."""
        member, path = self._some_directory()
        if not member.config.is_broker or path == member.config.metadata_dir:
            return False  # Without room for metadata a node cannot go on; `error` covers that.
        if path in member.disk.capacity or not self._promises.may_end(member):
            return False
        member.disk.capacity[path] = member.disk.used(path) + self._rng.randrange(3000)
        self._hurt("full", member, path, lambda: _give_room(member, path))
        return True

    def flip(self) -> bool:
        """Change a bit of a batch that a CRC covers, in one replica of several (B-28)."""
        member, path = self._some_directory()
        disk, image = member.disk, self._cluster.newest
        found = [log for log in logs_in(disk, path) if not log.key.future]
        ids = [(image.resolve(log.key.topic_partition), log) for log in found]
        ours = [(id, log) for id, log in ids if id is not None and id.topic_id == log.topic_id]
        if not ours or path not in member.log_dirs:
            return False
        id, log = ours[self._rng.randrange(len(ours))]
        segments = [n for n in disk.names(log.path) if n.endswith(".log")]
        file = f"{log.path}/{self._open.choose(segments)}"
        try:
            batches = split(disk.contents(file) or b"", partial=True)
        except (Corrupt, Refusal):
            return False  # What a power cut has left there is no batch to begin with.
        if not batches or not self._promises.may_damage(member, id):
            return False
        at = self._rng.randrange(len(batches))
        start = sum(len(batch.data) for batch in batches[:at]) + CRC_FROM
        place = start + self._rng.randrange(len(batches[at].data) - CRC_FROM)
        disk.rot(file, place, 1 << self._rng.randrange(8))
        self._promises.on_damaged(member, log.key)
        self._time.note("flipped bit", file, place)
        return True

    def blank(self) -> bool:
        """Put an empty disk in the place of one; mostly formatted."""
        member = self._open.some_member()
        path = self._open.choose(list(member.log_dirs))
        if member.config.is_controller and path == member.config.metadata_dir:
            return False
        if member.held or member.host.name in self._processes.torn:
            return False
        if not self._promises.may_lose(member, path):
            return False
        self._promises.on_lost(member, path)
        self._cluster.kill(member)
        member.disk.blank(path)
        self._checks.disks_hurt[member.host.name] = None
        self._time.note("blank disk", path)
        if path == member.config.metadata_dir or self._rng.random() < 0.7:
            self._format(member, path)
        else:
            self._open.for_a_while(lambda: self._format(member, path))
        self._promises.on_trouble(member)
        self._processes.start_again(member)
        return True

    def _format(self, member: SimNode, path: LogDir) -> None:
        member.disk.heal(path)  # The new disk is well.
        self._cluster.format(member, path)


def _give_room(member: SimNode, path: LogDir) -> None:
    member.disk.capacity.pop(path, None)
