"""kafka-reassign-partitions and spindle reassign beside Apache Kafka's own tool."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest
from tests.support.apache_kafka import REASSIGN, ApacheKafka, ToolResult
from tests.support.clients import produce
from tests.support.commands import begin, run
from tests.support.waiting import eventually, eventually_async

from spindle.cli.reassign import throttles
from spindle.client.admin import AdminClient
from spindle.client.results import (
    Change,
    ConfigChange,
    NewTopic,
    Replica,
    ReplicaLogDirs,
    Resource,
    ResourceType,
)

pytestmark = pytest.mark.kafka

OURS = "kafka-reassign-partitions"
MOVE_RATE = "1 replica.alter.log.dirs.io.max.bytes.per.second"
"""The throttle of moves, of broker 1."""
SLOW = "1000"
"""Bytes/s at which a move of a few megabytes does not end by itself during a test."""


class Desk:
    """One topic of a cluster, a plan file, and both tools."""

    def __init__(self, cluster: ApacheKafka, folder: Path) -> None:
        self.cluster = cluster
        self.file = folder / "plan.json"
        self.at = ["--bootstrap-server", cluster.bootstrap]
        self.json = ["--reassignment-json-file", str(self.file)]

    def create_topic(self, name: str, assignment: str, records: int = 0) -> None:
        """Make a topic, in Kafka's notation of an assignment, with records of a kilobyte."""
        placed = {
            number: tuple(int(broker) for broker in part.split(":"))
            for number, part in enumerate(assignment.split(","))
        }
        replicas = [Replica(name, n, broker) for n, brokers in placed.items() for broker in brokers]

        async def ask() -> None:
            async with AdminClient(self.cluster.bootstrap) as admin:
                await admin.create_topics([NewTopic(name, assignment=placed)]).all()

                async def there() -> bool:
                    where = await admin.describe_replica_log_dirs(replicas).all()
                    return all(place.current is not None for place in where.values())

                await eventually_async(there, f"{name} is there", 60)

        asyncio.run(ask())
        if records:
            produce(self.cluster.bootstrap, name, [b"." * 1000] * records)

    def plan(self, topic: str, partition: int, replicas: list[int], dirs: list[str] | None) -> None:
        entry: dict[str, Any] = {"topic": topic, "partition": partition, "replicas": replicas}
        if dirs is not None:
            entry["log_dirs"] = dirs
        self.file.write_text(json.dumps({"version": 1, "partitions": [entry]}))

    def ours(self, *options: str) -> ToolResult:
        return run(OURS, *self.at, *options)

    def spindle(self, verb: str, *options: str, plan: bool = True) -> ToolResult:
        return run("spindle", *self._words(verb, plan), *options)

    def begin(self, verb: str, *options: str, plan: bool = True) -> Popen[str]:
        return begin("spindle", *self._words(verb, plan), *options)

    def _words(self, verb: str, plan: bool) -> list[str]:
        return ["reassign", verb, "-b", self.cluster.bootstrap, *([str(self.file)] if plan else [])]

    def set_rate(self, broker: int, rate: str) -> None:
        self._change(broker, ConfigChange(throttles.MOVE_RATE, Change.SET, rate))

    def clear_rate(self, broker: int) -> None:
        self._change(broker, ConfigChange(throttles.MOVE_RATE, Change.DELETE))

    def _change(self, broker: int, change: ConfigChange) -> None:
        async def ask() -> None:
            resource = Resource(ResourceType.BROKER, str(broker))
            async with AdminClient(self.cluster.bootstrap) as admin:
                await admin.incremental_alter_configs({resource: [change]}).all()

        asyncio.run(ask())

    def kafkas(self, *options: str) -> ToolResult:
        return self.cluster.run_tool(REASSIGN, *self.at, *options)

    def where(self, topic: str, partition: int, broker: int) -> ReplicaLogDirs:
        replica = Replica(topic, partition, broker)

        async def look() -> ReplicaLogDirs:
            async with AdminClient(self.cluster.bootstrap) as admin:
                return await admin.describe_replica_log_dirs([replica])[replica]

        return asyncio.run(look())

    def other_dir(self, topic: str, partition: int, broker: int) -> str:
        now = self.where(topic, partition, broker).current
        return next(d for d in self.cluster.log_dirs(broker) if d != now)

    def replicas(self, topic: str) -> list[tuple[int, ...]]:
        async def look() -> list[tuple[int, ...]]:
            async with AdminClient(self.cluster.bootstrap) as admin:
                described = await admin.describe_topics([topic])[topic]
                return [p.replicas for p in described.partitions]

        return asyncio.run(look())

    def throttles(self, topic: str) -> dict[str, str]:
        """All throttles that are set on the topic and the brokers."""

        async def look() -> dict[str, str]:
            resources = [Resource(ResourceType.TOPIC, topic)]
            resources += [Resource(ResourceType.BROKER, str(b)) for b in self.cluster.nodes]
            async with AdminClient(self.cluster.bootstrap) as admin:
                found = await admin.describe_configs(resources).all()
            return {
                f"{resource.name} {c.name}": c.value or ""
                for resource, settings in found.items()
                for c in settings.values()
                if ("throttled" in c.name or "alter.log.dirs.io" in c.name)
                and c.source.name in ("TOPIC", "DYNAMIC_BROKER")
            }

        return asyncio.run(look())

    def await_throttles(self, topic: str, wanted: dict[str, str]) -> None:
        """Wait until the brokers know these throttles and no other: they hear a moment later."""
        eventually(lambda: self.throttles(topic) == wanted, f"the throttles are {wanted}")

    def is_there(self, topic: str, partition: int, broker: int, directory: str) -> bool:
        found = self.where(topic, partition, broker)
        return found.current == directory and found.future is None


@pytest.fixture
def desk(cluster: ApacheKafka, tmp_path: Path) -> Iterator[Desk]:
    """A desk at each kind of cluster, whose throttles are gone afterwards."""
    yield from cleared(Desk(cluster, tmp_path))


def cleared(found: Desk) -> Iterator[Desk]:
    yield found
    if found.file.exists() and '"partitions"' in found.file.read_text():
        found.ours("--cancel", *found.json)


@pytest.mark.spec("K113-22", "K113-24")
def test_our_move_is_complete_in_the_eyes_of_kafkas_own_verify(desk: Desk) -> None:
    desk.create_topic("re-move", "1:2,2:1")
    target = desk.other_dir("re-move", 0, 1)
    desk.plan("re-move", 0, [1, 2], [target, "any"])
    before = desk.kafkas("--verify", *desk.json)
    assert before.lines() == desk.ours("--verify", *desk.json).lines()
    assert "is not being moved" in before.stdout

    started = desk.ours("--execute", *desk.json)
    assert started.code == 0, started
    assert started.lines()[-2:] == [
        "Successfully started partition reassignment for re-move-0",
        f"Successfully started moving log directory to {target} for replica re-move-0"
        " with broker 1 ",
    ]
    eventually(lambda: desk.is_there("re-move", 0, 1, target), "the replica is in the directory")
    after = desk.kafkas("--verify", *desk.json)
    assert "Reassignment of replica re-move-0-1 completed successfully." in after.lines()
    assert desk.ours("--verify", *desk.json).lines() == after.lines()


@pytest.mark.spec("K113-22")
def test_kafkas_execute_and_ours_say_the_same(desk: Desk) -> None:
    desk.create_topic("re-same", "1,2")
    first = desk.where("re-same", 0, 1).current
    assert first is not None
    target = desk.other_dir("re-same", 0, 1)
    desk.plan("re-same", 0, [1], [target])
    kafkas = desk.kafkas("--execute", *desk.json)
    eventually(lambda: desk.is_there("re-same", 0, 1, target), "Kafka's tool has moved it")
    desk.plan("re-same", 0, [1], [first])
    ours = desk.ours("--execute", *desk.json)
    assert ours.code == kafkas.code == 0
    assert [line.replace(first, "X").replace(target, "Y") for line in kafkas.lines()] == [
        line.replace(target, "X").replace(first, "Y") for line in ours.lines()
    ]


@pytest.mark.spec("K113-23", "K113-25")
def test_a_new_replica_is_created_in_the_chosen_directory_at_once(desk: Desk) -> None:
    first, second = desk.cluster.log_dirs(2)
    # Fill one directory of broker 2 with logs: by itself it would put the next into the other.
    desk.create_topic("re-fill", ",".join(["2"] * 6))
    for partition in range(6):
        if desk.where("re-fill", partition, 2).current == second:
            desk.plan("re-fill", partition, [2], [first])
            assert desk.ours("--execute", *desk.json).code == 0
            there = partial(desk.is_there, "re-fill", partition, 2, first)
            eventually(there, "broker 2 is filled")
    desk.create_topic("re-new", "1", 2000)
    desk.plan("re-new", 0, [2], [first])

    done = desk.ours("--execute", *desk.json)
    assert done.code == 0, done
    assert f"moving log directory to {first} for replica re-new-0 with broker 2" in done.stdout
    eventually(lambda: desk.replicas("re-new") == [(2,)], "the reassignment is complete")
    assert desk.is_there("re-new", 0, 2, first)
    assert not list(Path(second).glob("re-new-0*")), "the replica was not copied twice"
    assert desk.kafkas("--verify", *desk.json).lines() == desk.ours("--verify", *desk.json).lines()


@pytest.mark.spec("K113-23")
def test_a_directory_that_does_not_exist_stops_it_before_anything_is_changed(desk: Desk) -> None:
    desk.create_topic("re-wrong", "1")
    desk.plan("re-wrong", 0, [2], ["/no/such/directory"])
    done = desk.ours("--execute", *desk.json)
    assert done.code == 1
    assert "Error: Failed to alter dir for re-wrong-0-2" in done.stdout
    assert "LOG_DIR_NOT_FOUND" in done.stdout
    assert "Done: nothing was changed." in done.stdout
    assert "Not done: no reassignment was started." in done.stdout
    assert desk.replicas("re-wrong") == [(1,)]


@pytest.mark.spec("K113-07", "K113-22", "K113-24")
def test_a_throttled_move_is_seen_in_progress_and_cancelled(desk: Desk) -> None:
    desk.create_topic("re-slow", "1", 6000)
    source = desk.where("re-slow", 0, 1).current
    target = desk.other_dir("re-slow", 0, 1)
    desk.plan("re-slow", 0, [1], [target])
    started = desk.ours("--execute", *desk.json, "--replica-alter-log-dirs-throttle", SLOW)
    assert started.code == 0, started
    assert f"The replica-alter-dir throttle limit was set to {SLOW} B/s" in started.lines()
    desk.await_throttles("re-slow", {"1 replica.alter.log.dirs.io.max.bytes.per.second": SLOW})

    running = desk.ours("--verify", *desk.json)
    assert "Reassignment of replica re-slow-0-1 is still in progress." in running.lines()
    assert running.lines() == desk.kafkas("--verify", *desk.json).lines()
    assert desk.throttles("re-slow"), "verify must leave throttles of what is under way"
    table = run("spindle", "log-dirs", "-b", desk.cluster.bootstrap)
    (row,) = (line for line in table.lines() if "re-slow-0-1" in line)
    assert "%" in row
    assert desk.ours("--list").lines() == ["No partition reassignments found."]

    stopped = desk.ours("--cancel", *desk.json)
    assert stopped.code == 0, stopped
    assert "None of the specified partition reassignments are active." in stopped.lines()
    assert (
        f"Successfully started moving log directory to {source} for replica re-slow-0"
        " with broker 1 "
    ) in stopped.lines()
    assert source is not None
    eventually(partial(desk.is_there, "re-slow", 0, 1, source), "no move is shown any more")
    desk.await_throttles("re-slow", {})


@pytest.mark.spec("K113-22")
def test_throttles_between_brokers_are_set_and_removed(desk: Desk) -> None:
    desk.create_topic("re-rate", "1")
    desk.plan("re-rate", 0, [2], None)
    started = desk.ours("--execute", *desk.json, "--throttle", SLOW)
    assert started.code == 0, started
    assert f"The inter-broker throttle limit was set to {SLOW} B/s" in started.lines()
    limits = {
        "re-rate leader.replication.throttled.replicas": "0:1",
        "re-rate follower.replication.throttled.replicas": "0:2",
        "1 leader.replication.throttled.rate": SLOW,
        "1 follower.replication.throttled.rate": SLOW,
        "2 leader.replication.throttled.rate": SLOW,
        "2 follower.replication.throttled.rate": SLOW,
    }
    desk.await_throttles("re-rate", limits)
    eventually(lambda: desk.replicas("re-rate") == [(2,)], "an empty log needs no bytes")
    assert desk.ours("--verify", *desk.json).lines()[-2:] == [
        "Clearing broker-level throttles on brokers 1,2",
        "Clearing topic-level throttles on topic re-rate",
    ]
    desk.await_throttles("re-rate", {})


@pytest.mark.spec("K113-22", "K113-24")
def test_a_reassignment_in_progress_is_listed_verified_and_cancelled(desk: Desk) -> None:
    desk.create_topic("re-list", "1", 6000)
    desk.plan("re-list", 0, [2], None)
    started = desk.ours("--execute", *desk.json, "--throttle", SLOW)
    assert started.code == 0, started
    listed = desk.ours("--list")
    assert listed.lines()[0] == "Current partition reassignments:"
    assert listed.lines() == desk.kafkas("--list").lines()
    direct = run(OURS, "--bootstrap-controller", desk.cluster.controllers, "--list")
    assert direct.lines() == listed.lines()
    running = desk.ours("--verify", *desk.json)
    assert running.lines() == desk.kafkas("--verify", *desk.json).lines()
    assert "Reassignment of partition re-list-0 is still in progress." in running.lines()
    second = desk.ours("--execute", *desk.json)
    assert second.code == 1
    assert "Use --additional to override this" in second.stdout

    stopped = desk.ours("--cancel", *desk.json)
    assert stopped.code == 0, stopped
    assert stopped.lines()[0] == "Successfully cancelled partition reassignment for: re-list-0"
    eventually(lambda: desk.replicas("re-list") == [(1,)], "the broker knows the replicas")
    desk.await_throttles("re-list", {})
    assert desk.kafkas("--list").lines() == desk.ours("--list").lines()


@pytest.mark.spec("K113-22")
def test_generate_proposes_an_even_spread_and_shows_what_is(desk: Desk, tmp_path: Path) -> None:
    desk.create_topic("re-gen", "1,1,1,1")
    topics = tmp_path / "topics.json"
    topics.write_text('{"version":1,"topics":[{"topic":"re-gen"}]}')
    options = ["--generate", "--topics-to-move-json-file", str(topics), "--broker-list", "1,2"]
    ours, kafkas = desk.ours(*options), desk.kafkas(*options)
    assert ours.code == kafkas.code == 0
    assert ours.lines()[:4] == kafkas.lines()[:4]
    proposed = json.loads(ours.lines()[4])
    assert sorted(p["replicas"][0] for p in proposed["partitions"]) == [1, 1, 2, 2]
    assert all(p["log_dirs"] == ["any"] for p in proposed["partitions"])


@pytest.mark.spec("K113-22")
def test_the_replication_factor_can_be_protected(desk: Desk) -> None:
    desk.create_topic("re-factor", "1")
    desk.plan("re-factor", 0, [1, 2], None)
    refused = desk.ours("--execute", *desk.json, "--disallow-replication-factor-change")
    assert refused.code == 1
    assert "Error reassigning partition(s):\nre-factor-0: " in refused.stdout
    assert desk.replicas("re-factor") == [(1,)]


@pytest.mark.spec("K113-22")
def test_spindle_reassign_watches_until_it_is_done(desk: Desk) -> None:
    desk.create_topic("re-watch", "1", 3000)
    target = desk.cluster.log_dirs(2)[1]
    desk.plan("re-watch", 0, [2], [target])
    done = desk.spindle("execute", "--watch", "--throttle", "100000000", "--json")
    assert done.code == 0, done
    told = json.loads(done.stdout)
    assert told["complete"] is True
    assert told["rollback"]["partitions"][0]["replicas"] == [1]
    assert told["reassigned"] == [{"topic": "re-watch", "partition": 0}]
    (new,) = told["directories"]
    assert (new["topic"], new["broker"], new["logDir"]) == ("re-watch", 2, target)
    assert new["chosen"] == ("broker" if type(desk.cluster) is ApacheKafka else "controller")
    desk.await_throttles("re-watch", {})
    assert desk.is_there("re-watch", 0, 2, target)
    shown = desk.spindle("verify")
    assert shown.code == 0, shown
    cells = [line.split() for line in shown.lines()]
    assert ["re-watch-0", "2", "2", "completed"] in cells
    assert ["re-watch-0-2", target, target, "completed", "-", "-"] in cells
    assert json.loads(desk.spindle("verify", "--json").stdout)["complete"] is True


@pytest.mark.spec("K113-22", "K113-24")
def test_a_watch_is_interrupted_resumed_and_ended(desk: Desk) -> None:
    desk.create_topic("re-up", "1", 6000)
    target = desk.other_dir("re-up", 0, 1)
    desk.plan("re-up", 0, [1], [target])
    watching = desk.begin("execute", "--watch", "--move-throttle", SLOW)
    eventually(lambda: desk.where("re-up", 0, 1).future == target, "the move has begun", 60)
    watching.send_signal(signal.SIGINT)
    out, err = watching.communicate(timeout=60)
    assert watching.returncode == 130, (out, err)
    assert "What has started continues in the cluster" in err
    assert f"spindle reassign watch -b {desk.cluster.bootstrap} {desk.file}" in err
    assert f"spindle reassign cancel -b {desk.cluster.bootstrap} {desk.file}" in err
    assert desk.where("re-up", 0, 1).future == target
    desk.await_throttles("re-up", {MOVE_RATE: SLOW})
    for command in (
        ("watch", "--watch-limit", "1"),
        ("execute", "--additional", "--watch", "--watch-limit", "1"),
    ):
        limited = desk.spindle(*command)
        assert limited.code == 1, limited
        assert "The time to watch is over. What has started continues" in limited.stderr
        assert "still moving" in limited.stdout
        desk.await_throttles("re-up", {MOVE_RATE: SLOW})

    listed = desk.spindle("list", "--json", plan=False)
    (move,) = json.loads(listed.stdout)["moves"]
    assert (move["topic"], move["target"], move["state"]) == ("re-up", target, "still moving")
    again = desk.begin("watch", plan=False)
    faster = desk.spindle("execute", "--additional", "--move-throttle", "100000000")
    assert faster.code == 0, faster
    out, err = again.communicate(timeout=60)
    assert again.returncode == 0, (out, err)
    assert desk.is_there("re-up", 0, 1, target)
    assert desk.spindle("watch").code == 0
    desk.await_throttles("re-up", {})
    assert "Nothing is in progress" in desk.spindle("watch", plan=False).stdout
    assert "Nothing is in progress" in desk.spindle("list", plan=False).stdout


def test_a_limit_without_a_watch_is_refused(desk: Desk) -> None:
    desk.plan("re-none", 0, [1], ["any"])
    refused = desk.spindle("execute", "--watch-limit", "1")
    assert refused.code != 0
    assert "--watch-limit goes with --watch" in refused.stderr


@pytest.mark.spec("K113-22", "K113-24")
def test_throttles_of_a_killed_run_are_put_back_by_the_next_one(desk: Desk) -> None:
    desk.create_topic("re-killed", "1", 3000)
    desk.create_topic("re-other", "1")
    desk.set_rate(1, "55555555")
    target = desk.other_dir("re-killed", 0, 1)
    desk.plan("re-killed", 0, [1, 2], [target, "any"])
    running = desk.begin("execute", "--watch", "--move-throttle", SLOW, "--throttle", "99999999")
    eventually(lambda: desk.replicas("re-killed") == [(1, 2)], "the reassignment has begun", 60)
    eventually(lambda: desk.where("re-killed", 0, 1).future == target, "so has the move", 60)
    running.kill()
    running.communicate(timeout=60)
    replicas = "re-killed follower.replication.throttled.replicas"
    eventually(
        lambda: desk.throttles("re-killed").items() >= {MOVE_RATE: SLOW, replicas: "0:2"}.items(),
        "the throttles that it set are there",
    )
    set_by_it = desk.throttles("re-killed")

    desk.plan("re-other", 0, [1], [desk.where("re-other", 0, 1).current or ""])
    for verb in ("verify", "watch"):
        early = desk.spindle(verb)
        assert "the throttles of an earlier run stay: its plan is in progress" in early.stderr
        assert desk.throttles("re-killed") == set_by_it
    desk.set_rate(1, "99999999")
    eventually(lambda: desk.is_there("re-killed", 0, 1, target), "the move is done", 60)
    desk.set_rate(1, SLOW)

    def is_over() -> bool:
        late = desk.spindle("execute")
        assert late.code == 0, late
        return "throttles of an earlier run, whose plan is over (re-killed-0)" in late.stderr

    eventually(is_over, "the reassignment is done too", 60)
    desk.await_throttles("re-killed", {MOVE_RATE: "55555555"})
    assert "earlier run" not in desk.spindle("verify").stderr
    desk.clear_rate(1)


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ("{nonsense", "The input string is not a valid JSON"),
        ('{"version":2,"partitions":[]}', "Not supported version field value 2"),
        ('{"version":1,"partitions":[]}', "Partition reassignment list cannot be empty"),
        (
            '{"partitions":[{"topic":"no-such","partition":0,"replicas":[1]}]}',
            "Topic no-such not found.",
        ),
        ('{"partitions":[{"topic":"re-bad","partition":7,"replicas":[1]}]}', "re-bad-7"),
        ('{"partitions":[{"topic":"re-bad","partition":0,"replicas":[9]}]}', "Unknown broker id 9"),
    ],
)
def test_bad_plans_are_refused_as_kafka_refuses_them(desk: Desk, document: str, says: str) -> None:
    if "re-bad" in document and "re-bad" not in _topics(desk.cluster):
        desk.create_topic("re-bad", "1")
    desk.file.write_text(document)
    done = desk.ours("--execute", *desk.json)
    assert done.code == 1
    assert done.stdout.startswith("Error: ")
    assert says in done.stdout


def test_unknown_partitions_have_no_replica_set_in_verify(desk: Desk) -> None:
    desk.plan("re-none", 0, [1], ["/d"])
    done = desk.ours("--verify", *desk.json)
    assert done.lines()[1] == (
        "There is no active reassignment of partition re-none-0, but replica set is  rather than 1."
    )
    assert done.lines()[1] == desk.kafkas("--verify", *desk.json).lines()[1]


def _topics(cluster: ApacheKafka) -> set[str]:
    async def look() -> set[str]:
        async with AdminClient(cluster.bootstrap) as admin:
            return set(await admin.list_topics())

    return asyncio.run(look())
