"""Apache Kafka 4.3's own published tests of directories, moves and more, on Spindle clusters.

The tests are Kafka's, unchanged; only what gives them a cluster is ours (`tests/support/java`).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support import amounts
from tests.support.kafkas_tests import end, run_class

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(900)]

LIMIT_S = 840


@pytest.fixture(scope="module", autouse=True)
def _one_process(kafka_jars: Path) -> Iterator[None]:
    """All classes run in one Java process, which ends with the last of them."""
    yield
    end(kafka_jars)


_OF_REASSIGNMENTS = (
    "testReassignment", "testHighWaterMarkAfterPartitionReassignment",
    "testProduceAndConsumeWithReassignmentInProgress", "testAlterReassignmentThrottle",
    "testAlterLogDirReassignmentThrottle", "testCancellationWithBootstrapServer",
    "testCancellationWithAddingAndRemovingReplicaInIsr", "testDisallowReplicationFactorChange",
    "testGenerateAssignmentWithOneBootstrapServerShutdownWontTimeout",
    "testExecuteAssignmentWithOneBootstrapServerShutdownWontTimeout",
    "testGenerateAssignmentWithBootstrapServer",
)  # fmt: skip
_VARIANTS_OF_REASSIGNMENTS = (
    # What the methods above do as well, by another address, in fewer steps, or unchanged.
    "testCancellationWithBootstrapController", "testCancellationWithAddingReplicaInIsr",
    "testThrottledReassignment", "testLogDirReassignment",
)  # fmt: skip


@pytest.mark.spec("K113-22", "K113-24", "N-08", "S-07")
def test_reassign_partitions_command(kafka_jars: Path) -> None:
    name = "org.apache.kafka.tools.reassign.ReassignPartitionsCommandTest"
    methods = [*_OF_REASSIGNMENTS, *amounts.beyond(_VARIANTS_OF_REASSIGNMENTS)]
    outcome = run_class(name, kafka_jars, LIMIT_S, methods)
    outcome.hold()
    assert outcome.failed == 0, outcome.text
    assert outcome.successful == len(methods)


@pytest.mark.spec("K113-26", "N-08")
def test_log_dirs_command(kafka_jars: Path) -> None:
    name = "org.apache.kafka.tools.LogDirsCommandTest"
    outcome = run_class(name, kafka_jars, LIMIT_S)
    outcome.hold()
    assert outcome.failed == 0, outcome.text
    assert outcome.successful == 8


@pytest.mark.spec("B-19", "N-02", "N-08")
def test_cordoned_log_dirs(kafka_jars: Path) -> None:
    name = "org.apache.kafka.server.CordonedLogDirsIntegrationTest"
    outcome = run_class(name, kafka_jars, LIMIT_S)
    outcome.hold()
    assert outcome.failed == 0, outcome.text
    assert outcome.successful == 8


@pytest.mark.parametrize(
    ("name", "successful", "beyond"),
    [
        pytest.param(
            "org.apache.kafka.tools.FeatureCommandTest",
            28,
            {
                # They expect the unreleased 4.4-IV0, which Kafka's test clusters offer.
                "testDescribeWithKRaft",
                "testDescribeWithKRaftAndBootstrapControllers",
                "testDescribeWithUnstableApiVersions",
                "testDescribeWithUnstableFeatureVersions",
                "testDowngradeMetadataVersionWithKRaft",
            },
            marks=pytest.mark.spec("N-04"),
            id="features",
        ),
        pytest.param(
            "org.apache.kafka.tools.MetadataQuorumCommandTest",
            9,
            set(),
            marks=pytest.mark.spec("N-08"),
            id="quorum",
        ),
        pytest.param(
            "kafka.server.DescribeQuorumRequestTest",
            1,
            set(),
            marks=pytest.mark.spec("N-08"),
            id="quorum-described",
        ),
        pytest.param(
            "org.apache.kafka.tools.ClientMetricsCommandTest",
            20,
            set(),
            marks=pytest.mark.spec("N-08"),
            id="client-metrics",
        ),
        pytest.param(
            "org.apache.kafka.tools.ConfigCommandIntegrationTest",
            18,
            {
                # Of Streams groups.
                "testAlterStreamsGroupHeartbeatInterval",
                "testAlterStreamsGroupNumOfStandbyReplicas",
                "testAlterStreamsGroupSessionTimeout",
                "testDescribeStreamsGroupConfigs",
                # It names a logger of a Java class.
                "testBrokerLoggerConfigUpdate",
                # It reads a setting in the memory of a broker in the test's own process.
                "testUpdateBrokerConfigNotAffectedByInvalidConfig",
            },
            marks=pytest.mark.spec("N-03"),
            id="settings",
        ),
        pytest.param(
            "kafka.server.ConsumerGroupDescribeRequestTest",
            3,
            # It expects members in the order of a hash table of Java's.
            {"testConsumerGroupDescribeWithNewGroupCoordinator"},
            marks=pytest.mark.spec("C-03"),
            id="consumer-groups-described",
        ),
        pytest.param(
            "kafka.server.ConsumerProtocolMigrationTest",
            21,
            set(),
            marks=pytest.mark.spec("C-02"),
            id="migrations",
        ),
        pytest.param(
            "kafka.server.ShareGroupDescribeRequestTest",
            2,
            set(),
            marks=pytest.mark.spec("C-04"),
            id="share-groups-described",
        ),
    ],
)
def test_features_quorum_and_groups(
    kafka_jars: Path, name: str, successful: int, beyond: set[str]
) -> None:
    """`beyond`: what fails, and cannot be otherwise; `make explore` sees it fail."""
    failing = set(amounts.beyond(beyond))
    outcome = run_class(name, kafka_jars, LIMIT_S, without=beyond - failing)
    if not failing:
        outcome.hold()
    assert outcome.failures == failing, outcome.text
    assert (outcome.successful, outcome.failed) == (successful, len(failing)), outcome.text


_OF_THE_ADMIN_CLIENT = (
    "testCreateDeleteTopics", "testCreatePartitions", "testDescribeCluster",
    "testDescribeConfigsForTopic", "testDescribeLogDirs", "testDescribeReplicaLogDirs",
    "testDescribeTopicsWithIds", "testIncrementalAlterAndDescribeGroupConfigs",
    "testInvalidIncrementalAlterConfigs", "testListClientMetricsResources",
    "testListConfigResources", "testListNodes", "testListTransactions", "testNullConfigs",
    "testValidIncrementalAlterConfigs",
)  # fmt: skip


@pytest.mark.spec("N-08", "C-06")
def test_the_admin_client(kafka_jars: Path) -> None:
    """A sixth of its class; docs/compatibility.md has what became of all of them."""
    name = "kafka.api.PlaintextAdminIntegrationTest"
    outcome = run_class(name, kafka_jars, LIMIT_S, _OF_THE_ADMIN_CLIENT)
    outcome.hold()
    assert outcome.failed == 0, outcome.text
    assert outcome.successful == len(_OF_THE_ADMIN_CLIENT)


@pytest.mark.spec("C-02")
@pytest.mark.parametrize(
    ("name", "methods"),
    [
        ("DescribeGroupsRequestTest", ["testDescribeGroupsWithOldConsumerGroupProtocol"]),
        (
            "OffsetFetchRequestTest",
            ["testGroupErrors", "testMultiGroupsOffsetFetchWithOldConsumerGroupProtocol"],
        ),
        (
            "TxnOffsetCommitRequestTest",
            ["testDelayedTxnOffsetCommitWithBumpedEpochIsRejectedWithOldConsumerGroupProtocol"],
        ),
        (
            "WriteTxnMarkersRequestTest",
            ["testDelayedWriteTxnMarkersShouldNotCommitTxnOffsetWithOldConsumerGroupProtocol"],
        ),
    ],
)
def test_answers_about_offsets_and_groups(kafka_jars: Path, name: str, methods: list[str]) -> None:
    """Those of classic groups; others of the same classes need KIP-848."""
    outcome = run_class(f"kafka.server.{name}", kafka_jars, LIMIT_S, methods)
    outcome.hold()
    assert (outcome.successful, outcome.failed) == (len(methods), 0), outcome.text


@pytest.mark.spec("C-01")
def test_transactions(kafka_jars: Path) -> None:
    """Some of the class, with both group protocols: others of it look into a broker's logs."""
    methods = [
        f"{name}(java.lang.String)"
        for name in (
            "testBasicTransactions",
            "testDelayedFetchIncludesAbortedTransaction",
            "testFencingOnCommit",
            "testMultipleMarkersOneLeader",
        )
    ]
    name = "kafka.api.TransactionsTest"
    outcome = run_class(name, kafka_jars, LIMIT_S, methods)
    outcome.hold()
    assert (outcome.successful, outcome.failed) == (2 * len(methods), 0), outcome.text
