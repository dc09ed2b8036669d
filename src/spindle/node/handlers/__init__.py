"""One file per API: decode, call a machine, encode. The folder is the table of support.

A module serves the broker listener with `on_broker(broker, call)`, the controller listener with
`on_controller(controller, call)`. To switch an API on: its row in `wire.apis`, its module here.
"""

from __future__ import annotations

from types import ModuleType
from typing import Final

from spindle.node.handlers import (
    allocate_producer_ids,
    alter_configs,
    alter_partition,
    alter_partition_reassignments,
    alter_replica_log_dirs,
    api_versions,
    assign_replicas_to_dirs,
    begin_quorum_epoch,
    broker_heartbeat,
    broker_registration,
    controller_registration,
    create_partitions,
    create_topics,
    delete_groups,
    delete_records,
    delete_topics,
    describe_cluster,
    describe_configs,
    describe_groups,
    describe_log_dirs,
    describe_producers,
    describe_quorum,
    describe_topic_partitions,
    elect_leaders,
    end_quorum_epoch,
    envelope,
    fetch,
    fetch_metadata,
    fetch_snapshot,
    find_coordinator,
    heartbeat,
    incremental_alter_configs,
    init_producer_id,
    join_group,
    leave_group,
    list_config_resources,
    list_groups,
    list_offsets,
    list_partition_reassignments,
    metadata,
    offset_commit,
    offset_delete,
    offset_fetch,
    offset_for_leader_epoch,
    produce,
    sync_group,
    unregister_broker,
    update_features,
    vote,
)
from spindle.wire.apis import Key

_MODULES: Final[tuple[tuple[Key, ModuleType], ...]] = (
    (Key.ALLOCATE_PRODUCER_IDS, allocate_producer_ids),
    (Key.ALTER_CONFIGS, alter_configs),
    (Key.ALTER_PARTITION, alter_partition),
    (Key.ALTER_PARTITION_REASSIGNMENTS, alter_partition_reassignments),
    (Key.ALTER_REPLICA_LOG_DIRS, alter_replica_log_dirs),
    (Key.API_VERSIONS, api_versions),
    (Key.ASSIGN_REPLICAS_TO_DIRS, assign_replicas_to_dirs),
    (Key.BEGIN_QUORUM_EPOCH, begin_quorum_epoch),
    (Key.BROKER_HEARTBEAT, broker_heartbeat),
    (Key.BROKER_REGISTRATION, broker_registration),
    (Key.CONTROLLER_REGISTRATION, controller_registration),
    (Key.CREATE_PARTITIONS, create_partitions),
    (Key.CREATE_TOPICS, create_topics),
    (Key.DELETE_GROUPS, delete_groups),
    (Key.DELETE_RECORDS, delete_records),
    (Key.DELETE_TOPICS, delete_topics),
    (Key.DESCRIBE_CLUSTER, describe_cluster),
    (Key.DESCRIBE_CONFIGS, describe_configs),
    (Key.DESCRIBE_GROUPS, describe_groups),
    (Key.DESCRIBE_LOG_DIRS, describe_log_dirs),
    (Key.DESCRIBE_PRODUCERS, describe_producers),
    (Key.DESCRIBE_QUORUM, describe_quorum),
    (Key.DESCRIBE_TOPIC_PARTITIONS, describe_topic_partitions),
    (Key.ELECT_LEADERS, elect_leaders),
    (Key.END_QUORUM_EPOCH, end_quorum_epoch),
    (Key.ENVELOPE, envelope),
    (Key.FETCH, fetch),
    (Key.FETCH, fetch_metadata),
    (Key.FETCH_SNAPSHOT, fetch_snapshot),
    (Key.FIND_COORDINATOR, find_coordinator),
    (Key.HEARTBEAT, heartbeat),
    (Key.INCREMENTAL_ALTER_CONFIGS, incremental_alter_configs),
    (Key.INIT_PRODUCER_ID, init_producer_id),
    (Key.JOIN_GROUP, join_group),
    (Key.LEAVE_GROUP, leave_group),
    (Key.LIST_CONFIG_RESOURCES, list_config_resources),
    (Key.LIST_GROUPS, list_groups),
    (Key.LIST_OFFSETS, list_offsets),
    (Key.LIST_PARTITION_REASSIGNMENTS, list_partition_reassignments),
    (Key.METADATA, metadata),
    (Key.OFFSET_COMMIT, offset_commit),
    (Key.OFFSET_DELETE, offset_delete),
    (Key.OFFSET_FETCH, offset_fetch),
    (Key.OFFSET_FOR_LEADER_EPOCH, offset_for_leader_epoch),
    (Key.PRODUCE, produce),
    (Key.SYNC_GROUP, sync_group),
    (Key.UNREGISTER_BROKER, unregister_broker),
    (Key.UPDATE_FEATURES, update_features),
    (Key.VOTE, vote),
)

BROKER: Final = {int(key): module for key, module in _MODULES if hasattr(module, "on_broker")}
"""What a broker listener serves."""

CONTROLLER: Final = {
    int(key): module for key, module in _MODULES if hasattr(module, "on_controller")
}
"""What a controller listener serves."""
