"""A node as a process: its connections, its event loop, its certificates."""

from __future__ import annotations

from typing import Final

from spindle.model.statistics import Metric, section

BROKER_STATE: Final = Metric(
    "kafka_server_kafkaserver_brokerstate",
    "brokers: 0 not running, 1 starting, 2 recovering, 3 running, 6 handing over, 7 stopping",
)
CONNECTIONS: Final = Metric(
    "kafka_server_kafkaserver_connections",
    "open connections",
)
CONNECTIONS_OF: Final = Metric(
    "kafka_server_socket_server_metrics_connection_count",
    "open connections of a listener",
    ("listener",),
)
LOGINS: Final = Metric(
    "kafka_server_socket_server_metrics_successful_authentication_total",
    "logins that succeeded",
    ("listener",),
)
FAILED_LOGINS: Final = Metric(
    "kafka_server_socket_server_metrics_failed_authentication_total",
    "logins that failed",
    ("listener",),
)
RENEWED: Final = Metric(
    "kafka_server_socket_server_metrics_successful_reauthentication_total",
    "sessions that were renewed",
    ("listener",),
)
EXPIRED: Final = Metric(
    "kafka_server_socket_server_metrics_expired_connections_killed_total",
    "sessions that ended unrenewed",
    ("listener",),
)
CERTIFICATE: Final = Metric(
    "spindle_listener_certificateexpiryseconds",
    "when a listener's certificate ends, in s since 1970",
    ("listener",),
)
LOOP_IDLE: Final = Metric(
    "kafka_network_socketserver_networkprocessoravgidlepercent",
    "share of its time in which the event loop had nothing to do, 0 to 1",
)
HANDLER_IDLE: Final = Metric(
    "kafka_server_kafkarequesthandlerpool_requesthandleravgidle_percent",
    "the same: one loop reads requests and answers them",
)
LONGEST_TURN: Final = Metric(
    "spindle_eventloop_longestturnseconds",
    "seconds of the event loop's longest turn lately",
)
LONGEST_INPUT: Final = Metric(
    "spindle_eventloop_longestinputseconds",
    "seconds of a processor for the longest input lately",
)

SECTION: Final = section("The node", "all nodes", vars())
