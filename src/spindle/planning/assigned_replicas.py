"""A cluster as the metadata has it, beside what its disks show. Pure.

Brokers report only the replicas on disks that work. The metadata also has those in an offline
directory, on a dead broker, and what another party's reassignment is about. Each of them is a copy
that no plan may double. The code that builds a `ClusterModel` from disks completes it here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

import numpy as np

from spindle.planning.amounts import amount, counted, listed
from spindle.planning.cluster_model import (
    BrokerLoad,
    ClusterModel,
    Flags,
    Ints,
    ReplicaColumns,
)
from spindle.planning.load import DirectoryLoad
from spindle.planning.reassignment_json import Brokers
from spindle.planning.selection import is_movable

UNSEEN: Final = "(unknown)"
"""The path of a replica that no disk shows."""


@dataclass(frozen=True, slots=True)
class AssignedReplicas:
    """The metadata of a cluster at the moment of a plan.

    `replicas`: the brokers of each partition, None where no cluster was asked (plans from a
    history). `going`: the brokers of those that another party is reassigning, once that is done.
    """

    racks: Mapping[int, str | None] = field(default_factory=dict)
    replicas: Brokers | None = None
    going: Brokers = field(default_factory=dict)

    @property
    def brokers(self) -> tuple[int, ...]:
        """All that live or have replicas."""
        return tuple(sorted({*self.racks, *(b for r in (self.replicas or {}).values() for b in r)}))

    @property
    def copies(self) -> int:
        """Replicas of all partitions."""
        return sum(map(len, (self.replicas or {}).values()))

    def notes(self) -> Iterator[str]:
        """What of it keeps replicas where they are, whatever the plan is about."""
        if self.going:
            those = counted(len(self.going), "partition is", "partitions are")
            names = listed([f"{topic}-{number}" for topic, number in sorted(self.going)])
            yield (
                f"{those} being reassigned by another party: nothing of them is planned. The plan "
                f"counts each where it goes, the table where it is: {names}"
            )
        long = sorted({t for t, n in self.replicas or () if not is_movable(t, n)})
        if long:
            those = counted(len(long), "topic has", "topics have")
            yield (
                f"{those} a name that is too long for Kafka to move a replica between directories "
                f"(topic and partition together may have 215 characters): {listed(long)}"
            )

    def hidden(self, topics: set[str]) -> tuple[str, ...]:
        """Those of these topics, found on disks, that the metadata does not show."""
        if self.replicas is None:
            return ()
        return tuple(sorted(topics - {topic for topic, _ in self.replicas}))


class CompletedModel(NamedTuple):
    """A cluster with all replicas, and what is to be said of those that were added."""

    cluster: ClusterModel
    notes: tuple[str, ...]


def complete(
    cluster: ClusterModel,
    assigned: AssignedReplicas,
    load: Callable[[int, str | None], BrokerLoad],
    between: bool,
) -> CompletedModel:
    """The cluster in which what is not to be moved is pinned, with all copies if `between`.

    `load`: how a broker that the disks do not show takes part. Replicas that no disk shows are as
    large as the largest other one of their partition, and lie in a directory `UNSEEN`, which takes
    nothing. They are pinned, unless their broker is to be drained: then other brokers get them.
    So are the partitions of a replica that the metadata does not place where it lies.
    """
    if assigned.replicas is None:
        return CompletedModel(cluster, ())
    index = {cluster.partitions.name(n): n for n in range(len(cluster.partitions.number))}
    held = np.array(
        [name not in assigned.replicas or name in assigned.going for name in index], dtype=np.bool_
    )
    rows = cluster.replicas
    if held.any():
        size = _sizes_to_come(cluster, assigned.going, index, between)
        rows = rows._replace(pinned=rows.pinned | held[rows.partition], size=size)
    cluster = replace(cluster, replicas=rows)
    if not between:
        return CompletedModel(cluster, ())
    owner = _brokers_of_rows(cluster)
    seen = set(zip(rows.partition.tolist(), owner.tolist(), strict=True))
    unseen, dark = _unseen(seen, assigned.replicas, index)
    wanted = {
        (index[name], b)
        for name, theirs in assigned.replicas.items()
        if name in index
        for b in theirs
    }
    if strays := seen - wanted:
        held[[partition for partition, _ in strays]] = True
        cluster = replace(
            cluster, replicas=rows._replace(pinned=rows.pinned | held[rows.partition])
        )
    notes = tuple(_dark_notes(dark))
    if not unseen:
        return CompletedModel(cluster, notes)
    return _with_unseen(cluster, unseen, assigned, load, held, notes)


def _brokers_of_rows(cluster: ClusterModel) -> Ints:
    """The number of the broker that has each replica."""
    numbers = np.array([b.number for b in cluster.brokers], dtype=np.int64)
    owner = np.array(cluster.owner, dtype=np.int64)
    return numbers[owner[cluster.replicas.directory]]


def _sizes_to_come(
    cluster: ClusterModel, going: Brokers, index: Mapping[tuple[str, int], int], between: bool
) -> Ints:
    """The sizes of replicas once another party's reassignments are done.

    What a replica will grow to is known by the others, so only if `between`: else the cluster may
    be a part of its brokers.
    """
    rows, size = cluster.replicas, cluster.replicas.size.copy()
    numbers = {index[name]: set(brokers) for name, brokers in going.items() if name in index}
    if not numbers:
        return size
    some = np.flatnonzero(np.isin(rows.partition, np.array(sorted(numbers))))
    largest: dict[int, int] = defaultdict(int)
    for row in some.tolist():
        partition = int(rows.partition[row])
        largest[partition] = max(largest[partition], int(rows.size[row]) if between else 0)
    for row in some.tolist():
        partition = int(rows.partition[row])
        broker = cluster.brokers[cluster.owner[int(rows.directory[row])]].number
        stays = broker in numbers[partition]
        size[row] = max(largest[partition], int(rows.size[row])) if stays else 0
    return size


def _unseen(
    seen: Set[tuple[int, int]], replicas: Brokers, index: Mapping[tuple[str, int], int]
) -> tuple[dict[int, list[int]], list[str]]:
    """(partitions, by broker, whose replica there no disk shows; those of which none does)."""
    found: dict[int, list[int]] = defaultdict(list)
    dark = []
    for name, brokers in replicas.items():
        partition = index.get(name)
        if partition is None:
            dark.append("{}-{}".format(*name))
            continue
        for broker in brokers:
            if (partition, broker) not in seen:
                found[broker].append(partition)
    return found, dark


def _with_unseen(
    cluster: ClusterModel,
    unseen: Mapping[int, list[int]],
    assigned: AssignedReplicas,
    load: Callable[[int, str | None], BrokerLoad],
    held: Flags,
    notes: tuple[str, ...],
) -> CompletedModel:
    known = {b.number: b for b in cluster.brokers}
    for number in unseen:
        known.setdefault(number, load(number, assigned.racks.get(number)))
    brokers = tuple(known[number] for number in sorted(known))
    directories: list[DirectoryLoad] = []
    owner: list[int] = []
    moved = np.zeros(len(cluster.directories), dtype=np.int64)
    elsewhere: dict[int, int] = {}
    old = {b.number: cluster.of_broker(n) for n, b in enumerate(cluster.brokers)}
    for n, broker in enumerate(brokers):
        for d in old.get(broker.number, ()):
            moved[d] = len(directories)
            directories.append(cluster.directories[d])
            owner.append(n)
        if broker.number in unseen:
            elsewhere[broker.number] = len(directories)
            directories.append(DirectoryLoad(UNSEEN, 0, False, broker.drain))
            owner.append(n)
    largest = np.zeros(len(held), dtype=np.int64)
    np.maximum.at(largest, cluster.replicas.partition, cluster.replicas.size)
    rows = cluster.replicas._replace(directory=moved[cluster.replicas.directory])
    told = []
    for number, partitions in sorted(unseen.items()):
        names = np.array(partitions, dtype=np.int64)
        stays = held[names] | (not known[number].drain)
        rows = _appended(rows, names, elsewhere[number], largest[names], stays)
        told.append(_note(known[number], largest[names]))
    order = np.lexsort((rows.directory, rows.partition))
    columns = ReplicaColumns(
        rows.partition[order], rows.directory[order], rows.size[order], rows.rate[order],
        rows.pinned[order],
    )  # fmt: skip
    full = replace(
        cluster,
        brokers=brokers, directories=tuple(directories), owner=tuple(owner), replicas=columns,
    )  # fmt: skip
    return CompletedModel(full, (*told, *notes))


def _appended(
    rows: ReplicaColumns, partition: Ints, directory: int, size: Ints, pinned: Flags
) -> ReplicaColumns:
    count = len(partition)
    return ReplicaColumns(
        np.concatenate([rows.partition, partition]),
        np.concatenate([rows.directory, np.full(count, directory, dtype=np.int64)]),
        np.concatenate([rows.size, size]),
        np.concatenate([rows.rate, np.zeros(count)]),
        np.concatenate([rows.pinned, pinned]),
    )


def _note(broker: BrokerLoad, sizes: Ints) -> str:
    those = counted(len(sizes), "replica is", "replicas are")
    size = amount(int(sizes.sum()))
    end = (
        "other brokers get them"
        if broker.drain
        else "they count as copies, and no replica of their partitions changes broker"
    )
    return (
        f"broker {broker.number}: {those} on a disk that is offline, does not answer, or has no "
        f"known space (about {size}, estimated from the other replicas): {end}"
    )


def _dark_notes(dark: Sequence[str]) -> Iterator[str]:
    if dark:
        those = counted(len(dark), "partition has", "partitions have")
        yield f"{those} no replica on any disk that is planned with: {listed(sorted(dark))}"
