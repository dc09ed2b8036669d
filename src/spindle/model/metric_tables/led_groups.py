"""Groups that are coordinated by a broker: Kafka's GroupMetadataManager, and offsets."""

from __future__ import annotations

from typing import Final

from spindle.model.statistics import Metric, section

GROUPS: Final = Metric(
    "kafka_coordinator_group_groupmetadatamanager_numgroups",
    "groups",
)
GROUPS_STABLE: Final = Metric(
    "kafka_coordinator_group_groupmetadatamanager_numgroupsstable",
    "groups in the state Stable",
)
GROUPS_EMPTY: Final = Metric(
    "kafka_coordinator_group_groupmetadatamanager_numgroupsempty",
    "groups without members",
)
GROUPS_PREPARING: Final = Metric(
    "kafka_coordinator_group_groupmetadatamanager_numgroupspreparingrebalance",
    "groups that wait for their members to join",
)
GROUPS_COMPLETING: Final = Metric(
    "kafka_coordinator_group_groupmetadatamanager_numgroupscompletingrebalance",
    "groups that wait for their assignment",
)
GROUPS_DEAD: Final = Metric(
    "kafka_coordinator_group_groupmetadatamanager_numgroupsdead",
    "groups that are being deleted",
)
OFFSETS: Final = Metric(
    "kafka_coordinator_group_groupmetadatamanager_numoffsets",
    "committed offsets",
)
COMMITTED: Final = Metric(
    "kafka_consumergroup_current_offset",
    "the offset that a group has committed; its lag is the rule kafka_consumergroup_lag "
    "of the alert rules. Only with `metrics.partitions.enable`",
    ("consumergroup", "topic", "partition"),
)

SHARE_GROUPS: Final = Metric(
    "kafka_server_group_coordinator_metrics_share_group_count",
    "share groups, by state",
    ("state",),
)
SHARE_SESSIONS: Final = Metric(
    "kafka_server_sharesessioncache_sharesessionscount",
    "share sessions of members at the broker",
)
SHARE_SESSION_PARTITIONS: Final = Metric(
    "kafka_server_sharesessioncache_sharepartitionscount",
    "partitions in share sessions",
)
SHARE_ACKNOWLEDGEMENTS: Final = Metric(
    "kafka_server_sharegroupmetrics_recordacknowledgements_total",
    "records of which members have said what has become of them",
    ("acktype",),
)
SHARE_IN_FLIGHT: Final = Metric(
    "kafka_server_sharepartitionmetrics_inflightmessagecount",
    "records that are with members of a share group, or come back. Only with "
    "`metrics.partitions.enable`",
    ("group", "topic", "partition"),
)
SHARE_LOCK_TIMEOUTS: Final = Metric(
    "kafka_server_sharepartitionmetrics_acquisitionlocktimeout_total",
    "records that came back as their member had said nothing of them in time. Only with "
    "`metrics.partitions.enable`",
    ("group", "topic", "partition"),
)

SECTION: Final = section("Groups", "the broker that coordinates them, or leads", vars())
