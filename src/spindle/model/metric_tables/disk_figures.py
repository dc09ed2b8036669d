"""Log directories, their health and what lies in them: Kafka's LogManager, and more."""

from __future__ import annotations

from typing import Final

from spindle.model.statistics import Metric, section

OFFLINE_DIRECTORIES: Final = Metric(
    "kafka_log_logmanager_offlinelogdirectorycount",
    "log directories that failed",
)
CORDONED_DIRECTORIES: Final = Metric(
    "kafka_log_logmanager_cordonedlogdirectorycount",
    "cordoned log directories",
)
DIRECTORY_OFFLINE: Final = Metric(
    "kafka_log_logmanager_logdirectoryoffline",
    "1: offline",
    ("logDirectory",),
)
DIRECTORY_CORDONED: Final = Metric(
    "kafka_log_logmanager_logdirectorycordoned",
    "1: cordoned",
    ("logDirectory",),
)
DIRECTORY_SLOW: Final = Metric(
    "kafka_log_logmanager_logdirectoryslow",
    "1: slow",
    ("logDirectory",),
)
CALL_SECONDS: Final = Metric(
    "kafka_log_logmanager_logdirectorycallseconds",
    "seconds of a call",
    ("logDirectory",),
)
TOTAL_BYTES: Final = Metric(
    "kafka_log_logmanager_logdirectorytotalbytes",
    "bytes of the file system",
    ("logDirectory",),
)
USABLE_BYTES: Final = Metric(
    "kafka_log_logmanager_logdirectoryusablebytes",
    "bytes of the file system that are free for the broker",
    ("logDirectory",),
)
STRAY_LOGS: Final = Metric(
    "kafka_log_logmanager_straylogs",
    "logs that no topic claims",
    ("logDirectory",),
)
STRAY_BYTES: Final = Metric(
    "kafka_log_logmanager_straybytes",
    "bytes of stray logs",
    ("logDirectory",),
)
BAD_COPIES: Final = Metric(
    "kafka_log_logmanager_badcopies",
    "damaged logs set aside",
    ("logDirectory",),
)
BAD_BYTES: Final = Metric(
    "kafka_log_logmanager_badcopiesbytes",
    "bytes of damaged logs",
    ("logDirectory",),
)
GAPS: Final = Metric(
    "kafka_log_logmanager_doubtfulgaps",
    "gaps in logs that may be losses",
    ("logDirectory",),
)
KEPT_BYTES: Final = Metric(
    "kafka_log_logmanager_keptcopiesbytes",
    "bytes of moves given up",
    ("logDirectory",),
)
SCRUB_ROUNDS: Final = Metric(
    "kafka_log_logmanager_scrubrounds_total",
    "completed rounds of the scrubber",
    ("logDirectory",),
)
SCRUB_BYTES: Final = Metric(
    "kafka_log_logmanager_scrubroundbytes",
    "bytes scrubbed in this round",
    ("logDirectory",),
)
SCRUB_TOTAL_BYTES: Final = Metric(
    "kafka_log_logmanager_scrubroundtotalbytes",
    "bytes to scrub in this round",
    ("logDirectory",),
)
SCRUB_LAST_MS: Final = Metric(
    "kafka_log_logmanager_scrublastroundms",
    "when the last round ended, in ms since 1970; 0: never",
    ("logDirectory",),
)
SCRUB_BAD: Final = Metric(
    "kafka_log_logmanager_scrubbadlogs_total",
    "damaged logs that the scrubber found",
    ("logDirectory",),
)
SCRUB_MENDED: Final = Metric(
    "kafka_log_logmanager_scrubmendedindexes_total",
    "indexes that the scrubber rebuilt",
    ("logDirectory",),
)
CLEANINGS: Final = Metric(
    "kafka_log_logcleaner_cleanings_total",
    "logs that were compacted",
)
CLEANED_BYTES: Final = Metric(
    "kafka_log_logcleaner_read_bytes_total",
    "bytes read to compact logs",
)
FREED_BYTES: Final = Metric(
    "kafka_log_logcleaner_freed_bytes_total",
    "bytes freed by compaction",
)
ASSIGNMENTS: Final = Metric(
    "kafka_server_assignmentsmanager_queuedreplicatodirassignments",
    "replicas whose directory is still to be reported to the controller",
)

SECTION: Final = section("Log directories", "brokers", vars())
