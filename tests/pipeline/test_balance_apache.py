"""We balance Apache Kafka, 3 brokers x 3 disks on racks, its own tool verifies, an audit counts."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Iterator
from math import ceil, floor
from pathlib import Path
from typing import Any

import pytest
from tests.pipeline.plan_files import plan_file
from tests.support.apache_kafka import REASSIGN, ApacheKafka
from tests.support.clients import produce, values
from tests.support.commands import begin, run
from tests.support.waiting import eventually

from spindle.cli.balance.applying import carry_out
from spindle.client.admin import AdminClient
from spindle.client.results import NewTopic
from spindle.planning.load import PlannedMove
from spindle.planning.schedule import WaveLimits

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(500)]
TOPIC, PARTITIONS, RECORDS, RECORD = "orders", 9, 50, 20_000
SIZE = RECORDS * RECORD
BROKERS = (1, 2, 3)
ONCE = {"enable.idempotence": True}
"""Else a batch that is refused at first (no leader yet) comes after the next, or twice."""


@pytest.fixture(scope="module")
def kafka(kafka_jars: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApacheKafka]:
    """Three brokers on racks, and a topic of 9 x 1 MB on all of them."""
    folder = tmp_path_factory.mktemp("kafka")
    jvm = ("-Xmx300m", "-Xss512k", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
    with ApacheKafka(folder, kafka_jars, brokers=3, directories=3, jvm=jvm) as kafka:
        for node in kafka.brokers:
            node.settings["broker.rack"] = f"rack-{node.node_id}"
            kafka.write_config(node)
        kafka.start()
        assignment = {n: tuple(1 + (n + k) % 3 for k in range(3)) for n in range(PARTITIONS)}

        async def create() -> None:
            async with AdminClient(kafka.bootstrap) as admin:
                await admin.create_topics([NewTopic(TOPIC, assignment=assignment)]).all()

        asyncio.run(create())
        for partition in range(PARTITIONS):
            produce(kafka.bootstrap, TOPIC, records(partition), partition, **ONCE)
        yield kafka


def records(partition: int) -> list[bytes]:
    return [f"{partition}:{n}:".encode().ljust(RECORD, b".") for n in range(RECORDS)]


def places(kafka: ApacheKafka) -> dict[tuple[int, int], str]:
    """The directory of each (broker, partition); all moves must have ended."""

    async def look() -> dict[tuple[int, int], str]:
        async with AdminClient(kafka.bootstrap) as admin:
            told = await admin.describe_log_dirs(BROKERS).all()
        assert not any(d.future for dirs in told.values() for d in dirs)
        return {
            (broker, name.partition): d.path
            for broker, dirs in told.items()
            for d in dirs
            for name in d.current
            if name.topic == TOPIC
        }

    return asyncio.run(look())


def gather(kafka: ApacheKafka) -> None:
    """Put all replicas of each broker onto its first disk."""
    wave = [
        PlannedMove(broker, TOPIC, number, path, kafka.log_dirs(broker)[0], 1)
        for (broker, number), path in places(kafka).items()
        if path != kafka.log_dirs(broker)[0]
    ]

    async def work() -> None:
        async with AdminClient(kafka.bootstrap) as admin:
            assert (await carry_out(admin, [wave], most=WaveLimits(0, 0))).complete

    asyncio.run(work())
    assert all(path == kafka.log_dirs(broker)[0] for (broker, _), path in places(kafka).items())


def counts(kafka: ApacheKafka) -> list[list[int]]:
    """Replicas on each disk of each broker."""
    found = places(kafka)
    return [
        [sum(p == path for (b, _), p in found.items() if b == broker) for path in dirs]
        for broker in BROKERS
        for dirs in [kafka.log_dirs(broker)]
    ]


def balance(kafka: ApacheKafka, verb: str, *arguments: str) -> dict[str, Any]:
    done = run("spindle", "balance", verb, "-b", kafka.bootstrap, "--json", *arguments, seconds=200)
    assert done.code == 0, done
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def tool(kafka: ApacheKafka, plan: Path, *arguments: str) -> list[str]:
    done = kafka.run_tool(
        REASSIGN, "--bootstrap-server", kafka.bootstrap, "--reassignment-json-file", str(plan),
        *arguments, seconds=120,
    )  # fmt: skip
    assert done.code == 0, done
    return done.lines()


def directories(plan: Path) -> dict[tuple[int, int], str]:
    """Where a plan moves each (broker, partition)."""
    return {
        (broker, entry["partition"]): path
        for entry in json.loads(plan.read_text())["partitions"]
        for broker, path in zip(entry["replicas"], entry["log_dirs"], strict=True)
        if path != "any"
    }


def verified(lines: list[str]) -> int:
    """The replicas of which Kafka's tool says that they are where they should be: all it names."""
    told = [line for line in lines if line.startswith("Reassignment of replica ")]
    assert all("completed successfully" in line for line in told), lines
    assert all("in progress" not in line for line in lines), lines
    return len(told)


def audited(kafka: ApacheKafka) -> None:
    """Every record that was acknowledged is consumed exactly once, in order and unchanged."""
    found = values(kafka.bootstrap, TOPIC)
    for partition in range(PARTITIONS):
        head = f"{partition}:".encode()
        assert [v for v in found if v.startswith(head)] == records(partition)
    assert len(found) == PARTITIONS * RECORDS


@pytest.mark.spec("P-04", "P-06", "P-07", "P-08", "K113-28")
def test_we_balance_apache_kafka_through_a_kill_and_its_own_tool_verifies(
    kafka: ApacheKafka, tmp_path: Path
) -> None:
    gather(kafka)
    file = tmp_path / "plan.json"
    home = ("--history", str(tmp_path / "history"))
    plan = balance(kafka, "plan", *home, "--output", str(file))["spindle"]
    assert plan["moves"] == 18, file.read_text()
    assert counts(kafka) == [[9, 0, 0]] * 3, "a plan moves nothing"

    arguments = ("apply", "-b", kafka.bootstrap, str(file), "--throttle", str(SIZE // 4))
    process = begin("spindle", "balance", *arguments)
    try:

        def moving() -> bool:
            watched = run("spindle", "balance", "watch", "-b", kafka.bootstrap, "--json")
            told = json.loads(watched.stdout)["run"]
            return told is not None and bool(told["moving"])

        eventually(moving, "it is moving", 120, 0.5)
        process.send_signal(signal.SIGKILL)
    finally:
        process.kill()
        process.communicate()
    done = balance(kafka, "apply", "--throttle", str(50 << 20))
    assert done["complete"], done
    assert counts(kafka) == [[3, 3, 3]] * 3
    # What the second run planned may have gone elsewhere than the first plan says.
    found, planned = places(kafka), directories(file)
    in_place = [place for place, path in planned.items() if found[place] == path]
    assert verified(tool(kafka, file, "--verify", "--preserve-throttles")) == len(in_place) > 0
    audited(kafka)

    async def throttles() -> list[str]:
        from spindle.cli.reassign.throttles import FOLLOWER_RATE, LEADER_RATE, MOVE_RATE
        from spindle.client.results import Resource, ResourceType

        resources = [Resource(ResourceType.BROKER, str(b)) for b in BROKERS]
        async with AdminClient(kafka.bootstrap) as admin:
            found = await admin.describe_configs(resources).all()
        names = (FOLLOWER_RATE, LEADER_RATE, MOVE_RATE)
        return [
            str(resource)
            for resource, settings in found.items()
            for name in names
            if name in settings and settings[name].source.name == "DYNAMIC_BROKER"
        ]

    eventually(lambda: not asyncio.run(throttles()), "no throttle is left")


@pytest.mark.spec("P-06")
def test_apache_kafkas_tool_carries_our_plan_out(kafka: ApacheKafka, tmp_path: Path) -> None:
    gather(kafka)
    file = tmp_path / "plan.json"
    home = ("--history", str(tmp_path / "history"))
    plan = balance(kafka, "plan", *home, "--output", str(file))["spindle"]
    assert plan["moves"] >= 18, "consumers' offsets may be there by now"
    tool(kafka, file, "--execute")
    eventually(
        lambda: not [line for line in tool(kafka, file, "--verify") if "still in progress" in line],
        "the tool's moves are done",
        120,
    )
    assert verified(tool(kafka, file, "--verify")) == plan["moves"]
    assert counts(kafka) == [[3, 3, 3]] * 3


WIDE, PARTS, COUNT = "ledger", 12, 25


def wide(partition: int) -> list[bytes]:
    return [f"w{partition}:{n}:".encode().ljust(RECORD, b".") for n in range(COUNT)]


def hosts(kafka: ApacheKafka) -> dict[int, tuple[int, ...]]:
    """The brokers of each partition of the topic that is not everywhere, and its leader."""

    async def look() -> dict[int, tuple[int, ...]]:
        async with AdminClient(kafka.bootstrap) as admin:
            topics = await admin.describe_topics([WIDE]).all()
        return {p.partition: (p.leader or -1, *p.replicas) for p in topics[WIDE].partitions}

    return asyncio.run(look())


def held(kafka: ApacheKafka) -> list[int]:
    """Its replicas on each broker."""
    found = hosts(kafka).values()
    return [sum(broker in brokers[1:] for brokers in found) for broker in BROKERS]


def counted(kafka: ApacheKafka) -> None:
    """Every one of its records is there exactly once, in order and unchanged."""
    found = values(kafka.bootstrap, WIDE)
    for partition in range(PARTS):
        head = f"w{partition}:".encode()
        assert [v for v in found if v.startswith(head)] == wide(partition)
    assert len(found) == PARTS * COUNT


def carried(kafka: ApacheKafka, file: Path) -> None:
    """Our tool carries a plan out, Kafka's says that it is done."""
    arguments = ("apply", "-b", kafka.bootstrap, "--json", str(file), "--throttle", str(100 << 20))
    done = run("spindle", "balance", *arguments, seconds=200)
    assert done.code == 0, done
    lines = tool(kafka, file, "--verify", "--preserve-throttles")
    told = [line for line in lines if line.startswith("Reassignment of partition ")]
    wanted = len(json.loads(file.read_text())["partitions"])
    # What was planned again on the way may have gone elsewhere than this file says.
    assert len(told) == wanted or json.loads(done.stdout)["replanned"], (lines, done.stderr)
    assert all(line.endswith("is completed.") for line in told), lines
    verified(lines)
    counted(kafka)


@pytest.mark.spec("P-04", "P-06", "P-07", "P-08")
def test_an_empty_broker_is_filled_and_drained_again_with_leaders_evened(
    kafka: ApacheKafka, tmp_path: Path
) -> None:
    """A topic on brokers 1 and 2, all led by 1: broker 3 gets its share, then it is emptied."""

    async def create() -> None:
        async with AdminClient(kafka.bootstrap) as admin:
            brokers: dict[int, tuple[int, ...]] = dict.fromkeys(range(PARTS), (1, 2))
            await admin.create_topics([NewTopic(WIDE, assignment=brokers)]).all()

    asyncio.run(create())
    for partition in range(PARTS):
        produce(kafka.bootstrap, WIDE, wide(partition), partition, **ONCE)
    home = ("--history", str(tmp_path / "history"), "--between-brokers", "--tolerance", "0.1")
    file = tmp_path / "wide.json"
    plan = balance(kafka, "plan", *home, "--leaders", "--output", str(file))["spindle"]
    assert plan["moves"] > 0
    assert plan["leaders"]["orders"]
    assert held(kafka) == [PARTS, PARTS, 0], "a plan moves nothing"
    carried(kafka, file)
    # A broker may hear of the last replica's end a moment later.
    eventually(lambda: sum(held(kafka)) == 2 * PARTS, "each has two replicas", 30)
    filled = held(kafka)
    assert 6 <= filled[2] <= 10
    assert all(len(set(brokers[1:])) == 2 for brokers in hosts(kafka).values())

    def by_preference() -> dict[int, tuple[int, ...]] | None:
        found = hosts(kafka)
        return found if all(brokers[0] == brokers[1] for brokers in found.values()) else None

    led = eventually(by_preference, "the preferred leaders lead", 60)
    assert led is not None
    orders = {n: order for topic, n, order in plan["leaders"]["orders"] if topic == WIDE}
    assert all(led[n][:2] == (order[0], order[0]) for n, order in orders.items()), (led, orders)
    planned = [part[2] for part in plan["leaders"]["brokers"]]
    mean = sum(planned) / len(planned)
    # Within the tolerance, in whole partitions; the weight of what they lead is evened out, too.
    assert floor(0.9 * mean) <= min(planned) <= max(planned) <= ceil(1.1 * mean)

    # What is on all brokers cannot leave broker 3: so the other topic goes first.
    async def delete() -> None:
        async with AdminClient(kafka.bootstrap) as admin:
            await admin.delete_topics([TOPIC]).all()

    asyncio.run(delete())
    eventually(lambda: not places(kafka), "the brokers have let go of it", 60)
    drain = tmp_path / "drain.json"
    told = balance(kafka, "plan", *home, "--drain", "3", "--output", str(drain))["spindle"]
    assert {m.get("destination") for wave in told["waves"] for m in wave if m["broker"] == 3} <= {
        1,
        2,
    }
    carried(kafka, drain)
    eventually(lambda: held(kafka) == [PARTS, PARTS, 0], "broker 3 is empty", 30)


@pytest.mark.spec("V-05", "N-06")
def test_a_directory_that_dies_stops_its_broker_is_named_first_and_the_others_go_on(
    kafka: ApacheKafka, tmp_path: Path
) -> None:
    """Comes last: broker 1 is left with a dead directory, which no move takes part in."""

    async def held() -> dict[int, dict[str, list[int]]]:
        async with AdminClient(kafka.bootstrap) as admin:
            told = await admin.describe_log_dirs((1, 2)).all()
        return {
            broker: {d.path: [n.partition for n in d.current if n.topic == WIDE] for d in dirs}
            for broker, dirs in told.items()
        }

    wave = []
    dead = ""
    for broker, count in ((1, 3), (2, 1)):
        found = asyncio.run(held())[broker]
        source, target, other = sorted(found, key=lambda path: -len(found[path]))
        dead = other if broker == 1 else dead
        size = COUNT * RECORD
        wave += [PlannedMove(broker, WIDE, n, source, target, size) for n in found[source][:count]]
    plan = plan_file(tmp_path / "plan.json", kafka.bootstrap, [wave])
    arguments = ("balance", "apply", "-b", kafka.bootstrap, "--json", str(plan))
    process = begin("spindle", *arguments, "--throttle", str(COUNT * RECORD // 12))
    try:

        def moving() -> bool:
            watched = run("spindle", "balance", "watch", "-b", kafka.bootstrap, "--json")
            told = json.loads(watched.stdout)["run"]
            return told is not None and bool(told["moving"])

        eventually(moving, "it is moving", 120, 0.5)
        gone = Path(dead)
        gone.rename(gone.with_suffix(".gone"))
        gone.write_text("no directory any more")
        out, said = process.communicate(timeout=200)
    finally:
        process.kill()
    assert process.returncode == 1, said
    outcome = json.loads(out)
    why = f"its log directory {dead} is offline; it was online when the run began"
    assert outcome["halted"] == [{"broker": 1, "reason": why}], said
    assert f"warning: broker 1: {why}. Its moves are cancelled" in said
    assert outcome["done"] >= 1, "broker 2 has gone on"
    stopped = [f["reason"] for f in outcome["failed"]]
    assert stopped
    assert all("the moves of broker 1 were stopped" in why for why in stopped)
    assert "Throttles put back" in said

    again = run("spindle", *arguments, "--dry-run")
    assert again.code == 5, again
    assert f"broker 1: log directory {dead} is offline" in again.stderr
    assert f"--despite 1:{dead}" in again.stderr
    insisting = ("--despite", f"1:{dead}", "--despite", "under-replicated")
    insisted = run("spindle", *arguments, "--dry-run", *insisting)
    assert insisted.code == 0, insisted
    assert json.loads(insisted.stdout)["moves"] == len(stopped)
