"""A run of `spindle balance apply` in a cluster that comes to harm: stopped broker by broker.

One run meets what stops a broker's part in it: a replica that falls out of sync, a partition that
loses its leader, a broker that leaves. A directory that dies is met beside Apache Kafka
(`tests/pipeline/test_balance_apache.py`).
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.pipeline.plan_files import plan_file
from tests.support.clients import produce
from tests.support.commands import environment, run
from tests.support.local import Local
from tests.support.processes import tied
from tests.support.waiting import eventually

from spindle.planning.load import PlannedMove

HASTY = """
import sys
from spindle.cli.app import main
from spindle.cli.balance import move_rim
from spindle.pipeline import execution, harm
harm.BEHIND_SECONDS, execution.BACK_SECONDS, move_rim.BEHIND_LOOK_SECONDS = 2.0, 3.0, 0.5
main(sys.argv[1:])
"""
"""`spindle` with less patience: what takes it half a minute takes two seconds."""
SIZE, SLOW, FAST = 20_000, "10000", str(100 << 20)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Local]:
    """Four brokers of three directories. The runs are about the first two of brokers 1, 2, 4.

    A disk that hangs does not fail for as long as the test takes.
    """
    settings = {
        "replica.lag.time.max.ms": "1500",
        "offsets.topic.num.partitions": "1",
        "log.dir.io.timeout.ms": "300000",
    }
    with Local(tmp_path / "nodes", brokers=4, directories=3, settings=settings) as cluster:
        cluster.start()
        for broker in (1, 2, 4):
            for number in range(2):
                cluster.create_on(f"moves-{broker}-{number}", 0, [broker])
                produce(cluster.bootstrap, f"moves-{broker}-{number}", [bytes(SIZE)] * 25)
        cluster.create_on("known", 2, [1, 2])
        cluster.create_on("lagging", 2, [1, 2])
        cluster.create_on("sole", 1, [3])
        yield cluster


def planned(cluster: Local, path: Path) -> Path:
    wave = []
    for number in range(2):
        for broker in (1, 2, 4):
            source, target, _ = cluster.log_dirs(broker)
            topic = f"moves-{broker}-{number}"
            wave.append(PlannedMove(broker, topic, 0, source, target, SIZE * 25))
    return plan_file(path, cluster.bootstrap, [wave])


def answered(cluster: Local, verb: str, *options: str) -> dict[str, Any]:
    done = run("spindle", "balance", verb, "-b", cluster.bootstrap, *options, "--json")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.mark.timeout(240)
@pytest.mark.spec("V-05")
def test_paused_or_not_a_run_stops_by_broker_at_harm_that_is_new_and_says_so(
    cluster: Local, tmp_path: Path
) -> None:
    plan = str(planned(cluster, tmp_path / "plan.json"))
    cluster.break_disk(2, 2, "hang write")
    produce(cluster.bootstrap, "known", [b"not followed"])
    cluster.until(lambda: cluster.state("known")[0][1] == {1}, "it is out of sync")
    refused = run("spindle", "balance", "apply", "-b", cluster.bootstrap, plan)
    assert refused.code == 5, refused
    assert "1 partition is not in sync on these brokers: known-0" in refused.stderr

    said = tmp_path / "said"
    with said.open("w") as errors:
        process = subprocess.Popen(
            tied([sys.executable, "-c", HASTY, "balance", "apply", "-b", cluster.bootstrap, plan,
                  "--throttle", SLOW, "--despite", "known-0", "--json"]),
            stdout=subprocess.PIPE, stderr=errors, text=True, env=environment(),
        )  # fmt: skip

    def hears(words: str, seconds: float = 60) -> None:
        eventually(lambda: words in said.read_text(), words, seconds, 0.1)

    try:
        hears("throttle limit was set")
        eventually(lambda: len(answered(cluster, "watch")["run"]["moving"]) == 3, "moving", 60, 0.2)
        assert answered(cluster, "pause")["paused"]
        hears("paused: what moves goes on")

        produce(cluster.bootstrap, "lagging", [b"not followed"])
        hears("warning: broker 2: 1 replica of it fell out of sync since the run began: lagging-0")
        cluster.break_disk(3, 1)
        hears("warning: broker 3: 1 partition of it lost the leader since the run began: sole-0")
        cluster.stop_node(4, kill=True)
        hears("warning: broker 4: it left the cluster; it was live when the run began")

        answered(cluster, "pace", "--throttle", FAST)
        assert not answered(cluster, "resume")["paused"]
        out, _ = process.communicate(timeout=100)
    finally:
        process.kill()
    words = said.read_text()
    assert process.returncode == 1, words
    assert "resumed" in words
    assert len(re.findall(r"warning: broker \d: ", words)) == 3, "each is reported once"
    assert "known-0" not in words, "what was known is no reason"
    outcome = json.loads(out)
    assert [halt["broker"] for halt in outcome["halted"]] == [2, 3, 4]
    assert outcome["done"] == 2, "broker 1 has gone on"
    stopped = [f["reason"] for f in outcome["failed"]]
    assert len(stopped) == 4, stopped
    assert "Throttles put back" in words
    assert "Throttles remain until it is back: broker 4" in words
