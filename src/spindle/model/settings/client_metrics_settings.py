"""The settings of a client metrics subscription (KIP-714), which metadata keeps for brokers.

Brokers hand subscriptions to clients only where a metrics reporter takes what clients send. Without
one Apache Kafka's brokers keep them as well and offer no telemetry; so do Spindle's.
"""

from __future__ import annotations

import re
from typing import Final

from spindle.model.errors import Error, Refusal, Unusable
from spindle.model.settings.setting import Kind, Setting, has_gaps

_INTERVAL: Final = "interval.ms"
_MATCH: Final = "match"
_INTERVAL_MS: Final = range(100, 3_600_000 + 1)
_MATCHED: Final = (
    "client_instance_id", "client_id", "client_software_name", "client_software_version",
    "client_source_address", "client_source_port",
)  # fmt: skip
# fmt: off
CLIENT_METRICS_SETTINGS: Final = {s.name: s for s in (
    Setting("metrics", Kind.LIST, "",
      "The prefixes of the names of the metrics that clients send; * means all of them."),
    Setting(_INTERVAL, Kind.INT, "300000",
      "The milliseconds between two pushes of a client."),
    Setting(_MATCH, Kind.LIST, "",
      "Which clients send: entries of the form NAME=PATTERN, all of which must hold."),
)}
# fmt: on


def check_client_metrics(name: str, text: str) -> None:
    """Refusal INVALID_REQUEST, in Kafka's words, where a subscription cannot have this.

    Unusable where the text is no value of the setting's kind.
    """
    setting = CLIENT_METRICS_SETTINGS.get(name)
    if setting is None:
        raise Refusal(Error.INVALID_REQUEST, f"Unknown client metrics configuration: {name}")
    if setting.kind is Kind.LIST and has_gaps(text):
        raise Unusable(f"Configuration '{name}' values must not be empty.")
    value = setting.read(text)
    if name == _INTERVAL and value not in _INTERVAL_MS:
        raise Refusal(
            Error.INVALID_REQUEST,
            f"Invalid value {value} for {name}, interval must be between 100 and 3600000 (1 hour)",
        )
    if name == _MATCH and isinstance(value, tuple):
        for entry in value:
            _check_match(entry)


def _check_match(entry: str) -> None:
    """NAME=PATTERN: a name that clients tell, and a regular expression."""
    name, separator, pattern = (part.strip() for part in entry.partition("="))
    try:
        re.compile(pattern)
    except re.error:
        separator = ""
    if not separator or name not in _MATCHED:
        raise Refusal(Error.INVALID_CONFIG, f"Illegal client matching pattern: {entry}")
