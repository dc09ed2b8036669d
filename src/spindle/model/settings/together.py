"""What a node's settings must be together: Apache Kafka's `KafkaConfig.validateValues`.

A node does not start otherwise, and a broker takes no change that would bring it about.
"""

from __future__ import annotations

from typing import Final

from spindle.model.errors import Unusable
from spindle.model.settings.typed_settings import Settings

_CLEANER: Final = ("log.cleaner.threads", "log.cleaner.dedupe.buffer.size")
_LEAST_FOR_A_CLEANER: Final = 1 << 20
DYNAMIC: Final = frozenset((*_CLEANER, "log.retention.ms", "log.roll.jitter.ms"))
"""The names at which a change may break a rule."""


def check(settings: Settings) -> None:
    """Unusable, in Kafka's words, where values do not go together or one cannot be meant."""
    if settings.whole("log.roll.jitter.ms") < 0:
        raise Unusable("requirement failed: log.roll.jitter.ms must be greater than or equal to 0")
    if settings.whole("log.retention.ms") == 0:  # Or what counts in its place, hours or minutes.
        raise Unusable(
            "requirement failed: log.retention.ms must be unlimited (-1) or, greater than or equal"
            " to 1"
        )
    threads, buffer = map(settings.whole, _CLEANER)
    if threads < 1:
        raise Unusable("Log cleaner threads should be at least 1")
    if buffer // threads <= _LEAST_FOR_A_CLEANER:
        raise Unusable(
            "requirement failed: log.cleaner.dedupe.buffer.size must be at least 1MB per cleaner"
            " thread."
        )
