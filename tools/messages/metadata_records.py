"""Tables of the metadata records that we interpret: which fields, in which versions.

Pure data over `model.metadata_records`; `recording` makes readers and writers of it. Field order is
wire order. A zero id is MIGRATING (KIP-858). The keys that are missing here are kept as they came.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from spindle.model import metadata_records as r
from spindle.model.ids import Endpoint
from spindle.wire.making import feature, fence, quota_part, unfence
from tools.messages.declare import F, layout
from tools.messages.recording import Recorded


@dataclass(frozen=True, slots=True)
class Schema:
    """One record type: its key, the versions we read, its fields, and what reading makes."""

    key: int
    versions: range
    name: str
    fields: tuple[F, ...]
    cls: type[Any] | None = None
    build: Callable[..., Any] | None = None


_ENDPOINT: Final = layout(
    "Endpoint",
    0,
    (
        F("name", "string"),
        F("host", "string"),
        F("port", "uint16"),
        F("security_protocol", "int16"),
    ),
    build=Endpoint,
)


_FEATURE: Final = layout(
    "Feature",
    0,
    (
        F("name", "string", get="e[0]"),
        F("min", "int16", get="e[1].min"),
        F("max", "int16", get="e[1].max"),
    ),
    build=feature,
)


_QUOTA_PART: Final = layout(
    "QuotaPart",
    0,
    (F("type", "string", get="e[0]"), F("name", "?string", get="e[1]")),
    build=quota_part,
)


_BROKER: Final = (F("broker_id", "int32"), F("broker_epoch", "int64"))
_SCRAM_USER: Final = (F("name", "string"), F("mechanism", "int8"))

SCHEMAS: Final = (
    Schema(
        0,
        range(5),
        "RegisterBroker",
        (
            F("broker_id", "int32"),
            F("", "bool", since=2, get="False"),  # migrating from ZooKeeper
            F("incarnation_id", "id"),
            F("broker_epoch", "int64"),
            F("endpoints", "[]", of=_ENDPOINT),
            F("features", "[]", of=_FEATURE),
            F("rack", "?string"),
            F("fenced", "bool"),
            F("in_controlled_shutdown", "bool", since=1),
            F("log_dirs", "[]id", since=3, tag=0),
            F("cordoned_log_dirs", "?[]id", since=4, tag=1),
        ),
        r.RegisterBroker,
    ),
    Schema(1, range(1), "UnregisterBroker", _BROKER, r.UnregisterBroker),
    Schema(2, range(1), "Topic", (F("name", "string"), F("topic_id", "id")), r.Topic),
    Schema(
        3,
        range(3),
        "Partition",
        (
            F("partition_id", "int32"),
            F("topic_id", "id"),
            F("replicas", "[]int32"),
            F("isr", "[]int32"),
            F("removing_replicas", "[]int32"),
            F("adding_replicas", "[]int32"),
            F("leader", "int32"),
            F("leader_epoch", "int32"),
            F("partition_epoch", "int32"),
            F("directories", "[]id", since=1),
            F("leader_recovery_state", "int8", tag=0, default=0),
            F("elr", "[]int32", since=2, tag=1),
            F("last_known_elr", "[]int32", since=2, tag=2),
        ),
        r.PartitionRegistration,
    ),
    Schema(
        4,
        range(1),
        "Config",
        (
            F("resource_type", "int8"),
            F("resource_name", "string"),
            F("key", "string"),
            F("value", "?string"),
        ),
        r.DynamicConfig,
    ),
    Schema(
        5,
        range(3),
        "PartitionChange",
        (
            F("partition_id", "int32"),
            F("topic_id", "id"),
            F("isr", "?[]int32", tag=0),
            F("leader", "int32", tag=1, default=r.NO_CHANGE),
            F("replicas", "?[]int32", tag=2),
            F("removing_replicas", "?[]int32", tag=3),
            F("adding_replicas", "?[]int32", tag=4),
            F("leader_recovery_state", "int8", tag=5, default=-1),
            F("elr", "?[]int32", since=2, tag=6),
            F("last_known_elr", "?[]int32", since=2, tag=7),
            F("directories", "?[]id", since=1, tag=8),
        ),
        r.PartitionChange,
    ),
    # Written before metadata.version 3.3-IV2 alone, and read as what they mean.
    Schema(7, range(1), "FenceBroker", _BROKER, build=fence),
    Schema(8, range(1), "UnfenceBroker", _BROKER, build=unfence),
    Schema(9, range(1), "RemoveTopic", (F("topic_id", "id"),), r.RemoveTopic),
    Schema(
        10,
        range(1),
        "DelegationToken",
        (
            F("owner", "string"),
            F("requester", "string"),
            F("renewers", "[]string"),
            F("issue_timestamp", "int64"),
            F("max_timestamp", "int64"),
            F("expiration_timestamp", "int64"),
            F("token_id", "string"),
        ),
        r.DelegationToken,
    ),
    Schema(
        11,
        range(1),
        "UserScramCredential",
        (
            *_SCRAM_USER,
            F("salt", "bytes"),
            F("stored_key", "bytes"),
            F("server_key", "bytes"),
            F("iterations", "int32"),
        ),
        r.UserScramCredential,
    ),
    Schema(
        12, range(1), "FeatureLevel", (F("name", "string"), F("level", "int16")), r.FeatureLevel
    ),
    Schema(
        14,
        range(1),
        "ClientQuota",
        (
            F("entity", "[]", of=_QUOTA_PART),
            F("key", "string"),
            F("value", "float64"),
            F("remove", "bool"),
        ),
        r.ClientQuota,
    ),
    Schema(
        15, range(1), "ProducerIds", (*_BROKER, F("next_producer_id", "int64")), r.ProducerIdsBlock
    ),
    Schema(
        17,
        range(4),
        "BrokerRegistrationChange",
        (
            *_BROKER,
            F("fenced", "int8", tag=0, default=0),
            F("in_controlled_shutdown", "int8", since=1, tag=1, default=0),
            F("log_dirs", "[]id", since=2, tag=2),
            F("cordoned_log_dirs", "?[]id", since=3, tag=3),
        ),
        r.BrokerRegistrationChange,
    ),
    Schema(20, range(1), "NoOp", (), r.NoOp),
    Schema(22, range(1), "RemoveUserScramCredential", _SCRAM_USER, r.RemoveUserScramCredential),
    Schema(
        23,
        range(1),
        "BeginTransaction",
        (F("name", "?string", tag=0, default=""),),
        r.BeginTransaction,
    ),
    Schema(24, range(1), "EndTransaction", (), r.EndTransaction),
    Schema(
        25,
        range(1),
        "AbortTransaction",
        (F("reason", "?string", tag=0, default=""),),
        r.AbortTransaction,
    ),
    Schema(
        26, range(1), "RemoveDelegationToken", (F("token_id", "string"),), r.RemoveDelegationToken
    ),
    Schema(
        27,
        range(1),
        "RegisterController",
        (
            F("controller_id", "int32"),
            F("incarnation_id", "id"),
            F("", "bool", get="False"),  # ready to migrate from ZooKeeper
            F("endpoints", "[]", of=_ENDPOINT),
            F("features", "[]", of=_FEATURE),
        ),
        r.RegisterController,
    ),
    Schema(
        18,
        range(1),
        "AccessControlEntry",
        (
            F("id", "id"),
            F("resource_type", "int8"),
            F("resource_name", "string"),
            F("pattern_type", "int8"),
            F("principal", "string"),
            F("host", "string"),
            F("operation", "int8"),
            F("permission_type", "int8"),
        ),
        r.AccessControlEntry,
    ),
    Schema(
        19,
        range(1),
        "RemoveAccessControlEntry",
        (F("id", "id"),),
        r.RemoveAccessControlEntry,
    ),
    Schema(28, range(1), "ClearElr", (F("topic", "string"),), r.ClearElr),
)


def metadata_records() -> list[Recorded]:
    """Every record of the metadata log that we interpret, by key."""
    return [
        Recorded(
            schema.name,
            {
                version: layout(
                    schema.name, version, schema.fields, cls=schema.cls, build=schema.build
                )
                for version in schema.versions
            },
            tuple(schema.versions) if schema.cls is not None else (),
            schema.key,
        )
        for schema in SCHEMAS
    ]
