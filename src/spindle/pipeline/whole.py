"""A cluster from the pipeline's rows, for plans that cross brokers: columns, since it may be large.

One Spark task gets all rows, as Arrow. Called by `plan`; the planner is plain Python.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from spindle.pipeline.proposal import Wanted
from spindle.planning.cluster import BrokerLoad, Cluster, Partitions, Replicas
from spindle.planning.load import DirectoryLoad

Racks = Mapping[int, str | None]


def cluster_from(rows: pa.Table, wanted: Wanted, racks: Racks) -> Cluster:
    """The cluster of these rows: directories with what lies in them, as `plan` joins them.

    A replica that is moving counts where it goes, and stays there. Directories that are offline, or
    do not tell their space, are not part of it.
    """
    rows = rows.filter(pc.and_(rows["online"], pc.is_valid(rows["capacity"])))
    places = _places(rows)
    brokers = sorted({broker for broker, _ in places})
    index = {broker: n for n, broker in enumerate(brokers)}
    full = rows.filter(pc.is_valid(rows["topic"]))
    current = full.filter(pc.invert(full["is_future"]))
    future = full.filter(full["is_future"])
    topics, topic = np.unique(_column(current, "topic").astype(str), return_inverse=True)
    number = _column(current, "partition").astype(np.int64)
    wide = int(number.max(initial=0)) + 1
    keys, partition = np.unique(topic * wide + number, return_inverse=True)
    at = {place: n for n, place in enumerate(places)}
    owner = _column(current, "broker").astype(np.int64)
    directory = _located(owner, _column(current, "directory"), at)
    size = _column(current, "size").astype(np.int64)
    pinned = np.zeros(len(current), dtype=np.bool_)
    if len(future):
        _send(future, current, at, directory, size, pinned)
    order = np.lexsort((directory, partition))
    return Cluster(
        tuple(BrokerLoad(b, racks.get(b)) for b in brokers),
        tuple(_load(places[place], place, wanted) for place in sorted(places)),
        tuple(index[broker] for broker, _ in sorted(places)),
        Partitions(
            [str(name) for name in topics],
            (keys // wide).astype(np.int64),
            (keys % wide).astype(np.int64),
        ),
        Replicas(
            partition[order].astype(np.int64),
            directory[order],
            size[order],
            np.zeros(len(order), dtype=np.float64),
            pinned[order],
        ),
    )


def _places(rows: pa.Table) -> dict[tuple[int, str], tuple[int, bool]]:
    """(capacity, not cordoned) of each directory, sorted by place."""
    kinds = rows.select(["broker", "directory", "capacity", "cordoned"])
    found = kinds.group_by(["broker", "directory", "capacity", "cordoned"]).aggregate([])
    told = {
        (row["broker"], row["directory"]): (row["capacity"], not row["cordoned"])
        for row in found.to_pylist()
    }
    return dict(sorted(told.items()))


def _load(kind: tuple[int, bool], place: tuple[int, str], wanted: Wanted) -> DirectoryLoad:
    name = f"{place[0]}:{place[1]}"
    open_ = kind[1] and name not in wanted.exclude
    return DirectoryLoad(place[1], kind[0], open_, name in wanted.drain)


def _column(rows: pa.Table, name: str) -> NDArray[np.generic]:
    values: NDArray[np.generic] = rows[name].to_numpy(zero_copy_only=False)
    return values


def _located(
    owner: NDArray[np.int64], paths: NDArray[np.generic], at: Mapping[tuple[int, str], int]
) -> NDArray[np.int64]:
    """The index of each row's directory."""
    names, path = np.unique(paths.astype(str), return_inverse=True)
    keys, inverse = np.unique(owner * len(names) + path, return_inverse=True)
    found = [at[int(key) // len(names), str(names[int(key) % len(names)])] for key in keys]
    return np.array(found, dtype=np.int64)[inverse] if found else np.empty(0, dtype=np.int64)


def _send(
    future: pa.Table,
    current: pa.Table,
    at: Mapping[tuple[int, str], int],
    directory: NDArray[np.int64],
    size: NDArray[np.int64],
    pinned: NDArray[np.bool_],
) -> None:
    """Put what is moving where it goes."""
    names = ["broker", "topic", "partition"]
    going = {
        (row["broker"], row["topic"], row["partition"]): row
        for row in future.select([*names, "directory", "size"]).to_pylist()
    }
    columns = [current[name].to_pylist() for name in names]
    for n, key in enumerate(zip(*columns, strict=True)):
        row = going.get(key)
        if row is not None:
            directory[n] = at[row["broker"], row["directory"]]
            size[n] = max(int(size[n]), row["size"])
            pinned[n] = True
