"""Apache Kafka's brokers under our controller: they register, serve, fail and are administered.

The judges are Kafka's brokers, Kafka's own tools and librdkafka; our controller is a process with
its metadata on disk. The tests of this file share one cluster and build on each other's topics, not
on each other's outcome.
"""

from __future__ import annotations

import json
import shutil
import socket
import struct
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from tests.support.apache_kafka import CONTROLLER_ID, DUMP_LOG, REASSIGN, ApacheKafka, ApacheNode
from tests.support.clients import flushed, state_of
from tests.support.waiting import eventually
from tools.messages.entities import make, request_types
from tools.messages.frames import decode_response, encode_request

from spindle.model.errors import Error
from spindle.model.feature_rules import SUPPORTED
from spindle.model.ids import LOST, id_from_text
from spindle.wire.apis import Key

pytestmark = pytest.mark.kafka

ELECT = "org.apache.kafka.tools.LeaderElectionCommand"
FAILOVER_S = 30


class UnderOurController(ApacheKafka):
    """Apache Kafka's brokers, and node 100 is ours."""

    def command(self, node: ApacheNode) -> list[str]:
        """How a node's process is started."""
        if node.is_broker:
            return super().command(node)
        return [sys.executable, "-m", "spindle", "broker", "-c", str(node.config)]

    def ask_controller(self, key: Key, version: int, kind: str, **fields: Any) -> Any:
        """Send our controller a request of our own making."""
        request = make(getattr(request_types(key, version), kind), **fields)
        port = self.nodes[CONTROLLER_ID].controller_port
        with socket.create_connection(("127.0.0.1", port or 0), timeout=10) as link:
            link.sendall(encode_request(request, 1, "test"))
            with link.makefile("rb") as stream:
                (size,) = struct.unpack(">i", stream.read(4))
                return decode_response(request, stream.read(size))

    def records(self) -> list[dict[str, Any]]:
        """What our controller has written, as Kafka's own tool reads it."""
        (folder,) = self.nodes[CONTROLLER_ID].log_dirs
        log = folder / "__cluster_metadata-0" / f"{0:020d}.log"
        done = self.run_tool(DUMP_LOG, "--cluster-metadata-decoder", "--files", str(log))
        assert done.code == 0, done
        payloads = (line.partition("payload: ")[2] for line in done.lines())
        return [json.loads(text) for text in payloads if text]


@pytest.fixture(scope="module")
def kafka(kafka_jars: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApacheKafka]:
    """Two of Kafka's brokers, two directories each, under our controller."""
    settings = {"broker.session.timeout.ms": "6000", "log.dir.failure.timeout.ms": "60000"}
    folder = tmp_path_factory.mktemp("ours")
    with UnderOurController(
        folder, kafka_jars, brokers=2, separate_controller=True, settings=settings
    ) as cluster:
        cluster.start()
        yield cluster


def partitions(kafka: ApacheKafka, topic: str) -> dict[int, tuple[int, set[int]]]:
    """Leader and ISR of each partition, as librdkafka sees them."""
    return state_of(AdminClient({"bootstrap.servers": kafka.bootstrap, "log_level": 0}), topic)


def become(kafka: ApacheKafka, topic: str, wanted: dict[int, tuple[int, set[int]]]) -> None:
    """Wait until a topic's partitions are led and replicated so."""
    eventually(lambda: partitions(kafka, topic) == wanted, f"{topic} is {wanted}", FAILOVER_S, 0.2)


def produce(kafka: ApacheKafka, topic: str, partition: int, count: int = 100) -> None:
    """Write records that all of the ISR must acknowledge."""
    failed: list[Any] = []
    given = {"bootstrap.servers": kafka.bootstrap, "acks": "all", "log_level": 0}
    producer = Producer(given)
    for number in range(count):
        producer.produce(
            topic,
            str(number),
            partition=partition,
            callback=lambda error, _: failed.append(error) if error else None,
        )
    flushed(producer, 30)
    assert not failed


def test_a_killed_broker_is_fenced_and_comes_back(kafka: ApacheKafka) -> None:
    kafka.create_topic("killed", "1:2,2:1")
    produce(kafka, "killed", 1)
    kafka.stop_node(2, kill=True)
    become(kafka, "killed", {0: (1, {1}), 1: (1, {1})})
    produce(kafka, "killed", 1)
    kafka.start_node(2)
    become(kafka, "killed", {0: (1, {1, 2}), 1: (1, {1, 2})})
    done = kafka.run_tool(
        ELECT, "--bootstrap-server", kafka.bootstrap, "--election-type", "PREFERRED",
        "--all-topic-partitions",
    )  # fmt: skip
    assert done.code == 0, done
    become(kafka, "killed", {0: (1, {1, 2}), 1: (2, {1, 2})})


def test_a_replica_moves_to_another_broker_and_a_directory_of_choice(
    kafka: ApacheKafka, tmp_path: Path
) -> None:
    kafka.create_topic("moved", "1")
    produce(kafka, "moved", 0)
    target = kafka.log_dirs(2)[1]
    plan = tmp_path / "plan.json"
    move = {"topic": "moved", "partition": 0, "replicas": [2], "log_dirs": [target]}
    plan.write_text(json.dumps({"version": 1, "partitions": [move]}))
    tool = ("--bootstrap-server", kafka.bootstrap, "--reassignment-json-file", str(plan))
    done = kafka.run_tool(REASSIGN, *tool, "--execute")
    assert done.code == 0, done
    become(kafka, "moved", {0: (2, {2})})

    def verified() -> bool:
        text = kafka.run_tool(REASSIGN, *tool, "--verify").stdout
        return "replica moved-0-2 completed successfully" in text

    eventually(verified, "the reassignment is complete", FAILOVER_S, 1)
    assert (Path(target) / "moved-0").is_dir()


@pytest.mark.spec("K858-04")
def test_bad_registrations_are_refused(kafka: UnderOurController) -> None:
    mine = uuid.uuid4()
    types = request_types(Key.BROKER_REGISTRATION, 4)
    (theirs, *_) = next(
        r["data"]["logDirs"] for r in kafka.records() if r["type"] == "REGISTER_BROKER_RECORD"
    )

    def register(*log_dirs: uuid.UUID, **changes: Any) -> tuple[int, int]:
        given: dict[str, Any] = {
            "broker_id": 77,
            "cluster_id": kafka.cluster_id,
            "incarnation_id": uuid.uuid4(),
            "listeners": (),
            "features": tuple(
                make(
                    types.Feature,
                    name=name,
                    min_supported_version=levels.min,
                    max_supported_version=levels.max,
                )
                for name, levels in SUPPORTED.items()
            ),
            "rack": None,
            "log_dirs": log_dirs,
            "previous_broker_epoch": -1,
        }
        answer = kafka.ask_controller(
            Key.BROKER_REGISTRATION, 4, "BrokerRegistrationRequest", **{**given, **changes}
        )
        return answer.error_code, answer.broker_epoch

    refused = (Error.INVALID_REGISTRATION, -1)
    assert register() == refused
    assert register(mine, LOST) == refused
    assert register(mine, mine) == refused
    assert register(mine, id_from_text(theirs)) == refused
    assert register(mine, cluster_id="another")[0] == Error.INCONSISTENT_CLUSTER_ID
    assert register(mine, broker_id=1)[0] == Error.DUPLICATE_BROKER_REGISTRATION
    error, epoch = register(mine)
    assert (error, epoch > 0) == (Error.NONE, True)
    # K858-05: ids that were never registered are passed over.
    answer = kafka.ask_controller(
        Key.BROKER_HEARTBEAT,
        2,
        "BrokerHeartbeatRequest",
        broker_id=77,
        broker_epoch=epoch,
        current_metadata_offset=0,
        want_fence=True,
        offline_log_dirs=(uuid.uuid4(),),
    )
    assert answer.error_code == Error.NONE
    gone = kafka.ask_controller(Key.UNREGISTER_BROKER, 0, "UnregisterBrokerRequest", broker_id=77)
    assert gone.error_code == Error.NONE


@pytest.mark.spec("K858-07")
def test_assignments_of_replicas_to_directories(kafka: UnderOurController) -> None:
    kafka.create_topic("assigned", "1:2")
    produce(kafka, "assigned", 0, 10)
    records = kafka.records()
    broker = [
        r["data"]
        for r in records
        if r["type"] == "REGISTER_BROKER_RECORD" and r["data"]["brokerId"] == 1
    ][-1]
    topic_id = next(
        id_from_text(r["data"]["topicId"])
        for r in records
        if r["type"] == "TOPIC_RECORD" and r["data"]["name"] == "assigned"
    )
    types = request_types(Key.ASSIGN_REPLICAS_TO_DIRS, 0)

    def assign(
        place: uuid.UUID, number: int = 0, topic: uuid.UUID = topic_id, epoch: int = 0
    ) -> int:
        partition = make(types.PartitionData, partition_index=number)
        group = make(types.TopicData, topic_id=topic, partitions=(partition,))
        answer = kafka.ask_controller(
            Key.ASSIGN_REPLICAS_TO_DIRS,
            0,
            "AssignReplicasToDirsRequest",
            broker_id=1,
            broker_epoch=epoch or broker["brokerEpoch"],
            directories=(make(types.DirectoryData, id_=place, topics=(group,)),),
        )
        if answer.error_code != Error.NONE:
            return int(answer.error_code)
        return int(answer.directories[0].topics[0].partitions[0].error_code)

    home = id_from_text(broker["logDirs"][0])
    assert assign(home, epoch=broker["brokerEpoch"] + 1) == Error.STALE_BROKER_EPOCH
    assert assign(home, topic=uuid.uuid4()) == Error.UNKNOWN_TOPIC_ID
    assert assign(home, number=7) == Error.UNKNOWN_TOPIC_OR_PARTITION
    assert assign(LOST) == Error.NONE
    become(kafka, "assigned", {0: (2, {2})})
    produce(kafka, "assigned", 0, 10)
    assert assign(uuid.uuid4()) == Error.NONE
    assert partitions(kafka, "assigned") == {0: (2, {2})}
    assert assign(home) == Error.NONE
    become(kafka, "assigned", {0: (2, {1, 2})})


@pytest.mark.spec("K858-06", "K858-10", "B-26")
def test_a_lost_disk_costs_its_replicas_and_nothing_else(kafka: UnderOurController) -> None:
    for topic in ("d1", "d2", "d3", "d4"):
        kafka.create_topic(topic, "2:1")
        produce(kafka, topic, 0, 10)
    doomed = Path(kafka.log_dirs(2)[1])  # the first one holds the broker's metadata
    lost = [t for t in ("d1", "d2", "d3", "d4") if (doomed / f"{t}-0").exists()]
    kept = [t for t in ("d1", "d2", "d3", "d4") if t not in lost]
    assert lost
    assert kept
    shutil.rmtree(doomed)
    for topic in lost:
        become(kafka, topic, {0: (1, {1})})
        produce(kafka, topic, 0, 10)
    for topic in kept:
        become(kafka, topic, {0: (2, {1, 2})})
    records = kafka.records()
    registered = [r["data"] for r in records if r["type"] == "REGISTER_BROKER_RECORD"]
    assert all(len(data["logDirs"]) == 2 for data in registered if data["brokerId"] in (1, 2))
    changed = [
        r["data"]
        for r in records
        if r["type"] == "BROKER_REGISTRATION_CHANGE_RECORD" and r["data"].get("logDirs")
    ]
    assert [(c["brokerId"], len(c["logDirs"])) for c in changed] == [(2, 1)]
    placed = [
        r["data"]["directories"]
        for r in records
        if r["type"] == "PARTITION_CHANGE_RECORD" and r["data"].get("directories")
    ]
    assert placed, "brokers have said where their replicas live"
    # The controller reads all of that again.
    kafka.stop_node(CONTROLLER_ID, kill=True)
    kafka.start_node(CONTROLLER_ID, wait=False)
    kafka.create_topic("afterwards", "2,1")
    produce(kafka, "afterwards", 0, 10)
    become(kafka, lost[0], {0: (1, {1})})
