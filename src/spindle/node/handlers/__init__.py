"""One file per API: decode, call a machine, encode. The folder is the table of support.

A module serves the broker listener with `on_broker(broker, request, context)`, the controller
listener with `on_controller(controller, request, context)`; each returns the response, or LATER and
gives it to the context. `on_listener` serves both. To switch an API on: its row in `wire.apis`, its
module here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from spindle.node.handlers import (
    add_offsets_to_txn,
    add_partitions_to_txn,
    add_raft_voter,
    allocate_producer_ids,
    alter_client_quotas,
    alter_configs,
    alter_log_dir_state,
    alter_partition,
    alter_partition_reassignments,
    alter_replica_log_dirs,
    alter_replica_state,
    alter_share_group_offsets,
    alter_user_scram_credentials,
    api_versions,
    assign_replicas_to_dirs,
    begin_quorum_epoch,
    broker_heartbeat,
    broker_registration,
    consumer_group_describe,
    consumer_group_heartbeat,
    controller_registration,
    create_acls,
    create_delegation_token,
    create_partitions,
    create_topics,
    delete_acls,
    delete_groups,
    delete_records,
    delete_share_group_offsets,
    delete_share_group_state,
    delete_topics,
    describe_acls,
    describe_bad_replicas,
    describe_client_quotas,
    describe_cluster,
    describe_configs,
    describe_delegation_token,
    describe_groups,
    describe_log_dir_states,
    describe_log_dirs,
    describe_producers,
    describe_quorum,
    describe_share_group_offsets,
    describe_topic_partitions,
    describe_transactions,
    describe_user_scram_credentials,
    elect_leaders,
    end_quorum_epoch,
    end_txn,
    envelope,
    expire_delegation_token,
    fetch,
    fetch_metadata,
    fetch_snapshot,
    find_coordinator,
    heartbeat,
    incremental_alter_configs,
    init_producer_id,
    initialize_share_group_state,
    join_group,
    leave_group,
    list_config_resources,
    list_groups,
    list_offsets,
    list_partition_reassignments,
    list_transactions,
    metadata,
    offset_commit,
    offset_delete,
    offset_fetch,
    offset_for_leader_epoch,
    produce,
    read_share_group_state,
    read_share_group_state_summary,
    remove_raft_voter,
    renew_delegation_token,
    repair_replica,
    sasl_authenticate,
    sasl_handshake,
    share_acknowledge,
    share_fetch,
    share_group_describe,
    share_group_heartbeat,
    sync_group,
    txn_offset_commit,
    unregister_broker,
    update_features,
    update_raft_voter,
    vote,
    write_share_group_state,
    write_txn_markers,
)
from spindle.node.request_context import Handler, Serving
from spindle.wire.messages.add_offsets_to_txn_request import AddOffsetsToTxnRequest
from spindle.wire.messages.add_partitions_to_txn_request import AddPartitionsToTxnRequest
from spindle.wire.messages.add_raft_voter_request import AddRaftVoterRequest
from spindle.wire.messages.allocate_producer_ids_request import AllocateProducerIdsRequest
from spindle.wire.messages.alter_client_quotas_request import AlterClientQuotasRequest
from spindle.wire.messages.alter_configs_request import AlterConfigsRequest
from spindle.wire.messages.alter_log_dir_state_request import AlterLogDirStateRequest
from spindle.wire.messages.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
)
from spindle.wire.messages.alter_partition_request import AlterPartitionRequest
from spindle.wire.messages.alter_replica_log_dirs_request import AlterReplicaLogDirsRequest
from spindle.wire.messages.alter_replica_state_request import AlterReplicaStateRequest
from spindle.wire.messages.alter_share_group_offsets_request import AlterShareGroupOffsetsRequest
from spindle.wire.messages.alter_user_scram_credentials_request import (
    AlterUserScramCredentialsRequest,
)
from spindle.wire.messages.api_versions_request import ApiVersionsRequest
from spindle.wire.messages.assign_replicas_to_dirs_request import AssignReplicasToDirsRequest
from spindle.wire.messages.begin_quorum_epoch_request import BeginQuorumEpochRequest
from spindle.wire.messages.broker_heartbeat_request import BrokerHeartbeatRequest
from spindle.wire.messages.broker_registration_request import BrokerRegistrationRequest
from spindle.wire.messages.consumer_group_describe_request import ConsumerGroupDescribeRequest
from spindle.wire.messages.consumer_group_heartbeat_request import ConsumerGroupHeartbeatRequest
from spindle.wire.messages.controller_registration_request import ControllerRegistrationRequest
from spindle.wire.messages.create_acls_request import CreateAclsRequest
from spindle.wire.messages.create_delegation_token_request import CreateDelegationTokenRequest
from spindle.wire.messages.create_partitions_request import CreatePartitionsRequest
from spindle.wire.messages.create_topics_request import CreateTopicsRequest
from spindle.wire.messages.delete_acls_request import DeleteAclsRequest
from spindle.wire.messages.delete_groups_request import DeleteGroupsRequest
from spindle.wire.messages.delete_records_request import DeleteRecordsRequest
from spindle.wire.messages.delete_share_group_offsets_request import DeleteShareGroupOffsetsRequest
from spindle.wire.messages.delete_share_group_state_request import DeleteShareGroupStateRequest
from spindle.wire.messages.delete_topics_request import DeleteTopicsRequest
from spindle.wire.messages.describe_acls_request import DescribeAclsRequest
from spindle.wire.messages.describe_bad_replicas_request import DescribeBadReplicasRequest
from spindle.wire.messages.describe_client_quotas_request import DescribeClientQuotasRequest
from spindle.wire.messages.describe_cluster_request import DescribeClusterRequest
from spindle.wire.messages.describe_configs_request import DescribeConfigsRequest
from spindle.wire.messages.describe_delegation_token_request import DescribeDelegationTokenRequest
from spindle.wire.messages.describe_groups_request import DescribeGroupsRequest
from spindle.wire.messages.describe_log_dir_states_request import DescribeLogDirStatesRequest
from spindle.wire.messages.describe_log_dirs_request import DescribeLogDirsRequest
from spindle.wire.messages.describe_producers_request import DescribeProducersRequest
from spindle.wire.messages.describe_quorum_request import DescribeQuorumRequest
from spindle.wire.messages.describe_share_group_offsets_request import (
    DescribeShareGroupOffsetsRequest,
)
from spindle.wire.messages.describe_topic_partitions_request import DescribeTopicPartitionsRequest
from spindle.wire.messages.describe_transactions_request import DescribeTransactionsRequest
from spindle.wire.messages.describe_user_scram_credentials_request import (
    DescribeUserScramCredentialsRequest,
)
from spindle.wire.messages.elect_leaders_request import ElectLeadersRequest
from spindle.wire.messages.end_quorum_epoch_request import EndQuorumEpochRequest
from spindle.wire.messages.end_txn_request import EndTxnRequest
from spindle.wire.messages.envelope_request import EnvelopeRequest
from spindle.wire.messages.expire_delegation_token_request import ExpireDelegationTokenRequest
from spindle.wire.messages.fetch_request import FetchRequest
from spindle.wire.messages.fetch_snapshot_request import FetchSnapshotRequest
from spindle.wire.messages.find_coordinator_request import FindCoordinatorRequest
from spindle.wire.messages.heartbeat_request import HeartbeatRequest
from spindle.wire.messages.incremental_alter_configs_request import IncrementalAlterConfigsRequest
from spindle.wire.messages.init_producer_id_request import InitProducerIdRequest
from spindle.wire.messages.initialize_share_group_state_request import (
    InitializeShareGroupStateRequest,
)
from spindle.wire.messages.join_group_request import JoinGroupRequest
from spindle.wire.messages.leave_group_request import LeaveGroupRequest
from spindle.wire.messages.list_config_resources_request import ListConfigResourcesRequest
from spindle.wire.messages.list_groups_request import ListGroupsRequest
from spindle.wire.messages.list_offsets_request import ListOffsetsRequest
from spindle.wire.messages.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
)
from spindle.wire.messages.list_transactions_request import ListTransactionsRequest
from spindle.wire.messages.metadata_request import MetadataRequest
from spindle.wire.messages.offset_commit_request import OffsetCommitRequest
from spindle.wire.messages.offset_delete_request import OffsetDeleteRequest
from spindle.wire.messages.offset_fetch_request import OffsetFetchRequest
from spindle.wire.messages.offset_for_leader_epoch_request import OffsetForLeaderEpochRequest
from spindle.wire.messages.produce_request import ProduceRequest
from spindle.wire.messages.read_share_group_state_request import ReadShareGroupStateRequest
from spindle.wire.messages.read_share_group_state_summary_request import (
    ReadShareGroupStateSummaryRequest,
)
from spindle.wire.messages.remove_raft_voter_request import RemoveRaftVoterRequest
from spindle.wire.messages.renew_delegation_token_request import RenewDelegationTokenRequest
from spindle.wire.messages.repair_replica_request import RepairReplicaRequest
from spindle.wire.messages.sasl_authenticate_request import SaslAuthenticateRequest
from spindle.wire.messages.sasl_handshake_request import SaslHandshakeRequest
from spindle.wire.messages.share_acknowledge_request import ShareAcknowledgeRequest
from spindle.wire.messages.share_fetch_request import ShareFetchRequest
from spindle.wire.messages.share_group_describe_request import ShareGroupDescribeRequest
from spindle.wire.messages.share_group_heartbeat_request import ShareGroupHeartbeatRequest
from spindle.wire.messages.sync_group_request import SyncGroupRequest
from spindle.wire.messages.txn_offset_commit_request import TxnOffsetCommitRequest
from spindle.wire.messages.unregister_broker_request import UnregisterBrokerRequest
from spindle.wire.messages.update_features_request import UpdateFeaturesRequest
from spindle.wire.messages.update_raft_voter_request import UpdateRaftVoterRequest
from spindle.wire.messages.vote_request import VoteRequest
from spindle.wire.messages.write_share_group_state_request import WriteShareGroupStateRequest
from spindle.wire.messages.write_txn_markers_request import WriteTxnMarkersRequest

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import VotingController

T = TypeVar("T")


def _table(*handlers: Serving[T]) -> dict[int, Serving[T]]:
    return {handler.request.KEY: handler for handler in handlers}


BROKER: Final[dict[int, Serving[Broker]]] = _table(
    Handler(AddOffsetsToTxnRequest, add_offsets_to_txn.on_broker, add_offsets_to_txn.refuse),
    Handler(
        AddPartitionsToTxnRequest, add_partitions_to_txn.on_broker, add_partitions_to_txn.refuse
    ),
    Handler(AddRaftVoterRequest, add_raft_voter.on_broker, add_raft_voter.refuse),
    Handler(RemoveRaftVoterRequest, remove_raft_voter.on_broker, remove_raft_voter.refuse),
    Handler(AlterClientQuotasRequest, alter_client_quotas.on_broker, alter_client_quotas.refuse),
    Handler(AlterConfigsRequest, alter_configs.on_broker, alter_configs.refuse),
    Handler(AlterLogDirStateRequest, alter_log_dir_state.on_broker, alter_log_dir_state.refuse),
    Handler(
        AlterPartitionReassignmentsRequest,
        alter_partition_reassignments.on_broker,
        alter_partition_reassignments.refuse,
    ),
    Handler(
        AlterReplicaLogDirsRequest, alter_replica_log_dirs.on_broker, alter_replica_log_dirs.refuse
    ),
    Handler(
        AlterUserScramCredentialsRequest,
        alter_user_scram_credentials.on_broker,
        alter_user_scram_credentials.refuse,
    ),
    Handler(ApiVersionsRequest, api_versions.on_broker, api_versions.refuse),
    Handler(CreateAclsRequest, create_acls.on_broker, create_acls.refuse),
    Handler(
        CreateDelegationTokenRequest,
        create_delegation_token.on_broker,
        create_delegation_token.refuse,
    ),
    Handler(
        RenewDelegationTokenRequest, renew_delegation_token.on_broker, renew_delegation_token.refuse
    ),
    Handler(
        ExpireDelegationTokenRequest,
        expire_delegation_token.on_broker,
        expire_delegation_token.refuse,
    ),
    Handler(
        DescribeDelegationTokenRequest,
        describe_delegation_token.on_broker,
        describe_delegation_token.refuse,
    ),
    Handler(CreatePartitionsRequest, create_partitions.on_broker, create_partitions.refuse),
    Handler(CreateTopicsRequest, create_topics.on_broker, create_topics.refuse),
    Handler(DeleteAclsRequest, delete_acls.on_broker, delete_acls.refuse),
    Handler(DeleteGroupsRequest, delete_groups.on_broker),
    Handler(DeleteRecordsRequest, delete_records.on_broker),
    Handler(DeleteTopicsRequest, delete_topics.on_broker, delete_topics.refuse),
    Handler(DescribeAclsRequest, describe_acls.on_broker, describe_acls.refuse),
    Handler(
        DescribeBadReplicasRequest, describe_bad_replicas.on_broker, describe_bad_replicas.refuse
    ),
    Handler(
        DescribeClientQuotasRequest, describe_client_quotas.on_broker, describe_client_quotas.refuse
    ),
    Handler(DescribeClusterRequest, describe_cluster.on_broker, describe_cluster.refuse),
    Handler(DescribeConfigsRequest, describe_configs.on_broker),
    Handler(ConsumerGroupDescribeRequest, consumer_group_describe.on_broker),
    Handler(
        ConsumerGroupHeartbeatRequest,
        consumer_group_heartbeat.on_broker,
        consumer_group_heartbeat.refuse,
    ),
    Handler(DescribeGroupsRequest, describe_groups.on_broker),
    Handler(
        DescribeLogDirStatesRequest,
        describe_log_dir_states.on_broker,
        describe_log_dir_states.refuse,
    ),
    Handler(DescribeLogDirsRequest, describe_log_dirs.on_broker, describe_log_dirs.refuse),
    Handler(DescribeProducersRequest, describe_producers.on_broker),
    Handler(DescribeQuorumRequest, describe_quorum.on_broker, describe_quorum.refuse),
    Handler(
        DescribeTopicPartitionsRequest,
        describe_topic_partitions.on_broker,
        describe_topic_partitions.refuse,
    ),
    Handler(DescribeTransactionsRequest, describe_transactions.on_broker),
    Handler(
        DescribeUserScramCredentialsRequest,
        describe_user_scram_credentials.on_broker,
        describe_user_scram_credentials.refuse,
    ),
    Handler(ElectLeadersRequest, elect_leaders.on_broker, elect_leaders.refuse),
    Handler(EndTxnRequest, end_txn.on_broker, end_txn.refuse),
    Handler(FetchRequest, fetch.on_broker, fetch.refuse),
    Handler(FindCoordinatorRequest, find_coordinator.on_broker, find_coordinator.refuse),
    Handler(HeartbeatRequest, heartbeat.on_broker, heartbeat.refuse),
    Handler(
        IncrementalAlterConfigsRequest,
        incremental_alter_configs.on_broker,
        incremental_alter_configs.refuse,
    ),
    Handler(InitProducerIdRequest, init_producer_id.on_broker, init_producer_id.refuse),
    Handler(JoinGroupRequest, join_group.on_broker, join_group.refuse),
    Handler(LeaveGroupRequest, leave_group.on_broker, leave_group.refuse),
    Handler(
        ListConfigResourcesRequest, list_config_resources.on_broker, list_config_resources.refuse
    ),
    Handler(ListGroupsRequest, list_groups.on_broker),
    Handler(ListOffsetsRequest, list_offsets.on_broker),
    Handler(
        ListPartitionReassignmentsRequest,
        list_partition_reassignments.on_broker,
        list_partition_reassignments.refuse,
    ),
    Handler(ListTransactionsRequest, list_transactions.on_broker, list_transactions.refuse),
    Handler(MetadataRequest, metadata.on_broker, metadata.refuse),
    Handler(OffsetCommitRequest, offset_commit.on_broker, offset_commit.refuse),
    Handler(OffsetDeleteRequest, offset_delete.on_broker, offset_delete.refuse),
    Handler(OffsetFetchRequest, offset_fetch.on_broker, offset_fetch.refuse),
    Handler(OffsetForLeaderEpochRequest, offset_for_leader_epoch.on_broker),
    Handler(ProduceRequest, produce.on_broker),
    Handler(RepairReplicaRequest, repair_replica.on_broker, repair_replica.refuse),
    Handler(SaslAuthenticateRequest, sasl_authenticate.on_listener),
    Handler(SaslHandshakeRequest, sasl_handshake.on_listener),
    Handler(SyncGroupRequest, sync_group.on_broker, sync_group.refuse),
    Handler(TxnOffsetCommitRequest, txn_offset_commit.on_broker, txn_offset_commit.refuse),
    Handler(UnregisterBrokerRequest, unregister_broker.on_broker, unregister_broker.refuse),
    Handler(UpdateFeaturesRequest, update_features.on_broker, update_features.refuse),
    Handler(
        ShareGroupHeartbeatRequest, share_group_heartbeat.on_broker, share_group_heartbeat.refuse
    ),
    Handler(ShareGroupDescribeRequest, share_group_describe.on_broker),
    Handler(ShareFetchRequest, share_fetch.on_broker, share_fetch.refuse),
    Handler(ShareAcknowledgeRequest, share_acknowledge.on_broker, share_acknowledge.refuse),
    Handler(
        InitializeShareGroupStateRequest,
        initialize_share_group_state.on_broker,
        initialize_share_group_state.refuse,
    ),
    Handler(
        ReadShareGroupStateRequest, read_share_group_state.on_broker, read_share_group_state.refuse
    ),
    Handler(
        WriteShareGroupStateRequest,
        write_share_group_state.on_broker,
        write_share_group_state.refuse,
    ),
    Handler(
        DeleteShareGroupStateRequest,
        delete_share_group_state.on_broker,
        delete_share_group_state.refuse,
    ),
    Handler(
        ReadShareGroupStateSummaryRequest,
        read_share_group_state_summary.on_broker,
        read_share_group_state_summary.refuse,
    ),
    Handler(DescribeShareGroupOffsetsRequest, describe_share_group_offsets.on_broker),
    Handler(
        AlterShareGroupOffsetsRequest,
        alter_share_group_offsets.on_broker,
        alter_share_group_offsets.refuse,
    ),
    Handler(
        DeleteShareGroupOffsetsRequest,
        delete_share_group_offsets.on_broker,
        delete_share_group_offsets.refuse,
    ),
    Handler(WriteTxnMarkersRequest, write_txn_markers.on_broker, write_txn_markers.refuse),
)
"""What a broker listener serves."""

CONTROLLER: Final[dict[int, Serving[VotingController]]] = _table(
    Handler(
        AllocateProducerIdsRequest,
        allocate_producer_ids.on_controller,
        allocate_producer_ids.refuse,
    ),
    Handler(
        AlterClientQuotasRequest, alter_client_quotas.on_controller, alter_client_quotas.refuse
    ),
    Handler(AlterConfigsRequest, alter_configs.on_controller, alter_configs.refuse),
    Handler(
        AlterPartitionReassignmentsRequest,
        alter_partition_reassignments.on_controller,
        alter_partition_reassignments.refuse,
    ),
    Handler(AlterPartitionRequest, alter_partition.on_controller, alter_partition.refuse),
    Handler(
        AlterReplicaStateRequest, alter_replica_state.on_controller, alter_replica_state.refuse
    ),
    Handler(
        AlterUserScramCredentialsRequest,
        alter_user_scram_credentials.on_controller,
        alter_user_scram_credentials.refuse,
    ),
    Handler(ApiVersionsRequest, api_versions.on_controller, api_versions.refuse),
    Handler(
        AssignReplicasToDirsRequest,
        assign_replicas_to_dirs.on_controller,
        assign_replicas_to_dirs.refuse,
    ),
    Handler(BeginQuorumEpochRequest, begin_quorum_epoch.on_controller, begin_quorum_epoch.refuse),
    Handler(BrokerHeartbeatRequest, broker_heartbeat.on_controller, broker_heartbeat.refuse),
    Handler(
        BrokerRegistrationRequest, broker_registration.on_controller, broker_registration.refuse
    ),
    Handler(
        ControllerRegistrationRequest,
        controller_registration.on_controller,
        controller_registration.refuse,
    ),
    Handler(CreateAclsRequest, create_acls.on_controller, create_acls.refuse),
    Handler(
        CreateDelegationTokenRequest,
        create_delegation_token.on_controller,
        create_delegation_token.refuse,
    ),
    Handler(
        RenewDelegationTokenRequest,
        renew_delegation_token.on_controller,
        renew_delegation_token.refuse,
    ),
    Handler(
        ExpireDelegationTokenRequest,
        expire_delegation_token.on_controller,
        expire_delegation_token.refuse,
    ),
    Handler(CreatePartitionsRequest, create_partitions.on_controller, create_partitions.refuse),
    Handler(CreateTopicsRequest, create_topics.on_controller, create_topics.refuse),
    Handler(DeleteAclsRequest, delete_acls.on_controller, delete_acls.refuse),
    Handler(DeleteTopicsRequest, delete_topics.on_controller, delete_topics.refuse),
    Handler(DescribeAclsRequest, describe_acls.on_controller, describe_acls.refuse),
    Handler(DescribeClusterRequest, describe_cluster.on_controller, describe_cluster.refuse),
    Handler(DescribeConfigsRequest, describe_configs.on_controller),
    Handler(DescribeQuorumRequest, describe_quorum.on_controller, describe_quorum.refuse),
    Handler(ElectLeadersRequest, elect_leaders.on_controller, elect_leaders.refuse),
    Handler(EndQuorumEpochRequest, end_quorum_epoch.on_controller, end_quorum_epoch.refuse),
    Handler(EnvelopeRequest, envelope.on_controller, envelope.refuse),
    Handler(FetchRequest, fetch_metadata.on_controller, fetch_metadata.refuse),
    Handler(FetchSnapshotRequest, fetch_snapshot.on_controller, fetch_snapshot.refuse),
    Handler(
        IncrementalAlterConfigsRequest,
        incremental_alter_configs.on_controller,
        incremental_alter_configs.refuse,
    ),
    Handler(
        ListPartitionReassignmentsRequest,
        list_partition_reassignments.on_controller,
        list_partition_reassignments.refuse,
    ),
    Handler(SaslAuthenticateRequest, sasl_authenticate.on_listener),
    Handler(SaslHandshakeRequest, sasl_handshake.on_listener),
    Handler(UnregisterBrokerRequest, unregister_broker.on_controller, unregister_broker.refuse),
    Handler(UpdateFeaturesRequest, update_features.on_controller, update_features.refuse),
    Handler(AddRaftVoterRequest, add_raft_voter.on_controller, add_raft_voter.refuse),
    Handler(RemoveRaftVoterRequest, remove_raft_voter.on_controller, remove_raft_voter.refuse),
    Handler(UpdateRaftVoterRequest, update_raft_voter.on_controller, update_raft_voter.refuse),
    Handler(VoteRequest, vote.on_controller, vote.refuse),
)
"""What a controller listener serves."""
