"""Records and requests: Kafka's BrokerTopicMetrics, RequestMetrics and purgatories."""

from __future__ import annotations

from typing import Final

from spindle.model.statistics import Metric, section

MESSAGES_IN: Final = Metric(
    "kafka_server_brokertopicmetrics_messagesin_total",
    "records that were produced; without the label: of all topics since the start",
    ("topic",),
)
BYTES_IN: Final = Metric(
    "kafka_server_brokertopicmetrics_bytesin_total",
    "bytes of batches that were produced; without the label: of all topics since the start",
    ("topic",),
)
BYTES_OUT: Final = Metric(
    "kafka_server_brokertopicmetrics_bytesout_total",
    "bytes of batches that consumers fetched; without the label: of all topics since the start",
    ("topic",),
)
PRODUCE_REQUESTS: Final = Metric(
    "kafka_server_brokertopicmetrics_totalproducerequests_total",
    "partitions named in requests of producers; without the label: of all topics since the start",
    ("topic",),
)
FAILED_PRODUCE: Final = Metric(
    "kafka_server_brokertopicmetrics_failedproducerequests_total",
    "partitions named in requests of producers that a disk kept from being written; "
    "without the label: of all topics since the start",
    ("topic",),
)
FETCH_REQUESTS: Final = Metric(
    "kafka_server_brokertopicmetrics_totalfetchrequests_total",
    "looks at partitions for fetches of consumers and followers; without the label: of "
    "all topics since the start",
    ("topic",),
)
FAILED_FETCH: Final = Metric(
    "kafka_server_brokertopicmetrics_failedfetchrequests_total",
    "reads for fetches that failed; without the label: of all topics since the start",
    ("topic",),
)
REPLICATION_IN: Final = Metric(
    "kafka_server_brokertopicmetrics_replicationbytesin_total",
    "bytes of batches that followers here fetched from leaders elsewhere",
)
REPLICATION_OUT: Final = Metric(
    "kafka_server_brokertopicmetrics_replicationbytesout_total",
    "bytes of batches that followers elsewhere fetched from leaders here",
)
REQUESTS: Final = Metric(
    "kafka_network_requestmetrics_requests_total",
    "requests that were answered, by API and version",
    ("request", "version"),
)
TOTAL_TIME: Final = Metric(
    "kafka_network_requestmetrics_totaltimems",
    "milliseconds from a whole request to its answer, waiting included; quantiles: of the "
    "last one to two minutes, to within an eighth",
    ("request",),
    summary=True,
)
PURGATORY: Final = Metric(
    "kafka_server_delayedoperationpurgatory_purgatorysize",
    "requests that wait for news or for their deadline (Produce with acks=all, Fetch, "
    "DeleteRecords)",
)
FETCH_SESSIONS: Final = Metric(
    "kafka_server_fetchsessioncache_numincrementalfetchsessions",
    "fetch sessions that are remembered",
)

SECTION: Final = section("Records and requests", "brokers; requests: controllers, too", vars())
