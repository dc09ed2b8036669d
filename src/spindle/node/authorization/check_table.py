"""THE table of what each API checks, on the listeners of brokers and of controllers (S-05).

As Apache Kafka 4.3. What a broker hands on to the controller is checked there, with the client's
own principal and address. Private APIs are checked like the public ones that do such things. An API
without a row is a bug: `tests/house/test_check_table.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from spindle.model.acl import AclOperation as _O
from spindle.node.authorization import config_checks as configs
from spindle.node.authorization import group_checks as groups
from spindle.node.authorization import record_checks as records
from spindle.node.authorization import share_checks as shares
from spindle.node.authorization import token_checks as tokens
from spindle.node.authorization import topic_checks as topics
from spindle.node.authorization import txn_checks as transactions
from spindle.node.authorization.gate import Check, Checked, ClusterCheck, NoCheck
from spindle.wire.apis import Key
from spindle.wire.messages.add_offsets_to_txn_request import AddOffsetsToTxnRequest
from spindle.wire.messages.add_partitions_to_txn_request import AddPartitionsToTxnRequest
from spindle.wire.messages.alter_configs_request import AlterConfigsRequest
from spindle.wire.messages.alter_share_group_offsets_request import AlterShareGroupOffsetsRequest
from spindle.wire.messages.consumer_group_describe_request import ConsumerGroupDescribeRequest
from spindle.wire.messages.consumer_group_heartbeat_request import ConsumerGroupHeartbeatRequest
from spindle.wire.messages.create_delegation_token_request import CreateDelegationTokenRequest
from spindle.wire.messages.create_partitions_request import CreatePartitionsRequest
from spindle.wire.messages.create_topics_request import CreateTopicsRequest
from spindle.wire.messages.delete_groups_request import DeleteGroupsRequest
from spindle.wire.messages.delete_records_request import DeleteRecordsRequest
from spindle.wire.messages.delete_share_group_offsets_request import DeleteShareGroupOffsetsRequest
from spindle.wire.messages.delete_topics_request import DeleteTopicsRequest
from spindle.wire.messages.describe_configs_request import DescribeConfigsRequest
from spindle.wire.messages.describe_delegation_token_request import DescribeDelegationTokenRequest
from spindle.wire.messages.describe_groups_request import DescribeGroupsRequest
from spindle.wire.messages.describe_producers_request import DescribeProducersRequest
from spindle.wire.messages.describe_share_group_offsets_request import (
    DescribeShareGroupOffsetsRequest,
)
from spindle.wire.messages.describe_topic_partitions_request import DescribeTopicPartitionsRequest
from spindle.wire.messages.describe_transactions_request import DescribeTransactionsRequest
from spindle.wire.messages.end_txn_request import EndTxnRequest
from spindle.wire.messages.expire_delegation_token_request import ExpireDelegationTokenRequest
from spindle.wire.messages.fetch_request import FetchRequest
from spindle.wire.messages.find_coordinator_request import FindCoordinatorRequest
from spindle.wire.messages.heartbeat_request import HeartbeatRequest
from spindle.wire.messages.incremental_alter_configs_request import IncrementalAlterConfigsRequest
from spindle.wire.messages.init_producer_id_request import InitProducerIdRequest
from spindle.wire.messages.join_group_request import JoinGroupRequest
from spindle.wire.messages.leave_group_request import LeaveGroupRequest
from spindle.wire.messages.list_groups_request import ListGroupsRequest
from spindle.wire.messages.list_offsets_request import ListOffsetsRequest
from spindle.wire.messages.list_transactions_request import ListTransactionsRequest
from spindle.wire.messages.metadata_request import MetadataRequest
from spindle.wire.messages.offset_commit_request import OffsetCommitRequest
from spindle.wire.messages.offset_delete_request import OffsetDeleteRequest
from spindle.wire.messages.offset_fetch_request import OffsetFetchRequest
from spindle.wire.messages.offset_for_leader_epoch_request import OffsetForLeaderEpochRequest
from spindle.wire.messages.produce_request import ProduceRequest
from spindle.wire.messages.renew_delegation_token_request import RenewDelegationTokenRequest
from spindle.wire.messages.share_acknowledge_request import ShareAcknowledgeRequest
from spindle.wire.messages.share_fetch_request import ShareFetchRequest
from spindle.wire.messages.share_group_describe_request import ShareGroupDescribeRequest
from spindle.wire.messages.share_group_heartbeat_request import ShareGroupHeartbeatRequest
from spindle.wire.messages.sync_group_request import SyncGroupRequest
from spindle.wire.messages.txn_offset_commit_request import TxnOffsetCommitRequest

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller

_ALTER, _DESCRIBE = ClusterCheck(_O.ALTER), ClusterCheck(_O.DESCRIBE)
_ACTION = ClusterCheck(_O.CLUSTER_ACTION)
_OPEN = NoCheck("clients ask before they have authenticated")
_FORWARDED = NoCheck("the controller checks it")
_LOGGERS = NoCheck("the controller checks it, and the handler what is asked of the node's loggers")
_TOLD = NoCheck("the answer tells only what the client may know")

BROKER: Final[Mapping[int, Check[Broker]]] = {
    Key.PRODUCE: Checked(ProduceRequest, records.produce),
    Key.FETCH: Checked(FetchRequest, records.fetch),
    Key.LIST_OFFSETS: Checked(ListOffsetsRequest, records.list_offsets),
    Key.METADATA: Checked(MetadataRequest, topics.metadata),
    Key.OFFSET_COMMIT: Checked(OffsetCommitRequest, groups.offset_commit),
    Key.OFFSET_FETCH: Checked(OffsetFetchRequest, groups.offset_fetch),
    Key.FIND_COORDINATOR: Checked(FindCoordinatorRequest, transactions.find_coordinator),
    Key.JOIN_GROUP: Checked(JoinGroupRequest, groups.join_group),
    Key.HEARTBEAT: Checked(HeartbeatRequest, groups.heartbeat),
    Key.LEAVE_GROUP: Checked(LeaveGroupRequest, groups.leave_group),
    Key.SYNC_GROUP: Checked(SyncGroupRequest, groups.sync_group),
    Key.DESCRIBE_GROUPS: Checked(DescribeGroupsRequest, groups.describe_groups),
    Key.LIST_GROUPS: Checked(ListGroupsRequest, groups.list_groups),
    Key.SASL_HANDSHAKE: _OPEN,
    Key.API_VERSIONS: _OPEN,
    Key.CREATE_TOPICS: _FORWARDED,
    Key.DELETE_TOPICS: _FORWARDED,
    Key.DELETE_RECORDS: Checked(DeleteRecordsRequest, records.delete_records),
    Key.INIT_PRODUCER_ID: Checked(InitProducerIdRequest, transactions.init_producer_id),
    Key.OFFSET_FOR_LEADER_EPOCH: Checked(
        OffsetForLeaderEpochRequest, records.offset_for_leader_epoch
    ),
    Key.ADD_PARTITIONS_TO_TXN: Checked(
        AddPartitionsToTxnRequest, transactions.add_partitions_to_txn
    ),
    Key.ADD_OFFSETS_TO_TXN: Checked(AddOffsetsToTxnRequest, transactions.add_offsets_to_txn),
    Key.END_TXN: Checked(EndTxnRequest, transactions.end_txn),
    Key.WRITE_TXN_MARKERS: ClusterCheck(_O.ALTER, _O.CLUSTER_ACTION),
    Key.TXN_OFFSET_COMMIT: Checked(TxnOffsetCommitRequest, transactions.txn_offset_commit),
    Key.DESCRIBE_ACLS: _DESCRIBE,
    Key.CREATE_ACLS: _FORWARDED,
    Key.DELETE_ACLS: _FORWARDED,
    Key.DESCRIBE_CONFIGS: Checked(DescribeConfigsRequest, configs.describe_configs),
    Key.ALTER_CONFIGS: _FORWARDED,
    Key.ALTER_REPLICA_LOG_DIRS: _ALTER,
    Key.DESCRIBE_LOG_DIRS: _DESCRIBE,
    Key.SASL_AUTHENTICATE: _OPEN,
    Key.CREATE_PARTITIONS: _FORWARDED,
    Key.CONSUMER_GROUP_HEARTBEAT: Checked(ConsumerGroupHeartbeatRequest, groups.consumer_heartbeat),
    Key.CONSUMER_GROUP_DESCRIBE: Checked(ConsumerGroupDescribeRequest, groups.consumer_describe),
    Key.CREATE_DELEGATION_TOKEN: _FORWARDED,
    Key.RENEW_DELEGATION_TOKEN: _FORWARDED,
    Key.EXPIRE_DELEGATION_TOKEN: _FORWARDED,
    Key.DESCRIBE_DELEGATION_TOKEN: Checked(DescribeDelegationTokenRequest, tokens.secured),
    Key.DELETE_GROUPS: Checked(DeleteGroupsRequest, groups.delete_groups),
    Key.ELECT_LEADERS: _FORWARDED,
    Key.INCREMENTAL_ALTER_CONFIGS: _LOGGERS,
    Key.ALTER_PARTITION_REASSIGNMENTS: _FORWARDED,
    Key.LIST_PARTITION_REASSIGNMENTS: _FORWARDED,
    Key.OFFSET_DELETE: Checked(OffsetDeleteRequest, groups.offset_delete),
    Key.DESCRIBE_CLIENT_QUOTAS: ClusterCheck(_O.DESCRIBE_CONFIGS),
    Key.ALTER_CLIENT_QUOTAS: _FORWARDED,
    Key.DESCRIBE_USER_SCRAM_CREDENTIALS: _DESCRIBE,
    Key.ALTER_USER_SCRAM_CREDENTIALS: _FORWARDED,
    Key.DESCRIBE_QUORUM: _FORWARDED,
    Key.UPDATE_FEATURES: _FORWARDED,
    Key.ADD_RAFT_VOTER: _FORWARDED,
    Key.REMOVE_RAFT_VOTER: _FORWARDED,
    Key.DESCRIBE_CLUSTER: _TOLD,
    Key.DESCRIBE_PRODUCERS: Checked(DescribeProducersRequest, records.describe_producers),
    Key.UNREGISTER_BROKER: _FORWARDED,
    Key.DESCRIBE_TRANSACTIONS: Checked(
        DescribeTransactionsRequest, transactions.describe_transactions
    ),
    Key.LIST_TRANSACTIONS: Checked(ListTransactionsRequest, transactions.list_transactions),
    Key.LIST_CONFIG_RESOURCES: ClusterCheck(_O.DESCRIBE_CONFIGS),
    Key.DESCRIBE_TOPIC_PARTITIONS: Checked(
        DescribeTopicPartitionsRequest, topics.describe_topic_partitions
    ),
    Key.SHARE_GROUP_HEARTBEAT: Checked(ShareGroupHeartbeatRequest, shares.share_heartbeat),
    Key.SHARE_GROUP_DESCRIBE: Checked(ShareGroupDescribeRequest, shares.share_describe),
    Key.SHARE_FETCH: Checked(ShareFetchRequest, shares.share_fetch),
    Key.SHARE_ACKNOWLEDGE: Checked(ShareAcknowledgeRequest, shares.share_acknowledge),
    Key.INITIALIZE_SHARE_GROUP_STATE: _ACTION,
    Key.READ_SHARE_GROUP_STATE: _ACTION,
    Key.WRITE_SHARE_GROUP_STATE: _ACTION,
    Key.DELETE_SHARE_GROUP_STATE: _ACTION,
    Key.READ_SHARE_GROUP_STATE_SUMMARY: _ACTION,
    Key.DESCRIBE_SHARE_GROUP_OFFSETS: Checked(
        DescribeShareGroupOffsetsRequest, shares.describe_share_offsets
    ),
    Key.ALTER_SHARE_GROUP_OFFSETS: Checked(
        AlterShareGroupOffsetsRequest, shares.alter_share_offsets
    ),
    Key.DELETE_SHARE_GROUP_OFFSETS: Checked(
        DeleteShareGroupOffsetsRequest, shares.delete_share_offsets
    ),
    Key.ALTER_LOG_DIR_STATE: _ALTER,
    Key.DESCRIBE_LOG_DIR_STATES: _DESCRIBE,
    Key.DESCRIBE_BAD_REPLICAS: _DESCRIBE,
    Key.REPAIR_REPLICA: _ALTER,
}
"""On the listeners of brokers."""

CONTROLLER: Final[Mapping[int, Check[Controller]]] = {
    Key.FETCH: _ACTION,
    Key.SASL_HANDSHAKE: _OPEN,
    Key.API_VERSIONS: _OPEN,
    Key.CREATE_TOPICS: Checked(CreateTopicsRequest, topics.create_topics),
    Key.DELETE_TOPICS: Checked(DeleteTopicsRequest, topics.delete_topics),
    Key.DESCRIBE_ACLS: _DESCRIBE,
    Key.CREATE_ACLS: _ALTER,
    Key.DELETE_ACLS: _ALTER,
    Key.DESCRIBE_CONFIGS: Checked(DescribeConfigsRequest, configs.describe_configs),
    Key.ALTER_CONFIGS: Checked(AlterConfigsRequest, configs.alter_configs),
    Key.SASL_AUTHENTICATE: _OPEN,
    Key.CREATE_PARTITIONS: Checked(CreatePartitionsRequest, topics.create_partitions),
    Key.CREATE_DELEGATION_TOKEN: Checked(CreateDelegationTokenRequest, tokens.create),
    Key.RENEW_DELEGATION_TOKEN: Checked(RenewDelegationTokenRequest, tokens.secured),
    Key.EXPIRE_DELEGATION_TOKEN: Checked(ExpireDelegationTokenRequest, tokens.secured),
    Key.ELECT_LEADERS: _ALTER,
    Key.INCREMENTAL_ALTER_CONFIGS: Checked(
        IncrementalAlterConfigsRequest, configs.incremental_alter_configs
    ),
    Key.ALTER_PARTITION_REASSIGNMENTS: _ALTER,
    Key.LIST_PARTITION_REASSIGNMENTS: _DESCRIBE,
    Key.ALTER_CLIENT_QUOTAS: ClusterCheck(_O.ALTER_CONFIGS),
    Key.ALTER_USER_SCRAM_CREDENTIALS: _ALTER,
    Key.VOTE: _ACTION,
    Key.BEGIN_QUORUM_EPOCH: _ACTION,
    Key.END_QUORUM_EPOCH: _ACTION,
    Key.DESCRIBE_QUORUM: _DESCRIBE,
    Key.ALTER_PARTITION: _ACTION,
    Key.UPDATE_FEATURES: _ALTER,
    Key.ADD_RAFT_VOTER: _ALTER,
    Key.REMOVE_RAFT_VOTER: _ALTER,
    Key.UPDATE_RAFT_VOTER: _ACTION,
    Key.ENVELOPE: _ACTION,
    Key.FETCH_SNAPSHOT: _ACTION,
    Key.DESCRIBE_CLUSTER: _ALTER,
    Key.BROKER_REGISTRATION: _ACTION,
    Key.BROKER_HEARTBEAT: _ACTION,
    Key.UNREGISTER_BROKER: _ALTER,
    Key.ALLOCATE_PRODUCER_IDS: _ACTION,
    Key.CONTROLLER_REGISTRATION: _ACTION,
    Key.ASSIGN_REPLICAS_TO_DIRS: _ACTION,
    Key.ALTER_REPLICA_STATE: _ACTION,
}
"""On the listeners of controllers."""
