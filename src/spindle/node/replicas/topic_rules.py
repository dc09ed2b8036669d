"""A topic's settings as they matter on the way of each record.

Read once for each change of the settings, not for each record. Used by the replicas.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from spindle.core.replica.partition import ReplicaRules
from spindle.core.replica.quota import NOTHING, Throttled, throttled_replicas
from spindle.model.ids import NodeId
from spindle.model.settings.setting import MAX_LONG
from spindle.model.settings.typed_settings import TopicSettings
from spindle.wire.batch import Compression


class Packing(NamedTuple):
    """A compression and, where it has some, its level."""

    codec: Compression
    level: int | None = None


@dataclass(slots=True, frozen=True)
class TopicRules:
    """What a topic's settings say. `rules` is the machine's share."""

    rules: ReplicaRules
    max_message_bytes: int = 1048588
    packing: Packing | None = None
    """How clients' batches are compressed (compression.type); None: as they come."""
    append_time: bool = False
    """The broker's clock stamps the batches (message.timestamp.type=LogAppendTime)."""
    oldest_ms: int = MAX_LONG
    newest_ms: int = 3_600_000
    """How far producers' timestamps may lie behind the broker's clock, and ahead of it."""
    compact: bool = False
    delete: bool = True
    """What cleanup.policy names."""
    throttled_as_leader: Throttled = NOTHING
    throttled_as_follower: Throttled = NOTHING
    """The replicas here that are copied only as fast as the broker's throttles allow (KIP-73)."""
    sync: bool = False
    """Each append waits for fsync (flush.messages=1)."""

    @classmethod
    def read(cls, settings: TopicSettings, lag_max: float, node: NodeId) -> TopicRules:
        """The rules for the replicas of a topic on this node. `lag_max` in s."""

        def throttled(side: str) -> Throttled:
            return throttled_replicas(
                settings.names(f"{side}.replication.throttled.replicas"), node
            )

        return cls(
            ReplicaRules(settings.whole("min.insync.replicas"), lag_max),
            max_message_bytes=settings.whole("max.message.bytes"),
            packing=packing_of(settings),
            append_time=settings.word("message.timestamp.type") == "LogAppendTime",
            oldest_ms=settings.whole("message.timestamp.before.max.ms"),
            newest_ms=settings.whole("message.timestamp.after.max.ms"),
            compact="compact" in settings.names("cleanup.policy"),
            delete="delete" in settings.names("cleanup.policy"),
            throttled_as_leader=throttled("leader"),
            throttled_as_follower=throttled("follower"),
            sync=settings.whole("flush.messages") == 1,
        )


def packing_of(settings: TopicSettings) -> Packing | None:
    """What a topic wants for its batches; None: they stay as producers compress them."""
    match settings.word("compression.type"):
        case "uncompressed":
            return Packing(Compression.NONE)
        case "snappy":
            return Packing(Compression.SNAPPY)
        case "gzip":
            return Packing(Compression.GZIP, settings.whole("compression.gzip.level"))
        case "lz4":
            return Packing(Compression.LZ4, settings.whole("compression.lz4.level"))
        case "zstd":
            return Packing(Compression.ZSTD, settings.whole("compression.zstd.level"))
        case _:
            return None
