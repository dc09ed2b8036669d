"""What planning costs, and how near plans come to what no plan can beat.

A made-up cluster of 1,000,800 replicas on 10,008 directories of 834 brokers, three replicas of each
partition in different racks, one new and empty directory on each broker; for moves between brokers,
5 % of the brokers are new instead. The end-to-end figure is that of a process of its own, which
reads samples from Parquet through Spark and writes the JSON of kafka-reassign-partitions.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
from tests.support.processes import tied
from tests.unit.planning.clusters import after, carry_out
from tests.unit.planning.oracle import judge
from tests.unit.planning.test_oracle import even, small

from spindle.planning.cluster_model import BrokerLoad, ClusterModel, PartitionNames, ReplicaColumns
from spindle.planning.cluster_planner import plan_cluster
from spindle.planning.leaders import WeightedPartition, even_leaders
from spindle.planning.load import Band, DirectoryLoad
from spindle.planning.placement_index import PlacementIndex
from spindle.planning.schedule import WaveLimits
from spindle.planning.search_state import SearchState
from spindle.planning.within.draft import Within

BROKERS, DIRECTORIES, REPLICAS, RACKS, COPIES = 834, 12, 1200, 12, 3
CAPACITY, FULLNESS = 4_000_000_000_000, 0.5
NEW = 42
WIDE = 5000
"""Brokers of a cluster with two directories each, and 36 replicas on each broker."""
RATED = 24
"""Brokers that are planned with rates."""
SMALL = 24
"""Clusters that the exact solver judges."""
Note = Callable[[str, str, float], None]


def made_up(
    seed: int,
    new: int = 0,
    brokers: int = BROKERS,
    directories: int = DIRECTORIES,
    replicas: int = REPLICAS,
    sigma: float = 2.0,
) -> ClusterModel:
    """The cluster; `new` of its brokers are empty."""
    rng = np.random.default_rng(seed)
    count = brokers * replicas // COPIES
    sizes = rng.lognormal(0, sigma, count)
    sizes *= FULLNESS * brokers * directories * CAPACITY / (sizes.sum() * COPIES)
    size = np.minimum(sizes, 0.4 * CAPACITY).astype(np.int64)
    rack = np.arange(brokers) % RACKS
    first, stride = rng.integers(0, RACKS, count), rng.integers(1, RACKS // COPIES + 1, count)
    of = np.empty((count, COPIES), dtype=np.int64)
    for copy in range(COPIES):
        wanted = (first + copy * stride) % RACKS
        for name in range(RACKS):
            there = np.flatnonzero((rack == name) & (np.arange(brokers) < brokers - new))
            chosen = wanted == name
            of[chosen, copy] = rng.choice(there, int(chosen.sum()))
    used = directories - (0 if new else 1)
    directory = of * directories + rng.integers(0, used, of.shape)
    rows = count * COPIES
    return ClusterModel(
        tuple(BrokerLoad(b, f"rack-{rack[b]:02}") for b in range(brokers)),
        tuple(
            DirectoryLoad(f"/disk-{d:02}", CAPACITY)
            for _ in range(brokers) for d in range(directories)
        ),
        tuple(b for b in range(brokers) for _ in range(directories)),
        PartitionNames(
            [f"topic-{n:05}" for n in range(-(-count // 64))],
            np.arange(count) // 64, np.arange(count) % 64,
        ),
        ReplicaColumns(
            np.repeat(np.arange(count), COPIES), directory.ravel(), np.repeat(size, COPIES),
            np.zeros(rows), np.zeros(rows, dtype=np.bool_),
        ),
    )  # fmt: skip


def run(home: Path, note: Note) -> None:
    """All figures of the planner."""

    def tell(figure: str, value: float) -> None:
        note(f"planner: {figure}", "spindle", value)
        print(f"planner: {figure}: {value:.6g}", file=sys.stderr)

    cluster = made_up(1)
    _within(cluster, tell)
    _rated(cluster, tell)
    _led(cluster, tell)
    _between(tell)
    _wide(tell)
    _beside_the_solver(tell)
    _end_to_end(cluster, home, tell)


def _within(cluster: ClusterModel, tell: Callable[[str, float], None]) -> None:
    began = time.process_time()
    field = SearchState(cluster, Band(0.01))
    drafts = [Within(field, b, WaveLimits()).run() for b in range(BROKERS)]
    tell("within brokers, core s", time.process_time() - began)
    off = [bool(field.state(b).outside) for b in range(BROKERS)]
    ratios = sorted(
        sum(field.sizes[turn.rank] for turn in draft.turns) / draft.bound
        for draft, out in zip(drafts, off, strict=True)
        if not out and draft.bound
    )
    tell("within brokers, bytes / bound, median", statistics.median(ratios))
    tell("within brokers, bytes / bound, p99", ratios[int(len(ratios) * 0.99)])
    tell("within brokers, left out of the band", sum(off))


def _rated(cluster: ClusterModel, tell: Callable[[str, float], None]) -> None:
    """Write rates beside bytes, on some brokers: bytes within 2 %, rates within 5 %.

    Where a replica, with what must lie beside it, is too much for any disk, no plan keeps both
    bands. Such brokers are listed by themselves; the others are left out if any disk is.
    """
    rng = np.random.default_rng(5)
    rates = rng.lognormal(0, 1.5, len(cluster.partitions.number)) * 1e4
    rated = cluster.replicas._replace(rate=rates[cluster.replicas.partition])
    began = time.process_time()
    field = SearchState(replace(cluster, replicas=rated), Band(0.02, rate_tolerance=0.05))
    drafts = [Within(field, b, WaveLimits()).run() for b in range(RATED)]
    tell("with rates, core s a broker", (time.process_time() - began) / RATED)
    states = [field.state(b) for b in range(RATED)]
    off = [bool(state.outside) for state in states]
    ratios = [
        sum(field.sizes[turn.rank] for turn in draft.turns) / draft.bound
        for draft, out in zip(drafts, off, strict=True)
        if not out
    ]
    tell("with rates, bytes / bound, median", statistics.median(ratios))
    tell(f"with rates, left out of their bands, of {RATED}", sum(off))
    tell(f"with rates, a replica too much for any disk, of {RATED}", sum(map(_too_much, states)))


def _too_much(state: PlacementIndex) -> bool:
    """Whether a disk has more than a fair part of bytes, or of rates, because no plan avoids it."""
    assert state.rates is not None
    bytes_ = zip(state.bands.edges, state.used, strict=True)
    flows = zip(state.rates.edges, state.rates.flow, strict=True)
    return any(size >= e.fair + 1 for e, size in (*bytes_, *flows))


def _led(cluster: ClusterModel, tell: Callable[[str, float], None]) -> None:
    r = cluster.replicas
    brokers = np.array(cluster.owner)[r.directory].reshape(-1, COPIES).tolist()
    sizes = r.size.reshape(-1, COPIES)[:, 0].tolist()
    names = map(cluster.partitions.name, range(len(brokers)))
    partitions = [
        WeightedPartition(*name, tuple(theirs), float(size))
        for name, theirs, size in zip(names, brokers, sizes, strict=True)
    ]
    began = time.process_time()
    found = even_leaders(partitions, range(BROKERS), 0.05)
    tell("leaders, core s", time.process_time() - began)
    tell("leaders, brokers left uneven", len(found.notes))


def _between(tell: Callable[[str, float], None]) -> None:
    cluster = made_up(1, NEW)
    began = time.process_time()
    plan = plan_cluster(cluster, Band(0.02), between=True)
    tell("between brokers, core s", time.process_time() - began)
    tell("between brokers, bytes / bound of brokers", plan.bytes_between / plan.broker_bound)
    tell("between brokers, all bytes / bound of disks", plan.bytes_moved / plan.bound)
    tell("between brokers, notes", len(plan.notes))


def _wide(tell: Callable[[str, float], None]) -> None:
    """Many brokers with few replicas each: what a plan between brokers costs in all."""
    cluster = made_up(1, WIDE // 20, WIDE, 2, 36, 1.0)
    began = time.process_time()
    plan = plan_cluster(cluster, Band(0.02, 0.9), between=True)
    tell(f"{WIDE} brokers, between them, core s", time.process_time() - began)
    tell(f"{WIDE} brokers, bytes / bound of brokers", plan.bytes_between / plan.broker_bound)
    tell(f"{WIDE} brokers, notes", len(plan.notes))


def _beside_the_solver(tell: Callable[[str, float], None]) -> None:
    for between in (True, False):
        ratios, missed = [], 0
        for seed in range(SMALL):
            cluster, band = small(seed), Band((0.05, 0.1, 0.2)[seed % 3])
            verdict = judge(cluster, band, between)
            plan = plan_cluster(cluster, band, between=between)
            end = after(cluster, carry_out(cluster, plan, band, WaveLimits()))
            if verdict.feasible and not even(cluster, end, band, between):
                missed += 1
            elif verdict.feasible and verdict.cost:
                ratios.append((plan.bytes_moved + plan.bytes_between) / verdict.cost)
        where = "between" if between else "within"
        tell(f"small clusters {where}, cost / the solver's, mean", statistics.mean(ratios))
        tell(f"small clusters {where}, missed", missed)


def _end_to_end(cluster: ClusterModel, home: Path, tell: Callable[[str, float], None]) -> None:
    samples, document = home / "samples.parquet", home / "plan.json"
    _write(cluster, samples)
    began = time.monotonic()
    process = psutil.Popen(
        tied([sys.executable, "-m", "bench.planned", str(samples), str(document)])
    )
    most = 0
    while process.poll() is None:
        most = max(most, _resident(process))
        time.sleep(2.0)  # Looking costs the process that is looked at.
    tell("Parquet to JSON with Spark, s", time.monotonic() - began)
    tell("Parquet to JSON with Spark, MB", most / 1e6)
    assert process.returncode == 0, "the plan has failed"
    tell("Parquet to JSON, partitions", len(json.loads(document.read_text())["partitions"]))


def _resident(process: psutil.Process) -> int:
    """Bytes of memory of a process and all below it; what they share counts once (PSS)."""
    total = 0
    for one in (process, *process.children(recursive=True)):
        try:
            total += one.memory_full_info().pss
        except psutil.NoSuchProcess:
            continue
    return total


def _write(cluster: ClusterModel, path: Path) -> None:
    """The cluster as samples."""
    r, count = cluster.replicas, len(cluster.replicas.size)
    owner, names = np.array(cluster.owner), np.array([d.path for d in cluster.directories])
    used = np.bincount(r.directory, weights=r.size, minlength=len(names)).astype(np.int64)
    empty = np.flatnonzero(np.bincount(r.directory, minlength=len(names)) == 0)
    at = np.concatenate([r.directory, empty])
    missing = np.arange(len(at)) >= count
    partition = np.concatenate([r.partition, np.zeros(len(empty), dtype=np.int64)])
    topics = np.array(cluster.partitions.topics)
    total = len(at)
    table = pa.table(
        {
            "sampled_at": pa.array([datetime.now(UTC)] * total, pa.timestamp("us", tz="UTC")),
            "broker": pa.array(owner[at], pa.int32()),
            "broker_error": pa.nulls(total, pa.string()),
            "directory": pa.array(names[at]),
            "directory_error": pa.nulls(total, pa.string()),
            "total_bytes": pa.array(np.full(total, CAPACITY)),
            "usable_bytes": pa.array(CAPACITY - used[at]),
            "cordoned": pa.array(np.zeros(total, dtype=np.bool_)),
            "topic": pa.array(topics[cluster.partitions.topic[partition]], mask=missing),
            "partition": pa.array(
                cluster.partitions.number[partition].astype(np.int32), mask=missing
            ),
            "size": pa.array(
                np.concatenate([r.size, np.zeros(len(empty), dtype=np.int64)]), mask=missing
            ),
            "offset_lag": pa.array(np.zeros(total, dtype=np.int64), mask=missing),
            "is_future": pa.array(np.zeros(total, dtype=np.bool_), mask=missing),
        }
    )
    order = np.argsort(owner[at], kind="stable")
    pq.write_table(table.take(pa.array(order)), path)
