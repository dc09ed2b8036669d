"""Clusters to plan for, by seed and by hand; and a plan's run on them, wave by wave."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from spindle.planning.cluster_model import BrokerLoad, ClusterModel, cluster_of
from spindle.planning.load import Band, DirectoryLoad, Plan, PlannedMove, ReplicaLoad
from spindle.planning.schedule import WaveLimits

Name = tuple[str, int]
"""Of a partition."""
Where = dict[tuple[int, Name], str]
"""The directory of each (broker, partition)."""


def simple(
    contents: Mapping[int, Mapping[str, Sequence[tuple[int, int]]]],
    capacity: int = 1000,
    racks: Mapping[int, str] | None = None,
    closed: Sequence[int] = (),
    drain: Sequence[int] = (),
) -> ClusterModel:
    """Broker -> directory -> (partition of topic t, size); `closed`, `drain`: brokers."""
    return cluster_of(
        [BrokerLoad(b, (racks or {}).get(b), b not in closed, b in drain) for b in contents],
        {b: [DirectoryLoad(path, capacity) for path in dirs] for b, dirs in contents.items()},
        {
            b: [
                ReplicaLoad("t", number, path, size)
                for path, replicas in dirs.items()
                for number, size in replicas
            ]
            for b, dirs in contents.items()
        },
    )


def by_seed(seed: int) -> ClusterModel:
    """A small cluster of any kind: racks, drained and closed brokers and directories, giants."""
    rng = random.Random(seed)
    count = rng.randint(1, 7)
    racked, kinds = rng.random() < 0.7, rng.random()
    racks = rng.randint(1, 4)
    brokers, directories = [], {}
    for n in range(count):
        odd = rng.random() < 0.25 * kinds
        brokers.append(
            BrokerLoad(
                n * 3 + 1,
                f"r{rng.randrange(racks)}" if racked and rng.random() < 0.97 else None,
                not (odd and rng.random() < 0.5),
                odd and rng.random() < 0.5,
            )
        )
        directories[n * 3 + 1] = [
            DirectoryLoad(
                f"/{d}",
                rng.choice((500, 1000, 1000, 1000, 2000)),
                rng.random() > 0.15 * kinds,
                rng.random() < 0.12 * kinds,
            )
            for d in range(rng.randint(1, 4))
        ]
    largest = rng.choice((20, 60, 150, 400))
    replicas: dict[int, list[ReplicaLoad]] = defaultdict(list)
    room = {(b, d.path): d.capacity * 0.9 for b, dirs in directories.items() for d in dirs}
    for number in range(rng.choice((5, 20, 60))):
        size = rng.choice((0, rng.randint(0, largest), rng.randint(0, largest // 4)))
        on = rng.sample(sorted(directories), min(count, rng.choice((1, 2, 3, 3))))
        for b in on:
            path = rng.choice(directories[b]).path
            if room[b, path] >= size or rng.random() < 0.02:
                room[b, path] -= size
                pinned = rng.random() < 0.04 * kinds
                replicas[b].append(ReplicaLoad(f"t{number % 3}", number, path, size, pinned))
    return cluster_of(brokers, directories, {b: replicas[b] for b in directories})


def band_by_seed(seed: int) -> Band:
    """A band from hard to easy."""
    rng = random.Random(-seed)
    return Band(rng.choice((0.0, 0.02, 0.1, 0.3)), rng.choice((0.7, 0.9, 1.0)))


def with_rates(cluster: ClusterModel, seed: int) -> ClusterModel:
    """The same cluster with write rates: of all replicas of a partition the same."""
    names = [cluster.partitions.name(n) for n in range(len(cluster.partitions.number))]
    hot = random.Random(seed).random()
    rates = np.array(
        [
            rng.choice((0, rng.randint(0, 50), rng.randint(0, 500) if rng.random() < hot else 5))
            for name in names
            for rng in (random.Random(f"{seed} {name}"),)
        ],
        dtype=np.float64,
    )
    r = cluster.replicas
    return replace(cluster, replicas=r._replace(rate=rates[r.partition]))


def limits_by_seed(seed: int) -> WaveLimits:
    """Limits of waves."""
    rng = random.Random(seed * 7 + 1)
    return WaveLimits(rng.randrange(3), rng.randrange(4))


def rows(cluster: ClusterModel) -> list[tuple[int, Name, str, int, bool]]:
    """(broker, partition, directory, size, pinned) of every replica."""
    r = cluster.replicas
    found = []
    for n in range(len(r.size)):
        broker, path = cluster.place(int(r.directory[n]))
        name = cluster.partitions.name(int(r.partition[n]))
        found.append((broker, name, path, int(r.size[n]), bool(r.pinned[n])))
    return found


def carry_out(cluster: ClusterModel, plan: Plan, band: Band, limits: WaveLimits) -> Where:
    """Run a plan with both copies of what moves; where everything is at the end.

    Fails where a directory is ever above its mark, a limit or a rule is broken.
    """
    world = _World(cluster, band)
    assert sum(plan.waves) == len(plan.moves)
    for wave in plan.by_wave():
        assert wave, "an empty wave"
        _check_limits(wave, limits)
        for move in wave:
            world.begin(move)
        for move in wave:
            world.end(move)
        world.check_racks()
    for number, shares in plan.shares.items():
        for share in shares:
            assert world.used[number, share.path] == share.after
    return world.where


def _check_limits(wave: Sequence[PlannedMove], limits: WaveLimits) -> None:
    crossing = Counter((m.topic, m.partition) for m in wave if m.between)
    assert max(crossing.values(), default=1) == 1, "two replicas of a partition at once"
    disks: Counter[Hashable] = Counter()
    brokers: Counter[int] = Counter()
    for m in wave:
        disks.update(((m.broker, m.source), (m.to, m.target)))
        brokers.update({m.broker, m.to})
    assert not limits.moves_per_disk or max(disks.values()) <= limits.moves_per_disk
    assert not limits.moves_per_broker or max(brokers.values()) <= limits.moves_per_broker


class _World:
    """Replicas and bytes while a plan is run."""

    def __init__(self, cluster: ClusterModel, band: Band) -> None:
        everything = rows(cluster)
        self.brokers = {b.number: b for b in cluster.brokers}
        places = range(len(cluster.directories))
        self.kinds = {cluster.place(d): cluster.directories[d] for d in places}
        self.marks = {place: band.mark(kind.capacity) for place, kind in self.kinds.items()}
        self.used: dict[tuple[int, str], int] = dict.fromkeys(self.kinds, 0)
        self.where: Where = {}
        self.sizes: dict[tuple[int, Name], int] = {}
        self.pinned = {(b, name) for b, name, _, _, pinned in everything if pinned}
        self.frozen = {name for _, name in self.pinned}
        for b, name, path, size, _ in everything:
            self.used[b, path] += size
            self.where[b, name] = path
            self.sizes[b, name] = size
        self.racks = {b.number: b.rack or b.number for b in cluster.brokers}
        self.spread = self._spread()
        self.least = dict(self.spread)

    def _spread(self) -> dict[Name, int]:
        racks: dict[Name, set[Hashable]] = defaultdict(set)
        for b, name in self.where:
            racks[name].add(self.racks[b])
        return {name: len(there) for name, there in racks.items()}

    def begin(self, m: PlannedMove) -> None:
        """A copy comes into being."""
        name, place, target = (m.topic, m.partition), (m.broker, m.source), (m.to, m.target)
        assert self.where[m.broker, name] == m.source
        assert self.sizes[m.broker, name] == m.size
        assert place != target
        assert (m.broker, name) not in self.pinned
        assert self.kinds[target].open
        assert not self.kinds[target].drain
        self.used[target] += m.size
        if m.size:
            assert self.used[target] <= self.marks[target], f"{target} is above its mark"
        if m.between:
            assert name not in self.frozen
            assert self.brokers[m.to].open
            assert not self.brokers[m.to].drain
            assert (m.to, name) not in self.where, "two replicas on a broker"
            self.where[m.to, name] = m.target
            self.sizes[m.to, name] = m.size
            if self._must_share_a_rack(m, name):
                self.least[name] -= 1

    def _must_share_a_rack(self, m: PlannedMove, name: Name) -> bool:
        """Whether a replica that has to leave finds no open broker in a rack of its own."""
        own = [kind for (b, _), kind in self.kinds.items() if b == m.broker]
        must = self.brokers[m.broker].drain or (
            self.kinds[m.broker, m.source].drain and not any(d.open and not d.drain for d in own)
        )
        others = {
            self.racks[b] for b, other in self.where if other == name and b not in (m.broker, m.to)
        }
        taking = {
            self.racks[b] for (b, _), kind in self.kinds.items()
            if kind.open and not kind.drain and self.brokers[b].open and not self.brokers[b].drain
        }  # fmt: skip
        return must and self.racks[m.broker] not in others and taking <= others

    def end(self, m: PlannedMove) -> None:
        """The old copy is gone."""
        name = (m.topic, m.partition)
        self.used[m.broker, m.source] -= m.size
        if m.between:
            del self.where[m.broker, name], self.sizes[m.broker, name]
        else:
            self.where[m.broker, name] = m.target

    def check_racks(self) -> None:
        """No partition has fewer racks than it had, but where it could not be helped."""
        for name, count in self._spread().items():
            assert count >= self.least[name], f"{name} has lost a rack"
            self.least[name] = min(self.least[name], count)


def after(cluster: ClusterModel, where: Where) -> ClusterModel:
    """The cluster with everything where it is after a plan."""
    replicas: dict[int, list[ReplicaLoad]] = {b.number: [] for b in cluster.brokers}
    pinned = {(b, name) for b, name, _, _, still in rows(cluster) if still}
    sizes = {name: size for _, name, _, size, _ in rows(cluster)}
    for (b, name), path in where.items():
        replicas[b].append(ReplicaLoad(*name, path, sizes[name], (b, name) in pinned))
    directories: dict[int, list[DirectoryLoad]] = {b.number: [] for b in cluster.brokers}
    for d, kind in enumerate(cluster.directories):
        directories[cluster.place(d)[0]].append(kind)
    return cluster_of(cluster.brokers[::-1], directories, replicas)
