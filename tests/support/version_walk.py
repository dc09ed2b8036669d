"""What is tried on each release of Apache Kafka, and judged by that release's own tools.

Each step answers with the cell of the table in docs/compatibility.md, and fails where something is
wrong. The steps share a cluster and follow each other: what one has moved, the next one plans with.
Called by `tests.interop.test_versions` (quick: one broker) and by `tests.versions` (two brokers).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

from spindle.client.admin import AdminClient
from spindle.client.results import (
    Change,
    ConfigChange,
    NewTopic,
    Replica,
    Resource,
    ResourceType,
)
from spindle.model.ids import TopicPartition
from tests.pipeline.made_logs import Row, read
from tests.support.clients import produce, values
from tests.support.commands import run
from tests.support.kafka_release import KRAFT, ZK, Release, ReleasedKafka
from tests.support.waiting import eventually

T = TypeVar("T")
TOPIC, PARTITIONS, RECORDS, SIZE = "orders", 6, 20, 10_000
OLD_CODECS: Final = ("none", "gzip", "snappy", "lz4")
OLD_FORMATS: Final = {"0.9.0": 0, "0.10.2": 1}
OK: Final = "works"
EARLY: Final = "works; KAFKA-16297 may hold a move up, and `apply` says so"
_NOT_PLACED: Final = "copied whole, but the broker has not put it in place"
Step = Callable[["VersionWalk"], str]


def is_early(release: Release) -> bool:
    """Whether several log directories are early access: a copy may never be put in place."""
    return (release.number, release.mode) == ((3, 7), KRAFT)


class VersionWalk:
    """A cluster with a topic all of whose replicas lie in the first directories."""

    def __init__(self, kafka: ReleasedKafka, folder: Path) -> None:
        self.kafka, self.folder = kafka, folder
        self.brokers = sorted(node.node_id for node in kafka.brokers)

    def ask(self, work: Callable[[AdminClient], Coroutine[Any, Any, T]]) -> T:
        """What an AdminClient answers."""

        async def run_() -> T:
            async with AdminClient(self.kafka.bootstrap) as admin:
                return await work(admin)

        return asyncio.run(run_())

    def fill(self) -> None:
        """Make the topic on all brokers and write to it."""
        everywhere = {n: tuple(self.brokers) for n in range(PARTITIONS)}

        async def create(admin: AdminClient) -> None:
            await admin.create_topics([NewTopic(TOPIC, assignment=everywhere)]).all()

        self.ask(create)
        for partition in range(PARTITIONS):
            produce(self.kafka.bootstrap, TOPIC, self.records(partition), partition,
                    **{"enable.idempotence": True})  # fmt: skip

    def records(self, partition: int) -> list[bytes]:
        """What is written to a partition."""
        return [f"{partition}:{n}:".encode().ljust(SIZE, b".") for n in range(RECORDS)]

    def places(self) -> dict[Replica, str]:
        """The directory of each of the topic's replicas, once no move is under way."""

        async def look(admin: AdminClient) -> dict[Replica, str] | None:
            told = await admin.describe_log_dirs(self.brokers).all()
            if any(d.future for dirs in told.values() for d in dirs):
                return None
            return {
                Replica(name.topic, name.partition, broker): d.path
                for broker, dirs in told.items()
                for d in dirs
                for name in d.current
                if name.topic == TOPIC
            }

        return eventually(lambda: self.ask(look), "all moves have ended", 90, 0.3)

    def balance(self, verb: str, *arguments: str, codes: tuple[int, ...] = (0,)) -> dict[str, Any]:
        """The JSON of a command of `spindle balance`."""
        done = run(
            "spindle", "balance", verb, "-b", self.kafka.bootstrap, "--json", *arguments,
            seconds=200,
        )  # fmt: skip
        assert done.code in codes, done
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    def verified(self, file: Path) -> int:
        """The replicas and partitions that the release's own tool finds where a file has them."""
        lines = self.kafka.kafkas(
            "ReassignPartitionsCommand", "--reassignment-json-file", str(file), "--verify"
        )
        told = [line for line in lines if line.startswith("Reassignment of ")]
        assert told, lines
        done = ("completed successfully", "is complete", "is completed")
        assert all(any(word in line for word in done) for line in told), lines
        return len(told)


# -- the steps -----------------------------------------------------------------------------------


def log_dirs(walk: VersionWalk) -> str:
    """Our kafka-log-dirs and the release's own say the same."""
    kafkas = walk.kafka.kafkas("LogDirsCommand", "--describe")
    ours = run("kafka-log-dirs", "--bootstrap-server", walk.kafka.bootstrap, "--describe")
    assert ours.code == 0, ours
    theirs = next(line for line in kafkas if line.startswith("{"))
    mine = next(line for line in ours.lines() if line.startswith("{"))
    assert _replicas(mine) == _replicas(theirs)
    shown = run("spindle", "log-dirs", "-b", walk.kafka.bootstrap)
    assert shown.code == 0, shown
    return OK


def _replicas(line: str) -> set[tuple[int, str, str | None, str, int]]:
    return {
        (broker["broker"], d["logDir"], d["error"], p["partition"], p["size"])
        for broker in json.loads(line)["brokers"]
        for d in broker["logDirs"]
        for p in d["partitions"]
    }


def admin_client(walk: VersionWalk) -> str:
    """The AdminClient describes, configures, and moves replicas to the first directories."""

    async def work(admin: AdminClient) -> None:
        cluster = await admin.describe_cluster()
        assert sorted(cluster.brokers) == walk.brokers
        assert cluster.cluster_id
        assert cluster.controller_id in (*walk.brokers, -1)
        topics = await admin.list_topics()
        assert {p.replicas for p in topics[TOPIC].partitions} == {tuple(walk.brokers)}
        resource = Resource(ResourceType.TOPIC, TOPIC)
        change = ConfigChange("retention.ms", Change.SET, "123456789")
        await admin.incremental_alter_configs({resource: [change]}).all()
        leader = topics[TOPIC].partitions[0].leader or 1
        ends = await admin.list_offsets({TopicPartition(TOPIC, 0): leader}).all()
        assert [found.end for found in ends.values()] == [RECORDS]
        assert await admin.list_partition_reassignments() == {}

    walk.ask(work)

    async def is_set(admin: AdminClient) -> bool:
        resource = Resource(ResourceType.TOPIC, TOPIC)
        found = await admin.describe_configs([resource], names=["retention.ms"]).all()
        return found[resource]["retention.ms"].value == "123456789"

    eventually(lambda: walk.ask(is_set), "the setting is read back", 30, 0.3)
    wanted = {r: walk.kafka.log_dirs(r.broker)[0] for r in walk.places()}

    async def gather(admin: AdminClient) -> None:
        await admin.alter_replica_log_dirs(wanted).all()

    walk.ask(gather)
    eventually(lambda: walk.places() == wanted, "the replicas are together", 90, 0.5)
    return OK


def reassign(walk: VersionWalk) -> str:
    """`spindle reassign execute` moves a replica between directories; the tool verifies."""
    first, second = walk.kafka.log_dirs(walk.brokers[0])[:2]
    file = walk.folder / "reassign.json"
    others = ["any"] * (len(walk.brokers) - 1)
    file.write_text(
        json.dumps(
            {"version": 1, "partitions": [
                {"topic": TOPIC, "partition": 0, "replicas": walk.brokers,
                 "log_dirs": [second, *others]}]}
        )
    )  # fmt: skip
    for where in (second, first):
        file.write_text(file.read_text().replace(first if where == second else second, where))
        done = run("spindle", "reassign", "execute", "-b", walk.kafka.bootstrap, str(file),
                   "--watch", seconds=120)  # fmt: skip
        assert done.code == 0, done
        assert walk.verified(file)
    return OK


def plan_and_apply(walk: VersionWalk) -> str:
    """A plan within brokers is applied, verified by the release's tool, and no record is lost."""
    before = walk.places()
    assert set(before.values()) == {walk.kafka.log_dirs(b)[0] for b in walk.brokers}
    file = walk.folder / "plan.json"
    home = ("--history", str(walk.folder / "history"))
    told = walk.balance("plan", *home, "--no-spark", "--output", str(file))["spindle"]
    assert told["moves"] >= 2 * len(walk.brokers), told
    assert walk.places() == before, "a plan moves nothing"
    early = is_early(walk.kafka.release)
    outcome = walk.balance(
        "apply", str(file), "--throttle", str(50 << 20), codes=(0, 1) if early else (0,)
    )
    if early and not outcome["complete"]:
        assert all(_NOT_PLACED in halt["reason"] for halt in outcome["halted"]), outcome
        return EARLY
    assert outcome["complete"], outcome
    assert walk.verified(file)
    assert len(set(walk.places().values())) == sum(
        len(walk.kafka.log_dirs(b)) for b in walk.brokers
    )
    found = values(walk.kafka.bootstrap, TOPIC)
    assert found == [value for n in range(PARTITIONS) for value in walk.records(n)]
    return EARLY if early else OK


def capacity(walk: VersionWalk) -> str:
    """The space of disks is reported, or given by hand; without it bytes are evened out."""
    home = ("--history", str(walk.folder / "history"), "--no-spark")
    told = walk.balance("plan", *home, codes=(0, 4))["spindle"]
    if not told["bytesOnly"]:
        assert all(d["capacity"] > 0 for d in told["directories"])
        return "reported"
    assert any("evens out bytes" in note for note in told["notes"])
    given = [f"{d['broker']}:{d['logDir']}=4TiB" for d in told["directories"]]
    options = [part for text in given for part in ("--capacity", text)]
    by_hand = walk.balance("plan", *home, *options, codes=(0, 4))["spindle"]
    assert not by_hand["bytesOnly"]
    assert {d["capacity"] for d in by_hand["directories"]} == {4 << 40}
    return "by hand, else bytes alone"


def between_brokers(walk: VersionWalk) -> str:
    """A broker's share is planned for the other one, applied and verified by the tool."""
    first, second = walk.brokers[:2]

    async def create(admin: AdminClient) -> None:
        every: Mapping[int, tuple[int, ...]] = dict.fromkeys(range(4), (first,))
        await admin.create_topics([NewTopic("lone", assignment=dict(every))]).all()

    walk.ask(create)
    for partition in range(4):
        produce(walk.kafka.bootstrap, "lone", walk.records(partition), partition)
    file = walk.folder / "between.json"
    home = ("--history", str(walk.folder / "history"), "--no-spark", "--between-brokers")
    told = walk.balance("plan", *home, "--topics", "lone", "-o", str(file))["spindle"]
    assert {m.get("destination") for wave in told["waves"] for m in wave} >= {second}
    assert walk.balance("apply", str(file))["complete"]
    assert walk.verified(file)
    found = values(walk.kafka.bootstrap, "lone")
    assert found == [value for n in range(4) for value in walk.records(n)]
    return OK


def old_formats(walk: VersionWalk) -> str:
    """Logs that the release writes in the formats 0 and 1 are read: every record, no damage."""
    if walk.kafka.release.mode != ZK or walk.kafka.release.number >= (3, 0):
        return "not written"
    names = {(f, c): f"old-{f}-{c}" for f in OLD_FORMATS for c in OLD_CODECS}

    async def create(admin: AdminClient) -> None:
        topics = [
            NewTopic(name, 1, 1, configs={"message.format.version": format_,
                     "compression.type": "producer"})
            for (format_, _), name in names.items()
        ]  # fmt: skip
        await admin.create_topics(topics).all()

    walk.ask(create)
    wanted = [f"value {n} {'x' * (n % 50)}".encode() for n in range(200)]
    for (_, codec), name in names.items():
        produce(walk.kafka.bootstrap, name, wanted, 0,
                **{"compression.type": codec, "linger.ms": 20})  # fmt: skip
    folders = [Path(d) for b in walk.brokers for d in walk.kafka.log_dirs(b)]
    for (format_, codec), name in names.items():
        rows = _rows(folders, name)
        assert [row["error"] for row in rows if row["error"]] == [], name
        assert [row["value"] for row in rows] == wanted, name
        assert {row["compression"] for row in rows} <= {codec, "none"}
        assert codec in {row["compression"] for row in rows}
        assert {row["timestamp"] is None for row in rows} == {OLD_FORMATS[format_] == 0}
    return "read"


def _rows(folders: list[Path], topic: str) -> list[Row]:
    return [row for folder in folders for row in read(folder, topics=frozenset({topic}))]


def logs(walk: VersionWalk) -> str:
    """The logs of the topic are read without a broker: every record in each copy."""
    for broker in walk.brokers:
        folders = [Path(d) for d in walk.kafka.log_dirs(broker)]
        rows = sorted(_rows(folders, TOPIC), key=lambda r: (r["partition"], r["offset"] or 0))
        assert [row["error"] for row in rows if row["error"]] == []
        expected = [value for n in range(PARTITIONS) for value in walk.records(n)]
        assert [row["value"] for row in rows] == expected
    return OK


def forensics_and_audit(walk: VersionWalk) -> str:
    """Both commands find every log of every format whole, with Spark."""
    folders = [d for b in walk.brokers for d in walk.kafka.log_dirs(b)]
    told = run("spindle", "forensics", *folders, "--json", seconds=240)
    assert told.code == 0, told
    found = json.loads(told.stdout)
    kept = [log for log in found["logs"] if log["topic"] == TOPIC]
    assert len(kept) == PARTITIONS * len(walk.brokers)
    assert {(log["records"], log["verdict"]) for log in kept} == {(RECORDS, "whole")}
    options = [part for folder in folders for part in ("--log-dir", folder)]
    audited = run("spindle", "audit", *options, "--topic-list", TOPIC, "--json", seconds=240)
    assert audited.code == 0, audited
    return OK


QUICK: Final[Mapping[str, Step]] = {
    "`kafka-log-dirs`, `spindle log-dirs`": log_dirs,
    "AdminClient": admin_client,
    "`spindle reassign`, with directories": reassign,
    "`balance plan` and `apply`": plan_and_apply,
    "space of disks": capacity,
    "log files, as `spindle.log` reads them": logs,
    "message formats 0 and 1": old_formats,
}
WHOLE: Final[Mapping[str, Step]] = {
    **QUICK,
    "plans between brokers": between_brokers,
    "`spindle forensics`, `spindle audit`": forensics_and_audit,
}
