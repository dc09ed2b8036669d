"""`spindle disks` with a Spindle cluster: disks come and go by command, under load, no restart.

The tests share one cluster of three brokers with three log directories each, and leave it whole.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.apache_kafka import ToolResult
from tests.support.clients import audit, produce
from tests.support.commands import begin, call, run
from tests.support.local import Local
from tests.support.waiting import eventually

from spindle.cli.demo.demo_load import DemoLoad
from spindle.model.errors import Error

SETTINGS = {
    "log.dir.probe.interval.ms": "300",
    "log.dir.io.timeout.ms": "1500",
    "offsets.topic.num.partitions": "1",
}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Local]:
    """Three brokers with three directories each."""
    folder = tmp_path_factory.mktemp("commands")
    with Local(folder, directories=3, settings=SETTINGS) as cluster:
        cluster.start()
        yield cluster


def disks(cluster: Local, broker: int) -> list[dict[str, Any]]:
    """What `spindle disks --json` tells of a broker, in the order of its configuration."""
    done = call("disks", "-b", cluster.bootstrap, "--broker-list", f"{broker}", "--json")
    found = json.loads(done.stdout)
    assert found["silentBrokers"] == {}
    well = all(disk["health"] in ("healthy", "slow", "full") for disk in found["disks"])
    whole = not any(disk["offlineReplicas"] for disk in found["disks"])
    assert done.code == (0 if well and whole else 1), done
    return list(found["disks"])


def order(cluster: Local, *words: str) -> ToolResult:
    """Run a sub-command."""
    return call("disks", words[0], "-b", cluster.bootstrap, *words[1:])


def open_files(cluster: Local, broker: int, path: str) -> list[str]:
    """Files under a directory that a broker's process has open."""
    process = cluster.nodes[broker].process
    assert process is not None
    found = []
    for link in Path(f"/proc/{process.pid}/fd").iterdir():
        try:
            target = str(link.readlink())
        except OSError:
            continue  # Closed meanwhile.
        if target.startswith(path + "/"):
            found.append(target)
    return found


def whole(cluster: Local, topic: str) -> bool:
    """Whether all of a topic's replicas are in sync again."""
    return all(isr == {1, 2, 3} for _, isr in cluster.state(topic).values())


@pytest.mark.spec("B-13")
def test_a_failed_disk_is_shown_probed_and_brought_back(cluster: Local) -> None:
    topic, path = "back", cluster.log_dirs(1)[1]
    cluster.create_on(topic, 1, [1, 2, 3], min_insync_replicas="2")
    before = disks(cluster, 1)
    assert [(d["state"], d["offlineReplicas"]) for d in before] == [("online", 0)] * 3
    assert len({d["directoryId"] for d in before}) == 3
    good = order(cluster, "probe", "1", path)
    assert (good.code, "wrote, synced and read back" in good.stdout) == (0, True), good
    by_its_end = order(cluster, "probe", "1", f"./{Path(path).name}")
    assert (by_its_end.code, by_its_end.stdout.startswith(f"{path}: wrote")) == (0, True), good
    nowhere = order(cluster, "probe", "1", "elsewhere")
    assert (nowhere.code, nowhere.stdout) == (1, ""), nowhere
    assert "elsewhere ends none of the paths of broker 1's log directories" in nowhere.stderr
    assert path in nowhere.stderr

    cluster.break_disk(1, 1)

    def found_dead() -> dict[str, Any] | None:
        now = disks(cluster, 1)[1]
        return now if now["state"] == "failed" and now["offlineReplicas"] >= 1 else None

    dead = eventually(found_dead, "the disk is found dead, and a replica with it", 60, 0.1)
    assert "Input/output error" in dead["why"]
    assert [e["event"].split(":")[0] for e in dead["history"]] == ["failed"]
    table = run("spindle", "disks", "-b", cluster.bootstrap)
    why = dead["why"].removeprefix(f"{path}: ")
    assert f"broker 1 {path}: failed: {why}" in table.lines(), table
    bad = order(cluster, "probe", "1", path)
    assert (bad.code, bad.stdout) == (1, ""), bad
    assert "Input/output error" in bad.stderr
    still = order(cluster, "online", "1", path, "--wait", "0")
    assert (still.code, f"{path} stays offline: " in still.stderr) == (1, True), still

    cluster.mend_disk(1, 1)
    done = order(cluster, "online", "1", path)
    assert done.code == 0, done
    assert f"{path} on broker 1 is healthy" in done.lines()
    cluster.until(lambda: whole(cluster, topic), "its replica is in sync again", 60)
    past = order(cluster, "history")
    assert [words in past.stdout for words in ("failed: ", "ordered online", "back")] == [True] * 3
    drill = f"{path}.broken"  # The file that makes the drill: its name begins with the path.
    whys = [line.replace(drill, "") for line in past.lines() if "failed: " in line]
    assert [line.count(path) for line in whys] == [1] * len(whys), "the path is said once"


@pytest.mark.spec("B-13", "B-16", "K858-18")
def test_a_disk_is_changed_for_a_blank_one(cluster: Local) -> None:
    topic, path = "changed", cluster.log_dirs(2)[1]
    cluster.create_on(topic, 1, [1, 2, 3], min_insync_replicas="2")
    load = DemoLoad(cluster.bootstrap, topic, [1.0], 100)
    load.start()
    old = disks(cluster, 2)[1]["directoryId"]
    online = order(cluster, "replace", "2", path)
    assert (online.code, "drain it, take it offline" in online.stderr) == (5, True), online
    assert open_files(cluster, 2, path)
    done = order(cluster, "offline", "2", path)
    assert done.code == 0, done
    assert disks(cluster, 2)[1]["state"] == "offline"
    same = order(cluster, "replace", "2", path)
    assert (same.code, "the same disk as before, not a blank one" in same.stdout) == (0, True), same
    assert order(cluster, "offline", "2", path).code == 0
    # Nothing keeps the disk from being unmounted.
    eventually(lambda: not open_files(cluster, 2, path), "its files are closed", 60, 0.1)

    shutil.rmtree(path)
    missing = order(cluster, "replace", "2", path)
    assert (missing.code, "No such file or directory" in missing.stderr) == (1, True), missing
    Path(path).mkdir()
    (Path(path) / "lost+found").mkdir()
    (Path(path) / "photos").mkdir()
    full = order(cluster, "replace", "2", path)
    assert (full.code, "is not blank: it holds photos" in full.stderr) == (1, True), full
    (Path(path) / "photos").rmdir()
    done = order(cluster, "replace", "2", path)
    assert done.code == 0, done
    assert f"{path} on broker 2 is healthy" in done.lines()
    cluster.until(lambda: whole(cluster, topic), "its replica was made again", 60)
    new = disks(cluster, 2)[1]
    assert (new["state"], new["directoryId"] != old) == ("online", True)
    told = cluster.alter({("changed", 0, 2): 1})
    assert set(told.values()) == {Error.NONE}
    cluster.until(lambda: cluster.disk_of(topic, 0, 2) == 1, "it takes replicas", 60)
    load.finish()
    audit(load, cluster.bootstrap, topic)


@pytest.mark.spec("B-13")
def test_what_would_end_the_broker_is_refused(cluster: Local) -> None:
    first, second, third = cluster.log_dirs(3)
    assert order(cluster, "offline", "3", first).code == 0
    assert order(cluster, "offline", "3", second).code == 0
    last = order(cluster, "offline", "3", third)
    assert (last.code, "is the broker's last directory" in last.stderr) == (5, True), last
    for path in (first, second):
        assert order(cluster, "online", "3", path).code == 0
    unknown = order(cluster, "offline", "3", "/nowhere")
    assert unknown.code == 1
    assert f"/nowhere is not in log.dirs, which are: {first}, {second}, {third}" in unknown.stderr


@pytest.mark.spec("B-19", "B-13")
def test_a_directory_is_drained_under_load_and_safe_to_pull(cluster: Local) -> None:
    topics, path = [f"drained-{n}" for n in range(3)], cluster.log_dirs(1)[2]
    for topic in topics:
        cluster.create_on(topic, 2, [1, 2, 3], min_insync_replicas="2")
    loads = [DemoLoad(cluster.bootstrap, topic, [1.0], 100) for topic in topics]
    for load in loads:
        load.start()
    done = run("spindle", "disks", "drain", "-b", cluster.bootstrap, "1", path, seconds=120)
    assert done.code == 0, done
    safe = f"safe to pull: {path} on broker 1 is empty, and gets nothing new (cordoned)"
    assert done.lines()[-1] == safe, done
    shown = disks(cluster, 1)[2]
    assert (shown["state"], shown["replicas"], shown["isCordoned"]) == ("online, cordoned", 0, True)
    assert [cluster.disk_of(topic, 0, 1) != 2 for topic in topics] == [True] * 3

    # It is pulled; no client notices, and new replicas go elsewhere.
    assert order(cluster, "offline", "1", path).code == 0
    for topic in topics:
        cluster.until(lambda t=topic: whole(cluster, t), f"{topic} is in sync")
    cluster.create("beside", [[1]])
    assert cluster.disk_of("beside", 0, 1) != 2
    assert order(cluster, "online", "1", path).code == 0
    cluster.create("still-beside", [[1]])
    assert cluster.disk_of("still-beside", 0, 1) != 2
    lifted = order(cluster, "uncordon", "1", path)
    assert (lifted.code, lifted.lines()) == (0, ["broker 1: no directory is cordoned"])
    told = cluster.alter({(topics[0], 0, 1): 2})
    assert set(told.values()) == {Error.NONE}
    cluster.until(lambda: cluster.disk_of(topics[0], 0, 1) == 2, "it takes replicas again")
    for load, topic in zip(loads, topics, strict=True):
        load.finish()
        audit(load, cluster.bootstrap, topic)


@pytest.mark.spec("B-19")
def test_a_drain_is_cancelled(cluster: Local) -> None:
    topic, path = "kept", cluster.log_dirs(2)[0]
    cluster.create_on(topic, 0, [2, 3])
    produce(cluster.bootstrap, topic, [b"x" * 100_000] * 20)
    throttle = {"replica.alter.log.dirs.io.max.bytes.per.second": "10000"}
    cluster.configure(2, throttle)
    drain = begin("spindle", "disks", "drain", "-b", cluster.bootstrap, "2", path)
    cluster.until(lambda: cluster.place_of(topic, 0, 2).future is not None, "it is on its way", 60)
    eventually(lambda: disks(cluster, 2)[0]["state"] == "online, draining", "it is shown")
    done = order(cluster, "drain", "--cancel", "2", f"{path}/")
    assert done.code == 0, done
    assert " moves cancelled, no longer cordoned" in done.stdout
    out, err = drain.communicate(timeout=60)
    assert (drain.returncode, out) == (1, ""), err
    assert "another command has stopped the drain" in err
    cluster.until(lambda: cluster.place_of(topic, 0, 2).future is None, "it stays", 60)
    assert cluster.disk_of(topic, 0, 2) == 0
    eventually(lambda: disks(cluster, 2)[0]["state"] == "online", "it is shown as before")
    cluster.configure(2, dict.fromkeys(throttle))


@pytest.mark.spec("B-19")
def test_a_disk_that_cannot_be_emptied_says_why(cluster: Local) -> None:
    first, second, third = cluster.log_dirs(3)
    for path in (second, third):
        assert order(cluster, "cordon", "3", path).code == 0
    done = order(cluster, "drain", "3", first)
    assert (done.code, "no other directory that is online and not cordoned" in done.stderr) == (
        1,
        True,
    ), done
    for path in (second, third):
        assert order(cluster, "uncordon", "3", path).code == 0
    assert [d["isCordoned"] for d in disks(cluster, 3)] == [False] * 3


@pytest.mark.spec("N-06", "B-13")
def test_the_last_live_replica_is_not_taken_away_unasked(cluster: Local) -> None:
    path = cluster.log_dirs(1)[0]
    cluster.create_on("only-here", 0, [1])
    refused = order(cluster, "offline", "1", path)
    assert refused.code == 5, refused
    assert "only-here-0" in refused.stderr
    assert "--force" in refused.stderr
    assert cluster.state("only-here")[0][0] == 1, "it is led"

    assert order(cluster, "offline", "1", path, "--force").code == 0
    shown = call("disks", "-b", cluster.bootstrap)
    assert shown.code == 1, "a directory is offline"
    assert call("log-dirs", "-b", cluster.bootstrap).code == 1
    assert order(cluster, "online", "1", path).code == 0
    cluster.until(lambda: cluster.state("only-here")[0][0] == 1, "it is led again")
    shown = call("disks", "-b", cluster.bootstrap, "--broker-list", "1", "--json")
    assert json.loads(shown.stdout)["disks"][0]["history"], "what has happened is shown"


@pytest.mark.spec("N-06")
def test_a_name_that_does_not_exist_is_no_row_of_zeros(cluster: Local) -> None:
    nothing = call("log-dirs", "-b", cluster.bootstrap, "--topic-list", "nosuch")
    assert (nothing.code, nothing.stdout) == (1, "")
    assert nothing.stderr == "error: there is no topic nosuch\n"
    nowhere = call("log-dirs", "-b", cluster.bootstrap, "--log-dirs", "/nowhere")
    assert nowhere.code == 1
    assert "no broker that answers has the log directory /nowhere" in nowhere.stderr


@pytest.mark.spec("N-06")
def test_a_broker_that_is_down_is_a_row(cluster: Local) -> None:
    others = ",".join(a for n, a in enumerate(cluster.bootstrap.split(","), 1) if n != 3)
    process = cluster.nodes[3].process
    assert process is not None
    process.kill()

    def rows(*command: str) -> list[list[str]]:
        shown = call(*command, "-b", others)
        return [line.split() for line in shown.stdout.splitlines() if shown.code == 6]

    try:
        for command in (("log-dirs",), ("disks",), ("replicas",)):
            eventually(
                lambda c=command: any(
                    row[:2] == ["3", "(all)"] and "down" in row for row in rows(*c)
                ),
                f"{command[0]} shows that broker 3 is down",
                60,
            )
            told = call(*command, "-b", others, "--json")
            assert told.code == 6
            assert "it is down" in json.loads(told.stdout)["silentBrokers"]["3"]
        kafkas = run("kafka-log-dirs", "--bootstrap-server", others, "--describe")
        assert kafkas.code == 0, "Apache Kafka's tool looks at live brokers"
        # What was found wrong is graver than what could not be asked (docs/start.md).
        cluster.break_disk(1, 1)
        try:
            for word in ("log-dirs", "disks"):
                eventually(
                    lambda w=word: call(w, "-b", others).code == 1, f"{word} ends with 1", 60
                )
                assert call(word, "-b", others, "--json").code == 1
        finally:
            cluster.mend_disk(1, 1)
    finally:
        cluster.restart(3)
