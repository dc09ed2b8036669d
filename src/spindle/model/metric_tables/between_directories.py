"""Moves of replicas between the log directories of a broker."""

from __future__ import annotations

from typing import Final

from spindle.model.statistics import Metric, section

BYTES: Final = Metric(
    "kafka_server_alterlogdirsreplication_bytes_total",
    "bytes copied by moves between log directories",
)
MOVE_DONE: Final = Metric(
    "kafka_server_alterlogdirsreplication_movebytesdone",
    "bytes of a move's copy",
    ("topic", "partition", "source", "target", "state"),
)
MOVE_LEFT: Final = Metric(
    "kafka_server_alterlogdirsreplication_movebytesleft",
    "bytes that a move has to copy",
    ("topic", "partition", "source", "target", "state"),
)
MOVE_SHARE: Final = Metric(
    "kafka_server_alterlogdirsreplication_moveshare",
    "share of its time in which a move copies, 0 to 1",
    ("topic", "partition", "source", "target", "state"),
)
PAIR_BYTES: Final = Metric(
    "kafka_server_alterlogdirsreplication_pairbytes_total",
    "bytes copied from one directory to another",
    ("source", "target"),
)
PAIR_LEFT: Final = Metric(
    "kafka_server_alterlogdirsreplication_pairbytesleft",
    "bytes that are to be copied from one directory to another",
    ("source", "target"),
)
PAIR_RATE: Final = Metric(
    "kafka_server_alterlogdirsreplication_pairbytespersecond",
    "bytes a second over the last ten seconds",
    ("source", "target"),
)
MOVES: Final = Metric(
    "kafka_server_alterlogdirsreplication_moves_total",
    "moves that have ended, by how they did",
    ("end",),
)
BLOCKED: Final = Metric(
    "kafka_server_alterlogdirsreplication_blockedseconds",
    "seconds for which a swap blocked appends; quantiles: of the last 1000",
    summary=True,
)

SECTION: Final = section("Moves between log directories", "brokers", vars())
