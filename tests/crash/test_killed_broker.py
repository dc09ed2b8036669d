"""A broker with the only replica of a topic is killed again and again while it moves that replica.

No other copy could hide a loss. `SPINDLE_CRASH_POINTS=all` kills many more times.
"""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest
from tests.support.clients import audit
from tests.support.local import Local
from tests.support.waiting import eventually

from spindle.cli.demo.load import Load
from spindle.model.errors import Error

ROUNDS = 100 if os.environ.get("SPINDLE_CRASH_POINTS") == "all" else 8
LONGEST = 0.25
"""Seconds from the request for a move to the kill, at most: the move itself takes about half."""
SETTINGS = {
    "broker.session.timeout.ms": "1000",
    "broker.heartbeat.interval.ms": "200",
    "default.replication.factor": "1",
    "offsets.topic.replication.factor": "1",
}


@pytest.mark.timeout(900 if ROUNDS > 10 else 180)
@pytest.mark.spec("K113-15", "K113-16", "K113-19", "B-02", "B-04")
def test_a_broker_killed_at_any_moment_of_its_moves_keeps_every_record(tmp_path: Path) -> None:
    rng = random.Random(4)
    with Local(tmp_path, brokers=1, directories=3, settings=SETTINGS) as cluster:
        cluster.start()
        cluster.create_on("only", 0, [1], segment_bytes="200000")
        load = Load(cluster.bootstrap, "only", [1.0], 800)
        load.start()
        disk = 0
        for _ in range(ROUNDS):
            wanted = len(load.acknowledged) + 200
            eventually(lambda n=wanted: len(load.acknowledged) > n, "records")  # type: ignore[misc]
            disk = (disk + rng.randrange(1, 3)) % 3
            assert cluster.alter({("only", 0, 1): disk}) == {"only-0-1": Error.NONE}
            time.sleep(rng.uniform(0, LONGEST))  # Not a wait for anything: the moment of the kill.
            cluster.stop_node(1, kill=True)
            assert len(plain(cluster)) <= 1, "two logs of the same name"
            cluster.start_node(1)
            # It goes on by itself to where it was sent, if it had begun.
            cluster.until(lambda: settled(cluster), "one log is left")
            (disk,) = plain(cluster)
        load.finish()
        assert audit(load, cluster.bootstrap, "only") == load.sent


def plain(cluster: Local) -> list[int]:
    """The directories that hold a current log of the topic."""
    directories = cluster.nodes[1].log_dirs
    return [n for n, directory in enumerate(directories) if (directory / "only-0").is_dir()]


def settled(cluster: Local) -> bool:
    """Whether the replica serves and no move is under way."""
    place = cluster.place_of("only", 0, 1)
    return place.current is not None and place.future is None
