"""What many partitions cost: thousands with three replicas, on three brokers and three controllers.

Each count has a fresh cluster of each peer, one at a time: how long until all are made and served,
what the idle cluster takes of the processors, how long an answer about all of them takes, how long
no topic can be made when the active controller is killed, what memory all nodes hold, and how long
a restart takes. Beside each figure of a larger count stands its growth from the least count,
divided by that of the partitions: above 1 it is worse than linear.
"""

from __future__ import annotations

import resource
import shutil
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from tests.support.apache_kafka import ApacheKafka
from tests.support.quorum import in_step, led

from bench import failover, serving
from bench.measures import Figures
from bench.peers import BROKERS, NAMES, cpu_seconds, memory, new_cluster
from bench.raw_link import Link, framed, percentile
from spindle.wire.messages.describe_log_dirs_request import DescribeLogDirsRequest
from spindle.wire.messages.metadata_request import MetadataRequest

COUNTS: Final = (2_000, 10_000)
"""By default."""
ON_DEMAND: Final = 50_000
CONTROLLERS, ASKED = 3, 1
SETTLE_S: Final = 10.0
"""Between the last record and the look at an idle cluster."""
LEAST_ASKED: Final = 100
"""Answers that a 99th percentile takes, however short the window."""
FIGURES: Final = (
    "create to served s",
    "idle CPU cores",
    "Metadata p99 ms",
    "DescribeLogDirs p99 ms",
    "controller killed: topic made after s",
    "RSS MB",
    "clean stop s",
    "restart to served s",
)
_MAPPED_EACH, _MAPPED_BESIDES = 2, 3_000
"""Index files that a JVM maps for a replica, and mappings that it has anyway."""
_OPEN_BESIDES: Final = 1_500


def named(partitions: int, figure: str, alone: bool = False) -> str:
    """A figure of so many partitions; of Spindle `alone` it takes no other one's place."""
    return f"{partitions} partitions{', alone' if alone else ''}: {figure}"


def growth(partitions: int, least: int, figure: str) -> str:
    """The figure that says how one grows from the least count on."""
    return f"{partitions} beside {least} partitions: {figure}, growth / linear"


def grown(least: int, partitions: int, before: Figures, after: Figures) -> Figures:
    """The growth of all figures; what was nothing at the least count has none."""
    return {
        growth(partitions, least, figure): after[figure] / before[figure] / (partitions / least)
        for figure in after
        if before.get(figure)
    }


def measured(
    home: Path, rounds: int, counts: Sequence[int], window: int, alone: bool
) -> Iterator[tuple[str, Figures]]:
    """Each peer's figures, or Spindle's `alone`, round by round and count by count."""
    if not alone:
        allowed(max(counts))
    for round_ in range(rounds):
        least: dict[str, Figures] = {}
        for partitions in counts:
            for name in ("spindle",) if alone else NAMES:
                figures = _of_one(
                    name, home / f"partitions-{partitions}-{round_}", partitions, window
                )
                yield name, {named(partitions, figure, alone): v for figure, v in figures.items()}
                if name in least:
                    yield name, grown(counts[0], partitions, least[name], figures)
                least.setdefault(name, figures)


def _of_one(name: str, place: Path, partitions: int, window: int) -> Figures:
    cluster = new_cluster(name, place, controllers=CONTROLLERS)
    try:
        cluster.start()
        return dict(_figures(cluster, serving.topics_of(partitions, "many"), window))
    finally:
        cluster.kill()
        shutil.rmtree(place)


def _figures(
    cluster: ApacheKafka, topics: dict[str, int], window: int
) -> Iterator[tuple[str, float]]:
    """In the order of `FIGURES`: what comes later may disturb what came before."""
    began = time.monotonic()
    serving.made(cluster, topics, BROKERS)
    serving.served(cluster, topics)
    yield "create to served s", time.monotonic() - began
    time.sleep(SETTLE_S)
    yield "idle CPU cores", _idle(cluster, window)
    everything = framed(MetadataRequest(topics=None, allow_auto_topic_creation=False), 12)
    yield "Metadata p99 ms", _p99(cluster, everything, window)
    yield (
        "DescribeLogDirs p99 ms",
        _p99(cluster, framed(DescribeLogDirsRequest(topics=None), 4), window),
    )
    active = led(cluster).leader
    cluster.stop_node(active, kill=True)
    yield "controller killed: topic made after s", failover.made_after(cluster, "after-the-death")
    cluster.start_node(active, wait=False)
    in_step(cluster, active)
    yield "RSS MB", memory(_pids(cluster))
    began = time.monotonic()
    serving.stopped(cluster)
    yield "clean stop s", time.monotonic() - began
    began = time.monotonic()
    serving.started(cluster)
    serving.served(cluster, topics)
    yield "restart to served s", time.monotonic() - began


def _idle(cluster: ApacheKafka, seconds: float) -> float:
    """Processors that all nodes use together while no client asks anything."""
    before = cpu_seconds(_pids(cluster))
    time.sleep(seconds)
    return (cpu_seconds(_pids(cluster)) - before) / seconds


def _p99(cluster: ApacheKafka, frame: bytes, seconds: float) -> float:
    """Of a request that one connection asks of one broker again and again, in ms; warm."""
    with Link(cluster.nodes[ASKED].port) as link:
        _asked(link, frame, seconds / 2, 1)
        return percentile(_asked(link, frame, seconds, LEAST_ASKED), 99) * 1e3


def _asked(link: Link, frame: bytes, seconds: float, least: int) -> list[float]:
    taken: list[float] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end or len(taken) < least:
        taken.append(link.seconds(frame))
    return taken


def _pids(cluster: ApacheKafka) -> list[int]:
    return [node.process.pid for node in cluster.nodes.values() if node.process is not None]


def allowed(partitions: int) -> None:
    """Let nodes open as many files as Apache Kafka needs: one for each replica that a broker has.

    AssertionError where the machine forbids it.
    """
    files = partitions + _OPEN_BESIDES
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert most >= files or most == resource.RLIM_INFINITY, (
        f"a process may open {most} files here; {partitions} partitions take {files}: "
        f"`ulimit -Hn {files}` before the bench, or Spindle by itself with --alone"
    )
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    maps = _MAPPED_EACH * partitions + _MAPPED_BESIDES
    bound = Path("/proc/sys/vm/max_map_count")
    if bound.exists():
        assert int(bound.read_text()) >= maps, (
            f"a process may map {bound.read_text().strip()} files here; Apache Kafka maps {maps} "
            f"for {partitions} partitions: `sysctl -w vm.max_map_count={maps}` before the bench"
        )
