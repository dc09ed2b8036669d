"""Requests of every kind about topics, groups and ids that some may use, for tests of ACLs.

`CASES`: by name the API, the version, and what makes the request for a cluster. `Side` is a cluster
as a client at a chosen address reaches it.
"""

from __future__ import annotations

import socket
import struct
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from spindle.core.authorizer import AUTHORIZER
from spindle.model.acl import AclOperation as Op
from spindle.model.acl import AclPermissionType, AclResourceType, PatternType
from spindle.wire.apis import Key
from spindle.wire.codec import Request
from spindle.wire.framing import request_frame, response_in
from spindle.wire.messages import add_partitions_to_txn_request as add_partitions
from spindle.wire.messages import alter_client_quotas_request as alter_quotas
from spindle.wire.messages import alter_configs_request as alter_configs
from spindle.wire.messages import alter_partition_reassignments_request as reassignments
from spindle.wire.messages import alter_replica_log_dirs_request as alter_dirs
from spindle.wire.messages import create_acls_request as create_acls
from spindle.wire.messages import create_partitions_request as create_partitions
from spindle.wire.messages import create_topics_request as create_topics
from spindle.wire.messages import delete_acls_request as delete_acls
from spindle.wire.messages import delete_records_request as delete_records
from spindle.wire.messages import delete_topics_request as delete_topics
from spindle.wire.messages import describe_configs_request as describe_configs
from spindle.wire.messages import describe_producers_request as describe_producers
from spindle.wire.messages import describe_topic_partitions_request as describe_partitions
from spindle.wire.messages import elect_leaders_request as elect_leaders
from spindle.wire.messages import fetch_request as fetch
from spindle.wire.messages import incremental_alter_configs_request as incremental
from spindle.wire.messages import list_offsets_request as list_offsets
from spindle.wire.messages import metadata_request as metadata
from spindle.wire.messages import offset_commit_request as offset_commit
from spindle.wire.messages import offset_delete_request as offset_delete
from spindle.wire.messages import offset_fetch_request as offset_fetch
from spindle.wire.messages import offset_for_leader_epoch_request as leader_epoch
from spindle.wire.messages import produce_request as produce
from spindle.wire.messages import txn_offset_commit_request as txn_commit
from spindle.wire.messages import update_features_request as update_features
from spindle.wire.messages import write_txn_markers_request as markers
from spindle.wire.messages.add_offsets_to_txn_request import AddOffsetsToTxnRequest
from spindle.wire.messages.consumer_group_describe_request import ConsumerGroupDescribeRequest
from spindle.wire.messages.consumer_group_heartbeat_request import ConsumerGroupHeartbeatRequest
from spindle.wire.messages.delete_groups_request import DeleteGroupsRequest
from spindle.wire.messages.describe_acls_request import DescribeAclsRequest
from spindle.wire.messages.describe_client_quotas_request import DescribeClientQuotasRequest
from spindle.wire.messages.describe_cluster_request import DescribeClusterRequest
from spindle.wire.messages.describe_groups_request import DescribeGroupsRequest
from spindle.wire.messages.describe_log_dirs_request import DescribeLogDirsRequest
from spindle.wire.messages.describe_quorum_request import (
    DescribeQuorumRequest,
)
from spindle.wire.messages.describe_quorum_request import PartitionData as QuorumPartition
from spindle.wire.messages.describe_quorum_request import TopicData as QuorumTopic
from spindle.wire.messages.describe_transactions_request import DescribeTransactionsRequest
from spindle.wire.messages.describe_user_scram_credentials_request import (
    DescribeUserScramCredentialsRequest,
    UserName,
)
from spindle.wire.messages.end_txn_request import EndTxnRequest
from spindle.wire.messages.find_coordinator_request import FindCoordinatorRequest
from spindle.wire.messages.heartbeat_request import HeartbeatRequest
from spindle.wire.messages.init_producer_id_request import InitProducerIdRequest
from spindle.wire.messages.join_group_request import JoinGroupRequest, JoinGroupRequestProtocol
from spindle.wire.messages.leave_group_request import LeaveGroupRequest, MemberIdentity
from spindle.wire.messages.list_config_resources_request import ListConfigResourcesRequest
from spindle.wire.messages.list_groups_request import ListGroupsRequest
from spindle.wire.messages.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
)
from spindle.wire.messages.list_transactions_request import ListTransactionsRequest
from spindle.wire.messages.sync_group_request import SyncGroupRequest
from spindle.wire.messages.unregister_broker_request import UnregisterBrokerRequest
from tests.support.share_acl_cases import GONE, SHARE_CASES, SHARE_SETTINGS, SHARERS
from tests.support.storage import batch

ROOT, NOTHING, SOME = "127.0.0.1", "127.0.0.2", "127.0.0.3"
CLUSTER: Final = {
    "127.0.0.4": (Op.DESCRIBE, Op.DESCRIBE_CONFIGS, Op.IDEMPOTENT_WRITE),
    "127.0.0.5": (Op.ALTER, Op.CREATE),
    "127.0.0.6": (Op.CLUSTER_ACTION,),
}
CLIENTS: Final = (NOTHING, SOME, *CLUSTER)
SETTINGS = {
    "authorizer.class.name": AUTHORIZER,
    "allow.everyone.if.no.acl.found": "true",  # So the node can begin, and make the first ACLs.
    "super.users": "User:nobody",
    "offsets.topic.num.partitions": "1",
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.num.partitions": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "auto.create.topics.enable": "true",
    "group.initial.rebalance.delay.ms": "0",
    "compression.type": "producer",
    **SHARE_SETTINGS,
}
T = AclResourceType
RULES: Final = (
    *((kind, name, PatternType.LITERAL, ROOT, Op.ALL)
      for kind, name in ((T.CLUSTER, "kafka-cluster"), (T.TOPIC, "*"), (T.GROUP, "*"),
                         (T.TRANSACTIONAL_ID, "*"))),
    (T.TOPIC, "mine", PatternType.LITERAL, SOME, Op.ALL),
    (T.TOPIC, "seen", PatternType.LITERAL, SOME, Op.DESCRIBE),
    (T.TOPIC, "new-", PatternType.PREFIXED, SOME, Op.CREATE),
    (T.GROUP, "mine", PatternType.LITERAL, SOME, Op.ALL),
    (T.GROUP, SHARERS, PatternType.LITERAL, SOME, Op.ALL),
    (T.GROUP, "seen", PatternType.LITERAL, SOME, Op.DESCRIBE),
    (T.TRANSACTIONAL_ID, "mine", PatternType.LITERAL, SOME, Op.ALL),
    (T.TRANSACTIONAL_ID, "seen", PatternType.LITERAL, SOME, Op.DESCRIBE),
    *((T.CLUSTER, "kafka-cluster", PatternType.LITERAL, host, operation)
      for host, operations in CLUSTER.items() for operation in operations),
)  # fmt: skip
TOPICS = ("mine", "seen", "other")
RECORDS = batch(0, [b"x"]).data


@dataclass
class Side:
    """One of the clusters, as clients reach it."""

    name: str
    port: int
    controller_port: int
    ids: dict[str, uuid.UUID] = field(default_factory=dict)

    def ask(self, request: Request[Any], version: int, host: str, controller: bool = False) -> Any:
        port = self.controller_port if controller else self.port
        with socket.create_connection(("127.0.0.1", port), 30, (host, 0)) as sock:
            sock.sendall(request_frame(request, version, 7, "judge"))
            head = self._take(sock, 4)
            frame = self._take(sock, struct.unpack(">i", head)[0])
        return response_in(frame, request, version)

    def _take(self, sock: socket.socket, size: int) -> bytes:
        data = b""
        while len(data) < size:
            more = sock.recv(size - len(data))
            if not more:
                raise EOFError(f"{self.name} hung up")
            data += more
        return data


def acl(rule: tuple[Any, ...]) -> create_acls.AclCreation:
    kind, name, pattern, host, operation = rule
    return create_acls.AclCreation(
        resource_type=kind, resource_name=name, resource_pattern_type=pattern,
        principal="User:ANONYMOUS", host=host, operation=operation,
        permission_type=AclPermissionType.ALLOW,
    )  # fmt: skip


def committed(name: str) -> offset_commit.OffsetCommitRequestTopic:
    partition = offset_commit.OffsetCommitRequestPartition(partition_index=0, committed_offset=5)
    return offset_commit.OffsetCommitRequestTopic(name=name, partitions=(partition,))


Make = Callable[[Side], Request[Any]]


def fetching(side: Side, replica: int = -1) -> Request[Any]:
    return fetch.FetchRequest(
        replica_id=replica, max_bytes=1 << 20, session_epoch=-1,
        topics=tuple(
            fetch.FetchTopic(
                topic=name,
                partitions=(fetch.FetchPartition(partition=0, partition_max_bytes=1 << 20),),
            )
            for name in (*TOPICS, "none")
        ),
    )  # fmt: skip


def fetching_by_id(side: Side) -> Request[Any]:
    ids = [*side.ids.values(), GONE]
    return fetch.FetchRequest(
        max_bytes=1 << 20, session_epoch=-1,
        topics=tuple(
            fetch.FetchTopic(
                topic_id=id,
                partitions=(fetch.FetchPartition(partition=0, partition_max_bytes=1 << 20),),
            )
            for id in ids
        ),
    )  # fmt: skip


def metadata_by_id(side: Side) -> Request[Any]:
    topics = tuple(
        metadata.MetadataRequestTopic(name=None, topic_id=id) for id in (*side.ids.values(), GONE)
    )
    return metadata.MetadataRequest(
        topics=topics, allow_auto_topic_creation=False, include_topic_authorized_operations=True
    )


def metadata_by_id_beside_names(side: Side) -> Request[Any]:
    """Each id with the name of another topic: a name that may be seen reveals no other topic."""
    names, ids = list(side.ids), list(side.ids.values())
    topics = tuple(
        metadata.MetadataRequestTopic(name=name, topic_id=id)
        for name, id in zip([*names[1:], names[0]], ids, strict=True)
    )
    return metadata.MetadataRequest(
        topics=topics, allow_auto_topic_creation=False, include_topic_authorized_operations=True
    )


def heartbeat(group: str, *topics: str) -> Request[Any]:
    """Of a member that is not there: it changes nothing, and the answer says whether it may."""
    return ConsumerGroupHeartbeatRequest(
        group_id=group, member_id="m", member_epoch=5, rebalance_timeout_ms=10_000,
        subscribed_topic_names=topics, topic_partitions=(),
    )  # fmt: skip


def of_topics(make: Callable[[str], Any]) -> tuple[Any, ...]:
    return tuple(make(name) for name in (*TOPICS, "none"))


def resources(kind: type[Any], **more: Any) -> tuple[Any, ...]:
    return tuple(
        kind(resource_type=number, resource_name=name, **more)
        for number, name in (
            (2, "mine"), (2, "seen"), (2, "other"), (4, "1"), (4, ""), (8, "1"), (32, "other"),
        )
    )  # fmt: skip


GROUPS = ("mine", "seen", "other", "none")
_P = list_offsets.ListOffsetsPartition(partition_index=0, timestamp=-1)
CASES: dict[str, tuple[Key, int, Make]] = {
    "produce": (Key.PRODUCE, 9, lambda side: produce.ProduceRequest(
        acks=1, timeout_ms=5000,
        topic_data=of_topics(lambda n: produce.TopicProduceData(
            name=n, partition_data=(produce.PartitionProduceData(index=0, records=RECORDS),))))),
    "fetch": (Key.FETCH, 12, fetching),
    "fetch as a follower": (Key.FETCH, 12, lambda side: fetching(side, 9)),
    "fetch by id": (Key.FETCH, 13, fetching_by_id),
    "list offsets": (Key.LIST_OFFSETS, 7, lambda side: list_offsets.ListOffsetsRequest(
        replica_id=-1, topics=of_topics(
            lambda n: list_offsets.ListOffsetsTopic(name=n, partitions=(_P,))))),
    "metadata": (Key.METADATA, 9, lambda side: metadata.MetadataRequest(
        topics=of_topics(lambda n: metadata.MetadataRequestTopic(name=n)),
        allow_auto_topic_creation=False, include_topic_authorized_operations=True,
        include_cluster_authorized_operations=True)),
    "metadata of all": (Key.METADATA, 12, lambda side: metadata.MetadataRequest(
        topics=None, include_topic_authorized_operations=True)),
    "metadata of all, of old": (Key.METADATA, 0, lambda side: metadata.MetadataRequest(topics=())),
    "metadata of one, of old": (Key.METADATA, 0, lambda side: metadata.MetadataRequest(
        topics=(metadata.MetadataRequestTopic(name="other"),))),
    "metadata by id": (Key.METADATA, 12, metadata_by_id),
    "metadata by id beside names": (Key.METADATA, 12, metadata_by_id_beside_names),
    "metadata that creates": (Key.METADATA, 9, lambda side: metadata.MetadataRequest(
        topics=(metadata.MetadataRequestTopic(name="fresh"),), allow_auto_topic_creation=True)),
    "offset commit": (Key.OFFSET_COMMIT, 8, lambda side: offset_commit.OffsetCommitRequest(
        group_id="mine", generation_id_or_member_epoch=-1, topics=of_topics(committed))),
    "offset commit, other group": (
        Key.OFFSET_COMMIT, 8, lambda side: offset_commit.OffsetCommitRequest(
            group_id="seen", generation_id_or_member_epoch=-1, topics=of_topics(committed))),
    "offset fetch": (Key.OFFSET_FETCH, 8, lambda side: offset_fetch.OffsetFetchRequest(
        groups=tuple(offset_fetch.OffsetFetchRequestGroup(
            group_id=g, topics=of_topics(lambda n: offset_fetch.OffsetFetchRequestTopics(
                name=n, partition_indexes=(0,)))) for g in GROUPS))),
    "offset fetch of all": (Key.OFFSET_FETCH, 8, lambda side: offset_fetch.OffsetFetchRequest(
        groups=tuple(offset_fetch.OffsetFetchRequestGroup(group_id=g) for g in GROUPS))),
    "offset fetch of one group": (Key.OFFSET_FETCH, 5, lambda side: offset_fetch.OffsetFetchRequest(
        group_id="mine", topics=of_topics(lambda n: offset_fetch.OffsetFetchRequestTopic(
            name=n, partition_indexes=(0,))))),
    "all offsets of one group": (Key.OFFSET_FETCH, 5, lambda side: offset_fetch.OffsetFetchRequest(
        group_id="mine", topics=None)),
    "offset fetch of another": (Key.OFFSET_FETCH, 5, lambda side: offset_fetch.OffsetFetchRequest(
        group_id="other", topics=None)),
    "find group": (Key.FIND_COORDINATOR, 4, lambda side: FindCoordinatorRequest(
        key_type=0, coordinator_keys=GROUPS)),
    "find transaction": (Key.FIND_COORDINATOR, 4, lambda side: FindCoordinatorRequest(
        key_type=1, coordinator_keys=GROUPS)),
    "find one group": (Key.FIND_COORDINATOR, 3, lambda side: FindCoordinatorRequest(
        key_type=0, key="other")),
    "find one transaction": (Key.FIND_COORDINATOR, 2, lambda side: FindCoordinatorRequest(
        key_type=1, key="other")),
    "join group": (Key.JOIN_GROUP, 5, lambda side: JoinGroupRequest(
        group_id="seen", session_timeout_ms=10_000, rebalance_timeout_ms=10_000,
        protocol_type="consumer", protocols=(JoinGroupRequestProtocol(name="range"),))),
    "heartbeat": (Key.HEARTBEAT, 4, lambda side: HeartbeatRequest(
        group_id="seen", generation_id=1, member_id="m")),
    "leave group": (Key.LEAVE_GROUP, 4, lambda side: LeaveGroupRequest(
        group_id="seen", members=(MemberIdentity(member_id="m"),))),
    "sync group": (Key.SYNC_GROUP, 5, lambda side: SyncGroupRequest(
        group_id="seen", generation_id=1, member_id="m", protocol_type="consumer",
        protocol_name="range")),
    "describe groups": (Key.DESCRIBE_GROUPS, 5, lambda side: DescribeGroupsRequest(
        groups=("mine", "other"), include_authorized_operations=True)),
    "consumer heartbeat": (Key.CONSUMER_GROUP_HEARTBEAT, 1, lambda side: heartbeat("mine", "mine")),
    "consumer heartbeat, other group": (Key.CONSUMER_GROUP_HEARTBEAT, 1, lambda side:
        heartbeat("seen", "mine")),
    "consumer heartbeat, other topic": (Key.CONSUMER_GROUP_HEARTBEAT, 1, lambda side:
        heartbeat("mine", "mine", "other")),
    "consumer heartbeat, no such topic": (Key.CONSUMER_GROUP_HEARTBEAT, 1, lambda side:
        heartbeat("mine", "none")),
    "describe consumer groups": (Key.CONSUMER_GROUP_DESCRIBE, 1, lambda side:
        ConsumerGroupDescribeRequest(group_ids=GROUPS, include_authorized_operations=True)),
    "list groups": (Key.LIST_GROUPS, 4, lambda side: ListGroupsRequest()),
    "create topics": (Key.CREATE_TOPICS, 7, lambda side: create_topics.CreateTopicsRequest(
        timeout_ms=20_000, validate_only=True, topics=tuple(
            create_topics.CreatableTopic(name=n, num_partitions=1, replication_factor=1)
            for n in ("mine", "new-one", "another")))),
    "delete topics": (Key.DELETE_TOPICS, 5, lambda side: delete_topics.DeleteTopicsRequest(
        topic_names=("seen", "other", "none"), timeout_ms=20_000)),
    "delete topics by id": (Key.DELETE_TOPICS, 6, lambda side: delete_topics.DeleteTopicsRequest(
        timeout_ms=20_000, topics=tuple(
            delete_topics.DeleteTopicState(name=None, topic_id=id)
            for id in (side.ids["seen"], side.ids["other"], GONE)))),
    "delete records": (Key.DELETE_RECORDS, 2, lambda side: delete_records.DeleteRecordsRequest(
        timeout_ms=5000, topics=of_topics(lambda n: delete_records.DeleteRecordsTopic(
            name=n, partitions=(delete_records.DeleteRecordsPartition(partition_index=0),))))),
    "init producer id": (Key.INIT_PRODUCER_ID, 4, lambda side: InitProducerIdRequest()),
    "init transaction": (Key.INIT_PRODUCER_ID, 4, lambda side: InitProducerIdRequest(
        transactional_id="seen", transaction_timeout_ms=60_000)),
    "leader epoch": (Key.OFFSET_FOR_LEADER_EPOCH, 4, lambda side:
        leader_epoch.OffsetForLeaderEpochRequest(replica_id=-1, topics=of_topics(
            lambda n: leader_epoch.OffsetForLeaderTopic(topic=n, partitions=(
                leader_epoch.OffsetForLeaderPartition(partition=0, leader_epoch=0),))))),
    "add partitions": (Key.ADD_PARTITIONS_TO_TXN, 3, lambda side:
        add_partitions.AddPartitionsToTxnRequest(
            v3_and_below_transactional_id="mine", v3_and_below_producer_id=1,
            v3_and_below_topics=of_topics(lambda n: add_partitions.AddPartitionsToTxnTopic(
                name=n, partitions=(0,))))),
    "add partitions, other id": (Key.ADD_PARTITIONS_TO_TXN, 3, lambda side:
        add_partitions.AddPartitionsToTxnRequest(
            v3_and_below_transactional_id="seen", v3_and_below_producer_id=1,
            v3_and_below_topics=of_topics(lambda n: add_partitions.AddPartitionsToTxnTopic(
                name=n, partitions=(0,))))),
    "verify partitions": (Key.ADD_PARTITIONS_TO_TXN, 4, lambda side:
        add_partitions.AddPartitionsToTxnRequest(transactions=(
            add_partitions.AddPartitionsToTxnTransaction(
                transactional_id="none", producer_id=77, verify_only=True, topics=(
                    add_partitions.AddPartitionsToTxnTopic(name="mine", partitions=(0,)),)),))),
    "add offsets": (Key.ADD_OFFSETS_TO_TXN, 3, lambda side: AddOffsetsToTxnRequest(
        transactional_id="mine", producer_id=77, group_id="seen")),
    "add offsets, other id": (Key.ADD_OFFSETS_TO_TXN, 3, lambda side: AddOffsetsToTxnRequest(
        transactional_id="seen", producer_id=77, group_id="mine")),
    "end transaction": (Key.END_TXN, 3, lambda side: EndTxnRequest(
        transactional_id="seen", producer_id=77, committed=True)),
    "write markers": (Key.WRITE_TXN_MARKERS, 1, lambda side: markers.WriteTxnMarkersRequest(
        markers=(markers.WritableTxnMarker(producer_id=77, topics=(
            markers.WritableTxnMarkerTopic(name="none", partition_indexes=(0,)),)),))),
    "commit in transaction": (Key.TXN_OFFSET_COMMIT, 3, lambda side:
        txn_commit.TxnOffsetCommitRequest(
            transactional_id="mine", group_id="mine", producer_id=77, generation_id=-1,
            topics=of_topics(lambda n: txn_commit.TxnOffsetCommitRequestTopic(
                name=n, partitions=(txn_commit.TxnOffsetCommitRequestPartition(
                    partition_index=0, committed_offset=1),))))),
    "commit in transaction, other group": (Key.TXN_OFFSET_COMMIT, 3, lambda side:
        txn_commit.TxnOffsetCommitRequest(
            transactional_id="mine", group_id="seen", producer_id=77, generation_id=-1,
            topics=of_topics(lambda n: txn_commit.TxnOffsetCommitRequestTopic(
                name=n, partitions=(txn_commit.TxnOffsetCommitRequestPartition(
                    partition_index=0, committed_offset=1),))))),
    "describe acls": (Key.DESCRIBE_ACLS, 3, lambda side: DescribeAclsRequest(
        resource_type_filter=1, pattern_type_filter=1, operation=1, permission_type=1)),
    "create acls": (Key.CREATE_ACLS, 3, lambda side: create_acls.CreateAclsRequest(
        creations=(acl((T.CLUSTER, "x", PatternType.LITERAL, "*", Op.READ)),
                   acl((T.TOPIC, "", PatternType.LITERAL, "*", Op.READ))))),
    "delete acls": (Key.DELETE_ACLS, 3, lambda side: delete_acls.DeleteAclsRequest(
        filters=(delete_acls.DeleteAclsFilter(
            resource_type_filter=2, resource_name_filter="x", pattern_type_filter=3,
            operation=1, permission_type=1),))),
    "describe configs": (Key.DESCRIBE_CONFIGS, 4, lambda side:
        describe_configs.DescribeConfigsRequest(
            resources=resources(describe_configs.DescribeConfigsResource))),
    "alter configs": (Key.ALTER_CONFIGS, 2, lambda side: alter_configs.AlterConfigsRequest(
        validate_only=True, resources=resources(alter_configs.AlterConfigsResource))),
    "incremental alter configs": (Key.INCREMENTAL_ALTER_CONFIGS, 1, lambda side:
        incremental.IncrementalAlterConfigsRequest(
            validate_only=True, resources=resources(incremental.AlterConfigsResource))),
    "alter replica log dirs": (Key.ALTER_REPLICA_LOG_DIRS, 2, lambda side:
        alter_dirs.AlterReplicaLogDirsRequest(dirs=(alter_dirs.AlterReplicaLogDir(
            path="/nowhere", topics=(alter_dirs.AlterReplicaLogDirTopic(
                name="mine", partitions=(0,)),)),))),
    "describe log dirs": (Key.DESCRIBE_LOG_DIRS, 4, lambda side: DescribeLogDirsRequest(topics=())),
    "create partitions": (Key.CREATE_PARTITIONS, 3, lambda side:
        create_partitions.CreatePartitionsRequest(
            timeout_ms=20_000, validate_only=True, topics=of_topics(
                lambda n: create_partitions.CreatePartitionsTopic(name=n, count=2)))),
    "delete groups": (Key.DELETE_GROUPS, 2, lambda side: DeleteGroupsRequest(
        groups_names=("seen", "other", "none"))),
    "elect leaders": (Key.ELECT_LEADERS, 2, lambda side: elect_leaders.ElectLeadersRequest(
        timeout_ms=20_000, topic_partitions=(
            elect_leaders.TopicPartitions(topic="mine", partitions=(0,)),))),
    "reassign": (Key.ALTER_PARTITION_REASSIGNMENTS, 0, lambda side:
        reassignments.AlterPartitionReassignmentsRequest(timeout_ms=20_000, topics=(
            reassignments.ReassignableTopic(name="mine", partitions=(
                reassignments.ReassignablePartition(partition_index=0, replicas=None),)),))),
    "list reassignments": (Key.LIST_PARTITION_REASSIGNMENTS, 0, lambda side:
        ListPartitionReassignmentsRequest(timeout_ms=20_000)),
    "delete offsets": (Key.OFFSET_DELETE, 0, lambda side: offset_delete.OffsetDeleteRequest(
        group_id="mine", topics=tuple(offset_delete.OffsetDeleteRequestTopic(
            name=n, partitions=(offset_delete.OffsetDeleteRequestPartition(partition_index=7),))
            for n in ("seen", "none")))),
    "delete offsets, other group": (Key.OFFSET_DELETE, 0, lambda side:
        offset_delete.OffsetDeleteRequest(group_id="seen", topics=())),
    "describe scram": (Key.DESCRIBE_USER_SCRAM_CREDENTIALS, 0, lambda side:
        DescribeUserScramCredentialsRequest(
            users=(UserName(name="nobody"),))),
    "describe quotas": (Key.DESCRIBE_CLIENT_QUOTAS, 1, lambda side: DescribeClientQuotasRequest()),
    "alter quotas": (Key.ALTER_CLIENT_QUOTAS, 1, lambda side:
        alter_quotas.AlterClientQuotasRequest(validate_only=True, entries=(alter_quotas.EntryData(
            entity=(alter_quotas.EntityData(entity_type="user", entity_name="nobody"),),
            ops=(alter_quotas.OpData(key="producer_byte_rate", value=1e9),)),))),
    "describe quorum": (Key.DESCRIBE_QUORUM, 1, lambda side: DescribeQuorumRequest(topics=(
        QuorumTopic(topic_name="__cluster_metadata", partitions=(
            QuorumPartition(partition_index=0),)),))),
    "update features": (Key.UPDATE_FEATURES, 1, lambda side: update_features.UpdateFeaturesRequest(
        timeout_ms=20_000, validate_only=True, feature_updates=())),
    "describe cluster": (Key.DESCRIBE_CLUSTER, 1, lambda side: DescribeClusterRequest(
        include_cluster_authorized_operations=True)),
    "describe producers": (Key.DESCRIBE_PRODUCERS, 0, lambda side:
        describe_producers.DescribeProducersRequest(topics=of_topics(
            lambda n: describe_producers.TopicRequest(name=n, partition_indexes=(0,))))),
    "unregister broker": (Key.UNREGISTER_BROKER, 0, lambda side: UnregisterBrokerRequest(
        broker_id=99)),
    "describe transactions": (Key.DESCRIBE_TRANSACTIONS, 0, lambda side:
        DescribeTransactionsRequest(transactional_ids=GROUPS)),
    "list transactions": (Key.LIST_TRANSACTIONS, 0, lambda side: ListTransactionsRequest()),
    "list config resources": (Key.LIST_CONFIG_RESOURCES, 1, lambda side:
        ListConfigResourcesRequest(resource_types=(16,))),
    "describe partitions": (Key.DESCRIBE_TOPIC_PARTITIONS, 0, lambda side:
        describe_partitions.DescribeTopicPartitionsRequest(topics=of_topics(
            lambda n: describe_partitions.TopicRequest(name=n)))),
    **SHARE_CASES,
    "describe all partitions": (Key.DESCRIBE_TOPIC_PARTITIONS, 0, lambda side:
        describe_partitions.DescribeTopicPartitionsRequest(topics=())),
}  # fmt: skip
