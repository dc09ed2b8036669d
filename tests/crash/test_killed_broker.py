"""A broker with the only replica of a topic is killed at chosen calls to its disks while it moves
that replica, and again while it starts after that.

No other copy could hide a loss. A drill (`runtime.drill`) kills the real process instead of its nth
call that would change something in the move's target, or in its source. `SPINDLE_CRASH_POINTS=all`
tries every such call of a move; otherwise they are spread over it.
"""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.support.clients import audit
from tests.support.local import Local
from tests.support.waiting import TimeIsUp, eventually

from spindle.cli.demo.demo_load import DemoLoad
from spindle.model.errors import Error

ALL = os.environ.get("SPINDLE_CRASH_POINTS") == "all"
SPREAD = {"target": (1, 3, 6, 10, 15, 21, 28), "source": (1, 2, 4)}
"""Which calls, where not all are tried: the source has fewer of the move's own."""
LAST = {"target": 60, "source": 8}
"""A move makes no more calls there than this; those behind are of appends and checkpoints."""
SETTINGS = {
    "broker.session.timeout.ms": "1000",
    "broker.heartbeat.interval.ms": "200",
    "default.replication.factor": "1",
    "offsets.topic.replication.factor": "1",
    "log.segment.delete.delay.ms": "200",
}


def points() -> Iterator[tuple[str, int]]:
    """Whose calls, and which of them."""
    for whose, calls in SPREAD.items():
        for number in range(1, LAST[whose] + 1) if ALL else calls:
            yield whose, number


@pytest.mark.timeout(3600 if ALL else 300)
@pytest.mark.spec("K113-15", "K113-16", "K113-18", "K113-19", "B-02", "B-04", "B-21")
def test_a_broker_killed_at_any_call_of_its_moves_keeps_every_record(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    rng = random.Random(4)
    kills = again = 0
    with Local(tmp_path, brokers=1, directories=3, settings=SETTINGS) as cluster:
        cluster.start()
        cluster.create_on("only", 0, [1], segment_bytes="200000")
        load = DemoLoad(cluster.bootstrap, "only", [1.0], 800)
        load.start()
        disk = 0
        for number, (whose, call) in enumerate(points()):
            more(load)
            target = (disk + rng.randrange(1, 3)) % 3
            # In the source appends go on all the time: names and removals alone tell of the move.
            place, verbs = (target, "") if whose == "target" else (disk, " rename,remove")
            cluster.break_disk(1, place, f"kill {call}{verbs}")
            with suppress(ConnectionError, TimeIsUp):  # It may be dead before it has answered.
                answer = cluster.alter({("only", 0, 1): target}, seconds=3)
                assert answer == {"only-0-1": Error.NONE}
            kills += killed(cluster)
            if number % 2:
                # The same once more while it starts.
                cluster.break_disk(1, place, f"kill {rng.randrange(1, 30)}")
                cluster.start_node(1, wait=False)
                again += killed(cluster)
            cluster.mend_disk(1, place)
            cluster.start_node(1)
            # It goes on by itself to where it was sent, if it had begun.
            cluster.until(lambda: settled(cluster), "one log is left", 60)
            (disk,) = plain(cluster)
        load.finish()
        assert audit(load, cluster.bootstrap, "only") == load.sent
    record_property(
        "crash points",
        f"real process, real files: {kills} kills at chosen calls of moves, {again} in the starts "
        "after them",
    )


def more(load: DemoLoad) -> None:
    """Wait until some more records are acknowledged."""
    wanted = len(load.acknowledged) + 200
    eventually(lambda: len(load.acknowledged) > wanted, "records are acknowledged", 60)


def killed(cluster: Local) -> int:
    """Wait until the drill has killed the broker."""
    process = cluster.nodes[1].process
    assert process is not None
    assert process.wait(60) == -signal.SIGKILL
    cluster.stop_node(1)
    assert len(plain(cluster)) <= 1, "two logs of the same name"
    return 1


def plain(cluster: Local) -> list[int]:
    """The directories that hold a current log of the topic."""
    directories = cluster.nodes[1].log_dirs
    return [n for n, directory in enumerate(directories) if (directory / "only-0").is_dir()]


def settled(cluster: Local) -> bool:
    """Whether the replica serves and no move is under way."""
    place = cluster.place_of("only", 0, 1)
    return place.current is not None and place.future is None
