"""The scrubber of a broker's disk: keeps its rate, tells how far it is, goes on after a kill."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest
from tests.support.clients import produce
from tests.support.commands import call
from tests.support.local import Local
from tests.support.ports import free_port
from tests.support.waiting import eventually

from spindle.core.logdirs.scrub_schedule import STEP, ScrubProgress
from spindle.node.logdirs.repairs import SCRUB_FILE

RATE = 300_000
SIZE = 12_000_000
"""Of the log: a round takes far longer than the test looks at it."""
SETTING = "log.dir.scrub.max.bytes.per.second"
FIGURE = "kafka_log_logmanager_scrub"
PATIENCE = 60


def figures(cluster: Local) -> dict[str, float]:
    """What the metrics say of the scrubber; nothing while there is no page."""
    label = f'{{logDirectory="{cluster.log_dirs(1)[0]}"}}'
    try:
        told = cluster.metrics(1)
    except OSError:
        return {}
    return {
        name.removeprefix(FIGURE).removesuffix(label): value
        for name, value in told.items()
        if name.startswith(FIGURE) and name.endswith(label)
    }


def seen(cluster: Local) -> int:
    """Bytes that it has looked at in this round."""
    return int(figures(cluster).get("roundbytes", 0))


def kept(cluster: Local) -> ScrubProgress:
    """What it has written down for the next life."""
    file = Path(cluster.log_dirs(1)[0]) / SCRUB_FILE
    return ScrubProgress.decode(file.read_bytes()) if file.exists() else ScrubProgress()


def shown(cluster: Local) -> dict[str, Any]:
    """What `spindle replicas` says of it."""
    done = call("replicas", "-b", cluster.bootstrap, "--json")
    assert done.code == 0, done
    found: dict[str, Any] = json.loads(done.stdout)["logDirs"][0]["scrub"]
    return found


@pytest.mark.spec("B-28")
def test_it_keeps_its_rate_tells_its_progress_and_goes_on_after_a_kill(tmp_path: Path) -> None:
    settings = {SETTING: "0", "log.initial.task.delay.ms": "200"}
    with Local(tmp_path, brokers=1, directories=1, settings=settings) as cluster:
        (node,) = cluster.brokers
        node.settings["metrics.port"] = str(free_port())
        cluster.write_config(node)
        cluster.start()
        cluster.create_on("big", 0, [1], segment_bytes="1000000")
        rng = random.Random(1)
        produce(cluster.bootstrap, "big", [rng.randbytes(50_000) for _ in range(SIZE // 50_000)])
        assert figures(cluster)["rounds_total"] == 0
        node.settings[SETTING] = str(RATE)
        cluster.write_config(node)
        cluster.restart(1)

        eventually(lambda: seen(cluster) > 0, "a round has begun", PATIENCE, 0.1)
        began, first = time.monotonic(), seen(cluster)
        eventually(lambda: kept(cluster).seen > 0, "it has kept how far it is", PATIENCE, 0.1)
        eventually(lambda: seen(cluster) > first, "it goes on", PATIENCE, 0.1)
        second, took = seen(cluster), time.monotonic() - began
        # A step is taken at once, and paid for afterwards.
        assert second - first <= RATE * took + 2 * STEP
        told = shown(cluster)
        assert second <= told["scrubbedBytes"] < told["totalBytes"]
        assert told["totalBytes"] >= SIZE
        assert told["rounds"] == 0

        before = kept(cluster)
        cluster.restart(1, kill=True)
        eventually(lambda: seen(cluster) > 0, "it knows of the round", PATIENCE, 0.02)
        assert before.seen <= seen(cluster) < told["totalBytes"]
        cluster.configure(1, {SETTING: "1000000000"})
        eventually(lambda: figures(cluster).get("rounds_total") == 1, "it is over", PATIENCE, 0.1)
        after = kept(cluster)
        assert (after.began_ms, after.bad) == (before.began_ms, 0)
        # Each byte once: what a new life looks at again is not more than the last one had not kept.
        assert SIZE <= after.seen <= shown(cluster)["totalBytes"] + STEP
