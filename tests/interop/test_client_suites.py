"""Small sets of the suites of four client libraries, at one cluster of five brokers.

`make explore` runs what waits long for what others have shown before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from tests.support import amounts, client_suites
from tests.support.client_suites import ProxiesOfSarama, Verdict
from tests.support.kafka_jars import VERSION
from tests.support.local import Local
from tests.support.ports import SARAMAS as SARAMAS_PORTS
from tests.support.ports import is_free
from tests.support.waiting import TimeIsUp, eventually

pytestmark = [pytest.mark.spec("C-01", "C-03"), pytest.mark.timeout(1500)]
_CUT = re.compile(r"^(ended after \d+ s|panic: test timed out after .*)$", re.M)
"""What is said where all of a suite together took too long."""
_FAILED = re.compile(r"^\s*--- FAIL: | FAILED\b", re.M)
SARAMAS = """
    AdminQuotas AdminDescribeGroups AdminListConsumerGroups AdminListConsumerGroupOffsetsBatch
    AdminListOffsets AdminDeleteRecords AdminAlterConsumerGroupOffsets AdminDescribeLogDirs
    AdminDescribeConfig AdminDeleteGroup AdminDeleteTopic AdminElectLeadersV1
    AdminAlterPartitionReassignments AdminIncrementalAlterConfigs ClientCoordinator
    ConsumerGroupPartitioning ConsumerGroupOffsetDeletion ConsumerOffsetOutOfRange
    DescribeProducers DescribeTransactions ListTransactions OffsetManager
    MultiPartitionProduce
    TxnProduceNoBegin TxnCommitNoMessages TxnProduce TxnProduceEpochBump
    TxnAbortedProduce ProducingToInvalidTopic
"""
SLOW_OF_SARAMAS = ["TxnProduceAndCommitOffset"]
"""A minute for its pauses; franz-go and librdkafka commit offsets in transactions, too."""
SETTINGS = {
    "auto.create.topics.enable": "true",
    "num.partitions": "4",
    "group.initial.rebalance.delay.ms": "0",
    "transaction.state.log.num.partitions": "4",
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "allow.everyone.if.no.acl.found": "true",
}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Local]:
    """Five brokers where sarama's tests expect them."""
    folder = tmp_path_factory.mktemp("suites")
    with Local(folder, brokers=5, settings=SETTINGS) as found:
        for node, port in zip(found.brokers, SARAMAS_PORTS, strict=True):
            node.port = port
            node.settings["broker.rack"] = str(node.node_id)
            found.write_config(node)
        eventually(lambda: all(map(is_free, SARAMAS_PORTS)), "no other cluster is there", 300)
        found.start()
        yield found


def last_words(verdict: Verdict) -> str:
    """What was said around each failure."""
    lines = verdict.words.splitlines()
    around = {
        near
        for number, line in enumerate(lines)
        if re.search(r"FAIL|Error|panic|assert", line)
        for near in range(number - 12, number + 4)
    }
    return "\n".join([line for number, line in enumerate(lines) if number in around][-200:])


def all_passed(verdict: Verdict, least: int) -> None:
    """So many tests passed, and none failed.

    TimeIsUp where the suite did not come to its end, and no test of it had failed before.
    """
    if (cut := _CUT.search(verdict.words)) and not _FAILED.search(verdict.words):
        raise TimeIsUp(f"{cut[0]}: {sorted(verdict.failed)}\n{last_words(verdict)}")
    assert not verdict.failed, f"{sorted(verdict.failed)} failed:\n{last_words(verdict)}"
    assert len(verdict.passed) >= least, last_words(verdict)


@pytest.mark.spec("C-04")
def test_franz_go(cluster: Local) -> None:
    """Groups of all three kinds, chains of transactions, patterns, large records."""
    tests = [
        "TestGroupSimple",
        "TestGroupETL",
        "TestTxnEtl",
        "TestClient_Produce",
        "TestClient_ProduceLargeMessages",
        "TestConsumeRegex",
        "TestDirectPartitionPurge",
        "TestPauseIssue489",
        "TestIssue434",
        "TestIssue865",
        "TestShareGroup",
        "TestShareGroupETL",
        "TestShareGroupOffsetsAdmin",
    ]
    # The chains of groups write all records several times, to topics of so many partitions.
    records, partitions = [(1_000, 5), *amounts.beyond([(4_000, 31)])][-1]
    all_passed(client_suites.franz_go(cluster.bootstrap, tests, records, partitions), 20)


def test_sarama(cluster: Local) -> None:
    """Its administration, producers of all kinds, transactions, and groups."""
    names = [*SARAMAS.split(), *amounts.beyond(SLOW_OF_SARAMAS)]
    tests = [f"TestFunc{name}" for name in names]
    with ThreadingHTTPServer(("127.0.0.1", 0), ProxiesOfSarama) as proxies:
        Thread(target=proxies.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{proxies.server_port}"
        verdict = client_suites.sarama(address, VERSION, tests)
        proxies.shutdown()
    all_passed(verdict, len(tests))


def test_librdkafka(cluster: Local) -> None:
    """Produce and consume in all its ways, offsets, groups, transactions."""
    tests = "0001 0005 0008 0012 0013 0017 0029 0030 0031 0034 0036 0040 0044 0048 0054 0056 0061"
    more = "0067 0069 0073 0085 0090 0099 0102 0103 0112 0125 0127 0129 0130 0137 0140"
    verdict = client_suites.librdkafka(cluster.bootstrap, VERSION, [*tests.split(), *more.split()])
    all_passed(verdict, 32)


def test_kafka_python(tmp_path: Path) -> None:
    """Its integration tests but those that start a secured broker, at one broker, as there."""
    names = ("admin", "producer", "consumer")
    tests = [f"test/integration/test_{name}_integration.py" for name in names]
    alone = {
        **SETTINGS,
        "group.min.session.timeout.ms": "1000",
        "default.replication.factor": "1",
        "offsets.topic.replication.factor": "1",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.min.isr": "1",
    }
    with Local(tmp_path, brokers=1, first_broker=0, settings=alone) as cluster:
        (node,) = cluster.brokers
        node.settings["advertised.listeners"] = f"PLAINTEXT://127.0.0.1:{node.port}"
        cluster.write_config(node)
        cluster.start()
        all_passed(client_suites.kafka_python(cluster.bootstrap, VERSION, tests), 50)
