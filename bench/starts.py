"""How long clients wait: from fresh processes to the first record, and over a restart.

A round has a cluster of its own. First it starts with empty directories: until a topic of three
replicas is made and has acknowledged a record. Then it is filled with a thousand partitions and
starts again, after a clean end and after SIGKILL for all nodes at once: until each partition has
acknowledged a record. One cluster runs at a time.
"""

from __future__ import annotations

import asyncio
import compileall
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from tests.support.apache_kafka import ApacheKafka

import spindle
from bench import failover, serving
from bench.measures import Figures, printed_by
from bench.peers import BROKERS, NAMES, new_cluster

PARTITIONS: Final = 1_000
RECORDS_EACH: Final = 100
"""Of 1 KiB, in each partition."""
FIRST = "start to the first record s"


def restart(partitions: int, how: str) -> str:
    """The figure of a restart."""
    return f"restart with {partitions} partitions, {how}: all served after s"


ENDS: dict[str, Callable[[ApacheKafka], None]] = {
    "clean": serving.stopped,
    "SIGKILL": serving.killed,
}


def measured(home: Path, rounds: int, partitions: int) -> Iterator[tuple[str, Figures]]:
    """Each peer's figures, round by round."""
    # An installation has compiled its modules: see `peers.Peer.start`.
    compileall.compile_dir(Path(spindle.__path__[0]), quiet=2)
    for round_ in range(rounds):
        for name in NAMES:
            place = home / f"start-{round_}"
            cluster = new_cluster(name, place)
            try:
                for figures in _lives(cluster, partitions):
                    yield name, figures
            finally:
                cluster.kill()
                shutil.rmtree(place)


def _lives(cluster: ApacheKafka, partitions: int) -> Iterator[Figures]:
    cluster.format()
    began = time.monotonic()
    serving.started(cluster)
    serving.listed(cluster)
    failover.made_after(cluster, "first")
    serving.served(cluster, {"first": 1})
    yield {FIRST: time.monotonic() - began}
    topics = serving.topics_of(partitions, "restarted")
    serving.made(cluster, topics, BROKERS)
    serving.served(cluster, topics)
    for topic, count in topics.items():
        _fill(cluster, topic, count * RECORDS_EACH)
    for how, end in ENDS.items():
        end(cluster)
        began = time.monotonic()
        serving.started(cluster)
        serving.served(cluster, topics)
        yield {restart(partitions, how): time.monotonic() - began}


def _fill(cluster: ApacheKafka, topic: str, records: int) -> None:
    words = ("fill", cluster.bootstrap, topic, str(records), "1024")
    asyncio.run(printed_by([sys.executable, "-m", "bench.clients", *words], f"filling {topic}"))
