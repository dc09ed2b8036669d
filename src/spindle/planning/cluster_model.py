"""A cluster as the planners take it: columns of replicas, directories by broker. Plain values.

Columns, because there may be a million replicas. Built by the pipeline from its tables, and here
from lists of values for single brokers. Everything is sorted, so that the order of the input never
reaches a plan.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spindle.planning.load import DirectoryLoad, ReplicaLoad
from spindle.planning.selection import EVERYTHING, Selection

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class BrokerLoad(NamedTuple):
    """A broker. `open`: takes replicas of others; `drain`: must end without any."""

    number: int
    rack: str | None = None
    open: bool = True
    drain: bool = False


class PartitionNames(NamedTuple):
    """The names of partitions, sorted: `topics[topic[n]]` and `number[n]`."""

    topics: Sequence[str]
    topic: Ints
    number: Ints

    def name(self, index: int) -> tuple[str, int]:
        """(topic, partition number)."""
        return self.topics[int(self.topic[index])], int(self.number[index])


class ReplicaColumns(NamedTuple):
    """Columns, a row for each replica: index of its partition, of its directory, and so on."""

    partition: Ints
    directory: Ints
    size: Ints
    rate: Floats
    pinned: Flags


@dataclass(frozen=True, slots=True)
class ClusterModel:
    """All that is planned together. `owner`: the index of each directory's broker, ascending.

    `kept`: of each partition, whether its replicas stay where they are; None: of none.
    """

    brokers: tuple[BrokerLoad, ...]
    directories: tuple[DirectoryLoad, ...]
    owner: tuple[int, ...]
    partitions: PartitionNames
    replicas: ReplicaColumns
    kept: Flags | None = None

    def place(self, directory: int) -> tuple[int, str]:
        """(broker id, path) of a directory."""
        return self.brokers[self.owner[directory]].number, self.directories[directory].path

    def of_broker(self, broker: int) -> range:
        """The directories of a broker, both as indices."""
        return range(bisect_left(self.owner, broker), bisect_left(self.owner, broker + 1))


def cluster_of(
    brokers: Sequence[BrokerLoad],
    directories: Mapping[int, Sequence[DirectoryLoad]],
    replicas: Mapping[int, Sequence[ReplicaLoad]],
    selection: Selection = EVERYTHING,
) -> ClusterModel:
    """A cluster from values: directories and replicas by broker id, in any order."""
    ordered = sorted(brokers)
    places: list[tuple[int, DirectoryLoad]] = [
        (index, d) for index, b in enumerate(ordered) for d in sorted(directories[b.number])
    ]
    at = {(ordered[b].number, d.path): n for n, (b, d) in enumerate(places)}
    rows = sorted(
        (r.topic, r.partition, at[number, r.directory], r)
        for number, theirs in replicas.items()
        for r in theirs
    )
    names = sorted({row[:2] for row in rows})
    numbers = {name: n for n, name in enumerate(names)}
    topics = sorted({topic for topic, _ in names})
    known = {topic: n for n, topic in enumerate(topics)}
    partitions = PartitionNames(
        topics,
        np.array([known[topic] for topic, _ in names], dtype=np.int64),
        np.array([number for _, number in names], dtype=np.int64),
    )
    return ClusterModel(
        tuple(ordered),
        tuple(d for _, d in places),
        tuple(b for b, _ in places),
        partitions,
        ReplicaColumns(
            np.array([numbers[row[:2]] for row in rows], dtype=np.int64),
            np.array([row[2] for row in rows], dtype=np.int64),
            np.array([row[3].size for row in rows], dtype=np.int64),
            np.array([row[3].rate for row in rows], dtype=np.float64),
            np.array([row[3].pinned for row in rows], dtype=np.bool_),
        ),
        kept_of(partitions, selection),
    )


def kept_of(partitions: PartitionNames, selection: Selection) -> Flags | None:
    """Of each partition, whether its replicas stay where they are; None: of none."""
    topics = partitions.topics
    some = [n for n, topic in enumerate(topics) if selection.may_keep(topic)]
    if not some:
        return None
    kept = np.zeros(len(partitions.topic), dtype=np.bool_)
    for index in np.flatnonzero(np.isin(partitions.topic, np.array(some))).tolist():
        kept[index] = selection.keeps(*partitions.name(index))
    return kept
