"""`spindle doctor` against a cluster of processes: well, with a dead disk, with a dead broker."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from tests.support.commands import call
from tests.support.local import Local
from tests.support.waiting import eventually


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Local]:
    """Three brokers with two directories each."""
    settings = {"log.dir.probe.interval.ms": "300", "offsets.topic.num.partitions": "1"}
    with Local(tmp_path_factory.mktemp("doctor"), settings=settings) as cluster:
        cluster.start()
        yield cluster


def examined(cluster: Local) -> tuple[int, dict[str, list[str]]]:
    """The exit code, and the texts of what was found by level."""
    done = call("doctor", "-b", cluster.bootstrap, "--json")
    found: dict[str, list[str]] = {}
    for one in json.loads(done.stdout)["findings"]:
        found.setdefault(one["level"], []).append(one["text"])
    return done.code, found


@pytest.mark.spec("V-08", "V-06")
def test_a_dead_disk_and_a_dead_broker_are_found_and_named(cluster: Local) -> None:
    cluster.create_on("seen", 1, [1, 2, 3], min_insync_replicas="2")
    last: list[tuple[int, dict[str, list[str]]]] = []

    def is_well() -> bool:
        last[:] = [examined(cluster)]
        return last[0][0] == 0

    eventually(is_well, "all is well")
    ((_, well),) = last
    assert "critical" not in well
    assert "the user has the rights on Cluster for every command" in well["ok"]
    assert "1 voter caught up, node 100 leads" in well["ok"]

    offline = f"broker 1 {cluster.log_dirs(1)[1]} is offline (KAFKA_STORAGE_ERROR)"
    cluster.break_disk(1, 1)
    eventually(lambda: offline in examined(cluster)[1].get("critical", ()), "the disk is found")
    assert examined(cluster)[0] == 1
    line = call("doctor", "-b", cluster.bootstrap, "--monitor")
    assert line.code == 2
    assert line.stdout.startswith("CRITICAL: ")
    assert line.stdout.count("\n") == 1
    cluster.mend_disk(1, 1)
    eventually(lambda: examined(cluster)[0] == 0, "the disk is back, and all is in sync", 60)

    cluster.stop_node(3, kill=True)
    down = "broker 3 is not live: it is down"
    eventually(
        lambda: any(text.startswith(down) for text in examined(cluster)[1].get("critical", ())),
        "the broker is found",
    )
    cluster.start_node(3)


def test_a_cluster_that_does_not_answer_is_unknown_to_monitoring() -> None:
    line = call("doctor", "-b", "127.0.0.1:1", "--monitor", "--request-timeout", "1")
    assert line.code == 3
    assert line.stdout.startswith("UNKNOWN: no broker answers at 127.0.0.1:1")
