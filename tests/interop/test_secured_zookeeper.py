"""The walk of docs/walk-secured.md: Kafka 3.9 on ZooKeeper behind SASL_SSL, a dead disk, and
another party's reassignment under way. A plan leaves both alone, and a run moves the rest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import pytest
from tests.support.apache_kafka import CONFIGS, ToolResult
from tests.support.certificates import Authority
from tests.support.clients import produce
from tests.support.commands import run
from tests.support.kafka_release import ZK, Release, ReleasedKafka, cluster_of
from tests.support.ports import free_port
from tests.support.version_walk import VersionWalk
from tests.support.waiting import eventually

from spindle.cli.reassign.throttles import (
    FOLLOWER_RATE,
    FOLLOWER_REPLICAS,
    LEADER_RATE,
    LEADER_REPLICAS,
    MOVE_RATE,
)
from spindle.client.admin import AdminClient
from spindle.client.results import NewTopic, Resource, ResourceType
from spindle.model.ids import TopicPartition

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(200)]
SCRAM: Final = "org.apache.kafka.common.security.scram.ScramLoginModule required"
ON_CLUSTER: Final = ("Describe", "Alter", "DescribeConfigs", "AlterConfigs")
ON_TOPICS: Final = ("Describe", "DescribeConfigs", "AlterConfigs")
"""What docs/doctor.md names for a user that moves replicas with throttles."""
THEIRS: Final = TopicPartition("theirs", 0)
SLOW: Final = "1000"
LIMITS: Final = 6
"""Throttles that Kafka's tool sets for it: two rates of both brokers, and two lists of replicas."""
SETTINGS: Final = {
    "authorizer.class.name": "kafka.security.authorizer.AclAuthorizer",
    "super.users": "User:ANONYMOUS",
    "sasl.enabled.mechanisms": "SCRAM-SHA-512",
    "listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config": f"{SCRAM};",
    "ssl.keystore.type": "PEM",
    # A broker notices that a directory is gone when it writes its checkpoints.
    "log.flush.offset.checkpoint.interval.ms": "1000",
    "replica.high.watermark.checkpoint.interval.ms": "1000",
    # A throttle lets one fetch pass in 11 s, however large.
    "replica.fetch.max.bytes": "20000",
    "replica.fetch.response.max.bytes": "20000",
}


class SecuredWalk(VersionWalk):
    """The cluster, and the options by which `ops` connects to it."""

    options: tuple[str, ...] = ()

    def spindle(self, *words: str, code: int = 0) -> ToolResult:
        """What a command answers to the user with the rights of the docs and no more."""
        done = run("spindle", *words, *self.options, seconds=100)
        assert done.code == code, done
        return done

    def limits(self) -> dict[str, str]:
        """The throttles that are set on brokers and on the other party's topic."""

        async def look(admin: AdminClient) -> dict[str, str]:
            brokers = [Resource(ResourceType.BROKER, str(b)) for b in self.brokers]
            topic = Resource(ResourceType.TOPIC, THEIRS.topic)
            told = await admin.describe_configs([*brokers, topic]).all()
            names = (LEADER_RATE, FOLLOWER_RATE, MOVE_RATE, LEADER_REPLICAS, FOLLOWER_REPLICAS)
            return {
                f"{resource} {name}": found[name].value or ""
                for resource, found in told.items()
                for name in names
                if name in found and found[name].value
            }

        return self.ask(look)

    def add_user(self) -> None:
        """`ops`, by Kafka's tools."""
        admin = ("--bootstrap-server", self.kafka.bootstrap)
        acls = (*admin, "--add", "--allow-principal", "User:ops")
        orders = [
            (CONFIGS, *admin, "--alter", "--entity-type", "users", "--entity-name", "ops",
             "--add-config", "SCRAM-SHA-512=[password=ops-secret]"),
            ("kafka.admin.AclCommand", *acls, "--cluster",
             *(word for right in ON_CLUSTER for word in ("--operation", right))),
            ("kafka.admin.AclCommand", *acls, "--topic", "*",
             *(word for right in ON_TOPICS for word in ("--operation", right))),
        ]  # fmt: skip
        with ThreadPoolExecutor(2) as pool:
            for done in pool.map(lambda order: self.kafka.run_tool(*order), orders):
                assert done.code == 0, done

    def gather(self) -> None:
        """Put all replicas of each broker into its first directory."""
        wanted = {r: self.kafka.log_dirs(r.broker)[0] for r in self.places()}

        async def move(admin: AdminClient) -> None:
            await admin.alter_replica_log_dirs(wanted).all()

        self.ask(move)
        eventually(lambda: self.places() == wanted, "the replicas are together", 60, 0.3)

    def break_disk(self) -> str:
        """A directory of broker 2 vanishes, without any replica in it; which one."""

        async def empty(admin: AdminClient) -> list[str]:
            told = await admin.describe_log_dirs([2]).all()
            return [d.path for d in told[2] if not d.current]

        async def is_offline(admin: AdminClient) -> bool:
            told = await admin.describe_log_dirs([2], partitions=[]).all()
            return any(d.path == dead and not d.online for d in told[2])

        dead = self.ask(empty)[0]
        Path(dead).rename(f"{dead}.gone")
        eventually(lambda: self.ask(is_offline), "the directory is offline", 30, 0.3)
        return dead

    def begin_theirs(self) -> None:
        """Another party moves its partition to broker 1, slowly, with Kafka's tool."""
        file = self.folder / "theirs.json"
        part = {"topic": THEIRS.topic, "partition": THEIRS.partition, "replicas": [1]}
        file.write_text(json.dumps({"version": 1, "partitions": [part]}))
        self.kafka.kafkas(
            "ReassignPartitionsCommand", "--reassignment-json-file", str(file), "--execute",
            "--throttle", SLOW,
        )  # fmt: skip

    def reassigned(self) -> set[TopicPartition]:
        """The partitions that change brokers now."""

        async def look(admin: AdminClient) -> set[TopicPartition]:
            return {*await admin.list_partition_reassignments()}

        return self.ask(look)


@pytest.fixture
def kafka(tmp_path: Path) -> Iterator[ReleasedKafka]:
    """Two brokers with three directories each, and a listener SASL_SSL beside PLAINTEXT."""
    authority = Authority("The site's authority")
    authority.write_pem(tmp_path / "ca.pem")
    keys = authority.issue("broker", names=["localhost"]).write_pem(tmp_path / "broker.pem")
    settings = {**SETTINGS, "ssl.keystore.location": str(keys)}
    with cluster_of(
        Release("3.9.1", ZK), tmp_path / "kafka", brokers=2, directories=3, settings=settings
    ) as kafka:
        for node in kafka.brokers:
            secured = f"SASL_SSL://localhost:{free_port()}"
            node.settings["listeners"] = f"PLAINTEXT://127.0.0.1:{node.port},{secured}"
            kafka.write_config(node)
        kafka.start()
        yield kafka


def secured(kafka: ReleasedKafka, folder: Path) -> SecuredWalk:
    """The cluster with its user, topics and records."""
    walk = SecuredWalk(kafka, folder)
    properties = folder / "client.properties"
    properties.write_text(
        "security.protocol=SASL_SSL\nsasl.mechanism=SCRAM-SHA-512\n"
        f'sasl.jaas.config={SCRAM} username="ops" password="ops-secret";\n'
        f"ssl.truststore.type=PEM\nssl.truststore.location={folder / 'ca.pem'}\n"
    )
    at = kafka.nodes[1].settings["listeners"].rpartition("://")[2]
    walk.options = ("-b", at, "--command-config", str(properties))
    walk.add_user()
    walk.fill()

    async def create(admin: AdminClient) -> None:
        await admin.create_topics([NewTopic(THEIRS.topic, assignment={0: (2,)})]).all()

    walk.ask(create)
    produce(kafka.bootstrap, THEIRS.topic, [b"x" * 10_000] * 200, **{"batch.size": 20_000})
    return walk


@pytest.mark.spec("S-01", "V-04", "V-05", "V-08")
def test_a_dead_disk_and_another_partys_reassignment_stay_and_the_rest_is_moved(
    kafka: ReleasedKafka, tmp_path: Path
) -> None:
    walk = secured(kafka, tmp_path)
    walk.gather()
    dead = walk.break_disk()
    walk.begin_theirs()
    # Each broker hears of its settings from ZooKeeper, a moment later.
    eventually(lambda: len(walk.limits()) == LIMITS, "its throttles are set", 30, 0.3)
    before, limits = walk.places(), walk.limits()
    assert SLOW in limits.values()

    told = walk.spindle("doctor", code=1).stdout
    assert f"broker 2 {dead} is offline" in told
    assert "1 reassignment in progress" in told
    assert "the user has the rights on Cluster for every command" in told

    file, history = tmp_path / "plan.json", str(tmp_path / "history")
    answer = walk.spindle(
        "balance", "plan", "--no-spark", "--json", "--history", history, "-o", str(file)
    )
    plan = json.loads(answer.stdout)["spindle"]
    assert {move["broker"] for wave in plan["waves"] for move in wave} == {1}
    notes = plan["notes"]
    assert any(n.startswith(f"broker 2: {dead} is offline, and Apache Kafka") for n in notes)
    assert any("reassigned by another party" in n and str(THEIRS) in n for n in notes)

    refused = walk.spindle("balance", "apply", str(file), code=5).stderr
    names = re.findall(r"--despite ([\w.-]+)", refused)
    assert "reassignments" in names
    assert str(dead) not in refused, "broker 2 takes no part"
    despite = [word for name in names for word in ("--despite", name)]
    done = walk.spindle(
        "balance", "apply", str(file), "--json", "--throttle", str(50 << 20), *despite
    )
    assert json.loads(done.stdout)["complete"], done

    after = walk.places()
    changed = {replica for replica, path in after.items() if before[replica] != path}
    assert {replica.broker for replica in changed} == {1}
    assert len(changed) == plan["moves"]
    assert walk.reassigned() == {THEIRS}
    eventually(lambda: walk.limits() == limits, "the other party's throttles alone are left", 30)
