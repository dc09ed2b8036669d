"""The words of a refusal: the right that is missing, and a broker's words where they tell more."""

from __future__ import annotations

import pytest

from spindle.client.failures import Refused
from spindle.model.errors import Error

INTERNALS = (
    "Request Request(processor=0, session=org.apache.kafka.network.Session@7631aa33, "
    "envelope=None) needs DESCRIBE permission"
)


@pytest.mark.spec("V-08")
@pytest.mark.parametrize(
    ("error", "api", "message", "words"),
    [
        (Error.CLUSTER_AUTHORIZATION_FAILED, "ListPartitionReassignments", INTERNALS,
         "the user needs Describe on Cluster"),
        (Error.CLUSTER_AUTHORIZATION_FAILED, "DescribeConfigs of broker 1",
         "Cluster authorization failed.", "the user needs DescribeConfigs on Cluster"),
        (Error.TOPIC_AUTHORIZATION_FAILED, "DeleteTopics of a", "Not authorized: [a]\nat x.java",
         "Not authorized: [a]: the user needs Delete on the topic"),
        (Error.INVALID_REQUEST, "CreateTopics of a", "Request is odd", "Request is odd"),
        (Error.KAFKA_STORAGE_ERROR, "DescribeProducers of a-0", "", "the log directory is offline"),
        (Error.KAFKA_STORAGE_ERROR, "AlterReplicaLogDirs of a-0-1 to /d2", "",
         "the log directory or the replica is offline, or another directory of this broker is: "
         "Apache Kafka then refuses moves between those that work"),
    ],
)  # fmt: skip
def test_a_refusal_names_the_right_that_is_missing_and_no_internals(
    error: Error, api: str, message: str, words: str
) -> None:
    refused = Refused(error, api, "broker 1", message)
    assert str(refused) == f"broker 1 answered {api} with {error.name}: {words}"
