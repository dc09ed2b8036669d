"""One node of a cluster is frozen: it accepts connections and never answers (V-06, SIGSTOP).

The commands go on with the others and tell of that one. A command that waited for the client's 30
seconds would not end before LONG, since each asks several times.
"""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.pipeline.plan_files import plan_file
from tests.support.apache_kafka import ApacheKafka, ApacheNode, brokers_known
from tests.support.clients import produce
from tests.support.commands import begin, call, run
from tests.support.freezing import freeze, frozen
from tests.support.local import Local
from tests.support.quorum import led
from tests.support.waiting import eventually

from spindle.cli.exits import End
from spindle.client.admin import AdminClient
from spindle.client.results import ConfigSource, NewTopic, Replica, Resource, ResourceType
from spindle.pipeline import harm
from spindle.planning.load import PlannedMove

LONG = 60
TOPICS = ("frozen-beside-1", "frozen-beside-2", "frozen-beside-3")


def make_topics(bootstrap: str) -> dict[str, str]:
    """Topics of one replica on broker 1, with records; the directory of each."""

    async def work() -> dict[str, str]:
        async with AdminClient(bootstrap) as admin:
            new = [NewTopic(name, assignment={0: (1,)}) for name in TOPICS]
            await admin.create_topics(new).all()
            for name in TOPICS:
                produce(bootstrap, name, [bytes(100_000)] * 10)
            replicas = [Replica(name, 0, 1) for name in TOPICS]
            found = await admin.describe_replica_log_dirs(replicas).all()
            return {replica.topic: place.current or "" for replica, place in found.items()}

    return asyncio.run(work())


def remove_topics(bootstrap: str, *topics: str) -> None:
    async def work() -> None:
        async with AdminClient(bootstrap) as admin:
            await admin.delete_topics(topics).all()

    asyncio.run(work())


def limits_of(bootstrap: str, broker: int) -> list[str]:
    """The settings of a broker that were set while it ran."""

    async def look() -> list[str]:
        async with AdminClient(bootstrap) as admin:
            resource = Resource(ResourceType.BROKER, str(broker))
            told = await admin.describe_configs([resource]).all()
            return [n for n, c in told[resource].items() if c.source == ConfigSource.DYNAMIC_BROKER]

    return asyncio.run(look())


@pytest.fixture
def moving(cluster: ApacheKafka, tmp_path: Path) -> Iterator[Path]:
    """A plan file, in Kafka's form: one replica of broker 1 goes to its other directory."""
    bootstrap = cluster.bootstrap
    places = make_topics(bootstrap)
    [topic, *_] = TOPICS
    [other] = {str(path) for path in cluster.nodes[1].log_dirs} - {places[topic]}
    part = {"topic": topic, "partition": 0, "replicas": [1], "log_dirs": [other]}
    path = tmp_path / "moving.json"
    path.write_text(json.dumps({"version": 1, "partitions": [part]}), encoding="utf-8")
    yield path
    remove_topics(bootstrap, *TOPICS)


def end(started: dict[str, subprocess.Popen[str]]) -> dict[str, tuple[int, str, str]]:
    """What each command printed, and its exit code."""
    ended = {}
    try:
        for name, process in started.items():
            out, said = process.communicate(timeout=LONG)
            ended[name] = process.returncode, out, said
    finally:
        for process in started.values():
            process.kill()
    return ended


@pytest.mark.timeout(240)
@pytest.mark.spec("V-06")
def test_commands_go_on_beside_a_frozen_broker(
    cluster: ApacheKafka, moving: Path, tmp_path: Path
) -> None:
    well, stuck = (cluster.nodes[n] for n in (1, 2))
    both = f"127.0.0.1:{stuck.port},127.0.0.1:{well.port}"
    at = ("-b", both, "--json")
    plan = tmp_path / "plan.json"
    planning = ("--no-spark", "--history", str(tmp_path / "history"), "--output", str(plan))
    to_kafka = ("--bootstrap-server", both, "--reassignment-json-file", str(moving))
    limits = ("--throttle", "50000000", "--replica-alter-log-dirs-throttle", "50000000")
    try:
        with frozen(stuck):
            ended = end(
                {
                    "log-dirs": begin("spindle", "log-dirs", *at),
                    "disks": begin("spindle", "disks", *at),
                    "doctor": begin("spindle", "doctor", *at),
                    "plan": begin("spindle", "balance", "plan", *at, *planning),
                }
            )
            moved = end(
                {"execute": begin("kafka-reassign-partitions", "--execute", *to_kafka, *limits)}
            )["execute"]
            dry = end(
                {"dry": begin("spindle", "balance", "apply", "-b", both, "--dry-run", str(plan))}
            )
    finally:
        eventually(
            lambda: brokers_known("127.0.0.1", well.port) == {1, 2}, "broker 2 is back", LONG
        )
        tidy = run("kafka-reassign-partitions", "--verify", *to_kafka, seconds=LONG)

    for name in ("log-dirs", "disks", "plan"):
        code, out, said = ended[name]
        assert code == End.UNKNOWN, (name, said)
        assert '"2"' in out, (name, out)
    code, out, said = ended["doctor"]
    assert code in (End.FAILED, End.UNKNOWN), said
    assert "broker 2" in out
    code, out, said = moved
    assert code == 0, (out, said)
    assert "The inter-broker throttle limit was set to 50000000 B/s" in out
    assert "Successfully started moving log directory" in out
    assert dry["dry"][0] in (0, 1), dry
    assert tidy.code == 0, tidy


@pytest.mark.timeout(240)
@pytest.mark.spec("V-06")
def test_a_frozen_controller_is_replaced_and_commands_wait_for_the_next(tmp_path: Path) -> None:
    settings = {"offsets.topic.num.partitions": "1"}
    with Local(tmp_path, controllers=3, brokers=1, settings=settings) as cluster:
        cluster.start()
        active = led(cluster).leader
        with frozen(cluster.nodes[active]):
            told = run("spindle", "reassign", "list", "-b", cluster.bootstrap, seconds=LONG)
            assert told.code == 0, told
            assert led(cluster).leader != active


@pytest.mark.timeout(240)
@pytest.mark.spec("V-06")
def test_a_frozen_controller_without_others_is_named_with_the_way_out(tmp_path: Path) -> None:
    """Questions end with it; what runs for long waits until it goes on, or its time is over."""
    with Local(tmp_path, brokers=1, settings={"offsets.topic.num.partitions": "1"}) as cluster:
        cluster.start()
        controller = cluster.nodes[100]
        home = make_topics(cluster.bootstrap)[TOPICS[0]]
        (target,) = (d for d in cluster.log_dirs(1) if d != home)
        move = PlannedMove(1, TOPICS[0], 0, home, target, 1_000_000)
        plan = plan_file(tmp_path / "plan.json", cluster.bootstrap, [[move]])
        with frozen(controller):
            told = call("reassign", "list", "-b", cluster.bootstrap)
            waits = begin("spindle", "balance", "apply", "-b", cluster.bootstrap, str(plan))
            limit = ("--controller-wait", "3")
            ended = run("spindle", "reassign", "watch", "-b", cluster.bootstrap, *limit)
            assert waits.stderr is not None
            line = waits.stderr.readline()
        _, rest = waits.communicate(timeout=LONG)
        assert line.startswith("waits for a controller, "), (line, rest)
        assert waits.returncode == 0, rest
        assert "a controller answers again" in rest
        assert ended.code == 1, ended
        assert "continue or restart it" in ended.stderr
        assert told.code == 1, told
        assert f"node 100 (127.0.0.1:{controller.controller_port})" in told.stderr
        assert "continue or restart it" in told.stderr


@contextmanager
def frozen_once(node: ApacheNode, begun: Callable[[], bool]) -> Iterator[None]:
    """Beside the block: once something has begun, the node is frozen; until the block ends."""
    assert node.process is not None
    pid = node.process.pid
    failed: list[Exception] = []

    def wait() -> None:
        try:
            eventually(begun, "it has begun", LONG, 0.05)
            freeze(pid)
        except Exception as failure:
            failed.append(failure)

    thread = threading.Thread(target=wait)
    thread.start()
    try:
        yield
    finally:
        thread.join()
        node.process.send_signal(signal.SIGCONT)
    if failed:
        raise failed[0]


def is_moving(bootstrap: str, broker: int) -> bool:
    """Whether a replica is on its way to another directory of a broker."""

    async def look() -> bool:
        async with AdminClient(bootstrap) as admin:
            told = await admin.describe_log_dirs([broker]).all()
            return any(d.future for d in told[broker])

    return asyncio.run(look())


def heap(cluster: ApacheKafka, sizes: dict[int, int]) -> None:
    """A topic of one replica with so many bytes on each broker, all in the first directories."""

    async def work() -> None:
        async with AdminClient(cluster.bootstrap) as admin:
            new = [NewTopic(f"heaped-{b}", assignment={0: (b,)}) for b in sizes]
            await admin.create_topics(new).all()
            for broker, size in sizes.items():
                produce(cluster.bootstrap, f"heaped-{broker}", [bytes(10_000)] * (size // 10_000))
            first = {Replica(f"heaped-{b}", 0, b): cluster.log_dirs(b)[0] for b in sizes}
            await admin.alter_replica_log_dirs(first).all()

    asyncio.run(work())
    eventually(
        lambda: not any(is_moving(cluster.bootstrap, b) for b in sizes), "all are there", LONG
    )


@pytest.mark.timeout(240)
@pytest.mark.spec("V-05", "V-06")
def test_a_broker_that_freezes_within_a_run_is_stopped_and_the_next_run_does_not_begin(
    cluster: ApacheKafka, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(harm, "SILENT_SECONDS", 2.0)
    monkeypatch.setenv("SPINDLE_STATE_DIR", str(tmp_path / "state"))
    heap(cluster, {1: 100_000, 2: 1_500_000})
    at, plan = ("-b", cluster.bootstrap), str(tmp_path / "plan.json")
    drained = [part for b in (1, 2) for part in ("--drain", f"{b}:{cluster.log_dirs(b)[0]}")]
    planned = call("balance", "plan", *at, "--no-spark", "--history", str(tmp_path / "history"),
                   "--topics", "heaped-.", *drained, "--output", plan)  # fmt: skip
    assert Path(plan).exists(), planned
    stuck = cluster.nodes[2]
    with frozen_once(stuck, lambda: is_moving(cluster.bootstrap, 2)):
        cut = call("balance", "apply", *at, plan, "--throttle", "100000")
        refused = call("balance", "apply", *at, plan)
    eventually(lambda: brokers_known("127.0.0.1", stuck.port) == {1, 2}, "broker 2 is back", LONG)
    eventually(lambda: call("balance", "apply", *at, plan).code != End.REFUSED, "it is in sync")

    assert cut.code == End.FAILED, cut
    assert "warning: the moves of broker 2 were stopped: it has given no answer for 2 s" in (
        cut.stderr
    )
    assert "1 replica moved and verified" in cut.stdout
    assert "heaped-2-0 on broker 2: it could not be cancelled" in cut.stderr
    assert "Once broker 2 can move replicas again, make a new plan" in cut.stdout
    assert "Throttles remain until it is back: broker 2" in cut.stderr
    assert refused.code == End.REFUSED, refused
    assert "broker 2 takes part and gives no answer" in refused.stderr
    assert "--despite 2" in refused.stderr
    again = call("balance", "apply", *at, plan)
    assert again.code == End.NOTHING, again
    remove_topics(cluster.bootstrap, "heaped-1", "heaped-2")
    eventually(lambda: not limits_of(cluster.bootstrap, 2), "no limit of broker 2 is left")
