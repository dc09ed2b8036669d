"""Makes the world go wrong: a swarm of faults, each seed with its own kinds, rates and lengths.

A fault strikes if `promises` lets it, lasts for a while, and is undone; `heal` undoes all of them
and brings back what is down. Every choice comes from the world's seed. Knows processes, disks and
the network from outside; no machine learns that it is being tested.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from spindle.model.errors import Corrupt, Refusal
from spindle.model.ids import LogDir
from spindle.sim.checks import Checks
from spindle.sim.host import Host
from spindle.sim.log_judge import logs_in
from spindle.sim.promises import Promises
from spindle.sim.sim_cluster import SimCluster, SimNode
from spindle.sim.told_history import History
from spindle.sim.world import FOREVER
from spindle.wire.batch import split

NETWORK: Final = ("latency", "cut", "isolate", "break")
PROCESSES: Final = ("kill", "torn kill", "power cut", "torn power cut", "stop", "freeze")
DISKS: Final = ("error", "hiccup", "read-only", "slow", "hang", "full", "blank", "flip")
KINDS: Final = (*NETWORK, *PROCESSES, *DISKS, "clock")
CRC_FROM: Final = 21
"""Bytes of a batch before those that its CRC covers."""
TORN_WITHIN: Final = 0.2
"""Seconds in which a call must come that is to be the last one; then the end comes without."""
STOP_PATIENCE: Final = 15.0
LOOK: Final = 1.0
"""Seconds between an operator's looks for brokers with disks that are well again."""
ALL_VERBS: Final[tuple[str, ...]] = ()
SOME_VERBS: Final = (ALL_VERBS, ("write",), ("sync",), ("read",), ("rename",), ("open",))


@dataclass(frozen=True, slots=True)
class Appetite:
    """Which faults strike and how often. `pause`: mean s between them; `length`: mean s of each."""

    weights: Mapping[str, float] = field(default_factory=dict)
    pause: float = 2.0
    length: float = 2.0


class Faults:
    """The faults of one simulation."""

    def __init__(
        self,
        cluster: SimCluster,
        promises: Promises,
        checks: Checks,
        history: History,
        appetite: Appetite,
    ) -> None:
        self._cluster = cluster
        self._world = cluster.world
        self._rng = cluster.world.rng
        self._promises = promises
        self._checks = checks
        self._history = history
        self._appetite = appetite
        self._healing = False
        self._open: dict[int, Callable[[], None]] = {}
        self._number = 0
        self._torn: dict[str, Callable[[], None]] = {}
        self._kinds: dict[str, Callable[[], bool]] = {
            "latency": self._latency,
            "cut": self._cut,
            "isolate": self._isolate,
            "break": self._break,
            "kill": lambda: self._end(torn=False, power=False),
            "torn kill": lambda: self._end(torn=True, power=False),
            "power cut": lambda: self._end(torn=False, power=True),
            "torn power cut": lambda: self._end(torn=True, power=True),
            "stop": self._stop,
            "freeze": self._freeze,
            "error": lambda: self._disk_error(times=-1),
            "hiccup": lambda: self._disk_error(times=1),
            "read-only": self._read_only,
            "slow": lambda: self._slow(self._between(0.01, 0.3)),
            "hang": lambda: self._slow(FOREVER),
            "full": self._full,
            "blank": self._blank,
            "flip": self._flip,
            "clock": self._clock,
        }
        self._world.on_power_cut = self._on_torn

    # --- when -------------------------------------------------------------------------------

    def begin(self) -> None:
        """From now on things go wrong."""
        self._world.after(self._length(self._appetite.pause), self._strike)

    def _strike(self) -> None:
        if self._healing:
            return
        self._world.after(self._length(self._appetite.pause), self._strike)
        weights = self._appetite.weights
        point = self._rng.random() * sum(weights.values())
        for kind, weight in weights.items():
            point -= weight
            if point < 0:
                struck = self._kinds[kind]()
                self._history.count(f"fault: {kind}" if struck else "faults spared")
                return

    def heal(self) -> None:
        """Undo all faults, and keep bringing back what is down."""
        self._healing = True
        self._world.note("heal")
        self._torn.clear()
        for member in self._cluster.members.values():
            member.disk.cut_at = -1
            member.disk.heal("/")
        for undo in list(self._open.values()):
            undo()
        self._world.net.heal()
        self._care()

    def _care(self) -> None:
        """Do what an operator does: start what is down, restart what has lost a disk."""
        for member in self._cluster.members.values():
            broker = member.broker
            if member.node is None:
                self._cluster.start_node(member)
            elif broker is not None and broker.logs.offline:
                self._restart(member)
        self._world.after(LOOK, self._care)

    def _length(self, mean: float) -> float:
        """A length of time around a mean, now and then a long one."""
        return mean * (0.1 + self._rng.random()) * (5.0 if self._rng.random() < 0.1 else 1.0)

    def _between(self, low: float, high: float) -> float:
        return low + (high - low) * self._rng.random()

    def _for_a_while(self, undo: Callable[[], None]) -> None:
        """Have a fault undone after a while, or at the healing."""
        self._number += 1
        number = self._number

        def end() -> None:
            if self._open.pop(number, None) is not None:
                undo()

        self._open[number] = end
        self._world.after(self._length(self._appetite.length), end)

    # --- the network --------------------------------------------------------------------------

    def _latency(self) -> bool:
        net = self._world.net
        net.latency = self._between(0.001, 0.1)
        self._world.note("latency", net.latency)

        def undo() -> None:
            net.latency = min(net.latency, 0.001)

        self._for_a_while(undo)
        return True

    def _cut(self) -> bool:
        if not self._promises.may_disturb():
            return False
        names = list(self._world.hosts)
        one = self._choose(names)
        other = self._choose([name for name in names if name != one])
        ends = [m for m in self._cluster.members.values() if m.host.name in (one, other)]
        self._world.note("network cut", one, other)
        cuts = [(one, other)] if self._rng.random() < 0.5 else [(one, other), (other, one)]
        self._sever(cuts, ends)
        return True

    def _isolate(self) -> bool:
        """A node receives nothing, or sends nothing, or both; mostly a voter."""
        if not self._promises.may_disturb():
            return False
        voters = self._cluster.controllers
        member = self._some_member()
        if self._rng.random() < 0.7:
            member = voters[self._rng.randrange(len(voters))]
        one = member.host.name
        way = self._choose(["in", "out", "both"])
        self._world.note("isolated", one, way)
        others = [name for name in self._world.hosts if name != one]
        cuts = [(one, other) for other in others if way != "in"]
        cuts += [(other, one) for other in others if way != "out"]
        self._sever(cuts, [member])
        return True

    def _sever(self, cuts: list[tuple[str, str]], ends: list[SimNode]) -> None:
        """Lose all that is sent these ways (from, to) for a while."""
        self._checks.network_hurt = True
        net = self._world.net
        net.cuts.update(dict.fromkeys(cuts))
        for member in ends:
            self._promises.on_trouble(member)

        def undo() -> None:
            for cut in cuts:
                net.cuts.pop(cut, None)
            net.reset_swallowed()
            for member in ends:
                self._promises.on_relief(member)

        self._for_a_while(undo)

    def _break(self) -> bool:
        self._world.net.break_some()
        return True

    # --- processes ----------------------------------------------------------------------------

    def _choose(self, options: list[str]) -> str:
        return options[self._rng.randrange(len(options))]

    def _some_member(self) -> SimNode:
        members = list(self._cluster.members.values())
        return members[self._rng.randrange(len(members))]

    def _end(self, *, torn: bool, power: bool) -> bool:
        """End a process, or its machine: now, or during one of its disk's next calls."""
        member, promises = self._some_member(), self._promises
        if member.held or member.host.name in self._torn:
            return False
        if not (promises.may_lose(member) if power else promises.may_end(member)):
            return False
        if not member.config.is_broker or member.config.is_controller:
            self._checks.network_hurt = True
        if power:
            promises.on_lost(member)
        promises.on_trouble(member)

        def end() -> None:
            if power and promises.survives(member):
                self._cluster.cut_power(member)
            else:
                self._cluster.kill(member)
            self._start_again(member)

        if torn and member.node is not None:
            self._torn[member.host.name] = end
            member.disk.cut_at = member.disk.changes + 1 + self._rng.randrange(12)
            life = member.host.life
            self._world.after(TORN_WITHIN, self._not_torn, member, life)
        else:
            end()
        return True

    def _on_torn(self, host: Host) -> None:
        self._torn.pop(host.name)()

    def _not_torn(self, member: SimNode, life: int) -> None:
        """The call that should have been the last one has not come."""
        end = self._torn.pop(member.host.name, None)
        if end is None:
            return
        if member.host.life == life:
            end()
        else:  # It has ended for another reason, and is being started by another part.
            member.disk.cut_at = -1
            self._promises.on_relief(member)

    def _start_again(self, member: SimNode) -> None:
        """Start a node after a while. Not held up by open faults of its disks."""
        member.held = True

        def start() -> None:
            self._promises.on_relief(member)
            self._cluster.start_node(member)

        self._for_a_while(start)

    def _stop(self) -> bool:
        member = self._some_member()
        if member.held or member.node is None or not self._promises.may_end(member):
            return False
        self._restart(member)
        return True

    def _restart(self, member: SimNode) -> None:
        """Stop a node cleanly, kill it if it will not, and start it again."""
        if member.held:
            return
        member.held = True
        self._checks.network_hurt = True
        self._promises.on_trouble(member)
        self._cluster.stop(member)
        life = member.host.life

        def look(patience: float) -> None:
            if member.host.life == life and patience > 0:
                self._world.after(0.1, look, patience - 0.1)
                return
            if member.host.life == life:
                self._cluster.kill(member)
            self._promises.on_relief(member)
            self._world.after(self._between(0.0, 1.0), self._cluster.start_node, member)

        look(STOP_PATIENCE)

    def _freeze(self) -> bool:
        """Stop a process in mid-air for a while, as SIGSTOP or a stuck hypervisor does."""
        member = self._some_member()
        host = member.host
        if member.node is None or host.frozen is not None or not self._promises.may_disturb():
            return False
        self._checks.network_hurt = True
        self._promises.on_trouble(member)
        self._world.freeze(host)
        life = host.life

        def undo() -> None:
            self._promises.on_relief(member)
            if host.life == life:
                self._world.thaw(host)

        self._for_a_while(undo)
        return True

    def _clock(self) -> bool:
        host = self._some_member().host
        host.skew_ms = int(self._between(-3_600_000, 3_600_000))
        self._world.note("clock", host.name, host.skew_ms)
        return True

    # --- disks --------------------------------------------------------------------------------

    def _some_directory(self) -> tuple[SimNode, LogDir]:
        member = self._some_member()
        return member, self._choose(list(member.directories))

    def _hurt(self, what: str, member: SimNode, path: LogDir, undo: Callable[[], None]) -> None:
        """A disk is sick until it is well again; then its broker has to be restarted."""
        self._world.note(what, path)
        self._checks.disks_hurt[member.host.name] = None
        self._checks.network_hurt = True
        self._promises.on_trouble(member)

        def well() -> None:
            undo()
            self._promises.on_relief(member)
            broker = member.broker
            if broker is not None and broker.logs.offline and not self._healing:
                self._restart(member)

        self._for_a_while(well)

    def _disk_error(self, times: int) -> bool:
        member, path = self._some_directory()
        if not self._promises.may_end(member):
            return False
        verbs = SOME_VERBS[self._rng.randrange(len(SOME_VERBS))]
        after = self._rng.randrange(5)
        fault = member.disk.fail(f"{path}/", errno.EIO, *verbs, after=after, times=times)
        self._hurt(f"I/O error {verbs}", member, path, lambda: member.disk.mend(fault))
        return True

    def _read_only(self) -> bool:
        member, path = self._some_directory()
        if not self._promises.may_end(member):
            return False
        fault = member.disk.read_only(f"{path}/")
        self._hurt("read-only", member, path, lambda: member.disk.mend(fault))
        return True

    def _slow(self, seconds: float) -> bool:
        member, path = self._some_directory()
        if path in self._world.slow or not self._promises.may_end(member):
            return False
        self._world.slow[path] = seconds
        self._hurt(f"slow by {seconds:g} s", member, path, lambda: self._world.unhang(path))
        return True

    def _full(self) -> bool:
        member, path = self._some_directory()
        if not member.config.is_broker or path == member.config.metadata_dir:
            return False  # Without room for metadata a node cannot go on; `error` covers that.
        if path in member.disk.capacity or not self._promises.may_end(member):
            return False
        member.disk.capacity[path] = member.disk.used(path) + self._rng.randrange(3000)
        self._hurt("full", member, path, lambda: self._room(member, path))
        return True

    def _room(self, member: SimNode, path: LogDir) -> None:
        member.disk.capacity.pop(path, None)

    def _flip(self) -> bool:
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
        file = f"{log.path}/{self._choose(segments)}"
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
        self._world.note("flipped bit", file, place)
        return True

    def _blank(self) -> bool:
        """Put an empty disk in the place of one; mostly formatted."""
        member = self._some_member()
        path = self._choose(list(member.log_dirs))
        if member.config.is_controller and path == member.config.metadata_dir:
            return False
        if member.held or member.host.name in self._torn:
            return False
        if not self._promises.may_lose(member, path):
            return False
        self._promises.on_lost(member, path)
        self._cluster.kill(member)
        member.disk.blank(path)
        self._checks.disks_hurt[member.host.name] = None
        self._world.note("blank disk", path)
        if path == member.config.metadata_dir or self._rng.random() < 0.7:
            self._format(member, path)
        else:
            self._for_a_while(lambda: self._format(member, path))
        self._promises.on_trouble(member)
        self._start_again(member)
        return True

    def _format(self, member: SimNode, path: LogDir) -> None:
        member.disk.heal(path)  # The new disk is well.
        self._cluster.format(member, path)
