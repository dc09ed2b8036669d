"""THE table of the APIs that this house speaks: keys, versions, and which listener serves them.

To switch an API on, add its row here and its handler in `node/handlers`; a node advertises the rows
of its listener for which it has a handler. Ranges are those of Apache Kafka 4.3 (facts of a running
broker and controller, both listeners asked). Knows no bytes beyond version numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from types import MappingProxyType
from typing import Final


class Key(IntEnum):
    """Every API key of Kafka 4.3, and ours; 4 to 7 were removed and are never answered."""

    PRODUCE = 0
    FETCH = 1
    LIST_OFFSETS = 2
    METADATA = 3
    OFFSET_COMMIT = 8
    OFFSET_FETCH = 9
    FIND_COORDINATOR = 10
    JOIN_GROUP = 11
    HEARTBEAT = 12
    LEAVE_GROUP = 13
    SYNC_GROUP = 14
    DESCRIBE_GROUPS = 15
    LIST_GROUPS = 16
    SASL_HANDSHAKE = 17
    API_VERSIONS = 18
    CREATE_TOPICS = 19
    DELETE_TOPICS = 20
    DELETE_RECORDS = 21
    INIT_PRODUCER_ID = 22
    OFFSET_FOR_LEADER_EPOCH = 23
    ADD_PARTITIONS_TO_TXN = 24
    ADD_OFFSETS_TO_TXN = 25
    END_TXN = 26
    WRITE_TXN_MARKERS = 27
    TXN_OFFSET_COMMIT = 28
    DESCRIBE_ACLS = 29
    CREATE_ACLS = 30
    DELETE_ACLS = 31
    DESCRIBE_CONFIGS = 32
    ALTER_CONFIGS = 33
    ALTER_REPLICA_LOG_DIRS = 34
    DESCRIBE_LOG_DIRS = 35
    SASL_AUTHENTICATE = 36
    CREATE_PARTITIONS = 37
    CREATE_DELEGATION_TOKEN = 38
    RENEW_DELEGATION_TOKEN = 39
    EXPIRE_DELEGATION_TOKEN = 40
    DESCRIBE_DELEGATION_TOKEN = 41
    DELETE_GROUPS = 42
    ELECT_LEADERS = 43
    INCREMENTAL_ALTER_CONFIGS = 44
    ALTER_PARTITION_REASSIGNMENTS = 45
    LIST_PARTITION_REASSIGNMENTS = 46
    OFFSET_DELETE = 47
    DESCRIBE_CLIENT_QUOTAS = 48
    ALTER_CLIENT_QUOTAS = 49
    DESCRIBE_USER_SCRAM_CREDENTIALS = 50
    ALTER_USER_SCRAM_CREDENTIALS = 51
    VOTE = 52
    BEGIN_QUORUM_EPOCH = 53
    END_QUORUM_EPOCH = 54
    DESCRIBE_QUORUM = 55
    ALTER_PARTITION = 56
    UPDATE_FEATURES = 57
    ENVELOPE = 58
    FETCH_SNAPSHOT = 59
    DESCRIBE_CLUSTER = 60
    DESCRIBE_PRODUCERS = 61
    BROKER_REGISTRATION = 62
    BROKER_HEARTBEAT = 63
    UNREGISTER_BROKER = 64
    DESCRIBE_TRANSACTIONS = 65
    LIST_TRANSACTIONS = 66
    ALLOCATE_PRODUCER_IDS = 67
    CONSUMER_GROUP_HEARTBEAT = 68
    CONSUMER_GROUP_DESCRIBE = 69
    CONTROLLER_REGISTRATION = 70
    GET_TELEMETRY_SUBSCRIPTIONS = 71
    PUSH_TELEMETRY = 72
    ASSIGN_REPLICAS_TO_DIRS = 73
    LIST_CONFIG_RESOURCES = 74
    DESCRIBE_TOPIC_PARTITIONS = 75
    SHARE_GROUP_HEARTBEAT = 76
    SHARE_GROUP_DESCRIBE = 77
    SHARE_FETCH = 78
    SHARE_ACKNOWLEDGE = 79
    ADD_RAFT_VOTER = 80
    REMOVE_RAFT_VOTER = 81
    UPDATE_RAFT_VOTER = 82
    INITIALIZE_SHARE_GROUP_STATE = 83
    READ_SHARE_GROUP_STATE = 84
    WRITE_SHARE_GROUP_STATE = 85
    DELETE_SHARE_GROUP_STATE = 86
    READ_SHARE_GROUP_STATE_SUMMARY = 87
    STREAMS_GROUP_HEARTBEAT = 88
    STREAMS_GROUP_DESCRIBE = 89
    DESCRIBE_SHARE_GROUP_OFFSETS = 90
    ALTER_SHARE_GROUP_OFFSETS = 91
    DELETE_SHARE_GROUP_OFFSETS = 92

    # Ours alone.
    ALTER_LOG_DIR_STATE = 30113
    DESCRIBE_LOG_DIR_STATES = 30114
    ALTER_REPLICA_STATE = 30589
    DESCRIBE_BAD_REPLICAS = 30590
    REPAIR_REPLICA = 30591


FORWARDABLE: Final = frozenset(
    (
        Key.CREATE_TOPICS, Key.DELETE_TOPICS, Key.CREATE_ACLS, Key.DELETE_ACLS, Key.ALTER_CONFIGS,
        Key.CREATE_PARTITIONS, Key.CREATE_DELEGATION_TOKEN, Key.RENEW_DELEGATION_TOKEN,
        Key.EXPIRE_DELEGATION_TOKEN, Key.ELECT_LEADERS, Key.INCREMENTAL_ALTER_CONFIGS,
        Key.ALTER_PARTITION_REASSIGNMENTS, Key.LIST_PARTITION_REASSIGNMENTS,
        Key.ALTER_CLIENT_QUOTAS, Key.ALTER_USER_SCRAM_CREDENTIALS, Key.DESCRIBE_QUORUM,
        Key.UPDATE_FEATURES, Key.UNREGISTER_BROKER, Key.ADD_RAFT_VOTER, Key.REMOVE_RAFT_VOTER,
    )
)  # fmt: skip
"""What a broker may hand on to the controller in an Envelope (KIP-590)."""

FIRST_PRIVATE: Final = 30_000
"""From here on keys are ours: Apache Kafka has none so high."""


def is_private(key: int) -> bool:
    """Whether an API is ours alone."""
    return key >= FIRST_PRIVATE


SOFTWARE: Final = "spindle"
"""The `ClientSoftwareName` of clients that may see our own keys."""


class Role(StrEnum):
    """Whose listener: a node with both roles has one of each."""

    BROKER = "broker"
    CONTROLLER = "controller"


@dataclass(frozen=True, slots=True)
class Api:
    """One row: `min` to `max` are advertised, `first_flexible` is None where no version is.

    `readable_from` is the oldest version that can be read: Produce is advertised from 0 on, for old
    librdkafka's probing, although 0 to 2 are gone (KAFKA-18659).
    """

    key: Key
    min: int
    max: int
    first_flexible: int | None
    listeners: frozenset[Role]
    readable_from: int

    @property
    def name(self) -> str:
        """The key's name in capitals, such as LIST_OFFSETS."""
        return self.key.name

    def reads(self, version: int) -> bool:
        """Whether a request of this version can be read."""
        return self.readable_from <= version <= self.max

    def is_flexible(self, version: int) -> bool:
        """Whether this version has tagged fields and compact lengths (KIP-482)."""
        return self.first_flexible is not None and version >= self.first_flexible


_B: Final = frozenset((Role.BROKER,))
_C: Final = frozenset((Role.CONTROLLER,))
_BC: Final = frozenset(Role)

_ROWS: Final[tuple[tuple[Key, int, int, int | None, frozenset[Role]], ...]] = (
    (Key.PRODUCE, 0, 13, 9, _B),
    (Key.FETCH, 4, 18, 12, _BC),
    (Key.LIST_OFFSETS, 1, 11, 6, _B),
    (Key.METADATA, 0, 13, 9, _B),
    (Key.OFFSET_COMMIT, 2, 10, 8, _B),
    (Key.OFFSET_FETCH, 1, 10, 6, _B),
    (Key.FIND_COORDINATOR, 0, 6, 3, _B),
    (Key.JOIN_GROUP, 0, 9, 6, _B),
    (Key.HEARTBEAT, 0, 4, 4, _B),
    (Key.LEAVE_GROUP, 0, 5, 4, _B),
    (Key.SYNC_GROUP, 0, 5, 4, _B),
    (Key.DESCRIBE_GROUPS, 0, 6, 5, _B),
    (Key.LIST_GROUPS, 0, 5, 3, _B),
    (Key.SASL_HANDSHAKE, 0, 1, None, _BC),
    (Key.API_VERSIONS, 0, 4, 3, _BC),
    (Key.CREATE_TOPICS, 2, 7, 5, _BC),
    (Key.DELETE_TOPICS, 1, 6, 4, _BC),
    (Key.DELETE_RECORDS, 0, 2, 2, _B),
    (Key.INIT_PRODUCER_ID, 0, 5, 2, _B),
    (Key.OFFSET_FOR_LEADER_EPOCH, 2, 4, 4, _B),
    (Key.ADD_PARTITIONS_TO_TXN, 0, 5, 3, _B),
    (Key.ADD_OFFSETS_TO_TXN, 0, 4, 3, _B),
    (Key.END_TXN, 0, 5, 3, _B),
    (Key.WRITE_TXN_MARKERS, 1, 2, 1, _B),
    (Key.TXN_OFFSET_COMMIT, 0, 5, 3, _B),
    (Key.DESCRIBE_ACLS, 1, 3, 2, _BC),
    (Key.CREATE_ACLS, 1, 3, 2, _BC),
    (Key.DELETE_ACLS, 1, 3, 2, _BC),
    (Key.DESCRIBE_CONFIGS, 1, 4, 4, _BC),
    (Key.ALTER_CONFIGS, 0, 2, 2, _BC),
    (Key.ALTER_REPLICA_LOG_DIRS, 1, 2, 2, _B),
    (Key.DESCRIBE_LOG_DIRS, 1, 5, 2, _B),
    (Key.SASL_AUTHENTICATE, 0, 2, 2, _BC),
    (Key.CREATE_PARTITIONS, 0, 3, 2, _BC),
    (Key.CREATE_DELEGATION_TOKEN, 1, 3, 2, _BC),
    (Key.RENEW_DELEGATION_TOKEN, 1, 2, 2, _BC),
    (Key.EXPIRE_DELEGATION_TOKEN, 1, 2, 2, _BC),
    (Key.DESCRIBE_DELEGATION_TOKEN, 1, 3, 2, _B),
    (Key.DELETE_GROUPS, 0, 2, 2, _B),
    (Key.ELECT_LEADERS, 0, 2, 2, _BC),
    (Key.INCREMENTAL_ALTER_CONFIGS, 0, 1, 1, _BC),
    (Key.ALTER_PARTITION_REASSIGNMENTS, 0, 1, 0, _BC),
    (Key.LIST_PARTITION_REASSIGNMENTS, 0, 0, 0, _BC),
    (Key.OFFSET_DELETE, 0, 0, None, _B),
    (Key.DESCRIBE_CLIENT_QUOTAS, 0, 1, 1, _B),
    (Key.ALTER_CLIENT_QUOTAS, 0, 1, 1, _BC),
    (Key.DESCRIBE_USER_SCRAM_CREDENTIALS, 0, 0, 0, _B),
    (Key.ALTER_USER_SCRAM_CREDENTIALS, 0, 0, 0, _BC),
    (Key.VOTE, 0, 2, 0, _C),
    (Key.BEGIN_QUORUM_EPOCH, 0, 1, 1, _C),
    (Key.END_QUORUM_EPOCH, 0, 1, 1, _C),
    (Key.DESCRIBE_QUORUM, 0, 2, 0, _BC),
    (Key.ALTER_PARTITION, 2, 3, 2, _C),
    (Key.UPDATE_FEATURES, 0, 2, 0, _BC),
    (Key.ENVELOPE, 0, 0, 0, _C),
    (Key.FETCH_SNAPSHOT, 0, 1, 0, _C),
    (Key.DESCRIBE_CLUSTER, 0, 2, 0, _BC),
    (Key.DESCRIBE_PRODUCERS, 0, 0, 0, _B),
    (Key.DESCRIBE_TRANSACTIONS, 0, 0, 0, _B),
    (Key.LIST_TRANSACTIONS, 0, 2, 0, _B),
    (Key.BROKER_REGISTRATION, 0, 4, 0, _C),
    (Key.BROKER_HEARTBEAT, 0, 2, 0, _C),
    (Key.UNREGISTER_BROKER, 0, 0, 0, _BC),
    (Key.ALLOCATE_PRODUCER_IDS, 0, 0, 0, _C),
    (Key.CONSUMER_GROUP_HEARTBEAT, 0, 1, 0, _B),
    (Key.CONSUMER_GROUP_DESCRIBE, 0, 1, 0, _B),
    (Key.CONTROLLER_REGISTRATION, 0, 0, 0, _C),
    (Key.ASSIGN_REPLICAS_TO_DIRS, 0, 0, 0, _C),
    (Key.LIST_CONFIG_RESOURCES, 0, 1, 0, _B),
    (Key.DESCRIBE_TOPIC_PARTITIONS, 0, 0, 0, _B),
    (Key.SHARE_GROUP_HEARTBEAT, 1, 1, 0, _B),
    (Key.SHARE_GROUP_DESCRIBE, 1, 1, 0, _B),
    (Key.SHARE_FETCH, 1, 2, 0, _B),
    (Key.SHARE_ACKNOWLEDGE, 1, 2, 0, _B),
    (Key.ADD_RAFT_VOTER, 0, 1, 0, _BC),
    (Key.REMOVE_RAFT_VOTER, 0, 0, 0, _BC),
    (Key.UPDATE_RAFT_VOTER, 0, 0, 0, _C),
    (Key.INITIALIZE_SHARE_GROUP_STATE, 0, 0, 0, _B),
    (Key.READ_SHARE_GROUP_STATE, 0, 0, 0, _B),
    (Key.WRITE_SHARE_GROUP_STATE, 0, 1, 0, _B),
    (Key.DELETE_SHARE_GROUP_STATE, 0, 0, 0, _B),
    (Key.READ_SHARE_GROUP_STATE_SUMMARY, 0, 1, 0, _B),
    (Key.DESCRIBE_SHARE_GROUP_OFFSETS, 0, 1, 0, _B),
    (Key.ALTER_SHARE_GROUP_OFFSETS, 0, 0, 0, _B),
    (Key.DELETE_SHARE_GROUP_OFFSETS, 0, 0, 0, _B),
    (Key.ALTER_LOG_DIR_STATE, 0, 1, 0, _B),
    (Key.DESCRIBE_LOG_DIR_STATES, 0, 0, 0, _B),
    (Key.ALTER_REPLICA_STATE, 0, 0, 0, _BC),
    (Key.DESCRIBE_BAD_REPLICAS, 0, 1, 0, _B),
    (Key.REPAIR_REPLICA, 0, 0, 0, _B),
)

_READABLE_FROM: Final = {Key.PRODUCE: 3}

TABLE: Final[Mapping[int, Api]] = MappingProxyType(
    {
        key: Api(key, low, high, flexible, listeners, _READABLE_FROM.get(key, low))
        for key, low, high, flexible, listeners in _ROWS
    }
)
"""The rows by key, given as `Key` or as a plain number."""
