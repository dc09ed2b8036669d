"""The right that each request needs, so that a refusal names what the user lacks (V-08).

Pure. Called by `failures`; `spindle doctor` lists what the commands need.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from spindle.model.acl import AclOperation
from spindle.model.errors import Error

_CLUSTER: Final = "Cluster"
_TOPIC: Final = "the topic"
_O = AclOperation

NEEDED: Final[Mapping[str, tuple[AclOperation, str]]] = {
    "AlterClientQuotas": (_O.ALTER_CONFIGS, _CLUSTER),
    "AlterLogDirState": (_O.ALTER, _CLUSTER),
    "AlterPartitionReassignments": (_O.ALTER, _CLUSTER),
    "AlterReplicaLogDirs": (_O.ALTER, _CLUSTER),
    "CreatePartitions": (_O.ALTER, _TOPIC),
    "CreateTopics": (_O.CREATE, f"{_CLUSTER} or on {_TOPIC}"),
    "DeleteRecords": (_O.DELETE, _TOPIC),
    "DeleteTopics": (_O.DELETE, _TOPIC),
    "DescribeBadReplicas": (_O.DESCRIBE, _CLUSTER),
    "DescribeClientQuotas": (_O.DESCRIBE_CONFIGS, _CLUSTER),
    "DescribeLogDirStates": (_O.DESCRIBE, _CLUSTER),
    "DescribeLogDirs": (_O.DESCRIBE, _CLUSTER),
    "DescribeQuorum": (_O.DESCRIBE, _CLUSTER),
    "ElectLeaders": (_O.ALTER, _CLUSTER),
    "Fetch": (_O.READ, _TOPIC),
    "ListOffsets": (_O.DESCRIBE, _TOPIC),
    "ListPartitionReassignments": (_O.DESCRIBE, _CLUSTER),
    "Metadata": (_O.DESCRIBE, _TOPIC),
    "RepairReplica": (_O.ALTER, _CLUSTER),
}
"""What Apache Kafka asks for before it serves a request: an operation, and on what."""
_BY_RESOURCE: Final[Mapping[str, AclOperation]] = {
    "AlterConfigs": _O.ALTER_CONFIGS,
    "DescribeConfigs": _O.DESCRIBE_CONFIGS,
    "IncrementalAlterConfigs": _O.ALTER_CONFIGS,
}
"""Requests whose right is on the topic, or on the cluster where they are about a broker."""
_REFUSALS: Final[Mapping[Error, str]] = {
    Error.CLUSTER_AUTHORIZATION_FAILED: "a right on Cluster",
    Error.TOPIC_AUTHORIZATION_FAILED: "a right on the topic",
    Error.GROUP_AUTHORIZATION_FAILED: "a right on the group",
    Error.TRANSACTIONAL_ID_AUTHORIZATION_FAILED: "a right on the transactional id",
}


def missing(error: Error, asked: str) -> str | None:
    """The right that a refused user lacks, in words; None where the error is about no right.

    `asked` begins with the name of the request: "AlterReplicaLogDirs of orders-3 to /disk2".
    """
    if error not in _REFUSALS:
        return None
    request = asked.split(" ", 1)[0]
    if request in _BY_RESOURCE:
        on_topic = error == Error.TOPIC_AUTHORIZATION_FAILED
        return f"the user needs {_BY_RESOURCE[request]} on {_TOPIC if on_topic else _CLUSTER}"
    if request in NEEDED:
        operation, resource = NEEDED[request]
        return f"the user needs {operation} on {resource}"
    return f"the user lacks {_REFUSALS[error]}"
