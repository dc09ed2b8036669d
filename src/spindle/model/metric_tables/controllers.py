"""Controllers and the metadata quorum: Kafka's KafkaController and raft-metrics."""

from __future__ import annotations

from typing import Final

from spindle.model.statistics import Metric, section

ACTIVE: Final = Metric(
    "kafka_controller_kafkacontroller_activecontrollercount",
    "1: this controller decides",
)
ACTIVE_BROKERS: Final = Metric(
    "kafka_controller_kafkacontroller_activebrokercount",
    "brokers that are registered and not fenced",
)
FENCED_BROKERS: Final = Metric(
    "kafka_controller_kafkacontroller_fencedbrokercount",
    "brokers that are registered and fenced",
)
TOPICS: Final = Metric(
    "kafka_controller_kafkacontroller_globaltopiccount",
    "topics of the cluster",
)
ALL_PARTITIONS: Final = Metric(
    "kafka_controller_kafkacontroller_globalpartitioncount",
    "partitions of the cluster",
)
OFFLINE_PARTITIONS: Final = Metric(
    "kafka_controller_kafkacontroller_offlinepartitionscount",
    "partitions of the cluster without a leader",
)
IMBALANCE: Final = Metric(
    "kafka_controller_kafkacontroller_preferredreplicaimbalancecount",
    "partitions of the cluster whose first replica does not lead",
)
TIMED_OUT: Final = Metric(
    "kafka_controller_kafkacontroller_timedoutbrokerheartbeatcount",
    "sessions of brokers that ran out while this controller decided",
)
BURIED: Final = Metric(
    "spindle_controller_brokersfounddead_total",
    "brokers that were fenced because their process was gone",
)
UNCLEAN: Final = Metric(
    "kafka_controller_controllerstats_uncleanleaderelections_total",
    "partitions that got a leader that was not in sync: records may be lost",
)
STATE: Final = Metric(
    "kafka_server_raft_metrics_current_state_info",
    "1, for the state that this node is in",
    ("state",),
)
LEADER: Final = Metric(
    "kafka_server_raft_metrics_current_leader",
    "the id of the leader of the quorum; -1: unknown",
)
VOTE: Final = Metric(
    "kafka_server_raft_metrics_current_vote",
    "the id of the voter that this node voted for in this epoch; -1: none",
)
EPOCH: Final = Metric(
    "kafka_server_raft_metrics_current_epoch",
    "the epoch of the quorum",
)
QUORUM_MARK: Final = Metric(
    "kafka_server_raft_metrics_high_watermark",
    "the offset below which all metadata is committed",
)
QUORUM_END: Final = Metric(
    "kafka_server_raft_metrics_log_end_offset",
    "the end of this node's copy of the metadata log",
)
VOTERS: Final = Metric(
    "kafka_server_raft_metrics_number_of_voters",
    "voters of the quorum",
)
APPLIED: Final = Metric(
    "kafka_server_broker_metadata_metrics_last_applied_record_offset",
    "the offset of the last record of the metadata that this node has applied",
)

SECTION: Final = section(
    "Controllers and the quorum", "controllers; the quorum and the metadata: brokers, too", vars()
)
