"""The settings of topics, each with the broker's setting that counts where a topic has none."""

from __future__ import annotations

import re
from functools import partial
from typing import Final

from spindle.model.settings.setting import (
    MAX_LONG,
    Kind,
    Setting,
    Value,
    gzip_level,
    refused,
    without_effect,
)

S = Setting
_REPLICA: Final = re.compile(r"\d+:\d+")


def _replicas(side: str, value: Value) -> None:
    assert isinstance(value, tuple)
    if value != ("*",) and not all(_REPLICA.fullmatch(entry) for entry in value):
        raise ValueError(
            f"{side}.replication.throttled.replicas must be the literal '*' or a list of replicas "
            "in the following format: [partitionId]:[brokerId],[partitionId]:[brokerId],..."
        )


_COMPRESSIONS: Final = ("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer")
# fmt: off
TOPICS: Final = (
    S("cleanup.policy", Kind.LIST, "delete",
      "What happens to old records: they are deleted, compacted, or both.",
      allowed=("compact", "delete"), broker="log.cleanup.policy"),
    S("compression.type", Kind.STRING, "producer",
      "The compression of the records that clients send; producer keeps what the producer chose.",
      allowed=_COMPRESSIONS, broker="compression.type"),
    S("compression.gzip.level", Kind.INT, "-1",
      "The level of gzip compression.", check=gzip_level, broker="compression.gzip.level"),
    S("compression.lz4.level", Kind.INT, "9",
      "The level of lz4 compression.", least=1, most=17, broker="compression.lz4.level"),
    S("compression.zstd.level", Kind.INT, "3",
      "The level of zstd compression.",
      least=-131072, most=22, broker="compression.zstd.level"),
    S("delete.retention.ms", Kind.LONG, "86400000",
      "The milliseconds that compaction keeps a tombstone.",
      least=0, broker="log.cleaner.delete.retention.ms"),
    S("flush.messages", Kind.LONG, str(MAX_LONG),
      "The records after which a log is flushed to the disk.",
      least=1, broker="log.flush.interval.messages"),
    S("flush.ms", Kind.LONG, str(MAX_LONG),
      "The milliseconds after which a record is flushed to the disk.",
      least=0, broker="log.flush.interval.ms"),
    S("follower.replication.throttled.replicas", Kind.LIST, "",
      "The replicas, each as partition:broker, or * for all, that followers fetch throttled.",
      check=partial(_replicas, "follower")),
    S("leader.replication.throttled.replicas", Kind.LIST, "",
      "The replicas, each as partition:broker, or * for all, that leaders send throttled.",
      check=partial(_replicas, "leader")),
    S("index.interval.bytes", Kind.INT, "4096",
      "The bytes of records between two entries of the offset index.",
      least=0, broker="log.index.interval.bytes"),
    S("max.compaction.lag.ms", Kind.LONG, str(MAX_LONG),
      "The milliseconds after which a record must be compacted.",
      least=1, broker="log.cleaner.max.compaction.lag.ms"),
    S("max.message.bytes", Kind.INT, "1048588",
      "The largest record batch in bytes, compressed where it is.",
      least=0, broker="message.max.bytes"),
    S("message.timestamp.after.max.ms", Kind.LONG, "3600000",
      "The milliseconds by which a record may be ahead of the broker's clock.",
      least=0, broker="log.message.timestamp.after.max.ms"),
    S("message.timestamp.before.max.ms", Kind.LONG, str(MAX_LONG),
      "The milliseconds by which a record may be older than the broker's clock.",
      least=0, broker="log.message.timestamp.before.max.ms"),
    S("message.timestamp.type", Kind.STRING, "CreateTime",
      "Records carry the time of their creation or that of their append.",
      allowed=("CreateTime", "LogAppendTime"), broker="log.message.timestamp.type"),
    S("min.cleanable.dirty.ratio", Kind.DOUBLE, "0.5",
      "The share of uncompacted bytes from which on a log is compacted.",
      least=0, most=1, broker="log.cleaner.min.cleanable.ratio"),
    S("min.compaction.lag.ms", Kind.LONG, "0",
      "The milliseconds for which a record is not compacted.",
      least=0, broker="log.cleaner.min.compaction.lag.ms"),
    S("min.insync.replicas", Kind.INT, "1",
      "The in-sync replicas without which a write with acks=all is refused.",
      least=1, broker="min.insync.replicas"),
    S("retention.bytes", Kind.LONG, "-1",
      "The bytes that a partition keeps; -1 keeps all.", broker="log.retention.bytes"),
    S("retention.ms", Kind.LONG, "604800000",
      "The milliseconds that records are kept; -1 keeps them for ever.",
      least=-1, broker="log.retention.ms"),
    S("segment.bytes", Kind.INT, "1073741824",
      "The size in bytes at which a segment is full.", least=14, broker="log.segment.bytes"),
    S("internal.segment.bytes", Kind.INT, None,
      "Counts instead of segment.bytes where it is set: Apache Kafka's own tests have small "
      "segments.", least=14, described=False),
    S("segment.index.bytes", Kind.INT, "10485760",
      "The largest index in bytes; a segment is rolled when its index is full.",
      least=4, broker="log.index.size.max.bytes"),
    S("segment.jitter.ms", Kind.LONG, "0",
      "The most milliseconds that are taken off the time of a roll, so that segments do not roll "
      "together.", least=0, broker="log.roll.jitter.ms"),
    S("segment.ms", Kind.LONG, "604800000",
      "The milliseconds after which a segment is rolled.", least=1, broker="log.roll.ms"),
    S("unclean.leader.election.enable", Kind.BOOLEAN, "false",
      "A replica from outside the ISR may lead when none of the ISR is left, although records "
      "are lost by it.", broker="unclean.leader.election.enable"),
    *without_effect(
    "Spindle deletes old segments at once, and a log after the broker's "
    "log.segment.delete.delay.ms.",
    S("file.delete.delay.ms", Kind.LONG, "60000",
      "The milliseconds between the deletion of a log and that of its files.",
      least=0, broker="log.segment.delete.delay.ms"),
    ),
    *without_effect("It concerns tiered topics, and Spindle has no tiered storage.",
    S("local.retention.bytes", Kind.LONG, "-2",
      "The bytes that a tiered partition keeps on its own disk; -2 takes retention.bytes.",
      least=-2, broker="log.local.retention.bytes"),
    S("local.retention.ms", Kind.LONG, "-2",
      "The milliseconds that a tiered partition keeps records on its own disk; -2 takes "
      "retention.ms.", least=-2, broker="log.local.retention.ms"),
    S("remote.log.copy.disable", Kind.BOOLEAN, "false",
      "No more segments of a tiered topic are copied to the remote storage."),
    S("remote.log.delete.on.disable", Kind.BOOLEAN, "false",
      "The remote segments of a topic are deleted when it is no longer tiered."),
    ),
    *refused("Spindle has no tiered storage.",
    S("remote.storage.enable", Kind.BOOLEAN, "false",
      "The topic is tiered: old segments are copied to a remote storage."),
    ),
    *refused("Spindle's segments grow as they are written.",
    S("preallocate", Kind.BOOLEAN, "false",
      "The file of a new segment has its full size from the beginning.",
      broker="log.preallocate"),
    ),
)
