"""What can go wrong, as a tree.

    Exception
    +- Refusal          they erred, or must wait: carries the Kafka error code a client gets
    +- Corrupt          bytes on disk or wire are not what they should be
    +- Unusable         a configuration or installation cannot work as it is; says the way out
    +- Failure          the world did not do what a machine asked for
       +- DiskFailed    a directory answered with an OSError (or not in time: ETIMEDOUT)
       +- LogFailed     one log of a healthy directory is missing, closed or damaged
       +- PeerFailed    another node did not answer
          +- PeerGone   no process serves at its address

A bug is an AssertionError and none of these. Whatever else is raised where a machine runs
counts as one, too: it stops the node (docs/decisions/5-bugs-stop-the-node.md).
"""

from __future__ import annotations

from enum import IntEnum

from spindle.model.ids import LogDir


class Error(IntEnum):
    """Kafka's error codes, by their names on the wire."""

    UNKNOWN_SERVER_ERROR = -1
    NONE = 0
    OFFSET_OUT_OF_RANGE = 1
    CORRUPT_MESSAGE = 2
    UNKNOWN_TOPIC_OR_PARTITION = 3
    INVALID_FETCH_SIZE = 4
    LEADER_NOT_AVAILABLE = 5
    NOT_LEADER_OR_FOLLOWER = 6
    REQUEST_TIMED_OUT = 7
    BROKER_NOT_AVAILABLE = 8
    REPLICA_NOT_AVAILABLE = 9
    MESSAGE_TOO_LARGE = 10
    OFFSET_METADATA_TOO_LARGE = 12
    NETWORK_EXCEPTION = 13
    COORDINATOR_LOAD_IN_PROGRESS = 14
    COORDINATOR_NOT_AVAILABLE = 15
    NOT_COORDINATOR = 16
    INVALID_TOPIC_EXCEPTION = 17
    RECORD_LIST_TOO_LARGE = 18
    NOT_ENOUGH_REPLICAS = 19
    NOT_ENOUGH_REPLICAS_AFTER_APPEND = 20
    INVALID_REQUIRED_ACKS = 21
    ILLEGAL_GENERATION = 22
    INCONSISTENT_GROUP_PROTOCOL = 23
    INVALID_GROUP_ID = 24
    UNKNOWN_MEMBER_ID = 25
    INVALID_SESSION_TIMEOUT = 26
    REBALANCE_IN_PROGRESS = 27
    INVALID_COMMIT_OFFSET_SIZE = 28
    TOPIC_AUTHORIZATION_FAILED = 29
    GROUP_AUTHORIZATION_FAILED = 30
    CLUSTER_AUTHORIZATION_FAILED = 31
    INVALID_TIMESTAMP = 32
    UNSUPPORTED_SASL_MECHANISM = 33
    ILLEGAL_SASL_STATE = 34
    UNSUPPORTED_VERSION = 35
    TOPIC_ALREADY_EXISTS = 36
    INVALID_PARTITIONS = 37
    INVALID_REPLICATION_FACTOR = 38
    INVALID_REPLICA_ASSIGNMENT = 39
    INVALID_CONFIG = 40
    NOT_CONTROLLER = 41
    INVALID_REQUEST = 42
    UNSUPPORTED_FOR_MESSAGE_FORMAT = 43
    POLICY_VIOLATION = 44
    OUT_OF_ORDER_SEQUENCE_NUMBER = 45
    DUPLICATE_SEQUENCE_NUMBER = 46
    INVALID_PRODUCER_EPOCH = 47
    INVALID_TXN_STATE = 48
    INVALID_PRODUCER_ID_MAPPING = 49
    INVALID_TRANSACTION_TIMEOUT = 50
    CONCURRENT_TRANSACTIONS = 51
    TRANSACTION_COORDINATOR_FENCED = 52
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED = 53
    SECURITY_DISABLED = 54
    OPERATION_NOT_ATTEMPTED = 55
    KAFKA_STORAGE_ERROR = 56
    LOG_DIR_NOT_FOUND = 57
    SASL_AUTHENTICATION_FAILED = 58
    UNKNOWN_PRODUCER_ID = 59
    REASSIGNMENT_IN_PROGRESS = 60
    DELEGATION_TOKEN_AUTH_DISABLED = 61
    DELEGATION_TOKEN_NOT_FOUND = 62
    DELEGATION_TOKEN_OWNER_MISMATCH = 63
    DELEGATION_TOKEN_REQUEST_NOT_ALLOWED = 64
    DELEGATION_TOKEN_AUTHORIZATION_FAILED = 65
    DELEGATION_TOKEN_EXPIRED = 66
    INVALID_PRINCIPAL_TYPE = 67
    NON_EMPTY_GROUP = 68
    GROUP_ID_NOT_FOUND = 69
    FETCH_SESSION_ID_NOT_FOUND = 70
    INVALID_FETCH_SESSION_EPOCH = 71
    LISTENER_NOT_FOUND = 72
    TOPIC_DELETION_DISABLED = 73
    FENCED_LEADER_EPOCH = 74
    UNKNOWN_LEADER_EPOCH = 75
    UNSUPPORTED_COMPRESSION_TYPE = 76
    STALE_BROKER_EPOCH = 77
    OFFSET_NOT_AVAILABLE = 78
    MEMBER_ID_REQUIRED = 79
    PREFERRED_LEADER_NOT_AVAILABLE = 80
    GROUP_MAX_SIZE_REACHED = 81
    FENCED_INSTANCE_ID = 82
    ELIGIBLE_LEADERS_NOT_AVAILABLE = 83
    ELECTION_NOT_NEEDED = 84
    NO_REASSIGNMENT_IN_PROGRESS = 85
    GROUP_SUBSCRIBED_TO_TOPIC = 86
    INVALID_RECORD = 87
    UNSTABLE_OFFSET_COMMIT = 88
    THROTTLING_QUOTA_EXCEEDED = 89
    PRODUCER_FENCED = 90
    RESOURCE_NOT_FOUND = 91
    DUPLICATE_RESOURCE = 92
    UNACCEPTABLE_CREDENTIAL = 93
    INCONSISTENT_VOTER_SET = 94
    INVALID_UPDATE_VERSION = 95
    FEATURE_UPDATE_FAILED = 96
    PRINCIPAL_DESERIALIZATION_FAILURE = 97
    SNAPSHOT_NOT_FOUND = 98
    POSITION_OUT_OF_RANGE = 99
    UNKNOWN_TOPIC_ID = 100
    DUPLICATE_BROKER_REGISTRATION = 101
    BROKER_ID_NOT_REGISTERED = 102
    INCONSISTENT_TOPIC_ID = 103
    INCONSISTENT_CLUSTER_ID = 104
    TRANSACTIONAL_ID_NOT_FOUND = 105
    FETCH_SESSION_TOPIC_ID_ERROR = 106
    INELIGIBLE_REPLICA = 107
    NEW_LEADER_ELECTED = 108
    FENCED_MEMBER_EPOCH = 110
    UNRELEASED_INSTANCE_ID = 111
    UNSUPPORTED_ASSIGNOR = 112
    STALE_MEMBER_EPOCH = 113
    MISMATCHED_ENDPOINT_TYPE = 114
    UNSUPPORTED_ENDPOINT_TYPE = 115
    INVALID_REGISTRATION = 119
    TRANSACTION_ABORTABLE = 120
    INVALID_RECORD_STATE = 121
    SHARE_SESSION_NOT_FOUND = 122
    INVALID_SHARE_SESSION_EPOCH = 123
    FENCED_STATE_EPOCH = 124
    INVALID_REGULAR_EXPRESSION = 128
    SHARE_SESSION_LIMIT_REACHED = 133
    INVALID_VOTER_KEY = 125
    DUPLICATE_VOTER = 126
    VOTER_NOT_FOUND = 127
    UNKNOWN_EVENT_TYPE = 1589  # KIP-589's; Apache Kafka gave it no number, so this one is ours


def error_name(code: int) -> str:
    """Kafka's name of an error code, for logs; the number of a code that Spindle does not know."""
    return code.name if isinstance(code, Error) else f"error {code}"


class Refusal(Exception):
    """A request cannot be met; the client gets `error` and `message`."""

    def __init__(self, error: Error, message: str = "") -> None:
        super().__init__(message or error.name)
        self.error = error
        self.message = message or error.name


class Corrupt(Exception):
    """Bytes that are not what their place says they are; the text names the place."""


class Unusable(Exception):
    """A node or tool cannot start or go on as configured; the text says what to change."""


class Failure(Exception):
    """The world did not do what a machine asked for; given to the continuation as a value."""


class DiskFailed(Failure):
    """A log directory answered with an OSError. `verb`: what was tried, as in "writing failed"."""

    def __init__(self, directory: LogDir, verb: str, errno: int, text: str = "") -> None:
        super().__init__(f"{directory}: {verb} failed: {text or 'errno'} ({errno})")
        self.directory = directory
        self.verb = verb
        self.errno = errno


class LogFailed(Failure):
    """One log cannot serve although its directory can: it is missing, closed or damaged.

    `passing`: nothing is wrong with the log, the process lacked something at that moment.
    `suspect`: a call on one of its files failed; what is in it may well be right.
    `taken`: it could not be made, for something else has its name.
    """

    def __init__(
        self,
        directory: LogDir,
        log: str,
        why: str,
        *,
        passing: bool = False,
        suspect: bool = False,
        taken: bool = False,
    ) -> None:
        super().__init__(f"{directory}: {log}: {why}")
        self.directory = directory
        self.log = log
        self.why = why
        self.passing = passing
        self.suspect = suspect
        self.taken = taken


class PeerFailed(Failure):
    """Another node did not answer: refused, hung up, out of time, or spoke nonsense."""


class PeerGone(PeerFailed):
    """The other node refused the connection, or closed it before it answered: it may be down.

    One that is slow, hung or cut off is not gone: no one can know.
    """
