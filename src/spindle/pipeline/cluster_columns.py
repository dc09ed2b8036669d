"""A cluster from the pipeline's rows, for plans that cross brokers: columns, since it may be large.

One Spark task gets all rows, as Arrow. Called by `plan`; the planner is plain Python.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from spindle.pipeline.proposal import PlanRequest
from spindle.planning.capacities import Capacities
from spindle.planning.cluster_model import (
    ClusterModel,
    PartitionNames,
    ReplicaColumns,
    kept_of,
)
from spindle.planning.load import DirectoryLoad

Racks = Mapping[int, str | None]


def cluster_from(
    rows: pa.Table, wanted: PlanRequest, racks: Racks, known: Capacities
) -> ClusterModel:
    """The cluster of these rows, as `plan` makes them: directories, and replicas in them.

    A replica that is moving counts where it goes, and stays there. Directories that are offline, or
    have no known capacity, are not part of it.
    """
    places = _places(rows.filter(pc.fill_null(rows["online"], False)), known)
    brokers = sorted({broker for broker, _ in places})
    index = {broker: n for n, broker in enumerate(brokers)}
    at = {place: n for n, place in enumerate(places)}
    full = rows.filter(pc.is_valid(rows["topic"])).combine_chunks()
    located = _located(full, at)
    full, located = full.filter(pa.array(located >= 0)), located[located >= 0]
    moving = _column(full, "is_future").astype(np.bool_)
    future, current = full.filter(pa.array(moving)), full.filter(pa.array(~moving))
    topics, topic = _coded(current, "topic")
    number = _column(current, "partition").astype(np.int64)
    wide = int(number.max(initial=0)) + 1
    keys, partition = np.unique(topic * wide + number, return_inverse=True)
    directory = located[~moving]
    size = _column(current, "size").astype(np.int64)
    pinned = np.zeros(len(current), dtype=np.bool_)
    if len(future):
        _send(future, current, at, directory, size, pinned)
    order = np.lexsort((directory, partition))
    names = PartitionNames(topics, (keys // wide).astype(np.int64), (keys % wide).astype(np.int64))
    return ClusterModel(
        tuple(wanted.load(b, racks.get(b)) for b in brokers),
        tuple(_load(kind, place, wanted) for place, kind in places.items()),
        tuple(index[broker] for broker, _ in places),
        names,
        ReplicaColumns(
            partition[order].astype(np.int64),
            directory[order],
            size[order],
            _column(current, "rate").astype(np.float64)[order],
            pinned[order],
        ),
        kept_of(names, wanted.selection),
    )


def _places(rows: pa.Table, known: Capacities) -> dict[tuple[int, str], tuple[int, bool]]:
    """(capacity, not cordoned) of each directory, sorted by place."""
    kinds = rows.select(["broker", "directory", "cordoned"])
    found = kinds.group_by(["broker", "directory", "cordoned"]).aggregate([])
    told = {
        (row["broker"], row["directory"]): (capacity, not row["cordoned"])
        for row in found.to_pylist()
        if (capacity := known.planned(row["broker"], row["directory"])) is not None
    }
    return dict(sorted(told.items()))


def _load(kind: tuple[int, bool], place: tuple[int, str], wanted: PlanRequest) -> DirectoryLoad:
    name = f"{place[0]}:{place[1]}"
    open_ = kind[1] and name not in wanted.exclude
    return DirectoryLoad(place[1], kind[0], open_, name in wanted.drain)


def _column(rows: pa.Table, name: str) -> NDArray[np.generic]:
    values: NDArray[np.generic] = rows[name].to_numpy(zero_copy_only=False)
    return values


def _coded(rows: pa.Table, name: str) -> tuple[list[str], NDArray[np.int64]]:
    """(the different words of a column, sorted; which of them each row has)."""
    coded = rows[name].combine_chunks().dictionary_encode()
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.combine_chunks()
    words: list[str] = coded.dictionary.to_pylist()
    order = sorted(range(len(words)), key=words.__getitem__)
    place = np.empty(len(words), dtype=np.int64)
    place[order] = np.arange(len(words))
    codes = coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return [words[n] for n in order], place[codes]


def _located(rows: pa.Table, at: Mapping[tuple[int, str], int]) -> NDArray[np.int64]:
    """The index of each row's directory; -1: it is none of these."""
    names, path = _coded(rows, "directory")
    owner = _column(rows, "broker").astype(np.int64)
    keys, inverse = np.unique(owner * len(names) + path, return_inverse=True)
    found = [at.get((int(key) // len(names), names[int(key) % len(names)]), -1) for key in keys]
    return np.array(found, dtype=np.int64)[inverse] if found else np.empty(0, dtype=np.int64)


def _send(
    future: pa.Table,
    current: pa.Table,
    at: Mapping[tuple[int, str], int],
    directory: NDArray[np.int64],
    size: NDArray[np.int64],
    pinned: NDArray[np.bool_],
) -> None:
    names = ["broker", "topic", "partition"]
    going = {
        (row["broker"], row["topic"], row["partition"]): row
        for row in future.select([*names, "directory", "size"]).to_pylist()
    }
    alike = pc.and_(*(pc.is_in(current[n], pc.unique(future[n])) for n in names[1:]))
    places = np.flatnonzero(alike.to_numpy(zero_copy_only=False)).tolist()
    columns = [current[name].filter(alike).to_pylist() for name in names]
    for n, key in zip(places, zip(*columns, strict=True), strict=True):
        row = going.get(key)
        if row is not None:
            directory[n] = at[row["broker"], row["directory"]]
            size[n] = max(int(size[n]), row["size"])
            pinned[n] = True
