"""Partitions and their replicas: Kafka's ReplicaManager, Partition and Log."""

from __future__ import annotations

from typing import Final

from spindle.model.statistics import Metric, section

PARTITIONS: Final = Metric(
    "kafka_server_replicamanager_partitioncount",
    "partitions with a replica here",
)
LEADERS: Final = Metric(
    "kafka_server_replicamanager_leadercount",
    "partitions that are led here",
)
OFFLINE_REPLICAS: Final = Metric(
    "kafka_server_replicamanager_offlinereplicacount",
    "replicas that cannot be served",
)
UNDER_REPLICATED: Final = Metric(
    "kafka_server_replicamanager_underreplicatedpartitions",
    "partitions led here with fewer replicas in sync than replicas; those that a "
    "reassignment adds do not count",
)
UNDER_MIN_ISR: Final = Metric(
    "kafka_server_replicamanager_underminisrpartitioncount",
    "partitions led here with fewer replicas in sync than min.insync.replicas: acks=all is refused",
)
AT_MIN_ISR: Final = Metric(
    "kafka_server_replicamanager_atminisrpartitioncount",
    "partitions led here with just min.insync.replicas in sync",
)
REASSIGNING: Final = Metric(
    "kafka_server_replicamanager_reassigningpartitions",
    "partitions led here that are being reassigned",
)
ISR_SHRINKS: Final = Metric(
    "kafka_server_replicamanager_isrshrinks_total",
    "ISRs that this broker made smaller",
)
ISR_EXPANDS: Final = Metric(
    "kafka_server_replicamanager_isrexpands_total",
    "ISRs that this broker made larger",
)
FAILED_ISR: Final = Metric(
    "kafka_server_replicamanager_failedisrupdates_total",
    "changes of an ISR that the controller refused",
)
MAX_LAG: Final = Metric(
    "kafka_server_replicafetchermanager_maxlag",
    "records by which the follower here that is furthest behind its leader was so at its "
    "last fetch",
    ("clientId",),
)
IS_UNDER_REPLICATED: Final = Metric(
    "kafka_cluster_partition_underreplicated",
    "1: fewer replicas in sync than replicas (leaders only)",
    ("topic", "partition"),
)
IS_UNDER_MIN_ISR: Final = Metric(
    "kafka_cluster_partition_underminisr",
    "1: fewer replicas in sync than min.insync.replicas (leaders only)",
    ("topic", "partition"),
)
IS_AT_MIN_ISR: Final = Metric(
    "kafka_cluster_partition_atminisr",
    "1: just min.insync.replicas in sync (leaders only)",
    ("topic", "partition"),
)
IN_SYNC: Final = Metric(
    "kafka_cluster_partition_insyncreplicascount",
    "replicas in sync (leaders only)",
    ("topic", "partition"),
)
REPLICAS: Final = Metric(
    "kafka_cluster_partition_replicascount",
    "replicas (leaders only)",
    ("topic", "partition"),
)
HIGH_WATERMARK: Final = Metric(
    "kafka_topic_partition_current_offset",
    "the high watermark (leaders only)",
    ("topic", "partition"),
)
LOG_SIZE: Final = Metric(
    "kafka_log_log_size",
    "bytes of the log",
    ("topic", "partition"),
)
LOG_START: Final = Metric(
    "kafka_log_log_logstartoffset",
    "the first offset of the log",
    ("topic", "partition"),
)
LOG_END: Final = Metric(
    "kafka_log_log_logendoffset",
    "the offset that the next record will have",
    ("topic", "partition"),
)

SECTION: Final = section(
    "Partitions and replicas",
    "brokers; one row for each partition only with `metrics.partitions.enable`",
    vars(),
)
