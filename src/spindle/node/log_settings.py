"""What a topic's logs obey, from the settings of the topic and of the node."""

from __future__ import annotations

from spindle.model.jobs import LogSettings
from spindle.model.settings.typed_settings import TopicSettings
from spindle.node.broker_context import BrokerContext


def log_settings(context: BrokerContext, settings: TopicSettings) -> LogSettings:
    """The settings as the jobs of logs take them."""
    segment_ms = settings.whole("segment.ms")
    internal = settings.find_whole("internal.segment.bytes")
    if "compact" in settings.names("cleanup.policy"):
        # The active segment is never compacted: it must not stay that for longer (KIP-354).
        segment_ms = min(segment_ms, settings.whole("max.compaction.lag.ms"))
    return LogSettings(
        segment_bytes=internal or settings.whole("segment.bytes"),
        segment_ms=segment_ms,
        index_interval_bytes=settings.whole("index.interval.bytes"),
        index_max_bytes=settings.whole("segment.index.bytes"),
        flush_messages=settings.whole("flush.messages"),
        jitter_ms=settings.whole("segment.jitter.ms"),
        producer_ms=context.settings.whole("producer.id.expiration.ms"),
    )
